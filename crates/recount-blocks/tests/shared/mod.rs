//! The shared test data.

use std::path::PathBuf;

/// Bytes of a file of the shared data; a missing one fails the test.
pub(crate) fn read(name: &str) -> Vec<u8> {
    let root = std::env::var_os("RECOUNT_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = root.join("perf-data-block").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The real block of 165 processes: 44,400 bytes in a buffer of 260,000.
pub(crate) const PROCESSES: &str = "process-165-instances.bin";
/// Wine's block without objects.
pub(crate) const WINE: &str = "wine-no-objects.bin";
