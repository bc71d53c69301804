//! Several identifiers of one counterset in one query.

use recount_model::{Decoded, Run};
use recount_pcq::{ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, QueryDataBuf, ReturnCode};

use crate::support::*;

const ANY: (u32, &str) = (0, ANY_INSTANCE);

/// Counterset 1, multiple instances, with the counters 1, 2 and 3.
fn decode(identifiers: &[CounterIdentifierBuf], fill: impl Fn(&mut QueryDataBuf)) -> Decoded {
    let mut answer = answer(1);
    fill(&mut answer);
    decode_bytes(identifiers, &answer.finish())
}

fn decode_bytes(identifiers: &[CounterIdentifierBuf], answer: &[u8]) -> Decoded {
    let counters = (1..=3).map(|id| counter(id, RAWCOUNT)).collect();
    let mut recorded = Recorded::default();
    recorded.register(&registration(1, MULTIPLE, counters)).info(QUERY, identifiers);
    recorded.answered(QUERY, ReturnCode::SUCCESS, answer);
    recorded.decoded()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    Value(u64),
    Fault,
    NotAsked,
}
use Cell::{Fault, NotAsked, Value};

/// Per counter and instance.
fn cells(run: &Run) -> Vec<Vec<Cell>> {
    let faults = faults(run);
    let cell = |counter: usize, instance: usize| {
        let column = &run.columns[counter];
        let is_covered = column.covers.as_ref().is_none_or(|covers| covers[instance]);
        let is_fault = faults.contains(&(0, counter as u32, instance as u32));
        assert!(is_covered || !is_fault);
        match (is_covered, is_fault) {
            (false, _) => Cell::NotAsked,
            (true, true) => Cell::Fault,
            (true, false) => Cell::Value(column.first[instance]),
        }
    };
    let counters = 0..run.columns.len();
    counters.map(|counter| (0..run.instances.len()).map(|at| cell(counter, at)).collect()).collect()
}

#[test]
fn every_block_type_in_one_query() {
    let identifiers = [
        asked(1, 1, ANY, 0),
        asked(1, ANY_COUNTER, (7, "a"), 1),
        asked(1, 3, (8, "b"), 2),
        asked(1, 2, (9, "c"), 3),
    ];
    let decoded = decode(&identifiers, |answer| {
        answer.push_multi_instances(&[(instance(7, "a"), dword(10)), (instance(8, "b"), dword(11))]);
        answer.push_multi_counters(&[(1, dword(10)), (2, dword(20)), (3, dword(30))]);
        answer.push_single(dword(31));
        answer.push_single(dword(22));
    });
    assert!(decoded.health.is_sound());
    let run = &decoded.runs[0];
    assert_eq!(shown(run), ["a", "b", "c"]);
    assert_eq!(
        cells(run),
        [[Value(10), Value(11), Fault], [Value(20), NotAsked, Value(22)], [Value(30), Value(31), NotAsked]],
        "counter 1 was asked of any instance, and c has none"
    );
}

#[test]
fn only_the_counters_asked_for_are_columns() {
    let identifiers = [asked(1, 3, ANY, 0), asked(1, 1, ANY, 1)];
    let decoded = decode(&identifiers, |answer| {
        answer.push_multi_instances(&[(instance(7, "a"), dword(3))]);
        answer.push_multi_instances(&[(instance(7, "a"), dword(1))]);
    });
    let run = &decoded.runs[0];
    assert_eq!((counters(run), firsts(run)), (vec!["1", "3"], vec![&[1][..], &[3]]));
}

#[test]
fn positions_are_what_index_says() {
    // The identifiers have a different order than the blocks.
    let identifiers = [asked(1, 3, (7, "a"), 1), asked(1, 1, (7, "a"), 0)];
    let decoded = decode(&identifiers, |answer| {
        answer.push_single(dword(100));
        answer.push_single(dword(300));
    });
    assert_eq!(firsts(&decoded.runs[0]), [[100], [300]]);
    // Two that share a block, which itself identifies the values.
    let identifiers = [asked(1, 3, (7, "a"), 0), asked(1, 1, (7, "a"), 0)];
    let decoded = decode(&identifiers, |answer| {
        answer.push_multi_counters(&[(3, dword(300)), (1, dword(100))]);
    });
    assert_eq!(firsts(&decoded.runs[0]), [[100], [300]]);
    // It can't say which of the two it is.
    let decoded = decode(&identifiers, |answer| answer.push_single(dword(1)));
    assert_eq!(cells(&decoded.runs[0]), [[Fault], [Fault]]);
    assert!(findings(&decoded.health)[0].ends_with(
        "block 0 holds values of one counter, but the query asks for any or several there; left out"
    ));
}

#[test]
fn an_instance_is_found_by_name_if_its_id_says_nothing() {
    let identifiers = [asked(1, 1, ANY, 0), asked(1, 2, (0, "A"), 1), asked(1, 3, (0, "b"), 2)];
    let decoded = decode(&identifiers, |answer| {
        let instances = [instance(7, "a"), instance(8, "b"), instance(9, "b")];
        answer.push_multi_instances(&instances.map(|instance| (instance, dword(1))));
        answer.push_single(dword(2));
        answer.push_single(dword(3));
    });
    let run = &decoded.runs[0];
    // It isn't known which b is meant, so it is a separate one.
    assert_eq!(shown(run), ["a", "b", "b#1", "b#2"]);
    assert_eq!(run.instances[3].id, Some(0));
    assert_eq!(
        cells(run),
        [
            [Value(1), Value(1), Value(1), Fault],
            [Value(2), NotAsked, NotAsked, NotAsked],
            [NotAsked, NotAsked, NotAsked, Value(3)]
        ]
    );
}

#[test]
fn error_blocks_are_faults_where_the_instance_is_known() {
    let identifiers = [asked(1, 1, (7, "a"), 0), asked(1, 2, (7, "a"), 1), asked(1, 3, ANY, 2)];
    let decoded = decode(&identifiers, |answer| {
        answer.push_single(dword(1));
        answer.push_error(ReturnCode::INVALID_PARAMETER.0);
        answer.push_error(0x1234);
    });
    assert_eq!(cells(&decoded.runs[0]), [[Value(1)], [Fault], [Fault]]);
    let told = findings(&decoded.health);
    assert_eq!(told.len(), 2);
    assert!(
        told[0].contains("block 1: 01010101-")
            && told[0].ends_with("ERROR_INVALID_PARAMETER instead of values")
    );
    assert!(told[1].ends_with("0x1234 instead of values"));
}

#[test]
fn an_instance_that_is_not_there_has_no_row() {
    let identifiers = [asked(1, 1, (7, "a"), 0), asked(1, 1, (8, "b"), 1)];
    for status in [ReturnCode::PATH_NOT_FOUND, ReturnCode::WMI_INSTANCE_NOT_FOUND] {
        let decoded = decode(&identifiers, |answer| {
            answer.push_single(dword(1));
            answer.push_error(status.0);
        });
        assert!(decoded.health.is_sound());
        assert_eq!(shown(&decoded.runs[0]), ["a"]);
    }
    let gone = decode(&identifiers, |answer| {
        answer.push_error(ReturnCode::PATH_NOT_FOUND.0);
        answer.push_error(ReturnCode::PATH_NOT_FOUND.0);
    });
    // The counterset exists but is empty: later instances have no previous sample.
    assert_eq!((gone.runs.len(), gone.runs[0].instances.len()), (1, 0));
    assert!(gone.health.is_sound());
}

#[test]
fn a_value_beside_an_error_is_not_trusted() {
    let mut answer = answer(1);
    answer.push_single(dword(1));
    let mut bytes = answer.finish();
    // dwStatus of the only block, after the header of 48 bytes.
    bytes[48..52].copy_from_slice(&ReturnCode::OUT_OF_MEMORY.0.to_le_bytes());
    let decoded = decode_bytes(&[asked(1, 1, (7, "a"), 0)], &bytes);
    assert_eq!(cells(&decoded.runs[0]), [[Fault]]);
    assert!(findings(&decoded.health)[0].ends_with("ERROR_OUTOFMEMORY instead of values"));
}

#[test]
fn a_wildcard_that_fails_leaves_the_object_out_and_an_empty_one_does_not() {
    let failed = decode(&[asked_all(1, 0)], |answer| answer.push_error(ReturnCode::ACCESS_DENIED.0));
    assert_eq!((failed.runs.len(), failed.health.total()), (0, 1));
    let empty = decode(&[asked_all(1, 0)], |answer| answer.push_counter_set::<Vec<u8>>(&[1, 2, 3], &[]));
    assert_eq!((empty.runs[0].num_samples(), empty.runs[0].instances.len()), (1, 0));
    let empty = decode(&[asked(1, 2, ANY, 0)], |answer| answer.push_multi_instances::<Vec<u8>>(&[]));
    assert_eq!((empty.runs[0].num_samples(), empty.runs[0].instances.len()), (1, 0));
}

#[test]
fn blocks_that_do_not_fit_their_identifiers_are_reported() {
    let decoded = decode(&[asked_all(1, 0)], |answer| answer.push_single(dword(1)));
    assert!(decoded.runs.is_empty());
    let told = findings(&decoded.health);
    assert!(told[0].ends_with(
        "block 0 holds values of one instance, but the query asks for any or several there; left out"
    ));
    let decoded = decode(&[asked(1, 1, (7, "a"), 1)], |answer| {
        answer.push_single(dword(1));
        answer.push_single(dword(2));
    });
    assert_eq!(firsts(&decoded.runs[0]), [[2]]);
    assert!(findings(&decoded.health)[0].ends_with("block 0: no identifier says what it holds; left out"));
    let identifiers = [asked(1, 1, (7, "a"), 0), asked(1, 2, (7, "a"), 1)];
    let decoded = decode(&identifiers, |answer| answer.push_single(dword(1)));
    assert_eq!(cells(&decoded.runs[0]), [[Value(1)], [Fault]]);
    assert!(findings(&decoded.health)[0].ends_with("1 blocks, but the query has 2"));
}
