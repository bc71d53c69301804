//! The instances of an answer, combined from all blocks of a counterset.

use std::collections::HashMap;
use std::sync::Arc;

use recount_bytes::{ByteOrder, Encoding};
use recount_model::Instance;

use super::view::InstanceAsked;

/// How far ahead the previous rows are searched for a name to share: instances come and go one by one.
const LOOK_AHEAD: usize = 16;

/// An instance table under construction. Rows are instances in order of first appearance.
pub(super) struct Rows<'a> {
    instances: Vec<Instance>,
    /// Rows by id, name and occurrence within a block: "Windows does not enforce that the combination of instance name and
    /// instance be unique" (note 3 of MS-PCQ).
    by_key: HashMap<(u32, &'a [u8], u32), u32>,
    /// Rows by name in lower case; built when an instance is first looked up by name.
    by_name: Option<HashMap<String, Vec<u32>>>,
    num_from_headers: usize,
    before: &'a [Instance],
    cursor: usize,
}

impl<'a> Rows<'a> {
    /// `before`: an earlier table, whose names are shared.
    pub(super) fn new(before: &'a [Instance]) -> Rows<'a> {
        Rows {
            instances: Vec::new(),
            by_key: HashMap::new(),
            by_name: None,
            num_from_headers: 0,
            before,
            cursor: 0,
        }
    }

    /// The rows of a block whose instances have headers. Must be called before any [`Rows::named`].
    pub(super) fn of_headers(&mut self, headers: impl Iterator<Item = (u32, &'a [u8])>) -> Vec<u32> {
        let mut seen: HashMap<(u32, &[u8]), u32> = HashMap::new();
        let rows = headers.map(|(id, name)| {
            let occurrence = seen.entry((id, name)).or_insert(0);
            let key = (id, name, *occurrence);
            *occurrence += 1;
            if let Some(row) = self.by_key.get(&key) {
                return *row;
            }
            let row = self.instances.len() as u32;
            let name = self.shared(id, Encoding::Utf16(ByteOrder::Little).decode(name).as_ref());
            self.instances.push(Instance { id: Some(u64::from(id)), ..Instance::named(name) });
            self.by_key.insert(key, row);
            row
        });
        let rows = rows.collect();
        self.num_from_headers = self.instances.len();
        rows
    }

    /// The one unnamed instance of a counterset without instances.
    pub(super) fn unnamed(&mut self) -> u32 {
        if self.instances.is_empty() {
            self.instances.push(Instance::unnamed());
        }
        0
    }

    /// The row of an instance named by an identifier: the one with its id and name, otherwise the only one of
    /// that name with a header. Servers find instances by name (3.1.4.1.7), so an identifier's id may be
    /// anything.
    pub(super) fn find(&mut self, (id, name): InstanceAsked<'_>) -> Option<u32> {
        self.index_names();
        let rows = self.by_name.as_ref()?.get(&name.to_lowercase())?;
        let instance = |row: u32| self.instances.get(row as usize);
        let is_exact = |row: &&u32| instance(**row).is_some_and(|it| it.id == Some(u64::from(id)));
        match (rows.iter().find(is_exact), rows.as_slice()) {
            (Some(row), _) => Some(*row),
            (None, [row]) if (*row as usize) < self.num_from_headers => Some(*row),
            _ => None,
        }
    }

    /// Like [`Rows::find`], but creates a row if there is none.
    pub(super) fn named(&mut self, asked: InstanceAsked<'_>) -> u32 {
        if let Some(row) = self.find(asked) {
            return row;
        }
        let (id, name) = asked;
        let row = self.instances.len() as u32;
        let shared = self.shared(id, name);
        self.instances.push(Instance { id: Some(u64::from(id)), ..Instance::named(shared) });
        if let Some(by_name) = &mut self.by_name {
            by_name.entry(name.to_lowercase()).or_default().push(row);
        }
        row
    }

    pub(super) fn len(&self) -> usize {
        self.instances.len()
    }

    /// The table.
    pub(super) fn into_instances(self) -> Vec<Instance> {
        self.instances
    }

    fn index_names(&mut self) {
        let instances = &self.instances;
        self.by_name.get_or_insert_with(|| {
            let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
            for (row, instance) in (0..).zip(instances) {
                by_name.entry(instance.name.to_lowercase()).or_default().push(row);
            }
            by_name
        });
    }

    /// The shown name; for an instance without a name, its id.
    fn shared(&mut self, id: u32, name: &str) -> Arc<str> {
        if name.is_empty() {
            return id.to_string().into();
        }
        let mut ahead = self.before.iter().skip(self.cursor).take(LOOK_AHEAD);
        match ahead.position(|instance| &*instance.name == name) {
            Some(at) => {
                let at = self.cursor + at;
                self.cursor = at + 1;
                Arc::clone(&self.before[at].name)
            }
            None => name.into(),
        }
    }
}
