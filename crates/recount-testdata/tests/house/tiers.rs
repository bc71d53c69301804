//! Tests are in the tier that their names say (CONTRIBUTING.md): what is named `full_...` is built only with the feature
//! `full-tests`, and what is built only with it is named so. Otherwise plain `cargo test` would fail in a clone, or a test would be in
//! neither tier.

use crate::{crates, entries, read, sources_below, stem, workspace};

const FEATURE: &str = "feature = \"full-tests\"";

/// Crates that `cargo test` leaves out, because they take longest to build. `cargo test --workspace` has them.
const NOT_DEFAULT: [&str; 2] = ["crates/recount-remote", "crates/recount-sql"];

/// The name that a line declares after a word: `mod full_tests {` declares `full_tests`.
fn declared<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix("pub ").unwrap_or(rest).strip_prefix(word)?.strip_prefix(' ')?;
    rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}

/// The lines of attributes directly above a line.
fn attributes(before: &[&str]) -> String {
    let above = before.iter().rev().take_while(|line| line.trim_start().starts_with("#["));
    above.map(|line| line.trim()).collect()
}

#[test]
fn test_files_of_the_second_tier_need_the_feature() {
    for folder in crates() {
        let manifest = read(&folder.join("Cargo.toml"));
        for path in entries(&folder.join("tests")) {
            let name = stem(&path);
            let section = format!("[[test]]\nname = \"{name}\"\nrequired-features = [\"full-tests\"");
            let is_full = name.starts_with("full_");
            assert_eq!(
                manifest.contains(&section),
                is_full,
                "{}: its section in Cargo.toml, if it is of the second tier:\n{section}]",
                path.display()
            );
        }
    }
}

#[test]
fn modules_and_functions_of_the_second_tier_need_the_feature() {
    let mut faults = Vec::new();
    for folder in crates() {
        let mut sources = Vec::new();
        sources_below(&folder.join("src"), &mut sources);
        sources_below(&folder.join("tests"), &mut sources);
        // A file named `full_...` is a test of its own, or its `mod` line is looked at.
        sources.retain(|path| !path.iter().any(|part| part.to_string_lossy().starts_with("full_")));
        for path in sources.iter().filter(|path| !path.ends_with("house/tiers.rs")) {
            let text = read(path);
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let above = attributes(&lines[..at]);
                let is_test = above.contains("#[test]");
                let name = declared(line, "mod").or_else(|| declared(line, "fn").filter(|_| is_test));
                let is_full = name.is_some_and(|name| name.starts_with("full_"));
                // Helpers of tests of the second tier may need the feature, too: of modules, those without tests.
                let is_helper = declared(line, "mod") == Some("shared");
                if name.is_some() && !is_helper && above.contains(FEATURE) != is_full {
                    faults.push(format!("{}:{}: {line}", path.display(), at + 1));
                }
            }
        }
    }
    let faults = faults.join("\n");
    assert!(
        faults.is_empty(),
        "expected #[cfg({FEATURE})] above what is named full_..., and nowhere else:\n{faults}"
    );
}

#[test]
fn every_crate_is_tested_by_default() {
    let manifest = read(&workspace().join("Cargo.toml"));
    let (_, list) = manifest.split_once("default-members = [").expect("a list");
    let (list, _) = list.split_once(']').expect("its end");
    let mut default: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    default.extend(NOT_DEFAULT);
    default.sort_unstable();
    let root = workspace();
    let mut all: Vec<String> = crates()
        .iter()
        .map(|folder| folder.strip_prefix(&root).expect("within").to_string_lossy().replace('\\', "/"))
        .collect();
    all.sort_unstable();
    assert_eq!(default, all);
}
