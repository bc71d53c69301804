//! What is known about all series of a side: their names from the first glance on, their figures once they have been
//! counted.

use recount_analysis::roster::{Grouping, Roster};
use recount_compute::Cooked;

use super::index::Index;
use super::time::Span;

/// Names of all series so far, and their index.
pub(crate) struct Counted {
    /// By shown names.
    pub(crate) roster: Roster,
    pub(crate) index: Index,
}

impl Counted {
    pub(crate) fn new() -> Counted {
        let nowhere = Span { from: 0, to: 0 };
        Counted { roster: Roster::new(Grouping::default()), index: Index::new(nowhere, 0, 0) }
    }

    /// Restarts the counting; the names are kept.
    pub(crate) fn begin(&mut self, span: Span, num_samples: usize) {
        let objects = self.roster.objects().iter();
        let num_series = objects.map(|object| object.instances.len() * object.counters.len()).sum();
        self.index = Index::new(span, num_samples, num_series);
    }

    /// Adds the next batch of the pipeline.
    pub(crate) fn add(&mut self, batch: &[Cooked]) {
        let placed = self.roster.place(batch);
        self.index.add(&placed);
    }
}
