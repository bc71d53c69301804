//! The state of a query: the counters that were added to it.

use std::collections::BTreeMap;

use crate::conversation::InstanceValues;
use crate::{ANY_COUNTER, CounterIdentifier, CounterIdentifierBuf, Guid};

/// The state of a handle (MS-PCQ 3.1.1.5): "a list of performance counter identifiers". The position in the
/// list is the `Index`, and the position of the block in answers.
#[derive(Debug, Default)]
pub(super) struct Query {
    /// In the order in which they were added.
    asked: BTreeMap<u64, Asked>,
    numbers: BTreeMap<Key, u64>,
    num_added: u64,
}

/// The part of a counter identifier that identifies the request.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) guid: Guid,
    /// [`ANY_COUNTER`] for every counter of the counterset.
    pub(super) counter_id: u32,
    pub(super) name: String,
    pub(super) instance_id: u32,
    /// Whether a null ends the name.
    pub(super) is_terminated: bool,
}

/// An added counter, and the meaning of its name.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) named: Named,
    pub(super) wanted: WantedInstances,
}

/// Which instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedInstances {
    /// All active ones. The `InstanceId` with the wildcard is meaningless.
    Any,
    /// The only one of a counterset with a single instance, which needs no name.
    Single,
    /// The one with this name and id: together they identify an instance (2.2.4.5).
    One,
}

/// The key that two identifiers of the same counter and instances share: the id only counts together with a
/// name.
type Key = (Guid, u32, String, Option<u32>);

impl Named {
    pub(super) fn any_counter(&self) -> bool {
        self.counter_id == ANY_COUNTER
    }

    fn key(&self, id: Option<u32>) -> Key {
        (self.guid, self.counter_id, self.name.clone(), id)
    }
}

impl Asked {
    /// The first wanted instance among the active ones; `None` if there is none.
    pub(super) fn find<'a>(&self, instances: &'a [InstanceValues]) -> Option<&'a InstanceValues> {
        let is_wanted = |instance: &&InstanceValues| match self.wanted {
            WantedInstances::Any | WantedInstances::Single => true,
            WantedInstances::One => instance.id == self.named.instance_id && instance.name == self.named.name,
        };
        instances.iter().find(is_wanted)
    }

    /// Its size in bytes, including its key.
    pub(super) fn len(&self) -> usize {
        2 * (CounterIdentifier::LEN + self.named.name.len())
    }

    fn key(&self) -> Key {
        self.named.key((self.wanted == WantedInstances::One).then_some(self.named.instance_id))
    }
}

impl Query {
    /// Size of a query without counters in bytes: about what the table needs for it.
    pub(super) const LEN: usize = 64;

    /// The counters, in order of position.
    pub(super) fn asked(&self) -> impl Iterator<Item = &Asked> {
        self.asked.values()
    }

    pub(super) fn has(&self, asked: &Asked) -> bool {
        self.numbers.contains_key(&asked.key())
    }

    /// Appends a counter: the positions of the others don't change.
    pub(super) fn add(&mut self, asked: Asked) {
        self.numbers.insert(asked.key(), self.num_added);
        self.asked.insert(self.num_added, asked);
        self.num_added += 1;
    }

    /// Removes a counter; those after it move up. `None` if it doesn't exist.
    pub(super) fn remove(&mut self, named: &Named) -> Option<Asked> {
        let mut keys = [None, Some(named.instance_id)].into_iter().map(|id| named.key(id));
        let number = keys.find_map(|key| self.numbers.remove(&key))?;
        self.asked.remove(&number)
    }

    /// Its size in bytes.
    pub(super) fn len(&self) -> usize {
        Self::LEN + self.asked().map(Asked::len).sum::<usize>()
    }

    /// Its counters with their positions (MS-PCQ 3.1.4.1.5). `Status` is success: all of them are in the query.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = CounterIdentifierBuf> + '_ {
        self.asked().zip(0..).map(|(Asked { named, .. }, index)| {
            let name = named.name.as_str();
            let plain = CounterIdentifierBuf::new(named.guid, named.counter_id, named.instance_id, name);
            CounterIdentifierBuf { index, ..plain }
        })
    }
}
