//! The catalog (formats/blg.md#catalog).

use recount_model::{CounterType, Timestamp};

use super::WireError;
use super::data_block::{close, open};
use super::fields::{Fields, Found};
use crate::records::catalog::LEN_CATALOG_HEAD;
use crate::records::data_block::{LEN_RECORD_HEAD, OBJECT};
use crate::text;

/// Bytes of an instance.
const LEN_INSTANCE: usize = 16;
/// Bytes that a counter takes in the four arrays.
const LEN_COUNTER: usize = 20;

/// Message 0x23: a summary of an object log. Its length and the number of its records are worked out on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog {
    /// Time of the first sample, local.
    pub first: Timestamp,
    /// Time of the last sample, local.
    pub last: Timestamp,
    /// Data blocks of the log.
    pub num_blocks: u32,
    /// 0x5FF.
    pub version: u32,
    /// One per entry of the counter list.
    pub records: Vec<CatalogRecord>,
}

/// What the catalog says of one whole object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogRecord {
    /// The third byte, 0x03.
    pub version: u8,
    /// Definitions, in the order of the data.
    pub counters: Vec<CatalogCounter>,
    /// What stands behind the definitions, to a multiple of 8.
    pub padding_counters: Vec<u8>,
    /// All instances there ever were; `None`: an object without.
    pub instances: Option<Vec<CatalogInstance>>,
    /// What stands behind the names, to a multiple of 8.
    pub padding: Vec<u8>,
}

/// A counter of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogCounter {
    /// Name index.
    pub name_index: u32,
    /// Type word.
    pub counter_type: CounterType,
    /// Ticks per second.
    pub time_base: u64,
    /// Power of ten.
    pub default_scale: i32,
}

/// An instance of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogInstance {
    /// Name.
    pub name: String,
    /// Number among equal names.
    pub number: u32,
    /// Two words, -1 each.
    pub reserved: [i32; 2],
}

impl Catalog {
    pub(super) fn parse(bytes: &[u8]) -> Found<Catalog> {
        let mut fields = Fields::new("catalog", bytes, 0);
        let first = Timestamp(fields.i64("first")?);
        let last = Timestamp(fields.i64("last")?);
        let num_blocks = fields.u32("num_blocks")?;
        fields.take("num_records, length", 8)?;
        let version = fields.u32("version")?;
        let mut records = Vec::new();
        let mut at = LEN_CATALOG_HEAD;
        while at < bytes.len() {
            let (record, len) = CatalogRecord::parse(&bytes[at..], at)?;
            records.push(record);
            at += len;
        }
        Ok(Catalog { first, last, num_blocks, version, records })
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>, WireError> {
        let mut out = Vec::new();
        out.extend(self.first.0.to_le_bytes());
        out.extend(self.last.0.to_le_bytes());
        out.extend(self.num_blocks.to_le_bytes());
        out.extend((self.records.len() as u32).to_le_bytes());
        out.extend([0; 4]);
        out.extend(self.version.to_le_bytes());
        for record in &self.records {
            record.write(&mut out)?;
        }
        let len = u32::try_from(out.len());
        let error = |_| WireError::TooLarge { structure: "catalog", field: "length", value: out.len() };
        let len = len.map_err(error)?;
        out[24..28].copy_from_slice(&len.to_le_bytes());
        Ok(out)
    }
}

impl CatalogRecord {
    fn parse(bytes: &[u8], ofs: usize) -> Found<(CatalogRecord, usize)> {
        let mut head = Fields::new("catalog record", bytes, ofs);
        head.u16("signature")?;
        let (version, kind, len) = (head.u8("version")?, head.u8("kind")?, head.u32("length")? as usize);
        if kind != OBJECT || !(LEN_RECORD_HEAD + 8..=bytes.len()).contains(&len) {
            let what = format!(
                "kind {kind:#04x} and length {len} where {OBJECT:#04x} in {} bytes was expected",
                bytes.len()
            );
            return Err(head.fault("length", what));
        }
        let mut fields = Fields::new("catalog record", &bytes[..len], ofs);
        fields.take("head", LEN_RECORD_HEAD)?;
        let num_instances = fields.i32("num_instances")?;
        let num_counters = fields.u32("num_counters")? as usize;
        let counters = counters(&mut fields, num_counters)?;
        let padding_counters = fields.take("padding", fields.at().wrapping_neg() % 8)?.to_vec();
        let mut end = fields.at();
        let instances = match usize::try_from(num_instances) {
            Ok(num) => Some(instances(&mut fields, num, &mut end)?),
            Err(_) => None,
        };
        let padding = bytes[end..len].to_vec();
        Ok((CatalogRecord { version, counters, padding_counters, instances, padding }, len))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        let start = open(out, self.version, OBJECT);
        let num_instances = self.instances.as_ref().map_or(-1, |all| all.len() as i32);
        out.extend(num_instances.to_le_bytes());
        out.extend((self.counters.len() as u32).to_le_bytes());
        out.extend(self.counters.iter().flat_map(|counter| counter.name_index.to_le_bytes()));
        out.extend(self.counters.iter().flat_map(|counter| counter.counter_type.0.to_le_bytes()));
        out.extend(self.counters.iter().flat_map(|counter| counter.time_base.to_le_bytes()));
        out.extend(self.counters.iter().flat_map(|counter| counter.default_scale.to_le_bytes()));
        super::pad(out, start, &self.padding_counters);
        let mut names = Vec::new();
        for instance in self.instances.iter().flatten() {
            out.extend((names.len() as u32).to_le_bytes());
            out.extend(instance.number.to_le_bytes());
            out.extend(instance.reserved.into_iter().flat_map(i32::to_le_bytes));
            names.extend(text::encode(&instance.name));
        }
        out.extend(names);
        super::pad(out, start, &self.padding);
        close(out, start)
    }
}

fn counters(fields: &mut Fields<'_>, num: usize) -> Found<Vec<CatalogCounter>> {
    if num > fields.rest().len() / LEN_COUNTER {
        let what = format!("{num} where the record has room for {}", fields.rest().len() / LEN_COUNTER);
        return Err(fields.fault("num_counters", what));
    }
    let none = CatalogCounter { name_index: 0, counter_type: CounterType(0), time_base: 0, default_scale: 0 };
    let mut counters = vec![none; num];
    for counter in &mut counters {
        counter.name_index = fields.u32("name index")?;
    }
    for counter in &mut counters {
        counter.counter_type = CounterType(fields.u32("type word")?);
    }
    for counter in &mut counters {
        counter.time_base = fields.u64("time base")?;
    }
    for counter in &mut counters {
        counter.default_scale = fields.i32("default scale")?;
    }
    Ok(counters)
}

fn instances(fields: &mut Fields<'_>, num: usize, end: &mut usize) -> Found<Vec<CatalogInstance>> {
    if num > fields.rest().len() / LEN_INSTANCE {
        let what = format!("{num} where the record has room for {}", fields.rest().len() / LEN_INSTANCE);
        return Err(fields.fault("num_instances", what));
    }
    let ofs_names = fields.at() + num * LEN_INSTANCE;
    *end = ofs_names;
    let mut instances = Vec::with_capacity(num);
    for _ in 0..num {
        let ofs_name = fields.u32("name")? as usize;
        let number = fields.u32("number")?;
        let reserved = [fields.i32("reserved")?, fields.i32("reserved")?];
        let (name, behind) = fields.text_at("name", ofs_names.saturating_add(ofs_name))?;
        *end = (*end).max(behind);
        instances.push(CatalogInstance { name, number, reserved });
    }
    Ok(instances)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the table of formats/blg.md, field by field.
    fn message() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut words = |all: &[u32]| bytes.extend(all.iter().flat_map(|word| word.to_le_bytes()));
        words(&[1, 0, 2, 0, 11, 2, 32 + 40 + 96, 0x5FF]);
        // Without instances: one counter.
        words(&[0x0503_4C42, 40, u32::MAX, 1, 24, 0x0001_0100, 7, 0, 0xFFFF_FFFA, 0]);
        // Two instances, two counters: scales end on a multiple of 8, and one name needs padding.
        words(&[0x0503_4C42, 96, 2, 2, 6, 8, 0x2051_0500, 0x0001_0000, 10_000_000, 0, 9, 0, 0, 1]);
        words(&[0, 1, u32::MAX, u32::MAX, 4, 0, u32::MAX, u32::MAX]);
        words(&[u32::from(b'a'), u32::from(b'a')]);
        bytes
    }

    #[test]
    fn comes_apart_and_together() {
        let bytes = message();
        let catalog = Catalog::parse(&bytes).expect("a catalog");
        assert_eq!((catalog.first, catalog.last, catalog.num_blocks), (Timestamp(1), Timestamp(2), 11));
        assert_eq!(catalog.records[0].instances, None);
        assert_eq!(catalog.records[0].counters[0].default_scale, -6);
        let instances = catalog.records[1].instances.as_ref().expect("instances");
        let found: Vec<(&str, u32)> = instances.iter().map(|one| (&*one.name, one.number)).collect();
        assert_eq!(found, [("a", 1), ("a", 0)]);
        assert_eq!(catalog.records[1].counters[1].time_base, 9);
        assert_eq!(catalog.encode().expect("written"), bytes);
    }

    #[test]
    fn counts_are_bounded_by_the_bytes() {
        for at in [80, 84] {
            let mut bytes = message();
            bytes[at..at + 4].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
            let fault = Catalog::parse(&bytes).expect_err("too many");
            assert!(fault.what.contains("has room for"), "{}", fault.what);
        }
    }
}
