//! Rows while they are put in order.

use recount_model::SampleTime;

use crate::structure::stamp::{Precision, Stamp};

/// A row found by the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScannedRow {
    /// Offset in the text.
    pub(crate) ofs: usize,
    pub(crate) stamp: Stamp,
    /// Whether the previous row in the file is also a sample, or this is the first.
    pub(crate) follows: bool,
    /// Index of its part.
    pub(crate) part: u32,
}

/// A row whose time is known.
#[derive(Clone, Copy)]
pub(super) struct TimedRow {
    pub(super) ofs: usize,
    pub(super) time: SampleTime,
    pub(super) follows: bool,
    pub(super) part: u32,
    pub(super) precision: Precision,
    /// The offset that the row itself has.
    pub(super) offset_min: Option<i16>,
}
