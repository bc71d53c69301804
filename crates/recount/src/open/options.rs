//! What captures may not state themselves.

use std::path::PathBuf;
use std::sync::Arc;

use recount_model::{NameTable, ZoneName};
use recount_names::Translations;
use recount_pdh_text::CodePage;

/// Facts that captures may not state. The default: none is known.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Names of objects and counters, for raw dumps.
    pub names: NameTable,
    /// English names of objects and counters for the captures' own.
    pub translations: Arc<Translations>,
    /// Files from which the names were read: in a directory these are skipped without a note.
    pub name_files: Vec<PathBuf>,
    /// Code page of text without a byte order mark; `None`: the most likely one for its letters.
    pub code_page: Option<CodePage>,
    /// Time zone of captures that don't name theirs.
    pub zone: Option<ZoneName>,
    /// Whether processes and threads of Windows that began since the previous sample have values, which PDH doesn't give them
    /// (`formats/counter-types.md#instances-that-began-in-the-interval`).
    pub since_start: bool,
}

impl OpenOptions {
    /// Options with names for raw dumps only.
    pub fn with_names(names: NameTable) -> OpenOptions {
        OpenOptions { names, ..OpenOptions::default() }
    }
}
