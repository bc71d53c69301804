//! Any content is read back unchanged, and any buffer is written as it was read, whatever its padding
//! contains.

use crate::buffers;

use buffers::{Block, Fill, any_block, any_fill, put_answer, put_entry, put_identifier};
use proptest::collection::vec;
use proptest::prelude::*;
use recount_bytes::SystemTime;
use recount_model::{CounterAttributes, CounterType};
use recount_pcq::{
    CounterBlock, CounterData, CounterIdentifier, CounterIdentifierBuf, CounterIdentifiers, CounterRegInfo,
    CounterSetRegInfo, DataClocks, Guid, InstanceBuf, InstanceRow, Instances, QueryData, QueryDataBuf,
    Registration, StringTable, StringTableBuf, Text, parse_guids,
};

fn any_counter() -> impl Strategy<Value = CounterRegInfo> {
    (any::<[u32; 9]>(), any::<u64>(), any::<i32>()).prop_map(|(words, attributes, default_scale)| {
        let [counter_id, word, detail_level, base, time, freq, multi_id, aggregate_func, reserved] = words;
        CounterRegInfo {
            counter_id,
            counter_type: CounterType(word),
            attributes: CounterAttributes(attributes),
            detail_level,
            default_scale,
            base_counter_id: base,
            perf_time_id: time,
            perf_freq_id: freq,
            multi_id,
            aggregate_func,
            reserved,
        }
    })
}

fn any_clocks() -> impl Strategy<Value = DataClocks> {
    (any::<[u64; 3]>(), any::<[u16; 8]>()).prop_map(|([perf_time, perf_time_100ns, perf_freq], words)| {
        let [year, month, day_of_week, day, hour, minute, second, milliseconds] = words;
        let system_time = SystemTime { year, month, day_of_week, day, hour, minute, second, milliseconds };
        DataClocks { perf_time, perf_time_100ns, perf_freq, system_time }
    })
}

/// Text without nulls.
fn any_name() -> impl Strategy<Value = String> {
    "[a-z0-9 #ö€💾]{0,9}"
}

/// What a block holds, read back.
fn content(block: &CounterBlock<'_>) -> Block {
    let value = |value: CounterData<'_>| value.value.to_vec();
    let row = |row: InstanceRow<'_>| {
        (row.instance.id, row.instance.name.to_string_lossy(), row.values.iter().map(value).collect())
    };
    match block {
        CounterBlock::Error { header } => Block::Error(header.status),
        CounterBlock::Single { value: data, .. } => Block::Single(value(*data)),
        CounterBlock::MultiCounters { ids, values, .. } => {
            Block::MultiCounters(ids.iter().zip(values.iter().map(value)).collect())
        }
        CounterBlock::MultiInstances { instances, .. } => {
            Block::MultiInstances(instances.iter().map(row).collect())
        }
        CounterBlock::CounterSet { ids, instances, .. } => {
            Block::CounterSet(ids.iter().collect(), instances.iter().map(row).collect())
        }
    }
}

fn push(buf: &mut QueryDataBuf, block: &Block) {
    let instance = |id: u32, name: &str| InstanceBuf::new(id, name);
    match block {
        Block::Error(status) => buf.push_error(*status),
        Block::Single(value) => buf.push_single(value),
        Block::MultiCounters(values) => buf.push_multi_counters(values),
        Block::MultiInstances(rows) => {
            let rows: Vec<_> =
                rows.iter().map(|(id, name, values)| (instance(*id, name), &values[0])).collect();
            buf.push_multi_instances(&rows);
        }
        Block::CounterSet(ids, rows) => {
            let rows: Vec<_> =
                rows.iter().map(|(id, name, values)| (instance(*id, name), values.clone())).collect();
            buf.push_counter_set(ids, &rows);
        }
    }
}

fn contents(bytes: &[u8], ofs: u64) -> Vec<Block> {
    let data = QueryData::parse(bytes, ofs).expect("sound");
    data.blocks().map(|block| content(&block.expect("sound"))).collect()
}

proptest! {
    #[test]
    fn guids(guids in vec(any::<[u8; 16]>().prop_map(Guid), 0..9)) {
        let mut bytes = Vec::new();
        for guid in &guids {
            guid.write(&mut bytes);
        }
        prop_assert_eq!(parse_guids(&bytes, 0), Ok(guids.clone()));
        for guid in guids {
            prop_assert_eq!(guid.to_string().parse(), Ok(guid));
        }
    }

    #[test]
    fn registrations(
        guid in any::<[u8; 16]>(),
        words in any::<[u32; 3]>(),
        counters in vec(any_counter(), 0..9),
    ) {
        let [counter_set_type, detail_level, instance_type] = words;
        let num_counters = counters.len() as u32;
        let set =
            CounterSetRegInfo { guid: Guid(guid), counter_set_type, detail_level, num_counters, instance_type };
        let registration = Registration { set, counters };
        let mut bytes = Vec::new();
        registration.write(&mut bytes);
        prop_assert_eq!(bytes.len(), 32 + 48 * registration.counters.len());
        prop_assert_eq!(Registration::parse(&bytes, 0), Ok(registration.clone()));
        for (counter, bytes) in registration.counters.iter().zip(bytes[32..].chunks(48)) {
            prop_assert_eq!(CounterRegInfo::parse(bytes, 0), Ok(*counter));
        }
    }

    #[test]
    fn texts(text in any_name(), padding in vec(any::<u8>(), 0..8)) {
        let mut bytes = Text::encode(&text);
        bytes.extend(&padding);
        let parsed = Text::parse(&bytes, 0).expect("sound");
        prop_assert_eq!(parsed.to_string_lossy(), text);
        prop_assert_eq!(parsed.padding, padding);
        let mut out = Vec::new();
        parsed.write(&mut out);
        prop_assert_eq!(out, bytes);
    }

    #[test]
    fn string_tables(entries in vec((any::<u32>(), any_name()), 0..9), trailing in vec(any::<u8>(), 0..8)) {
        let mut bytes = Vec::new();
        StringTableBuf { entries: entries.clone() }.write(&mut bytes);
        prop_assert!(bytes.len().is_multiple_of(8));
        bytes.extend(trailing);
        let table = StringTable::parse(&bytes, 0).expect("sound");
        prop_assert_eq!(table.iter().collect::<Vec<_>>(), entries);
        let mut out = Vec::new();
        table.write(&mut out);
        prop_assert_eq!(out, bytes);
    }

    /// Any offsets: a buffer that can be read can also be written, or there is a good reason to refuse it.
    #[test]
    fn string_tables_of_any_offsets(
        offsets in vec(prop_oneof![0_u32..16, 8_u32..64, Just(u32::MAX)], 0..5),
        strings in vec(prop_oneof![Just(0_u8), any::<u8>()], 0..40),
    ) {
        let num = offsets.len() as u32;
        let mut bytes = (8 + 8 * num + strings.len() as u32).to_le_bytes().to_vec();
        bytes.extend(num.to_le_bytes());
        for ofs in &offsets {
            bytes.extend([9, 0, 0, 0]);
            bytes.extend(ofs.to_le_bytes());
        }
        bytes.extend(&strings);
        let len_headers = 8 + 8 * num;
        let is_local = offsets.iter().any(|ofs| *ofs != u32::MAX) && offsets.iter().all(|ofs| *ofs >= len_headers);
        let is_text = |ofs: &u32| {
            let ofs = if is_local && *ofs != u32::MAX { *ofs - len_headers } else { *ofs };
            let text = strings.get(ofs as usize..);
            ofs == u32::MAX || text.is_some_and(|text| text.chunks_exact(2).any(|unit| unit == [0, 0]))
        };
        match StringTable::parse(&bytes, 0) {
            Ok(table) => {
                prop_assert!(offsets.iter().all(is_text));
                let mut out = Vec::new();
                table.write(&mut out);
                prop_assert_eq!(out, bytes);
            }
            Err(_) => prop_assert!(!offsets.iter().all(is_text)),
        }
    }

    #[test]
    fn instances(rows in vec((any::<u32>(), any_name(), any_fill()), 0..9)) {
        let (mut bytes, mut clean) = (Vec::new(), Vec::new());
        for (id, name, fill) in &rows {
            put_entry(&mut bytes, *id, name, *fill);
            InstanceBuf::new(*id, name.as_str()).write(&mut clean);
        }
        for buffer in [&bytes, &clean] {
            let read = Instances::parse(buffer, 0).collect::<Result<Vec<_>, _>>().expect("sound");
            let names: Vec<_> = read.iter().map(|one| (one.id, one.name.to_string_lossy())).collect();
            prop_assert_eq!(names, rows.iter().map(|(id, name, _)| (*id, name.clone())).collect::<Vec<_>>());
            let mut out = Vec::new();
            for instance in read {
                instance.write(&mut out);
            }
            prop_assert_eq!(&out, buffer);
        }
        // They differ only in the padding.
        prop_assert_eq!(bytes.len(), clean.len());
    }

    #[test]
    fn identifiers(rows in vec((any::<[u8; 16]>(), any::<[u32; 5]>(), any_name(), any_fill()), 0..9)) {
        let (mut bytes, mut clean, mut bufs) = (Vec::new(), Vec::new(), Vec::new());
        for (guid, [status, counter_id, instance_id, index, reserved], name, fill) in rows {
            let plain = CounterIdentifierBuf::new(Guid(guid), counter_id, instance_id, name);
            let buf = CounterIdentifierBuf { status, index, reserved, ..plain };
            put_identifier(&mut bytes, &buf, fill);
            buf.write(&mut clean);
            bufs.push(buf);
        }
        for buffer in [&bytes, &clean] {
            let read = CounterIdentifiers::parse(buffer, 0).collect::<Result<Vec<_>, _>>().expect("sound");
            prop_assert_eq!(&read.iter().map(CounterIdentifier::to_buf).collect::<Vec<_>>(), &bufs);
            let mut out = Vec::new();
            for identifier in read {
                identifier.write(&mut out);
            }
            prop_assert_eq!(&out, buffer);
        }
        prop_assert_eq!(bytes.len(), clean.len());
    }

    #[test]
    fn answers_that_are_built(clocks in any_clocks(), blocks in vec(any_block(), 0..6)) {
        let mut buf = QueryDataBuf::new(clocks);
        for block in &blocks {
            push(&mut buf, block);
        }
        let bytes = buf.finish();
        prop_assert_eq!(QueryData::parse(&bytes, 0).expect("sound").header.clocks, clocks);
        prop_assert_eq!(contents(&bytes, 0), blocks);
    }

    /// Sizes may include the padding or not, and it may contain anything.
    #[test]
    fn answers_of_any_padding(
        blocks in vec((any_block(), vec(any_fill(), 1..9)), 0..6),
        trailing in vec(any::<u8>(), 0..9),
        ofs in 0_u64..100,
    ) {
        let bytes = put_answer(&blocks, &trailing);
        let data = QueryData::parse(&bytes, ofs).expect("sound");
        prop_assert_eq!(contents(&bytes, ofs), blocks.iter().map(|(block, _)| block.clone()).collect::<Vec<_>>());
        let mut out = Vec::new();
        data.write(&mut out);
        prop_assert_eq!(&out, &bytes);
        let mut ofs_block = 48;
        for block in data.blocks() {
            let block = block.expect("sound");
            let len = block.header().len as usize;
            out.clear();
            block.write(&mut out);
            prop_assert_eq!(&out[..], &bytes[ofs_block..ofs_block + len]);
            ofs_block = (ofs_block + len).next_multiple_of(8);
        }
    }
}

/// Checks an assumption of the tests above: the same content with other padding gives other bytes.
#[test]
fn fills_make_a_difference() {
    let block = Block::Single(vec![1, 2, 3, 4]);
    let put = |byte, is_counted| put_answer(&[(block.clone(), vec![Fill { byte, is_counted }])], &[]);
    let (counted, uncounted) = (put(7, true), put(7, false));
    assert_eq!((counted[68], counted[56], counted[0]), (16, 32, 80));
    assert_eq!((uncounted[68], uncounted[56], uncounted[0]), (12, 28, 76));
    assert_eq!((counted[76..80].to_vec(), put(8, true)[76..80].to_vec()), (vec![7; 4], vec![8; 4]));
}
