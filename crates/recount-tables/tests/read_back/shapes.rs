//! How rows become stretches: as few as possible, with the original definitions.

use std::sync::Arc;

use recount_model::{Cooked, CookedColumn, CounterDef, Decoded, Selection, Source, Status};
use recount_tables::{Layout, TableOptions};

use super::files::{counter, named, object, read_all, time, write};

const AVERAGE: u32 = 0x4002_0500;
const AVERAGE_BASE: u32 = 0x4003_0402;
const RATE: u32 = 0x1041_0500;

fn objects_layout() -> TableOptions {
    TableOptions { layout: Layout::Objects, ..TableOptions::default() }
}

/// A stretch whose values continue counting.
fn stretch(
    object: &Arc<recount_model::ObjectDef>,
    instances: &[&str],
    seconds: std::ops::Range<usize>,
) -> Cooked {
    let num = seconds.len() * instances.len();
    let counters = object.counters.iter().enumerate().filter(|(_, counter)| !counter.is_base());
    let columns = counters.map(|(counter, _)| CookedColumn {
        counter,
        values: (0..num).map(|at| (1000 * counter + at) as f64).collect(),
        status: None,
        covers: None,
        texts: None,
    });
    Cooked {
        host: "WEB1".into(),
        object: Arc::clone(object),
        columns: columns.collect(),
        gaps: Vec::new(),
        first_s: Vec::new(),
        interval_s: vec![Some(1.0); seconds.len()],
        times: seconds.map(time).collect(),
        continued: vec![true; instances.len()],
        instances: named(instances).into(),
        raw: None,
    }
}

#[test]
fn samples_of_the_same_instances_are_one_stretch() {
    let object = object("Disk", true, vec![counter("A", RATE), counter("B", RATE)]);
    let slices = vec![
        vec![stretch(&object, &["0", "1", "_Total"], 0..50)],
        vec![stretch(&object, &["0", "1", "_Total"], 50..90)],
        vec![stretch(&object, &["0", "_Total"], 90..100)],
    ];
    let options = TableOptions { row_group_rows: 101, ..objects_layout() };
    let tables = write(slices.clone(), &options).open();
    let read = read_all(&tables, &Selection::all(), 100);
    assert_eq!(read.iter().map(Cooked::num_samples).collect::<Vec<_>>(), [90, 10]);
    assert_eq!(read[0].columns[1].values[..150], slices[0][0].columns[1].values[..]);
    assert_eq!(read[0].columns[1].values[150..], slices[1][0].columns[1].values[..]);
    assert_eq!(read[0].continued, [true; 3]);
    // Any samples, one by one or with gaps.
    let Decoded { cooked: read, .. } = tables.decode(&[3, 49, 50, 95], &Selection::all());
    assert_eq!(read.iter().map(Cooked::num_samples).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(read[0].columns[0].values, [9.0, 10.0, 11.0, 147.0, 148.0, 149.0, 0.0, 1.0, 2.0]);
}

#[test]
fn definitions_come_from_the_catalogue() {
    let mut average = counter("Avg. Bytes", AVERAGE);
    average.help = Some("Bytes per operation.".into());
    average.default_scale = -3;
    let base = counter("Avg. Bytes", AVERAGE_BASE);
    let cooked_before = CounterDef { name: "Odd/name".into(), ..CounterDef::default() };
    let disk =
        object("Disk", true, vec![average.clone(), base.clone(), cooked_before, counter("X", 0x0120_4567)]);
    let memory = object("Memory", false, vec![counter("Pages/sec", RATE)]);
    let mut alone = stretch(&memory, &[""], 0..2);
    alone.instances = [recount_model::Instance::unnamed()].into();
    let tables = write(vec![vec![stretch(&disk, &["0"], 0..2), alone]], &objects_layout()).open();
    let known = tables.objects();
    assert_eq!(known.iter().map(|(_, object)| &*object.name).collect::<Vec<_>>(), ["Disk", "Memory"]);
    assert_eq!(*known[0].1, *disk);
    assert_eq!(*known[1].1, *memory);
    let read = read_all(&tables, &Selection::all(), 1);
    assert_eq!(read[0].object.counters, disk.counters);
    assert!(!read[1].object.instanced && read[1].instances[0].is_unnamed());
}

#[test]
fn bases_that_are_not_behind_are_named() {
    let average = |name| CounterDef { base: Some("Operations".into()), ..counter(name, AVERAGE) };
    let counters = vec![average("Avg. Bytes"), average("Avg. Reads"), counter("Operations", AVERAGE_BASE)];
    let tables =
        write(vec![vec![stretch(&object("Set", true, counters), &["0"], 0..1)]], &objects_layout()).open();
    let (_, set) = &tables.objects()[0];
    let base = set.counters.iter().map(|c| (&*c.name, c.base.as_deref())).collect::<Vec<_>>();
    assert_eq!(
        base,
        [("Avg. Bytes", Some("Operations")), ("Operations", None), ("Avg. Reads", Some("Operations"))]
    );
}

#[test]
fn counters_that_an_instance_has_not_got_get_no_status() {
    let object = object("Disk", true, vec![counter("A", RATE), counter("B", RATE)]);
    let mut first = stretch(&object, &["0", "1"], 0..3);
    first.columns[1].covers = Some([true, false].into());
    first.columns[0].status =
        Some(vec![Status::Ok, Status::CounterReset, Status::Ok, Status::Ok, Status::Ok, Status::Ok]);
    first.columns[0].values[1] = 0.0;
    let second = stretch(&object, &["0", "1"], 3..5);
    let mut third = stretch(&object, &["0", "1"], 5..6);
    third.columns.remove(1);
    let tables = write(vec![vec![first], vec![second], vec![third]], &objects_layout()).open();
    let read = read_all(&tables, &Selection::all(), 100);
    let found: Vec<_> = read.iter().map(|c| (c.num_samples(), c.columns.len())).collect();
    assert_eq!(found, [(3, 2), (2, 2), (1, 1)]);
    assert_eq!(read[0].columns[0].status_at(1), Status::CounterReset);
    assert_eq!(read[0].columns[0].covers, None);
    assert_eq!(read[0].columns[1].covers.as_deref(), Some(&[true, false][..]));
    assert_eq!(read[1].columns[1].covers, None);
}
