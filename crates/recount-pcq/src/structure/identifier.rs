//! Counter identifiers in queries.

use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Parsed, ParserFn, Reader, Sequence, by_fields, sized, structure};
use recount_bytes::{ByteOrder, FormatError};

use super::{ALIGNMENT, Guid, ReturnCode, Text, check_aligned, len_u32, pad};

/// `CounterId` for any counter of a counterset (MS-PCQ 3.1.4.1.7).
pub const ANY_COUNTER: u32 = 0xFFFF_FFFF;
/// Name for any instance of a counterset (MS-PCQ 3.1.4.1.7).
pub const ANY_INSTANCE: &str = "*";

/// `_PERF_COUNTER_IDENTIFIER` (MS-PCQ 2.2.4.6) and the name of the instance, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterIdentifier<'a> {
    /// `CounterSetGuid`.
    pub guid: Guid,
    /// `Status`: a Win32 error code, which [`super::ReturnCode`] names.
    pub status: u32,
    /// `Size`: bytes of the structure and the name.
    pub size: u32,
    /// `CounterId`, or [`ANY_COUNTER`].
    pub counter_id: u32,
    /// `InstanceId`.
    pub instance_id: u32,
    /// `Index`: position of the counter's block in answers of `PerflibV2QueryCounterData`.
    pub index: u32,
    /// `Reserved`: "Clients MUST set this field to 0 and MUST ignore this field on receipt."
    pub reserved: u32,
    /// The instance's name, or [`ANY_INSTANCE`]. That of a single instance needn't be null-terminated (MS-PCQ
    /// 3.1.4.1.7); without a null it ends with the structure.
    pub name: Text<'a>,
}

impl<'a> CounterIdentifier<'a> {
    /// Bytes before the name.
    pub const LEN: usize = 40;
    const OFS_SIZE: usize = 20;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_COUNTER_IDENTIFIER";

    /// `Size` "MUST be an 8-byte multiple" (MS-PCQ 3.1.4.1.5), and no less than the structure (3.1.4.1.7).
    fn read(i: &'a [u8]) -> Parsed<'a, CounterIdentifier<'a>> {
        structure(Self::NAME, |i: &'a [u8]| {
            let max_size = i.len().max(Self::LEN);
            let list =
                |identifier: &mut CounterIdentifier<'a>, f: &mut Reader<'a>| identifier.fields(max_size, f);
            let head = by_fields(Self::NAME, ByteOrder::Little, list);
            let (rest, (identifier, bytes)) = sized(head, |identifier| identifier.size as usize)(i)?;
            check_aligned(identifier.size, i.get(Self::OFS_SIZE..).unwrap_or_default())?;
            let name = Text::until_null(bytes.get(Self::LEN..).unwrap_or_default());
            Ok((rest, CounterIdentifier { name, ..identifier }))
        })(i)
    }

    /// Appends structure, name and padding as they were read.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(usize::MAX, &mut Writer::new(ByteOrder::Little, out));
        self.name.write(out);
    }

    /// The fields before the name, in the order of the structure.
    pub(super) fn fields<F: Fields>(&mut self, max_size: usize, f: &mut F) -> Result<(), F::Error> {
        f.field("CounterSetGuid", &mut self.guid)?;
        f.shown("Status", &mut self.status, ReturnCode)?;
        f.bounded("Size", &mut self.size, Self::LEN, max_size)?;
        f.field("CounterId", &mut self.counter_id)?;
        f.field("InstanceId", &mut self.instance_id)?;
        f.field("Index", &mut self.index)?;
        f.field("Reserved", &mut self.reserved)
    }

    /// An owned copy that can be changed and written.
    pub fn to_buf(&self) -> CounterIdentifierBuf {
        CounterIdentifierBuf {
            guid: self.guid,
            status: self.status,
            counter_id: self.counter_id,
            instance_id: self.instance_id,
            index: self.index,
            reserved: self.reserved,
            name: self.name.to_string_lossy(),
        }
    }
}

/// The buffer of `PerflibV2QueryCounterInfo` and `PerflibV2ValidateCounters` (MS-PCQ 3.1.4.1.5, figure 4, and
/// 3.1.4.1.7). An error ends the iterator.
#[derive(Clone, Debug)]
pub struct CounterIdentifiers<'a>(Sequence<'a, ParserFn<'a, CounterIdentifier<'a>>>);

impl<'a> CounterIdentifiers<'a> {
    /// The identifiers in a buffer; `ofs` is where `bytes` starts in its file.
    pub fn parse(bytes: &'a [u8], ofs: u64) -> CounterIdentifiers<'a> {
        CounterIdentifiers(Sequence::to_end(CounterIdentifier::read, bytes, ofs))
    }
}

impl<'a> Iterator for CounterIdentifiers<'a> {
    type Item = Result<CounterIdentifier<'a>, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// An owned identifier for writing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterIdentifierBuf {
    /// `CounterSetGuid`.
    pub guid: Guid,
    /// `Status`.
    pub status: u32,
    /// `CounterId`.
    pub counter_id: u32,
    /// `InstanceId`.
    pub instance_id: u32,
    /// `Index`.
    pub index: u32,
    /// `Reserved`.
    pub reserved: u32,
    /// The instance's name; a null in it ends it.
    pub name: String,
}

impl CounterIdentifierBuf {
    /// A counter of an instance. `Status`, `Index` and `Reserved` are 0.
    pub fn new(
        guid: Guid,
        counter_id: u32,
        instance_id: u32,
        name: impl Into<String>,
    ) -> CounterIdentifierBuf {
        CounterIdentifierBuf {
            guid,
            counter_id,
            instance_id,
            name: name.into(),
            ..CounterIdentifierBuf::default()
        }
    }

    /// Appends structure, null-terminated name, and zeros up to a multiple of 8 bytes (MS-PCQ 3.1.4.1.5: they "MUST be set to
    /// 0"), which `Size` counts.
    pub fn write(&self, out: &mut Vec<u8>) {
        let name = Text::encode(&self.name);
        let size = (CounterIdentifier::LEN + name.len()).next_multiple_of(ALIGNMENT);
        let start = out.len();
        self.guid.write(out);
        let words =
            [self.status, len_u32(size), self.counter_id, self.instance_id, self.index, self.reserved];
        out.extend(words.into_iter().flat_map(u32::to_le_bytes));
        out.extend(name);
        pad(out, start);
    }
}
