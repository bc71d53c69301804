//! Values: every kind of block, every size of value, and instances that appear and disappear.

use std::rc::Rc;

use recount_pcq::conversation::RawValue::{Dword, Large, Missing};
use recount_pcq::conversation::{Answer, PerflibClient, PerflibServer, READ_FAULT};
use recount_pcq::{
    ANY_COUNTER, CounterBlock, CounterIdentifierBuf, InstanceRow, InstanceRows, QueryData, ReturnCode,
};

use super::script::{LARGE_RAWCOUNT, RAWCOUNT, Rig, Scripted, TIME, counterset, guid, instance, usual};

type Client = PerflibClient<PerflibServer<Scripted>>;

/// A block, written down: type, status, ids, and per instance name, id and the bytes of its values.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    kind: &'static str,
    status: ReturnCode,
    ids: Vec<u32>,
    rows: Vec<(String, u32, Vec<Vec<u8>>)>,
}

pub(super) fn shown(answer: &Answer) -> Vec<Shown> {
    answer.blocks().expect("sound blocks").iter().map(show).collect()
}

fn show(block: &CounterBlock<'_>) -> Shown {
    let plain = |values: Vec<Vec<u8>>| vec![(String::new(), 0, values)];
    let (kind, ids, rows) = match block {
        CounterBlock::Error { .. } => ("error", Vec::new(), Vec::new()),
        CounterBlock::Single { value, .. } => ("single", Vec::new(), plain(vec![value.value.to_vec()])),
        CounterBlock::MultiCounters { ids, values, .. } => (
            "counters",
            ids.iter().collect(),
            plain(values.iter().map(|value| value.value.to_vec()).collect()),
        ),
        CounterBlock::MultiInstances { instances, .. } => ("instances", Vec::new(), rows(instances)),
        CounterBlock::CounterSet { ids, instances, .. } => ("set", ids.iter().collect(), rows(instances)),
    };
    Shown { kind, status: ReturnCode(block.header().status), ids, rows }
}

fn rows(instances: &InstanceRows<'_>) -> Vec<(String, u32, Vec<Vec<u8>>)> {
    let values = |row: &InstanceRow<'_>| row.values.iter().map(|value| value.value.to_vec()).collect();
    instances.iter().map(|row| (row.instance.name.to_string_lossy(), row.instance.id, values(&row))).collect()
}

pub(super) fn error(status: ReturnCode) -> Shown {
    Shown { kind: "error", status, ids: Vec::new(), rows: Vec::new() }
}

pub(super) fn block(kind: &'static str, ids: &[u32], rows: &[(&str, u32, Vec<Vec<u8>>)]) -> Shown {
    let rows = rows.iter().map(|(name, id, values)| ((*name).to_owned(), *id, values.clone())).collect();
    Shown { kind, status: ReturnCode::SUCCESS, ids: ids.to_vec(), rows }
}

pub(super) fn dword(value: u32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

pub(super) fn large(value: u64) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

fn client(rig: Rig, counters: &[(u8, u32, u32, &str)]) -> (Client, u32) {
    let mut client = PerflibClient::new(rig.server);
    let query = client.open_query().expect("a query");
    let identifier = |(set, counter, id, name): &(u8, u32, u32, &str)| {
        CounterIdentifierBuf::new(guid(*set), *counter, *id, *name)
    };
    let identifiers: Vec<_> = counters.iter().map(identifier).collect();
    let (statuses, _) = client.add(query, &identifiers).expect("an answer");
    assert_eq!(statuses, vec![ReturnCode::SUCCESS; counters.len()]);
    (client, query)
}

#[test]
fn the_type_of_a_block_follows_from_what_was_asked() {
    let asked = [
        (1, 10, 0, "C:"),
        (1, 11, 5, "Data"),
        (1, ANY_COUNTER, 0, "C:"),
        (1, 11, 0, "*"),
        (1, ANY_COUNTER, 0, "*"),
        (1, 12, 0, "C:"),
        (2, ANY_COUNTER, 0, ""),
        (2, 2, 0, ""),
        (2, ANY_COUNTER, 0, "*"),
        (3, 7, 0, "*"),
        (3, ANY_COUNTER, 0, "*"),
    ];
    let (mut client, query) = client(Rig::new(usual()), &asked);
    let answer = client.query_data(query).expect("an answer");
    let disks = [
        ("C:", 0, vec![dword(100), large(1 << 40), Vec::new()]),
        ("Data", 5, vec![dword(200), large(2 << 40), dword(7)]),
    ];
    let expected = [
        block("single", &[], &[("", 0, vec![dword(100)])]),
        block("single", &[], &[("", 0, vec![large(2 << 40)])]),
        block("counters", &[10, 11, 12], &[("", 0, disks[0].2.clone())]),
        block("instances", &[], &[("C:", 0, vec![large(1 << 40)]), ("Data", 5, vec![large(2 << 40)])]),
        block("set", &[10, 11, 12], &disks),
        // Alone, a value that can't be read is an error.
        error(READ_FAULT),
        block("counters", &[1, 2], &[("", 0, vec![large(u64::MAX), dword(u32::MAX)])]),
        block("single", &[], &[("", 0, vec![dword(u32::MAX)])]),
        block("set", &[1, 2], &[("", 0, vec![large(u64::MAX), dword(u32::MAX)])]),
        block("instances", &[], &[]),
        block("set", &[7], &[]),
    ];
    assert_eq!(shown(&answer), expected);
    let header = QueryData::parse(answer.buffer(), 0).expect("data").header;
    assert_eq!(header.num_counters, 11);
    // Two instances were named, which needed another collection.
    assert_eq!((header.clocks.perf_time, header.clocks.perf_freq), (2_000, 1_000));
    assert_eq!(header.clocks.perf_time_100ns, TIME + 20_000_000);
    assert_eq!(header.clocks.system_time.words(), [2024, 5, 3, 15, 12, 0, 0, 0]);
}

#[test]
fn a_counterset_of_one_counter_is_still_a_counterset() {
    let sets = vec![(counterset(1, 6, &[(4, RAWCOUNT)]), Some(vec![instance("a", 1, &[Dword(9)])]))];
    let (mut client, query) = client(Rig::new(sets), &[(1, ANY_COUNTER, 0, "*"), (1, ANY_COUNTER, 1, "a")]);
    let answer = client.query_data(query).expect("an answer");
    let expected = [
        block("set", &[4], &[("a", 1, vec![dword(9)])]),
        block("counters", &[4], &[("", 0, vec![dword(9)])]),
    ];
    assert_eq!(shown(&answer), expected);
}

#[test]
fn instances_come_and_go() {
    let rig = Rig::new(usual());
    let script = Rc::clone(&rig.script);
    let (mut client, query) = client(rig, &[(1, 10, 0, "*"), (1, 10, 5, "Data"), (2, 1, 0, "")]);
    let mut ask = || shown(&client.query_data(query).expect("an answer"));
    let first = ask();
    assert_eq!(first[1], block("single", &[], &[("", 0, vec![dword(200)])]));

    // One disappears, and one with its name and another id appears; the order is the provider's.
    script.borrow_mut().sets[0] = Some(vec![
        instance("Data", 6, &[Dword(1), Missing, Missing]),
        instance("C:", 0, &[Dword(101), Missing, Missing]),
    ]);
    script.borrow_mut().sets[1] = Some(Vec::new());
    let second = ask();
    assert_eq!(
        second[0],
        block("instances", &[], &[("Data", 6, vec![dword(1)]), ("C:", 0, vec![dword(101)])])
    );
    assert_eq!(second[1], error(ReturnCode::PATH_NOT_FOUND));
    assert_eq!(second[2], error(ReturnCode::WMI_INSTANCE_NOT_FOUND));

    script.borrow_mut().sets = usual().into_iter().map(|(_, set)| set).collect();
    assert_eq!(ask(), first);
}

#[test]
fn a_counterset_that_fails_leaves_the_others() {
    let rig = Rig::new(usual());
    let script = Rc::clone(&rig.script);
    let (mut client, query) = client(rig, &[(1, ANY_COUNTER, 0, "*"), (2, 1, 0, ""), (3, 7, 0, "*")]);
    let memory = block("single", &[], &[("", 0, vec![large(u64::MAX)])]);
    let sessions = block("instances", &[], &[]);
    let mut ask = || shown(&client.query_data(query).expect("an answer"));

    script.borrow_mut().sets[0] = None;
    assert_eq!(ask(), [error(READ_FAULT), memory, sessions]);
    // Another number of values than counters; two instances of a single one.
    script.borrow_mut().sets[0] = Some(vec![instance("C:", 0, &[Dword(1)])]);
    let single = instance("", 0, &[Large(1), Dword(1)]);
    script.borrow_mut().sets[1] = Some(vec![single.clone(), single]);
    let invalid = error(ReturnCode::WMI_INVALID_REGINFO);
    assert_eq!(ask()[..2], [error(ReturnCode::WMI_INVALID_REGINFO), invalid]);
}

#[test]
fn what_a_provider_withdraws_is_an_error() {
    let rig = Rig::new(usual());
    let (mut client, query) = client(rig, &[(1, 10, 0, "*"), (3, 7, 0, "*"), (2, 1, 0, "")]);
    let narrower = counterset(1, 2, &[(11, LARGE_RAWCOUNT)]);
    let infos = vec![narrower, usual()[1].0.clone()];
    client.server().provider().register(infos);
    let expected = [
        error(ReturnCode::WMI_ITEMID_NOT_FOUND),
        error(ReturnCode::WMI_GUID_NOT_FOUND),
        block("single", &[], &[("", 0, vec![large(u64::MAX)])]),
    ];
    assert_eq!(shown(&client.query_data(query).expect("an answer")), expected);
}

#[test]
fn every_instance_type_is_served() {
    for instance_type in [0, 2, 4, 6, 0xC, 0x16] {
        let info = counterset(1, instance_type, &[(1, RAWCOUNT)]);
        let sets = vec![(info, Some(vec![instance("x", 3, &[Dword(5)])]))];
        let (mut client, query) = client(Rig::new(sets), &[(1, 1, 0, "*"), (1, 1, 3, "x")]);
        let expected = [
            block("instances", &[], &[("x", 3, vec![dword(5)])]),
            block("single", &[], &[("", 0, vec![dword(5)])]),
        ];
        assert_eq!(shown(&client.query_data(query).expect("an answer")), expected);
    }
}
