//! Minor statements of the document: fields to ignore, attributes to keep, failures that change nothing; and
//! the cases of repeated texts and values that it leaves open.

#[expect(dead_code, reason = "the tests of sessions use the rest")]
#[path = "../session/support.rs"]
mod support;

use recount_model::{CounterAttributes, Run, Source, Width};
use recount_pcq::{
    CounterIdentifierBuf, CounterRegInfo, Guid, MessageHeader, QueryDataBuf, ReturnCode, StringTableBuf,
    Text, opnum, request,
};
use support::*;

/// Every failure code of the tables in 3.1.4.1.
const FAILURES: [ReturnCode; 11] = [
    ReturnCode::PATH_NOT_FOUND,
    ReturnCode::ACCESS_DENIED,
    ReturnCode::NOT_ENOUGH_MEMORY,
    ReturnCode::OUT_OF_MEMORY,
    ReturnCode::INVALID_PARAMETER,
    ReturnCode::ALREADY_EXISTS,
    ReturnCode::NO_SYSTEM_RESOURCES,
    ReturnCode::WMI_GUID_NOT_FOUND,
    ReturnCode::WMI_INSTANCE_NOT_FOUND,
    ReturnCode::WMI_ITEMID_NOT_FOUND,
    ReturnCode::WMI_INVALID_REGINFO,
];

/// Counterset 1, multiple instances, with the counters 5 and 6, and its names.
fn registered() -> Recorded {
    let mut recorded = Recorded::default();
    recorded
        .register(&registration(1, MULTIPLE, vec![counter(5, RAWCOUNT), counter(6, RAWCOUNT)]))
        .text(1, request::SET_NAME, "Set")
        .texts(1, request::COUNTER_NAMES, &[(5, "Five"), (6, "Six")]);
    recorded
}

/// An answer with one instance of counterset 1.
fn of_one(second: u64) -> QueryDataBuf {
    let mut answer = answer(second);
    let values = vec![dword(second as u32), dword(60)];
    answer.push_counter_set(&[5, 6], &[(instance(7, "a"), values)]);
    answer
}

/// Name of the object, names of the counters, shown instances, first values.
fn summary(run: &Run) -> (String, Vec<&str>, Vec<String>, Vec<&[u64]>) {
    (run.object.name.to_string(), counters(run), shown(run), firsts(run))
}

/// 3.1.4.1.5: "The status field ... MUST be ignored by the client"; 2.2.4.6 and 2.2.4.8: so must the reserved ones.
#[test]
fn fields_that_must_be_ignored_change_nothing() {
    let record = |status: u32, reserved: u32| {
        let identifier = CounterIdentifierBuf { status, reserved, ..asked_all(1, 0) };
        let mut data = of_one(1).finish();
        // Reserved of the only block, after 48 bytes of header and three words.
        data[60..64].copy_from_slice(&reserved.to_le_bytes());
        let mut recorded = registered();
        recorded.info(QUERY, &[identifier]).answered(QUERY, ReturnCode::SUCCESS, &data);
        recorded
    };
    let (plain, odd) = (record(0, 0), record(ReturnCode::WMI_ITEMID_NOT_FOUND.0, 0xDEAD_BEEF));
    assert_ne!(plain.0, odd.0);
    let (plain, odd) = (plain.runs(), odd.runs());
    assert_eq!(summary(&plain[0]).3, [[1], [60]]);
    assert_eq!((plain.len(), summary(&plain[0])), (odd.len(), summary(&odd[0])));
}

/// Each method with each code, with an empty and with an unreadable buffer.
#[test]
fn a_method_that_failed_changes_nothing() {
    let methods = [
        opnum::ENUMERATE_COUNTER_SET,
        opnum::QUERY_REGISTRATION_INFO,
        opnum::ENUMERATE_INSTANCES,
        opnum::OPEN_QUERY_HANDLE,
        opnum::CLOSE_QUERY_HANDLE,
        opnum::QUERY_COUNTER_INFO,
        opnum::QUERY_COUNTER_DATA,
        opnum::VALIDATE_COUNTERS,
    ];
    for (number, method) in (0_u16..).zip(methods) {
        assert_eq!(method, number);
        for (return_code, buffer) in
            FAILURES.into_iter().flat_map(|code| [(code, &[][..]), (code, &[0xFF; 33])])
        {
            let mut recorded = registered();
            recorded.info(QUERY, &[asked_all(1, 0)]).data(of_one(1));
            for request_code in 1..=10 {
                let header = MessageHeader {
                    opnum: method,
                    request_code: if method == opnum::QUERY_REGISTRATION_INFO { request_code } else { 0 },
                    guid: guid(1),
                    query: QUERY,
                    argument: 1,
                    return_code,
                    ..MessageHeader::default()
                };
                recorded.message(header, buffer);
            }
            recorded.data(of_one(2));
            let decoded = recorded.decoded();
            assert!(decoded.health.is_sound(), "{method} {return_code}: {:?}", decoded.health.findings());
            let [run] = &decoded.runs[..] else { panic!("{method} {return_code}: {:?}", decoded.runs) };
            let expected =
                ("Set".to_owned(), vec!["Five", "Six"], vec!["a".to_owned()], vec![&[1, 2][..], &[60, 60]]);
            assert_eq!(summary(run), expected, "{method} {return_code}");
            // A failed answer with values is reported; other failures are normal.
            let num_told = recorded.source().health().total();
            let expected = if method == opnum::QUERY_COUNTER_DATA { 10 } else { 0 };
            assert_eq!(num_told, expected, "{method} {return_code}");
        }
    }
}

/// Provider names and GUIDs, lists of countersets and instances: sessions don't depend on them.
#[test]
fn what_values_do_not_rest_on_is_passed_over() {
    let mut recorded = registered();
    recorded.text(1, request::PROVIDER_NAME, "Provider").about(guid(1), request::PROVIDER_GUID, &[9; 16]);
    let mut list = Vec::new();
    for number in [1, 2] {
        guid(number).write(&mut list);
    }
    let header = |opnum| MessageHeader { opnum, guid: guid(1), ..MessageHeader::default() };
    recorded.message(MessageHeader { guid: Guid::default(), ..header(opnum::ENUMERATE_COUNTER_SET) }, &list);
    let mut list = Vec::new();
    instance(3, "another").write(&mut list);
    recorded.message(header(opnum::ENUMERATE_INSTANCES), &list);
    recorded.info(QUERY, &[asked_all(1, 0)]).data(of_one(1));
    assert_eq!(shown(&recorded.runs()[0]), ["a"]);
    assert_eq!(recorded.source().objects().len(), 1);
}

/// Every combination of the five attributes, and a bit that the document doesn't know: allowed or not, they are kept.
#[test]
fn attributes_are_kept_and_one_of_them_hides() {
    for attributes in (0..0x20_u64).flat_map(|bits| [bits, bits | 1 << 40]) {
        let attributes = CounterAttributes(attributes);
        let counters = vec![CounterRegInfo { attributes, ..counter(5, RAWCOUNT) }];
        let mut recorded = Recorded::default();
        recorded.register(&registration(1, SINGLE, counters)).info(QUERY, &[asked(1, 5, (0, ""), 0)]);
        let mut answer = answer(1);
        answer.push_single(dword(3));
        recorded.data(answer);
        let decoded = recorded.decoded();
        let def = &decoded.runs[0].object.counters[0];
        assert_eq!(def.attributes, attributes);
        assert_eq!(def.is_hidden(), attributes.0 & 2 != 0, "{attributes:?}");
        // The server has followed a reference: the value is in the answer like any other.
        assert_eq!(firsts(&decoded.runs[0]), [[3]]);
    }
}

/// "The total number of counters in the counterset" (2.2.4.3): nothing is said of a table with others.
#[test]
fn texts_that_stand_twice_or_belong_to_no_counter() {
    let mut recorded = registered();
    recorded.texts(1, request::COUNTER_NAMES, &[(5, "first"), (99, "nobody's"), (5, "last")]);
    recorded.info(QUERY, &[asked_all(1, 0)]);
    let source = recorded.source();
    assert!(source.health().is_sound());
    let object = source.objects().remove(0).1;
    let names: Vec<_> = object.counters.iter().map(|counter| &*counter.name).collect();
    assert_eq!(names, ["last", "6"], "the table takes the place of the one before, as a whole");
}

/// Strings may share bytes, so few bytes could contain very long texts: 1000 counters of one name of 2000
/// characters.
#[test]
fn a_table_that_would_become_many_times_as_long_is_reported() {
    let name = "x".repeat(2000);
    let mut table = Vec::new();
    StringTableBuf { entries: (0..1000).map(|id| (id, String::new())).collect() }.write(&mut table);
    table.truncate(8 + 8 * 1000);
    for entry in table[8..].chunks_mut(8) {
        entry[4..].fill(0);
    }
    table.extend(Text::encode(&name));
    let len = table.len() as u32;
    table[..4].copy_from_slice(&len.to_le_bytes());
    let mut recorded = registered();
    let ofs = recorded.0.len() + 48;
    recorded.about(guid(1), request::COUNTER_NAMES, &table).info(QUERY, &[asked_all(1, 0)]);
    let source = recorded.source();
    let told = findings(source.health());
    assert_eq!(told.len(), 1, "{told:?}");
    let place = format!("_STRING_BUFFER_HEADER.dwCounters at byte {:#x}", ofs + 4);
    assert!(told[0].starts_with("damaged: ") && told[0].contains(&place), "{told:?}");
    assert_eq!(&*source.objects()[0].1.counters[0].name, "Five", "the names before it hold");
}

#[test]
fn of_values_that_stand_twice_the_first_counts() {
    // In two blocks, and by the same id in one; a value that isn't there leaves its place to the next.
    let mut recorded = registered();
    recorded.info(QUERY, &[asked(1, 5, (7, "a"), 0), asked_all(1, 1)]);
    let row = |values: [Vec<u8>; 3]| vec![(instance(7, "a"), values.to_vec())];
    let mut twice = answer(1);
    twice.push_single(dword(1));
    twice.push_counter_set(&[5, 6, 6], &row([dword(2), dword(3), dword(4)]));
    let mut missing = answer(2);
    missing.push_single([]);
    missing.push_counter_set(&[5, 6, 6], &row([dword(5), vec![], dword(6)]));
    recorded.data(twice).data(missing);
    let run = recorded.runs().remove(0);
    assert_eq!((firsts(&run), faults(&run)), (vec![&[1, 5][..], &[3, 6]], vec![]));
}

#[test]
fn what_was_away_begins_anew() {
    let mut recorded = registered();
    recorded.info(QUERY, &[asked(1, 5, (7, "a"), 0)]);
    for (second, value) in [(1, Some(10)), (2, None), (3, Some(20)), (4, Some(30))] {
        let mut data = answer(second);
        match value {
            Some(value) => data.push_single(dword(value)),
            None => data.push_error(ReturnCode::PATH_NOT_FOUND.0),
        }
        recorded.data(data);
    }
    let runs = recorded.runs();
    let shapes: Vec<(usize, usize)> =
        runs.iter().map(|run| (run.num_samples(), run.instances.len())).collect();
    assert_eq!(shapes, [(1, 1), (1, 0), (2, 1)]);
}

/// 2.2.4.9, `dwDataSize`: it decides, not the type word; and values of other widths can't be compared.
#[test]
fn the_size_of_the_data_decides_on_its_width() {
    let mut recorded = registered();
    recorded.info(QUERY, &[asked(1, 5, (0, "*"), 0)]);
    let row = |id, name, value: Vec<u8>| (instance(id, name), value);
    let large = |value: u64| value.to_le_bytes().to_vec();
    let mut samples = Vec::new();
    for (second, rows) in [
        (1, vec![row(7, "a", dword(1)), row(8, "b", dword(2))]),
        (2, vec![row(7, "a", large(1 << 40)), row(8, "b", large(2))]),
        (3, vec![row(7, "a", large(3)), row(8, "b", dword(4))]),
    ] {
        let mut data = answer(second);
        data.push_multi_instances(&rows);
        samples.push(data);
    }
    for data in samples {
        recorded.data(data);
    }
    let runs = recorded.runs();
    let widths: Vec<Width> = runs.iter().map(|run| run.object.counters[0].raw_width()).collect();
    assert_eq!(widths, [Width::Dword, Width::Large, Width::Large]);
    assert_eq!(runs.iter().map(faults).map(|faults| faults.len()).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(firsts(&runs[1]), [[1 << 40, 2]]);
}
