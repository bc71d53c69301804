//! The worked example of formats/rcap.md: what the scripts say of the tiny log, byte by byte.

use std::path::Path;
use std::process::Command;

use crate::node::Node;

/// Compares formats/rcap-example.txt with what the scripts make of the log. `RECOUNT_BLESS=1` renews it.
pub(crate) fn assert_current(_installed: &Node, log: &Path) {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats");
    // Where Node::install puts them.
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("kaitai").join("rcap-annotate.mjs");
    let output =
        Command::new("node").args([script.as_path(), log, &formats]).output().expect("running Node.js");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = String::from_utf8(output.stdout).expect("text");
    let path = formats.join("rcap-example.txt");
    if std::env::var_os("RECOUNT_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(path, found).expect("renewing");
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (number, (kept, found)) in (1..).zip(kept.lines().zip(found.lines())) {
        assert_eq!(found, kept, "{}, line {number}", path.display());
    }
    assert_eq!(found.len(), kept.len(), "{}", path.display());
}
