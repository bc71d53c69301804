//! What captures may not state themselves.

use std::path::PathBuf;

use recount_model::{NameTable, ZoneName};
use recount_pdh_text::CodePage;

/// Facts that captures may not state. The default: none is known.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Names of objects and counters, for raw dumps.
    pub names: NameTable,
    /// Files from which the names were read: in a directory these are skipped without a note.
    pub name_files: Vec<PathBuf>,
    /// Code page of text without a byte order mark; `None`: the most likely one for its letters.
    pub code_page: Option<CodePage>,
    /// Time zone of captures that don't name theirs.
    pub zone: Option<ZoneName>,
}

impl OpenOptions {
    /// Options with names for raw dumps only.
    pub fn with_names(names: NameTable) -> OpenOptions {
        OpenOptions { names, ..OpenOptions::default() }
    }
}
