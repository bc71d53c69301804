//! What is known of all series of a side: their names from the first glance on, their figures once they were counted.

use std::collections::HashSet;

use recount_analysis::roster::{Grouping, Placed, Roster};
use recount_compute::Cooked;
use recount_model::{Instance, Timestamp};

use super::index::Index;
use super::time::Span;

/// Names of all series so far, and what they look like from afar.
pub(crate) struct Counted {
    /// By shown names.
    pub(crate) roster: Roster,
    pub(crate) index: Index,
    /// Names that passed from one process to another: object and instance of the roster.
    shared: HashSet<(usize, usize)>,
}

impl Counted {
    pub(crate) fn new() -> Counted {
        let nowhere = Span { from: 0, to: 0 };
        Counted {
            roster: Roster::new(Grouping::default()),
            index: Index::new(nowhere, 0, 0),
            shared: HashSet::new(),
        }
    }

    /// Begins to count anew; the names stay.
    pub(crate) fn begin(&mut self, span: Span, num_samples: usize) {
        let objects = self.roster.objects().iter();
        let num_series = objects.map(|object| object.instances.len() * object.counters.len()).sum();
        self.index = Index::new(span, num_samples, num_series);
    }

    /// Adds the next batch of the pipeline.
    pub(crate) fn add(&mut self, batch: &[Cooked]) {
        let placed = self.roster.place(batch);
        self.index.add(&placed);
        self.note_shared(&placed);
    }

    /// Whether several processes had a name, so that none of their ids stands for its values.
    pub(crate) fn is_shared(&self, object: usize, instance: usize) -> bool {
        self.shared.contains(&(object, instance))
    }

    fn note_shared(&mut self, batch: &[Placed<'_>]) {
        for placed in batch {
            let known = &self.roster.objects()[placed.object].instances;
            for (instance, slot) in placed.cooked.instances.iter().zip(&*placed.slots) {
                let slot = *slot as usize;
                let first = known.get(slot).and_then(|entry| entry.instance.as_ref());
                if first.is_some_and(|first| !is_one(first, instance)) {
                    self.shared.insert((placed.object, slot));
                }
            }
        }
    }
}

/// Whether these are one process. What has no id is known by its name alone.
pub(crate) fn is_one(one: &Instance, other: &Instance) -> bool {
    /// Start times of one process differ by at most this, as in rosters by identity.
    const TOLERANCE: u64 = 2 * Timestamp::TICKS_PER_SECOND as u64;
    let is_same_id = one.id.zip(other.id).is_none_or(|(one, other)| one == other);
    let is_same_start =
        one.start.zip(other.start).is_none_or(|(one, other)| one.0.abs_diff(other.0) <= TOLERANCE);
    is_same_id && is_same_start
}
