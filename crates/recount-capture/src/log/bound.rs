//! How many records a log may have, by its length: what a log claims must not cost more memory than it has bytes for.

/// Records that any log may have, however short it is: as many as a chunk.
const NUM_RECORDS_FREE: usize = 1 << 20;
/// Records that it may have besides, for each of its bytes. Sealed records of a real recording take a byte each at least,
/// since clocks are never quite regular.
const NUM_RECORDS_PER_BYTE: usize = 16;

/// The most records, over all chunks, that a log of so many bytes may have (`formats/rcap.md#limits`).
pub(crate) fn max_num_records(len_file: u64) -> u64 {
    len_file.saturating_mul(NUM_RECORDS_PER_BYTE as u64).saturating_add(NUM_RECORDS_FREE as u64)
}
