//! Messages put together of pieces of others, some of whose blocks aren't at hand.

use recount_bytes::ByteOrder;
use recount_bytes::fields::Writer;
use recount_bytes::parse::by_fields;

use super::{CounterHeader, DataHeader, Message, MessageHeader, len_u32};

/// `dwStatus` of an error block that replaces a missing block in an answer assembled from parts. Its
/// counterset is left out of the sample, and the caller that inserted it reports why. Bit 29 marks codes that
/// no system uses (MS-ERREF 2.1).
pub(crate) const NOT_AT_HAND: u32 = 0xE0B0_0001;

impl Message<'_> {
    /// Appends an error block in place of one that isn't at hand, so that the others keep their positions.
    pub fn write_missing_block(out: &mut Vec<u8>) {
        let len = CounterHeader::LEN as u32;
        CounterHeader { status: NOT_AT_HAND, len, ..CounterHeader::default() }.write(out);
    }

    /// States the lengths of an answer of which blocks were replaced. What can't be read stays as it is.
    pub fn complete(message: &mut [u8]) {
        const LEN: usize = Message::LEN_HEADER + DataHeader::LEN;
        let len = len_u32(message.len());
        let len_buffer = len_u32(message.len().saturating_sub(Message::LEN_HEADER));
        let mut ignored = 0;
        let header = by_fields(Message::NAME, ByteOrder::Little, |header: &mut MessageHeader, f| {
            header.fields(&mut ignored, usize::MAX, f)
        })(message);
        let Ok((buffer, mut header)) = header else { return };
        let data = by_fields(DataHeader::NAME, ByteOrder::Little, |data: &mut DataHeader, f| {
            data.fields(usize::MAX, f)
        })(buffer);
        let Ok((_, data)) = data else { return };
        let mut heads = Vec::with_capacity(LEN);
        let Ok(()) = header.fields(&mut { len }, usize::MAX, &mut Writer::new(ByteOrder::Little, &mut heads));
        DataHeader { len_total: len_buffer, ..data }.write(&mut heads);
        if let Some(begin) = message.get_mut(..heads.len()) {
            begin.copy_from_slice(&heads);
        }
    }
}
