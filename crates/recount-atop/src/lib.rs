//! Raw logs of atop (`atop -w`), versions 2.3 to 2.13 (`formats/atop.md`).
//!
//! ```text
//! file   = header of 480 bytes, samples
//! sample = header of 96 bytes, system part, task part, cgroup and pid part (2.11 and later), each packed by zlib
//! ```
//!
//! The parts are images of the recorder's memory, so each version has its own layout: [`structure`] has the fields of
//! all versions, in order, and computes their offsets. The recorder stores differences, so values are cooked here: a
//! difference divided by its interval. [`AtopLog`] opens a log by the headers of its samples and unpacks any of them on
//! demand, on any thread.

mod canonical;
mod decode;
mod dump;
mod error;
mod objects;
mod parts;
mod store;
pub mod structure;

pub use dump::dump;
pub use error::AtopError;
pub use store::AtopLog;

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
