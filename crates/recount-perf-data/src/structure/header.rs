//! The header of a block.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take};
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Failed, Fault, Parsed, by_fields, field, structure};
use recount_bytes::{ByteOrder, SystemTime, encode_utf16};
use recount_model::Timestamp;

/// `PERF_DATA_BLOCK`, formats/perf-data-block.md#header, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// `LittleEndian`, and the order of `Signature`.
    pub order: ByteOrder,
    /// `Version`, 1.
    pub version: u32,
    /// `Revision`, 1.
    pub revision: u32,
    /// `TotalByteLength`: length of the whole block in bytes, including this header.
    pub len_total: u32,
    /// `HeaderLength`: bytes to the first object.
    pub len_header: u32,
    /// `NumObjectTypes`.
    pub num_object_types: u32,
    /// `DefaultObject`: a name index, or -1.
    pub default_object: i32,
    /// `SystemTime`: documented as UTC, but local time in `.blg` files.
    pub system_time: SystemTime,
    /// The four bytes that align `PerfTime`; no meaning.
    pub padding: u32,
    /// `PerfTime`, ticks.
    pub perf_time: i64,
    /// `PerfFreq`, ticks per second.
    pub perf_freq: i64,
    /// `PerfTime100nSec`: `FILETIME`, UTC.
    pub perf_time_100ns: i64,
    /// `SystemNameLength` in bytes, NUL included.
    pub len_system_name: u32,
    /// `SystemNameOffset` from the start of the block.
    pub ofs_system_name: u32,
}

impl Header {
    /// Bytes of the documented fields; the system name follows them.
    pub const LEN: usize = 88;
    /// Name of the structure.
    pub const NAME: &'static str = "PERF_DATA_BLOCK";
    /// "PERF" in UTF-16, little endian.
    pub const SIGNATURE_LE: [u8; 8] = *b"P\0E\0R\0F\0";
    /// "PERF" in UTF-16, big endian.
    pub const SIGNATURE_BE: [u8; 8] = *b"\0P\0E\0R\0F";

    /// Parses the header and checks that its lengths fit the available bytes.
    pub(super) fn parse(i: &[u8]) -> Parsed<'_, Header> {
        let (_, order) = structure(Header::NAME, field("Signature", byte_order))(i)?;
        by_fields(Header::NAME, order, |header: &mut Header, f| {
            header.order = order;
            header.fields(f, i.len())
        })(i)
    }

    /// The fields in the order of the structure, for a block of at most `have` bytes.
    pub(super) fn fields<F: Fields>(&mut self, f: &mut F, have: usize) -> Result<(), F::Error> {
        let (mut signature, little_endian, expected) = match self.order {
            ByteOrder::Little => (Header::SIGNATURE_LE, 1, "1, as the signature is little endian"),
            ByteOrder::Big => (Header::SIGNATURE_BE, 0, "0, as the signature is big endian"),
        };
        f.shown("Signature", &mut signature, |_| "\"PERF\"")?;
        let mut stated: u32 = little_endian;
        f.checked("LittleEndian", &mut stated, expected, |stated| stated == little_endian)?;
        f.field("Version", &mut self.version)?;
        f.field("Revision", &mut self.revision)?;
        f.bounded("TotalByteLength", &mut self.len_total, Header::LEN, have)?;
        let len_total = self.len_total as usize;
        f.bounded("HeaderLength", &mut self.len_header, Header::LEN, len_total)?;
        f.field("NumObjectTypes", &mut self.num_object_types)?;
        f.field("DefaultObject", &mut self.default_object)?;
        f.field("SystemTime", &mut self.system_time)?;
        f.shown("padding", &mut self.padding, |padding| format!("{padding:#010x}"))?;
        f.field("PerfTime", &mut self.perf_time)?;
        f.field("PerfFreq", &mut self.perf_freq)?;
        let ticks = |ticks: i64| format!("{ticks} ({})", Timestamp(ticks));
        f.shown("PerfTime100nSec", &mut self.perf_time_100ns, ticks)?;
        // They aren't checked: a bad name costs the name, and not the block.
        f.field("SystemNameLength", &mut self.len_system_name)?;
        f.field("SystemNameOffset", &mut self.ofs_system_name)
    }

    /// The header of a block without objects and clocks, and what follows it: the name of the machine, and zeros up to a
    /// multiple of 8, on which every structure of a block starts.
    pub fn named(system_name: &str, order: ByteOrder) -> (Header, Vec<u8>) {
        let mut tail = encode_utf16(system_name, order);
        let len_system_name = tail.len() as u32;
        let len_header = (Header::LEN + tail.len()).next_multiple_of(8);
        tail.resize(len_header - Header::LEN, 0);
        let header = Header {
            order,
            version: 1,
            revision: 1,
            len_header: len_header as u32,
            default_object: -1,
            len_system_name,
            ofs_system_name: Header::LEN as u32,
            ..Header::default()
        };
        (header, tail)
    }

    /// Appends the documented fields.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(&mut Writer::new(self.order, out), 0);
    }

    /// Writes them over the first bytes of a block, once its lengths are known.
    ///
    /// # Panics
    ///
    /// If there are fewer than [`Header::LEN`].
    pub fn write_over(self, block: &mut [u8]) {
        let mut bytes = Vec::with_capacity(Header::LEN);
        self.write(&mut bytes);
        block[..Header::LEN].copy_from_slice(&bytes);
    }

    /// Where the system name is in the block; `None` if it is said to be within this header or beyond the block.
    pub(super) fn system_name<'a>(&self, block: &'a [u8]) -> Option<&'a [u8]> {
        // Without a name the offset is meaningless, and some producers leave arbitrary values in it.
        if self.len_system_name == 0 {
            return Some(&[]);
        }
        let start = self.ofs_system_name as usize;
        let end = start.checked_add(self.len_system_name as usize)?;
        block.get(start..end).filter(|_| start >= Header::LEN)
    }
}

/// The byte order, from the signature.
pub(super) fn byte_order(i: &[u8]) -> Parsed<'_, ByteOrder> {
    let (rest, signature) = take(Header::SIGNATURE_LE.len())(i)?;
    let little = tag(&Header::SIGNATURE_LE[..]).map(|_| ByteOrder::Little);
    let big = tag(&Header::SIGNATURE_BE[..]).map(|_| ByteOrder::Big);
    let unknown = |_: Failed<'_>| nom::Err::Error(Fault::bytes(i, "\"PERF\" in UTF-16", signature.len()));
    let (_, order) = alt((little, big)).parse(signature).map_err(unknown)?;
    Ok((rest, order))
}
