//! A log as text, with the file offset of everything shown.
//!
//! For debugging logs, and for the golden dumps of the samples. One line per field: offset, indentation by
//! structure, documented name, value. Lines beginning with `!` describe problems. Each structure shows its
//! own fields.

use std::fmt;

use recount_bytes::fields::Lines;
use recount_bytes::parse;
use recount_model::{Content, Health};

use crate::container::buffer::{Buffers, len_buffer};
use crate::container::{Event, events};
use crate::error::BlgError;
use crate::message::{self, Joiner, Message};
use crate::structure::buffer::BufferHeader;
use crate::structure::trace_header::{SystemEventHeader, TraceHeader};
use crate::structure::{self, catalog, counter_list, data_block, name_table};

/// Writes the dump of a log. Data blocks after the first `max_samples` are counted, not shown.
pub fn dump(content: &dyn Content, max_samples: usize, out: &mut dyn fmt::Write) -> Result<(), BlgError> {
    let file = content.bytes();
    let len_buffer = len_buffer(file).ok_or_else(|| BlgError::not_a_trace(file))?;
    let mut health = Health::default();
    let mut joiner = Joiner::default();
    let mut num_samples = 0_usize;
    let mut buffers = Buffers::new(content, len_buffer);
    for buffer in buffers.by_ref() {
        buffer.header.show(buffer.ofs as u64, &mut Lines::new(out))?;
        let mut found = Vec::new();
        events(file, &buffer, &mut health, |event| found.push(event));
        for event in found {
            let (message, is_block) = match &event {
                Event::Pdh(event) => {
                    let is_block = event.header.message_type == structure::DATA_BLOCK;
                    (joiner.push(event, &mut health), is_block)
                }
                Event::Other { .. } => (None, false),
            };
            let is_sample = message.as_ref().is_some_and(|m| m.kind == structure::DATA_BLOCK);
            num_samples += usize::from(is_sample);
            if is_block && num_samples + usize::from(!is_sample) > max_samples {
                continue;
            }
            show_event(file, &event, out)?;
            if let Some(message) = message {
                show_message(content, &message, out)?;
            }
        }
    }
    health.absorb(buffers.health);
    joiner.finish(&mut health);
    for finding in health.findings() {
        Lines::new(out).fault(finding)?;
    }
    if num_samples > max_samples {
        writeln!(out, "{} of {num_samples} data blocks not shown", num_samples - max_samples)?;
    }
    Ok(())
}

fn show_event(file: &[u8], event: &Event, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut lines = Lines::new(out).indented(1);
    let (ofs, len, header_type) = match event {
        Event::Pdh(event) => return event.header.show(event.ofs as u64, &mut lines),
        Event::Other { ofs, len, header_type } => (*ofs, usize::from(*len), *header_type),
    };
    lines.at(ofs as u64).structure(format_args!("event, header type {header_type:#04x}, {len} bytes"))?;
    if ofs != BufferHeader::LEN || !matches!(header_type, 1 | 2) {
        return Ok(());
    }
    let start = ofs + SystemEventHeader::LEN;
    let Some(body) = file.get(start..ofs + len) else { return Ok(()) };
    match parse::settle(TraceHeader::parse(body), body, start as u64) {
        Ok(header) => lines.nested(|lines| header.show(start as u64, lines)),
        Err(error) => lines.fault(error),
    }
}

fn show_message(content: &dyn Content, message: &Message, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut scratch = Vec::new();
    let payload = message.payload(content, &mut scratch);
    let map = |ofs: u64| message::ofs_in_file(&message.extents, ofs);
    let mut lines = Lines::mapped(out, &map).indented(2);
    match message.kind {
        structure::NAME_TABLE => name_table::show(payload, &mut lines),
        structure::COUNTER_LIST => counter_list::show(payload, &map, &mut lines),
        structure::DATA_BLOCK => data_block::show(payload, &map, &mut lines),
        structure::CATALOG => catalog::show(payload, &mut lines),
        other => lines.structure(format_args!("message of unknown type {other:#04x}")),
    }
}
