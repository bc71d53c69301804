//! What a capture says: its names, and the values behind them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType};
use arrow_array::{Array, RecordBatch};
use recount::{Capture, Instance, Timestamp};
use recount_model::ProcessNote;

/// Time, object, counter, value and status.
pub(crate) type Cell = (i64, String, String, Option<u64>, String);

fn text(batch: &RecordBatch, column: &str, row: usize) -> String {
    let column = batch.column_by_name(column).expect("a column").as_dictionary::<Int32Type>();
    match column.key(row) {
        Some(key) => column.values().as_string::<i32>().value(key).to_owned(),
        None => String::new(),
    }
}

fn for_each_row(capture: &Capture, mut take: impl FnMut(&RecordBatch, usize)) {
    for batch in capture.batches() {
        let batch = batch.expect("a batch");
        (0..batch.num_rows()).for_each(|row| take(&batch, row));
    }
}

/// The cells of every instance of every host, without their names, sorted.
pub(crate) fn series_of(capture: &Capture) -> Vec<Vec<Cell>> {
    let mut series: BTreeMap<(String, String), Vec<Cell>> = BTreeMap::new();
    for_each_row(capture, |batch, row| {
        let times = batch.column_by_name("time").expect("times").as_primitive::<TimestampNanosecondType>();
        let values = batch.column_by_name("value").expect("values").as_primitive::<Float64Type>();
        let value = (!values.is_null(row)).then(|| values.value(row).to_bits());
        let name = (text(batch, "host", row), text(batch, "instance", row));
        let [object, counter, status] =
            ["object", "counter", "status"].map(|column| text(batch, column, row));
        series.entry(name).or_default().push((times.value(row), object, counter, value, status));
    });
    let mut all: Vec<Vec<Cell>> = series.into_values().collect();
    for cells in &mut all {
        cells.sort();
    }
    all.sort();
    all
}

/// All hosts, and the parts of all instances.
pub(crate) fn names_of(capture: &Capture) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    names.extend(capture.source.info().hosts.iter().map(ToString::to_string));
    for_each_row(capture, |batch, row| {
        names.insert(text(batch, "host", row));
        let shown = text(batch, "instance", row);
        let instance = Instance::from_shown(&shown);
        names.extend(instance.name.split('/').map(str::to_owned));
        names.extend(instance.parent.map(|parent| parent.to_string()));
    });
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
