//! Every file of a test of several files is a module of it. Without its `mod` line a file would be left out in silence.

use std::path::PathBuf;

use crate::{crates, entries, named, read, stem};

#[test]
fn no_file_of_a_test_is_forgotten() {
    let mut forgotten = Vec::new();
    let mut num = 0;
    for folder in crates().iter().flat_map(|folder| entries(&folder.join("tests"))) {
        let main = folder.join("main.rs");
        if !main.is_file() {
            continue;
        }
        let text = read(&main);
        let is_module = |name: &str| text.lines().any(|line| line.trim_start() == format!("mod {name};"));
        let is_code = |path: &PathBuf| {
            path.extension().is_some_and(|extension| extension == "rs") || path.join("mod.rs").is_file()
        };
        for path in entries(&folder).into_iter().filter(is_code) {
            num += 1;
            if path != main && !is_module(stem(&path)) {
                forgotten.push(format!("{}: no `mod {};`", named(&main), stem(&path)));
            }
        }
    }
    assert!(num > 100, "only {num} files were found");
    assert!(forgotten.is_empty(), "{}", forgotten.join("\n"));
}
