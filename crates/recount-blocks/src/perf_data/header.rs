//! The header of a block.

use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::{i32, i64, u32};

use super::{ByteOrder, SystemTime};
use crate::parse::{Expected, Fault, Parsed, field, structure, within};

/// `PERF_DATA_BLOCK`, formats/perf-data-block.md#header, as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// `LittleEndian`, and the order of `Signature`.
    pub order: ByteOrder,
    /// `Version`, 1.
    pub version: u32,
    /// `Revision`, 1.
    pub revision: u32,
    /// `TotalByteLength`: the whole block in bytes, this header included.
    pub len_total: u32,
    /// `HeaderLength`: bytes to the first object.
    pub len_header: u32,
    /// `NumObjectTypes`.
    pub num_object_types: u32,
    /// `DefaultObject`: a name index, or -1.
    pub default_object: i32,
    /// `SystemTime`: UTC by its documentation, local time in `.blg` files.
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
    /// Bytes of the documented fields; the system name stands behind them.
    pub const LEN: usize = 88;
    /// Name of the structure.
    pub const NAME: &'static str = "PERF_DATA_BLOCK";
    /// "PERF" in UTF-16, little endian.
    pub const SIGNATURE_LE: [u8; 8] = *b"P\0E\0R\0F\0";
    /// "PERF" in UTF-16, big endian.
    pub const SIGNATURE_BE: [u8; 8] = *b"\0P\0E\0R\0F";

    /// Reads the header and checks that its lengths fit the bytes that are there.
    pub(super) fn parse(i: &[u8]) -> Parsed<'_, Header> {
        let have = i.len();
        structure(Header::NAME, move |i| {
            let (i, order) = field("Signature", signature)(i)?;
            let u32 = || u32(order.endianness());
            let (i, ()) = field("LittleEndian", |i| little_endian(i, order))(i)?;
            let (i, version) = field("Version", u32())(i)?;
            let (i, revision) = field("Revision", u32())(i)?;
            let (i, len_total) = field("TotalByteLength", within(Header::LEN, have, u32()))(i)?;
            let (i, len_header) = field("HeaderLength", within(Header::LEN, len_total as usize, u32()))(i)?;
            let (i, num_object_types) = field("NumObjectTypes", u32())(i)?;
            let (i, default_object) = field("DefaultObject", i32(order.endianness()))(i)?;
            let (i, system_time) = field("SystemTime", |i| SystemTime::parse(i, order))(i)?;
            let (i, padding) = field("padding", u32())(i)?;
            let (i, perf_time) = field("PerfTime", i64(order.endianness()))(i)?;
            let (i, perf_freq) = field("PerfFreq", i64(order.endianness()))(i)?;
            let (i, perf_time_100ns) = field("PerfTime100nSec", i64(order.endianness()))(i)?;
            let (i, len_system_name) = field("SystemNameLength", within(0, len_total as usize, u32()))(i)?;
            let max_ofs = len_total as usize - len_system_name as usize;
            // Without a name its offset means nothing, and some producers leave anything there.
            let max_ofs = if len_system_name == 0 { usize::MAX } else { max_ofs };
            let (i, ofs_system_name) = field("SystemNameOffset", within(0, max_ofs, u32()))(i)?;
            let header = Header {
                order,
                version,
                revision,
                len_total,
                len_header,
                num_object_types,
                default_object,
                system_time,
                padding,
                perf_time,
                perf_freq,
                perf_time_100ns,
                len_system_name,
                ofs_system_name,
            };
            Ok((i, header))
        })
        .parse(i)
    }

    /// Where the system name stands in the block.
    pub(super) fn system_name<'a>(&self, block: &'a [u8]) -> &'a [u8] {
        let start = self.ofs_system_name as usize;
        let end = start.saturating_add(self.len_system_name as usize);
        block.get(start..end).unwrap_or_default()
    }
}

fn signature(i: &[u8]) -> Parsed<'_, ByteOrder> {
    let (rest, bytes) = take(8_usize)(i)?;
    if bytes == Header::SIGNATURE_LE {
        Ok((rest, ByteOrder::Little))
    } else if bytes == Header::SIGNATURE_BE {
        Ok((rest, ByteOrder::Big))
    } else {
        Err(nom::Err::Error(Fault::bytes(i, "\"PERF\" in UTF-16", 8)))
    }
}

/// The field must agree with the order in which the signature is written.
fn little_endian(i: &[u8], order: ByteOrder) -> Parsed<'_, ()> {
    let (rest, value) = u32(order.endianness())(i)?;
    let expected = match (order, value) {
        (ByteOrder::Little, 1) | (ByteOrder::Big, 0) => return Ok((rest, ())),
        (ByteOrder::Little, _) => "1, as the signature is little endian",
        (ByteOrder::Big, _) => "0, as the signature is big endian",
    };
    Err(nom::Err::Error(Fault::number(i, Expected::Described(expected), value)))
}
