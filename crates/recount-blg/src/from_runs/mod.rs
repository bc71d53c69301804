//! From runs to a counter list and its records: the form in which any raw source is written
//! (formats/blg.md#from-runs).
//!
//! Two passes over the same runs: [`ListScan`] finds out which entries are needed, [`ListRecords`] creates
//! the records of each sample. A run has the same fields as a record (first and second value, multi count,
//! status), so nothing is computed or lost.

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
