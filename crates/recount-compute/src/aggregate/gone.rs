//! Instances that no longer exist, and their last values.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recount_model::{Instance, Timestamp};

use super::fold::Fold;

/// Name, parent, id, occurrence number: see [`Instance::key`].
type Key = (Arc<str>, Option<Arc<str>>, Option<u64>, u32);

/// Instances that no longer exist, in the order in which they disappeared.
#[derive(Debug, Default)]
pub(super) struct Gone {
    entries: BTreeMap<u64, Entry>,
    /// Numbers of the entries of each identity, ascending.
    by_key: HashMap<Key, Vec<u64>>,
    next: u64,
    /// Per counter, over all entries in order.
    folds: Vec<Fold>,
}

#[derive(Debug)]
struct Entry {
    instance: Instance,
    /// When it was last present.
    seen: Timestamp,
    /// Per counter, its last value.
    last: Vec<Option<f64>>,
}

impl Gone {
    /// Per counter, all last values. Counters after the end have none.
    pub(super) fn folds(&self) -> &[Fold] {
        &self.folds
    }

    /// Adds an instance with its last values. An instance without values isn't added.
    pub(super) fn put(&mut self, instance: Instance, seen: Timestamp, last: Vec<Option<f64>>) {
        if last.iter().all(Option::is_none) {
            return;
        }
        add(&mut self.folds, &last);
        self.by_key.entry(key(&instance)).or_default().push(self.next);
        self.entries.insert(self.next, Entry { instance, seen, last });
        self.next += 1;
    }

    /// Removes those that have returned.
    pub(super) fn take<'a>(&mut self, returned: impl Iterator<Item = &'a Instance>) {
        let mut any = false;
        for instance in returned {
            any |= self.take_one(instance);
        }
        if any {
            // Recompute from the beginning: subtracting a value from a floating-point sum doesn't give the
            // sum without it.
            self.fold();
        }
    }

    /// Rearranges the values for other definitions, given each counter's previous index.
    pub(super) fn rearrange(&mut self, places: &[Option<usize>]) {
        for entry in self.entries.values_mut() {
            entry.last = rearranged(&entry.last, places);
        }
        self.fold();
    }

    /// Returns whether there was one.
    fn take_one(&mut self, instance: &Instance) -> bool {
        let Some(numbers) = self.by_key.get_mut(&key(instance)) else { return false };
        let is_same = |number: &u64| {
            self.entries.get(number).is_some_and(|entry| instance.is_same(&entry.instance, entry.seen))
        };
        let Some(at) = numbers.iter().position(is_same) else { return false };
        self.entries.remove(&numbers.remove(at));
        if numbers.is_empty() {
            self.by_key.remove(&key(instance));
        }
        true
    }

    fn fold(&mut self) {
        self.folds.clear();
        for entry in self.entries.values() {
            add(&mut self.folds, &entry.last);
        }
    }
}

/// Values in the order of other definitions.
pub(super) fn rearranged(last: &[Option<f64>], places: &[Option<usize>]) -> Vec<Option<f64>> {
    places.iter().map(|place| place.and_then(|place| last.get(place).copied().flatten())).collect()
}

fn add(folds: &mut Vec<Fold>, last: &[Option<f64>]) {
    if folds.len() < last.len() {
        folds.resize(last.len(), Fold::EMPTY);
    }
    for (fold, value) in folds.iter_mut().zip(last) {
        if let Some(value) = value {
            fold.add(*value);
        }
    }
}

fn key(instance: &Instance) -> Key {
    let (_, _, id, ordinal) = instance.key();
    (Arc::clone(&instance.name), instance.parent.clone(), id, ordinal)
}

#[cfg(test)]
mod tests {
    use recount_model::AggregateFunction;

    use super::*;

    fn totals(gone: &Gone) -> Vec<Option<f64>> {
        gone.folds().iter().map(|fold| fold.finish(AggregateFunction::Total).ok()).collect()
    }

    fn process(id: u64, start: i64) -> Instance {
        Instance { id: Some(id), start: Some(Timestamp(start)), ..Instance::named("cc1") }
    }

    #[test]
    fn one_that_returns_takes_its_value_along() {
        let mut gone = Gone::default();
        gone.put(process(7, 1), Timestamp(50), vec![Some(1.0), None]);
        gone.put(process(8, 1), Timestamp(50), vec![Some(0.5), Some(2.0)]);
        gone.put(process(9, 1), Timestamp(50), vec![None, None]);
        assert_eq!(totals(&gone), [Some(1.5), Some(2.0)]);
        gone.take([process(8, 1), process(9, 1)].iter());
        assert_eq!(totals(&gone), [Some(1.0), None]);
        gone.take([process(8, 1)].iter());
        assert_eq!(totals(&gone), [Some(1.0), None]);
    }

    #[test]
    fn an_id_that_is_used_again_is_another_instance() {
        let mut gone = Gone::default();
        gone.put(process(7, 1), Timestamp(50), vec![Some(1.0)]);
        gone.take([process(7, 60)].iter());
        assert_eq!(totals(&gone), [Some(1.0)]);
        gone.put(process(7, 60), Timestamp(70), vec![Some(4.0)]);
        gone.take([process(7, 60)].iter());
        // Both have this identity; only the later one has the given start.
        assert_eq!(totals(&gone), [Some(1.0)]);
    }

    #[test]
    fn values_follow_their_counters() {
        let mut gone = Gone::default();
        gone.put(process(7, 1), Timestamp(50), vec![Some(1.0), Some(2.0)]);
        gone.rearrange(&[Some(1), None, Some(0)]);
        assert_eq!(totals(&gone), [Some(2.0), None, Some(1.0)]);
    }
}
