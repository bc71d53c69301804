//! From successive samples to runs: links, identity, parents, and where a run ends.

use recount_bytes::ByteOrder;
use recount_model::{CellFault, CounterType, Multi, NameTable, Run, SampleTime, Second, Timer, Timestamp};
use recount_perf_data::{DataBlock, ObjectRuns};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

const ORDER: ByteOrder = ByteOrder::Big;
const RAW_COUNT: CounterType = CounterType(0x0001_0000);
const LARGE_RAW_COUNT: CounterType = CounterType(0x0001_0100);
const ELAPSED: CounterType = CounterType(0x3024_0500);
const SECOND: i64 = 10_000_000;

fn block(time: i64, objects: Vec<ObjectBuf>) -> Vec<u8> {
    let mut block = BlockBuf::new("host", ORDER);
    (block.header.perf_time, block.header.perf_freq, block.header.perf_time_100ns) =
        (time / 10, 1_000_000, time);
    block.objects = objects;
    block.write().expect("fits")
}

/// Runs of the last object of each block, one sample per second from second 100 on.
fn runs(blocks: &[Vec<u8>], names: &NameTable) -> Vec<Run> {
    let mut runs = ObjectRuns::new("host".into(), blocks.len());
    for (i, bytes) in blocks.iter().enumerate() {
        let block = DataBlock::parse(bytes, 0).expect("sound");
        let object = block.objects().last().expect("an object").expect("sound");
        let time = SampleTime { utc: Timestamp((100 + i as i64) * SECOND), offset_min: 0 };
        runs.push(&block, &object, time, names).expect("sound");
    }
    runs.finish()
}

/// A process table of (name, id, start).
fn processes(sample: i64, rows: &[(&str, u64, i64)]) -> ObjectBuf {
    let mut object = ObjectBuf::new(230, true);
    (object.header.perf_time, object.header.perf_freq) = ((100 + sample) * SECOND, SECOND);
    let elapsed = object.add_counter(684, ELAPSED);
    let id = object.add_counter(784, RAW_COUNT);
    let instances = rows.iter().map(|&(name, id_process, start)| {
        let mut values = object.zeroed_values();
        assert!(object.set_value(&mut values, ORDER, elapsed, start as u64));
        assert!(object.set_value(&mut values, ORDER, id, id_process));
        InstanceBuf::named(name, ORDER, values)
    });
    object.instances = InstancesBuf::Many(instances.collect());
    object
}

fn runs_of_processes(samples: &[&[(&str, u64, i64)]]) -> Vec<Run> {
    let blocks = (100..).zip(samples).map(|(t, rows)| block(t * SECOND, vec![processes(t - 100, rows)]));
    runs(&blocks.collect::<Vec<_>>(), &NameTable::new())
}

fn shown(run: &Run) -> Vec<String> {
    run.instances.iter().map(recount_model::Instance::shown).collect()
}

#[test]
fn a_run_lasts_as_long_as_its_instance_table() {
    let (a, b) = (("svchost", 7, 50 * SECOND), ("svchost", 9, 60 * SECOND));
    let runs = runs_of_processes(&[&[a, b], &[a, b], &[b], &[], &[], &[b, a]]);
    let lengths: Vec<_> = runs.iter().map(|run| (run.num_samples(), run.instances.len())).collect();
    assert_eq!(lengths, [(2, 2), (1, 1), (2, 0), (1, 2)]);
    assert_eq!(shown(&runs[0]), ["svchost", "svchost#1"]);
    assert_eq!(runs[1].instances[0].id, Some(9), "the namesake that is left is shown without a number");
    assert_eq!(runs[1].instances[0].ordinal, 0);
    assert_eq!(runs[0].columns[1].first, [7, 9, 7, 9]);
    assert_eq!(runs[2].columns[1].first, [] as [u64; 0]);
    assert_eq!(runs[0].clocks.time_100ns, [1_000_000_000, 1_010_000_000]);
    assert_eq!(runs[0].clocks.perf_time, [100_000_000, 101_000_000]);
    assert!(std::sync::Arc::ptr_eq(&runs[0].object, &runs[3].object), "definitions are shared");
}

#[test]
fn an_id_used_again_begins_a_run_and_a_clock_adjustment_does_not() {
    let runs = runs_of_processes(&[
        &[("cc1", 7, 50 * SECOND)],
        &[("cc1", 7, 50 * SECOND + 3)],
        &[("cc1", 7, 101 * SECOND + 1)],
    ]);
    assert_eq!(runs.iter().map(Run::num_samples).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(runs[1].instances[0].start, Some(Timestamp(101 * SECOND + 1)));
}

#[test]
fn starts_count_only_with_an_id_and_a_clock_of_100_ns() {
    let mut object = processes(0, &[("idle", 0, 5), ("a", 3, 5)]);
    let sound = runs(&[block(SECOND, vec![object.clone()])], &NameTable::new());
    let starts: Vec<_> = sound[0].instances.iter().map(|i| (i.id, i.start)).collect();
    assert_eq!(starts, [(Some(0), None), (Some(3), Some(Timestamp(5)))]);
    object.header.perf_freq = 0;
    let other = runs(&[block(SECOND, vec![object])], &NameTable::new());
    assert_eq!(other[0].instances[1].start, None);
    assert_eq!(other[0].clocks.object_freq, [1_000_000], "the block's");
}

#[test]
fn second_values_and_counts_are_linked() {
    let mut object = ObjectBuf::new(2, false);
    for word in [
        0x3002_0400_u32, // 0 PERF_AVERAGE_TIMER
        0x4003_0402,     // 1 its base
        0x2002_0400,     // 2 PERF_RAW_FRACTION without a base
        0x2251_0500,     // 3 PERF_100NSEC_MULTI_TIMER
        0x4203_0500,     // 4 its base
        0x2341_0500,     // 5 PERF_COUNTER_MULTI_TIMER_INV without a base
        0x2067_0500,     // 6 PERF_PRECISION_OBJECT_TIMER
        0x4003_0500,     // 7 its base
        0x1041_0400,     // 8 PERF_COUNTER_COUNTER
        0x0065_0500,     // 9 PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE
        0x0001_0000,     // 10 PERF_COUNTER_RAWCOUNT
    ] {
        object.add_counter(word, CounterType(word));
    }
    object.instances = InstancesBuf::Single(object.zeroed_values());
    let run = runs(&[block(SECOND, vec![object])], &NameTable::new()).remove(0);
    assert!(run.instances[0].is_unnamed() && !run.object.instanced);
    let links: Vec<_> = run.columns.iter().map(|column| (&column.second, &column.multi)).collect();
    let (none, no_multi) = (&Second::None, &Multi::None);
    let expected = [
        (&Second::Base(1), no_multi),
        (none, no_multi),
        (none, no_multi),
        (&Second::Clock(Timer::HundredNs), &Multi::Base(4)),
        (none, no_multi),
        (&Second::Clock(Timer::Tick), no_multi),
        (&Second::Base(7), no_multi),
        (none, no_multi),
        (&Second::Clock(Timer::Tick), no_multi),
        (&Second::Clock(Timer::Object), no_multi),
        (none, no_multi),
    ];
    assert_eq!(links, expected);
}

#[test]
fn a_missing_base_faults_the_counter_it_serves() {
    let mut object = ObjectBuf::new(2, false);
    object.add_counter(10, CounterType(0x3002_0400));
    let base = object.add_counter(10, CounterType(0x4003_0402));
    let text = object.add_counter(12, CounterType(0x0000_0B00));
    let odd = object.add_counter(14, CounterType(0x1041_0600));
    let dword = object.add_counter(16, RAW_COUNT);
    let mut values = object.zeroed_values();
    assert!(object.set_value(&mut values, ORDER, dword, u64::from(u32::MAX)));
    object.counters[base].definition.ofs_value = u32::MAX - 2;
    object.counters[text].definition.len_value = 1000;
    object.counters[odd].definition.len_value = 3;
    // According to its type word the value has 4 bytes.
    object.counters[dword].definition.len_value = 0;
    object.instances = InstancesBuf::Single(values);
    let run = runs(&[block(SECOND, vec![object])], &NameTable::new()).remove(0);
    let mut faults = run.faults.clone();
    faults.sort();
    let fault = |counter| CellFault { sample: 0, counter, instance: 0 };
    // The text would end beyond the values.
    assert_eq!(faults, [fault(0), fault(1), fault(2), fault(3)]);
    let firsts: Vec<_> = run.columns.iter().map(|column| column.first[0]).collect();
    assert_eq!(firsts, [0, 0, 0, 0, u64::from(u32::MAX)]);
}

/// Threads of (name, process id, thread id, number of the parent).
fn threads(rows: &[(&str, u64, u64, u32)]) -> ObjectBuf {
    let mut object = ObjectBuf::new(232, true);
    let process = object.add_counter(2000, LARGE_RAW_COUNT);
    let thread = object.add_counter(804, RAW_COUNT);
    let instances = rows.iter().map(|&(name, id_process, id_thread, parent)| {
        let mut values = object.zeroed_values();
        assert!(object.set_value(&mut values, ORDER, process, id_process));
        assert!(object.set_value(&mut values, ORDER, thread, id_thread));
        let mut named = InstanceBuf::named(name, ORDER, values);
        (named.definition.parent_object_index, named.definition.parent_instance) = (230, parent);
        named
    });
    object.instances = InstancesBuf::Many(instances.collect());
    object
}

#[test]
fn parents_are_looked_up_in_the_block() {
    let names = NameTable::from_text("2000\nid process\n232\nThread");
    let sample = |parents: &[(&str, u64, i64)], objects: bool| {
        let threads = threads(&[("0", 4, 5, 0), ("0", 6, 7, 1), ("1", 6, 8, 9)]);
        let parents = processes(0, parents);
        block(SECOND, if objects { vec![parents, threads] } else { vec![threads] })
    };
    let (java, perl) = (("java", 4, 1), ("perl", 6, 1));
    let runs = runs(
        &[
            sample(&[java, perl], true),
            sample(&[java, perl], true),
            sample(&[perl, java], true),
            sample(&[], false),
        ],
        &names,
    );
    assert_eq!(runs.iter().map(Run::num_samples).collect::<Vec<_>>(), [2, 1, 1]);
    assert_eq!(shown(&runs[0]), ["java/0", "perl/0", "1"], "a number that the parents lack finds none");
    assert_eq!(shown(&runs[1]), ["perl/0", "java/0", "1"]);
    assert_eq!(shown(&runs[2]), ["0", "0#1", "1"]);
    assert_eq!(runs[0].instances[1].id, Some(6 << 32 | 7));
    assert_eq!(&*runs[0].object.name, "Thread");
}

#[test]
fn a_unique_id_names_the_nameless() {
    let mut object = ObjectBuf::new(2, true);
    object.add_counter(10, RAW_COUNT);
    let instance = |name: &str, unique_id| {
        let mut instance = InstanceBuf::named(name, ORDER, object.zeroed_values());
        instance.definition.unique_id = unique_id;
        instance
    };
    let mut nameless = InstanceBuf { tail: Vec::new(), ..instance("", 1234) };
    (nameless.definition.ofs_name, nameless.definition.len_name) = (0, 0);
    object.instances = InstancesBuf::Many(vec![nameless, instance("named", 5), instance("plain", -1)]);
    let run = runs(&[block(SECOND, vec![object])], &NameTable::new()).remove(0);
    let ids: Vec<_> = run.instances.iter().map(|i| (&*i.name, i.id)).collect();
    assert_eq!(ids, [("1234", Some(1234)), ("named", Some(5)), ("plain", None)]);
}

#[test]
fn changed_definitions_begin_a_run() {
    let object = |scale| {
        let mut object = ObjectBuf::new(2, false);
        object.add_counter(10, RAW_COUNT);
        object.counters[0].definition.default_scale = scale;
        block(SECOND, vec![object])
    };
    let runs = runs(&[object(0), object(0), object(1)], &NameTable::new());
    assert_eq!(runs.iter().map(Run::num_samples).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(runs[1].object.counters[0].default_scale, 1);
}

#[test]
fn a_failed_sample_leaves_no_trace() {
    let sound = block(SECOND, vec![processes(0, &[("a", 1, 1), ("b", 2, 2)])]);
    let mut torn = sound.clone();
    let len = torn.len();
    // ByteLength of the last counter block: it has 16 bytes, up to the end of the block, and claims 17.
    let ofs = len - 24;
    assert_eq!(torn[ofs..ofs + 4], 24_u32.to_be_bytes());
    torn[ofs + 3] = 25;
    let mut runs = ObjectRuns::new("host".into(), 3);
    let names = NameTable::new();
    let results = [&sound, &torn, &sound].map(|bytes| {
        let block = DataBlock::parse(bytes, 0).expect("sound header");
        let object = block.objects().next().expect("one").expect("sound header");
        runs.push(&block, &object, SampleTime::default(), &names).is_ok()
    });
    assert_eq!(results, [true, false, true]);
    let runs = runs.finish();
    assert_eq!((runs.len(), runs[0].num_samples(), runs[0].columns[1].first.len()), (1, 2, 4));
}
