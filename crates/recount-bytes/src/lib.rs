//! Common parts of the binary formats of Windows' performance data.
//!
//! - [`parse`] has parser combinators whose errors know structure, field and byte offset; they end up as a
//!   [`FormatError`].
//! - [`fields`] lets a structure name its fields once, for reading, writing and dumps.
//! - [`ByteOrder`], [`Encoding`], [`SystemTime`] and [`ZoneRule`] are the small structures that several formats share.

mod byte_order;
mod error;
pub mod fields;
pub mod parse;
mod system_time;
mod text;
mod zone_rule;

pub use byte_order::ByteOrder;
pub use error::FormatError;
pub use system_time::SystemTime;
pub use text::{Encoding, encode_utf16, sized_text};
pub use zone_rule::{ZoneRule, posix_date};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
