//! PDH text: the tables of cooked values that relog, typeperf and Performance Monitor write and read
//! (`formats/pdh-text.md`).
//!
//! A header line names the counters by their paths, and each further line is one sample:
//!
//! ```text
//! "(PDH-CSV 4.0) (Eastern Daylight Time)(240)","\\WEB1\Memory\Available Bytes"
//! "10/05/2007 15:40:38.659","4096"
//! ```
//!
//! [`PdhText`] reads every variant that locales, spreadsheets and transport make of it; [`PdhTextWriter`] writes
//! the one form that Windows' own tools read anywhere. The values are cooked already, so both exchange
//! [`recount_compute::Cooked`].

mod columns;
mod date_order;
mod daylight;
mod encoding;
mod error;
mod feed;
mod groups;
mod header;
mod number;
mod read;
mod row;
mod scan;
mod stamp;
mod timeline;
mod write;

#[cfg(test)]
mod tests;

pub use columns::{Columns, CounterColumn};
pub use error::{PdhTextError, PdhWriteError};
pub use header::Dialect;
pub use read::{PdhText, Rows};
pub use write::PdhTextWriter;
