//! Answers of `PerflibV2QueryCounterData`, byte by byte as in figures 5 to 9 of MS-PCQ 3.1.4.1.6.

use crate::support;

use recount_bytes::{FormatError, SystemTime};
use recount_pcq::{CounterBlock, CounterData, DataClocks, InstanceBuf, QueryData, QueryDataBuf};
use support::{hex, rows};

/// The clocks of `_PERF_DATA_HEADER`: 2020-02-03 04:05:06.007, a Monday.
const CLOCKS: &str =
    "8877665544332211 0100000000000000 8096980000000000  e407 0200 0100 0300 0400 0500 0600 0700";

fn clocks() -> DataClocks {
    DataClocks {
        perf_time: 0x1122_3344_5566_7788,
        perf_time_100ns: 1,
        perf_freq: 10_000_000,
        system_time: SystemTime {
            year: 2020,
            month: 2,
            day_of_week: 1,
            day: 3,
            hour: 4,
            minute: 5,
            second: 6,
            milliseconds: 7,
        },
    }
}

/// An answer: the header, then one block.
fn answer(block: &str) -> Vec<u8> {
    let block = hex(block);
    let mut bytes = (48 + block.len() as u32).to_le_bytes().to_vec();
    bytes.extend([1, 0, 0, 0]);
    bytes.extend(hex(CLOCKS));
    bytes.extend(block);
    bytes
}

/// Reads an answer of one block, and writes answer and block again.
fn with_block(bytes: &[u8], check: impl FnOnce(&CounterBlock<'_>)) {
    let data = QueryData::parse(bytes, 0).expect("sound");
    assert_eq!(data.header.clocks, clocks());
    let mut out = Vec::new();
    data.write(&mut out);
    assert_eq!(rows(&out), rows(bytes));
    let blocks: Vec<_> = data.blocks().collect();
    let [Ok(block)] = &blocks[..] else { panic!("{blocks:?}") };
    out.clear();
    block.write(&mut out);
    assert_eq!(rows(&out), rows(data.body()));
    check(block);
}

fn built(push: impl FnOnce(&mut QueryDataBuf)) -> String {
    let mut buf = QueryDataBuf::new(clocks());
    push(&mut buf);
    rows(&buf.finish())
}

fn numbers<'a>(values: impl Iterator<Item = CounterData<'a>>) -> Vec<Option<u64>> {
    values.map(|value| value.value()).collect()
}

/// Figure 5.
#[test]
fn an_answer_without_blocks() {
    let bytes = hex(&format!("30000000 00000000 {CLOCKS}"));
    let data = QueryData::parse(&bytes, 0).expect("sound");
    assert_eq!((data.header.len_total, data.header.num_counters, data.blocks().count()), (48, 0, 0));
    assert_eq!(built(|_| {}), rows(&bytes));
}

#[test]
fn an_error() {
    let bytes = answer("69100000 00000000 10000000 efbeadde");
    with_block(&bytes, |block| {
        assert!(matches!(block, CounterBlock::Error { header } if header.status == 0x1069));
        assert_eq!(block.header().reserved, 0xDEAD_BEEF);
    });
    let bytes = answer("69100000 00000000 10000000 00000000");
    assert_eq!(built(|buf| buf.push_error(0x1069)), rows(&bytes));
}

/// Figure 6, with a value of 64 bits.
#[test]
fn a_single_counter() {
    let bytes = answer("00000000 01000000 20000000 00000000  08000000 10000000 8877665544332211");
    with_block(&bytes, |block| {
        let CounterBlock::Single { value, .. } = block else { panic!("{block:?}") };
        assert_eq!(value.value(), Some(0x1122_3344_5566_7788));
    });
    assert_eq!(built(|buf| buf.push_single(0x1122_3344_5566_7788_u64.to_le_bytes())), rows(&bytes));
}

/// Figure 6, with a value of 32 bits: its only row may be padded to a multiple of 8 bytes, and sizes may
/// include the padding.
#[test]
fn a_single_counter_of_32_bits() {
    let padded = answer("00000000 01000000 20000000 00000000  04000000 10000000 44332211 cdcdcdcd");
    let uncounted = answer("00000000 01000000 20000000 00000000  04000000 0c000000 44332211 cdcdcdcd");
    let bare = answer("00000000 01000000 1c000000 00000000  04000000 0c000000 44332211");
    for bytes in [&padded, &uncounted, &bare] {
        with_block(bytes, |block| {
            let CounterBlock::Single { value, .. } = block else { panic!("{block:?}") };
            assert_eq!((value.value(), value.value.len()), (Some(0x1122_3344), 4));
        });
    }
    let mut zeroed = padded;
    zeroed[76..].fill(0);
    assert_eq!(built(|buf| buf.push_single(0x1122_3344_u32.to_le_bytes())), rows(&zeroed));
}

#[test]
fn blocks_begin_at_multiples_of_8_whatever_their_sizes_count() {
    let block = "00000000 01000000 1c000000 00000000  04000000 0c000000 44332211";
    let mut bytes = answer(&format!("{block} cdcdcdcd {block}"));
    bytes[4] = 2;
    let data = QueryData::parse(&bytes, 0).expect("sound");
    let values = data.blocks().map(|block| match block {
        Ok(CounterBlock::Single { value, .. }) => value.value(),
        other => panic!("{other:?}"),
    });
    assert_eq!(values.collect::<Vec<_>>(), [Some(0x1122_3344); 2]);
    let mut out = Vec::new();
    data.write(&mut out);
    assert_eq!(rows(&out), rows(&bytes));
}

/// A missing value, and one that isn't a number.
#[test]
fn values_of_other_lengths() {
    let bytes = answer("00000000 01000000 18000000 00000000  00000000 08000000");
    with_block(&bytes, |block| {
        assert!(matches!(block, CounterBlock::Single { value, .. } if value.value().is_none()));
    });
    assert_eq!(built(|buf| buf.push_single([])), rows(&bytes));
    let bytes = answer("00000000 01000000 20000000 00000000  06000000 10000000 010203040506 0000");
    with_block(&bytes, |block| {
        let CounterBlock::Single { value, .. } = block else { panic!("{block:?}") };
        assert_eq!((value.value(), value.value), (None, [1_u8, 2, 3, 4, 5, 6].as_slice()));
    });
}

/// Figure 7: an odd number of ids is padded.
#[test]
fn several_counters() {
    let bytes = answer(
        "00000000 02000000 58000000 00000000
         18000000 03000000  05000000 06000000 07000000 00000000
         04000000 10000000 0a000000 00000000
         08000000 10000000 0b00000000000000
         04000000 10000000 0c000000 00000000",
    );
    with_block(&bytes, |block| {
        let CounterBlock::MultiCounters { ids, values, .. } = block else { panic!("{block:?}") };
        assert_eq!(ids.iter().collect::<Vec<_>>(), [5, 6, 7]);
        assert_eq!(numbers(values.iter()), [Some(10), Some(11), Some(12)]);
    });
    let (ten, eleven, twelve) = (10_u32.to_le_bytes(), 11_u64.to_le_bytes(), 12_u32.to_le_bytes());
    let values: [(u32, &[u8]); 3] = [(5, &ten), (6, &eleven), (7, &twelve)];
    assert_eq!(built(|buf| buf.push_multi_counters(&values)), rows(&bytes));
    // The size of the ids without the padding, which exists anyway.
    let mut bare = bytes;
    bare[64] = 0x14;
    bare[84..88].fill(0xCD);
    with_block(&bare, |block| {
        let CounterBlock::MultiCounters { values, .. } = block else { panic!("{block:?}") };
        assert_eq!(numbers(values.iter()), [Some(10), Some(11), Some(12)]);
    });
}

/// Figure 8.
#[test]
fn several_instances() {
    let bytes = answer(
        "00000000 04000000 58000000 00000000
         48000000 02000000
         10000000 01000000  6100 6200 0000 0000  04000000 10000000 0a000000 00000000
         10000000 02000000  6300 6400 6500 0000  08000000 10000000 0b00000000000000",
    );
    with_block(&bytes, |block| {
        let CounterBlock::MultiInstances { instances, .. } = block else { panic!("{block:?}") };
        let read: Vec<_> = instances
            .iter()
            .map(|row| (row.instance.id, row.instance.name.to_string_lossy(), numbers(row.values.iter())))
            .collect();
        assert_eq!(read, [(1, "ab".into(), vec![Some(10)]), (2, "cde".into(), vec![Some(11)])]);
        assert_eq!(instances.iter().next().and_then(|row| row.value()?.value()), Some(10));
    });
    let (ten, eleven) = (10_u32.to_le_bytes(), 11_u64.to_le_bytes());
    let instances: [(InstanceBuf, &[u8]); 2] =
        [(InstanceBuf::new(1, "ab"), &ten), (InstanceBuf::new(2, "cde"), &eleven)];
    assert_eq!(built(|buf| buf.push_multi_instances(&instances)), rows(&bytes));
}

/// Figure 9, whose diagram has no name after the instance, and the same with names.
#[test]
fn a_counterset() {
    let bytes = answer(
        "00000000 06000000 68000000 00000000
         10000000 02000000  05000000 06000000
         48000000 02000000
         10000000 01000000  6100 6200 0000 0000  04000000 0c000000 0a000000 cdcdcdcd  00000000 08000000
         08000000 02000000  00000000 08000000  00000000 08000000",
    );
    with_block(&bytes, |block| {
        let CounterBlock::CounterSet { ids, instances, .. } = block else { panic!("{block:?}") };
        assert_eq!((ids.iter().collect::<Vec<_>>(), instances.len()), (vec![5, 6], 2));
        let read: Vec<_> = instances
            .iter()
            .map(|row| (row.instance.id, row.instance.name.to_string_lossy(), numbers(row.values.iter())))
            .collect();
        assert_eq!(read, [(1, "ab".into(), vec![Some(10), None]), (2, String::new(), vec![None, None])]);
    });
    let bytes = answer(
        "00000000 06000000 48000000 00000000
         0c000000 01000000  05000000 00000000
         28000000 01000000
         10000000 01000000  6100 6200 0000 0000  08000000 10000000 0a00000000000000",
    );
    let bytes = [&bytes[..64], &[0x10], &bytes[65..]].concat();
    let instances = [(InstanceBuf::new(1, "ab"), vec![10_u64.to_le_bytes(), [9; 8]])];
    assert_eq!(built(|buf| buf.push_counter_set(&[5], &instances)), rows(&bytes));
}

/// An invalid block keeps its position: the next is where `dwSize` says.
#[test]
fn blocks_behind_an_unsound_one_are_read() {
    let mut buf = QueryDataBuf::new(clocks());
    buf.push_error(1);
    buf.push_error(2);
    buf.push_error(3);
    let mut bytes = buf.finish();
    bytes[48 + 16 + 4] = 3;
    let statuses: Vec<_> = QueryData::parse(&bytes, 0x1000)
        .expect("sound")
        .blocks()
        .map(|block| block.map(|block| block.header().status).map_err(|error: FormatError| error.to_string()))
        .collect();
    let error = "_PERF_COUNTER_HEADER.dwType at byte 0x1044 (structure starts at 0x1040): \
                 expected 0, 1, 2, 4 or 6, found 3";
    assert_eq!(statuses, [Ok(1), Err(error.to_owned()), Ok(3)]);
}

#[test]
fn times_are_of_the_values() {
    let time = |clocks: DataClocks| clocks.time().map(|time| time.to_string());
    let from_ticks = DataClocks { perf_time_100ns: 132_251_763_060_070_000, ..clocks() };
    assert_eq!(time(from_ticks).as_deref(), Some("2020-02-03T04:05:06.007Z"));
    let from_date = DataClocks { perf_time_100ns: 0, ..clocks() };
    assert_eq!(time(from_date).as_deref(), Some("2020-02-03T04:05:06.007Z"));
    assert_eq!(time(DataClocks { perf_time_100ns: u64::MAX, ..DataClocks::default() }), None);
}
