//! Runs to a counter list and its records: what any raw source is written as (formats/blg.md#from-runs).
//!
//! Two passes over the same runs: [`ListScan`] finds out which entries there have to be, [`ListRecords`] makes the
//! records of each sample. A run has what a record has (first and second value, multi count, status), so nothing is
//! computed, and nothing lost.

mod cells;
mod identity;
mod layout;
mod log_head;
mod records;
mod scan;
mod view;
mod zone;

pub use layout::ListLayout;
pub use log_head::{LogHead, LogStamps};
pub use records::ListRecords;
pub use scan::ListScan;
