//! Instances of a counterset.

use nom::Parser;
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Failed, Parsed, ParserFn, Reader, Sequence, by_fields, field, structure};
use recount_bytes::{ByteOrder, FormatError};

use super::{Text, check_aligned, len_u32, pad, take_padded};

/// `_PERF_INSTANCE_HEADER` (MS-PCQ 2.2.4.5) and the name, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceHeader<'a> {
    /// `Size`: bytes of the structure and the name.
    pub size: u32,
    /// `InstanceId`.
    pub id: u32,
    /// The name, including the padding up to the next structure.
    pub name: Text<'a>,
}

impl<'a> InstanceHeader<'a> {
    /// Bytes before the name.
    pub const LEN: usize = 8;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_INSTANCE_HEADER";

    /// An entry of `PerflibV2EnumerateCounterSetInstances`: followed by a null-terminated name; its size "MUST be an 8-byte
    /// multiple" (MS-PCQ 3.1.4.1.3).
    fn read_entry(i: &'a [u8]) -> Parsed<'a, InstanceHeader<'a>> {
        structure(Self::NAME, |start: &'a [u8]| {
            let mut instance = Self::read(start)?;
            check_aligned(instance.size, start)?;
            let (bytes, rest) = start.split_at(instance.size as usize);
            (_, instance.name) = field("name", Text::terminated)(bytes.get(Self::LEN..).unwrap_or_default())?;
            Ok((rest, instance))
        })
        .parse(i)
    }

    /// An instance in an answer of `PerflibV2QueryCounterData`, whose size needn't include the padding and
    /// whose name may be missing (MS-PCQ 3.1.4.1.6, figure 9).
    pub(super) fn read_in_block(i: &'a [u8]) -> Parsed<'a, InstanceHeader<'a>> {
        structure(Self::NAME, |start: &'a [u8]| {
            let mut instance = Self::read(start)?;
            let (bytes, _, rest) = take_padded(start, instance.size as usize);
            let name = &mut instance.name;
            if bytes.len() > Self::LEN {
                (_, *name) = field("name", Text::terminated)(bytes.get(Self::LEN..).unwrap_or_default())?;
                let len_before_padding = bytes.len() - name.padding.len();
                let end = start.len() - rest.len();
                name.padding = start.get(len_before_padding..end).unwrap_or_default();
            }
            Ok((rest, instance))
        })
        .parse(i)
    }

    /// Reads the fields before the name.
    fn read(i: &'a [u8]) -> Result<InstanceHeader<'a>, Failed<'a>> {
        let list = |instance: &mut InstanceHeader<'a>, f: &mut Reader<'a>| instance.fields(i.len(), f);
        Ok(by_fields(Self::NAME, ByteOrder::Little, list)(i)?.1)
    }

    /// The fields before the name, in the order of the structure.
    pub(super) fn fields<F: Fields>(&mut self, max_size: usize, f: &mut F) -> Result<(), F::Error> {
        f.bounded("Size", &mut self.size, Self::LEN, max_size)?;
        f.field("InstanceId", &mut self.id)
    }

    /// Length of structure, name and padding in bytes.
    pub(super) fn len_padded(&self) -> usize {
        Self::LEN + self.name.len_padded()
    }

    /// Appends structure, name and padding as they were read.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(usize::MAX, &mut Writer::new(ByteOrder::Little, out));
        self.name.write(out);
    }
}

/// The buffer of `PerflibV2EnumerateCounterSetInstances` (MS-PCQ 3.1.4.1.3, figure 3). An error ends the
/// iterator.
#[derive(Clone, Debug)]
pub struct Instances<'a>(Sequence<'a, ParserFn<'a, InstanceHeader<'a>>>);

impl<'a> Instances<'a> {
    /// The instances in a buffer; `ofs` is where `bytes` starts in its file.
    pub fn parse(bytes: &'a [u8], ofs: u64) -> Instances<'a> {
        Instances(Sequence::to_end(InstanceHeader::read_entry, bytes, ofs))
    }
}

impl<'a> Iterator for Instances<'a> {
    type Item = Result<InstanceHeader<'a>, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// An owned instance for writing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceBuf {
    /// `InstanceId`.
    pub id: u32,
    /// The name; a null in it ends it.
    pub name: String,
}

impl InstanceBuf {
    /// An instance.
    pub fn new(id: u32, name: impl Into<String>) -> InstanceBuf {
        InstanceBuf { id, name: name.into() }
    }

    /// Appends header, null-terminated name, and zeros up to a multiple of 8 bytes, which `Size` includes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.id.to_le_bytes());
        out.extend(Text::encode(&self.name));
        pad(out, start);
        let size = len_u32(out.len() - start).to_le_bytes();
        out[start..start + 4].copy_from_slice(&size);
    }
}
