//! A server against clients that send damaged buffers: a return code or a status, no panic, and a query that
//! stays consistent.

use proptest::prelude::*;
use recount_pcq::conversation::{PerflibV2, QueryHandle};
use recount_pcq::{ANY_COUNTER, CounterIdentifierBuf, CounterIdentifiers, QueryData, ReturnCode};

use super::script::{Rig, guid, usual};

/// Identifiers that are sound, as bytes.
fn sound() -> Vec<u8> {
    let counters =
        [(1, 10, 0, "C:"), (1, ANY_COUNTER, 5, "Data"), (2, 1, 0, ""), (3, 7, 0, "*"), (1, 11, 0, "*")];
    let mut data = Vec::new();
    for (set, counter, instance, name) in counters {
        CounterIdentifierBuf::new(guid(set), counter, instance, name).write(&mut data);
    }
    data
}

/// Sound buffers with some words replaced, cut somewhere.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![0_u32..64, any::<u32>(), Just(u32::MAX), Just(ANY_COUNTER)];
    let words = prop::collection::vec((any::<prop::sample::Index>(), word), 0..4);
    (words, any::<prop::sample::Index>(), any::<bool>()).prop_map(|(words, end, is_cut)| {
        let mut data = sound();
        for (at, word) in words {
            let ofs = at.index(data.len() / 4) * 4;
            data[ofs..ofs + 4].copy_from_slice(&word.to_le_bytes());
        }
        if is_cut {
            data.truncate(end.index(data.len()));
        }
        data
    })
}

fn num_in_query(rig: &mut Rig, query: QueryHandle) -> usize {
    let info = rig.server.query_counter_info(query, 1 << 20).expect("an answer");
    CounterIdentifiers::parse(&info.data, 0).collect::<Result<Vec<_>, _>>().expect("sound").len()
}

proptest! {
    #[test]
    fn damaged_requests_leave_the_query_sound(
        requests in prop::collection::vec((prop_oneof![damaged(), prop::collection::vec(any::<u8>(), 0..200)], 0_u32..2), 1..6),
    ) {
        let mut rig = Rig::new(usual());
        let (_, mut query) = rig.server.open_query_handle("").expect("an answer");
        for (mut data, add) in requests {
            let (sent, before) = (data.clone(), num_in_query(&mut rig, query));
            let code = rig.server.validate_counters(query, &mut data, add).expect("an answer");
            let after = num_in_query(&mut rig, query);
            if code.is_success() {
                // Only statuses change, and the number of counters added or removed equals the number of
                // successes.
                let changed: Vec<usize> = (0..data.len()).filter(|at| data[*at] != sent[*at]).collect();
                let statuses = statuses(&sent);
                prop_assert!(changed.iter().all(|at| statuses.iter().any(|ofs| (*ofs..*ofs + 4).contains(at))));
                let num_done = statuses.iter().filter(|ofs| data[**ofs..**ofs + 4] == [0; 4]).count();
                prop_assert_eq!(before.abs_diff(after), num_done);
            } else {
                prop_assert_eq!(code, ReturnCode::INVALID_PARAMETER);
                prop_assert_eq!((data, after), (sent, before));
            }
            let reply = rig.server.query_counter_data(query, 1 << 20).expect("an answer");
            let blocks = QueryData::parse(&reply.data, 0).expect("data").blocks();
            prop_assert_eq!(blocks.collect::<Result<Vec<_>, _>>().expect("sound").len(), after);
        }
        rig.server.close_query_handle(&mut query).expect("an answer");
        prop_assert_eq!(rig.server.len_state(), 0);
    }
}

/// The offsets of the statuses in a buffer, from its sizes.
fn statuses(data: &[u8]) -> Vec<usize> {
    let (mut found, mut ofs) = (Vec::new(), 0);
    while ofs + 40 <= data.len() {
        found.push(ofs + 16);
        ofs += u32::from_le_bytes(data[ofs + 20..ofs + 24].try_into().expect("four bytes")) as usize;
    }
    found
}
