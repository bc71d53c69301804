//! A message as text: every field of every structure.

mod data;
mod lines;
mod metadata;

use std::fmt::{self, Write};

use super::message::{opnum, request};
use super::{Message, MessageHeader};
use lines::Lines;

/// Writes one line per field: its byte offset in the file, its documented name and its value, indented by
/// structure. `ofs` is where the message starts in its file. If a structure is invalid, a line beginning with
/// `!` says so.
///
/// The buffer of a failed method is shown as bytes: the document doesn't define its contents.
pub fn dump(message: &Message<'_>, ofs: u64, out: &mut impl Write) -> fmt::Result {
    let header = &message.header;
    let mut lines = Lines { out, ofs, depth: 0 };
    lines.structure("message", "")?;
    lines.word("signature", "\"PCQM\"")?;
    lines.word("len_message", message.len())?;
    lines.field("opnum", 2, format_args!("{}{}", header.opnum, Name(method(header.opnum))))?;
    lines.field("request_code", 2, format_args!("{}{}", header.request_code, Name(asked(header))))?;
    lines.word("argument", format_args!("{:#x}", header.argument))?;
    lines.field("counterset_guid", 16, header.guid)?;
    lines.word("return_code", header.return_code)?;
    lines.word("query", header.query)?;
    lines.long("time", format_args!("{} ({})", header.time.0, header.time))?;
    lines.nested(|lines| buffer(message, lines))
}

fn buffer<W: Write>(message: &Message<'_>, lines: &mut Lines<'_, W>) -> fmt::Result {
    let (header, buffer) = (&message.header, message.buffer);
    if !header.return_code.is_success() {
        return lines.bytes("buffer", buffer);
    }
    match (header.opnum, header.request_code) {
        (opnum::ENUMERATE_COUNTER_SET, _) => metadata::guids(buffer, lines),
        (opnum::QUERY_REGISTRATION_INFO, request::COUNTER_SET) => metadata::registration(buffer, lines),
        (opnum::QUERY_REGISTRATION_INFO, request::COUNTER) => metadata::counter(buffer, lines),
        (opnum::QUERY_REGISTRATION_INFO, request::PROVIDER_GUID) => metadata::provider_guid(buffer, lines),
        (
            opnum::QUERY_REGISTRATION_INFO,
            request::SET_NAME | request::SET_DESCRIPTION | request::PROVIDER_NAME | request::ENGLISH_SET_NAME,
        ) => metadata::text(buffer, lines),
        (
            opnum::QUERY_REGISTRATION_INFO,
            request::COUNTER_NAMES | request::COUNTER_DESCRIPTIONS | request::ENGLISH_COUNTER_NAMES,
        ) => metadata::string_table(buffer, lines),
        (opnum::ENUMERATE_INSTANCES, _) => metadata::instances(buffer, lines),
        (opnum::QUERY_COUNTER_INFO | opnum::VALIDATE_COUNTERS, _) => metadata::identifiers(buffer, lines),
        (opnum::QUERY_COUNTER_DATA, _) => data::query_data(buffer, lines),
        _ => lines.bytes("buffer", buffer),
    }
}

/// A name in brackets after a number, if it has one.
struct Name(Option<&'static str>);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " ({name})"))
    }
}

fn method(number: u16) -> Option<&'static str> {
    Some(match number {
        opnum::ENUMERATE_COUNTER_SET => "PerflibV2EnumerateCounterSet",
        opnum::QUERY_REGISTRATION_INFO => "PerflibV2QueryCounterSetRegistrationInfo",
        opnum::ENUMERATE_INSTANCES => "PerflibV2EnumerateCounterSetInstances",
        opnum::OPEN_QUERY_HANDLE => "PerflibV2OpenQueryHandle",
        opnum::CLOSE_QUERY_HANDLE => "PerflibV2CloseQueryHandle",
        opnum::QUERY_COUNTER_INFO => "PerflibV2QueryCounterInfo",
        opnum::QUERY_COUNTER_DATA => "PerflibV2QueryCounterData",
        opnum::VALIDATE_COUNTERS => "PerflibV2ValidateCounters",
        _ => return None,
    })
}

fn asked(header: &MessageHeader) -> Option<&'static str> {
    if header.opnum != opnum::QUERY_REGISTRATION_INFO {
        return None;
    }
    Some(match header.request_code {
        request::COUNTER_SET => "counterset",
        request::COUNTER => "counter",
        request::SET_NAME => "name of the counterset",
        request::SET_DESCRIPTION => "description of the counterset",
        request::COUNTER_NAMES => "names of the counters",
        request::COUNTER_DESCRIPTIONS => "descriptions of the counters",
        request::PROVIDER_NAME => "name of the provider",
        request::PROVIDER_GUID => "GUID of the provider",
        request::ENGLISH_SET_NAME => "English name of the counterset",
        request::ENGLISH_COUNTER_NAMES => "English names of the counters",
        _ => return None,
    })
}
