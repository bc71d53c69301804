//! Common parts of the binary formats.
//!
//! - [`fields`] lets a structure name its fields once, for reading, writing and dumps.
//! - [`parse`] makes a nom parser of that list, and combines parsers. Their errors know structure, field and byte offset; they
//!   end up as a [`FormatError`].
//! - [`ByteOrder`], [`Encoding`], [`SystemTime`] and [`ZoneRule`] are the small structures that several formats share.

mod byte_order;
mod error;
mod fault;
pub mod fields;
pub mod parse;
mod scalar;
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
