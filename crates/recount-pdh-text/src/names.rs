//! From header cells to objects: maps columns of the text to counters and instances.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use recount_model::{
    CounterDef, CounterPath, FindingKind, Health, Instance, Instances, ObjectDef, Occurrence,
};

use crate::error::PdhTextError;
use crate::header::{Header, HeaderCell};
use crate::paths::paths_of;
use crate::text::Text;

/// Columns represent a table of instances by counters that may have gaps. Maximum cells per column, and the
/// number always allowed per object: far more than tools write, but not enough for a header to exhaust
/// memory.
const MAX_CELLS_PER_COLUMN: usize = 64;
const MIN_CELLS_ALLOWED: usize = 1 << 16;

/// The columns of one object on one host.
#[derive(Debug)]
pub(crate) struct ColumnGroup {
    pub(crate) host: Arc<str>,
    pub(crate) object: Arc<ObjectDef>,
    pub(crate) instances: Instances,
    /// Per counter and instance, `counter * instances.len() + instance`: whether there is a column.
    pub(crate) has_column: Vec<bool>,
    /// Per counter: the most that a process can have of it, in %, if that is known; otherwise infinite.
    pub(crate) largest_share: Vec<f64>,
}

/// The target of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColumnTarget {
    pub(crate) group: usize,
    pub(crate) counter: usize,
    pub(crate) instance: usize,
}

/// The meaning of the header's columns.
#[derive(Debug, Default)]
pub(crate) struct HeaderLayout {
    pub(crate) groups: Vec<ColumnGroup>,
    /// Per cell of the header after the first; `None` if skipped.
    pub(crate) targets: Vec<Option<ColumnTarget>>,
    /// Blank cells after them.
    pub(crate) num_blank_cells: usize,
    /// Whether a cell before a path is none: a name may have been cut in two.
    pub(crate) has_stray_cell: bool,
}

/// A group under construction. The maps are for look-up only; keys are in lower case, since Windows ignores
/// case in names.
#[derive(Default)]
struct PendingGroup {
    host: Arc<str>,
    object: String,
    instanced: bool,
    instances: Vec<Instance>,
    instance_at: HashMap<String, usize>,
    counters: Vec<String>,
    counter_at: HashMap<String, usize>,
    columns: HashSet<(usize, usize)>,
}

impl PendingGroup {
    fn place_of(&mut self, path: &CounterPath) -> (usize, usize) {
        let instance = instance_of(path);
        self.instanced |= instance.is_some();
        // An object may have an instance with an empty name, which isn't the same as no instance.
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

    /// Checks that the table isn't nearly empty.
    fn check(&self, header: &Header, text: &Text) -> Result<(), PdhTextError> {
        let num_cells = self.instances.len().saturating_mul(self.counters.len());
        if num_cells <= MIN_CELLS_ALLOWED.max(self.columns.len().saturating_mul(MAX_CELLS_PER_COLUMN)) {
            return Ok(());
        }
        Err(PdhTextError::TooSparse {
            ofs: text.ofs_in_file(header.ofs),
            object: self.object.clone(),
            num_instances: self.instances.len(),
            num_counters: self.counters.len(),
            num_columns: self.columns.len(),
        })
    }

    fn finish(self) -> ColumnGroup {
        let num_instances = self.instances.len();
        let mut has_column = vec![false; self.counters.len() * num_instances];
        for counter in 0..self.counters.len() {
            for instance in 0..num_instances {
                has_column[counter * num_instances + instance] = self.columns.contains(&(counter, instance));
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
        ColumnGroup {
            host: self.host,
            object: Arc::new(object),
            instances: self.instances.into(),
            has_column,
            largest_share: Vec::new(),
        }
    }
}

/// A counter with only a name and cooked values.
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

/// Columns skipped for one reason: their number, and the first.
#[derive(Default)]
struct Skipped<'a> {
    count: usize,
    first: Option<(usize, &'a HeaderCell)>,
}

impl<'a> Skipped<'a> {
    fn add(&mut self, column: usize, cell: &'a HeaderCell) {
        self.count += 1;
        self.first.get_or_insert((column, cell));
    }

    /// Reports them all in one finding, at the first.
    fn note(self, kind: FindingKind, reason: &str, text: &Text, health: &mut Health) {
        let Some((column, cell)) = self.first else { return };
        let (count, number) = (self.count, column + 2);
        let columns = if count == 1 { "column is" } else { "columns are" };
        let what =
            format!("{count} {columns} skipped: {reason}; the first is column {number}, `{}`", cell.text);
        health.note(kind, text.header_place(cell.ofs, Some("counter path")), what);
    }
}

/// The hosts of a text by their first spelling: Windows ignores case in their names.
#[derive(Debug, Default)]
pub(crate) struct HostNames(HashMap<String, Arc<str>>);

impl HostNames {
    fn spelling(&mut self, host: &str) -> Arc<str> {
        self.0.entry(host.to_lowercase()).or_insert_with(|| host.into()).clone()
    }
}

/// Finds what a process can have at most of a share of time: 100 % of each processor, where an object of the same host has the counter for each of
/// them, by their numbers, and for all.
fn limit_shares(groups: &mut [ColumnGroup]) {
    let mut of_host: HashMap<(Arc<str>, Arc<str>), f64> = HashMap::new();
    for group in groups.iter().filter(|group| group.instances.iter().any(Instance::is_total)) {
        let processors = group.instances.iter().filter(|instance| instance.parent.is_none());
        let names: HashSet<&str> = processors.map(|instance| &*instance.name).collect();
        let num = (0..names.len()).take_while(|number| names.contains(number.to_string().as_str())).count();
        for counter in group.object.counters.iter().filter(|counter| num > 0 && counter.name.contains('%')) {
            let known = of_host.entry((Arc::clone(&group.host), Arc::clone(&counter.name))).or_default();
            *known = known.max(100.0 * num as f64);
        }
    }
    for group in groups {
        let limit = |counter: &CounterDef| {
            let key = (Arc::clone(&group.host), Arc::clone(&counter.name));
            of_host.get(&key).copied().unwrap_or(f64::INFINITY)
        };
        group.largest_share = group.object.counters.iter().map(limit).collect();
    }
}

impl HeaderLayout {
    /// Groups the columns by host and object, in the order of their first appearance.
    pub(crate) fn of(
        header: &Header,
        hosts: &mut HostNames,
        text: &Text,
        health: &mut Health,
    ) -> Result<HeaderLayout, PdhTextError> {
        let mut drafts: Vec<PendingGroup> = Vec::new();
        let mut draft_at: HashMap<(Arc<str>, String), usize> = HashMap::new();
        let mut targets = Vec::with_capacity(header.cells.len());
        let (mut no_paths, mut repeated) = (Skipped::default(), Skipped::default());
        let (mut num_stray, mut has_stray_cell) = (0, false);
        let paths = paths_of(&header.cells, text, health);
        for (column, (cell, path)) in header.cells.iter().zip(paths).enumerate() {
            has_stray_cell |= num_stray > 0 && path.is_some();
            let Some(path) = path else {
                num_stray += 1;
                no_paths.add(column, cell);
                targets.push(None);
                continue;
            };
            let host = hosts.spelling(path.host.as_deref().unwrap_or_default());
            let group = *draft_at.entry((host.clone(), path.object.to_lowercase())).or_insert(drafts.len());
            if group == drafts.len() {
                drafts.push(PendingGroup { host, object: path.object.clone(), ..PendingGroup::default() });
            }
            let draft = &mut drafts[group];
            let (counter, instance) = draft.place_of(&path);
            if !draft.columns.insert((counter, instance)) {
                repeated.add(column, cell);
                targets.push(None);
                continue;
            }
            targets.push(Some(ColumnTarget { group, counter, instance }));
        }
        no_paths.note(FindingKind::Odd, "no path of a counter in the header", text, health);
        repeated.note(FindingKind::Dropped, "an earlier column is of the same counter", text, health);
        drafts.iter().try_for_each(|draft| draft.check(header, text))?;
        if drafts.is_empty() {
            return Err(PdhTextError::NoCounters { ofs: text.ofs_in_file(header.ofs) });
        }
        let mut groups: Vec<ColumnGroup> = drafts.into_iter().map(PendingGroup::finish).collect();
        limit_shares(&mut groups);
        Ok(HeaderLayout { groups, targets, num_blank_cells: header.num_blank_cells, has_stray_cell })
    }

    /// How many cells a row needs after its time so that no counter lacks one.
    pub(crate) fn num_needed(&self) -> usize {
        self.targets.iter().rposition(Option::is_some).map_or(0, |last| last + 1)
    }
}
