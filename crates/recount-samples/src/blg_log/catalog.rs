//! The catalog with its records (formats/blg.md#catalog).

use std::convert::Infallible;

use recount_blg::structure::catalog::CatalogHead;
use recount_blg::structure::pad;
use recount_blg::structure::record::{self, OBJECT, RecordHead};
use recount_blg::text;
use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Failed, Reader, owned};
use recount_model::CounterType;

use super::LogError;

const STRUCTURE: &str = "catalog record";
/// Bytes of an instance.
const LEN_INSTANCE: usize = 16;
/// Bytes that a counter takes in the four arrays.
const LEN_COUNTER: usize = 20;

/// Message 0x23: a summary of an object log. Its length and the number of its records are computed on
/// writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog {
    pub head: CatalogHead,
    /// One per entry of the counter list.
    pub records: Vec<CatalogRecord>,
}

/// The catalog's record of one whole object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogRecord {
    /// The third byte, 0x03.
    pub version: u8,
    /// Definitions, in the order of the data.
    pub counters: Vec<CatalogCounter>,
    /// The bytes after the definitions, up to a multiple of 8.
    pub padding_counters: Vec<u8>,
    /// All instances that ever existed; `None` for an object without instances.
    pub instances: Option<Vec<CatalogInstance>>,
    /// The bytes after the names, up to a multiple of 8.
    pub padding: Vec<u8>,
}

/// A counter of the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CatalogCounter {
    pub name_index: u32,
    pub counter_type: CounterType,
    /// Ticks per second.
    pub time_base: u64,
    /// Power of ten.
    pub default_scale: i32,
}

/// The fixed part of an instance of the catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogInstance {
    pub name: String,
    /// Where the name is, from the end of the array.
    ofs_name: u32,
    /// Number among equal names.
    pub number: u32,
    /// Two words, -1 each.
    pub reserved: [i32; 2],
}

impl CatalogInstance {
    fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("name", &mut self.ofs_name)?;
        f.field("number", &mut self.number)?;
        self.reserved.iter_mut().try_for_each(|word| f.field("reserved", word))
    }
}

impl Catalog {
    pub(super) fn parse(bytes: &[u8]) -> Result<Catalog, LogError> {
        let (_, head) = CatalogHead::parse(bytes)
            .map_err(|_| LogError::damaged("catalog", 0, "too short for its head"))?;
        let mut records = Vec::new();
        let mut at = CatalogHead::LEN;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let found = RecordHead::parse(rest).ok().map(|(_, found)| found).filter(|found| {
                found.kind == OBJECT && (RecordHead::LEN + 8..=rest.len()).contains(&(found.len as usize))
            });
            let found = found.ok_or_else(|| {
                let what = format!("no record of kind {OBJECT:#04x} in {} bytes", rest.len());
                LogError::damaged(STRUCTURE, at, what)
            })?;
            records.push(CatalogRecord::parse(found.version, &rest[..found.len as usize], at)?);
            at += found.len as usize;
        }
        Ok(Catalog { head, records })
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>, LogError> {
        let mut records = Vec::new();
        self.records.iter().try_for_each(|record| record.write(&mut records))?;
        let mut out = Vec::new();
        let (num_records, len) = (self.records.len() as u32, (CatalogHead::LEN + records.len()) as u32);
        CatalogHead { num_records, len, ..self.head }.write(&mut out);
        out.extend(records);
        Ok(out)
    }
}

impl CatalogRecord {
    fn parse(version: u8, bytes: &[u8], ofs: usize) -> Result<CatalogRecord, LogError> {
        let mut record = CatalogRecord {
            version,
            counters: Vec::new(),
            padding_counters: Vec::new(),
            instances: None,
            padding: Vec::new(),
        };
        let failed = |error| owned(error, bytes, ofs as u64);
        let mut reader = Reader::new(STRUCTURE, bytes, ByteOrder::Little);
        let (mut num_instances, mut num_counters) = (0_i32, 0_u32);
        let counts = (|| {
            reader.take("head", RecordHead::LEN)?;
            reader.field("num_instances", &mut num_instances)?;
            reader.field("num_counters", &mut num_counters)
        })();
        counts.map_err(failed)?;
        let has_room = |field: &str, num: usize, len: usize, have: usize| {
            let what = format!("{field}: {num} where the record has room for {}", have / len);
            if num <= have / len { Ok(()) } else { Err(LogError::damaged(STRUCTURE, ofs, what)) }
        };
        has_room("num_counters", num_counters as usize, LEN_COUNTER, reader.rest().len())?;
        record.counters = vec![CatalogCounter::default(); num_counters as usize];
        record.counter_fields(&mut reader).map_err(failed)?;
        let padding = (bytes.len() - reader.rest().len()).wrapping_neg() % 8;
        record.padding_counters = reader.take("padding", padding).map_err(failed)?.to_vec();
        let mut end = bytes.len() - reader.rest().len();
        if let Ok(num) = usize::try_from(num_instances) {
            has_room("num_instances", num, LEN_INSTANCE, reader.rest().len())?;
            let found = instances(&mut reader, num, &bytes[end + num * LEN_INSTANCE..]);
            let (found, len_names) = found.map_err(failed)?;
            end += num * LEN_INSTANCE + len_names;
            record.instances = Some(found);
        }
        record.padding = bytes[end..].to_vec();
        Ok(record)
    }

    /// The four arrays, one after the other.
    fn counter_fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        self.counters.iter_mut().try_for_each(|one| f.field("name index", &mut one.name_index))?;
        self.counters.iter_mut().try_for_each(|one| f.hidden("type word", &mut one.counter_type))?;
        self.counters.iter_mut().try_for_each(|one| f.field("time base", &mut one.time_base))?;
        self.counters.iter_mut().try_for_each(|one| f.field("default scale", &mut one.default_scale))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), FormatError> {
        let start = out.len();
        record::write(self.version, OBJECT, out, |out| {
            let mut num_instances = self.instances.as_ref().map_or(-1, |all| all.len() as i32);
            let mut writer = Writer::new(ByteOrder::Little, out);
            let Ok(()) = writer.field("num_instances", &mut num_instances);
            let Ok(()) = writer.field("num_counters", &mut (self.counters.len() as u32));
            let Ok(()) = self.clone().counter_fields(&mut writer);
            pad(out, start, &self.padding_counters);
            let mut names = Vec::new();
            for instance in self.instances.iter().flatten() {
                let ofs_name = names.len() as u32;
                let mut instance = CatalogInstance { ofs_name, ..instance.clone() };
                let Ok::<(), Infallible>(()) = instance.fields(&mut Writer::new(ByteOrder::Little, out));
                names.extend(text::encode(&instance.name));
            }
            out.extend(names);
            pad(out, start, &self.padding);
            Ok(())
        })
    }
}

/// The instances, and how many bytes their names take.
fn instances<'a>(
    reader: &mut Reader<'a>,
    num: usize,
    names: &'a [u8],
) -> Result<(Vec<CatalogInstance>, usize), Failed<'a>> {
    let mut instances = Vec::with_capacity(num);
    let mut end = 0;
    for _ in 0..num {
        let mut instance = CatalogInstance::default();
        instance.fields(reader)?;
        let start = (instance.ofs_name as usize).min(names.len());
        let (name, behind) = text::string(&names[start..]);
        end = end.max(names.len() - behind.len());
        instance.name = name.to_text();
        instances.push(instance);
    }
    Ok((instances, end))
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

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
        let head = catalog.head;
        assert_eq!((head.first, head.last, head.num_blocks), (Timestamp(1), Timestamp(2), 11));
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
            let error = Catalog::parse(&bytes).expect_err("too many").to_string();
            assert!(error.contains("has room for"), "{error}");
        }
    }
}
