//! Limits the number of records by the length of the log, so that false claims can't exhaust memory.

/// Records that a log of any length may have: as many as a chunk.
const NUM_RECORDS_FREE: usize = 1 << 20;
/// Additional records allowed per byte. Sealed records of a real recording take at least a byte each, since clocks are
/// never quite regular.
const NUM_RECORDS_PER_BYTE: usize = 16;

/// Maximum number of records, over all chunks, in a log of a given length in bytes
/// (`formats/rcap.md#limits`).
pub(crate) fn max_num_records(len_file: u64) -> u64 {
    len_file.saturating_mul(NUM_RECORDS_PER_BYTE as u64).saturating_add(NUM_RECORDS_FREE as u64)
}
