//! One answer of a method, with its request.

use nom::bytes::complete::{tag, take};
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Failed, Fault, Parsed, Reader, by_fields, field, settle, structure};
use recount_bytes::{ByteOrder, FormatError};
use recount_model::Timestamp;

use super::method::{Name, asked, method};
use super::{DataClocks, Guid, ReturnCode, len_u32, opnum};

/// The request and its result (formats/ms-pcq.md#messages).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageHeader {
    /// Which method; see [`opnum`].
    pub opnum: u16,
    /// `RequestCode` of opnum 1, see [`request`](super::request); 0 otherwise.
    pub request_code: u16,
    /// `RequestLCID` of opnum 1, `dwAdd` of opnum 7; 0 otherwise.
    pub argument: u32,
    /// `CounterSetGuid` of opnums 1 and 2; zeros otherwise.
    pub guid: Guid,
    /// The method's return code.
    pub return_code: ReturnCode,
    /// A number that represents the query handle of opnums 5, 6 and 7; 0 otherwise.
    pub query: u32,
    /// When the answer was received.
    pub time: Timestamp,
}

impl MessageHeader {
    /// The fields of a message's header, in the order of the wire. `len` is that of the message, `max_len` at most.
    pub(super) fn fields<F: Fields>(
        &mut self,
        len: &mut u32,
        max_len: usize,
        f: &mut F,
    ) -> Result<(), F::Error> {
        f.shown("signature", &mut { Message::SIGNATURE }, |_| "\"PCQM\"")?;
        f.bounded("len_message", len, Message::LEN_HEADER, max_len)?;
        f.shown("opnum", &mut self.opnum, |opnum| format!("{opnum}{}", Name(method(opnum))))?;
        let opnum = self.opnum;
        f.shown("request_code", &mut self.request_code, |code| {
            format!("{code}{}", Name(asked(opnum, code)))
        })?;
        f.shown("argument", &mut self.argument, |argument| format!("{argument:#x}"))?;
        f.field("counterset_guid", &mut self.guid)?;
        f.field("return_code", &mut self.return_code)?;
        f.field("query", &mut self.query)?;
        f.shown("time", &mut self.time, |time| format!("{} ({time})", time.0))
    }
}

/// A message: header and buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The request.
    pub header: MessageHeader,
    /// `lpData`, the buffer as returned: `*pdwOutSize` bytes.
    pub buffer: &'a [u8],
}

impl<'a> Message<'a> {
    /// Length of the header in bytes.
    pub const LEN_HEADER: usize = 48;
    /// The first four bytes.
    pub const SIGNATURE: [u8; 4] = *b"PCQM";
    /// In a stream, messages begin at multiples of this many bytes.
    pub const ALIGNMENT: usize = 8;
    /// Name of the structure.
    pub const NAME: &'static str = "message";

    /// Whether `bytes` start with the signature of a message.
    pub fn recognise(bytes: &[u8]) -> bool {
        bytes.starts_with(&Self::SIGNATURE)
    }

    /// Reads the message that starts `bytes`, which may be longer than the message; `ofs` is where `bytes`
    /// starts in its file. The buffer isn't parsed.
    ///
    /// Fails if there is no signature, or if the length is less than the header's or exceeds the bytes.
    pub fn parse(bytes: &'a [u8], ofs: u64) -> Result<Message<'a>, FormatError> {
        settle(Self::read(bytes), bytes, ofs)
    }

    fn read(i: &'a [u8]) -> Parsed<'a, Message<'a>> {
        structure(Self::NAME, |i: &'a [u8]| {
            field("signature", signature)(i)?;
            let (mut len, max_len) = (0, i.len().max(Self::LEN_HEADER));
            let list = |header: &mut MessageHeader, f: &mut Reader<'a>| header.fields(&mut len, max_len, f);
            let (rest, header) = by_fields(Self::NAME, ByteOrder::Little, list)(i)?;
            let (rest, buffer) = field("buffer", take(len as usize - Self::LEN_HEADER))(rest)?;
            Ok((rest, Message { header, buffer }))
        })(i)
    }

    /// Bytes of header and buffer.
    #[expect(clippy::len_without_is_empty, reason = "a message has at least a header")]
    pub fn len(&self) -> usize {
        Self::LEN_HEADER + self.buffer.len()
    }

    /// Appends header and buffer, without padding.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (mut header, mut len) = (self.header, len_u32(self.len()));
        out.reserve(self.len());
        let Ok(()) = header.fields(&mut len, usize::MAX, &mut Writer::new(ByteOrder::Little, out));
        out.extend_from_slice(self.buffer);
    }

    /// Whether it is an answer of `PerflibV2QueryCounterData`: a sample.
    pub fn is_sample(&self) -> bool {
        self.header.opnum == opnum::QUERY_COUNTER_DATA
    }

    /// When its values were collected: `PerfTime100NSec` of the data, otherwise `SystemTime`, otherwise when
    /// the answer was received. Zeros aren't a time.
    pub fn time_of_sample(&self) -> Timestamp {
        let clocks = if self.is_sample() { DataClocks::peek(self.buffer) } else { None };
        clocks.and_then(|clocks| clocks.time()).unwrap_or(self.header.time)
    }
}

fn signature(i: &[u8]) -> Parsed<'_, &[u8]> {
    let (_, found) = take(Message::SIGNATURE.len())(i)?;
    tag(&Message::SIGNATURE[..])(found)
        .map_err(|_: Failed<'_>| nom::Err::Error(Fault::bytes(i, "\"PCQM\"", found.len())))
}
