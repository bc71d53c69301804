//! A log as text: every field of every structure, with its offset in the file.
//!
//! For people who debug logs, and for the golden dumps that samples are compared with. One line per field:
//! offset, indentation by structure, documented name, value. Lines beginning with `!` say what is amiss.

use std::fmt;

use recount_blocks::perf_data::{self, DataBlock, SystemTime};
use recount_blocks::posix_date;
use recount_model::{Content, Health, Timestamp};

use crate::container::buffer::{Buffers, LEN_BUFFER_HEADER, len_buffer};
use crate::container::event::events;
use crate::container::trace_header::{LEN_SYSTEM_EVENT_HEADER, trace_header};
use crate::container::{Buffer, Event, PdhEvent, TraceHeader};
use crate::error::BlgError;
use crate::message::{self, Joiner, Message};
use crate::records::catalog::Catalog;
use crate::records::counter_list::{Entry, LEN_LIST_HEAD, entry, list_head};
use crate::records::data_block::{self, InstanceValues, LEN_RECORD_HEAD, Record, Records, Single};
use crate::text;

/// Writes the dump of a log. Data blocks behind the first `max_samples` are counted, not shown.
pub fn dump(content: &dyn Content, max_samples: usize, out: &mut impl fmt::Write) -> Result<(), DumpError> {
    let file = content.bytes();
    let len_buffer = len_buffer(file).ok_or_else(|| BlgError::not_a_trace(file))?;
    let mut health = Health::default();
    let mut lines = Lines { out, depth: 0 };
    let mut joiner = Joiner::default();
    let mut num_samples = 0_usize;
    let mut buffers = Buffers::new(content, len_buffer);
    for buffer in buffers.by_ref() {
        buffer_header(&buffer, &mut lines)?;
        let mut found = Vec::new();
        events(file, &buffer, &mut health, |event| found.push(event));
        for event in found {
            let message = match &event {
                Event::Pdh(event) => joiner.push(event, &mut health),
                Event::Other { .. } => None,
            };
            let is_sample = message.as_ref().is_some_and(|m| m.kind == message::DATA_BLOCK);
            num_samples += usize::from(is_sample);
            let is_late = matches!(&event, Event::Pdh(event) if event.message_type == message::DATA_BLOCK);
            if is_late && num_samples + usize::from(!is_sample) > max_samples {
                continue;
            }
            lines.depth = 1;
            self::event(file, &event, &mut lines)?;
            lines.depth = 2;
            if let Some(message) = message {
                self::message(file, &message, &mut lines)?;
            }
            lines.depth = 0;
        }
    }
    health.absorb(buffers.health);
    joiner.finish(&mut health);
    for finding in health.findings() {
        writeln!(lines.out, "! {finding}")?;
    }
    if num_samples > max_samples {
        writeln!(lines.out, "{} of {num_samples} data blocks not shown", num_samples - max_samples)?;
    }
    Ok(())
}

/// Why there is no dump.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The file is no log.
    #[error(transparent)]
    Blg(#[from] BlgError),
    /// The output refused.
    #[error("the dump could not be written")]
    Write(#[from] fmt::Error),
}

struct Lines<'w, W> {
    out: &'w mut W,
    depth: usize,
}

impl<W: fmt::Write> Lines<'_, W> {
    fn structure(&mut self, ofs: u64, what: impl fmt::Display) -> fmt::Result {
        writeln!(self.out, "{ofs:#010x} {:indent$}{what}", "", indent = 2 * self.depth)
    }

    fn field(&mut self, ofs: u64, name: &str, value: impl fmt::Display) -> fmt::Result {
        writeln!(self.out, "{ofs:#010x} {:indent$}{name} = {value}", "", indent = 2 * self.depth + 2)
    }

    fn fault(&mut self, what: impl fmt::Display) -> fmt::Result {
        writeln!(self.out, "! {what}")
    }
}

fn buffer_header<W: fmt::Write>(buffer: &Buffer, lines: &mut Lines<'_, W>) -> fmt::Result {
    let ofs = buffer.ofs as u64;
    lines.structure(ofs, "buffer")?;
    lines.field(ofs, "BufferSize", buffer.len)?;
    lines.field(
        ofs + 16,
        "FlushTime",
        if buffer.flush_time.0 == 0 { "0".to_owned() } else { buffer.flush_time.to_string() },
    )?;
    lines.field(ofs + 24, "SequenceNumber", buffer.sequence)?;
    lines.field(ofs + 40, "Processor", buffer.processor)?;
    lines.field(ofs + 48, "FilledBytes", buffer.len_used)?;
    lines.field(ofs + 52, "Flags", format_args!("{:#06x}", buffer.flags))?;
    lines.field(ofs + 54, "BufferType", buffer.buffer_type)
}

fn event<W: fmt::Write>(file: &[u8], event: &Event, lines: &mut Lines<'_, W>) -> fmt::Result {
    match event {
        Event::Pdh(event) => pdh_event(event, lines),
        Event::Other { ofs, len, header_type } => {
            lines
                .structure(*ofs as u64, format_args!("event, header type {header_type:#04x}, {len} bytes"))?;
            if *ofs != LEN_BUFFER_HEADER || !matches!(header_type, 1 | 2) {
                return Ok(());
            }
            let start = ofs + LEN_SYSTEM_EVENT_HEADER;
            let Some(body) = file.get(start..ofs + usize::from(*len)) else { return Ok(()) };
            match trace_header(body) {
                Ok((_, header)) => logfile_header(start as u64, &header, lines),
                Err(error) => {
                    let (place, what) = crate::error::placed(error, body, start as u64);
                    lines.fault(format_args!("{}: {what}", place.unwrap_or_default()))
                }
            }
        }
    }
}

fn pdh_event<W: fmt::Write>(event: &PdhEvent, lines: &mut Lines<'_, W>) -> fmt::Result {
    let ofs = event.ofs as u64;
    lines.structure(ofs, "PDH event")?;
    lines.field(ofs, "Size", event.len)?;
    lines.field(ofs + 4, "MessageType", format_args!("{:#04x}", event.message_type))?;
    lines.field(ofs + 16, "TimeStamp", local(event.local))?;
    lines.field(ofs + 48, "Log", hex(&event.log))?;
    lines.field(ofs + 64, "Fragment", format_args!("{} of {}", event.fragment, event.num_fragments))
}

fn logfile_header<W: fmt::Write>(ofs: u64, header: &TraceHeader, lines: &mut Lines<'_, W>) -> fmt::Result {
    lines.depth += 1;
    lines.structure(ofs, "TRACE_LOGFILE_HEADER")?;
    lines.field(ofs, "BufferSize", header.len_buffer)?;
    lines.field(ofs + 4, "Version", format_args!("{:?}", header.os_version))?;
    lines.field(ofs + 8, "ProviderVersion", header.os_build)?;
    lines.field(ofs + 12, "NumberOfProcessors", header.num_processors)?;
    lines.field(ofs + 16, "EndTime", header.end_time)?;
    lines.field(ofs + 24, "TimerResolution", header.timer_resolution)?;
    lines.field(ofs + 28, "MaximumFileSize", header.max_size_mb)?;
    lines.field(ofs + 32, "LogFileMode", format_args!("{:#010x}", header.mode))?;
    lines.field(ofs + 36, "BuffersWritten", header.num_buffers)?;
    lines.field(ofs + 40, "StartBuffers", header.num_start_buffers)?;
    lines.field(ofs + 44, "PointerSize", header.len_pointer)?;
    lines.field(ofs + 48, "EventsLost", header.num_events_lost)?;
    lines.field(ofs + 52, "CpuSpeedInMHz", header.cpu_mhz)?;
    let ofs_zone = ofs + if header.len_pointer == 8 { 72 } else { 64 };
    let zone = &header.zone;
    lines.field(ofs_zone, "TimeZone.Bias", zone.bias)?;
    lines.field(ofs_zone + 4, "TimeZone.StandardName", format_args!("{:?}", zone.standard_name))?;
    lines.field(ofs_zone + 68, "TimeZone.StandardDate", transition(zone.standard_date))?;
    lines.field(ofs_zone + 84, "TimeZone.StandardBias", zone.standard_bias)?;
    lines.field(ofs_zone + 88, "TimeZone.DaylightName", format_args!("{:?}", zone.daylight_name))?;
    lines.field(ofs_zone + 152, "TimeZone.DaylightDate", transition(zone.daylight_date))?;
    lines.field(ofs_zone + 168, "TimeZone.DaylightBias", zone.daylight_bias)?;
    let ofs_boot = ofs + (ofs_zone + 172 - ofs).next_multiple_of(8);
    lines.field(ofs_boot, "BootTime", header.boot_time)?;
    lines.field(ofs_boot + 8, "PerfFreq", header.perf_freq)?;
    lines.field(ofs_boot + 16, "StartTime", header.start_time)?;
    lines.field(ofs_boot + 24, "ReservedFlags", header.clock_type)?;
    lines.field(ofs_boot + 28, "BuffersLost", header.num_buffers_lost)?;
    lines.field(ofs_boot + 32, "LoggerName", format_args!("{:?}", header.logger_name))?;
    let ofs_file = ofs_boot + 32 + text::encode(&header.logger_name).len() as u64;
    lines.field(ofs_file, "LogFileName", format_args!("{:?}", header.file_name))
}

fn message<W: fmt::Write>(file: &[u8], message: &Message, lines: &mut Lines<'_, W>) -> fmt::Result {
    let mut scratch = Vec::new();
    let payload = message.payload(file, &mut scratch);
    let ofs = |at: usize| message::ofs_in_file(&message.extents, at as u64);
    match message.kind {
        message::NAME_TABLE => name_table(payload, &ofs, lines),
        message::COUNTER_LIST => counter_list(payload, &ofs, lines),
        message::DATA_BLOCK => records(payload, &ofs, lines),
        message::CATALOG => catalog(payload, &ofs, lines),
        other => lines.structure(ofs(0), format_args!("message of unknown type {other:#04x}")),
    }
}

fn name_table<W: fmt::Write>(
    payload: &[u8],
    ofs: &dyn Fn(usize) -> u64,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    lines.structure(ofs(0), "name table")?;
    let mut at = 0;
    for (number, name) in text::strings(payload).enumerate() {
        let what = if number == 0 {
            "machine"
        } else if number % 2 == 1 {
            "index"
        } else {
            "name"
        };
        lines.field(ofs(at), what, format_args!("{:?}", name.to_text()))?;
        at += name.0.len() + 2;
    }
    Ok(())
}

fn counter_list<W: fmt::Write>(
    payload: &[u8],
    ofs: &dyn Fn(usize) -> u64,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    lines.structure(ofs(0), "counter list")?;
    if let Ok((_, head)) = list_head(payload) {
        lines.field(ofs(0), "version", format_args!("{:#010x}", head.version))?;
        lines.field(ofs(4), "log type", format_args!("{:#010x}", head.log_type))?;
    }
    let mut rest = payload.get(LEN_LIST_HEAD..).unwrap_or_default();
    while !rest.is_empty() {
        let at = payload.len() - rest.len();
        match entry(rest) {
            Ok((behind, entry)) => {
                list_entry(ofs(at), rest.len() - behind.len(), &entry, lines)?;
                rest = behind;
            }
            Err(error) => {
                let (place, what) = crate::error::placed(error, rest, ofs(at));
                return lines.fault(format_args!("{}: {what}", place.unwrap_or_default()));
            }
        }
    }
    Ok(())
}

fn list_entry<W: fmt::Write>(ofs: u64, len: usize, entry: &Entry, lines: &mut Lines<'_, W>) -> fmt::Result {
    lines.depth += 1;
    lines.structure(ofs, format_args!("entry {}", entry.path()))?;
    lines.field(ofs, "length", len)?;
    lines.field(ofs + 4, "kind", format_args!("{:#04x}", entry.kind))?;
    let word = entry.counter_type;
    lines.field(ofs + 12, "counter type", format_args!("{:#010X} {}", word.0, word.name().unwrap_or("")))?;
    lines.field(ofs + 16, "time base", entry.time_base)?;
    lines.field(ofs + 24, "default scale", entry.default_scale)?;
    lines.field(ofs + 44, "instance index", entry.index)?;
    lines.depth -= 1;
    Ok(())
}

fn records<W: fmt::Write>(
    payload: &[u8],
    ofs: &dyn Fn(usize) -> u64,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    lines.structure(ofs(0), format_args!("data block, {} bytes", payload.len()))?;
    lines.depth += 1;
    let records = match Records::open(payload) {
        Ok(records) => records,
        Err(error) => {
            return lines.fault(format_args!("{:#x} record.{}: {}", ofs(error.ofs), error.field, error.what));
        }
    };
    for record in records {
        match record {
            Ok(record) => self::record(&record, ofs, lines)?,
            Err(error) => {
                return lines.fault(format_args!(
                    "{:#x} record.{}: {}",
                    ofs(error.ofs),
                    error.field,
                    error.what
                ));
            }
        }
    }
    lines.depth -= 1;
    Ok(())
}

fn record<W: fmt::Write>(
    record: &Record<'_>,
    ofs: &dyn Fn(usize) -> u64,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    let at = |within: usize| ofs(record.ofs + within);
    let (kind, len) = (record.kind, record.bytes.len());
    lines.structure(at(0), format_args!("record of kind {kind:#04x}, {len} bytes"))?;
    match kind {
        data_block::SINGLE => {
            let Some(single) = Single::read(record) else { return lines.fault("too short for a value") };
            lines.field(at(8), "status", format_args!("{:#x}", single.status))?;
            lines.field(at(12), "time stamp", local(single.local))?;
            lines.field(at(24), "first value", single.first)?;
            lines.field(at(32), "second value", single.second)?;
            lines.field(at(40), "multi count", single.multi)
        }
        data_block::INSTANCES => {
            let Some(many) = InstanceValues::read(record) else {
                return lines.fault("too short for its instances");
            };
            lines.field(at(12), "instances", many.len())?;
            lines.field(at(16), "status", format_args!("{:#x}", many.status))?;
            lines.field(at(24), "time stamp", local(many.local))?;
            for (number, item) in many.items().enumerate() {
                let within = data_block::LEN_INSTANCES_HEAD + number * data_block::LEN_ITEM;
                let name = many.name(&item).map(text::Utf16::to_text);
                lines.field(at(within), "instance", format_args!("{:?}", name.unwrap_or_default()))?;
                lines.field(at(within + 8), "first value", item.first)?;
                lines.field(at(within + 16), "second value", item.second)?;
            }
            Ok(())
        }
        // Offsets within a block run on from its start, also where fragments cut it.
        data_block::OBJECT => match DataBlock::parse(&record.bytes[LEN_RECORD_HEAD..], at(LEN_RECORD_HEAD)) {
            Ok(block) => perf_data::dump(&block, lines.out),
            Err(error) => lines.fault(error),
        },
        _ => Ok(()),
    }
}

fn catalog<W: fmt::Write>(
    payload: &[u8],
    ofs: &dyn Fn(usize) -> u64,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    lines.structure(ofs(0), format_args!("catalog, {} bytes", payload.len()))?;
    let Some(catalog) = Catalog::read(payload) else { return lines.fault("too short for a catalog") };
    lines.field(ofs(0), "first sample", local(catalog.first))?;
    lines.field(ofs(8), "last sample", local(catalog.last))?;
    lines.field(ofs(16), "data blocks", catalog.num_blocks)?;
    lines.field(ofs(20), "records", catalog.num_records)
}

/// A transition as its POSIX rule.
fn transition(date: SystemTime) -> String {
    posix_date(date).unwrap_or_else(|| "none".to_owned())
}

/// A local time stamp: its civil time, without a zone.
fn local(time: Timestamp) -> String {
    time.to_string().trim_end_matches('Z').to_owned() + " local"
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
