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
//! [`PdhText`] reads every variant produced by locales, spreadsheets and transport; [`PdhTextWriter`] writes
//! the one form that Windows' own tools always read. The values are already cooked, so both use
//! [`recount_model::Cooked`].

mod decode;
mod error;
mod header;
mod identity;
mod names;
mod overlaps;
mod paths;
mod store;
mod structure;
mod text;
mod write;
mod zones;

#[cfg(test)]
mod tests;

pub use error::{PdhTextError, PdhWriteError, RowFault};
pub use store::{PdhText, PdhTextOptions};
pub use structure::mark::Dialect;
pub use text::{CodePage, UnknownCodePage};
pub use write::{Columns, CounterColumn, PdhTextWriter, WrittenTimes};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
