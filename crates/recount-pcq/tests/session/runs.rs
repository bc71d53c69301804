//! Blocks of every type to runs, and where a run ends.

use recount_model::{Run, SampleTime, Timestamp};
use recount_pcq::{InstanceBuf, ReturnCode, request};

use crate::support::*;

/// Counterset 1 with the counters 5 (32 bits) and 6 (64 bits), requested as a whole at position 0.
fn recorded(instance_type: u32) -> Recorded {
    let mut recorded = Recorded::default();
    let counters = vec![counter(5, RAWCOUNT), counter(6, LARGE_RAWCOUNT)];
    recorded.register(&registration(1, instance_type, counters)).info(QUERY, &[asked_all(1, 0)]);
    recorded
}

type Row<'a> = (InstanceBuf, Vec<Vec<u8>>);

fn row(id: u32, name: &str, five: u32, six: u64) -> Row<'_> {
    (instance(id, name), vec![dword(five), large(six)])
}

/// Runs of counterset 1, multiple instances, over answers of these rows.
fn runs_of(samples: &[&[Row<'_>]]) -> Vec<Run> {
    let mut recorded = recorded(MULTIPLE);
    for (rows, second) in samples.iter().zip(100..) {
        let mut answer = answer(second);
        answer.push_counter_set(&[5, 6], rows);
        recorded.data(answer);
    }
    recorded.runs()
}

#[test]
fn a_counterset_block_holds_all_counters_of_all_instances() {
    let rows = [row(7, "a", 1, 1 << 40), row(9, "b", 2, 2 << 40)];
    let runs = runs_of(&[&rows, &[row(7, "a", 3, 3), row(9, "b", 4, 4)]]);
    let [run] = &runs[..] else { panic!("one run: {runs:?}") };
    assert_eq!((&*run.host, shown(run), run.object.instanced), ("", vec!["a".into(), "b".into()], true));
    assert_eq!(run.instances[1].id, Some(9));
    assert_eq!(firsts(run), [[1, 2, 3, 4], [1 << 40, 2 << 40, 3, 4]]);
    assert!(run.faults.is_empty() && run.columns.iter().all(|column| column.covers.is_none()));
    let time = SampleTime { utc: Timestamp(101 * SECOND as i64), offset_min: 0 };
    assert_eq!((run.clocks.time[1], run.num_samples()), (time, 2));
    assert_eq!(run.clocks.perf_time, [100_000, 101_000]);
    assert_eq!(run.clocks.perf_freq, [1000, 1000]);
    assert_eq!(run.clocks.time_100ns, [100 * SECOND, 101 * SECOND]);
    assert!(run.clocks.object_time.is_empty() && run.clocks.object_freq.is_empty());
}

#[test]
fn values_follow_their_ids_whatever_the_order() {
    let mut recorded = recorded(MULTIPLE);
    let mut answer = answer(1);
    answer.push_counter_set(&[6, 5], &[(instance(7, "a"), vec![large(60), dword(50)])]);
    recorded.data(answer);
    assert_eq!(firsts(&recorded.runs()[0]), [[50], [60]]);
}

#[test]
fn single_instances_are_unnamed_whatever_the_block() {
    for block_type in 0..5 {
        let mut recorded = Recorded::default();
        let identifier = match block_type {
            0 | 2 => asked(1, 5, (0, ""), 0),
            _ => asked_all(1, 0),
        };
        recorded.register(&registration(1, SINGLE, vec![counter(5, RAWCOUNT)])).info(QUERY, &[identifier]);
        let mut answer = answer(1);
        match block_type {
            0 => answer.push_single(dword(3)),
            1 => answer.push_multi_counters(&[(5, dword(3))]),
            2 => answer.push_multi_instances(&[(instance(4, "x"), dword(3))]),
            3 => answer.push_counter_set(&[5], &[(instance(0, ""), vec![dword(3)])]),
            _ => answer.push_error(ReturnCode::ACCESS_DENIED.0),
        }
        recorded.data(answer);
        let decoded = recorded.decoded();
        let run = &decoded.runs[0];
        assert!(run.instances.len() == 1 && run.instances[0].is_unnamed() && !run.object.instanced);
        if block_type < 4 {
            assert_eq!((firsts(run), faults(run)), (vec![&[3][..]], vec![]), "{block_type}");
            assert!(decoded.health.is_sound());
        } else {
            assert_eq!(faults(run), [(0, 0, 0)], "there, and failed");
            assert_eq!(
                findings(&decoded.health),
                ["lost: message at byte 0xe0: MS-PCQ session: message 2: block 0: \
                  01010101-0101-0101-0101-010101010101: ERROR_ACCESS_DENIED instead of values"]
            );
        }
    }
}

#[test]
fn several_instances_of_a_single_instance_are_none() {
    let mut recorded = recorded(SINGLE);
    let mut answer = answer(1);
    answer.push_counter_set(&[5, 6], &[row(1, "a", 1, 1), row(2, "b", 2, 2)]);
    recorded.data(answer);
    let decoded = recorded.decoded();
    assert!(decoded.runs.is_empty());
    assert!(
        findings(&decoded.health)[0]
            .ends_with("block 0 holds 2 instances of a counterset that has one; left out")
    );
}

#[test]
fn a_run_lasts_as_long_as_its_instances() {
    let (a, b) = (row(7, "x", 1, 1), row(9, "x", 2, 2));
    let both = [a.clone(), b.clone()];
    let (only_b, none, turned) = ([b.clone()], [], [b, a]);
    let runs = runs_of(&[&both, &both, &only_b, &none, &none, &turned]);
    let lengths: Vec<_> = runs.iter().map(|run| (run.num_samples(), run.instances.len())).collect();
    assert_eq!(lengths, [(2, 2), (1, 1), (2, 0), (1, 2)]);
    assert_eq!(shown(&runs[0]), ["x", "x#1"]);
    assert_eq!((runs[1].instances[0].id, runs[1].instances[0].ordinal), (Some(9), 0));
    assert_eq!(runs[3].columns[0].first, [2, 1]);
    let object = &runs[0].object;
    assert!(runs.iter().all(|run| std::sync::Arc::ptr_eq(&run.object, object)), "definitions are shared");
    let name = |run: usize, at: usize| &runs[run].instances[at].name;
    assert!(std::sync::Arc::ptr_eq(name(0, 0), name(1, 0)), "and so are names");
}

/// "Windows does not enforce that the combination of instance name and instance be unique."
#[test]
fn instances_of_one_name_and_id_stay_apart() {
    let runs = runs_of(&[&[row(7, "x", 1, 10), row(7, "x", 2, 20)]]);
    assert_eq!(shown(&runs[0]), ["x", "x#1"]);
    assert_eq!(firsts(&runs[0]), [[1, 2], [10, 20]]);
    let runs = runs_of(&[&[row(1234, "", 1, 10)]]);
    assert_eq!(shown(&runs[0]), ["1234"], "the nameless are shown by their ids");
}

#[test]
fn values_are_taken_by_their_size() {
    let mut recorded = recorded(MULTIPLE);
    let mut answer = answer(1);
    let values = |five: &[u8], six: &[u8]| vec![five.to_vec(), six.to_vec()];
    answer.push_counter_set(
        &[5, 6],
        &[
            (instance(1, "swapped"), values(&large(1 << 33), &dword(u32::MAX))),
            (instance(2, "short"), values(&[1, 2], &dword(5))),
            (instance(3, "missing"), values(&large(6), &[])),
        ],
    );
    recorded.data(answer);
    let run = recorded.runs().remove(0);
    assert_eq!(firsts(&run), [[1 << 33, 0, 6], [u64::from(u32::MAX), 5, 0]]);
    assert_eq!(faults(&run), [(0, 0, 1), (0, 1, 2)]);
}

#[test]
fn text_is_no_fault() {
    let mut recorded = Recorded::default();
    recorded
        .register(&registration(1, SINGLE, vec![counter(5, 0x0000_0B00), counter(6, RAWCOUNT)]))
        .info(QUERY, &[asked_all(1, 0)]);
    let mut answer = answer(1);
    answer.push_multi_counters(&[(5, "t\0e\0x\0t\0\0\0".as_bytes().to_vec()), (6, dword(1))]);
    recorded.data(answer);
    let run = recorded.runs().remove(0);
    assert_eq!((firsts(&run), faults(&run)), (vec![&[0][..], &[1]], vec![]));
}

#[test]
fn counters_that_are_unknown_or_not_asked_for_are_reported() {
    let mut recorded = Recorded::default();
    recorded
        .register(&registration(1, SINGLE, vec![counter(5, RAWCOUNT), counter(6, RAWCOUNT)]))
        .info(QUERY, &[asked(1, 5, (0, ""), 0)]);
    for second in 1..3 {
        let mut answer = answer(second);
        answer.push_multi_counters(&[(6, dword(6)), (5, dword(5)), (99, dword(9))]);
        recorded.data(answer);
    }
    let decoded = recorded.decoded();
    assert_eq!(firsts(&decoded.runs[0]), [[5, 5]]);
    let told = findings(&decoded.health);
    assert_eq!(told.len(), 2, "once, not for every sample: {told:?}");
    assert!(told[0].ends_with("block 0 holds counter 6, which the query doesn't ask for; left out"));
    assert!(told[1].ends_with("block 0 holds counter 99, which isn't registered; left out"));
}

/// A process: name, id, start.
type Process<'a> = (&'a str, u32, u64);

/// Samples of a process table, each with the frequency of the clock of the start times.
fn processes(samples: &[(u64, &[Process<'_>])]) -> Vec<Run> {
    let mut elapsed = counter(1, ELAPSED);
    (elapsed.perf_time_id, elapsed.perf_freq_id) = (3, 4);
    let counters =
        vec![elapsed, counter(2, RAWCOUNT), counter(3, LARGE_RAWCOUNT), counter(4, LARGE_RAWCOUNT)];
    let mut recorded = Recorded::default();
    recorded
        .register(&registration(1, MULTIPLE, counters))
        .texts(1, request::ENGLISH_COUNTER_NAMES, &[(1, "Elapsed Time"), (2, "ID Process")])
        .info(QUERY, &[asked_all(1, 0)]);
    for ((frequency, rows), second) in samples.iter().zip(100..) {
        let mut answer = answer(second);
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, id, start)| {
                // The clock of the start times is 5 s behind that of the answer.
                let now = large((second - 5) * SECOND);
                (instance(*id, name), vec![large(*start), dword(*id), now, large(*frequency)])
            })
            .collect();
        answer.push_counter_set(&[1, 2, 3, 4], &rows);
        recorded.data(answer);
    }
    recorded.runs()
}

#[test]
fn an_id_used_again_begins_a_run_and_a_clock_adjustment_does_not() {
    let runs = processes(&[
        (SECOND, &[("idle", 0, 9), ("cc1", 7, 50 * SECOND)]),
        (SECOND, &[("idle", 0, 9), ("cc1", 7, 50 * SECOND + 3)]),
        (SECOND, &[("idle", 0, 9), ("cc1", 7, 96 * SECOND + 1)]),
        (SECOND, &[("idle", 0, 9), ("cc1", 7, 96 * SECOND + 1)]),
    ]);
    assert_eq!(runs.iter().map(Run::num_samples).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(runs[0].instances[0].start, None, "an id of 0 has no start");
    assert_eq!(runs[0].instances[1].start, Some(Timestamp(50 * SECOND as i64)));
    assert_eq!(runs[1].instances[1].start, Some(Timestamp(96 * SECOND as i64 + 1)));
    assert_eq!(runs[0].clocks.object_time, [95 * SECOND, 96 * SECOND]);
    assert_eq!(runs[0].start_clock(1), Timestamp(96 * SECOND as i64));
}

#[test]
fn starts_count_only_on_a_clock_of_100_ns() {
    let runs = processes(&[(1000, &[("cc1", 7, 50)]), (1000, &[("cc1", 7, u64::MAX)])]);
    assert_eq!(runs.iter().map(Run::num_samples).collect::<Vec<_>>(), [2]);
    assert_eq!(runs[0].instances[0].start, None);
}
