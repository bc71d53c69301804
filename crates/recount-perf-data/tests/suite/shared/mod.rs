//! The shared test data.

/// The real block of 165 processes: 44,400 bytes in a buffer of 260,000.
pub(crate) const PROCESSES: &str = "process-165-instances.bin";
/// Wine's block without objects.
pub(crate) const WINE: &str = "wine-no-objects.bin";

/// Bytes of one of the dumps.
pub(crate) fn read(name: &str) -> Vec<u8> {
    recount_testdata::shared(&format!("perf-data-block/{name}"))
}
