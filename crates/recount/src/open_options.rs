//! What captures may not state themselves.

use std::path::PathBuf;

use jiff::tz::TimeZone;
use recount_model::NameTable;
use recount_pdh_text::CodePage;

/// What captures may not state themselves. The default: nothing is known.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Names of objects and counters, for raw dumps.
    pub names: NameTable,
    /// Files that the names were read from: in a directory these are skipped without a note.
    pub name_files: Vec<PathBuf>,
    /// Code page of text without a byte order mark; `None`: the one that its letters are likeliest in.
    pub code_page: Option<CodePage>,
    /// Time zone of captures that name none.
    pub zone: Option<TimeZone>,
}

impl OpenOptions {
    /// Names for raw dumps, and nothing else.
    pub fn with_names(names: NameTable) -> OpenOptions {
        OpenOptions { names, ..OpenOptions::default() }
    }
}
