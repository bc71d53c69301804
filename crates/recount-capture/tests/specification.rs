//! formats/rcap.md against the code: limits, sections, and frame layout.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn specification() -> String {
    fs::read_to_string(root().join("formats/rcap.md")).expect("formats/rcap.md")
}

/// The cells of the table below a heading.
fn rows(text: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).expect(heading);
    let section = section.split("\n## ").next().unwrap_or_default();
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect();
    section.lines().filter(|line| line.starts_with("| `")).map(cells).collect()
}

#[test]
fn limits_are_those_of_the_code() {
    let limits = rows(&specification(), "Limits");
    assert_eq!(limits.len(), 12);
    for limit in limits {
        let [_, name, value, file, ..] = limit.as_slice() else { panic!("{limit:?}") };
        let source = fs::read_to_string(root().join("crates/recount-capture/src").join(file)).expect(file);
        let definition = format!("const {name}: usize = {value};");
        assert!(source.contains(&definition), "{file} has no `{definition}`");
    }
}

#[test]
fn sections_that_are_cited_are_there() {
    let text = specification();
    let anchors: BTreeSet<&str> =
        text.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut cited = BTreeSet::new();
    collect(&root().join("crates"), &mut cited);
    cite(&fs::read_to_string(root().join("formats/rcap.ksy")).expect("rcap.ksy"), &mut cited);
    for section in ["frames", "numbers", "chunk", "section", "columns", "relations", "index", "sealing"] {
        assert!(cited.contains(section), "nobody cites {section}: is this test still looking?");
    }
    // Headings have anchors of their own, as GitHub makes them.
    let heading = |line: &str| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    let headings: BTreeSet<String> =
        text.lines().filter(|line| line.starts_with("##")).map(heading).collect();
    let missing: Vec<&String> = cited
        .iter()
        .filter(|section| !anchors.contains(section.as_str()) && !headings.contains(section.as_str()))
        .collect();
    assert_eq!(missing, [""; 0]);
}

/// Sections of the specification that sources refer to.
fn collect(directory: &Path, cited: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, cited);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            cite(&fs::read_to_string(&path).expect("a source"), cited);
        }
    }
}

fn cite(text: &str, cited: &mut BTreeSet<String>) {
    for citation in text.split("rcap.md#").skip(1) {
        let len = citation.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(citation.len());
        if len > 0 {
            cited.insert(citation[..len].to_owned());
        }
    }
}
