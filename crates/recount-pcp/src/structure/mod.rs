//! The structures of the files: read, and shown in dumps.

mod domain;
mod frame;
mod label;
mod label_set;
mod metric;
mod record;
mod text;

use std::fmt;

use recount_bytes::FormatError;
use recount_bytes::fields::Fields;
use recount_bytes::parse::{Parsed, settle};
use recount_model::{Place, Timestamp};

use crate::PcpError;

pub(crate) use domain::DomainRecord;
pub(crate) use frame::{Frame, Frames, be_u32};
pub(crate) use label::Label;
pub(crate) use label_set::LabelRecord;
pub(crate) use metric::MetricRecord;
pub(crate) use record::{DataRecord, ValueSet};
pub(crate) use text::TextRecord;

/// Type words of the records of `.meta`.
pub(crate) mod kind {
    pub(crate) const METRIC: u32 = 1;
    pub(crate) const DOMAIN_2: u32 = 2;
    pub(crate) const LABELS_2: u32 = 3;
    pub(crate) const TEXT: u32 = 4;
    pub(crate) const DOMAIN_3: u32 = 5;
    pub(crate) const DELTA: u32 = 6;
    pub(crate) const LABELS_3: u32 = 7;

    pub(crate) fn is_known(kind: u32) -> bool {
        (METRIC..=LABELS_3).contains(&kind)
    }
}

/// The version, which determines the layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Version {
    #[default]
    V2,
    V3,
}

impl Version {
    pub(crate) const fn number(self) -> u8 {
        match self {
            Version::V2 => 2,
            Version::V3 => 3,
        }
    }

    /// Bytes of a label, its length words included.
    pub(crate) const fn len_label(self) -> usize {
        match self {
            Version::V2 => 132,
            Version::V3 => 808,
        }
    }

    /// Bytes of a time.
    pub(crate) const fn len_time(self) -> usize {
        match self {
            Version::V2 => 8,
            Version::V3 => 12,
        }
    }

    /// Where the value sets of a data record begin.
    pub(crate) const fn ofs_sets(self) -> usize {
        8 + self.len_time()
    }
}

/// Whether a file begins with the label of an archive, in a supported version or in version 1, which isn't supported.
pub fn recognise(bytes: &[u8]) -> bool {
    let (Some(len), Some(magic)) = (be_u32(bytes, 0), be_u32(bytes, 4)) else { return false };
    (magic == Label::MAGIC + 1 && len == 132) || Version::of(len, magic).is_some()
}

/// What is wrong with the label of a file that isn't [recognised](recognise).
pub fn label_error(bytes: &[u8]) -> Option<FormatError> {
    match Label::read("", bytes) {
        Err(PcpError::Label { source, .. }) => Some(*source),
        _ => None,
    }
}

impl Version {
    /// Determines it by the length and the magic word of a label.
    fn of(len: u32, magic: u32) -> Option<Version> {
        [Version::V2, Version::V3].into_iter().find(|version| {
            magic == Label::MAGIC + u32::from(version.number()) && len as usize == version.len_label()
        })
    }
}

/// A time: nanoseconds since 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp(pub(crate) u64);

const NANOS: u64 = 1_000_000_000;

impl Stamp {
    /// What a record's time must be.
    pub(crate) const EXPECTED: &'static str = "a time of the years 1970 to 2261";
    /// The first second of 2262. In that year, the nanoseconds since 1970 exceed the 63 bits that tables have for them.
    const END: u64 = 9_214_646_400;

    /// `None` for times before 1970 or after 2261 and for impossible fractions, which no writer means.
    fn new(seconds: i64, fraction: u32, per_second: u64) -> Option<Stamp> {
        let seconds = u64::try_from(seconds).ok().filter(|seconds| *seconds < Stamp::END)?;
        let is_fraction = u64::from(fraction) < per_second;
        is_fraction.then(|| Stamp(seconds * NANOS + u64::from(fraction) * (NANOS / per_second)))
    }

    /// The stored words, for an error: seconds since 1970, and the fraction.
    pub(crate) fn stored(version: Version, bytes: &[u8]) -> String {
        let word = |at| be_u32(bytes, at);
        let parts = || match version {
            Version::V2 => Some((i64::from(word(0)? as i32), word(4)?, "microseconds")),
            Version::V3 => Some((seconds_3(word(0)?, word(4)?), word(8)?, "nanoseconds")),
        };
        let shown = |(seconds, fraction, unit)| format!("{seconds} seconds since 1970 and {fraction} {unit}");
        parts().map_or_else(|| "the end of the record".to_owned(), shown)
    }

    /// The time at the start of `bytes`.
    pub(crate) fn read(version: Version, bytes: &[u8]) -> Option<Stamp> {
        let word = |at| be_u32(bytes, at);
        match version {
            Version::V2 => Stamp::new(i64::from(word(0)? as i32), word(4)?, 1_000_000),
            Version::V3 => Stamp::new(seconds_3(word(0)?, word(4)?), word(8)?, NANOS),
        }
    }

    pub(crate) fn timestamp(self) -> Timestamp {
        Timestamp(Timestamp::UNIX_EPOCH.0 + (self.0 / 100) as i64)
    }
}

/// The seconds of version 3: the low half comes first.
fn seconds_3(low: u32, high: u32) -> i64 {
    (u64::from(high) << 32 | u64::from(low)) as i64
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_nanosecond(i128::from(self.0)) {
            Ok(time) => write!(f, "{time}"),
            Err(_) => write!(f, "{}.{:09}", self.0 / NANOS, self.0 % NANOS),
        }
    }
}

/// A time as stored in a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawStamp {
    bytes: [u8; 12],
    version: Version,
}

impl RawStamp {
    pub(crate) fn fields<F: Fields>(&mut self, version: Version, f: &mut F) -> Result<(), F::Error> {
        self.version = version;
        match version {
            Version::V2 => {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(&self.bytes[..8]);
                f.shown("time", &mut bytes, |bytes| shown(version, &bytes))?;
                self.bytes[..8].copy_from_slice(&bytes);
                Ok(())
            }
            Version::V3 => f.shown("time", &mut self.bytes, |bytes| shown(version, &bytes)),
        }
    }

    pub(crate) fn stamp(&self) -> Option<Stamp> {
        Stamp::read(self.version, &self.bytes)
    }
}

fn shown(version: Version, bytes: &[u8]) -> String {
    Stamp::read(version, bytes).map_or_else(|| "! not a time".to_owned(), |stamp| stamp.to_string())
}

/// An error of a structure whose bytes begin at an offset.
pub(crate) fn unexpected(
    structure: &'static str,
    ofs_structure: u64,
    field: &'static str,
    at: usize,
    expected: impl Into<String>,
    found: impl fmt::Display,
) -> FormatError {
    FormatError::Unexpected {
        place: Place::field(structure, ofs_structure, field, ofs_structure + at as u64),
        expected: expected.into(),
        found: found.to_string(),
    }
}

/// What a frame's structure has, or what is wrong with it.
pub(crate) fn placed<T>(parsed: Parsed<'_, T>, frame: &Frame<'_>) -> Result<T, FormatError> {
    settle(parsed, frame.bytes, frame.ofs)
}

/// A text of fixed length, up to the first NUL.
pub(crate) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// A metric's number as PCP writes it: agent, cluster, item.
pub(crate) struct Pmid(pub(crate) u32);

impl fmt::Display for Pmid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0 >> 22 & 0x1FF, self.0 >> 10 & 0xFFF, self.0 & 0x3FF)
    }
}

/// An instance domain's number as PCP writes it: agent, serial.
pub(crate) struct DomainId(pub(crate) u32);

impl DomainId {
    /// No domain: the metric has a single value.
    pub(crate) const NONE: u32 = u32::MAX;
}

impl fmt::Display for DomainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            DomainId::NONE => f.write_str("none"),
            id => write!(f, "{}.{}", id >> 22 & 0x1FF, id & 0x003F_FFFF),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_half_of_the_seconds_comes_first() {
        let bytes = [0x69, 0x93, 0x2c, 0x93, 0, 0, 0, 1, 0x24, 0x3f, 0xb6, 0xaf];
        let stamp = Stamp::read(Version::V3, &bytes).expect("a time");
        assert_eq!(stamp.0, 6_066_220_179_608_155_311);
        assert_eq!(stamp.to_string(), "2162-03-25T21:09:39.608155311Z");
        assert_eq!(Stamp::read(Version::V2, &bytes), Some(Stamp(1_771_252_883_000_001_000)));
        assert_eq!(Stamp::read(Version::V2, &[0xFF; 8]), None);
        let last = Stamp::new(9_214_646_399, 999_999_999, NANOS).expect("a time");
        assert_eq!(last.to_string(), "2261-12-31T23:59:59.999999999Z");
        assert!(last.timestamp().unix_nanos().is_some(), "tables have it");
        assert_eq!(Stamp::new(9_214_646_400, 0, NANOS), None);
        assert_eq!(Stamp::read(Version::V2, &bytes[4..]), None, "a fraction of more than a second");
    }

    #[test]
    fn numbers_are_written_as_pcp_does() {
        assert_eq!(Pmid(0x0080_0C03).to_string(), "2.3.3");
        assert_eq!(DomainId(0x0740_000C).to_string(), "29.12");
    }
}
