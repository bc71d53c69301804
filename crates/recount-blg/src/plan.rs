//! The meaning of a data block's records: the counter list, grouped by performance object.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use recount_bytes::{FormatError, parse};
use recount_model::{Content, CounterDef, FindingKind, Formula, Health, ObjectDef, Width, id_counters};

use crate::message::{self, Message};
use crate::structure::counter_list::{Entry, ListHead, entries};

/// A counter list.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Entries by position: the record at the same position in a data block belongs to the entry.
    pub(crate) entries: Vec<Entry>,
    /// The use of the record at each position.
    pub(crate) roles: Vec<Role>,
    /// Objects assembled from single counters.
    pub(crate) groups: Vec<Group>,
}

/// The use of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A whole object.
    Object,
    /// The same whole object again: its samples are already known.
    Repeated,
    /// A counter of a group.
    Counter {
        /// Index in `Plan::groups`.
        group: usize,
        /// Index in the group's counters.
        counter: usize,
    },
}

/// An object of one host whose counters the list names individually.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) host: Arc<str>,
    pub(crate) object: Arc<ObjectDef>,
    /// Positions of its entries.
    pub(crate) entries: Vec<usize>,
    /// Counters whose raw values distinguish instances, the process before the thread.
    pub(crate) ids: Vec<usize>,
    /// The counter whose raw value is the start time.
    pub(crate) start: Option<usize>,
}

impl Plan {
    /// Reads a counter list. An entry that can't be read is reported and ends the list: records after it
    /// could not be matched. `hosts` are the machines of the log by their names in lower case, each in its first spelling:
    /// Windows ignores case in them.
    pub(crate) fn read(
        message: &Message,
        content: &dyn Content,
        hosts: &mut HashMap<String, String>,
        health: &mut Health,
    ) -> Plan {
        let mut scratch = Vec::new();
        let payload = message.payload(content, &mut scratch);
        let mut note = |error: FormatError| {
            let error = error.map_ofs(|ofs| message::ofs_in_file(&message.extents, ofs));
            health.note(FindingKind::Damaged, error.place().cloned(), error.what());
        };
        if let Err(error) = parse::settle(ListHead::parse(payload), payload, 0) {
            note(error);
        }
        let entries = entries(payload).map_while(|entry| entry.map_err(&mut note).ok());
        let spelled = |(_, mut entry): (_, Entry)| {
            let first = hosts.entry(entry.host.to_lowercase()).or_insert_with(|| entry.host.clone());
            entry.host.clone_from(first);
            entry
        };
        Plan::of(entries.map(spelled).collect())
    }

    /// The counter in its group for the record at a position; `None` for whole objects.
    pub(crate) fn counter_at(&self, position: usize) -> Option<usize> {
        match self.roles[position] {
            Role::Counter { counter, .. } => Some(counter),
            Role::Object | Role::Repeated => None,
        }
    }

    fn of(entries: Vec<Entry>) -> Plan {
        let mut drafts: Vec<GroupDraft<'_>> = Vec::new();
        let mut by_object: HashMap<(String, String), usize> = HashMap::new();
        let mut by_counter: HashMap<(usize, String, u32), usize> = HashMap::new();
        let mut whole_objects: HashSet<String> = HashSet::new();
        let mut roles = Vec::with_capacity(entries.len());
        for (position, entry) in entries.iter().enumerate() {
            if entry.is_object() {
                let path = entry.path().to_string().to_lowercase();
                roles.push(if whole_objects.insert(path) { Role::Object } else { Role::Repeated });
                continue;
            }
            let key = (entry.host.to_lowercase(), entry.object.to_lowercase());
            let group = *by_object.entry(key).or_insert_with(|| {
                drafts.push(GroupDraft { first: entry, counters: vec![], entries: vec![] });
                drafts.len() - 1
            });
            let draft = &mut drafts[group];
            draft.entries.push(position);
            // The same name with another type word is another counter.
            let key = (group, entry.counter.to_lowercase(), entry.counter_type.0);
            let counter = *by_counter.entry(key).or_insert_with(|| {
                draft.counters.push(entry);
                draft.counters.len() - 1
            });
            roles.push(Role::Counter { group, counter });
        }
        let groups = drafts.into_iter().map(|draft| draft.finish(&entries)).collect();
        Plan { entries, roles, groups }
    }
}

struct GroupDraft<'a> {
    first: &'a Entry,
    counters: Vec<&'a Entry>,
    entries: Vec<usize>,
}

impl GroupDraft<'_> {
    fn finish(self, entries: &[Entry]) -> Group {
        let counters: Vec<CounterDef> = self.counters.iter().map(|entry| counter_def(entry)).collect();
        let is_start = |c: &CounterDef| c.time_base == Some(10_000_000) && c.formula() == Formula::Elapsed;
        Group {
            host: self.first.host.as_str().into(),
            ids: id_counters(&counters),
            start: counters.iter().position(is_start),
            object: Arc::new(ObjectDef {
                name: self.first.object.as_str().into(),
                index: None,
                help: None,
                instanced: self.entries.iter().any(|&position| entries[position].instance.is_some()),
                counters,
                ..ObjectDef::default()
            }),
            entries: self.entries,
        }
    }
}

fn counter_def(entry: &Entry) -> CounterDef {
    let len_value = match entry.counter_type.width(8) {
        Width::Dword => 4,
        Width::Large => 8,
    };
    CounterDef {
        name: entry.counter.as_str().into(),
        index: None,
        help: None,
        counter_type: Some(entry.counter_type),
        default_scale: entry.default_scale,
        detail_level: None,
        len_value,
        time_base: Some(entry.time_base),
        ..CounterDef::default()
    }
}
