//! Random values of random instances on two hosts, in every layout.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use recount_compute::{CookOptions, Cooked, CookedColumn, cook};
use recount_model::{Instance, ObjectDef, Selection, Status};
use recount_tables::{Layout, PartitionKey, TableOptions};

use super::cells::cells;
use super::files::{counter, object, read_all, time, write};
use super::support::random_runs::runs;

const NAMES: [&str; 7] = ["a", "a#1", "p/b", "p/b#2", "C#", "x#0", ""];
const RATE: u32 = 0x1041_0500;

/// A stretch of one object on one host within ten seconds.
#[derive(Clone, Debug)]
struct Spec {
    host: usize,
    object: usize,
    /// Which of the names, and whether each has an id.
    instances: Vec<(usize, bool)>,
    first: usize,
    num_samples: usize,
    intervals: Vec<Option<u8>>,
    /// Per sample: whether its interval is a gap, and the weight of values without one.
    weights: Vec<(bool, u8)>,
    continued: Vec<bool>,
    /// Per counter and instance: whether it is present.
    covers: Vec<bool>,
    /// 0 to 8 for a status, otherwise a value.
    cells: Vec<u8>,
}

fn objects() -> [Arc<ObjectDef>; 3] {
    let three = || vec![counter("X", RATE), counter("% Y/sec", RATE), counter("time", RATE)];
    // Two counters with one name, which share neither column nor position.
    let twice = vec![counter("N", 0x10000), counter("N", 0x10000), counter("O", RATE)];
    [object("One", true, three()), object("Two: 2", true, twice), object("Alone", false, three())]
}

fn spec() -> impl Strategy<Value = Spec> {
    let instances = vec((0..NAMES.len(), any::<bool>()), 1..5).prop_map(|all| {
        let mut unique: Vec<(usize, bool)> = Vec::new();
        for (name, has_id) in all {
            if !unique.iter().any(|(other, _)| *other == name) {
                unique.push((name, has_id));
            }
        }
        unique
    });
    let interval = prop_oneof![1 => Just(None), 6 => Just(Some(1)), 1 => (0..3_u8).prop_map(Some)];
    let mask = || prop_oneof![3 => Just(vec![true; 15]), 2 => vec(prop_oneof![4 => Just(true), 1 => Just(false)], 15)];
    let times = vec((interval, (any::<bool>(), 0..4_u8)), 5);
    let place = (0..2_usize, 0..3_usize, 0..4_usize, 1..5_usize);
    (place, instances, times, mask(), mask(), vec(0..60_u8, 75)).prop_map(
        |((host, object, first, num_samples), instances, times, continued, covers, cells)| Spec {
            host,
            object,
            instances,
            first,
            num_samples,
            intervals: times.iter().map(|(interval, _)| *interval).collect(),
            weights: times.into_iter().map(|(_, weights)| weights).collect(),
            continued,
            covers,
            cells,
        },
    )
}

/// If two captures have rows with the same time, host and object, a table can distinguish their nulls only if
/// both have a reason.
fn told_apart(spec: &Spec, all: &[Spec]) -> Spec {
    let is_of_both =
        all.iter().filter(|other| (other.host, other.object) == (spec.host, spec.object)).count() > 1;
    Spec { covers: if is_of_both { vec![true; 15] } else { spec.covers.clone() }, ..spec.clone() }
}

/// The stretch, and the next one ten seconds later.
fn cooked(spec: &Spec, window: usize) -> Cooked {
    let object = Arc::clone(&objects()[spec.object]);
    let instance = |(name, has_id): &(usize, bool)| {
        let id = has_id.then_some(7 + *name as u64);
        Instance { id, ..Instance::from_shown(NAMES[*name]) }
    };
    let instances: Vec<Instance> = if object.instanced {
        spec.instances.iter().map(instance).collect()
    } else {
        vec![Instance::unnamed()]
    };
    let num = instances.len();
    let column = |at: usize| {
        let cells = (0..spec.num_samples * num).map(|cell| spec.cells[(at * 20 + cell) % 75]);
        let status: Vec<Status> = cells
            .clone()
            .map(|cell| Status::ALL.get(usize::from(cell)).copied().unwrap_or_default())
            .collect();
        let value = |(cell, status): (u8, &Status)| {
            if status.has_value() { f64::from(cell) / 7.0 - 3.0 } else { 0.0 }
        };
        let covers: Arc<[bool]> = (0..num).map(|i| spec.covers[at * 5 + i]).collect();
        CookedColumn {
            counter: at,
            values: cells.zip(&status).map(value).collect(),
            status: status.iter().any(|status| *status != Status::Ok).then_some(status),
            covers: covers.contains(&false).then_some(covers),
            texts: None,
        }
    };
    Cooked {
        host: ["WEB1", ""][spec.host].into(),
        columns: (0..3).map(column).collect(),
        times: (0..spec.num_samples).map(|sample| time(10 * window + spec.first + sample)).collect(),
        gaps: (0..spec.num_samples).filter(|at| spec.weights[*at].0).map(|at| at as u32).collect(),
        first_s: (0..spec.num_samples).map(|at| f64::from(spec.weights[at].1)).collect(),
        interval_s: (0..spec.num_samples).map(|at| spec.intervals[at].map(|n| f64::from(n) + 0.1)).collect(),
        continued: spec.continued[..num].to_vec(),
        instances: instances.into(),
        object,
        raw: None,
    }
}

fn options() -> impl Strategy<Value = TableOptions> {
    use PartitionKey::{Date, Host};
    let keys = prop::sample::select(vec![vec![], vec![Host], vec![Date], vec![Host, Date], vec![Date, Host]]);
    // A sample may begin in one row group and end in the next.
    let rows = prop_oneof![Just(1 << 20), 1..9_usize];
    (any::<bool>(), keys, rows).prop_map(|(is_tidy, partition_by, row_group_rows)| TableOptions {
        layout: if is_tidy { Layout::Tidy } else { Layout::Objects },
        partition_by,
        row_group_rows,
        ..TableOptions::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_was_written_is_read(
        windows in vec(vec(spec(), 0..6), 1..5),
        options in options(),
        num_at_once in 1..20_usize,
    ) {
        let slice = |(at, specs): (usize, &Vec<Spec>)| {
            specs.iter().map(|spec| cooked(&told_apart(spec, specs), at)).collect()
        };
        let slices: Vec<Vec<Cooked>> = windows.iter().enumerate().map(slice).collect();
        let with_ids = options.layout == Layout::Objects;
        let expected = cells(&slices.concat(), with_ids);
        prop_assume!(!expected.is_empty());
        let tables = write(slices, &options).open();
        let read = read_all(&tables, &Selection::all(), num_at_once);
        prop_assert_eq!(cells(&read, with_ids), expected.clone());
        let chosen = Selection::from_iter([r"\One(a*)\X".parse().expect("a pattern"), "time".parse().expect("a pattern")]);
        let read = read_all(&tables, &chosen, num_at_once);
        let is_chosen = |cell: &super::cells::Cell| {
            let instance = cell.instance.as_ref().map(|shown| Instance::from_shown(shown));
            chosen.matches(&cell.host, &cell.object, instance.as_ref(), &cell.counter)
        };
        let expected: Vec<_> = expected.into_iter().filter(is_chosen).collect();
        prop_assert_eq!(cells(&read, with_ids), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Values, statuses and definitions of every type.
    #[test]
    fn every_type_is_read(mut run in runs(), options in options()) {
        // Tables can't store times in 1601.
        run.clocks.time = (0..run.num_samples()).map(time).collect();
        let cooked = cook(&Arc::new(run), None, &CookOptions::default());
        let tables = write(vec![vec![cooked.clone()]], &options).open();
        let read = read_all(&tables, &Selection::all(), 3);
        prop_assert_eq!(cells(&read, false), cells(std::slice::from_ref(&cooked), false));
        if options.layout == Layout::Objects {
            for column in &read[0].columns {
                let counter = &read[0].object.counters[column.counter];
                let expected = cooked.object.counters.iter().find(|c| c.name == counter.name).expect("a counter");
                prop_assert_eq!(counter.counter_type, expected.counter_type);
            }
        }
    }
}
