//! Walks from sample to sample by the lengths in their headers, and continues after damage.

use recount_model::{FindingKind, Health, Place};

use crate::structure::layout::Layout;
use crate::structure::{FileHeader, LEN_FILE_HEADER, LEN_RECORD_HEADER, MAX_TIME, Record};

/// The samples of a file, in its order. They don't overlap.
pub(crate) fn walk(file: &[u8], layout: &Layout, health: &mut Health) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let mut ofs = LEN_FILE_HEADER;
    while ofs < file.len() {
        if let Some(record) = Record::read(file, ofs, layout).filter(|record| is_sample(file, record, layout))
        {
            records.push(record);
            ofs += record.len_sample() as usize;
        } else if let Some(record) = Record::read(file, ofs, layout)
            .filter(|record| !record.has_time() && record.is_certain_but_for_time(file))
        {
            let what = format!(
                "expected 1 to {MAX_TIME} seconds since 1970, a time up to the year 2261, found {}: the sample is left out",
                record.time
            );
            health.note(FindingKind::Damaged, Place::field("sample", ofs as u64, "time", ofs as u64), what);
            ofs += record.len_sample() as usize;
        } else {
            match next_after(file, ofs, layout, &mut records, health) {
                Some(next) => ofs = next,
                None => break,
            }
        }
    }
    records
}

/// Whether a sample begins here: either its header is certain, or it is plausible and the sample ends where another
/// begins. A wrong length occasionally leads to bytes that look like a sample.
fn is_sample(file: &[u8], record: &Record, layout: &Layout) -> bool {
    if record.is_certain(file) {
        return true;
    }
    if !record.is_plausible(file.len() - record.ofs) {
        return false;
    }
    let end = record.ofs + record.len_sample() as usize;
    let is_next_certain = || Record::read(file, end, layout).is_some_and(|next| next.is_certain(file));
    end == file.len() || is_next_certain()
}

/// Finds the next certain sample. If it is within the previous one, the lengths of that one were wrong, and it is
/// removed.
fn next_after(
    file: &[u8],
    ofs: usize,
    layout: &Layout,
    records: &mut Vec<Record>,
    health: &mut Health,
) -> Option<usize> {
    let from = records.last().map_or(LEN_FILE_HEADER, |last| last.ofs + LEN_RECORD_HEADER);
    let is_sample = |at: &usize| {
        // The time's upper bytes are 0: a quick test of each place.
        file[at + 5..at + 8] == [0; 3]
            && Record::read(file, *at, layout).is_some_and(|record| record.is_certain(file))
    };
    let last_place = file.len().saturating_sub(LEN_RECORD_HEADER);
    let next = (from..last_place).find(is_sample);
    note(file, ofs, layout, next.is_some(), health);
    if let Some(last) = records.last_mut() {
        last.is_suspect = true;
    }
    if let Some(header) = next.and_then(|next| header_before(file, next)) {
        let what = "another log was joined here, whose file header can't be read: of which machine its samples are isn't known, so they \
                    are left out";
        health.note(FindingKind::Dropped, Place::structure("file header", header as u64), what);
        return None;
    }
    let next = next?;
    if let Some(last) = records.pop_if(|_| next < ofs) {
        let what = format!("the lengths in its header lead past the sample at byte {next:#x}: left out");
        health.note(FindingKind::Dropped, Place::structure("sample", last.ofs as u64), what);
    }
    let what = format!("{} bytes before this sample aren't part of any", next.saturating_sub(ofs));
    if next > ofs {
        health.note(FindingKind::Dropped, Place::structure("sample", next as u64), what);
    }
    Some(next)
}

/// Where a damaged file header is, if the first sample after lost bytes is the first one of another log: half of what
/// all headers have in common is there.
fn header_before(file: &[u8], next: usize) -> Option<usize> {
    let place = next.checked_sub(LEN_FILE_HEADER).filter(|place| *place > 0)?;
    let bytes = &file[place..next];
    let header = FileHeader::read(bytes);
    let signs = [
        bytes.starts_with(&FileHeader::MAGIC),
        header.lens[0] == LEN_FILE_HEADER as u64,
        header.lens[1] == LEN_RECORD_HEADER as u64,
        header.system == "Linux",
    ];
    (signs.iter().filter(|is_there| **is_there).count() >= 2).then_some(place)
}

/// Notes what is wrong with the sample at `ofs`. If others follow, its end isn't missing: its lengths are wrong.
fn note(file: &[u8], ofs: usize, layout: &Layout, is_followed: bool, health: &mut Health) {
    let place = Place::structure("sample", ofs as u64);
    let len_rest = file.len() - ofs;
    let (kind, what) = match Record::read(file, ofs, layout) {
        None => (
            FindingKind::Truncated,
            format!(
                "the file ends in a sample's header: expected {LEN_RECORD_HEADER} bytes, found {len_rest}"
            ),
        ),
        Some(record) if record.is_plausible(usize::MAX) && is_followed => (
            FindingKind::Damaged,
            format!(
                "the lengths in its header add up to {} bytes, and {len_rest} are left in the file",
                record.len_sample()
            ),
        ),
        Some(record) if record.is_plausible(usize::MAX) => (
            FindingKind::Truncated,
            format!("the file ends in a sample: expected {} bytes, found {len_rest}", record.len_sample()),
        ),
        Some(record) => (
            FindingKind::Damaged,
            format!(
                "expected a sample, found one of time {} with a system part of {} bytes",
                record.time, record.parts[0]
            ),
        ),
    };
    health.note(kind, place, what);
}
