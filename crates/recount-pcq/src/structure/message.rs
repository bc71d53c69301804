//! One answer of a method, with its request.

use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::{le_i64, le_u16, le_u32};
use recount_bytes::FormatError;
use recount_bytes::parse::{Fault, Parsed, field, settle, structure, within};
use recount_model::Timestamp;

use super::{DataClocks, Guid, ReturnCode, len_u32};

/// Numbers of the methods (MS-PCQ 3.1.4.1).
pub mod opnum {
    /// `PerflibV2EnumerateCounterSet`.
    pub const ENUMERATE_COUNTER_SET: u16 = 0;
    /// `PerflibV2QueryCounterSetRegistrationInfo`.
    pub const QUERY_REGISTRATION_INFO: u16 = 1;
    /// `PerflibV2EnumerateCounterSetInstances`.
    pub const ENUMERATE_INSTANCES: u16 = 2;
    /// `PerflibV2OpenQueryHandle`.
    pub const OPEN_QUERY_HANDLE: u16 = 3;
    /// `PerflibV2CloseQueryHandle`.
    pub const CLOSE_QUERY_HANDLE: u16 = 4;
    /// `PerflibV2QueryCounterInfo`.
    pub const QUERY_COUNTER_INFO: u16 = 5;
    /// `PerflibV2QueryCounterData`.
    pub const QUERY_COUNTER_DATA: u16 = 6;
    /// `PerflibV2ValidateCounters`.
    pub const VALIDATE_COUNTERS: u16 = 7;
}

/// Values of `RequestCode` (MS-PCQ 3.1.4.1.2).
pub mod request {
    /// Information about the counterset.
    pub const COUNTER_SET: u16 = 1;
    /// Information about a counter, whose id is the argument.
    pub const COUNTER: u16 = 2;
    /// Name of the counterset.
    pub const SET_NAME: u16 = 3;
    /// Description of the counterset.
    pub const SET_DESCRIPTION: u16 = 4;
    /// Names of the counters.
    pub const COUNTER_NAMES: u16 = 5;
    /// Descriptions of the counters.
    pub const COUNTER_DESCRIPTIONS: u16 = 6;
    /// Name of the provider.
    pub const PROVIDER_NAME: u16 = 7;
    /// GUID of the provider.
    pub const PROVIDER_GUID: u16 = 8;
    /// English name of the counterset.
    pub const ENGLISH_SET_NAME: u16 = 9;
    /// English names of the counters.
    pub const ENGLISH_COUNTER_NAMES: u16 = 10;
}

/// The request and its result (formats/ms-pcq.md#messages).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageHeader {
    /// Which method; see [`opnum`].
    pub opnum: u16,
    /// `RequestCode` of opnum 1, see [`request`]; 0 otherwise.
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
        structure(Self::NAME, |start: &'a [u8]| {
            let (i, ()) = field("signature", signature)(start)?;
            let max_len = start.len().max(Self::LEN_HEADER);
            let (i, len) = field("len_message", within(Self::LEN_HEADER, max_len, le_u32))(i)?;
            let (i, opnum) = field("opnum", le_u16)(i)?;
            let (i, request_code) = field("request_code", le_u16)(i)?;
            let (i, argument) = field("argument", le_u32)(i)?;
            let (i, guid) = field("counterset_guid", Guid::read)(i)?;
            let (i, return_code) = field("return_code", le_u32)(i)?;
            let (i, query) = field("query", le_u32)(i)?;
            let (i, time) = field("time", le_i64)(i)?;
            let (i, buffer) = field("buffer", take(len as usize - Self::LEN_HEADER))(i)?;
            let header = MessageHeader {
                opnum,
                request_code,
                argument,
                guid,
                return_code: ReturnCode(return_code),
                query,
                time: Timestamp(time),
            };
            Ok((i, Message { header, buffer }))
        })
        .parse(i)
    }

    /// Bytes of header and buffer.
    #[expect(clippy::len_without_is_empty, reason = "a message has at least a header")]
    pub fn len(&self) -> usize {
        Self::LEN_HEADER + self.buffer.len()
    }

    /// Appends header and buffer, without padding.
    pub fn write(&self, out: &mut Vec<u8>) {
        let header = &self.header;
        out.reserve(self.len());
        out.extend_from_slice(&Self::SIGNATURE);
        out.extend_from_slice(&len_u32(self.len()).to_le_bytes());
        out.extend_from_slice(&header.opnum.to_le_bytes());
        out.extend_from_slice(&header.request_code.to_le_bytes());
        out.extend_from_slice(&header.argument.to_le_bytes());
        header.guid.write(out);
        out.extend_from_slice(&header.return_code.0.to_le_bytes());
        out.extend_from_slice(&header.query.to_le_bytes());
        out.extend_from_slice(&header.time.0.to_le_bytes());
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

fn signature(i: &[u8]) -> Parsed<'_, ()> {
    let (rest, found) = take(Message::SIGNATURE.len())(i)?;
    if found == Message::SIGNATURE {
        Ok((rest, ()))
    } else {
        Err(nom::Err::Error(Fault::bytes(i, "\"PCQM\"", found.len())))
    }
}
