//! The stream's output, compared with blocks built as a whole and checked with the reader.

use std::panic::{AssertUnwindSafe, catch_unwind};

use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{CellFault, CounterType, NameTable, Run, SampleTime, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, DataBlock, InstanceName, ObjectHeader, ObjectRuns,
    ObjectTemplate,
};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

const SMALL: CounterType = CounterType(0x0001_0000);
const LARGE: CounterType = CounterType(0x0001_0100);

fn template(name_index: u32, instanced: bool, counters: &[(u32, CounterType)]) -> ObjectTemplate {
    let mut template = ObjectTemplate::new(ObjectHeader::new(name_index, instanced));
    for (name_index, counter_type) in counters {
        template.add_counter(CounterDefinition::new(*name_index, *counter_type));
    }
    template
}

/// Both ways of writing give the same bytes.
#[test]
fn equals_the_block_built_whole() {
    let mut process = ObjectBuf::new(230, true);
    let small = process.add_counter(6, SMALL);
    let large = process.add_counter(8, LARGE);
    let mut system = ObjectBuf::new(2, false);
    system.add_counter(10, LARGE);
    let templates = [template(230, true, &[(6, SMALL), (8, LARGE)]), template(2, false, &[(10, LARGE)])];

    let mut stream = BlockStream::new("web1");
    let mut written = Vec::new();
    for round in 0..2 {
        stream.begin(BlockClocks { perf_time: 1, perf_freq: 2, perf_time_100ns: 130_058_022_178_440_000 });
        let mut object = stream.object(&templates[0], 7, 8);
        object.instance(InstanceName::new("init")).set(small, 5).set(large, 1 << 40);
        let child = InstanceName { name: "sh", parent: Some((230, 0)), unique_id: Some(9) };
        object.instance(child).set(large, round);
        stream.object(&templates[1], 0, 0).values().set(0, 77);
        written = stream.finish().expect("fits").to_vec();
    }

    let mut block = BlockBuf::new("web1", ByteOrder::Little);
    (block.header.perf_time, block.header.perf_freq, block.header.perf_time_100ns) =
        (1, 2, 130_058_022_178_440_000);
    block.header.system_time =
        SystemTime::from_utc(Timestamp(block.header.perf_time_100ns)).expect("in range");
    (process.header.perf_time, process.header.perf_freq) = (7, 8);
    let values = |pairs: &[(usize, u64)]| {
        let mut values = process.zeroed_values();
        for &(at, value) in pairs {
            assert!(process.set_value(&mut values, ByteOrder::Little, at, value));
        }
        values
    };
    let init = InstanceBuf::named("init", ByteOrder::Little, values(&[(small, 5), (large, 1 << 40)]));
    let mut sh = InstanceBuf::named("sh", ByteOrder::Little, values(&[(large, 1)]));
    sh.definition.parent_object_index = 230;
    sh.definition.unique_id = 9;
    let mut single = system.zeroed_values();
    assert!(system.set_value(&mut single, ByteOrder::Little, 0, 77));
    process.instances = InstancesBuf::Many(vec![init, sh]);
    system.instances = InstancesBuf::Single(single);
    block.objects = vec![process, system];
    assert_eq!(written, block.write().expect("fits"));
    DataBlock::parse(&written, 0).expect("sound");
}

/// Counters at offsets 4, 8, 16, 24, 32, 40, 44 and 48 of the counter block.
const SIZES: [CounterType; 8] = [SMALL, SMALL, LARGE, SMALL, LARGE, SMALL, SMALL, LARGE];

fn template_of_sizes() -> ObjectTemplate {
    template(230, true, &SIZES.map(|size| (6, size)))
}

/// One sample of that object: an instance with all values, one with the first `num_counters`, and another one
/// with all.
fn block_with_a_cut(template: &ObjectTemplate, num_counters: usize) -> Vec<u8> {
    let mut stream = BlockStream::new("web1");
    stream.begin(BlockClocks::default());
    let mut object = stream.object(template, 0, 0);
    for (name, num) in [("whole", SIZES.len()), ("cut", num_counters), ("behind", SIZES.len())] {
        let mut values = object.instance_up_to(InstanceName::new(name), num);
        for counter in 0..num {
            values.set(counter, 100 + counter as u64);
        }
    }
    stream.finish().expect("fits").to_vec()
}

fn run_of(bytes: &[u8]) -> Run {
    let block = DataBlock::parse(bytes, 0).expect("sound");
    let object = block.objects().next().expect("one object").expect("sound");
    for instance in object.instances() {
        let ofs = recount_bytes::parse::ofs_within(bytes, instance.expect("sound").counter_block.bytes());
        assert_eq!(ofs % 8, 0);
    }
    let mut runs = ObjectRuns::new("web1".into(), 1);
    runs.push(&block, &object, SampleTime::default(), &NameTable::new()).expect("sound");
    runs.finish().remove(0)
}

/// A counter is present with its value, or it is missing: padding is never read as a counter.
#[test]
fn a_counter_block_ends_between_two_counters() {
    let template = template_of_sizes();
    let mut refused = Vec::new();
    for num_counters in 0..=SIZES.len() {
        let written = catch_unwind(AssertUnwindSafe(|| block_with_a_cut(&template, num_counters)));
        let Ok(bytes) = written else {
            refused.push(num_counters);
            continue;
        };
        let run = run_of(&bytes);
        assert_eq!(run.instances.len(), 3);
        let missing = (num_counters..SIZES.len()).map(|counter| CellFault {
            sample: 0,
            counter: counter as u32,
            instance: 1,
        });
        assert_eq!(run.faults, missing.collect::<Vec<_>>(), "{num_counters}");
        for (counter, column) in run.columns.iter().enumerate() {
            let value = 100 + counter as u64;
            let of_cut = if counter < num_counters { value } else { 0 };
            assert_eq!(column.first, [value, of_cut, value], "{num_counters}");
        }
    }
    // After the length field and after offset 44, 4 bytes of padding would be read as a counter.
    assert_eq!(refused, [0, 6]);
}

#[test]
fn a_counter_behind_the_end_cannot_be_set() {
    let template = template_of_sizes();
    let mut stream = BlockStream::new("web1");
    stream.begin(BlockClocks::default());
    let mut object = stream.object(&template, 0, 0);
    let mut values = object.instance_up_to(InstanceName::new("cut"), 3);
    assert!(catch_unwind(AssertUnwindSafe(|| _ = values.set(3, 1))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| _ = object.instance_up_to(InstanceName::new("x"), 9))).is_err());
}
