//! Finds where records continue after damage. Records have no signature, but they contain uptime and clock, which run
//! equally fast.

use super::record::{Body, Record, read_record};
use crate::structure::activity::FileActivity;
use crate::structure::header::{Format, Header};
use crate::structure::record::RecordHeader;

/// Maximum distance searched: longer than any record, and short enough to be searched quickly.
const MAX_DISTANCE: usize = 16 << 20;
/// How many places that look like a record are examined.
const MAX_CANDIDATES: usize = 1_000;
/// No recorder pauses for longer within one file.
pub(super) const MAX_PAUSE: u64 = 8 * 86_400;

/// The first record with samples, from an offset on, that continues the given one; without a given one, the first that
/// another continues.
pub(crate) fn resume(
    file: &[u8],
    header: &Header,
    activities: &[FileActivity],
    counts: &[u32],
    from: usize,
    before: Option<RecordHeader>,
) -> Option<usize> {
    let tail = match header.format {
        Format::Current => header.rec_types.len() as usize,
        _ => 40,
    };
    let end = file.len().min(from.saturating_add(MAX_DISTANCE));
    let mut num_candidates = 0;
    // Checks kind and time of day first.
    let looks_sound = |ofs: &usize| {
        let bytes = file.get(ofs + tail..ofs + tail + 4);
        bytes.is_some_and(|bytes| matches!(bytes, [1 | 3, 0..=23, 0..=59, 0..=60]))
    };
    for ofs in (from..end).filter(looks_sound) {
        let Ok(head) = RecordHeader::read(file, header, ofs) else { continue };
        if !head.has_time(header) || before.is_some_and(|before| !follows(header, before, head)) {
            continue;
        }
        num_candidates += 1;
        if num_candidates > MAX_CANDIDATES {
            return None;
        }
        let Ok(record) = read_record(file, header, activities, counts, ofs) else { continue };
        if !matches!(record.body, Body::Statistics(_)) {
            continue;
        }
        let next = RecordHeader::read(file, header, record.next);
        let is_followed = next.is_ok_and(|next| !next.is_statistics() || follows(header, head, next));
        if is_followed || before.is_some() {
            return Some(ofs);
        }
    }
    None
}

/// Whether a record's time may be right: one that is more than a year from the record before isn't, if the record after it follows that.
pub(crate) fn may_be_then(
    file: &[u8],
    header: &Header,
    record: &Record,
    before: Option<RecordHeader>,
) -> bool {
    const FAR: u64 = 366 * 86_400;
    let is_far = before.is_some_and(|before| {
        before.time.abs_diff(record.header.time) > FAR
            && RecordHeader::read(file, header, record.next).is_ok_and(|next| follows(header, before, next))
    });
    record.header.has_time(header) && !is_far
}

/// Whether a record whose time is impossible is sound otherwise: it ends with the file, or where another record begins
/// that can follow the last sound one.
pub(crate) fn only_time_is_wrong(
    file: &[u8],
    header: &Header,
    record: &Record,
    before: Option<RecordHeader>,
) -> bool {
    if record.next == file.len() {
        return true;
    }
    RecordHeader::read(file, header, record.next).is_ok_and(|next| {
        let is_doubtful = next.is_statistics() && before.is_some_and(|before| !follows(header, before, next));
        next.has_time(header) && !is_doubtful
    })
}

/// Whether uptime and clock advanced alike.
pub(super) fn follows(header: &Header, before: RecordHeader, after: RecordHeader) -> bool {
    let advance = (after.time.checked_sub(before.time), after.uptime.checked_sub(before.uptime));
    let (Some(seconds), Some(ticks)) = advance else { return false };
    // The older formats have 100 to 1,024 ticks per second.
    let fastest = if header.format == Format::Current { 101 } else { 1_034 };
    seconds <= MAX_PAUSE
        && ticks > 0
        && ticks >= 99 * seconds.saturating_sub(2)
        && ticks <= fastest * (seconds + 2)
}
