//! Windows performance logs: the same messages with other names, written anew.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use recount_blg::structure::instances::{self, InstanceValues, InstancesHead, Item};
use recount_blg::structure::record::{self, Record, RecordHead, Records};
use recount_blg::structure::single::Single;
use recount_blg::text::Utf16;
use recount_blg::{BlgError, BlgWriter, Entry, LogContents, RecordedBlock, StoredZoneName, TraceHeader};
use recount_bytes::FormatError;
use recount_model::{Content, FindingKind, Health, NameTable, Place, Timestamp};

use super::block::rename_block;
use super::names::Names;
use super::pseudonym::Kind;

/// Ticks by which the stamps of name tables and of a counter list precede that of the next sample (formats/blg.md#time).
const NAMES_BEFORE: i64 = 20;
const LIST_BEFORE: i64 = 10;
/// What Windows writes, where the log says nothing that can be written.
const LEN_BUFFER: u32 = 0x1_0000;
const LEN_POINTER: u32 = 8;

/// Why a log can't be written again.
#[derive(Debug, thiserror::Error)]
pub(super) enum BlgFault {
    #[error(transparent)]
    Read(#[from] BlgError),
    #[error(transparent)]
    Write(#[from] io::Error),
}

pub(super) fn redact_blg(content: &dyn Content, names: &Names, out: &File) -> Result<Health, BlgFault> {
    let contents = LogContents::read(content)?;
    let LogContents { header, names: tables, lists, blocks, mut health } = contents;
    let ended = header.as_ref().map_or(Timestamp(0), |header| header.end_time);
    let (header, log) = header_of(header, names);
    let mut writer = BlgWriter::new(BufWriter::with_capacity(1 << 20, out), header, log)?;
    let first = blocks.first().map_or(Timestamp(0), |block| block.message.local);
    for (machine, texts) in &tables {
        let texts: BTreeMap<u32, String> =
            texts.iter().map(|(index, text)| (index, text.to_owned())).collect();
        let machine = format!(r"\\{}", names.host(machine));
        writer.name_table(Timestamp(first.0 - NAMES_BEFORE), &machine, &texts)?;
    }
    let mut current = None;
    let (mut scratch, mut message) = (Vec::new(), Vec::new());
    for RecordedBlock { message: block, list } in &blocks {
        let Some(entries) = lists.get(*list) else { continue };
        if current != Some(*list) {
            let renamed: Vec<Entry> = entries.iter().map(|entry| rename_entry(entry, names)).collect();
            writer.counter_list(Timestamp(block.local.0 - LIST_BEFORE), &renamed)?;
            current = Some(*list);
        }
        message.clear();
        let block_of = Block { entries, tables: &tables, names };
        let payload = block.payload(content, &mut scratch);
        if let Err(error) = block_of.rename(payload, &mut message, &mut health) {
            let place = block.extents.first().map(|extent| Place::structure("data block", extent.ofs));
            health.note(FindingKind::Dropped, place, format!("left out: {error}"));
            continue;
        }
        writer.data_block_message(block.local, &message)?;
    }
    writer.finish(ended)?.flush()?;
    Ok(health)
}

/// The header without the paths and stale bytes in it, and the log's id.
fn header_of(header: Option<TraceHeader>, names: &Names) -> (TraceHeader, [u8; 16]) {
    let header = header.unwrap_or_default();
    let is_sane = |len: &u32| len.is_multiple_of(512) && (16_384..=0x100_0000).contains(len);
    let mut zone = header.zone.clone();
    // Behind the NUL of a name may be anything.
    zone.standard_name = StoredZoneName::from(zone.standard_name.to_text().as_str());
    zone.daylight_name = StoredZoneName::from(zone.daylight_name.to_text().as_str());
    let session = names.whole(Kind::Instance, &header.logger_name);
    let mut log = [0; 16];
    for (byte, digit) in log.iter_mut().zip(session.bytes().rev()) {
        *byte = digit;
    }
    let header = TraceHeader {
        len_buffer: Some(header.len_buffer).filter(is_sane).unwrap_or(LEN_BUFFER),
        len_pointer: Some(header.len_pointer).filter(|len| matches!(len, 4 | 8)).unwrap_or(LEN_POINTER),
        // The buffers are in order.
        mode: header.mode & !TraceHeader::MODE_CIRCULAR,
        pointers: [0; 2],
        padding: [0; 4],
        zone,
        logger_name: session.to_string(),
        file_name: names.path(Kind::Path, &header.file_name).to_string(),
        ..header
    };
    (header, log)
}

fn rename_entry(entry: &Entry, names: &Names) -> Entry {
    let kind = Kind::of_object(&entry.object);
    let renamed = |name: &String| names.instance(kind, name);
    Entry {
        host: names.host(&entry.host).to_string(),
        instance: entry.instance.as_ref().map(renamed),
        parent: entry.parent.as_ref().map(renamed),
        ..entry.clone()
    }
}

/// What a data block is read with.
struct Block<'a> {
    entries: &'a [Entry],
    tables: &'a BTreeMap<String, NameTable>,
    names: &'a Names,
}

impl Block<'_> {
    /// Appends the message with other names. Records behind damage are left out, as readers do.
    fn rename(&self, message: &[u8], out: &mut Vec<u8>, health: &mut Health) -> Result<(), FormatError> {
        let mut note = |what: String| health.note(FindingKind::Dropped, None, format!("left out: {what}"));
        let records = match Records::open(message) {
            Ok(records) => records,
            Err(fault) => {
                note(format!("a data block: {}", fault.what));
                return record::write(RecordHead::VERSION, record::OUTER, out, |_| Ok(()));
            }
        };
        let mut entries = self.entries.iter();
        record::write(RecordHead::VERSION, record::OUTER, out, |out| {
            for record in records {
                let record = match record {
                    Ok(record) => record,
                    Err(fault) => {
                        note(format!("the rest of a data block: {}", fault.what));
                        break;
                    }
                };
                self.record(&record, entries.next(), out, &mut note)?;
            }
            Ok(())
        })
    }

    fn record(
        &self,
        record: &Record<'_>,
        entry: Option<&Entry>,
        out: &mut Vec<u8>,
        note: &mut dyn FnMut(String),
    ) -> Result<(), FormatError> {
        const VERSION: u8 = RecordHead::VERSION;
        let kind = entry.map_or(Kind::Instance, |entry| Kind::of_object(&entry.object));
        match record.kind {
            record::SINGLE => {
                if let Some(single) = Single::read(record) {
                    return Single { padding_time: 0, padding: 0, ..single }.write(VERSION, out);
                }
                note("a value that is cut off".to_owned());
            }
            record::INSTANCES => {
                if let Some(many) = InstanceValues::read(record) {
                    return self.instances(&many, kind, out);
                }
                note("the instances of a counter that are cut off".to_owned());
            }
            record::OBJECT => match record.block() {
                Ok(block) => {
                    let host = entry.map_or_else(String::new, |entry| entry.host.to_lowercase());
                    let empty = NameTable::new();
                    let renamed = rename_block(&block, self.tables.get(&host).unwrap_or(&empty), self.names);
                    if let Some(fault) = renamed.fault {
                        note(format!("an object: {fault}"));
                    }
                    return record::write_object(VERSION, &renamed.bytes, &[], out);
                }
                Err(error) => note(format!("a block: {error}")),
            },
            kind => note(format!("a record of kind {kind:#04x}")),
        }
        // Its place in the list counts.
        record::write(VERSION, record.kind, out, |_| Ok(()))
    }

    fn instances(&self, many: &InstanceValues<'_>, kind: Kind, out: &mut Vec<u8>) -> Result<(), FormatError> {
        let named = |item: Item| {
            let name = many.name(&item).map(Utf16::to_text).unwrap_or_default();
            (self.names.instance(kind, &name), item)
        };
        let items: Vec<(String, Item)> = many.items().map(named).collect();
        let items = items.iter().map(|(name, item)| (name.as_str(), Item { reserved: 0, ..*item }));
        let head = InstancesHead { reserved: 0, ..many.head };
        instances::write(RecordHead::VERSION, head, items, &[], out)
    }
}
