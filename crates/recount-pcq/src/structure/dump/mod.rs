//! A message as text: every field of every structure.

mod data;
mod metadata;

use std::fmt;

use recount_bytes::fields::Lines;

use super::{Message, len_u32, opnum, request};

/// Writes one line per field: its byte offset in the file, its documented name and its value, indented by
/// structure. `ofs` is where the message starts in its file. If a structure is invalid, a line beginning with
/// `!` says so.
///
/// The buffer of a failed method is shown as bytes: the document doesn't define its contents.
pub fn dump(message: &Message<'_>, ofs: u64, out: &mut dyn fmt::Write) -> fmt::Result {
    let (mut header, mut len) = (message.header, len_u32(message.len()));
    let mut lines = Lines::new(out);
    lines.at(ofs).structure(Message::NAME)?;
    header.fields(&mut len, usize::MAX, &mut lines)?;
    lines.nested(|lines| buffer(message, lines))
}

fn buffer(message: &Message<'_>, lines: &mut Lines<'_>) -> fmt::Result {
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
