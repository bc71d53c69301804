//! What a capture says: its names, and the values behind them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType};
use arrow_array::{Array, Int32Array, RecordBatch};
use recount::{Capture, Instance, Timestamp};
use recount_model::ProcessNote;

/// Time, object, counter, value and status.
pub(crate) type Cell = (i64, Rc<str>, Rc<str>, Option<u64>, Rc<str>);

/// A column of texts, each of which is there once.
struct Texts<'a> {
    keys: &'a Int32Array,
    values: Vec<Rc<str>>,
}

impl<'a> Texts<'a> {
    fn of(batch: &'a RecordBatch, column: &str) -> Texts<'a> {
        let column = batch.column_by_name(column).expect("a column").as_dictionary::<Int32Type>();
        let values = column.values().as_string::<i32>().iter();
        Texts { keys: column.keys(), values: values.map(|text| text.unwrap_or_default().into()).collect() }
    }

    fn at(&self, row: usize) -> Rc<str> {
        if self.keys.is_null(row) { "".into() } else { self.values[self.keys.value(row) as usize].clone() }
    }
}

/// The cells of every instance of every host, without their names, sorted.
pub(crate) fn series_of(capture: &Capture) -> Vec<Vec<Cell>> {
    let mut series: BTreeMap<(Rc<str>, Rc<str>), Vec<Cell>> = BTreeMap::new();
    for batch in capture.batches().reader().expect("a reader") {
        let batch = batch.expect("a batch");
        let times = batch.column_by_name("time").expect("times").as_primitive::<TimestampNanosecondType>();
        let values = batch.column_by_name("value").expect("values").as_primitive::<Float64Type>();
        let [host, instance, object, counter, status] =
            ["host", "instance", "object", "counter", "status"].map(|column| Texts::of(&batch, column));
        for row in 0..batch.num_rows() {
            let value = (!values.is_null(row)).then(|| values.value(row).to_bits());
            let cell = (times.value(row), object.at(row), counter.at(row), value, status.at(row));
            series.entry((host.at(row), instance.at(row))).or_default().push(cell);
        }
    }
    let mut all: Vec<Vec<Cell>> = series.into_values().collect();
    for cells in &mut all {
        cells.sort_unstable();
    }
    all.sort_unstable();
    all
}

/// All hosts, and the parts of all instances.
pub(crate) fn names_of(capture: &Capture) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = capture.source.info().hosts.iter().map(ToString::to_string).collect();
    for batch in capture.batches().reader().expect("a reader") {
        let batch = batch.expect("a batch");
        let [hosts, instances] = ["host", "instance"].map(|column| Texts::of(&batch, column));
        let used =
            |texts: &Texts<'_>| (0..batch.num_rows()).map(|row| texts.at(row)).collect::<BTreeSet<_>>();
        names.extend(used(&hosts).iter().map(ToString::to_string));
        for shown in used(&instances) {
            let instance = Instance::from_shown(&shown);
            names.extend(instance.name.split('/').map(str::to_owned));
            names.extend(instance.parent.map(|parent| parent.to_string()));
        }
    }
    names.remove("");
    names
}

/// The texts about processes.
pub(crate) fn texts_of_processes(capture: &Capture) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    let all = (Timestamp(i64::MIN), Timestamp(i64::MAX));
    let _ = capture.source.processes(all, &mut |note| {
        let (name, user, cgroup) = match note {
            ProcessNote::Described(described) => {
                texts.extend(described.command.iter().map(ToString::to_string));
                texts.extend(described.executable.iter().map(ToString::to_string));
                texts.extend(described.container_name.iter().map(ToString::to_string));
                (described.name, described.user, described.cgroup)
            }
            ProcessNote::Ended(ended) => (ended.name, ended.user, ended.cgroup),
        };
        texts.insert(name.to_string());
        texts.extend([user, cgroup].into_iter().flatten().map(|text| text.to_string()));
        ControlFlow::Continue(())
    });
    texts
}
