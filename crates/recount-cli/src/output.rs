//! Standard output: tables and JSON.

use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
pub(crate) use recount::analysis::shown::{clean, number, plural};
use serde::Serialize;

/// Writes text to standard output. A closed pipe is an error that ends the command quietly.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes bytes to standard output, as they are.
pub(super) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes text to standard error, where standard output is used by something else.
pub(super) fn tell(text: &str) {
    // Nothing can be done if standard error is closed.
    let _ = write!(anstream::stderr(), "{text}");
}

/// Writes a value as indented JSON.
pub(super) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(print(&text)?)
}

/// A table without rules, with the columns in `right` aligned to the right. On a terminal it fits the
/// width; elsewhere lines are as long as they need to be, so that `grep` and `cut` work.
pub(super) fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The name of a file without its directory: for titles.
pub(super) fn file_name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string())
}
