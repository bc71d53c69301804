//! Instances that began between two samples.

use std::sync::Arc;

use recount_compute::{CookOptions, cook};
use recount_model::{
    Clocks, Column, CounterDef, CounterType, Instance, ObjectDef, Run, SampleTime, Second, Status, Timer,
    Timestamp,
};

const SECOND: i64 = Timestamp::TICKS_PER_SECOND;
/// `PERF_100NSEC_TIMER` and `PERF_COUNTER_RAWCOUNT`.
const TYPES: [(&str, u32); 3] =
    [("% Processor Time", 0x2051_0500), ("Working Set", 0x0001_0100), ("Major Page Faults/sec", 0x1041_0500)];

/// Id, start in seconds, 100 ns of processor time.
type Process = (u64, i64, u64);

fn run(own: &str, seconds: i64, processes: &[Process]) -> Arc<Run> {
    let counter = |(name, word): (&str, u32)| CounterDef {
        name: if name.starts_with("Major") { own.into() } else { name.into() },
        counter_type: Some(CounterType(word)),
        ..CounterDef::default()
    };
    let object = ObjectDef {
        name: "Process".into(),
        instanced: true,
        counters: TYPES.map(counter).into(),
        ..ObjectDef::default()
    };
    let instance = |(id, start, _): &Process| Instance {
        id: Some(*id),
        start: Some(Timestamp(start * SECOND)),
        ..Instance::named("cc1")
    };
    let column = |(_, word): (&str, u32)| Column {
        first: processes.iter().map(|(.., time)| *time).collect(),
        second: match word {
            0x2051_0500 => Second::Clock(Timer::HundredNs),
            0x1041_0500 => Second::Clock(Timer::Tick),
            _ => Second::None,
        },
        ..Column::default()
    };
    let ticks = vec![(seconds * SECOND).cast_unsigned()];
    let frequency = vec![SECOND.cast_unsigned()];
    Arc::new(Run {
        host: "".into(),
        object: Arc::new(object),
        instances: processes.iter().map(instance).collect(),
        clocks: Clocks {
            time: vec![SampleTime { utc: Timestamp(seconds * SECOND), offset_min: 0 }],
            perf_time: ticks.clone(),
            perf_freq: frequency.clone(),
            time_100ns: ticks.clone(),
            object_time: ticks,
            object_freq: frequency,
        },
        columns: TYPES.map(column).into(),
        faults: Vec::new(),
    })
}

/// Value and status of each counter of the second process, and its interval.
fn cells(own: &str, later: Process) -> (Vec<(Option<f64>, Status)>, Option<f64>) {
    let before = run(own, 100, &[(7, 1, 40)]);
    let after = run(own, 102, &[(7, 1, 50), later]);
    let cooked = cook(&after, Some(&before), &CookOptions::default());
    let cells = cooked.columns.iter().map(|column| (column.value_at(1), column.status_at(1)));
    (cells.collect(), cooked.interval_of(0, 1))
}

const LINUX: &str = "Major Page Faults/sec";

#[test]
fn a_process_of_linux_that_began_in_the_interval_counts_from_zero() {
    let (cells, interval) = cells(LINUX, (9, 101, 5_000_000));
    let since = |value| (Some(value), Status::SinceStart);
    assert_eq!(cells, [since(25.0), (Some(5_000_000.0), Status::Ok), since(2_500_000.0)]);
    assert_eq!(interval, Some(2.0));
}

/// It ran before, so what it did in the interval is unknown.
#[test]
fn one_that_the_previous_sample_lacks_has_no_value() {
    let (cells, interval) = cells(LINUX, (9, 99, 5_000_000));
    assert_eq!(cells[0], (None, Status::NoPreviousInstance));
    assert_eq!((cells[2], interval), ((None, Status::NoPreviousInstance), None));
}

#[test]
fn an_id_that_is_used_again_counts_from_zero() {
    let before = run(LINUX, 100, &[(7, 1, 40)]);
    let after = run(LINUX, 102, &[(7, 101, 5_000_000)]);
    let column = &cook(&after, Some(&before), &CookOptions::default()).columns[0];
    assert_eq!((column.value_at(0), column.status_at(0)), (Some(25.0), Status::SinceStart));
}

/// As in PDH.
#[test]
fn windows_has_no_value_in_the_first_interval_of_a_process() {
    let (cells, _) = cells("Page Faults/sec", (9, 101, 5_000_000));
    assert_eq!(cells[0], (None, Status::NoPreviousInstance));
}

/// Value and status of the times and of the faults of a process that began 1 s before the sample, on two processors.
fn on_two_processors(own: &str, used_100ns: u64) -> [(Option<f64>, Status); 2] {
    let on_two = |run: Arc<Run>| {
        let object = ObjectDef { counts_from_start: true, num_processors: Some(2), ..(*run.object).clone() };
        Arc::new(Run { object: Arc::new(object), ..(*run).clone() })
    };
    let before = on_two(run(own, 100, &[(7, 1, 40)]));
    let after = on_two(run(own, 102, &[(7, 1, 50), (9, 101, used_100ns)]));
    let cooked = cook(&after, Some(&before), &CookOptions::default());
    [0, 2].map(|column| (cooked.columns[column].value_at(1), cooked.columns[column].status_at(1)))
}

/// No processor has that much time, so it didn't count from zero, or its start is wrong.
#[test]
fn more_than_all_processors_since_the_start_is_no_value() {
    let since = |value| (Some(value), Status::SinceStart);
    let none = (None, Status::NoPreviousInstance);
    let windows = |used_100ns| on_two_processors("Page Faults/sec", used_100ns);
    assert_eq!(windows(20_000_000), [since(100.0), since(10_000_000.0)]);
    // Ticks of clocks.
    assert_eq!(windows(20_400_000)[0], since(102.0));
    assert_eq!(windows(30_000_000), [none, since(15_000_000.0)]);
    // Of Linux it may be several that ended, and the start that of the last: they have the interval.
    assert_eq!(on_two_processors(LINUX, 30_000_000)[0], since(150.0));
    assert_eq!(on_two_processors(LINUX, 50_000_000)[0], none);
}
