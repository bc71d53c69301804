//! The instance table of a run, and whether it has changed.
//!
//! Identities are kept as the original bytes, so that comparing a sample's instances with the table needs
//! neither decoding nor allocation.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use recount_bytes::Encoding;
use recount_model::{Basis, Instance, Instances, Timestamp, number_namesakes};

use super::definitions::Definitions;
use super::parents::{ParentName, Parents};
use crate::{DataBlock, InstanceDefinition, Object};

/// How far ahead the previous table is searched for a name to share: processes come and go one by one.
const LOOK_AHEAD: usize = 16;

/// The identity of an instance, as stored in a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Identity<'a> {
    name: &'a [u8],
    unique_id: Option<i32>,
    id: Option<u64>,
    start: Option<i64>,
    parent: Option<ParentName<'a>>,
}

impl<'a> Identity<'a> {
    pub(super) fn read(
        definitions: &Definitions,
        block: &DataBlock<'a>,
        object: &Object<'a>,
        instance: &InstanceDefinition<'a>,
        parents: &mut Parents,
    ) -> Identity<'a> {
        let values = instance.counter_block;
        let read = |slot: Option<super::definitions::Slot>| slot.and_then(|slot| slot.read(values));
        let unique_id = known(instance.unique_id);
        let id = match unique_id {
            Some(unique_id) => Some(u64::from(unique_id as u32)),
            None => match (definitions.id_process, definitions.id_thread) {
                (Some(_), Some(_)) => read(definitions.id_process)
                    .zip(read(definitions.id_thread))
                    .map(|(process, thread)| process << 32 | thread),
                (process, thread) => read(process.or(thread)),
            },
        };
        // Only then is it a FILETIME. The idle process and totals have no real start.
        let has_start =
            id.is_some_and(|id| id != 0) && object.header().perf_freq == Timestamp::TICKS_PER_SECOND;
        let start = if has_start { read(definitions.start).map(|start| start as i64) } else { None };
        let parent = match instance.parent_object_index {
            0 => None,
            index => parents.find(block, index, instance.parent_instance),
        };
        Identity { name: instance.name, unique_id, id, start, parent }
    }
}

fn known(unique_id: i32) -> Option<i32> {
    if unique_id == InstanceDefinition::NO_UNIQUE_ID { None } else { Some(unique_id) }
}

/// The shown name: for an instance without a name, its id.
fn shown(name: &[u8], unique_id: Option<i32>, encoding: Encoding) -> Arc<str> {
    match (encoding.decode(name), unique_id) {
        (name, Some(unique_id)) if name.is_empty() => unique_id.to_string().into(),
        (name, _) => name.into(),
    }
}

/// The identities of a run's instances.
#[derive(Default)]
pub(super) struct InstanceTable {
    keys: Vec<Key>,
    /// Concatenated names of instances.
    names: Vec<u8>,
    /// Every parent, without duplicates.
    parents: Vec<Parent>,
    parent_at: HashMap<(u32, u32), usize>,
    instances: Vec<Instance>,
}

struct Key {
    name: Range<usize>,
    unique_id: Option<i32>,
    id: Option<u64>,
    start: Option<i64>,
    parent: Option<usize>,
}

struct Parent {
    name: Box<[u8]>,
    unique_id: i32,
    code_page: u32,
    shown: Arc<str>,
}

impl InstanceTable {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether instance `number` of the table is `identity`, seen again after `time_earlier`.
    ///
    /// Agrees with [`Instance::is_same`], except for the occurrence number, which can't have changed if every
    /// instance of the table is the same.
    #[inline]
    pub(super) fn holds(&self, number: usize, identity: &Identity<'_>, time_earlier: Timestamp) -> bool {
        let Some(key) = self.keys.get(number) else { return false };
        let same_thing = match identity.start {
            Some(start) if key.start != identity.start => Timestamp(start) <= time_earlier,
            _ => true,
        };
        same_thing && key.id == identity.id && self.has_name(key, identity) && self.has_parent(key, identity)
    }

    fn has_name(&self, key: &Key, identity: &Identity<'_>) -> bool {
        key.unique_id == identity.unique_id && self.names.get(key.name.clone()) == Some(identity.name)
    }

    fn has_parent(&self, key: &Key, identity: &Identity<'_>) -> bool {
        match (key.parent.and_then(|parent| self.parents.get(parent)), &identity.parent) {
            (None, None) => true,
            (Some(known), Some(parent)) => {
                *known.name == *parent.name
                    && known.unique_id == parent.unique_id
                    && known.code_page == parent.code_page
            }
            _ => false,
        }
    }

    /// Adds an instance after the others. If `before`, an earlier table of the same definitions, has the name
    /// at `cursor` or later, the name is shared with it.
    pub(super) fn add(
        &mut self,
        identity: &Identity<'_>,
        encoding: Encoding,
        before: Option<&InstanceTable>,
        cursor: &mut usize,
    ) {
        let shared = before.and_then(|before| before.find_name(identity, cursor));
        let parent = identity.parent.map(|parent| self.keep_parent(parent));
        self.instances.push(Instance {
            name: shared.unwrap_or_else(|| shown(identity.name, identity.unique_id, encoding)),
            parent: parent.map(|parent| Arc::clone(&self.parents[parent].shown)),
            ordinal: 0,
            id: identity.id,
            start: identity.start.map(Timestamp),
            basis: Basis::default(),
            renewed_after: None,
        });
        let start_name = self.names.len();
        self.names.extend_from_slice(identity.name);
        self.keys.push(Key {
            name: start_name..self.names.len(),
            unique_id: identity.unique_id,
            id: identity.id,
            start: identity.start,
            parent,
        });
    }

    fn keep_parent(&mut self, parent: ParentName<'_>) -> usize {
        let parents = &mut self.parents;
        *self.parent_at.entry(parent.position).or_insert_with(|| {
            parents.push(Parent {
                name: parent.name.into(),
                unique_id: parent.unique_id,
                code_page: parent.code_page,
                shown: shown(parent.name, known(parent.unique_id), parent.encoding()),
            });
            parents.len() - 1
        })
    }

    fn find_name(&self, identity: &Identity<'_>, cursor: &mut usize) -> Option<Arc<str>> {
        let mut ahead = self.keys.get(*cursor..)?.iter().take(LOOK_AHEAD);
        let at = *cursor + ahead.position(|key| self.has_name(key, identity))?;
        *cursor = at + 1;
        self.instances.get(at).map(|instance| Arc::clone(&instance.name))
    }

    /// The table for a run, with occurrence numbers.
    pub(super) fn numbered(&mut self) -> Instances {
        number_namesakes(&mut self.instances);
        Arc::from(&*self.instances)
    }
}
