//! English names for Windows' objects and counters, whatever the language of a capture.
//!
//! A log has names in the language of its machine, while rules and comparisons ask for English ones.
//! [`in_english`] wraps a capture and renames its objects and counters: by index, if the capture has indexes
//! and the name is one of Windows' own, whose indexes are fixed; otherwise by a table of names in 13
//! languages (`data/README.md`). Names found in neither stay as they are, and one note lists them. [`translated`] takes names from
//! a user's file ([`Translations`]) before. Captures
//! that already have English names are returned unchanged.
//!
//! Logs of other recorders (sysstat, PCP, atop) use other names. Objects and counters with an equivalent get the name
//! that Windows or our own recorder uses, by the table of their source ([`recount_model::Source::canonical`]).
//!
//! Instances keep their names: Windows doesn't translate them. Those of `Process V2`, which is read as `Process` where a capture has no
//! such object, lose the ids in their names.

mod base;
mod definition;
mod process_ids;
mod renamed;
mod source;
mod table;
mod translations;

pub use source::{in_english, translated};
pub use table::text as table_text;
pub use translations::{Translations, TranslationsError};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
