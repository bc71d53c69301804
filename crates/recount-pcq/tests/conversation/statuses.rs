//! `Status` of each counter that is added or removed, and the buffers that are refused as a whole (MS-PCQ 3.1.4.1.7).

use recount_pcq::conversation::{PerflibV2, QueryHandle, READ_FAULT, ServerLimits};
use recount_pcq::{ANY_COUNTER, CounterIdentifierBuf, CounterIdentifiers, ReturnCode};

use super::script::{Rig, guid, usual};

type Counter<'a> = (u8, u32, u32, &'a str);

struct Session {
    rig: Rig,
    query: QueryHandle,
}

impl Session {
    fn new() -> Session {
        Session::with(Rig::new(usual()))
    }

    fn with(mut rig: Rig) -> Session {
        let (_, query) = rig.server.open_query_handle("").expect("an answer");
        Session { rig, query }
    }

    fn raw(&mut self, data: &mut [u8], is_adding: bool) -> ReturnCode {
        self.rig.server.validate_counters(self.query, data, is_adding.into()).expect("an answer")
    }

    fn statuses(&mut self, counters: &[Counter<'_>], is_adding: bool) -> Vec<ReturnCode> {
        let mut data = buffer(counters);
        assert_eq!(self.raw(&mut data, is_adding), ReturnCode::SUCCESS);
        let status = |one: Result<_, _>| -> ReturnCode {
            let one: recount_pcq::CounterIdentifier<'_> = one.expect("sound");
            ReturnCode(one.status)
        };
        CounterIdentifiers::parse(&data, 0).map(status).collect()
    }

    fn add(&mut self, counter: Counter<'_>) -> ReturnCode {
        self.statuses(&[counter], true)[0]
    }

    fn remove(&mut self, counter: Counter<'_>) -> ReturnCode {
        self.statuses(&[counter], false)[0]
    }

    /// `CounterId` and `Index` of the counters of the query.
    fn info(&mut self) -> Vec<(u32, u32)> {
        let reply = self.rig.server.query_counter_info(self.query, 4096).expect("an answer");
        let entries = CounterIdentifiers::parse(&reply.data, 0);
        entries.map(|one| one.expect("sound")).map(|one| (one.counter_id, one.index)).collect()
    }
}

fn buffer(counters: &[Counter<'_>]) -> Vec<u8> {
    let mut data = Vec::new();
    for (number, counter_id, instance_id, name) in counters {
        // A status that the server has to overwrite.
        let plain = CounterIdentifierBuf::new(guid(*number), *counter_id, *instance_id, *name);
        CounterIdentifierBuf { status: 0xDEAD, ..plain }.write(&mut data);
    }
    data
}

#[test]
fn counters_are_looked_for_in_their_countersets() {
    let mut session = Session::new();
    let cases = [
        ((9, 10, 0, "C:"), ReturnCode::WMI_GUID_NOT_FOUND),
        ((1, 13, 0, "C:"), ReturnCode::WMI_ITEMID_NOT_FOUND),
        ((1, 10, 0, "D:"), ReturnCode::PATH_NOT_FOUND),
        // Name and id together make an instance (2.2.4.5).
        ((1, 10, 1, "C:"), ReturnCode::PATH_NOT_FOUND),
        ((1, 10, 0, ""), ReturnCode::PATH_NOT_FOUND),
        ((2, 1, 0, "Other"), ReturnCode::PATH_NOT_FOUND),
        ((1, 10, 0, "C:"), ReturnCode::SUCCESS),
        ((1, ANY_COUNTER, 0, "C:"), ReturnCode::SUCCESS),
        ((1, 10, 99, "*"), ReturnCode::SUCCESS),
        ((1, ANY_COUNTER, 0, "*"), ReturnCode::SUCCESS),
        ((2, 1, 0, ""), ReturnCode::SUCCESS),
        // A single instance needs no name, nor its id.
        ((2, 2, 77, ""), ReturnCode::SUCCESS),
        ((3, 7, 0, "*"), ReturnCode::SUCCESS),
    ];
    let statuses = session.statuses(&cases.map(|(counter, _)| counter), true);
    assert_eq!(statuses, cases.map(|(_, status)| status));
    let ids: Vec<u32> = session.info().iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, [10, ANY_COUNTER, 10, ANY_COUNTER, 1, 2, 7]);
}

#[test]
fn a_counter_is_added_once() {
    let mut session = Session::new();
    assert_eq!(session.add((1, 10, 0, "C:")), ReturnCode::SUCCESS);
    assert_eq!(session.add((1, 10, 0, "C:")), ReturnCode::ALREADY_EXISTS);
    assert_eq!(session.add((1, 10, 5, "Data")), ReturnCode::SUCCESS);
    // The id with a wildcard is meaningless, and so is that of a single instance.
    assert_eq!(session.add((1, 10, 0, "*")), ReturnCode::SUCCESS);
    assert_eq!(session.add((1, 10, 4, "*")), ReturnCode::ALREADY_EXISTS);
    let twice = session.statuses(&[(2, 1, 0, ""), (2, 1, 8, "")], true);
    assert_eq!(twice, [ReturnCode::SUCCESS, ReturnCode::ALREADY_EXISTS]);
    // Queries are independent.
    let (_, other) = session.rig.server.open_query_handle("").expect("an answer");
    session.query = other;
    assert_eq!(session.add((1, 10, 0, "C:")), ReturnCode::SUCCESS);
}

#[test]
fn removal_renews_the_positions_and_keeps_the_order() {
    let mut session = Session::new();
    let counters = [(1, 10, 0, "*"), (1, 11, 0, "*"), (1, 12, 0, "*"), (2, 1, 0, "")];
    assert_eq!(session.statuses(&counters, true), [ReturnCode::SUCCESS; 4]);
    assert_eq!(session.info(), [(10, 0), (11, 1), (12, 2), (1, 3)]);
    assert_eq!(session.remove((1, 11, 3, "*")), ReturnCode::SUCCESS);
    assert_eq!(session.info(), [(10, 0), (12, 1), (1, 2)]);
    assert_eq!(session.add((1, 11, 0, "*")), ReturnCode::SUCCESS);
    assert_eq!(session.info(), [(10, 0), (12, 1), (1, 2), (11, 3)]);
}

#[test]
fn what_is_not_in_the_query_cannot_be_removed() {
    let mut session = Session::new();
    assert_eq!(session.add((1, 10, 5, "Data")), ReturnCode::SUCCESS);
    assert_eq!(session.remove((1, 10, 0, "C:")), ReturnCode::INVALID_PARAMETER);
    assert_eq!(session.remove((1, 10, 4, "Data")), ReturnCode::INVALID_PARAMETER);
    assert_eq!(session.remove((1, 10, 5, "*")), ReturnCode::INVALID_PARAMETER);
    assert_eq!(session.remove((1, 13, 5, "Data")), ReturnCode::WMI_ITEMID_NOT_FOUND);
    assert_eq!(session.remove((9, 10, 5, "Data")), ReturnCode::WMI_GUID_NOT_FOUND);
    assert_eq!(session.info(), [(10, 0)]);
    // Disappeared counters can be removed.
    session.rig.script().sets[0] = Some(Vec::new());
    assert_eq!(session.remove((1, 10, 5, "Data")), ReturnCode::SUCCESS);
    assert_eq!(session.remove((1, 10, 5, "Data")), ReturnCode::INVALID_PARAMETER);
    assert_eq!(session.add((2, 1, 0, "")), ReturnCode::SUCCESS);
    session.rig.script().infos.clear();
    session.rig.register();
    assert_eq!(session.remove((2, 1, 0, "")), ReturnCode::SUCCESS);
    assert_eq!(session.remove((2, 1, 0, "")), ReturnCode::WMI_GUID_NOT_FOUND);
}

#[test]
fn the_error_of_a_provider_is_passed_on() {
    let mut session = Session::new();
    session.rig.script().sets[0] = None;
    assert_eq!(session.add((1, 10, 0, "C:")), READ_FAULT);
    session.rig.script().is_failing = true;
    assert_eq!(session.add((1, 10, 0, "C:")), READ_FAULT);
    let before = session.rig.script().num_collected;
    assert_eq!(session.add((1, 10, 0, "*")), ReturnCode::SUCCESS);
    assert_eq!(session.rig.script().num_collected, before, "a wildcard needs no instances");
}

#[test]
fn memory_bounds_what_can_be_added() {
    let limits = ServerLimits { len_memory: 64 + 200, ..ServerLimits::default() };
    let mut session = Session::with(Rig::with_limits(usual(), limits));
    let room = session.statuses(&[(1, 10, 0, "*"), (1, 11, 0, "*"), (1, 12, 0, "*")], true);
    assert_eq!(room, [ReturnCode::SUCCESS, ReturnCode::SUCCESS, ReturnCode::OUT_OF_MEMORY]);
    // Nor is there room for the request.
    let mut data = buffer(&[(1, 12, 0, "*")]);
    assert_eq!(session.raw(&mut data, true), ReturnCode::OUT_OF_MEMORY);
    assert_eq!(data, buffer(&[(1, 12, 0, "*")]));

    let mut session = Session::with(Rig::with_limits(usual(), limits));
    assert_eq!(session.add((1, 10, 0, "*")), ReturnCode::SUCCESS);
    let held = session.rig.server.len_state();
    for _ in 0..100 {
        assert_eq!(session.add((1, 11, 0, "*")), ReturnCode::SUCCESS);
        assert_eq!(session.remove((1, 11, 0, "*")), ReturnCode::SUCCESS);
    }
    assert_eq!(session.rig.server.len_state(), held);
}

#[test]
fn buffers_without_sound_sizes_are_refused_as_a_whole() {
    let mut session = Session::new();
    let sound = buffer(&[(1, 10, 0, "*"), (2, 1, 0, "")]);
    let mut refuse = |mut data: Vec<u8>| {
        let sent = data.clone();
        assert_eq!(session.raw(&mut data, true), ReturnCode::INVALID_PARAMETER);
        assert_eq!(data, sent, "no status is reported");
        assert_eq!(session.info(), [], "nothing is added");
    };
    // "dwSize is less than the size of the _PERF_COUNTER_IDENTIFIER structure".
    for len in [0, 1, 39] {
        refuse(sound[..len].to_vec());
    }
    // A structure "smaller than the expected size".
    for size in [0_u32, 39] {
        let mut data = sound.clone();
        data[20..24].copy_from_slice(&size.to_le_bytes());
        refuse(data.clone());
        data.copy_from_slice(&sound);
        data[48 + 20..48 + 24].copy_from_slice(&size.to_le_bytes());
        refuse(data);
    }
    // A rest too short for a structure; a structure that isn't aligned to 8 bytes.
    refuse([sound.clone(), vec![0; 8]].concat());
    let mut data = sound;
    data[20..24].copy_from_slice(&44_u32.to_le_bytes());
    refuse(data);
}

#[test]
fn corrupt_identifiers_get_a_status() {
    let mut session = Session::new();
    let status = |data: &[u8], ofs: usize| {
        ReturnCode(u32::from_le_bytes(data[ofs + 16..ofs + 20].try_into().expect("four bytes")))
    };
    // The last is longer than the buffer; those before it count.
    let mut data = buffer(&[(1, 10, 0, "*"), (1, 11, 0, "*")]);
    data[48 + 20..48 + 24].copy_from_slice(&56_u32.to_le_bytes());
    assert_eq!(session.raw(&mut data, true), ReturnCode::SUCCESS);
    assert_eq!((status(&data, 0), status(&data, 48)), (ReturnCode::SUCCESS, ReturnCode::INVALID_PARAMETER));

    // A name without a null, which only a single instance may have; then half of a surrogate pair; then an odd size.
    for (number, name, expected) in [
        (1, &b"*\0*\0*\0*\0"[..], ReturnCode::INVALID_PARAMETER),
        (2, &b""[..], ReturnCode::SUCCESS),
        (1, &b"\x00\xD8\0\0\0\0\0\0"[..], ReturnCode::INVALID_PARAMETER),
        (2, &b"\0\0\0\0"[..], ReturnCode::INVALID_PARAMETER),
    ] {
        let mut data = buffer(&[(number, ANY_COUNTER, 0, "")]);
        data.truncate(40);
        data.extend_from_slice(name);
        let size = data.len() as u32;
        data[20..24].copy_from_slice(&size.to_le_bytes());
        assert_eq!(session.raw(&mut data, true), ReturnCode::SUCCESS);
        assert_eq!(status(&data, 0), expected, "{name:?}");
    }
    assert_eq!(session.info(), [(10, 0), (ANY_COUNTER, 1)]);
}
