//! What the code says is in a page of `formats/` or `docs/` is there, and the tables of crates and of pages are whole.

use std::collections::HashMap;
use std::path::Path;

use crate::{crates, entries, named, read, sources_below, workspace};

/// The anchors of a page: those that it sets, and those of its headings.
fn anchors(page: &str) -> Vec<String> {
    let set =
        page.split("id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(id, _)| id.to_owned());
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| {
        let text = line.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    });
    set.chain(headings).collect()
}

/// Places in pages that a text names: `formats/blg.md`, or with an anchor.
fn places(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./#".contains(c);
    let begins = ["formats/", "docs/"].iter().flat_map(|folder| text.match_indices(folder).map(|(at, _)| at));
    let ends = begins.map(|at| text[at..].split(|c| !is_part(c)).next().unwrap_or_default());
    ends.map(|place| place.trim_end_matches('.')).filter(|place| place.contains(".md")).collect()
}

#[test]
fn places_in_pages_exist() {
    let mut sources = Vec::new();
    for folder in crates() {
        sources_below(&folder.join("src"), &mut sources);
        sources_below(&folder.join("tests"), &mut sources);
    }
    let mut pages: HashMap<String, Option<Vec<String>>> = HashMap::new();
    let mut faults = Vec::new();
    let mut num = 0;
    for path in sources.iter().filter(|path| !path.ends_with("house/pages.rs")) {
        for place in places(&read(path)) {
            let (page, anchor) = place.split_once('#').unwrap_or((place, ""));
            let known = pages.entry(page.to_owned()).or_insert_with(|| {
                let text = std::fs::read_to_string(workspace().join(page)).ok()?;
                Some(anchors(&text))
            });
            num += 1;
            let is_there = known
                .as_ref()
                .is_some_and(|known| anchor.is_empty() || known.iter().any(|one| one == anchor));
            if !is_there {
                faults.push(format!("{}: {place}", named(path)));
            }
        }
    }
    assert!(num > 200, "only {num} places were found");
    assert!(faults.is_empty(), "there is no such place:\n{}", faults.join("\n"));
}

/// The names that a page's tables begin their rows with.
fn rows(page: &str) -> Vec<String> {
    let text = read(&workspace().join(page));
    let names =
        text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name);
    names.map(|name| name.trim_end_matches('/').to_owned()).collect()
}

#[test]
fn every_crate_has_its_row_in_the_architecture() {
    let rows = rows("ARCHITECTURE.md");
    for folder in crates() {
        let manifest = read(&folder.join("Cargo.toml"));
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        let name = name.expect("a name");
        assert!(rows.iter().any(|row| row == name), "ARCHITECTURE.md has no row for {name}");
    }
}

#[test]
fn every_page_of_a_format_has_its_row() {
    let rows = rows("formats/README.md");
    for path in entries(&workspace().join("formats")) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let is_there = name == "README.md" || rows.iter().any(|row| row == name);
        assert!(is_there, "formats/README.md has no row for {name}");
    }
}

/// All files of the repository, as pages name them.
fn files_below(folder: &Path, found: &mut Vec<String>) {
    let is_made = |path: &Path| ["target", ".git", "node_modules"].iter().any(|name| path.ends_with(name));
    for path in entries(folder).into_iter().filter(|path| !is_made(path)) {
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(format!("/{}", named(&path)));
        }
    }
}

/// The recipes name many, some by the end of their paths.
#[test]
fn files_that_contributing_and_architecture_name_exist() {
    const KINDS: [&str; 10] = [".rs", ".js", ".mjs", ".css", ".py", ".pyi", ".md", ".ksy", ".toml", ".csv"];
    let mut files = Vec::new();
    files_below(&workspace(), &mut files);
    let (mut missing, mut num) = (Vec::new(), 0);
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(&workspace().join(page));
        let is_name = |code: &&str| {
            let is_pattern =
                code.contains("NAME") || code.contains('*') || code.contains(char::is_whitespace);
            !is_pattern && KINDS.iter().any(|kind| code.ends_with(kind))
        };
        // This one is in the shared data.
        let names =
            text.split('`').skip(1).step_by(2).filter(is_name).filter(|name| *name != "counter-vectors.csv");
        for name in names {
            num += 1;
            let end = format!("/{name}");
            if !files.iter().any(|file| file.ends_with(&end)) {
                missing.push(format!("{page}: {name}"));
            }
        }
    }
    assert!(num > 80, "only {num} names were found");
    assert!(missing.is_empty(), "there is no such file:\n{}", missing.join("\n"));
}
