//! Answers of `PerflibV2QueryCounterData`.

use nom::Parser;
use recount_bytes::FormatError;
use recount_bytes::parse::{Expected, Fault, owned, settle, structure};

use super::block::take_block;
use super::{CounterBlock, CounterHeader, DataHeader};

/// The buffer of `PerflibV2QueryCounterData` (MS-PCQ 3.1.4.1.6, figure 5) with a valid header. Its blocks are
/// checked when they are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryData<'a> {
    /// The header.
    pub header: DataHeader,
    whole: &'a [u8],
    ofs: u64,
    /// The bytes after `dwTotalSize`.
    pub trailing: &'a [u8],
}

impl<'a> QueryData<'a> {
    /// Reads a buffer. `ofs` is where `bytes` starts in its file.
    ///
    /// Fails if `dwTotalSize` is less than the header or exceeds the buffer.
    pub fn parse(bytes: &'a [u8], ofs: u64) -> Result<QueryData<'a>, FormatError> {
        let header = settle(DataHeader::read(bytes), bytes, ofs)?;
        let (whole, trailing) = bytes.split_at(header.len_total as usize);
        Ok(QueryData { header, whole, ofs, trailing })
    }

    /// The blocks up to `dwTotalSize`.
    ///
    /// A block that is invalid within its `dwSize` is an error item, and the next block follows: so every
    /// item is at the position of an identifier's `Index` (MS-PCQ 3.1.4.1.5). A block with an invalid
    /// `dwSize` is the last. If there are more or fewer blocks than `dwNumCounter`, a last error item says
    /// so.
    pub fn blocks(&self) -> Blocks<'a> {
        let rest = self.whole.get(DataHeader::LEN..).unwrap_or_default();
        Blocks {
            whole: self.whole,
            ofs: self.ofs,
            rest,
            num_visited: 0,
            num_counters: Some(self.header.num_counters),
        }
    }

    /// The blocks' bytes.
    pub fn body(&self) -> &'a [u8] {
        self.whole.get(DataHeader::LEN..).unwrap_or_default()
    }

    /// Appends the buffer as it was read.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.header.write(out);
        out.extend_from_slice(self.body());
        out.extend_from_slice(self.trailing);
    }
}

/// The blocks of an answer. See [`QueryData::blocks`].
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    whole: &'a [u8],
    ofs: u64,
    rest: &'a [u8],
    num_visited: u32,
    /// The value of `dwNumCounter`, until it is compared.
    num_counters: Option<u32>,
}

impl<'a> Blocks<'a> {
    /// The next block's header and bytes, unless its size is invalid, and its content.
    #[expect(clippy::type_complexity, reason = "an item of the iterator, with its bytes")]
    pub(super) fn next_with_bytes(
        &mut self,
    ) -> Option<(Option<(CounterHeader, &'a [u8])>, Result<CounterBlock<'a>, FormatError>)> {
        if self.rest.is_empty() {
            return Some((None, Err(self.check_number()?)));
        }
        match take_block(self.rest) {
            Ok((rest, framed)) => {
                self.rest = rest;
                self.num_visited += 1;
                Some((Some(framed), settle(CounterBlock::read(framed.1), self.whole, self.ofs)))
            }
            Err(error) => {
                self.rest = &[];
                self.num_counters = None;
                Some((None, Err(owned(error, self.whole, self.ofs))))
            }
        }
    }

    /// The bytes after the blocks read so far.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// "The number of counters whose value is retrieved" (MS-PCQ 2.2.4.7): one per block. The document
    /// doesn't say what to do otherwise; the blocks exist, so the fault comes after them.
    fn check_number(&mut self) -> Option<FormatError> {
        let (found, expected) = (self.num_counters.take()?, u64::from(self.num_visited));
        let expected = match expected {
            num if num == u64::from(found) => return None,
            num if num > u64::from(found) => Expected::AtLeast(num),
            num => Expected::AtMost(num),
        };
        let at = self.whole.get(4..).unwrap_or_default();
        let fault = Fault { field: Some("dwNumCounter"), ..Fault::number(at, expected, found) };
        let error = structure(DataHeader::NAME, |_: &'a [u8]| {
            Err::<(&'a [u8], ()), _>(nom::Err::Error(fault.clone()))
        })
        .parse(self.whole);
        settle(error, self.whole, self.ofs).err()
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<CounterBlock<'a>, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_with_bytes().map(|(_, block)| block)
    }
}
