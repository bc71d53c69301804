//! From header cells to objects: which column of the text is which counter of which instance.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{
    CounterDef, CounterPath, FindingKind, Health, Instance, Instances, ObjectDef, Occurrence,
};

use super::encoding::{Text, excerpt};
use super::error::PdhTextError;
use super::header::{HeaderCell, place};

/// Columns stand for a table of instances by counters that may have holes. Cells per column, and cells that any
/// object may have: far beyond what tools write, yet not enough for a header to exhaust the memory.
const MAX_CELLS_PER_COLUMN: usize = 64;
const MIN_CELLS_ALLOWED: usize = 1 << 16;

/// The columns of one object on one host.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) host: Arc<str>,
    pub(super) object: Arc<ObjectDef>,
    pub(super) instances: Instances,
    /// Per counter and instance, `counter * instances.len() + instance`: whether there is a column.
    pub(super) has_column: Vec<bool>,
}

/// Where the values of a column go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) group: usize,
    pub(super) counter: usize,
    pub(super) instance: usize,
}

/// What the header's columns mean.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) groups: Vec<Group>,
    /// Per cell of the header behind the first; `None`: skipped.
    pub(super) targets: Vec<Option<Target>>,
}

/// A group in the making. The maps are for look-up only; keys are in lower case, as Windows compares names.
#[derive(Default)]
struct Draft {
    host: String,
    object: String,
    instanced: bool,
    instances: Vec<Instance>,
    instance_at: HashMap<String, usize>,
    counters: Vec<String>,
    counter_at: HashMap<String, usize>,
    columns: HashMap<(usize, usize), String>,
}

impl Draft {
    fn place_of(&mut self, path: &CounterPath) -> (usize, usize) {
        let instance = instance_of(path);
        self.instanced |= instance.is_some();
        // An object may have an instance of no name, which isn't the same as none.
        let key = instance.as_ref().map_or_else(String::new, |instance| format!("({instance})"));
        let num_instances = self.instances.len();
        let at_instance = *self.instance_at.entry(key.to_lowercase()).or_insert(num_instances);
        if at_instance == num_instances {
            self.instances.push(instance.unwrap_or_default());
        }
        let num_counters = self.counters.len();
        let at_counter = *self.counter_at.entry(path.counter.to_lowercase()).or_insert(num_counters);
        if at_counter == num_counters {
            self.counters.push(path.counter.clone());
        }
        (at_counter, at_instance)
    }

    /// Checks that the table isn't nearly all holes.
    fn check(&self, text: &Text) -> Result<(), PdhTextError> {
        let num_cells = self.instances.len().saturating_mul(self.counters.len());
        if num_cells <= MIN_CELLS_ALLOWED.max(self.columns.len().saturating_mul(MAX_CELLS_PER_COLUMN)) {
            return Ok(());
        }
        Err(PdhTextError::TooSparse {
            ofs: text.ofs_in_file(0),
            object: self.object.clone(),
            num_instances: self.instances.len(),
            num_counters: self.counters.len(),
            num_columns: self.columns.len(),
        })
    }

    fn finish(self) -> Group {
        let num_instances = self.instances.len();
        let mut has_column = vec![false; self.counters.len() * num_instances];
        for counter in 0..self.counters.len() {
            for instance in 0..num_instances {
                has_column[counter * num_instances + instance] =
                    self.columns.contains_key(&(counter, instance));
            }
        }
        let object = ObjectDef {
            name: self.object.into(),
            index: None,
            help: None,
            instanced: self.instanced,
            counters: self.counters.iter().map(|name| cooked_counter(name)).collect(),
            ..ObjectDef::default()
        };
        Group {
            host: self.host.into(),
            object: Arc::new(object),
            instances: self.instances.into(),
            has_column,
        }
    }
}

/// A counter of which nothing but its name and cooked values is known.
fn cooked_counter(name: &str) -> CounterDef {
    CounterDef {
        name: name.into(),
        index: None,
        help: None,
        counter_type: None,
        default_scale: 0,
        detail_level: None,
        len_value: 0,
        time_base: None,
        ..CounterDef::default()
    }
}

fn instance_of(path: &CounterPath) -> Option<Instance> {
    let ordinal = match path.index {
        Some(Occurrence::Number(number)) => number,
        _ => 0,
    };
    let parent = path.parent.as_deref().map(Into::into);
    path.instance.as_deref().map(|name| Instance { parent, ordinal, ..Instance::named(name) })
}

/// The path of a header cell, or why it is none.
fn path_of(cell: &HeaderCell) -> Result<CounterPath, String> {
    let path: CounterPath = cell.text.parse().map_err(|_| {
        format!("expected a counter path, found {:?}: column skipped", excerpt(cell.text.as_bytes()))
    })?;
    if path.index == Some(Occurrence::Any) {
        return Err(format!("expected the path of one counter, found {path}: column skipped"));
    }
    Ok(path)
}

impl Layout {
    /// Groups the columns by host and object, in the order of their first appearance.
    pub(super) fn of(cells: &[HeaderCell], text: &Text, health: &mut Health) -> Result<Layout, PdhTextError> {
        let mut drafts: Vec<Draft> = Vec::new();
        let mut draft_at: HashMap<(String, String), usize> = HashMap::new();
        let mut targets = Vec::with_capacity(cells.len());
        for cell in cells {
            let place = || place(text.ofs_in_file(cell.ofs), Some("counter path"));
            let path = match path_of(cell) {
                Ok(path) => path,
                Err(what) => {
                    health.note(FindingKind::Odd, place(), what);
                    targets.push(None);
                    continue;
                }
            };
            let host = path.host.clone().unwrap_or_default();
            let group =
                *draft_at.entry((host.to_lowercase(), path.object.to_lowercase())).or_insert(drafts.len());
            if group == drafts.len() {
                drafts.push(Draft { host, object: path.object.clone(), ..Draft::default() });
            }
            let draft = &mut drafts[group];
            let (counter, instance) = draft.place_of(&path);
            if let Some(first) = draft.columns.get(&(counter, instance)) {
                let what = format!("{path} stands twice, first as {first}: the first column is kept");
                health.note(FindingKind::Dropped, place(), what);
                targets.push(None);
                continue;
            }
            draft.columns.insert((counter, instance), path.to_string());
            targets.push(Some(Target { group, counter, instance }));
        }
        drafts.iter().try_for_each(|draft| draft.check(text))?;
        if drafts.is_empty() {
            return Err(PdhTextError::NoCounters { ofs: text.ofs_in_file(0) });
        }
        Ok(Layout { groups: drafts.into_iter().map(Draft::finish).collect(), targets })
    }

    /// How many cells a row needs behind its time so that no counter is missing.
    pub(super) fn num_needed(&self) -> usize {
        self.targets.iter().rposition(Option::is_some).map_or(0, |last| last + 1)
    }
}
