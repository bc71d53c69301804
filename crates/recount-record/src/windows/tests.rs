//! The source on a simulated system.

use std::collections::HashMap;

use recount_bytes::ByteOrder;
use recount_model::{CounterType, NameTable, Timestamp};
use recount_samples::blocks::{BlockBuf, ObjectBuf};

use super::registry::{Key, Machine, Registry, Reply, ValueKind};
use super::source::QuerySource;
use super::zone::ZoneFields;

/// A system with scripted answers.
#[derive(Debug, Default)]
pub(super) struct FakeSystem {
    pub(super) values: HashMap<(String, String), (ValueKind, Vec<u8>)>,
    pub(super) failures: HashMap<String, Reply>,
    pub(super) lengths_tried: Vec<usize>,
    pub(super) num_processors: Option<u32>,
    pub(super) len_memory: Option<u64>,
    pub(super) uptime_ms: u64,
    pub(super) zone: Option<ZoneFields>,
    /// 0 counts as English.
    pub(super) language: u16,
}

impl FakeSystem {
    pub(super) fn set(&mut self, key: Key, value: &str, kind: ValueKind, bytes: Vec<u8>) {
        self.values.insert((key.name(), value.to_owned()), (kind, bytes));
    }

    pub(super) fn set_text(&mut self, key: Key, value: &str, text: &str) {
        let bytes = text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        self.set(key, value, ValueKind::TEXT, bytes);
    }

    pub(super) fn fail(&mut self, value: &str, reply: Reply) {
        self.failures.insert(value.to_owned(), reply);
    }

    /// Makes a query return a block of these objects.
    fn answer(&mut self, query: &str, time: i64, objects: &[u32]) {
        let mut block = BlockBuf::new("WEB1", ByteOrder::Little);
        block.header.perf_time_100ns = time;
        for &index in objects {
            let mut object = ObjectBuf::new(index, true);
            object.add_counter(index + 2, CounterType(0x0001_0000));
            block.objects.push(object);
        }
        let mut bytes = block.write().expect("small");
        // A provider may return a buffer longer than the block.
        bytes.extend([0xEE; 24]);
        self.set(Key::PerformanceData, query, ValueKind::BINARY, bytes);
    }
}

impl Registry for FakeSystem {
    fn query(&mut self, key: Key, value: &str, len_buffer: usize, bytes: &mut Vec<u8>) -> Reply {
        self.lengths_tried.push(len_buffer);
        if let Some(&reply) = self.failures.get(value) {
            return reply;
        }
        match self.values.get(&(key.name(), value.to_owned())) {
            None => Reply::Failed(2),
            Some((_, found)) if found.len() > len_buffer => Reply::MoreData,
            Some((kind, found)) => {
                bytes.clone_from(found);
                Reply::Value(*kind)
            }
        }
    }
}

impl Machine for FakeSystem {
    fn num_processors(&self) -> Option<u32> {
        self.num_processors
    }

    fn len_memory(&self) -> Option<u64> {
        self.len_memory
    }

    fn len_page(&self) -> Option<u32> {
        None
    }

    fn uptime_ms(&self) -> Option<u64> {
        Some(self.uptime_ms)
    }

    fn zone(&self) -> Option<ZoneFields> {
        self.zone.clone()
    }

    fn language(&self) -> u16 {
        if self.language == 0 { 9 } else { self.language }
    }
}

const NAMES: &str = "2\nSystem\n4\nMemory\n232\nThread\n740\nImage";

fn system() -> FakeSystem {
    let mut system = FakeSystem::default();
    let table = NameTable::from_text(NAMES).to_multi_sz();
    system.set(Key::PerformanceText, "Counter", ValueKind::TEXTS, table);
    system.answer("Global", 5, &[2, 4]);
    system
}

#[test]
fn samples_are_the_blocks_of_the_query() {
    let mut source = QuerySource::new(system(), &|_, default_on| default_on).expect("objects");
    assert_eq!(source.texts(), [("009".to_owned(), NameTable::from_text(NAMES))]);
    assert_eq!(source.facts().get("host").map(String::as_str), Some("WEB1"));
    assert!(source.block().is_empty());
    let taken = source.take().expect("taken").expect("no end");
    assert_eq!((taken.time, taken.num_unreadable), (Timestamp(5), 0));
    let len_block = u32::from_le_bytes(source.block()[0x14..0x18].try_into().expect("4 bytes"));
    assert_eq!(source.block().len(), len_block as usize);
    assert_eq!(source.block()[..8], *b"P\0E\0R\0F\0");
}

#[test]
fn named_objects_that_are_missing_are_reported() {
    let mut system = system();
    system.answer("Costly", 5, &[740]);
    system.answer("4 740", 6, &[4]);
    let mut source = QuerySource::new(system, &|name, _| name != "System").expect("objects");
    let taken = source.take().expect("taken").expect("no end");
    assert_eq!((taken.time, taken.num_unreadable), (Timestamp(6), 1));
    assert_eq!(taken.first_unreadable.as_deref(), Some("object Image: not in the block"));
}

#[test]
fn an_object_written_wrongly_is_reported_and_kept() {
    let mut system = system();
    system.answer("2 4", 6, &[2, 4]);
    let (_, block) = &system.values[&("HKEY_PERFORMANCE_DATA".to_owned(), "2 4".to_owned())];
    let mut block = block.clone();
    // TotalByteLength of the first object.
    let ofs_object = u32::from_le_bytes(block[0x18..0x1C].try_into().expect("4 bytes")) as usize;
    block[ofs_object..ofs_object + 4].copy_from_slice(&3_u32.to_le_bytes());
    system.set(Key::PerformanceData, "Global", ValueKind::BINARY, block.clone());
    system.answer("Costly", 5, &[2, 4]);
    system.set(Key::PerformanceData, "2 4", ValueKind::BINARY, block.clone());
    let mut source = QuerySource::new(system, &|_, _| true).expect("objects");
    let taken = source.take().expect("taken").expect("no end");
    assert_eq!(taken.num_unreadable, 3);
    let told = taken.first_unreadable.expect("an error");
    assert!(told.contains("PERF_OBJECT_TYPE.TotalByteLength"), "{told}");
    assert_eq!(source.block(), &block[..source.block().len()]);
    assert_eq!(source.block().len(), block.len() - 24);
}

#[test]
fn a_sample_that_fails_leaves_no_block() {
    let mut source = QuerySource::new(system(), &|_, default_on| default_on).expect("objects");
    source.take().expect("taken");
    source.system.fail("Global", Reply::Failed(5));
    let error = source.take().expect_err("denied").to_string();
    assert!(error.contains("Performance Monitor Users"), "{error}");
    assert!(source.block().is_empty());
    source.system.failures.clear();
    source.system.set(Key::PerformanceData, "Global", ValueKind::BINARY, b"nonsense".to_vec());
    let error = source.take().expect_err("no block").to_string();
    assert!(error.contains("PERF_DATA_BLOCK.Signature"), "{error}");
    assert!(source.block().is_empty());
}

#[test]
fn wanting_nothing_is_an_error_that_says_what_there_is() {
    let error = QuerySource::new(system(), &|name, _| name == "Prozess").expect_err("nothing").to_string();
    assert!(error.contains("there are: System, Memory"), "{error}");
}
