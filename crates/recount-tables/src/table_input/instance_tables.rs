//! Instance tables made from rows, each created once and shared for a while: most samples have the same table
//! as the previous one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use recount_model::{Instance, Instances};

use super::interned::{Interned, NONE};

/// Number of a shown name, and id.
pub(super) type InstanceKey = (u32, Option<u64>);

/// The most recent instance tables.
#[derive(Debug)]
pub(super) struct InstanceTables {
    kept: Mutex<VecDeque<(Vec<InstanceKey>, Instances)>>,
    max_kept: usize,
}

impl InstanceTables {
    /// Without tables; at most this many are kept.
    pub(super) fn keeping(max_kept: usize) -> InstanceTables {
        InstanceTables { kept: Mutex::default(), max_kept }
    }

    /// The table with these instances.
    pub(super) fn of(&self, keys: Vec<InstanceKey>, names: &Interned) -> Instances {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = kept.iter().find(|(known, _)| *known == keys) {
            return Arc::clone(table);
        }
        let instance = |(name, id): &InstanceKey| {
            let instance =
                if *name == NONE { Instance::unnamed() } else { Instance::from_shown(&names.name(*name)) };
            Instance { id: *id, ..instance }
        };
        let table: Instances = keys.iter().map(instance).collect();
        if kept.len() >= self.max_kept {
            kept.pop_front();
        }
        kept.push_back((keys, Arc::clone(&table)));
        table
    }
}
