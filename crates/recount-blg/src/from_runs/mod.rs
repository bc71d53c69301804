//! From runs to a counter list and its records: the form in which any raw source is written
//! (formats/blg.md#from-runs).
//!
//! Two passes over the same runs: [`ListScan`] finds out which entries are needed, [`ListRecords`] creates
//! the records of each sample. A run has the same fields as a record (first and second value, multi count,
//! status), so nothing is computed or lost. Where instances come and go, or fail one by one, objects are written as a
//! whole, if they read back as they were.

mod cells;
mod identity;
mod index_names;
mod layout;
mod log_head;
mod records;
mod scan;
mod view;
mod whole;
mod zone;

pub use layout::ListLayout;
pub use log_head::{LogHead, LogStamps};
pub use records::ListRecords;
pub use scan::ListScan;
