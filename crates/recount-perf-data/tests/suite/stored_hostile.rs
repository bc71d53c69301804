//! Damaged input: exact errors, and never a panic.

use crate::shared;

use std::sync::Arc;

use proptest::prelude::*;
use recount_bytes::FormatError;
use recount_model::{NameTable, SampleTime, Selection, Source};
use recount_perf_data::{DataBlock, DumpSource, ObjectRuns, dump};
use recount_samples::blocks::BlockBuf;
use shared::{PROCESSES, WINE, read};

/// Reads everything in every possible way.
fn exhaust(bytes: &[u8]) -> Result<(), FormatError> {
    let block = DataBlock::parse(bytes, 0)?;
    let mut text = String::new();
    dump(&block, &mut text).expect("writing to a string");
    let names = NameTable::new();
    for object in block.objects() {
        let object = object?;
        let mut runs = ObjectRuns::new("".into(), 1);
        runs.push(&block, &object, SampleTime::default(), &names)?;
        assert_eq!(runs.finish().len(), 1);
    }
    let written = BlockBuf::from_block(&block)?.write()?;
    assert!(written == block.bytes(), "a sound block is written as it was read");
    Ok(())
}

fn error_with(name: &str, ofs: usize, value: u32) -> String {
    let mut bytes = read(name);
    bytes[ofs..ofs + 4].copy_from_slice(&value.to_le_bytes());
    exhaust(&bytes).expect_err("damaged").to_string()
}

#[test]
#[ignore = "reads ../shared/data"]
fn errors_name_structure_field_and_offset() {
    // Offsets in the process block: object 0x78, counters 0xb8, instances 0x518, first counter block 0x540.
    for (ofs, value, expected) in [
        (
            0x00,
            0x1234_5678,
            "PERF_DATA_BLOCK.Signature at byte 0x0: expected \"PERF\" in UTF-16, found 78 56 34 12 52 00 46 00",
        ),
        (
            0x08,
            2,
            "PERF_DATA_BLOCK.LittleEndian at byte 0x8 (structure starts at 0x0): \
             expected 1, as the signature is little endian, found 2",
        ),
        (
            0x14,
            260_001,
            "PERF_DATA_BLOCK.TotalByteLength at byte 0x14 (structure starts at 0x0): \
             expected at most 260000, found 260001",
        ),
        (
            0x18,
            87,
            "PERF_DATA_BLOCK.HeaderLength at byte 0x18 (structure starts at 0x0): expected at least 88, found 87",
        ),
        (0x1c, 2, "PERF_OBJECT_TYPE.TotalByteLength at byte 0xad70: the bytes end inside this field, 0 left"),
        (0x78, 0, "PERF_OBJECT_TYPE.TotalByteLength at byte 0x78: expected at least 64, found 0"),
        (
            0x7c,
            44_281,
            "PERF_OBJECT_TYPE.DefinitionLength at byte 0x7c (structure starts at 0x78): \
             expected at most 44280, found 44281",
        ),
        (
            0x98,
            29,
            "PERF_COUNTER_DEFINITION.ByteLength at byte 0x518: the bytes end inside this field, 0 left",
        ),
        (
            0xa0,
            0xffff_fffe,
            "PERF_OBJECT_TYPE.NumInstances at byte 0xa0 (structure starts at 0x78): \
             expected -1 (no instances) or more, found -2",
        ),
        (
            0xa0,
            166,
            "PERF_INSTANCE_DEFINITION.ByteLength at byte 0xad70: the bytes end inside this field, 0 left",
        ),
        (
            0xa0,
            2000,
            "PERF_OBJECT_TYPE at byte 0x78: 28 counters of 2000 instances can't stand in an object of 44280 bytes",
        ),
        (0xe0, 0, "PERF_COUNTER_DEFINITION.ByteLength at byte 0xe0: expected at least 40, found 0"),
        (0x518, 0, "PERF_INSTANCE_DEFINITION.ByteLength at byte 0x518: expected at least 24, found 0"),
        (
            0x52c,
            17,
            "PERF_INSTANCE_DEFINITION.NameLength at byte 0x52c (structure starts at 0x518): \
             expected at most 16, found 17",
        ),
        (0x540, 3, "PERF_COUNTER_BLOCK.ByteLength at byte 0x540: expected at least 4, found 3"),
        (
            0x540,
            u32::MAX,
            "PERF_COUNTER_BLOCK.ByteLength at byte 0x540: expected at most 43056, found 4294967295",
        ),
    ] {
        assert_eq!(error_with(PROCESSES, ofs, value), expected);
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn a_big_endian_signature_asks_for_big_endian_lengths() {
    let mut bytes = read(WINE);
    bytes[..8].copy_from_slice(b"\0P\0E\0R\0F");
    assert_eq!(
        exhaust(&bytes).expect_err("damaged").to_string(),
        "PERF_DATA_BLOCK.LittleEndian at byte 0x8 (structure starts at 0x0): \
         expected 0, as the signature is big endian, found 16777216"
    );
}

#[test]
#[ignore = "reads ../shared/data"]
fn truncation_is_an_error_at_every_offset() {
    let wine = read(WINE);
    for len in 0..wine.len() {
        assert!(exhaust(&wine[..len]).is_err(), "{len}");
    }
    let processes = read(PROCESSES);
    for i in 0..2000 {
        let len = i * 44_399 / 1999;
        assert!(exhaust(&processes[..len]).is_err(), "{len}");
        // Also with a block length that matches the truncation.
        if len >= 0x78 {
            let mut bytes = processes[..len].to_vec();
            bytes[0x14..0x18].copy_from_slice(&(len as u32).to_le_bytes());
            assert!(exhaust(&bytes).is_err(), "{len}");
        }
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn flipped_bytes_never_panic() {
    let sound = read(PROCESSES);
    let mut bytes = sound[..44_400].to_vec();
    let mut num_errors = 0;
    for i in 0..2000 {
        // The first 1.5 KB contain most of the lengths: use every byte of them.
        let ofs = if i < 1500 { i } else { 1500 + (i - 1500) * 42_899 / 499 };
        for flip in [0xFF, 0x80, 0x01] {
            bytes[ofs] ^= flip;
            num_errors += u32::from(exhaust(&bytes).is_err());
            bytes[ofs] = sound[ofs];
        }
    }
    // Signature and byte order alone are 12 bytes, each flipped in three ways.
    assert!((36..3000).contains(&num_errors), "{num_errors}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn values_beyond_the_counter_block_are_faults() {
    let mut bytes = read(PROCESSES);
    // CounterOffset of the first definition: the last four of the value's eight bytes are beyond the 200.
    bytes[0xdc..0xe0].copy_from_slice(&196_u32.to_le_bytes());
    let block = DataBlock::parse(&bytes, 0).expect("sound");
    let object = block.objects().next().expect("one").expect("sound");
    let mut runs = ObjectRuns::new("".into(), 1);
    runs.push(&block, &object, SampleTime::default(), &NameTable::new()).expect("sound but for one counter");
    let run = runs.finish().remove(0);
    assert_eq!(run.faults.len(), 165);
    assert!(run.faults.iter().all(|fault| fault.counter == 0));
    assert_eq!(run.columns[0].first, [0; 165]);
    assert_eq!(run.columns[1].first[2], 0);
    assert_eq!(run.columns[14].first[3], 584);
}

proptest! {
    #[test]
    #[ignore = "reads ../shared/data"]
    fn no_bytes_panic(
        edits in prop::collection::vec((0_usize..44_400, any::<u32>()), 1..6),
        len in 88_usize..44_400,
    ) {
        let mut bytes = read(PROCESSES)[..44_400].to_vec();
        for (ofs, value) in edits {
            let end = (ofs + 4).min(bytes.len());
            bytes[ofs..end].copy_from_slice(&value.to_le_bytes()[..end - ofs]);
        }
        let _ = exhaust(&bytes);
        let _ = exhaust(&bytes[..len]);
        if let Ok(source) = DumpSource::open(vec![("x".into(), Arc::new(bytes))], NameTable::new()) {
            let decoded = source.decode(&[0], &Selection::all());
            prop_assert!(decoded.runs.len() <= 1 || decoded.health.is_sound());
        }
    }
}
