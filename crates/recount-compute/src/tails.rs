//! The carry: the last run of every object.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{ObjectDef, Run};

/// Chain of inputs, host, object, and which of its lists of counters.
pub(crate) type ObjectKey = (usize, Arc<str>, Arc<str>, u32);

/// What the runs that may follow each other have in common.
pub(crate) fn key_of(chain: usize, run: &Run) -> ObjectKey {
    (chain, Arc::clone(&run.host), Arc::clone(&run.object.name), run.object.stream)
}

/// The last run of every object so far.
#[derive(Default)]
pub(crate) struct Tails {
    by_object: HashMap<ObjectKey, Vec<Tail>>,
    num_streams: usize,
}

/// The last run of a stream, a sequence of runs in which each follows the previous one.
struct Tail {
    stream: usize,
    run: Arc<Run>,
}

impl Tails {
    /// Returns the stream of `run` and the run that it continues, and replaces that with `run`.
    ///
    /// A log may contain the same object twice (as a whole, and some of its counters by name). Their runs
    /// form separate streams, distinguished by their definitions.
    pub(crate) fn replace(&mut self, chain: usize, run: &Arc<Run>) -> (usize, Option<Arc<Run>>) {
        let tails = self.by_object.entry(key_of(chain, run)).or_default();
        let is_same = |tail: &Tail| tail.is_of(&run.object);
        let begins = run.clocks.time.first().map(|time| time.utc);
        let is_later = |tail: &Tail| tail.run.clocks.time.last().map(|time| time.utc) > begins;
        // Two queries may read one counterset at different times: a run only follows one that has ended.
        let same = tails.iter().position(|tail| is_same(tail) && !is_later(tail));
        // Overlapping times: another stream of the same object.
        let place = same.or_else(|| (tails.len() == 1 && !is_later(&tails[0])).then_some(0));
        let Some(place) = place else {
            let stream = self.num_streams;
            self.num_streams += 1;
            tails.push(Tail { stream, run: Arc::clone(run) });
            return (stream, None);
        };
        let tail = &mut tails[place];
        (tail.stream, Some(std::mem::replace(&mut tail.run, Arc::clone(run))))
    }

    /// Whether there is a run of an object.
    pub(crate) fn has(&self, key: &ObjectKey) -> bool {
        self.by_object.contains_key(key)
    }

    /// Whether there is one with the same definition.
    pub(crate) fn knows(&self, key: &ObjectKey, object: &Arc<ObjectDef>) -> bool {
        self.by_object.get(key).is_some_and(|tails| tails.iter().any(|tail| tail.is_of(object)))
    }

    /// Moves the runs of an object here. Returns the numbers of their streams, there and here.
    pub(crate) fn adopt(&mut self, key: &ObjectKey, from: &mut Tails) -> Vec<(usize, usize)> {
        let mut tails = from.by_object.remove(key).unwrap_or_default();
        let renumbered = tails.iter_mut().map(|tail| {
            let before = std::mem::replace(&mut tail.stream, self.num_streams);
            self.num_streams += 1;
            (before, tail.stream)
        });
        let renumbered = renumbered.collect();
        self.by_object.insert(key.clone(), tails);
        renumbered
    }
}

impl Tail {
    fn is_of(&self, object: &Arc<ObjectDef>) -> bool {
        Arc::ptr_eq(&self.run.object, object) || self.run.object == *object
    }
}
