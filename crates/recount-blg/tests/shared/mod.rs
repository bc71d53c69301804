//! The shared data.

use std::path::PathBuf;

/// A file of the shared data; a missing one fails the test.
pub(crate) fn shared(name: &str) -> Vec<u8> {
    let root =
        std::env::var_os("RECOUNT_SHARED").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(root).join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
