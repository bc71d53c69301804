//! The real blocks, read, dumped and written again.

use crate::shared;

use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{NameTable, Run, SampleTime, Second, Timer, Timestamp};
use recount_perf_data::{DataBlock, Header, Object, ObjectRuns, dump};
use recount_samples::blocks::{BlockBuf, InstancesBuf};
use shared::{PROCESSES, WINE, read};

fn object<'a>(block: &DataBlock<'a>) -> Object<'a> {
    block.objects().next().expect("one object").expect("sound")
}

#[test]
#[ignore = "reads ../shared/data"]
fn header_of_the_process_block() {
    let bytes = read(PROCESSES);
    assert_eq!(bytes.len(), 260_000);
    let block = DataBlock::parse(&bytes, 0).expect("sound");
    let system_time = SystemTime {
        year: 2017,
        month: 1,
        day_of_week: 2,
        day: 17,
        hour: 21,
        minute: 34,
        second: 40,
        milliseconds: 302,
    };
    let expected = Header {
        order: ByteOrder::Little,
        version: 1,
        revision: 1,
        len_total: 44_400,
        len_header: 0x78,
        num_object_types: 1,
        default_object: 238,
        system_time,
        padding: 0,
        perf_time: 0x0007_4dde_b6cd,
        perf_freq: 3_507_498,
        perf_time_100ns: 131_291_624_803_022_616,
        len_system_name: 28,
        ofs_system_name: 88,
    };
    assert_eq!(*block.header(), expected);
    assert_eq!(block.system_name(), "ALKAPLAN-DESK");
    assert_eq!(block.bytes().len(), 44_400);
    assert_eq!(block.objects().count(), 1);
}

#[test]
#[ignore = "reads ../shared/data"]
fn definitions_and_instances_of_the_process_block() {
    let bytes = read(PROCESSES);
    let block = DataBlock::parse(&bytes, 0).expect("sound");
    let object = object(&block);
    let header = object.header();
    assert_eq!((header.len_total, header.len_definition, header.len_header), (44_280, 1184, 64));
    assert_eq!((header.name_index, header.help_index, header.num_instances), (230, 231, 165));
    assert_eq!((header.perf_time, header.perf_freq), (131_291_624_803_022_616, 10_000_000));

    let counters: Vec<_> = object.counters().map(|counter| counter.expect("sound")).collect();
    assert_eq!(counters.len(), 28);
    assert_eq!((counters[0].name_index, counters[0].counter_type.name()), (6, Some("PERF_100NSEC_TIMER")));
    assert_eq!(counters[5].counter_type.name(), Some("PERF_COUNTER_COUNTER"));
    assert_eq!((counters[5].len_value, counters[5].ofs_value), (4, 4));
    assert_eq!(
        (counters[27].name_index, counters[27].ofs_value, counters[27].default_scale),
        (1478, 192, -5)
    );

    let instances: Vec<_> = object.instances().map(|instance| instance.expect("sound")).collect();
    assert_eq!(instances.len(), 165);
    let names: Vec<String> = instances.iter().map(|i| object.encoding().decode(i.name)).collect();
    assert_eq!(names[..4], ["Idle", "System_4", "Secure System_576", "smss_584"]);
    assert_eq!(names[163..], ["ScriptedSandbox64_13944", "_Total"]);
    assert_eq!(instances[0].counter_block.u64_at(8), Some(612_824_531_250));
    assert_eq!(instances[3].counter_block.u64_at(8), Some(2_031_250));
    assert_eq!(instances[3].counter_block.u32_at(104), Some(584), "ID Process");
    assert_eq!(instances[164].counter_block.bytes().as_ptr_range().end, block.bytes().as_ptr_range().end);
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_wine_block_has_no_objects() {
    let bytes = read(WINE);
    let block = DataBlock::parse(&bytes, 0).expect("sound");
    let header = block.header();
    assert_eq!((header.len_total, header.len_header, header.num_object_types), (96, 96, 0));
    assert_eq!((header.perf_freq, block.system_name()), (10_000_000, "VM".into()));
    assert_eq!(block.objects().count(), 0);
}

#[test]
#[ignore = "reads ../shared/data"]
fn writing_gives_back_the_same_bytes() {
    for (name, len) in [(PROCESSES, 44_400), (WINE, 96)] {
        let bytes = read(name);
        let block = DataBlock::parse(&bytes, 0).expect("sound");
        let written = BlockBuf::from_block(&block).expect("sound").write().expect("fits");
        assert!(written == bytes[..len], "{name} came back changed");
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn a_dump_names_every_field_with_its_offset() {
    let bytes = read(PROCESSES);
    let block = DataBlock::parse(&bytes, 0x1000).expect("sound");
    let mut text = String::new();
    dump(&block, &mut text).expect("writing to a string");
    for line in [
        "0x00001000 PERF_DATA_BLOCK",
        "0x00001014   TotalByteLength = 44400",
        "0x00001024   SystemTime = 2017-01-17 21:34:40.302, day of week 2",
        "0x00001048   PerfTime100nSec = 131291624803022616 (2017-01-17T21:34:40.3022616Z)",
        "0x00001058   SystemName = \"ALKAPLAN-DESK\"",
        "0x00001078   PERF_OBJECT_TYPE",
        "0x000010a0     NumInstances = 165",
        "0x000010b8     PERF_COUNTER_DEFINITION 0",
        "0x000010d4       CounterType = 0x20510500 PERF_100NSEC_TIMER",
        "0x00001808     PERF_INSTANCE_DEFINITION 3",
        "0x00001820       Name = \"smss_584\"",
        "0x00001838     PERF_COUNTER_BLOCK",
        "0x000018a0       [14] 784 = 584",
    ] {
        assert!(text.lines().any(|found| found == line), "no line {line:?}");
    }
    // Header 1 + 16, object 1 + 14, counters 28 * (1 + 10), instances 165 * (1 + 7 + 2 + 28).
    assert_eq!(text.lines().count(), 17 + 15 + 28 * 11 + 165 * 38);
    assert!(!text.contains('!'));
}

fn run_of_processes(bytes: &[u8]) -> Run {
    let block = DataBlock::parse(bytes, 0).expect("sound");
    let names = NameTable::from_text("230\nProcess\n6\n% Processor Time\n231\nThe processes.\n");
    let mut runs = ObjectRuns::new("ALKAPLAN-DESK".into(), 2);
    for second in 0..2 {
        let time = SampleTime { utc: Timestamp(131_291_624_803_022_616 + second), offset_min: 0 };
        runs.push(&block, &object(&block), time, &names).expect("sound");
    }
    let mut runs = runs.finish();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_process_block_becomes_a_run() {
    let run = run_of_processes(&read(PROCESSES));
    assert_eq!((run.num_samples(), run.instances.len(), run.columns.len()), (2, 165, 28));
    assert_eq!((&*run.object.name, run.object.instanced), ("Process", true));
    assert_eq!(run.object.help.as_deref(), Some("The processes."));
    assert_eq!((&*run.object.counters[0].name, &*run.object.counters[1].name), ("% Processor Time", "142"));
    assert_eq!(run.columns[0].second, Second::Clock(Timer::HundredNs));
    assert_eq!(run.columns[5].second, Second::Clock(Timer::Tick));
    assert_eq!(run.columns[13].second, Second::Clock(Timer::Object));
    assert_eq!(run.columns[3].second, Second::None);
    assert_eq!(run.columns[0].first[165 + 3], 2_031_250);
    assert_eq!(run.columns[14].first[3], 584);
    assert_eq!(run.clocks.perf_freq, [3_507_498; 2]);
    assert_eq!(run.clocks.object_freq, [10_000_000; 2]);
    assert!(run.faults.is_empty());

    let smss = &run.instances[3];
    assert_eq!((smss.shown().as_str(), smss.id), ("smss_584", Some(584)));
    let start = smss.start.expect("processes have a start");
    assert!(start < run.clocks.time[0].utc && start.to_string().starts_with("2017-01-"), "{start}");
    assert_eq!((run.instances[0].id, run.instances[0].start), (Some(0), None));
}

/// The process block as a big-endian machine would have made it.
fn mirrored(bytes: &[u8]) -> Vec<u8> {
    let swap = |bytes: &mut [u8]| bytes.chunks_exact_mut(2).for_each(|unit| unit.swap(0, 1));
    let mut block = BlockBuf::from_block(&DataBlock::parse(bytes, 0).expect("sound")).expect("sound");
    block.header.order = ByteOrder::Big;
    swap(&mut block.header_tail);
    let object = &mut block.objects[0];
    let InstancesBuf::Many(instances) = &mut object.instances else { panic!("instances") };
    for instance in instances {
        swap(&mut instance.tail);
        for counter in &object.counters {
            let start = counter.definition.ofs_value as usize - 4;
            instance.values[start..start + counter.definition.len_value as usize].reverse();
        }
    }
    block.write().expect("fits")
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_mirrored_block_becomes_the_same_run() {
    let bytes = read(PROCESSES);
    let mirrored = mirrored(&bytes);
    assert_eq!((mirrored.len(), &mirrored[8..12]), (44_400, &[0; 4][..]));
    assert_eq!(DataBlock::parse(&mirrored, 0).expect("sound").system_name(), "ALKAPLAN-DESK");
    let (little, big) = (run_of_processes(&bytes), run_of_processes(&mirrored));
    assert_eq!((&little.object, &little.instances), (&big.object, &big.instances));
    let firsts = |run: &Run| run.columns.iter().map(|column| column.first.clone()).collect::<Vec<_>>();
    assert_eq!(firsts(&little), firsts(&big));
}
