//! Rules of CONTRIBUTING.md that the compiler doesn't check: the tiers of tests, what tests of the first two may do, their files, the lengths of files and
//! functions, limits, where `unsafe` is, places in pages, and the READMEs of the crates.

mod lengths;
mod limits;
mod machine;
mod modules;
mod pages;
mod readmes;
mod tiers;
mod unsafe_code;

use std::fs;
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a folder has, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The folders of all crates.
fn crates() -> Vec<PathBuf> {
    let mut all = entries(&workspace().join("crates"));
    all.push(workspace().join("benches"));
    all.retain(|folder| folder.join("Cargo.toml").is_file());
    all
}

fn sources_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// A path as it is written in documents: from the root of the workspace, with slashes.
fn named(path: &Path) -> String {
    let root = workspace();
    path.strip_prefix(&root).expect("within").to_string_lossy().replace('\\', "/")
}
