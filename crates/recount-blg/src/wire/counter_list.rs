//! Counter lists (formats/blg.md#counter-list).

use super::fields::{Fault, Fields, Found};
use crate::records::counter_list::{Entry, LEN_ENTRY_HEAD, LEN_LIST_HEAD, NO_STRING, entry};
use crate::text;

/// The version of every file seen.
pub(crate) const LIST_VERSION: u32 = 0x0000_06FF;
/// The log type of every file seen: binary log, write access.
pub(crate) const LIST_LOG_TYPE: u32 = 0x0002_0008;
/// What machines have in front of their names.
const BACKSLASHES: &str = r"\\";

/// Message 0x20: what the records of the data blocks hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterList {
    /// 0x6FF.
    pub version: u32,
    /// 0x00020008.
    pub log_type: u32,
    /// Entries.
    pub entries: Vec<ListEntry>,
}

/// An entry. Its length and the offsets of its texts are worked out on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// What it says.
    pub entry: Entry,
    /// The word at 8, 0.
    pub reserved: u32,
    /// What stands behind its texts, to a multiple of 8.
    pub padding: Vec<u8>,
}

impl CounterList {
    pub(super) fn parse(bytes: &[u8]) -> Found<CounterList> {
        let mut head = Fields::new("counter list", bytes, 0);
        let version = head.u32("version")?;
        let log_type = head.u32("log type")?;
        let mut entries = Vec::new();
        let mut at = LEN_LIST_HEAD;
        while at < bytes.len() {
            let (entry, len) = ListEntry::parse(&bytes[at..], at)?;
            entries.push(entry);
            at += len;
        }
        Ok(CounterList { version, log_type, entries })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_list_head(self.version, self.log_type, &mut out);
        for ListEntry { entry, reserved, padding } in &self.entries {
            write_entry(entry, *reserved, padding, &mut out);
        }
        out
    }
}

impl ListEntry {
    fn parse(bytes: &[u8], ofs: usize) -> Found<(ListEntry, usize)> {
        let mut fields = Fields::new("counter list entry", bytes, ofs);
        let (behind, found) = entry(bytes).map_err(|error| {
            let error = recount_blocks::parse::owned(error, bytes, ofs as u64);
            let at = error.place().map_or(ofs, |place| place.ofs as usize);
            Fault { ofs: at, ..fields.fault("entry", error.what()) }
        })?;
        let len = bytes.len() - behind.len();
        fields.take("length, kind", 8)?;
        let reserved = fields.u32("reserved")?;
        // Where the texts of what is written end, the padding begins.
        let ofs_padding = LEN_ENTRY_HEAD + strings(&found).bytes.len();
        let padding = bytes.get(ofs_padding..len).unwrap_or_default().to_vec();
        Ok((ListEntry { entry: found, reserved, padding }, len))
    }
}

/// The head of a list.
pub(crate) fn write_list_head(version: u32, log_type: u32, out: &mut Vec<u8>) {
    out.extend(version.to_le_bytes());
    out.extend(log_type.to_le_bytes());
}

/// The texts of an entry, and where they stand among each other.
struct Strings {
    bytes: Vec<u8>,
    /// Machine, object, instance, parent.
    offsets: [u32; 4],
    ofs_counter: u32,
}

fn strings(entry: &Entry) -> Strings {
    // Entries of whole objects with an instance begin their texts with four zero bytes.
    let mut bytes = if entry.is_object() && entry.instance.is_some() { vec![0; 4] } else { Vec::new() };
    let mut add = |text: &str| {
        let ofs = bytes.len() as u32;
        bytes.extend(text::encode(text));
        ofs
    };
    let machine = add(&format!("{BACKSLASHES}{}", entry.host));
    let object = add(&entry.object);
    let parent = entry.parent.as_deref().map_or(NO_STRING, &mut add);
    let instance = entry.instance.as_deref().map_or(NO_STRING, &mut add);
    let ofs_counter = add(&entry.counter);
    Strings { bytes, offsets: [machine, object, instance, parent], ofs_counter }
}

/// Appends an entry.
pub(crate) fn write_entry(entry: &Entry, reserved: u32, padding: &[u8], out: &mut Vec<u8>) {
    let Strings { bytes, offsets, ofs_counter } = strings(entry);
    let start = out.len();
    let len = (LEN_ENTRY_HEAD + bytes.len()).next_multiple_of(8);
    out.extend((len as u32).to_le_bytes());
    out.extend(entry.kind.to_le_bytes());
    out.extend(reserved.to_le_bytes());
    out.extend(entry.counter_type.0.to_le_bytes());
    out.extend(entry.time_base.to_le_bytes());
    out.extend(entry.default_scale.to_le_bytes());
    out.extend(offsets.into_iter().flat_map(u32::to_le_bytes));
    out.extend(entry.index.to_le_bytes());
    out.extend(ofs_counter.to_le_bytes());
    out.extend(bytes);
    super::pad(out, start, padding);
}
