//! A published crate has a README of its own: for whom it is, code that compiles, and where its format is specified.

use std::path::Path;

use crate::{crates, named, read};

/// The command: its README is that of the repository.
const COMMAND: &str = "crates/recount-cli";

fn published() -> Vec<(String, String, std::path::PathBuf)> {
    let with_manifest =
        crates().into_iter().map(|folder| (named(&folder), read(&folder.join("Cargo.toml")), folder));
    with_manifest.filter(|(_, manifest, _)| !manifest.contains("\npublish = false")).collect()
}

/// Targets of the links of a page that lead to files.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets
        .filter(|target| !target.contains("://"))
        .map(|target| target.split('#').next().unwrap_or_default())
}

#[test]
fn published_crates_have_a_readme_with_code_and_a_page() {
    for (name, manifest, folder) in published() {
        if name == COMMAND {
            assert!(manifest.contains("\nreadme.workspace = true"), "{name}");
            continue;
        }
        assert!(manifest.contains("\nreadme = \"README.md\""), "{name}");
        let text = read(&folder.join("README.md"));
        assert!(text.contains("\n```rust"), "{name}: its README shows no code");
        assert!(links(&text).any(|link| link.contains(".md")), "{name}: its README names no page");
        let lib = read(&folder.join("src/lib.rs"));
        let compiled = "#[cfg(doctest)]\n#[doc = include_str!(\"../README.md\")]";
        assert!(lib.contains(compiled), "{name}: nothing compiles the code of its README:\n{compiled}");
    }
}

#[test]
fn links_of_readmes_lead_somewhere() {
    for (name, _, folder) in published() {
        let Ok(text) = std::fs::read_to_string(folder.join("README.md")) else { continue };
        for link in links(&text).filter(|link| !link.is_empty()) {
            assert!(folder.join(Path::new(link)).exists(), "{name}/README.md: {link}");
        }
    }
}

#[test]
fn readmes_are_not_copies() {
    let mut seen: Vec<(String, String)> = Vec::new();
    for (name, _, folder) in published() {
        let Ok(text) = std::fs::read_to_string(folder.join("README.md")) else { continue };
        let first = text.split("\n\n").nth(1).unwrap_or_default().to_owned();
        let other = seen.iter().find(|(_, one)| *one == first);
        assert!(other.is_none(), "{name} and {other:?} say the same");
        seen.push((name, first));
    }
}
