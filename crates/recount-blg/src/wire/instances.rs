//! Records of the instances of a counter (formats/blg.md#instances).

use recount_model::Timestamp;

use super::WireError;
use super::fields::{Fields, Found};
use crate::records::data_block::{LEN_INSTANCES_HEAD, LEN_ITEM, LEN_RECORD_HEAD};

/// One counter of many instances. Count, lengths and offsets are worked out on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instances {
    /// PDH status.
    pub status: u32,
    /// The word at 20, 0.
    pub reserved: u32,
    /// Local.
    pub local: Timestamp,
    /// The instances.
    pub items: Vec<Item>,
    /// What stands behind the names, to the room that is reserved for them.
    pub padding: Vec<u8>,
}

/// The value of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name.
    pub name: String,
    /// The word behind the offset of the name, 0.
    pub reserved: u32,
    /// First value.
    pub first: u64,
    /// Second value.
    pub second: u64,
}

impl Instances {
    pub(super) fn parse(bytes: &[u8], ofs: usize) -> Found<Instances> {
        let mut fields = Fields::new("instances record", bytes, ofs);
        fields.take("head, len_rest", LEN_RECORD_HEAD + 4)?;
        let num = fields.u32("num_instances")? as usize;
        let status = fields.u32("status")?;
        let reserved = fields.u32("reserved")?;
        let local = Timestamp(fields.i64("time")?);
        if num > fields.rest().len() / LEN_ITEM {
            let what = format!("{num} where the record has room for {}", fields.rest().len() / LEN_ITEM);
            return Err(fields.fault("num_instances", what));
        }
        let mut items = Vec::with_capacity(num);
        let mut end = LEN_INSTANCES_HEAD + num * LEN_ITEM;
        for _ in 0..num {
            let ofs_name = fields.u32("name")? as usize + LEN_RECORD_HEAD;
            let reserved = fields.u32("reserved")?;
            let (first, second) = (fields.u64("first")?, fields.u64("second")?);
            let (name, behind) = fields.text_at("name", ofs_name)?;
            end = end.max(behind);
            items.push(Item { name, reserved, first, second });
        }
        Ok(Instances { status, reserved, local, items, padding: bytes[end..].to_vec() })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        write_head(self.items.len(), self.status, self.reserved, self.local, out)?;
        let start = out.len() - LEN_INSTANCES_HEAD;
        let items = self.items.iter().map(|item| (&*item.name, item.reserved, item.first, item.second));
        write_items(items, &self.padding, out)?;
        close(out, start);
        Ok(())
    }
}

/// What stands in front of the items. The length is entered by [`close`].
pub(super) fn write_head(
    num: usize,
    status: u32,
    reserved: u32,
    local: Timestamp,
    out: &mut Vec<u8>,
) -> Result<(), WireError> {
    let num_instances = u32::try_from(num);
    let error = |_| WireError::TooLarge { structure: "instances record", field: "num_instances", value: num };
    out.extend([0; 4]);
    out.extend(num_instances.map_err(error)?.to_le_bytes());
    out.extend(status.to_le_bytes());
    out.extend(reserved.to_le_bytes());
    out.extend(local.0.to_le_bytes());
    Ok(())
}

/// Items as (name, reserved word, first, second), then the names.
pub(super) fn write_items<'n>(
    items: impl Iterator<Item = (&'n str, u32, u64, u64)> + Clone,
    padding: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), WireError> {
    let num = items.clone().count();
    let mut names = Vec::new();
    // The names are packed, but the writer of Windows reserves each of them rounded up to 8 bytes.
    let mut len_reserved = 0;
    let ofs_names = LEN_INSTANCES_HEAD - LEN_RECORD_HEAD + num * LEN_ITEM;
    for (name, reserved, first, second) in items {
        let value = ofs_names + names.len();
        let ofs = u32::try_from(value);
        let ofs =
            ofs.map_err(|_| WireError::TooLarge { structure: "instances record", field: "name", value })?;
        out.extend(ofs.to_le_bytes());
        out.extend(reserved.to_le_bytes());
        out.extend(first.to_le_bytes());
        out.extend(second.to_le_bytes());
        let len_before = names.len();
        names.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        len_reserved += (names.len() - len_before).next_multiple_of(8);
    }
    let end = out.len() + len_reserved;
    let len_padding = (len_reserved - names.len()).min(padding.len());
    out.extend(names);
    out.extend_from_slice(&padding[..len_padding]);
    out.resize(end, 0);
    Ok(())
}

/// Enters the length of the rest. [`super::data_block::close`] has checked that the whole fits, or will.
pub(super) fn close(out: &mut [u8], start: usize) {
    let len_rest = (out.len() - start - LEN_RECORD_HEAD) as u32;
    out[start + 8..start + 12].copy_from_slice(&len_rest.to_le_bytes());
}
