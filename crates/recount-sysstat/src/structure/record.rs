//! `record_header`, and the extra structures reserved for extensions: formats/sa.md#records.

use recount_bytes::FormatError;

use super::header::{Format, Header};
use super::number::{Triple, structure_at, unexpected};

pub(crate) const NAME: &str = "record_header";
const EXTRA: &str = "extra_desc";

const MAX_EXTRA: u32 = 8192;
const MAX_LEN_EXTRA: u32 = 1024;

/// 2261-12-31T23:59:59Z: tables count nanoseconds in 64 bits, which end in April 2262.
pub(crate) const MAX_TIME: u64 = 9_214_646_399;

/// Kinds of records.
pub(crate) const RESTART: u8 = 2;
pub(crate) const COMMENT: u8 = 4;

/// Bytes of a comment.
pub(crate) const LEN_COMMENT: usize = 64;

/// Head of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordHeader {
    /// Uptime of the machine: in 1/100 s, or in ticks of a CPU in the older formats.
    pub(crate) uptime: u64,
    /// Seconds since 1970, UTC.
    pub(crate) time: u64,
    pub(crate) extra_next: bool,
    pub(crate) kind: u8,
    /// The same time as local time of the producer.
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    pub(crate) second: u8,
}

impl RecordHeader {
    /// Reads and checks the head at an offset.
    pub(crate) fn read(file: &[u8], header: &Header, ofs: usize) -> Result<RecordHeader, FormatError> {
        let bytes = structure_at(file, NAME, ofs, header.len_record_head)?;
        let numbers = header.numbers;
        let (types, tail) = match header.format {
            Format::Current => (header.rec_types, header.rec_types.len() as usize),
            _ => (Triple::default(), 40),
        };
        let byte = |at: usize| bytes.get(tail + at).copied().unwrap_or(0);
        let is_current = header.format.is_current();
        let record = RecordHeader {
            uptime: numbers.get(bytes, header.ofs_uptime).unwrap_or(0),
            time: if is_current { numbers.get(bytes, 8) } else { numbers.long(bytes, 32) }.unwrap_or(0),
            extra_next: types
                .word(0)
                .and_then(|at| numbers.get::<u32>(bytes, at))
                .is_some_and(|next| next != 0),
            kind: byte(0),
            hour: byte(1),
            minute: byte(2),
            second: byte(3),
        };
        let max_kind = if is_current { 15 } else { 4 };
        let limits = [
            ("record_type", record.kind, 1, max_kind),
            ("hour", record.hour, 0, 23),
            ("minute", record.minute, 0, 59),
            ("second", record.second, 0, 60),
        ];
        for (index, (field, value, min, max)) in limits.into_iter().enumerate() {
            if !(min..=max).contains(&value) {
                let expected = format!("{min} to {max}");
                return Err(unexpected(NAME, field, ofs + tail + index, expected, value));
            }
        }
        Ok(record)
    }

    /// Uptime and time of a head whose other fields may be damaged, or cut off.
    pub(crate) fn clocks(file: &[u8], header: &Header, ofs: usize) -> Option<RecordHeader> {
        let bytes = file.get(ofs..)?;
        let uptime = header.numbers.get(bytes, header.ofs_uptime)?;
        let ofs_time = if header.format.is_current() { 8 } else { 32 };
        let time = if header.format.is_current() {
            header.numbers.get(bytes, ofs_time)
        } else {
            header.numbers.long(bytes, ofs_time)
        };
        Some(RecordHeader { uptime, time: time?, ..RecordHeader::default() })
    }

    /// Whether tables can hold its time, and it isn't from before the file.
    pub(crate) fn has_time(self, header: &Header) -> bool {
        (header.earliest()..=MAX_TIME).contains(&self.time)
    }

    /// The error for a time that can't be one, of the record at an offset.
    pub(crate) fn impossible_time(self, header: &Header, ofs: usize) -> FormatError {
        let ofs_time = if header.format.is_current() { 8 } else { 32 };
        let earliest = header.earliest();
        let expected = if self.time > MAX_TIME {
            format!("0 to {MAX_TIME} seconds since 1970, a time up to the year 2261")
        } else if self.time < earliest {
            format!("at least {earliest} seconds since 1970, a day before the file was created")
        } else {
            "less than a year from the records before and after it".to_owned()
        };
        unexpected(NAME, "ust_time", ofs + ofs_time, expected, self.time)
    }

    /// Whether activities follow.
    pub(crate) fn is_statistics(self) -> bool {
        matches!(self.kind, 1 | 3)
    }

    /// Seconds of the day, in local time of the producer.
    pub(crate) fn second_of_day(self) -> i64 {
        i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second)
    }
}

/// Skips the extra structures at an offset, if any.
pub(crate) fn skip_extra(
    file: &[u8],
    header: &Header,
    mut ofs: usize,
    mut extra_next: bool,
) -> Result<usize, FormatError> {
    while extra_next {
        let bytes = structure_at(file, EXTRA, ofs, 24)?;
        let word = |index: usize| header.numbers.get::<u32>(bytes, 4 * index).unwrap_or(0);
        let (num, len) = (word(0), word(1));
        for (field, at, value, max) in
            [("extra_nr", 0, num, MAX_EXTRA), ("extra_size", 4, len, MAX_LEN_EXTRA)]
        {
            if value > max {
                return Err(unexpected(EXTRA, field, ofs + at, format!("at most {max}"), value));
            }
        }
        extra_next = word(2) != 0;
        let len_all = num as usize * len as usize;
        structure_at(file, "extra structures", ofs + 24, len_all)?;
        ofs += 24 + len_all;
    }
    Ok(ofs)
}
