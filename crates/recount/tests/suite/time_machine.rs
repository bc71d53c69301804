//! The time machine, against the pipeline over whole captures.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::PathBuf;

use recount::{Capture, Selection, Status, TimeMachine, Timeline, Timestamp};
use recount_compute::{PipelineOptions, run};
use recount_model::Instance;

/// Captures of all kinds: whole objects, counter lists, a session with aggregates, damaged, text, dumps, logs.
const SAMPLES: [&str; 11] = [
    "objects.blg",
    "circular.blg",
    "counters-dst.blg",
    "damaged.blg",
    "session.pcq",
    "typeperf.tsv",
    "relog-german.csv",
    "series",
    "rcap-1/closed.rcap",
    "rcap-1/killed.rcap",
    "rcap-1/damaged.rcap",
];

fn timeline(captures: &[Capture]) -> Timeline {
    Timeline::whole(captures).expect("one time line")
}

fn open(name: &str) -> Vec<Capture> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples")).join(name);
    recount::open_all(&[path], &recount::NameTable::new()).expect("a sample")
}

/// Value as bits, and status.
type Value = (Option<u64>, Option<Status>);
/// Host, instance, counter.
type Name = (String, String, String);

/// What the whole capture says of an object, by time.
#[derive(Default)]
struct Whole {
    values: BTreeMap<Timestamp, BTreeMap<Name, Value>>,
    instances: BTreeMap<Timestamp, Vec<Instance>>,
}

fn whole(captures: &[Capture]) -> BTreeMap<String, Whole> {
    values_of(&timeline(captures))
}

fn values_of(timeline: &Timeline) -> BTreeMap<String, Whole> {
    let inputs = timeline.inputs();
    let mut found: BTreeMap<String, Whole> = BTreeMap::new();
    let done = run(inputs, &PipelineOptions::default(), |batch, _| {
        for cooked in batch {
            let whole = found.entry(cooked.object.name.to_string()).or_default();
            for (sample, time) in cooked.times.iter().enumerate() {
                whole.instances.entry(time.utc).or_default().extend(cooked.instances.iter().cloned());
                for column in &cooked.columns {
                    for (at, instance) in
                        cooked.instances.iter().enumerate().filter(|(at, _)| column.covers(*at))
                    {
                        let cell = sample * cooked.instances.len() + at;
                        let name = (
                            cooked.host.to_string(),
                            if cooked.object.instanced { instance.shown() } else { String::new() },
                            cooked.object.counters[column.counter].name.to_string(),
                        );
                        let value = (column.value_at(cell).map(f64::to_bits), Some(column.status_at(cell)));
                        whole.values.entry(time.utc).or_default().insert(name, value);
                    }
                }
            }
        }
        Ok::<(), Infallible>(())
    });
    done.expect("infallible");
    found
}

fn shown(moment: &recount::Moment, object: usize) -> BTreeMap<Name, Value> {
    let table = &moment.objects[object];
    let mut values = BTreeMap::new();
    for row in &table.rows {
        for (at, counter) in table.counters.iter().enumerate() {
            if row.statuses[at].is_some() {
                let name = (row.host.to_string(), row.shown(), counter.name.to_string());
                values.insert(name, (row.values[at].map(f64::to_bits), row.statuses[at]));
            }
        }
    }
    values
}

#[test]
fn every_sample_has_the_values_of_the_whole_capture() {
    let mut num_values = 0;
    for name in SAMPLES {
        let captures = open(name);
        for (object, whole) in whole(&captures) {
            let machine = TimeMachine::new(&timeline(&captures), &[&object]);
            for (time, expected) in &whole.values {
                let moment = machine.at(*time, 0).expect("a moment");
                assert_eq!(moment.time.utc, *time, "{name} {object}");
                assert_eq!(shown(&moment, 0), *expected, "{name} {object} {time}");
                assert_eq!(machine.times()[moment.index], moment.time);
                num_values += expected.len();
            }
        }
    }
    assert!(num_values > 3_000, "{num_values}");
}

/// The first one, too, though the sample that it is compared with is outside.
#[test]
fn a_span_has_the_values_of_the_whole_capture() {
    let mut num_first = 0;
    for name in SAMPLES {
        let captures = open(name);
        let all = timeline(&captures).times();
        let whole = whole(&captures);
        for begin in [1, all.len() / 3, all.len() / 2, all.len().saturating_sub(1)] {
            let Some(begin) = all.get(begin).map(|time| time.utc) else { continue };
            let end = all[all.len() - 1].utc;
            let span = timeline(&captures).span_between(begin, end);
            let found = values_of(&Timeline::of(&captures, &span).expect("a span"));
            for (object, whole) in &whole {
                let expected: Vec<_> = whole.values.range(begin..).collect();
                let of_object: Vec<_> =
                    found.get(object).map(|found| found.values.iter().collect()).unwrap_or_default();
                assert_eq!(of_object, expected, "{name} {object} from {begin}");
                let is_first = |value: &&Value| value.1 == Some(Status::Ok) && value.0.is_some();
                let first =
                    whole.values.get(&begin).map_or(0, |first| first.values().filter(is_first).count());
                num_first += first;
            }
        }
    }
    assert!(num_first > 200, "{num_first}");
}

#[test]
fn the_newest_sample_is_what_show_says() {
    let captures = open("objects.blg");
    let selection = Selection::from_iter([r"\Process(*)\*".parse().expect("a path")]);
    let (series, _) =
        recount::show(&timeline(&captures), &selection, 0, &recount::unwatched).expect("not cancelled");
    let moment =
        recount::instances(&timeline(&captures), "Process", Timestamp(i64::MAX), 0).expect("a moment");
    assert_eq!(moment.index + 1, moment.num_samples);
    let table = &moment.objects[0];
    let mut num_compared = 0;
    for row in &table.rows {
        for (at, counter) in table.counters.iter().enumerate() {
            let path = format!(r"\\{}\Process({})\{}", row.host, row.shown(), counter.name);
            let is_it = |one: &&recount::SeriesSummary| {
                let is_same = one.instance_id.is_none() || one.instance_id == row.id();
                is_same && one.path == path
            };
            // An id that was used again has several series of one name.
            let newest: Vec<Option<f64>> = series.iter().filter(is_it).map(|one| one.newest).collect();
            assert!(newest.contains(&row.values[at]), "{path}: {newest:?}");
            num_compared += 1;
        }
    }
    assert!(num_compared > 10, "{num_compared}");
}

/// Objects may be sampled less often than others, or from some time on.
#[test]
fn the_sample_that_holds_a_time_is_found() {
    for name in SAMPLES {
        let captures = open(name);
        for (object, whole) in whole(&captures) {
            let machine = TimeMachine::new(&timeline(&captures), &[&object]);
            let known: Vec<Timestamp> = whole.instances.keys().copied().collect();
            for time in machine.times() {
                let expected = known.iter().find(|known| **known >= time.utc).or(known.last()).copied();
                let found = machine.holding(time.utc).map(|moment| moment.time.utc);
                assert_eq!(found, expected, "{name} {object} {time:?}");
            }
        }
    }
}

/// Steps through a capture in both directions pass every sample that has the object once.
#[test]
fn steps_reach_every_sample() {
    for name in SAMPLES {
        let captures = open(name);
        for (object, whole) in whole(&captures) {
            let machine = TimeMachine::new(&timeline(&captures), &[&object]);
            let times: Vec<Timestamp> = whole.values.keys().copied().collect();
            let mut moment = machine.at(Timestamp(i64::MIN), 0).expect("the first");
            let mut passed = vec![moment.time.utc];
            loop {
                let next = machine.at(moment.time.utc, 1).expect("a moment");
                if next.time == moment.time {
                    break;
                }
                passed.push(next.time.utc);
                moment = next;
            }
            assert_eq!(passed, times, "{name} {object}");
            for time in times.iter().rev().skip(1) {
                moment = machine.at(moment.time.utc, -1).expect("a moment");
                assert_eq!(moment.time.utc, *time, "{name} {object}");
            }
            assert_eq!(machine.at(moment.time.utc, -1).expect("the first").time, moment.time);
        }
    }
}

/// What stays the same while an instance exists.
fn identity(instance: &Instance) -> String {
    format!("{:?} {:?}", instance.key(), instance.start)
}

/// Instances are marked that aren't in the sample before, or after, by the names and ids of the whole capture.
#[test]
fn what_began_and_ended_is_marked() {
    let (mut num_began, mut num_ended) = (0, 0);
    for name in ["objects.blg", "circular.blg", "session.pcq"] {
        let captures = open(name);
        for (object, whole) in whole(&captures) {
            let machine = TimeMachine::new(&timeline(&captures), &[&object]);
            let times: Vec<Timestamp> = whole.instances.keys().copied().collect();
            for (at, time) in times.iter().enumerate() {
                let keys = |at: usize| -> Option<BTreeSet<_>> {
                    let time = times.get(at)?;
                    Some(whole.instances[time].iter().map(identity).collect())
                };
                let moment = machine.at(*time, 0).expect("a moment");
                for row in &moment.objects[0].rows {
                    let Some(instance) = &row.instance else { continue };
                    let is_in = |keys: Option<BTreeSet<_>>| {
                        keys.is_none_or(|keys| keys.contains(&identity(instance)))
                    };
                    let before = at.checked_sub(1).and_then(keys);
                    assert_eq!(row.began, !is_in(before), "{name} {object} {} {time}", row.shown());
                    assert_eq!(row.ended, !is_in(keys(at + 1)), "{name} {object} {} {time}", row.shown());
                    num_began += usize::from(row.began);
                    num_ended += usize::from(row.ended);
                }
            }
        }
    }
    assert!(num_began > 0 && num_ended > 0, "{num_began} {num_ended}");
}

/// A capture of one machine: its samples are `times`, and its values their numbers.
fn text(host: &str, times: &[&str]) -> Capture {
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\{host}\\Process(a)\\Thread Count\"\r\n");
    for (number, time) in times.iter().enumerate() {
        text.push_str(&format!("\"01/02/2024 00:{time}\",\"{number}\"\r\n"));
    }
    recount::open_bytes(format!("{host}.csv"), text.into_bytes()).expect("a capture")
}

/// Machines whose samples were taken at different times are shown together, each with its newest sample, unless that is old.
#[test]
fn machines_are_shown_together() {
    let captures = [
        text("A", &["00:00.000", "00:10.000", "00:20.000", "00:30.000"]),
        text("B", &["00:05.000", "00:15.000", "10:15.000"]),
        text("A", &["20:00.000", "20:10.000"]),
    ];
    let machine = TimeMachine::new(&timeline(&captures), &["Process"]);
    assert_eq!(machine.times().len(), 9);
    let mut shown = Vec::new();
    let mut moment = machine.at(Timestamp(0), 0).expect("the first");
    for _ in 0..machine.times().len() {
        let rows = moment.objects[0]
            .rows
            .iter()
            .map(|row| format!("{}{}", row.host, row.values[0].expect("a value")));
        shown.push(rows.collect::<String>());
        moment = machine.at(moment.time.utc, 1).expect("the next");
    }
    assert_eq!(shown, ["A0", "A0B0", "A1B0", "A1B1", "A2B1", "A3B1", "B2", "A0", "A1"]);
}

/// A clock that was set back: the samples of both epochs take turns, and each is compared with the one before in its epoch.
#[test]
fn epochs_are_not_mixed() {
    let captures = open("rcap-1/closed.rcap");
    let source = &captures[0].source;
    let epochs: BTreeSet<u32> = (0..source.times().len()).map(|sample| source.epoch(sample)).collect();
    assert!(epochs.len() > 1, "the sample has a clock change");
    let machine = TimeMachine::new(&timeline(&captures), &["Process"]);
    let mut num_first = 0;
    for time in machine.times() {
        let table = &machine.at(time.utc, 0).expect("a moment").objects[0];
        let at = table.counter("% Processor Time").expect("a counter");
        let is_first = table.rows.iter().all(|row| row.statuses[at] == Some(Status::FirstSample));
        num_first += usize::from(is_first);
        assert!(!is_first || table.rows.iter().all(|row| !row.began));
    }
    assert_eq!(num_first, epochs.len());
}
