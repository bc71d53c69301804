//! The program that makes the samples.

#[path = "../../../recount-blg/examples/make_samples/captures/mod.rs"]
mod captures;

use std::collections::BTreeSet;
use std::path::Path;

use crate::places::{directory, sample};

#[test]
fn the_program_still_writes_these_bytes() {
    for (name, bytes) in captures::all().expect("samples") {
        let kept = std::fs::read(sample(name)).expect(name);
        let differs = kept.iter().zip(&bytes).position(|(one, other)| one != other);
        assert_eq!((kept.len(), differs), (bytes.len(), None), "{name}");
        assert!(bytes.len() < 100_000, "{name} has {} bytes", bytes.len());
    }
}

/// Everything in `samples/` is made by the program, or is a dump or table of values of something that is.
#[test]
fn no_file_is_left_over() {
    let mut made: BTreeSet<String> =
        captures::all().expect("samples").into_iter().map(|(name, _)| name.to_owned()).collect();
    // Of another program: crates/recount-capture/tests/golden.rs has the tests of it.
    let logs = ["closed", "damaged", "foreign", "killed", "sealing", "tiny"];
    made.extend(logs.map(|name| format!("rcap-1/{name}.rcap")));
    let mut found = BTreeSet::new();
    collect(&directory(), "", &mut found);
    let is_derived = |name: &String| name.ends_with(".dump.txt") || name.ends_with(".values.csv");
    // Scripts, which crates/recount/tests/ci_samples.rs runs, and the pictures of the README.
    let is_script = |name: &String| name.starts_with("ci/") || name.starts_with("pictures/");
    let is_rest = |name: &&String| !made.contains(*name) && !is_derived(name) && !is_script(name);
    let rest: Vec<&String> = found.iter().filter(is_rest).collect();
    assert_eq!(rest, [".gitattributes", "README.md"]);
    let readme = std::fs::read_to_string(sample("README.md")).expect("README");
    for name in made.iter().filter(|name| !name.starts_with("series/")) {
        assert!(readme.contains(&format!("`{name}`")), "samples/README.md doesn't tell of {name}");
    }
}

fn collect(directory: &Path, prefix: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name);
        }
    }
}
