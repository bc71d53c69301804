//! `file_magic` and `file_header`: `formats/sa.md`.

use recount_bytes::{ByteOrder, FormatError};
use recount_model::SampleTime;

use super::number::{Numbers, Triple, structure_at, text, unexpected};
use super::seconds::utc;
use crate::error::SaError;
use crate::version::Version;

pub(crate) const MAGIC: &str = "file_magic";
pub(crate) const HEADER: &str = "file_header";

const MAX_LEN_HEADER: u32 = 8192;
pub(crate) const MAX_ACTIVITIES: u32 = 256;
const MAX_LEN_ACTIVITY: u32 = 1024;
const MAX_LEN_RECORD_HEADER: u32 = 512;
/// A clock that is a little behind that of the file's creation is possible, in seconds.
const MAX_SET_BACK: u64 = 86_400;

/// The formats that are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Format {
    /// 0x1170, of RHEL 6.
    Rhel6,
    /// 0x2170, of 8.1.3 to 9.1.5.
    Early,
    /// 0x2171, of 9.1.6 to 10.2.
    First,
    /// 0x2173, of 10.3.1 to 11.6.
    Second,
    /// 0x2175, since 11.7.1: structures describe their own contents.
    #[default]
    Current,
}

impl Format {
    pub(crate) fn number(self) -> u16 {
        match self {
            Format::Rhel6 => 0x1170,
            Format::Early => 0x2170,
            Format::First => 0x2171,
            Format::Second => 0x2173,
            Format::Current => 0x2175,
        }
    }

    /// Whether structures describe their own contents.
    pub(crate) fn is_current(self) -> bool {
        self == Format::Current
    }

    /// Whether it is one of the formats before 0x2171, whose activities have no magic.
    pub(crate) fn is_early(self) -> bool {
        matches!(self, Format::Rhel6 | Format::Early)
    }
}

/// What the file says about itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    pub(crate) format: Format,
    pub(crate) numbers: Numbers,
    pub(crate) version: Version,
    /// 0, or the version that converted the file, as stored in the file.
    pub(crate) upgraded: u32,
    pub(crate) types: Triple,
    /// Where `file_header` begins.
    pub(crate) ofs: usize,
    pub(crate) len: usize,
    /// Seconds since 1970, UTC.
    pub(crate) created: u64,
    /// Ticks per second of CPU times; `None` if the file doesn't say.
    pub(crate) hz: Option<u64>,
    pub(crate) num_activities: u32,
    /// Entries after each restart that change the numbers of items (0x2173).
    pub(crate) num_volatile: u32,
    pub(crate) act_types: Triple,
    pub(crate) rec_types: Triple,
    pub(crate) len_activity: usize,
    pub(crate) len_record_head: usize,
    /// Where the clock of all rates is in a record's head.
    pub(crate) ofs_uptime: usize,
    /// Whether disks and sums over disks are laid out as RHEL 6 does it (formats before 0x2171).
    pub(crate) is_vendors: bool,
    pub(crate) extra_next: bool,
    /// Local day of the month, and month from 0.
    pub(crate) day: u8,
    pub(crate) month: u8,
    pub(crate) sysname: String,
    pub(crate) nodename: String,
    pub(crate) release: String,
    pub(crate) machine: String,
    /// Abbreviation of the zone; empty if the file doesn't say.
    pub(crate) zone: String,
}

/// Whether an input begins with sysstat's magic number and the number of a format, or is output of `sar`, for which the
/// user needs a hint what to pass instead.
pub(crate) fn recognise(bytes: &[u8]) -> bool {
    recognise_binary(bytes) || is_text_of_sar(bytes)
}

/// Whether an input begins with sysstat's magic number and the number of a format.
pub(crate) fn recognise_binary(bytes: &[u8]) -> bool {
    order_of(bytes).is_some_and(|order| {
        let format = Numbers { order, len_long: 8 }.get::<u16>(bytes, 2).unwrap_or(0);
        matches!(format >> 8, 0x11 | 0x21..=0x2f)
    })
}

fn order_of(bytes: &[u8]) -> Option<ByteOrder> {
    match bytes.get(..2)? {
        [0x96, 0xd5] => Some(ByteOrder::Little),
        [0xd5, 0x96] => Some(ByteOrder::Big),
        _ => None,
    }
}

/// `Linux 6.1.0 (web1)   11/22/26   _x86_64_   (2 CPU)`
fn is_text_of_sar(bytes: &[u8]) -> bool {
    const LEN_LOOKED_AT: usize = 512;
    let start = &bytes[..bytes.len().min(LEN_LOOKED_AT)];
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"Linux ") && line.trim_ascii_end().ends_with(b" CPU)")
}

impl Header {
    /// The earliest time that a record may have, in seconds since 1970: 0 if the date in the header doesn't confirm when the file was
    /// created.
    pub(crate) fn earliest(&self) -> u64 {
        /// From the most western zone to the most eastern one, in minutes.
        const OFFSETS: [i16; 3] = [-12 * 60, 0, 14 * 60];
        let is_confirmed = OFFSETS.into_iter().any(|offset_min| {
            let date = SampleTime { utc: utc(self.created), offset_min }.civil();
            date.is_some_and(|date| {
                (date.month() - 1, date.day()) == (self.month.cast_signed(), self.day.cast_signed())
            })
        });
        if is_confirmed { self.created.saturating_sub(MAX_SET_BACK) } else { 0 }
    }

    /// Reads both structures; `numbers.len_long` is known from then on.
    pub(crate) fn read(file: &[u8]) -> Result<Header, SaError> {
        let Some(order) = order_of(file) else {
            if is_text_of_sar(file) {
                return Err(SaError::Text);
            }
            let start: Vec<String> = file.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            return Err(SaError::NotSa { found: start.join(" ") });
        };
        let numbers = Numbers { order, len_long: 8 };
        let start = structure_at(file, MAGIC, 0, 8)?;
        let version = Version(numbers.get(start, 4).unwrap_or_default());
        match numbers.get::<u16>(start, 2).unwrap_or(0) {
            0x1170 => Ok(Header::read_first(file, Format::Rhel6, numbers, version)?),
            0x2170 => Ok(Header::read_first(file, Format::Early, numbers, version)?),
            0x2171 => Ok(Header::read_first(file, Format::First, numbers, version)?),
            0x2173 => Ok(Header::read_second(file, numbers, version)?),
            0x2175 => Ok(Header::read_current(file, numbers, version)?),
            format @ 0x2160..=0x216f => Err(SaError::TooOld { format, version }),
            format => Err(SaError::UnknownFormat { format, version }),
        }
    }

    /// 0x2171 and the formats before it.
    fn read_first(
        file: &[u8],
        format: Format,
        numbers: Numbers,
        version: Version,
    ) -> Result<Header, FormatError> {
        let (ofs, len) = (8, 280);
        let bytes = structure_at(file, HEADER, ofs, len)?;
        let header = Header::of_old(format, numbers, version, (ofs, bytes, 12))?;
        let num_activities = numbers.get(bytes, 8).unwrap_or(0);
        header.with_activities(num_activities, 8)
    }

    fn read_second(file: &[u8], numbers: Numbers, version: Version) -> Result<Header, FormatError> {
        let magic = structure_at(file, MAGIC, 0, 76)?;
        let ofs = 76;
        let len = len_header(numbers, magic)?;
        if len < 284 {
            return Err(unexpected(MAGIC, "header_size", 8, "at least 284", len));
        }
        let bytes = structure_at(file, HEADER, ofs, len)?;
        let header = Header::of_old(Format::Second, numbers, version, (ofs, bytes, 20))?;
        let num_volatile: u32 = numbers.get(bytes, 16).unwrap_or(0);
        if num_volatile > MAX_ACTIVITIES {
            let expected = format!("at most {MAX_ACTIVITIES}");
            return Err(unexpected(HEADER, "vol_act_nr", ofs + 16, expected, num_volatile));
        }
        let num_activities = numbers.get(bytes, 12).unwrap_or(0);
        Header { num_volatile, ..header }.with_activities(num_activities, 12)
    }

    /// The common part of all formats before 0x2175. `at` holds the offsets of the bytes, the bytes themselves, and
    /// where their date begins.
    fn of_old(
        format: Format,
        numbers: Numbers,
        version: Version,
        at: (usize, &[u8], usize),
    ) -> Result<Header, FormatError> {
        let (ofs, bytes, date) = at;
        let len_long = len_long(bytes, date + 3, ofs)?;
        let numbers = Numbers { len_long, ..numbers };
        Ok(Header {
            format,
            numbers,
            version,
            ofs,
            len: bytes.len(),
            created: numbers.long(bytes, 0).unwrap_or(0),
            len_activity: if format.is_early() { 12 } else { 20 },
            len_record_head: 48,
            ofs_uptime: 16,
            day: bytes[date],
            month: bytes[date + 1],
            ..Header::names(bytes, date + 4)
        })
    }

    fn read_current(file: &[u8], numbers: Numbers, version: Version) -> Result<Header, FormatError> {
        let magic = structure_at(file, MAGIC, 0, 76)?;
        let ofs = 76;
        let len = len_header(numbers, magic)?;
        let types = Triple::read(numbers, magic, 16).unwrap_or_default();
        types.check(MAGIC, "hdr_types", 16, len as u32)?;
        if !types.covers(Triple::new(1, 1, 11)) {
            return Err(unexpected(MAGIC, "hdr_types", 16, "at least (1,1,11)", types));
        }
        let bytes = structure_at(file, HEADER, ofs, len)?;
        let tail = types.len() as usize;
        let len_long = len_long(bytes, tail + 2, ofs)?;
        let numbers = Numbers { len_long, ..numbers };
        let at = |index| types.word(index).unwrap_or(usize::MAX);
        let word = |index| numbers.get::<u32>(bytes, at(index)).unwrap_or(0);
        let triple = |index| Triple::read(numbers, bytes, at(index)).unwrap_or_default();
        let bounded = |index, field, max: u32| match word(index) {
            value if (1..=max).contains(&value) => Ok(value),
            value => Err(unexpected(HEADER, field, ofs + at(index), format!("1 to {max}"), value)),
        };
        let (act_types, rec_types) = (triple(3), triple(6));
        let len_activity = bounded(9, "act_size", MAX_LEN_ACTIVITY)?;
        let len_record_head = bounded(10, "rec_size", MAX_LEN_RECORD_HEADER)?;
        act_types.check(HEADER, "act_types", ofs + at(3), len_activity)?;
        if act_types.words < 9 {
            return Err(unexpected(HEADER, "act_types", ofs + at(3), "at least (0,0,9)", act_types));
        }
        // Type and time of day follow the numbers.
        rec_types.check(HEADER, "rec_types", ofs + at(6), len_record_head.saturating_sub(4))?;
        if rec_types.quads < 2 {
            return Err(unexpected(HEADER, "rec_types", ofs + at(6), "at least (2,0,0)", rec_types));
        }
        let header = Header {
            format: Format::Current,
            numbers,
            version,
            upgraded: numbers.get(magic, 12).unwrap_or(0),
            types,
            ofs,
            len,
            created: numbers.get(bytes, 0).unwrap_or(0),
            hz: types.long(0).and_then(|at| numbers.long(bytes, at)),
            act_types,
            rec_types,
            len_activity: len_activity as usize,
            len_record_head: len_record_head as usize,
            extra_next: types.word(11).is_some() && word(11) != 0,
            day: bytes.get(tail).copied().unwrap_or(0),
            month: bytes.get(tail + 1).copied().unwrap_or(0),
            zone: bytes.get(tail + 263..tail + 271).map(text).unwrap_or_default(),
            ..Header::names(bytes, tail + 3)
        };
        header.with_activities(word(1), at(1))
    }

    fn with_activities(self, num_activities: u32, at: usize) -> Result<Header, FormatError> {
        if (1..=MAX_ACTIVITIES).contains(&num_activities) {
            return Ok(Header { num_activities, ..self });
        }
        let expected = format!("1 to {MAX_ACTIVITIES}");
        Err(unexpected(HEADER, "act_nr", self.ofs + at, expected, num_activities))
    }

    /// A header of which only the four texts are known, 65 bytes each.
    fn names(bytes: &[u8], at: usize) -> Header {
        let name = |index: usize| {
            let bytes = bytes.get(at + 65 * index..).unwrap_or_default();
            text(&bytes[..bytes.len().min(65)])
        };
        Header {
            sysname: name(0),
            nodename: name(1),
            release: name(2),
            machine: name(3),
            ..Header::default()
        }
    }
}

fn len_header(numbers: Numbers, magic: &[u8]) -> Result<usize, FormatError> {
    let len: u32 = numbers.get(magic, 8).unwrap_or(0);
    if (1..=MAX_LEN_HEADER).contains(&len) {
        return Ok(len as usize);
    }
    Err(unexpected(MAGIC, "header_size", 8, format!("1 to {MAX_LEN_HEADER}"), len))
}

fn len_long(bytes: &[u8], at: usize, ofs: usize) -> Result<u8, FormatError> {
    match bytes.get(at) {
        Some(&len @ (4 | 8)) => Ok(len),
        Some(len) => Err(unexpected(HEADER, "sizeof_long", ofs + at, "4 or 8", len)),
        None => Err(unexpected(HEADER, "sizeof_long", ofs + at, "a field inside the header", "its end")),
    }
}
