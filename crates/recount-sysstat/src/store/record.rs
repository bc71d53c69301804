//! One record of a file.

use recount_bytes::FormatError;

use crate::names::Activity;
use crate::structure::activity::{FileActivity, max_items};
use crate::structure::header::{Format, Header};
use crate::structure::number::{structure_at, text, unexpected};
use crate::structure::record::{COMMENT, LEN_COMMENT, RESTART, RecordHeader, skip_extra};

/// A record and where the next begins.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) header: RecordHeader,
    pub(crate) body: Body,
    pub(crate) next: usize,
}

/// What a record holds.
#[derive(Debug)]
pub(crate) enum Body {
    /// Activities, from this byte on.
    Statistics(usize),
    /// Changed numbers of items, as (activity, items).
    Restart(Vec<(u32, u32)>),
    Comment(String),
    /// An unknown kind of record.
    Other,
}

impl Body {
    /// For findings.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Body::Statistics(_) => "the sample",
            Body::Restart(_) => "the time of the restart",
            Body::Comment(_) => "the comment",
            Body::Other => "the record",
        }
    }
}

/// Reads the record at an offset. `counts` has the numbers of items, if records don't state them.
pub(crate) fn read_record(
    file: &[u8],
    header: &Header,
    activities: &[FileActivity],
    counts: &[u32],
    ofs: usize,
) -> Result<Record, FormatError> {
    let record = RecordHeader::read(file, header, ofs)?;
    let ofs = ofs + header.len_record_head;
    let (body, next) = match record.kind {
        RESTART => {
            let (changes, end) = restart(file, header, ofs)?;
            (Body::Restart(changes), skip_extra(file, header, end, record.extra_next)?)
        }
        COMMENT => {
            let comment = text(structure_at(file, "comment", ofs, LEN_COMMENT)?);
            (Body::Comment(comment), skip_extra(file, header, ofs + LEN_COMMENT, record.extra_next)?)
        }
        _ => {
            let begin = skip_extra(file, header, ofs, record.extra_next)?;
            if record.is_statistics() {
                let mut end = begin;
                for (activity, &count) in activities.iter().zip(counts) {
                    (_, end) = items(file, header, activity, count, end)?;
                }
                (Body::Statistics(begin), end)
            } else {
                (Body::Other, begin)
            }
        }
    };
    Ok(Record { header: record, body, next })
}

/// The bytes of an activity's items at an offset, and where they end.
pub(crate) fn items<'a>(
    file: &'a [u8],
    header: &Header,
    activity: &FileActivity,
    count: u32,
    ofs: usize,
) -> Result<(&'a [u8], usize), FormatError> {
    let (count, ofs) = if activity.has_count {
        let bytes = structure_at(file, "number of items", ofs, 4)?;
        let found = header.numbers.get::<u32>(bytes, 0).unwrap_or(0);
        let max = max_items(activity.id);
        if found > max {
            let expected = format!("0 to {max} items of {}", Activity::name_of(activity.id));
            return Err(unexpected("number of items", "nr", ofs, expected, found.cast_signed()));
        }
        (found, ofs + 4)
    } else {
        (count, ofs)
    };
    let len = usize::try_from(activity.len_items(count)).unwrap_or(usize::MAX);
    let bytes = structure_at(file, Activity::name_of(activity.id), ofs, len)?;
    Ok((bytes, ofs + len))
}

/// The numbers of items after a restart.
fn restart(file: &[u8], header: &Header, ofs: usize) -> Result<(Vec<(u32, u32)>, usize), FormatError> {
    const LEN_ENTRY: usize = 20;
    match header.format {
        Format::Rhel6 | Format::Early | Format::First => Ok((Vec::new(), ofs)),
        Format::Second => {
            let bytes = structure_at(file, "restart", ofs, LEN_ENTRY * header.num_volatile as usize)?;
            let entries = bytes.chunks_exact(LEN_ENTRY).enumerate();
            let mut changes = Vec::new();
            for (index, entry) in entries {
                let word = |at| header.numbers.get::<u32>(entry, at).unwrap_or(0);
                let (id, count) = (word(0), word(8));
                if count > max_items(id) {
                    let expected = format!("0 to {} items of {}", max_items(id), Activity::name_of(id));
                    return Err(unexpected("restart", "nr", ofs + LEN_ENTRY * index + 8, expected, count));
                }
                changes.push((id, count));
            }
            changes.retain(|(id, _)| *id != 0);
            Ok((changes, ofs + bytes.len()))
        }
        Format::Current => {
            let bytes = structure_at(file, "restart", ofs, 4)?;
            match header.numbers.get::<i32>(bytes, 0).unwrap_or(0) {
                1.. => Ok((Vec::new(), ofs + 4)),
                count => Err(unexpected("restart", "cpu_nr", ofs, "at least 1", count)),
            }
        }
    }
}
