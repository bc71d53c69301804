//! Answers from performance counters: what happened in a capture, and what changed between two.
//!
//! Everything here looks at the cooked batches of the pipeline ([`recount_compute::run`]), in order of time, and keeps what
//! it needs of each series. Captures come in as [`Input`](recount_compute::Input)s, whatever their format.
//!
//! - [`stats`]: figures of every series, percentiles included, exact and in bounded memory.
//! - [`rules`]: what to look for, as TOML (`formats/rules.md`); the sets that come with recount, and thresholds of PAL.
//! - [`report`]: findings, charts and tables of a capture, found out in one pass; as HTML, Markdown, JUnit and JSON.
//! - [`diff`]: two captures compared by tests suited to autocorrelated samples.
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

mod answer;
pub mod diff;
pub mod report;
pub mod roster;
pub mod rules;
pub mod shown;
pub mod stats;

pub use answer::{Answer, AnswerError, AnswerFormat, Cell};
