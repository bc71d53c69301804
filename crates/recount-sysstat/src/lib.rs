//! sysstat's daily data files (`sa`): what `sadc` and `sar -o` write and `sar` reads (`formats/sa.md`).
//!
//! A header says which groups of statistics (*activities*) the file holds and how an item of each is laid out; records
//! follow, each with the raw counters of all activities at one time, or a mark: a restart, a comment. [`SaSource`]
//! reads the formats 0x1170 and 0x2170 (RHEL 6), 0x2171 (RHEL 7), 0x2173 and 0x2175 of machines of either byte order and word size, and later
//! versions with longer structures. Objects are named `sar.cpu`, `sar.disk`, and counters as `sar` prints them.

mod decode;
mod dump;
mod error;
mod layout;
mod names;
mod store;
mod structure;
mod version;

pub use dump::dump;
pub use error::SaError;
pub use store::SaSource;
pub use version::Version;

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
