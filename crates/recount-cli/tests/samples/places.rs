//! Where the captures are.

use std::path::{Path, PathBuf};

use recount::{Capture, NameTable, open_all};

/// A file of `samples/`; a missing one fails the test.
pub(crate) fn sample(name: &str) -> PathBuf {
    let path = directory().join(name);
    assert!(path.is_file(), "{} is missing", path.display());
    path
}

/// `samples/`
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

/// The dumps of the series, in order.
pub(crate) fn series() -> Vec<PathBuf> {
    ["series/1.bin", "series/2.bin", "series/3.bin"].map(sample).into()
}

/// The name table of the series.
pub(crate) fn series_names() -> NameTable {
    let names = NameTable::parse(&std::fs::read(sample("series/Counter 009.txt")).expect("names"));
    assert_eq!(names.get(510), Some("Network Interface"));
    names
}

/// A sample, opened.
pub(crate) fn open_sample(name: &str) -> Vec<Capture> {
    open_all(&[sample(name)], &NameTable::new()).expect("a capture")
}
