//! The same machine recorded twice at the same time, as blocks and as countersets: counts have to agree within one
//! sample.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use recount::{NameTable, open_all};
use recount_model::{CounterType, Formula, Run, Selection, Timestamp};

const SECONDS: &str = "60s";

/// Object, instance with its id, counter.
type Key = (String, String, Option<u64>, String);

/// A log's values of one counter of one instance.
#[derive(Default)]
struct Series {
    counter_type: Option<CounterType>,
    values: Vec<(Timestamp, u64)>,
}

fn start(directory: &Path, form: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_recount"))
        .current_dir(directory)
        // What children did is taken off a process as each recorder saw them end.
        .args(["record", "-o", &format!("{form}.rcap"), "--as", form, "--for", SECONDS, "--exits", "off"])
        .stdout(Stdio::null())
        .spawn()
        .expect("recount")
}

#[test]
fn countersets_hold_the_same_values_as_blocks() {
    recount_testdata::quiet_machine();
    let directory = tempfile::tempdir().expect("a directory");
    let mut recorders = ["blocks", "v2"].map(|form| start(directory.path(), form));
    for recorder in &mut recorders {
        assert!(recorder.wait().expect("recount").success());
    }
    let blocks = read(&directory.path().join("blocks.rcap"));
    let sets = read(&directory.path().join("v2.rcap"));

    // Whatever lived from beginning to end is in both, under the same names and types.
    let lasting = |all: &BTreeMap<Key, Series>| -> BTreeMap<Key, Option<CounterType>> {
        let most = all.values().map(|series| series.values.len()).max().expect("samples");
        assert!(most >= 60, "{most} samples");
        let lasting = all.iter().filter(|(_, series)| series.values.len() == most);
        lasting.map(|(key, series)| (key.clone(), series.counter_type)).collect()
    };
    let (of_blocks, of_sets) = (lasting(&blocks), lasting(&sets));
    let is_missing = |key: &&Key, other: &BTreeMap<Key, Series>| {
        // Appeared or disappeared between the two samples.
        let is_process = ["Process", "Thread"].contains(&key.0.as_str());
        !other.contains_key(*key) && !is_process
    };
    let missing: Vec<&Key> = of_blocks.keys().filter(|key| is_missing(key, &sets)).collect();
    let added: Vec<&Key> = of_sets.keys().filter(|key| is_missing(key, &blocks)).collect();
    assert!(missing.is_empty() && added.is_empty(), "missing {missing:?}, added {added:?}");

    let (mut num_compared, mut num_moved) = (0, 0);
    for (key, counter_type) in &of_sets {
        let Some(series) = blocks.get(key) else { continue };
        // MS-PCQ 2.2.4.2 has average times with the word of 32 bits only.
        let of_block = series.counter_type.expect("raw");
        let expected = if of_block.0 == 0x3002_0500 { CounterType(0x3002_0400) } else { of_block };
        assert_eq!(*counter_type, Some(expected), "{key:?}");
        if !counts_up(counter_type.expect("raw")) || !is_ascending(&series.values) {
            continue;
        }
        // The first goes on with what each recorder last saw of a process that ended; the second is of all processors, and each recorder reads
        // it after the other files of its sample, which takes long on a busy machine.
        if [("Process", "_Total"), ("Cgroup", "/")].contains(&(key.0.as_str(), key.1.as_str())) {
            continue;
        }
        for &(time, value) in &sets[key].values {
            let Some((low, high)) = around(&series.values, time) else { continue };
            assert!((low..=high).contains(&value), "{key:?} at {time}: {value}, not within {low}..={high}");
            num_compared += 1;
            num_moved += usize::from(low < high);
        }
    }
    // Several hundred series of 60 samples, a part of which moves.
    assert!(num_compared > 10_000 && num_moved > 300, "{num_compared} compared, {num_moved} moved");
}

/// Types whose raw value only ever grows.
fn counts_up(word: CounterType) -> bool {
    matches!(
        word.recipe(8).formula,
        Formula::Rate | Formula::Timer | Formula::TimerInverse | Formula::QueueLength | Formula::AverageBulk
    )
}

/// The kernel takes back a little of some times now and then.
fn is_ascending(values: &[(Timestamp, u64)]) -> bool {
    values.is_sorted_by_key(|(_, value)| *value)
}

/// The values of the samples before and after a time.
fn around(values: &[(Timestamp, u64)], time: Timestamp) -> Option<(u64, u64)> {
    let after = values.partition_point(|(at, _)| *at < time);
    let before = after.checked_sub(1)?;
    // Values are read a little after the time of their sample, so the neighbours' neighbours count.
    Some((values.get(before.saturating_sub(1))?.1, values.get(after + 1)?.1))
}

fn read(log: &Path) -> BTreeMap<Key, Series> {
    let captures = open_all(&[log.to_path_buf()], &NameTable::new()).expect("a log");
    let health = recount::Timeline::whole(&captures).expect("one time line").health();
    let mut all = BTreeMap::new();
    for capture in captures {
        let source = &capture.source;
        let samples: Vec<u32> = (0..source.times().len() as u32).collect();
        let decoded = source.decode(&samples, &Selection::all());
        assert_eq!(decoded.health.total(), 0, "{health:?} {:?}", decoded.health);
        decoded.runs.iter().for_each(|run| gather(run, &mut all));
    }
    all
}

fn gather(run: &Run, all: &mut BTreeMap<Key, Series>) {
    for (counter, column) in run.object.counters.iter().zip(&run.columns) {
        // The clock of an object is a counter in the one form only.
        if counter.is_hidden() {
            continue;
        }
        for (at, instance) in run.instances.iter().enumerate() {
            // Instances known by name have no id in the one form, and 0 in the other.
            let id = instance.id.filter(|id| *id != 0);
            let key = (run.object.name.to_string(), instance.shown(), id, counter.name.to_string());
            let series: &mut Series = all.entry(key).or_default();
            series.counter_type = counter.counter_type;
            let cells = column.first.iter().skip(at).step_by(run.instances.len());
            let timed = run.clocks.time.iter().map(|time| time.utc).zip(cells.copied());
            series.values.extend(timed);
        }
    }
}
