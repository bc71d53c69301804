//! Generated blocks: written, read, written again.

use proptest::prelude::*;
use recount_bytes::{ByteOrder, SystemTime};
use recount_model::CounterType;
use recount_perf_data::{CounterDefinition, DataBlock, Header, InstanceDefinition, ObjectHeader};
use recount_samples::blocks::{BlockBuf, CounterBuf, InstanceBuf, InstancesBuf, ObjectBuf};

fn bytes(max: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..max)
}

prop_compose! {
    fn counter()(
        indexes in any::<[u32; 4]>(),
        default_scale in any::<i32>(),
        rest in any::<[u32; 4]>(),
        tail in bytes(12),
    ) -> CounterBuf {
        let definition = CounterDefinition {
            name_index: indexes[0],
            name_title: indexes[1],
            help_index: indexes[2],
            help_title: indexes[3],
            default_scale,
            detail_level: rest[0],
            counter_type: CounterType(rest[1]),
            len_value: rest[2],
            ofs_value: rest[3],
            ..CounterDefinition::default()
        };
        CounterBuf { definition, tail }
    }
}

prop_compose! {
    fn instance()(
        parent in any::<[u32; 2]>(),
        unique_id in any::<i32>(),
        tail in bytes(40),
        cut in any::<prop::sample::Index>(),
        values in bytes(64),
    ) -> InstanceBuf {
        let len_name = cut.index(tail.len() + 1);
        let definition = InstanceDefinition {
            parent_object_index: parent[0],
            parent_instance: parent[1],
            unique_id,
            ofs_name: (24 + tail.len() - len_name) as u32,
            len_name: len_name as u32,
            ..InstanceDefinition::default()
        };
        InstanceBuf { definition, tail, values }
    }
}

prop_compose! {
    fn object()(
        words in any::<[u32; 6]>(),
        default_counter in any::<i32>(),
        clock in any::<[i64; 2]>(),
        tails in [bytes(12), bytes(12), bytes(12)],
        counters in prop::collection::vec(counter(), 0..6),
        instances in prop_oneof![
            bytes(64).prop_map(InstancesBuf::Single),
            prop::collection::vec(instance(), 0..6).prop_map(InstancesBuf::Many),
        ],
    ) -> ObjectBuf {
        let [header_tail, definition_tail, tail] = tails;
        let header = ObjectHeader {
            name_index: words[0],
            name_title: words[1],
            help_index: words[2],
            help_title: words[3],
            detail_level: words[4],
            num_instances: if matches!(instances, InstancesBuf::Single(_)) { -1 } else { 0 },
            default_counter,
            code_page: words[5],
            perf_time: clock[0],
            perf_freq: clock[1],
            ..ObjectHeader::default()
        };
        ObjectBuf { header, header_tail, counters, definition_tail, instances, tail }
    }
}

prop_compose! {
    fn block()(
        is_big in any::<bool>(),
        name in "\\PC{0,8}",
        words in any::<[u32; 3]>(),
        default_object in any::<i32>(),
        clock in any::<[i64; 3]>(),
        day in any::<[u16; 8]>(),
        objects in prop::collection::vec(object(), 0..4),
        tail in bytes(12),
    ) -> (String, BlockBuf) {
        let [year, month, day_of_week, day, hour, minute, second, milliseconds] = day;
        let empty = BlockBuf::new(&name, if is_big { ByteOrder::Big } else { ByteOrder::Little });
        let header = Header {
            version: words[0],
            revision: words[1],
            padding: words[2],
            default_object,
            system_time: SystemTime { year, month, day_of_week, day, hour, minute, second, milliseconds },
            perf_time: clock[0],
            perf_freq: clock[1],
            perf_time_100ns: clock[2],
            ..empty.header
        };
        let block = BlockBuf { header, objects, tail, ..empty };
        (name, block)
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(case in block(), behind in bytes(16)) {
        let (name, owned) = case;
        let bytes = owned.write().expect("fits");
        let longer = [bytes.clone(), behind].concat();
        let block = DataBlock::parse(&longer, 0).expect("sound");
        prop_assert_eq!(block.system_name(), name);
        let again = BlockBuf::from_block(&block).expect("sound");
        prop_assert_eq!(&again, &owned);
        prop_assert_eq!(again.write().expect("fits"), bytes);
    }
}

#[test]
fn a_big_endian_block_is_the_mirror_of_a_little_endian_one() {
    let build = |order| {
        let mut object = ObjectBuf::new(2, true);
        let rate = object.add_counter(10, CounterType(0x1041_0400));
        let bulk = object.add_counter(12, CounterType(0x4002_0500));
        let base = object.add_counter(12, CounterType(0x4003_0402));
        let mut values = object.zeroed_values();
        for (counter, value) in [(rate, 0x0102_0304), (bulk, 0x0102_0304_0506_0708), (base, 7)] {
            assert!(object.set_value(&mut values, order, counter, value));
        }
        object.instances = InstancesBuf::Many(vec![InstanceBuf::named("eth0", order, values)]);
        let mut block = BlockBuf::new("host", order);
        block.objects.push(object);
        block.write().expect("fits")
    };
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let bytes = build(order);
        assert_eq!(bytes.len() % 8, 0);
        let block = DataBlock::parse(&bytes, 0).expect("sound");
        assert_eq!((block.header().order, block.system_name().as_str()), (order, "host"));
        let object = block.objects().next().expect("one").expect("sound");
        let offsets: Vec<_> = object.counters().map(|c| c.expect("sound").ofs_value).collect();
        assert_eq!(offsets, [4, 8, 16]);
        let instance = object.instances().next().expect("one").expect("sound");
        assert_eq!(object.encoding().decode(instance.name), "eth0");
        assert_eq!(instance.counter_block.bytes().len(), 24);
        assert_eq!(instance.counter_block.u32_at(4), Some(0x0102_0304));
        assert_eq!(instance.counter_block.u64_at(8), Some(0x0102_0304_0506_0708));
        assert_eq!(instance.counter_block.u32_at(16), Some(7));
    }
    let (little, big) = (build(ByteOrder::Little), build(ByteOrder::Big));
    assert_eq!(little[20..24].iter().rev().copied().collect::<Vec<_>>(), big[20..24]);
    assert_eq!((big[..12].to_vec(), little[8]), (b"\0P\0E\0R\0F\0\0\0\0".to_vec(), 1));
}

#[test]
fn what_does_not_fit_is_not_written() {
    let mut block = BlockBuf::new("host", ByteOrder::Little);
    block.header.len_system_name = 1000;
    assert_eq!(
        block.write().expect_err("name outside").to_string(),
        "PERF_DATA_BLOCK.SystemNameLength can't be written: 1088 is out of range"
    );
    let mut object = ObjectBuf::new(2, true);
    let mut instance = InstanceBuf::named("a", ByteOrder::Little, Vec::new());
    instance.definition.len_name = 100;
    object.instances = InstancesBuf::Many(vec![instance]);
    let mut block = BlockBuf::new("host", ByteOrder::Little);
    block.objects.push(object);
    assert_eq!(
        block.write().expect_err("name outside").to_string(),
        "PERF_INSTANCE_DEFINITION.NameLength can't be written: 124 is out of range"
    );
}
