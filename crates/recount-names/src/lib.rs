//! Names of Windows' objects and counters in English, whatever language a capture has them in.
//!
//! A log has names in the language of its machine, while rules and comparisons ask for English ones. [`in_english`] puts
//! a step in front of a capture that renames objects and counters: by their index where the capture has it and Windows'
//! own names have fixed ones, else by a table of names in 13 languages (`data/README.md`), else not at all, which a note
//! says once. Captures whose names are English already are left as they are, and cost nothing.
//!
//! Instances keep their names: Windows doesn't translate them.

mod base;
mod definition;
mod fold;
mod source;
mod table;

pub use definition::english;
pub use source::in_english;
pub use table::text as table_text;
