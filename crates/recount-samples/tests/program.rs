//! The files of `samples/` are those that the program writes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use recount_samples::{capture_logs, captures};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

#[test]
fn the_program_still_writes_these_bytes() {
    for (name, bytes) in captures::all().expect("samples") {
        let kept = std::fs::read(directory().join(name)).expect(name);
        let differs = kept.iter().zip(&bytes).position(|(one, other)| one != other);
        assert_eq!((kept.len(), differs), (bytes.len(), None), "{name}");
        assert!(bytes.len() < 100_000, "{name} has {} bytes", bytes.len());
    }
}

/// Everything in `samples/` is made by the program, or is a dump or table of values of something that is.
#[test]
fn no_file_is_left_over() {
    let captures = captures::all().expect("samples");
    let logs = capture_logs::all().expect("capture logs");
    let made: BTreeSet<&str> = captures.iter().chain(&logs).map(|(name, _)| *name).collect();
    let mut found = BTreeSet::new();
    collect(&directory(), "", &mut found);
    let is_derived = |name: &String| name.ends_with(".dump.txt") || name.ends_with(".values.csv");
    // What was recorded for docs/something-happened.md.
    let is_other = |name: &String| name.starts_with("moved/");
    let is_rest = |name: &&String| !made.contains(name.as_str()) && !is_derived(name) && !is_other(name);
    let rest: Vec<&String> = found.iter().filter(is_rest).collect();
    assert_eq!(rest, [".gitattributes", "README.md"]);
    assert!(made.iter().all(|name| found.contains(*name)), "{made:?}");
    let readme = std::fs::read_to_string(directory().join("README.md")).expect("README");
    for name in made.iter().filter(|name| !name.starts_with("series/")) {
        assert!(readme.contains(&format!("`{name}`")), "samples/README.md doesn't mention {name}");
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
