//! Tables of formats/ms-pcq.md, and the tests that they name.

use std::path::Path;

/// A table, with the headings above it.
pub(crate) struct Table {
    pub(crate) section: String,
    pub(crate) heading: String,
    /// Cells of the header and of each row.
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// The subjects of the rows.
    pub(crate) fn items(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row[0].as_str())
    }
}

pub(crate) fn read_page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../formats/ms-pcq.md");
    std::fs::read_to_string(path).expect(path)
}

/// The tables below sections (`##`) and headings (`###`).
pub(crate) fn tables(page: &str) -> Vec<Table> {
    let (mut section, mut heading) = (String::new(), String::new());
    let mut tables: Vec<Table> = Vec::new();
    let mut is_inside = false;
    for line in page.lines() {
        if let Some(text) = line.strip_prefix("## ") {
            (section, heading) = (text.to_owned(), String::new());
        } else if let Some(text) = line.strip_prefix("### ") {
            text.clone_into(&mut heading);
        }
        let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else {
            is_inside = false;
            continue;
        };
        let cells: Vec<String> = row.split(" | ").map(|cell| cell.trim().to_owned()).collect();
        match tables.last_mut().filter(|_| is_inside) {
            None => {
                let (section, heading) = (section.clone(), heading.clone());
                tables.push(Table { section, heading, header: cells, rows: Vec::new() });
            }
            Some(_) if cells.iter().all(|cell| cell == "---") => {}
            Some(table) => table.rows.push(cells),
        }
        is_inside = true;
    }
    tables
}

/// The tests that a text names, `path::function`, each between backticks.
pub(crate) fn tests_in(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let codes = text.split('`').skip(1).step_by(2).filter(|code| code.contains(".rs::"));
    codes.filter_map(|code| code.split_once("::"))
}

/// The file of a test.
pub(crate) fn source(path: &str) -> Result<String, String> {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path);
    std::fs::read_to_string(file).map_err(|error| format!("{path}: {error}"))
}

/// Whether a file has a test of that name that CI runs: it isn't ignored, or only since it reads the shared captures.
/// `#[test]` is among the attributes above it, within a `proptest!` block, too.
pub(crate) fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim_start).collect();
    let head = format!("fn {name}(");
    let is_above = |line: &&&str| line.starts_with("#[") || line.starts_with("//");
    lines.iter().enumerate().filter(|(_, line)| line.starts_with(&head)).any(|(at, _)| {
        let above: Vec<&&str> = lines[..at].iter().rev().take_while(is_above).collect();
        let is_left_out =
            above.iter().any(|line| line.starts_with("#[ignore") && !line.contains("reads ../shared/data"));
        above.iter().any(|line| **line == "#[test]") && !is_left_out
    })
}
