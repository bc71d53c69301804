//! Which counters are shown, and under which titles.

use recount::analysis::shown::unit_of;
use recount::{Instances, Pattern, Selection};

/// Counters of processes as people know them from `top`, with titles for a narrow screen. Of several that say much the
/// same, those in one row, the first that is there.
const OF_PROCESS: [&[(&str, &str)]; 7] = [
    &[("% Processor Time", "CPU")],
    &[("Working Set", "memory")],
    &[("Private Bytes", "private"), ("Virtual Bytes", "virtual")],
    &[("IO Read Bytes/sec", "read")],
    &[("IO Write Bytes/sec", "written")],
    &[("Thread Count", "threads")],
    &[("Page Faults/sec", "faults")],
];
/// Columns of other objects that have several instances, unless more are asked for.
const NUM_OTHER: usize = 8;

/// What was asked for on the command line.
#[derive(Clone)]
pub(super) struct WantedColumns {
    pub(super) counters: Selection,
    pub(super) sort: Option<String>,
}

/// A counter that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// Its place among the counters of the object.
    pub(super) counter: usize,
    /// Its full name.
    pub(super) name: String,
    pub(super) title: String,
    pub(super) unit: &'static str,
}

/// The columns of a table.
pub(super) fn columns(table: &Instances, wanted: &WantedColumns) -> Vec<Column> {
    let mut shown: Vec<Column> = Vec::new();
    let mut push = |counter: usize, title: &str| {
        let known = &table.counters[counter];
        let (name, unit) = (known.name.to_string(), unit_of(&known.name, known.unit));
        if !shown.iter().any(|other| other.counter == counter) {
            shown.push(Column { counter, name, title: title.to_owned(), unit });
        }
    };
    let is_process = table.object.eq_ignore_ascii_case("Process");
    let all = || table.counters.iter().enumerate();
    if !wanted.counters.is_all() {
        for (at, counter) in
            all().filter(|(_, counter)| is_asked_for(&wanted.counters, &table.object, &counter.name))
        {
            push(at, &counter.name);
        }
    } else if is_process {
        for alike in OF_PROCESS {
            if let Some((at, title)) =
                alike.iter().find_map(|(name, title)| Some((table.counter(name)?, title)))
            {
                push(at, title);
            }
        }
    }
    // The counter to sort by is shown, too.
    if let Some(at) = wanted.sort.as_deref().and_then(|sort| named(table, sort)) {
        push(at, &table.counters[at].name);
    }
    let is_alone = wanted.counters.is_all() && !is_process;
    if shown.is_empty() || is_alone {
        let num = if is_tall(table) { usize::MAX } else { NUM_OTHER };
        let first: Vec<Column> = all()
            .filter(|(_, counter)| !counter.name.starts_with("ID "))
            .take(num)
            .map(|(at, counter)| Column {
                counter: at,
                name: counter.name.to_string(),
                title: counter.name.to_string(),
                unit: unit_of(&counter.name, counter.unit),
            })
            .collect();
        let more = shown.into_iter().filter(|column| !first.contains(column)).collect::<Vec<_>>();
        shown = first.into_iter().chain(more).collect();
    }
    shown
}

/// Whether a table has a row per counter: there is one instance, or an object without instances.
pub(super) fn is_tall(table: &Instances) -> bool {
    table.rows.len() == 1 && !table.object.eq_ignore_ascii_case("Process")
}

/// The counter that a text names: as a whole, or else the first that contains it.
pub(super) fn named(table: &Instances, text: &str) -> Option<usize> {
    let text = text.to_lowercase();
    let contains = || table.counters.iter().position(|counter| counter.name.to_lowercase().contains(&text));
    table.counter(&text).or_else(contains)
}

fn is_asked_for(selection: &Selection, object: &str, counter: &str) -> bool {
    let matches = |pattern: &Pattern| match pattern {
        Pattern::Path(_) => pattern.may_match_counter(object, counter),
        Pattern::Contains(_) => pattern.matches("", object, None, counter),
    };
    let matching = selection.noted().filter(|(pattern, _)| matches(pattern));
    matching.map(|(_, note)| note.matched()).count() > 0
}
