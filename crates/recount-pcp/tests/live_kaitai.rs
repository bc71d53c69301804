//! formats/pcp-archive.ksy against our reader: the parser that the Kaitai Struct compiler generates from it reads the
//! same fields from every file as `recount dump` shows.

#[path = "suite/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};

use recount_pcp::{PartName, dump};
use recount_testdata::shared_path;
use serde_json::Value;

#[path = "../../recount-blg/tests/kaitai/node.rs"]
mod node;

use node::Node;

#[test]
fn a_parser_made_of_the_description_reads_what_ours_reads() {
    let node = Node::install();
    let sample = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pcp"));
    let own = files(&shared_path("pcp/own"));
    // Each file takes a process and a second.
    let some = files(&shared_path("pcp/good")).into_iter().step_by(5);
    let num_lines: usize =
        sample.into_iter().chain(own).chain(some).map(|path| assert_same(&node, &path)).sum();
    assert!(num_lines > 50_000, "{num_lines}");
}

/// The files of archives in a directory, by name.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let is_part = |path: &PathBuf| {
        path.is_file() && path.file_name().and_then(|name| PartName::of(name.to_str()?)).is_some()
    };
    let mut files: Vec<PathBuf> = entries.filter(is_part).collect();
    files.sort();
    files
}

/// Returns the number of lines compared.
fn assert_same(node: &Node, path: &PathBuf) -> usize {
    let (name, content) = support::plain(path);
    let bytes = content.bytes();
    let mut text = String::new();
    dump(&name, bytes, usize::MAX, &mut text).expect("a label");
    let expected: Vec<&str> = text.lines().map(without_offset).collect();
    let found = node.count_bytes("pcp-archive", bytes);
    let found: Vec<String> = found
        .as_array()
        .expect("records")
        .iter()
        .flat_map(|record| record.as_array().expect("lines"))
        .map(line)
        .collect();
    for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "{}, line {number}", path.display());
    }
    assert_eq!(found.len(), expected.len(), "{}", path.display());
    found.len()
}

/// A line of a dump without its offset, and without the meaning of semantics and units.
fn without_offset(line: &str) -> &str {
    let line = line.split_once(' ').map_or(line, |(_, line)| line.trim());
    match line.split_once(" = ") {
        Some(("semantics" | "units", value)) => {
            let len_more = value.split_once(' ').map_or(0, |(_, more)| 1 + more.len());
            &line[..line.len() - len_more]
        }
        _ => line,
    }
}

/// A heading, or a name and its value.
fn line(parts: &Value) -> String {
    let value = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Object(texts) => texts["text"].as_str().expect("a text").escape_debug().to_string(),
        number => number.to_string(),
    };
    parts.as_array().expect("parts").iter().map(value).collect::<Vec<_>>().join(" = ").trim().to_owned()
}
