//! Which samples are shown.

use crate::RecordKind;

/// Counts the samples encountered.
pub(super) struct Samples {
    /// How many are shown.
    pub(super) max: usize,
    pub(super) num: usize,
}

impl Samples {
    /// Counts a record; returns whether to show it.
    pub(super) fn shows(&mut self, kind: RecordKind) -> bool {
        self.num += usize::from(kind.is_sample());
        !kind.is_sample() || self.num <= self.max
    }
}
