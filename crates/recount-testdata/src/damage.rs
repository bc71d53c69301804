//! Where damage tests damage real files, and how much memory they may take.

/// Asserts that this process has never had more memory than reading damaged files may take: 256 MiB.
///
/// # Panics
/// If it had, or if the system doesn't say.
#[expect(clippy::panic, reason = "tests fail by panicking")]
pub fn assert_memory_is_bounded() {
    const MAX_KIB: u64 = 256 << 10;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    match kib {
        Some(kib) if kib < MAX_KIB => {}
        Some(kib) => panic!("{kib} KiB of memory at the peak, {MAX_KIB} are allowed"),
        None => panic!("/proc/self/status doesn't have the peak of memory"),
    }
}

/// Lengths at which to truncate a file: `num` of them, over all of it and at odd offsets.
pub fn cuts(len: usize, num: usize) -> impl Iterator<Item = usize> {
    (0..num).map(move |place| (len * place / num + place % 7).min(len))
}

/// Bits to flip: every other one in the words that begin the records, where lengths and times are, and the others
/// anywhere. `records` are the offsets of records, `head` the range of bytes within a record, and `all` that of the
/// whole file.
pub fn flips(
    records: &[usize],
    head: std::ops::Range<usize>,
    all: std::ops::Range<usize>,
    num: usize,
) -> impl Iterator<Item = (usize, u8)> {
    (0..num).map(move |place| {
        let at = if place % 2 == 0 && !records.is_empty() {
            records[place % records.len()] + head.start + place * head.len() / num
        } else {
            all.start + all.len() * place / num
        };
        (at, 1 << (place % 8))
    })
}
