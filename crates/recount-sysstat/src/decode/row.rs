//! One instance of a sample.

use recount_model::{Basis, Timestamp};

use super::cpu;
use super::label::Label;

/// Values of an instance.
pub(crate) enum InstanceValues<'a> {
    /// An item of the file.
    Item(&'a [u8]),
    /// Computed from several items, or from one over time.
    Made([u64; cpu::NUM_VALUES]),
}

/// A label, and what distinguishes it from an earlier thing of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity<'a> {
    pub(crate) label: Label<'a>,
    pub(crate) start: Option<Timestamp>,
    pub(crate) basis: Basis,
    pub(crate) renewed_after: Option<Timestamp>,
    /// Whether its speed is known, if it is an interface.
    pub(crate) has_speed: bool,
}

impl<'a> Identity<'a> {
    /// One that has nothing but its label.
    pub(crate) fn of(label: Label<'a>) -> Identity<'a> {
        Identity { label, start: None, basis: Basis::default(), renewed_after: None, has_speed: false }
    }
}
