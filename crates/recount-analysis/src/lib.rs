//! Answers from performance counters: what happened in a capture, and what changed between two.
//!
//! Everything here reads the cooked batches of the pipeline ([`recount_compute::run`]) in time order, and
//! keeps what it needs of each series. Captures of any format are passed as
//! [`Input`](recount_compute::Input)s.
//!
//! - [`stats`]: figures of every series, including percentiles, exact and in bounded memory.
//! - [`rules`]: what to look for, as TOML (`formats/rules.md`); the built-in sets, and the import of PAL
//!   thresholds.
//! - [`report`]: findings, charts and tables of a capture, from one pass over it, as HTML, Markdown, JUnit
//!   and JSON.
//! - [`attribution`]: who used the processors, and what has no name.
//! - [`digest`]: a report in a few thousand bytes, with the next questions.
//! - [`diff`]: two captures compared by tests suited to autocorrelated samples.
//! - [`changes`]: when counters went to another level and stayed there.
//! - [`clock_offset`]: by how much the clock of one capture is behind that of another.
//! - [`baseline`]: what is usual for a machine, and what isn't in a capture.
//! - [`target`]: which counters move with one of them.
//! - [`moved`]: which counters changed most in a span of time, in groups that moved together.
//!
//! ```
//! use recount_analysis::rules::{Severity, builtin, parse_rules};
//!
//! let set = parse_rules(builtin("disk").expect("it comes with recount")).expect("sound");
//! assert!(set.rules.iter().any(|rule| rule.severity == Severity::Critical));
//!
//! let faults = parse_rules("[set]\nname = 7\n").expect_err("a name is a text");
//! assert_eq!((faults[0].line, faults[0].column), (2, 8));
//! ```

mod amount;
mod answer;
pub mod attribution;
pub mod baseline;
pub mod changes;
pub mod clock_offset;
pub mod diff;
pub mod digest;
mod false_discovery;
mod least_squares;
mod load;
pub mod moved;
#[cfg(test)]
mod noise;
mod processors;
pub mod report;
pub mod roster;
pub mod rules;
pub mod shown;
pub mod stats;
pub mod target;

pub use answer::{Answer, AnswerError, AnswerFormat, Cell};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
