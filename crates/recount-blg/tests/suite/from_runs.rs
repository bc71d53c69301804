//! Runs written as a counter list and read back: cases that no available capture has.

use std::sync::Arc;

use recount_blg::{BlgSource, ListRecords, ListScan};
use recount_model::{
    CellFault, Clocks, Column, CounterDef, CounterType, Instance, ObjectDef, Run, SampleTime, Second,
    Selection, Source, Timer, Timestamp,
};

use crate::support;

use support::{header, time, writer};

const RATE: u32 = 0x1041_0500;
const RAW: u32 = 0x0001_0100;
const FREQUENCY: u64 = 1_000;

fn def(name: &str, word: u32) -> CounterDef {
    CounterDef {
        name: name.into(),
        index: None,
        help: None,
        counter_type: Some(CounterType(word)),
        default_scale: 0,
        detail_level: None,
        len_value: 8,
        time_base: None,
        ..CounterDef::default()
    }
}

fn at(second: i64) -> SampleTime {
    let utc = time("2020-01-01T08:00:00").0 + second * Timestamp::TICKS_PER_SECOND + 77;
    SampleTime { utc: Timestamp(utc), offset_min: -480 }
}

/// An object with a rate and a raw count, both `10 * second + instance`.
fn run(instances: Vec<Instance>, seconds: std::ops::Range<i64>) -> Run {
    let value = |second: i64, instance: usize| (10 * second) as u64 + instance as u64;
    let first: Vec<u64> =
        seconds.clone().flat_map(|second| (0..instances.len()).map(move |at| value(second, at))).collect();
    let ticks: Vec<u64> = seconds.clone().map(|second| 5_000 + second as u64 * FREQUENCY).collect();
    let column = |second| Column { first: first.clone(), second, ..Column::default() };
    Run {
        host: "HOST".into(),
        object: Arc::new(ObjectDef {
            name: "Worker".into(),
            index: None,
            help: None,
            instanced: true,
            counters: vec![def("Rate", RATE), def("Count", RAW)],
            ..ObjectDef::default()
        }),
        instances: instances.into(),
        clocks: Clocks {
            time: seconds.map(at).collect(),
            perf_freq: vec![FREQUENCY; ticks.len()],
            perf_time: ticks,
            ..Clocks::default()
        },
        columns: vec![column(Second::Clock(Timer::Tick)), column(Second::None)],
        faults: Vec::new(),
    }
}

fn named(names: &[&str]) -> Vec<Instance> {
    let mut instances: Vec<Instance> = names.iter().map(|name| Instance::named(*name)).collect();
    recount_model::number_namesakes(&mut instances);
    instances
}

/// Writes runs of `num` samples as one log, and returns the runs read from it.
fn read_back(num: i64, runs: &[Run]) -> Vec<Run> {
    let times: Vec<SampleTime> = (0..num).map(at).collect();
    let mut scan = ListScan::new(Selection::all());
    let runs = [(0, runs.to_vec())];
    scan.push(&times, &runs);
    let layout = scan.finish();
    let mut log = writer(header("2020-01-01T08:00:00"));
    for (host, names) in layout.name_tables() {
        let names = names.iter().map(|(index, name)| (index, name.to_owned())).collect();
        log.name_table(times[0].local(), &format!(r"\\{host}"), &names).expect("written");
    }
    let mut records = ListRecords::new(&layout, Selection::all());
    let written = records.push(&times, &runs, |number, records| {
        if let Some(list) = layout.list_at(number as u64) {
            log.counter_list(times[number].local(), &list)?;
        }
        log.data_block(times[number].local(), records)
    });
    written.expect("written");
    let bytes = log.finish(time("2020-01-01T09:00:00")).expect("written").into_inner();
    let source = BlgSource::open(Arc::new(bytes)).expect("a log");
    assert!(source.health().is_sound(), "{:?}", source.health());
    assert_eq!(source.times(), times);
    let samples: Vec<u32> = (0..num as u32).collect();
    let decoded = source.decode(&samples, &Selection::all());
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    decoded.runs
}

fn shown(run: &Run) -> Vec<String> {
    run.instances.iter().map(Instance::shown).collect()
}

#[test]
fn a_sample_without_the_object_says_nothing_of_it() {
    let runs = read_back(5, &[run(named(&["a", "b"]), 0..2), run(named(&["a", "b"]), 4..5)]);
    let times: Vec<SampleTime> = runs.iter().flat_map(|run| run.clocks.time.clone()).collect();
    assert_eq!(times, [at(0), at(1), at(4)]);
    assert!(runs.iter().all(|run| shown(run) == ["a", "b"] && run.faults.is_empty()));
    let empty = read_back(3, &[run(named(&["a"]), 0..1), run(vec![], 1..2), run(named(&["a"]), 2..3)]);
    assert_eq!(empty.iter().map(|run| run.instances.len()).collect::<Vec<_>>(), [1, 0, 1]);
}

/// One record has one status, so a counter that fails for one instance is written instance by instance.
#[test]
fn a_cell_that_failed_costs_no_other() {
    let mut failing = run(named(&["a", "a", "b"]), 0..3);
    failing.faults.push(CellFault { sample: 1, counter: 0, instance: 1 });
    let runs = read_back(3, &[failing.clone()]);
    assert_eq!(runs.len(), 1);
    assert_eq!(shown(&runs[0]), ["a", "a#1", "b"]);
    assert_eq!(runs[0].faults, failing.faults);
    assert_eq!(runs[0].columns[0].first, failing.columns[0].first);
    assert_eq!(runs[0].object.counters[0].time_base, Some(FREQUENCY));
    // A counter that fails for all instances only needs a status.
    failing.faults = (0..3).map(|instance| CellFault { sample: 1, counter: 0, instance }).collect();
    assert_eq!(read_back(3, &[failing.clone()])[0].faults, failing.faults);
}

/// Unique ids aren't in a counter list. The second `w` moves up when the first disappears. Its rate would be
/// computed from the other's count, so there is none.
#[test]
fn no_value_between_two_things() {
    let with_ids = |names: &[&str], ids: &[u64]| {
        let mut instances = named(names);
        for (instance, id) in instances.iter_mut().zip(ids) {
            instance.id = Some(*id);
        }
        instances
    };
    let runs = read_back(4, &[run(with_ids(&["w", "w"], &[7, 8]), 0..2), run(with_ids(&["w"], &[8]), 2..4)]);
    assert_eq!(runs.iter().map(Run::num_samples).collect::<Vec<_>>(), [2, 2]);
    assert!(runs[0].faults.is_empty());
    assert_eq!(runs[1].faults, [CellFault { sample: 0, counter: 0, instance: 0 }]);
    // The count itself is still valid.
    assert_eq!(runs[1].columns[1].first, [20, 30]);
    // The same instances at the same positions need nothing.
    let same = read_back(4, &[run(with_ids(&["w"], &[7]), 0..2), run(with_ids(&["w"], &[7]), 2..4)]);
    assert!(same.iter().all(|run| run.faults.is_empty()));
}

#[test]
fn another_frequency_is_another_list() {
    let mut later = run(named(&["a"]), 2..4);
    later.clocks.perf_freq = vec![FREQUENCY, 2 * FREQUENCY];
    let runs = read_back(4, &[run(named(&["a"]), 0..2), later]);
    let bases: Vec<(usize, Option<u64>)> =
        runs.iter().map(|run| (run.num_samples(), run.object.counters[0].time_base)).collect();
    assert_eq!(bases, [(3, Some(FREQUENCY)), (1, Some(2 * FREQUENCY))]);
}

/// An input of the formula is missing: a value in the list would be computed from zeros.
#[test]
fn a_missing_clock_is_no_clock_at_zero() {
    let mut blind = run(named(&["a"]), 0..2);
    blind.columns[0].second = Second::None;
    let faults = &read_back(2, &[blind])[0].faults;
    assert_eq!(
        faults.iter().map(|fault| (fault.sample, fault.counter)).collect::<Vec<_>>(),
        [(0, 0), (1, 0)]
    );
}

/// Two captures with the same times: of two values of one counter the first is written, and the other counted.
#[test]
fn what_two_captures_have_is_written_once() {
    let mut other = run(named(&["b", "c"]), 0..3);
    let values: Vec<u64> = vec![1, 0, 11, 10, 21, 99];
    for column in &mut other.columns {
        column.first.clone_from(&values);
    }
    // Of `b`, one sample contradicts; of `c` there is nothing else.
    for column in &mut other.columns {
        column.first[2] = 12;
    }
    let runs = [(0, vec![run(named(&["a", "b"]), 0..3)]), (1, vec![other])];
    let times: Vec<SampleTime> = (0..3).map(at).collect();
    let mut scan = ListScan::new(Selection::all());
    scan.push(&times, &runs);
    let layout = scan.finish();
    let mut records = ListRecords::new(&layout, Selection::all());
    let mut num = Vec::new();
    let pushed = records.push(&times, &runs, |_, records| {
        num.push(records.len());
        Ok::<(), ()>(())
    });
    assert_eq!((pushed, num), (Ok(()), vec![6; 3]));
    assert_eq!((records.num_differing(), records.num_repeated()), (2, 0));
}

/// A run as it is read from blocks, with all clocks.
fn whole(instances: Vec<Instance>, seconds: std::ops::Range<i64>) -> Run {
    let mut run = run(instances, seconds);
    let clocks = &mut run.clocks;
    clocks.time_100ns = clocks.time.iter().map(|time| time.utc.0 as u64).collect();
    clocks.object_time = vec![0; clocks.time.len()];
    clocks.object_freq.clone_from(&clocks.perf_freq);
    run
}

fn kinds(runs: &[Run]) -> Vec<u32> {
    let times: Vec<SampleTime> = (0..6).map(at).collect();
    let mut scan = ListScan::new(Selection::all());
    scan.push(&times, &[(0, runs.to_vec())]);
    let entries = scan.finish().list_at(0).unwrap_or_default();
    entries.iter().map(|entry| entry.kind).collect()
}

/// Entries by instance would be columns of every sample.
#[test]
fn instances_that_come_and_go_are_a_whole_object() {
    let mut failing = whole(named(&["a", "a", "b"]), 0..2);
    failing.faults.push(CellFault { sample: 1, counter: 1, instance: 1 });
    failing.columns[1].first[4] = 0;
    let later = whole(named(&["b", "c"]), 3..5);
    let runs = [failing.clone(), later.clone()];
    assert_eq!(kinds(&runs), [0x10]);
    let read = read_back(6, &runs);
    assert_eq!(read.len(), 2);
    for (read, run) in read.iter().zip(&runs) {
        assert_eq!((&read.clocks.time, &read.faults), (&run.clocks.time, &run.faults));
        assert_eq!(read.instances, run.instances);
        let first = |run: &Run| run.columns.iter().map(|column| column.first.clone()).collect::<Vec<_>>();
        assert_eq!(first(read), first(run));
        assert_eq!(read.clocks.perf_freq, run.clocks.perf_freq);
    }
    // The same instances all the time need no whole object, unless one of them fails alone.
    assert_eq!(kinds(&[whole(named(&["a"]), 0..2), whole(named(&["a"]), 2..4)]), [1, 1]);
    assert_eq!(kinds(&[failing]), [0x10]);
}

#[test]
fn what_a_block_has_no_room_for_stays_in_the_list() {
    // A value is missing before one that is there.
    let mut failing = whole(named(&["a", "b"]), 0..2);
    failing.faults.push(CellFault { sample: 1, counter: 0, instance: 1 });
    assert_eq!(kinds(&[failing.clone(), whole(named(&["b"]), 2..4)]), [0, 0, 1]);
    assert_eq!(read_back(2, &[failing.clone()])[0].faults, failing.faults);
    // Names with another number than their order gives them, and a time that isn't that of the clock.
    let mut selected = whole(named(&["a", "a"]), 0..2);
    selected.instances = selected.instances[1..].into();
    selected.columns.iter_mut().for_each(|column| column.first.truncate(2));
    assert_eq!(kinds(&[selected, whole(named(&["b"]), 2..4)]), [0, 0, 0, 0]);
    let mut late = whole(named(&["a"]), 0..2);
    late.clocks.time_100ns[1] += 1;
    assert_eq!(kinds(&[late, whole(named(&["b"]), 2..4)]), [1, 1]);
}
