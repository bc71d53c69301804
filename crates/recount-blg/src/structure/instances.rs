//! The instances of a counter (formats/blg.md#instances).

use std::fmt::{self, Display};

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::{Fields, Lines, Writer, narrow};
use recount_bytes::parse::by_fields;
use recount_model::Timestamp;

use super::record::{self, Record, RecordHead};
use crate::le::{u32_at, u64_at};
use crate::text::{self, Utf16};

/// The head before the items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstancesHead {
    /// Length of the record minus 8.
    pub len_rest: u32,
    /// Number of items.
    pub num_instances: u32,
    /// PDH status.
    pub status: u32,
    /// 0.
    pub reserved: u32,
    /// Time stamp, local.
    pub local: Timestamp,
}

impl InstancesHead {
    /// Bytes of a record before its items, including the record's head.
    pub const LEN: usize = 32;

    /// Reads the head of a record of kind 2, only the first bytes of which are needed; `None` if it is too
    /// short.
    #[inline]
    pub fn read(record: &Record<'_>) -> Option<InstancesHead> {
        let bytes = record.bytes.get(RecordHead::LEN..)?;
        Some(by_fields("instances record", ByteOrder::Little, InstancesHead::fields)(bytes).ok()?.1)
    }

    /// The fields after the record's head, in order.
    #[inline]
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.hidden("len_rest", &mut self.len_rest)?;
        f.field("instances", &mut self.num_instances)?;
        f.shown("status", &mut self.status, |status| format!("{status:#x}"))?;
        f.hidden("reserved", &mut self.reserved)?;
        f.shown("time stamp", &mut self.local, super::local)
    }
}

/// The value of one instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Offset of the name from offset 8 of the record.
    pub ofs_name: u32,
    /// 0.
    pub reserved: u32,
    /// First value.
    pub first: u64,
    /// Second value.
    pub second: u64,
}

impl Item {
    /// Length in bytes.
    pub const LEN: usize = 24;

    /// As `fields` says, but without the parser: a log has millions of them.
    #[inline]
    fn read(bytes: &[u8; Item::LEN]) -> Item {
        Item {
            ofs_name: Item::ofs_name(bytes),
            reserved: u32_at(bytes, 4).unwrap_or_default(),
            first: u64_at(bytes, 8).unwrap_or_default(),
            second: u64_at(bytes, 16).unwrap_or_default(),
        }
    }

    #[inline]
    fn ofs_name(bytes: &[u8; Item::LEN]) -> u32 {
        u32_at(bytes, 0).unwrap_or_default()
    }

    #[inline]
    fn fields<F: Fields>(&mut self, f: &mut F, name: impl Display) -> Result<(), F::Error> {
        f.shown("instance", &mut self.ofs_name, |_| name)?;
        f.hidden("reserved", &mut self.reserved)?;
        f.field("first value", &mut self.first)?;
        f.field("second value", &mut self.second)
    }
}

/// A record of kind 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceValues<'a> {
    /// The head before the items.
    pub head: InstancesHead,
    items: &'a [[u8; Item::LEN]],
    /// The record from offset 8, to which the offsets of the names refer.
    names: &'a [u8],
}

impl<'a> InstanceValues<'a> {
    /// Reads a record of kind 2; `None` if it is too short for its count.
    #[inline]
    pub fn read(record: &Record<'a>) -> Option<InstanceValues<'a>> {
        let head = InstancesHead::read(record)?;
        let (items, _) = record.bytes.get(InstancesHead::LEN..)?.as_chunks();
        let items = items.get(..head.num_instances as usize)?;
        let names = &record.bytes[RecordHead::LEN..];
        // The names follow the items, so where the first one is confirms the number of items.
        let ofs_names = InstancesHead::LEN - RecordHead::LEN + items.len() * Item::LEN;
        let ofs_first = items.first().map_or(head.len_rest, |first| Item::read(first).ofs_name);
        let is_confirmed = head.len_rest as usize == names.len() && ofs_first as usize == ofs_names;
        is_confirmed.then_some(InstanceValues { head, items, names })
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no instances.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items in order.
    #[inline]
    pub fn items(&self) -> impl ExactSizeIterator<Item = Item> + use<'a> {
        self.items.iter().map(Item::read)
    }

    /// The offsets of the names, in order.
    #[inline]
    pub(crate) fn ofs_names(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.items.iter().map(Item::ofs_name)
    }

    /// The name of an item; `None` if its offset is outside the record.
    pub fn name(&self, item: &Item) -> Option<Utf16<'a>> {
        self.names.get(item.ofs_name as usize..).map(|bytes| text::string(bytes).0)
    }

    /// The bytes of an item's name, at most `len_most` of them.
    pub(crate) fn name_within(&self, item: &Item, len_most: usize) -> &'a [u8] {
        let bytes = self.names.get(item.ofs_name as usize..).unwrap_or_default();
        text::string(bytes.get(..len_most).unwrap_or(bytes)).0.0
    }

    /// The bytes of the names: equal bytes and equal offsets mean equal names.
    pub(crate) fn name_bytes(&self) -> &'a [u8] {
        let ofs = InstancesHead::LEN - RecordHead::LEN + self.items.len() * Item::LEN;
        self.names.get(ofs..).unwrap_or_default()
    }

    /// Whether the instances have the same names, in the same order, at the same offsets.
    pub(crate) fn has_names_of(&self, other: &InstanceValues<'_>) -> bool {
        self.name_bytes() == other.name_bytes() && self.ofs_names().eq(other.ofs_names())
    }

    pub(crate) fn show(&self, lines: &mut Lines<'_>) -> fmt::Result {
        let mut head = self.head;
        head.fields(lines)?;
        for mut item in self.items() {
            let name = self.name(&item).map(Utf16::to_text).unwrap_or_default();
            item.fields(lines, format_args!("{name:?}"))?;
        }
        Ok(())
    }
}

/// Appends a record of kind 2: the items, each with its name, then the names. Count, lengths and offsets of
/// names are computed. `padding` follows the names, if there is room.
pub fn write<'n>(
    version: u8,
    mut head: InstancesHead,
    items: impl ExactSizeIterator<Item = (&'n str, Item)>,
    padding: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), FormatError> {
    const STRUCTURE: &str = "instances record";
    head.num_instances = narrow(items.len(), STRUCTURE, "num_instances")?;
    let start = out.len();
    record::write(version, record::INSTANCES, out, |out| {
        let Ok(()) = head.fields(&mut Writer::new(ByteOrder::Little, out));
        let mut names = Vec::new();
        // The names are packed, but Windows reserves a multiple of 8 bytes for each of them.
        let mut len_reserved = 0;
        let ofs_names = InstancesHead::LEN - RecordHead::LEN + items.len() * Item::LEN;
        for (name, mut item) in items {
            item.ofs_name = narrow(ofs_names + names.len(), STRUCTURE, "name")?;
            let Ok(()) = item.fields(&mut Writer::new(ByteOrder::Little, out), "");
            let len_before = names.len();
            names.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
            len_reserved += (names.len() - len_before).next_multiple_of(8);
        }
        let end = out.len() + len_reserved;
        let len_padding = (len_reserved - names.len()).min(padding.len());
        out.extend(names);
        out.extend_from_slice(&padding[..len_padding]);
        out.resize(end, 0);
        Ok::<_, FormatError>(())
    })?;
    // The length of the record is larger by this and fits, too.
    let len_rest = (out.len() - start - RecordHead::LEN) as u32;
    out[start + 8..start + 12].copy_from_slice(&len_rest.to_le_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reader of items and the fields of the structure are two lists of the same.
    #[test]
    fn an_item_reads_as_its_fields_say() {
        let bytes: [u8; Item::LEN] = std::array::from_fn(|at| 0x11 + at as u8);
        let mut out = Vec::new();
        let Ok(()) = Item::read(&bytes).fields(&mut Writer::new(ByteOrder::Little, &mut out), "");
        assert_eq!(out, bytes);
    }
}
