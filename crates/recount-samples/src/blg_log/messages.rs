//! Owned messages (formats/blg.md#messages).

use crate::blocks::BlockBuf;
use recount_blg::Entry;
use recount_blg::structure::counter_list::{ListHead, entries};
use recount_blg::structure::instances::{self, InstanceValues, InstancesHead, Item};
use recount_blg::structure::record::{self, INSTANCES, OBJECT, OUTER, RecordHead, Records, SINGLE};
use recount_blg::structure::single::Single;
use recount_blg::structure::{CATALOG, COUNTER_LIST, DATA_BLOCK, NAME_TABLE, name_table};
use recount_blg::text::{self, Utf16};
use recount_bytes::parse;

use super::{Catalog, LogError};

/// A message, carried by one or more events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    NameTable(NameTable),
    CounterList(CounterList),
    DataBlock(DataBlock),
    Catalog(Catalog),
    Unknown { message_type: u8, payload: Vec<u8> },
}

/// Message 0x24: names of one machine by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameTable {
    /// The machine, with its backslashes.
    pub machine: String,
    /// Indexes and names, in order.
    pub names: Vec<(u32, String)>,
    /// Bytes after the last name.
    pub tail: Vec<u8>,
}

/// Message 0x20: describes the records of the data blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterList {
    pub head: ListHead,
    pub entries: Vec<ListEntry>,
}

/// An entry. Its length and the offsets of its texts are computed on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    pub entry: Entry,
    /// The word at 8, 0.
    pub reserved: u32,
    /// What follows its texts, to a multiple of 8.
    pub padding: Vec<u8>,
}

/// Message 0x22: one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataBlock {
    /// The third byte of the outer record, 0x03.
    pub version: u8,
    /// One per entry of the counter list.
    pub records: Vec<Record>,
}

/// A record. Its length is computed on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The third byte, 0x03.
    pub version: u8,
    pub body: RecordBody,
}

/// The contents of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordBody {
    Single(Single),
    Instances(Instances),
    /// A whole object, and what follows it to a multiple of 8.
    Object {
        block: Box<BlockBuf>,
        padding: Vec<u8>,
    },
    /// A record of another kind, or a whole object whose block is unsound, from offset 8 on.
    Unknown {
        kind: u8,
        bytes: Vec<u8>,
    },
}

/// One counter of many instances. Count, lengths and offsets are computed on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instances {
    pub head: InstancesHead,
    pub items: Vec<(String, Item)>,
    /// What follows the names, to the room that is reserved for them.
    pub padding: Vec<u8>,
}

impl Message {
    /// The message type that events state.
    pub fn message_type(&self) -> u8 {
        match self {
            Message::NameTable(_) => NAME_TABLE,
            Message::CounterList(_) => COUNTER_LIST,
            Message::DataBlock(_) => DATA_BLOCK,
            Message::Catalog(_) => CATALOG,
            Message::Unknown { message_type, .. } => *message_type,
        }
    }

    pub(super) fn parse(message_type: u8, payload: &[u8]) -> Result<Message, LogError> {
        Ok(match message_type {
            NAME_TABLE => Message::NameTable(NameTable::parse(payload)?),
            COUNTER_LIST => Message::CounterList(CounterList::parse(payload)?),
            DATA_BLOCK => Message::DataBlock(DataBlock::parse(payload)?),
            CATALOG => Message::Catalog(Catalog::parse(payload)?),
            _ => Message::Unknown { message_type, payload: payload.to_vec() },
        })
    }

    /// The payload, before it is cut in fragments.
    pub(super) fn encode(&self) -> Result<Vec<u8>, LogError> {
        match self {
            Message::NameTable(table) => Ok(table.encode()),
            Message::CounterList(list) => Ok(list.encode()),
            Message::DataBlock(block) => block.encode(),
            Message::Catalog(catalog) => catalog.encode(),
            Message::Unknown { payload, .. } => Ok(payload.clone()),
        }
    }
}

impl NameTable {
    fn parse(bytes: &[u8]) -> Result<NameTable, LogError> {
        let (machine, mut rest) = text::string(bytes);
        let mut names = Vec::new();
        while rest.len() > 1 {
            let (index, behind_index) = text::string(rest);
            let index = index.to_text();
            if index.is_empty() {
                break;
            }
            let at = bytes.len() - rest.len();
            let index = index.parse().map_err(|_| {
                LogError::damaged("name table", at, format!("{index:?} where digits were expected"))
            })?;
            let (name, behind) = text::string(behind_index);
            names.push((index, name.to_text()));
            rest = behind;
        }
        Ok(NameTable { machine: machine.to_text(), names, tail: rest.to_vec() })
    }

    fn encode(&self) -> Vec<u8> {
        let names = self.names.iter().map(|(index, name)| (*index, &**name));
        let mut out = name_table::write(&self.machine, names);
        out.extend_from_slice(&self.tail);
        out
    }
}

impl CounterList {
    fn parse(bytes: &[u8]) -> Result<CounterList, LogError> {
        let head = parse::settle(ListHead::parse(bytes), bytes, 0)?;
        let found: Vec<(usize, Entry)> = entries(bytes).collect::<Result<_, _>>()?;
        let ends = found.iter().skip(1).map(|(ofs, _)| *ofs).chain([bytes.len()]);
        let entries = found.iter().zip(ends).map(|((start, entry), end)| {
            let reserved = bytes[start + 8..start + 12].try_into().unwrap_or_default();
            // Where the texts of what is written end, the padding begins.
            let padding = bytes.get(start + entry.len_unpadded()..end).unwrap_or_default();
            ListEntry {
                entry: entry.clone(),
                reserved: u32::from_le_bytes(reserved),
                padding: padding.to_vec(),
            }
        });
        Ok(CounterList { head, entries: entries.collect() })
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.head.write(&mut out);
        for ListEntry { entry, reserved, padding } in &self.entries {
            entry.write(*reserved, padding, &mut out);
        }
        out
    }
}

impl DataBlock {
    fn parse(bytes: &[u8]) -> Result<DataBlock, LogError> {
        let mut records = Vec::new();
        for record in Records::open(bytes)? {
            let record = record?;
            records.push(Record { version: record.bytes[2], body: RecordBody::parse(&record) });
        }
        Ok(DataBlock { version: bytes[2], records })
    }

    fn encode(&self) -> Result<Vec<u8>, LogError> {
        let mut out = Vec::new();
        record::write(self.version, OUTER, &mut out, |out| {
            self.records.iter().try_for_each(|record| record.write(out))
        })?;
        Ok(out)
    }
}

impl RecordBody {
    fn parse(record: &record::Record<'_>) -> RecordBody {
        let known = match record.kind {
            SINGLE if record.bytes.len() == Single::LEN => Single::read(record).map(RecordBody::Single),
            INSTANCES => InstanceValues::read(record).and_then(|many| instances_of(record, &many)),
            OBJECT => object(record),
            _ => None,
        };
        let bytes = || record.bytes[RecordHead::LEN..].to_vec();
        known.unwrap_or_else(|| RecordBody::Unknown { kind: record.kind, bytes: bytes() })
    }
}

fn instances_of(record: &record::Record<'_>, many: &InstanceValues<'_>) -> Option<RecordBody> {
    let mut end = InstancesHead::LEN + many.len() * Item::LEN;
    let mut items = Vec::with_capacity(many.len());
    for item in many.items() {
        let name: Utf16<'_> = many.name(&item)?;
        end = end.max(RecordHead::LEN + item.ofs_name as usize + name.0.len() + 2);
        items.push((name.to_text(), item));
    }
    let padding = record.bytes.get(end..).unwrap_or_default().to_vec();
    Some(RecordBody::Instances(Instances { head: many.head, items, padding }))
}

fn object(record: &record::Record<'_>) -> Option<RecordBody> {
    let block = record.block().ok()?;
    let padding = record.bytes[RecordHead::LEN + block.bytes().len()..].to_vec();
    Some(RecordBody::Object { block: Box::new(BlockBuf::from_block(&block).ok()?), padding })
}

impl Record {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), LogError> {
        let version = self.version;
        match &self.body {
            RecordBody::Single(single) => single.write(version, out)?,
            RecordBody::Instances(many) => {
                let items = many.items.iter().map(|(name, item)| (&**name, *item));
                instances::write(version, many.head, items, &many.padding, out)?;
            }
            RecordBody::Object { block, padding } => {
                record::write_object(version, &block.write()?, padding, out)?;
            }
            RecordBody::Unknown { kind, bytes } => record::write(version, *kind, out, |out| {
                out.extend_from_slice(bytes);
                Ok::<_, LogError>(())
            })?,
        }
        Ok(())
    }
}
