//! What two captures say of one object at one time (`formats/ledger.md#one-recording`).

use super::difference::DifferenceKind;
use super::digest::Atom;

/// What two atoms of one time and object say about their recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The same values.
    Same,
    /// Neither for nor against: one has no value, or lacks some as the first sample of a file does, or a damaged one.
    Unclear,
    /// One has values of counters or instances that the other lacks.
    Lacking,
    /// Other values, over another interval.
    OverAnother,
    /// Other values.
    Other,
}

impl Relation {
    pub(super) fn difference(self) -> Option<DifferenceKind> {
        match self {
            Relation::Same | Relation::Unclear => None,
            Relation::Lacking => Some(DifferenceKind::Lacking),
            Relation::OverAnother => Some(DifferenceKind::Interval),
            Relation::Other => Some(DifferenceKind::Values),
        }
    }

    /// `is_cooked`: they have computed values, which are over the time since the sample before.
    pub(crate) fn of(one: &Atom, other: &Atom, is_cooked: bool) -> Relation {
        let is_over_another_time = is_cooked && one.step != other.step && one.step != 0 && other.step != 0;
        if one.shape == other.shape && one.count == other.count {
            return match (one.hash == other.hash, one.count) {
                (true, 0) => Relation::Unclear,
                (true, _) => Relation::Same,
                (false, _) if is_over_another_time => Relation::OverAnother,
                (false, _) => Relation::Other,
            };
        }
        let is_explained = one.count == 0
            || other.count == 0
            || one.step != other.step
            || one.step == 0
            || one.is_damaged
            || other.is_damaged;
        if is_explained { Relation::Unclear } else { Relation::Lacking }
    }

    /// Of the same values under other names.
    pub(super) fn of_alias(one: &Atom, other: &Atom) -> Relation {
        let is_same = one.count > 0 && one.count == other.count && one.plain == other.plain;
        if is_same { Relation::Same } else { Relation::Unclear }
    }
}
