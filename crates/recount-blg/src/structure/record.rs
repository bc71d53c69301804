//! Message 0x22, the data block: one record per entry of the counter list (formats/blg.md#data-block).

use nom::bytes::complete::take;
use nom::combinator::verify;
use nom::{IResult, Parser};
use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::{Fields, Writer, narrow};
use recount_bytes::parse::{Parsed, by_fields, ofs_within};
use recount_perf_data::DataBlock;

/// Record kind: contains the other records.
pub const OUTER: u8 = 0x00;
/// Record kind: a single value.
pub const SINGLE: u8 = 0x01;
/// Record kind: the instances of a counter.
pub const INSTANCES: u8 = 0x02;
/// Record kind: a whole object, as a `PERF_DATA_BLOCK`.
pub const OBJECT: u8 = 0x05;

/// PDH status codes of good data: valid, and valid for the first time.
pub(crate) const fn is_good(status: u32) -> bool {
    status <= 1
}

/// PDH status (formats/blg.md#absent): the machine is missing.
pub(crate) const NO_MACHINE: u32 = 0x8000_07D0;
/// The instance is missing.
pub(crate) const NO_INSTANCE: u32 = 0x8000_07D1;
/// The object is missing.
pub(crate) const NO_OBJECT: u32 = 0xC000_0BB8;
/// The counter is missing.
pub(crate) const NO_COUNTER: u32 = 0xC000_0BB9;
/// There should be a value, but there is none.
pub(crate) const INVALID_DATA: u32 = 0xC000_0BBA;

/// Whether a status says that the sample doesn't have the object.
pub(crate) const fn lacks_object(status: u32) -> bool {
    matches!(status, NO_MACHINE | NO_OBJECT)
}

/// Whether a status says that the sample doesn't have the requested thing, and not that reading failed.
pub(crate) const fn is_absent(status: u32) -> bool {
    lacks_object(status) || matches!(status, NO_INSTANCE | NO_COUNTER)
}

/// The first bytes of every record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordHead {
    /// "BL".
    pub signature: u16,
    /// 0x03 in every record seen.
    pub version: u8,
    /// Record kind.
    pub kind: u8,
    /// Length of the record in bytes, including this head.
    pub len: u32,
}

impl RecordHead {
    /// Length in bytes.
    pub const LEN: usize = 8;
    /// "BL".
    pub const SIGNATURE: u16 = 0x4C42;
    /// The version of every record seen.
    pub const VERSION: u8 = 0x03;

    /// Parses the head of a record.
    #[inline]
    pub fn parse(i: &[u8]) -> Parsed<'_, RecordHead> {
        by_fields("record", ByteOrder::Little, RecordHead::fields)(i)
    }

    /// The fields in the order of the structure.
    #[inline]
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.hidden("signature", &mut self.signature)?;
        f.hidden("version", &mut self.version)?;
        f.hidden("kind", &mut self.kind)?;
        f.hidden("length", &mut self.len)
    }
}

/// Appends a record whose contents are appended by `body`. Its length is computed.
pub fn write<E: From<FormatError>>(
    version: u8,
    kind: u8,
    out: &mut Vec<u8>,
    body: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let start = out.len();
    let mut head = RecordHead { signature: RecordHead::SIGNATURE, version, kind, len: 0 };
    let Ok(()) = head.fields(&mut Writer::new(ByteOrder::Little, out));
    body(out)?;
    let len: u32 = narrow(out.len() - start, "record", "length")?;
    out[start + 4..start + 8].copy_from_slice(&len.to_le_bytes());
    Ok(())
}

/// Appends a whole object's record: the block, and the padding to a multiple of 8.
pub fn write_object(version: u8, block: &[u8], padding: &[u8], out: &mut Vec<u8>) -> Result<(), FormatError> {
    let start = out.len();
    write(version, OBJECT, out, |out| {
        out.extend_from_slice(block);
        super::pad(out, start, padding);
        Ok(())
    })
}

/// One record of a data block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Where it starts in the message.
    pub ofs: usize,
    /// Its kind.
    pub kind: u8,
    /// All its bytes, including the head.
    pub bytes: &'a [u8],
}

/// Why the records of a data block end early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// Where in the message.
    pub ofs: usize,
    /// Which field.
    pub field: &'static str,
    /// Found and expected.
    pub what: String,
}

/// The records in a data block, the outer one unwrapped.
pub struct Records<'a> {
    message: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    /// Opens the outer record.
    pub fn open(message: &'a [u8]) -> Result<Records<'a>, RecordError> {
        let (_, outer) = Record::parse(message, message).map_err(RecordError::of)?;
        if outer.kind != OUTER {
            let what = format!("{:#04x} where the outer record, {OUTER:#04x}, was expected", outer.kind);
            return Err(RecordError { ofs: 3, field: "kind", what });
        }
        Ok(Records { message, rest: outer.bytes.get(RecordHead::LEN..).unwrap_or_default() })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        // After a record of unknown length nothing more can be found.
        match Record::parse(self.message, std::mem::take(&mut self.rest)) {
            Ok((rest, record)) => {
                self.rest = rest;
                Some(Ok(record))
            }
            Err(error) => Some(Err(RecordError::of(error))),
        }
    }
}

impl RecordError {
    fn failed(ofs: usize, field: &'static str, what: String) -> nom::Err<RecordError> {
        nom::Err::Error(RecordError { ofs, field, what })
    }

    fn of(error: nom::Err<RecordError>) -> RecordError {
        match error {
            nom::Err::Error(error) | nom::Err::Failure(error) => error,
            // Only streaming parsers return this; here the whole message is in memory.
            nom::Err::Incomplete(_) => RecordError { ofs: 0, field: "length", what: "cut off".to_owned() },
        }
    }
}

impl<'a> Record<'a> {
    /// Parses a record of a message. It has to end within `i`.
    fn parse(message: &'a [u8], i: &'a [u8]) -> IResult<&'a [u8], Record<'a>, RecordError> {
        let ofs = ofs_within(message, i);
        let Ok((_, RecordHead { signature, kind, len, .. })) = RecordHead::parse(i) else {
            let what = format!("{} bytes left where a record head takes {}", i.len(), RecordHead::LEN);
            return Err(RecordError::failed(ofs, "signature", what));
        };
        if signature != RecordHead::SIGNATURE {
            let expected = RecordHead::SIGNATURE;
            let what = format!("{signature:#06x} where {expected:#06x} (\"BL\") was expected");
            return Err(RecordError::failed(ofs, "signature", what));
        }
        let whole =
            verify(take::<_, _, ()>(len), |bytes: &[u8]| bytes.len() >= RecordHead::LEN).parse_complete(i);
        let (rest, bytes) = whole.map_err(|_| {
            let what = format!("{len} where {} to {} bytes were expected", RecordHead::LEN, i.len());
            RecordError::failed(ofs + 4, "length", what)
        })?;
        Ok((rest, Record { ofs, kind, bytes }))
    }

    /// The block of a whole object's record.
    pub fn block(&self) -> Result<DataBlock<'a>, FormatError> {
        let bytes = self.bytes.get(RecordHead::LEN..).unwrap_or_default();
        DataBlock::parse(bytes, (self.ofs + RecordHead::LEN) as u64)
    }
}
