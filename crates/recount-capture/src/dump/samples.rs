//! Which samples are shown.

use crate::RecordKind;

/// Counts the samples that are met.
pub(super) struct Samples {
    /// How many are shown.
    pub(super) max: usize,
    pub(super) num: usize,
}

impl Samples {
    /// Whether a record that is met is to be shown.
    pub(super) fn shows(&mut self, kind: RecordKind) -> bool {
        self.num += usize::from(kind.is_sample());
        !kind.is_sample() || self.num <= self.max
    }
}
