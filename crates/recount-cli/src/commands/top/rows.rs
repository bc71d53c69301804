//! Which rows are shown, and in which order.

use std::cmp::Ordering;

use recount::analysis::shown::quantity;
use recount::{Instance, InstanceRow, Instances, ProcessDescription, Status, is_process};

use super::TopError;
use super::columns::{Column, WantedColumns, named};
use crate::output;

/// Names are foreign, and may be megabytes long.
const MAX_LEN_NAME: usize = 256;

/// What rows are sorted by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// From the smallest.
    Instance,
    Id,
    /// A counter by its name; from the largest.
    Counter(String),
}

/// The initial sort order of a table.
pub(super) fn first_sort(
    table: &Instances,
    columns: &[Column],
    wanted: &WantedColumns,
) -> Result<Sort, TopError> {
    let Some(text) = &wanted.sort else {
        return Ok(columns.first().map_or(Sort::Instance, |column| Sort::Counter(column.name.clone())));
    };
    match named(table, text) {
        Some(at) => Ok(Sort::Counter(table.counters[at].name.to_string())),
        None => Err(TopError::UnknownCounter {
            name: text.clone(),
            object: table.object.to_string(),
            known: table.counters.iter().map(|counter| counter.name.to_string()).collect(),
        }),
    }
}

/// The rows that contain a text, sorted. Totals come first, and what is only idle time last.
pub(super) fn rows<'t>(
    table: &'t Instances,
    sort: &Sort,
    is_reversed: bool,
    filter: &str,
) -> Vec<&'t InstanceRow> {
    let filter = filter.to_lowercase();
    let is_shown = |row: &&InstanceRow| {
        filter.is_empty()
            || row.shown().to_lowercase().contains(&filter)
            || row.description.as_ref().is_some_and(|known| says(known, &filter))
            || row.host.to_lowercase().contains(&filter)
            || row.id().is_some_and(|id| id.to_string() == filter)
    };
    let mut rows: Vec<&InstanceRow> = table.rows.iter().filter(is_shown).collect();
    let counter = match sort {
        Sort::Counter(name) => table.counter(name),
        _ => None,
    };
    let by_choice = |a: &InstanceRow, b: &InstanceRow| match sort {
        Sort::Instance => by_name(a).cmp(&by_name(b)),
        Sort::Id => a.id().cmp(&b.id()),
        Sort::Counter(_) => largest_first(value(a, counter), value(b, counter)),
    };
    let by_choice = |a: &InstanceRow, b: &InstanceRow| {
        let order = by_choice(a, b);
        // Rows without a value stay last.
        let is_missing = counter.is_some() && (value(a, counter).is_none() || value(b, counter).is_none());
        if is_reversed && !is_missing { order.reverse() } else { order }
    };
    // Stable: rows that are equal keep the order of the capture.
    rows.sort_by(|a, b| rank(table, a).cmp(&rank(table, b)).then_with(|| by_choice(a, b)));
    rows
}

/// Whether nothing that is shown happens: none of the rates and shares is above zero. Idle time isn't something that happens.
pub(super) fn is_idle(table: &Instances, columns: &[Column], row: &InstanceRow) -> bool {
    let is_rate = |column: &&Column| column.unit == "%" || column.unit.ends_with("/sec");
    let mut rates = columns.iter().filter(is_rate).peekable();
    let is_busy = |column: &Column| value(row, Some(column.counter)).is_some_and(|value| value > 0.0);
    rates.peek().is_some() && (rank(table, row) == 2 || !rates.any(is_busy))
}

/// Whether what is known of a process contains a text in lower case.
fn says(known: &ProcessDescription, text: &str) -> bool {
    let one =
        [&known.executable, &known.user, &known.unit, &known.cgroup, &known.container, &known.container_name];
    let texts = one.into_iter().flatten().chain(&known.command);
    texts.into_iter().any(|one| one.to_lowercase().contains(text))
}

fn value(row: &InstanceRow, counter: Option<usize>) -> Option<f64> {
    counter.and_then(|at| row.values.get(at).copied().flatten())
}

/// Case doesn't matter, and `#10` comes after `#9`.
fn by_name(row: &InstanceRow) -> (Option<String>, u32) {
    let instance = row.instance.as_ref();
    let parent = |instance: &Instance| instance.parent.as_deref().unwrap_or_default().to_lowercase();
    let name = instance.map(|instance| format!("{}/{}", parent(instance), instance.name.to_lowercase()));
    (name, instance.map_or(0, |instance| instance.ordinal))
}

fn largest_first(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

fn rank(table: &Instances, row: &InstanceRow) -> u8 {
    let Some(instance) = &row.instance else { return 1 };
    let is_idle = table.object.eq_ignore_ascii_case("Process") && !is_process(instance);
    match (instance.is_total(), is_idle) {
        (true, _) => 0,
        (_, true) => 2,
        _ => 1,
    }
}

/// The name of a row, safe for a terminal.
pub(super) fn name(row: &InstanceRow) -> String {
    let shown = row.program();
    output::visible(&shown.chars().take(MAX_LEN_NAME).collect::<String>())
}

/// The unit or container of a row, safe for a terminal.
pub(super) fn place(row: &InstanceRow) -> String {
    output::visible(&row.place().unwrap_or_default())
}

/// What the column of values is called: the instance, if it has a name.
pub(super) fn value_title(row: &InstanceRow) -> String {
    match &row.instance {
        Some(instance) if !instance.is_unnamed() => name(row),
        _ => "value".to_owned(),
    }
}

/// Whether a row began or ended, in one character.
pub(super) fn state(row: &InstanceRow) -> &'static str {
    match (row.began, row.ended) {
        (true, true) => "±",
        (true, false) => "+",
        (false, true) => "-",
        (false, false) => "",
    }
}

/// The same as a text.
pub(super) fn state_text(row: &InstanceRow) -> &'static str {
    match (row.began, row.ended) {
        (true, true) => "began, ended",
        (true, false) => "began",
        (false, true) => "ended",
        (false, false) => "",
    }
}

/// A value with three digits or so, for a narrow screen.
pub(super) fn short_cell(row: &InstanceRow, column: &Column) -> String {
    match row.values.get(column.counter).copied().flatten() {
        Some(value) => quantity(value, column.unit),
        None => "-".to_owned(),
    }
}

/// A value formatted as in `show`, or why there is none.
pub(super) fn full_cell(row: &InstanceRow, column: &Column) -> String {
    match (row.values.get(column.counter), row.statuses.get(column.counter)) {
        (Some(Some(value)), _) => output::number(*value),
        (_, Some(Some(status))) => Status::as_str(*status).to_owned(),
        _ => String::new(),
    }
}
