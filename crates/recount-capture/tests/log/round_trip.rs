//! All input is restored byte for byte.

use proptest::prelude::*;
use recount_capture::{RecordKind, WriterOptions};
use recount_model::{Piece, Timestamp};

use crate::reading::{Record, assert_holds, block_records, open, options, written};
use crate::series::{Random, big_endian_block, series};

/// Every way to write a log.
fn ways(len_chunk: usize) -> impl Iterator<Item = (WriterOptions, bool, String)> {
    let ways = [(true, true), (true, false), (false, true)];
    ways.into_iter().map(move |(tail, finish)| {
        let options = WriterOptions { tail, ..options(len_chunk) };
        (options, finish, format!("chunks of {len_chunk}, tail: {tail}, closed: {finish}"))
    })
}

fn assert_comes_back(records: &[Record], lens_chunk: &[usize]) {
    for &len_chunk in lens_chunk {
        for (options, finish, context) in ways(len_chunk) {
            let log = open(&written(records, options, finish));
            assert!(log.health().is_sound(), "{context}: {:?}", log.health());
            assert_eq!(log.is_closed(), finish, "{context}");
            assert_holds(&log, records, &context);
        }
    }
}

#[test]
fn blocks_of_machines() {
    let blocks = series(120);
    let len = blocks[0].len();
    let records = block_records(blocks);
    assert_comes_back(&records, &[1, len, 10 * len + 1, 8 << 20]);
}

/// Blocks that are cut, flipped, big endian, empty, followed by something, or not blocks at all.
#[test]
fn blocks_that_are_none() {
    let mut random = Random(5);
    let mut blocks = Vec::new();
    for (at, mut block) in series(60).into_iter().enumerate() {
        match at % 6 {
            0 => block.truncate(random.below(block.len())),
            1 => {
                for _ in 0..20 {
                    let place = random.below(block.len());
                    block[place] ^= 1 << random.below(8);
                }
            }
            2 => block = big_endian_block(random.next() >> 8),
            3 => block.extend_from_slice(&random.bytes(at)),
            4 => block = random.bytes(3 * at),
            _ => {}
        }
        blocks.push(block);
    }
    blocks.push(Vec::new());
    assert_comes_back(&block_records(blocks), &[1, 50_000, 8 << 20]);
}

fn any_piece() -> impl Strategy<Value = Piece> {
    let section = prop_oneof![0_u32..4, Just(Piece::FRAME), any::<u32>()];
    (section, 0_u32..3, 0_u64..4, 0_u32..40).prop_map(|(section, sort, key, len)| Piece {
        section,
        sort,
        key,
        len,
    })
}

/// Bytes that change little from record to record, not at all, or completely.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        prop::collection::vec(0_u8..2, 0..200),
        (0_usize..300, any::<u8>()).prop_map(|(len, byte)| vec![byte; len]),
        (0_u32..50, 0_u32..1_000)
            .prop_map(|(num, step)| { (0..num).flat_map(|k| (k * step).to_le_bytes()).collect() }),
    ]
}

fn any_record() -> impl Strategy<Value = Record> {
    let time = prop_oneof![any::<i64>(), 0_i64..1_000];
    let kind = prop_oneof![0_u16..4, any::<u16>()];
    let pieces = prop::collection::vec(any_piece(), 0..12);
    (time, kind, any_bytes(), pieces, any::<bool>()).prop_map(|(time, kind, bytes, mut pieces, is_true)| {
        if is_true {
            // Pieces that make up the record; otherwise most often they don't.
            let mut left = bytes.len() as u32;
            for piece in &mut pieces {
                piece.len = piece.len.min(left);
                left -= piece.len;
            }
            pieces.push(Piece { section: Piece::FRAME, sort: 9, key: 0, len: left });
        }
        Record { time: Timestamp(time), kind: RecordKind(kind), bytes, pieces }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_records(records in prop::collection::vec(any_record(), 0..40), len_chunk in 1_usize..3_000) {
        assert_comes_back(&records, &[len_chunk]);
    }
}

/// The limits of a chunk: very many records, very many sections.
#[test]
fn more_than_fits_a_chunk() {
    let record = |index: i64, bytes: Vec<u8>, pieces| Record {
        time: Timestamp(index),
        kind: RecordKind(0x9000),
        bytes,
        pieces,
    };
    let of_sections = |first: u32, num: u32| -> Vec<Piece> {
        (0..num).map(|k| Piece { section: first + k, sort: 0, key: 0, len: 1 }).collect()
    };
    let mut records = Vec::new();
    for index in 0..5 {
        // More sections than the directory takes, over several records; and more segments than a record may have.
        let pieces = of_sections(index * 30_000, 30_000);
        records.push(record(i64::from(index), vec![index as u8; 30_000], pieces));
    }
    records.push(record(5, vec![1; 40_000], of_sections(0, 40_000)));
    records.extend((6..30).map(|index| record(index, Vec::new(), Vec::new())));
    assert_comes_back(&records, &[8 << 20]);
}

/// These read the shared captures.
mod stored {
    use super::*;
    use crate::series::real_series;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn real_blocks() {
        let real = block_records(real_series(25));
        assert_comes_back(&real, &[100_000, 8 << 20]);
        // What the format is for.
        let file = written(&real, options(8 << 20), true);
        let len_raw: usize = real.iter().map(|record| record.bytes.len()).sum();
        assert!(file.len() * 20 < len_raw, "{} of {len_raw}", file.len());
    }
}
