//! Standard output: tables and JSON.

use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use recount::analysis::is_hidden;
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

/// Writes text to standard error, where standard output is another's.
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

/// A table without lines, whose columns named by `right` are aligned to the right. On a terminal it fits the
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

/// A cell's text: names from captures are foreign, so control characters, and those that turn the direction of the text or
/// hide, are shown as U+FFFD.
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

/// The name of a file without its directory: for titles.
pub(super) fn file_name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string())
}

/// A number for people: up to three decimals, thousands in groups.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    if value != 0.0 && (value.abs() < 0.001 || value.abs() >= 1e15) {
        return format!("{value:.3e}");
    }
    let text = format!("{:.3}", value.abs());
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "000"));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let decimals = decimals.trim_end_matches('0');
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{decimals}")
}

/// A number and what is counted: `1 sample`, `2 samples`.
pub(crate) fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        for (value, expected) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (-1_234_567.891_3, "-1,234,567.891"),
            (999.999_9, "1,000"),
            (100_000.0, "100,000"),
            (0.000_012_3, "1.230e-5"),
            (1e18, "1.000e18"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\n"), "a\u{fffd}[31mb\u{fffd}");
    }
}
