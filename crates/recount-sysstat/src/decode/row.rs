//! One instance of a sample.

use recount_model::{Basis, Timestamp};

use super::cpu;
use super::label::Label;

/// Values of an instance.
pub(crate) enum InstanceValues<'a> {
    /// An item of the file, and how long an interface was busy.
    Item(&'a [u8], u64),
    /// Computed from several items, or from one over time.
    Made([u64; cpu::NUM_VALUES]),
}

/// A label, and what distinguishes it from an earlier thing of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity<'a> {
    pub(crate) label: Label<'a>,
    pub(crate) start: Option<Timestamp>,
    pub(crate) basis: Basis,
    /// Whether it is known how long it was busy.
    pub(crate) has_load: bool,
}
