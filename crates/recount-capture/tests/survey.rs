//! A survey of a log shows the objects and instances that decoding all samples shows.

use std::collections::BTreeSet;

use recount_capture::{CaptureSource, LogWriter, WriterOptions};
use recount_model::{CounterType, Decoded, Selection, Sink, Source, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, InstanceName, ObjectHeader, ObjectTemplate,
};

/// Host, object, instance, parent, ordinal, number of counters.
type Shown = BTreeSet<(String, String, String, Option<String>, u32, usize)>;

fn shown(decoded: &Decoded) -> Shown {
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    let mut shown = Shown::new();
    for run in &decoded.runs {
        for instance in run.instances.iter() {
            let parent = instance.parent.as_deref().map(str::to_owned);
            let (name, ordinal) = (instance.name.to_string(), instance.ordinal);
            let object = run.object.name.to_string();
            shown.insert((run.host.to_string(), object, name, parent, ordinal, run.columns.len()));
        }
    }
    shown
}

/// Processes that come and go, many of them namesakes; threads below them; an object without instances.
fn write_log(path: &std::path::Path, has_threads: bool) {
    let mut process = ObjectTemplate::new(ObjectHeader::new(230, true));
    let id = process.add_counter(CounterDefinition::new(784, CounterType(0x0001_0000)));
    let time = process.add_counter(CounterDefinition::new(6, CounterType(0x2051_0500)));
    let mut thread = ObjectTemplate::new(ObjectHeader::new(232, true));
    thread.add_counter(CounterDefinition::new(6, CounterType(0x2051_0500)));
    let mut memory = ObjectTemplate::new(ObjectHeader::new(4, false));
    memory.add_counter(CounterDefinition::new(24, CounterType(0x0001_0100)));

    let options = WriterOptions { len_chunk: 40_000, ..WriterOptions::default() };
    let mut writer = LogWriter::create(path, options).expect("new");
    let mut stream = BlockStream::new("web1");
    let (mut random, mut next_id) = (7_u64, 100_u64);
    let mut alive: Vec<u64> = (0..30).collect();
    for sample in 0..200_i64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if random >> 60 < 6 {
            alive.remove((random >> 20) as usize % alive.len());
            alive.push(next_id);
            next_id += 1;
        }
        let time_100ns = 130_058_022_178_440_000 + sample * 10_000_000;
        stream.begin(BlockClocks { perf_time: sample, perf_freq: 1, perf_time_100ns: time_100ns });
        let mut object = stream.object(&process, time_100ns, 10_000_000);
        for pid in &alive {
            let name = format!("worker{}", pid % 9 + next_id / 40);
            object.instance(InstanceName::new(&name)).set(id, *pid).set(time, pid * 1_000 * sample as u64);
        }
        if has_threads {
            let mut object = stream.object(&thread, 0, 0);
            for (at, pid) in alive.iter().enumerate() {
                let parent = Some((230, at as u32));
                let name = InstanceName { name: "0", parent, unique_id: None };
                object.instance(name).set(0, pid * 7);
            }
        }
        stream.object(&memory, 0, 0).values().set(0, random);
        writer.block(Timestamp(time_100ns), stream.finish().expect("fits")).expect("written");
    }
    writer.finish().expect("closed");
}

#[test]
fn equals_what_all_samples_show() {
    for has_threads in [false, true] {
        let directory = tempfile::tempdir().expect("temporary directory");
        let path = directory.path().join("log.rcap");
        write_log(&path, has_threads);
        let open =
            || CaptureSource::open(Box::new(std::fs::File::open(&path).expect("there"))).expect("opens");
        let source = open();
        assert!(source.log().num_chunks() > 5);
        let all: Vec<u32> = (0..source.times().len() as u32).collect();
        let expected = shown(&source.decode(&all, &Selection::all()));
        assert!(expected.len() > 50, "{}", expected.len());
        let surveyed = open();
        assert_eq!(shown(&surveyed.survey(&all, &Selection::all())), expected, "threads: {has_threads}");
        let patterns = [r"\232(*)\*", r"\4\*"].map(|pattern| pattern.parse().expect("pattern"));
        let only = Selection::from_iter(patterns);
        let shown_only = shown(&source.decode(&all, &only));
        assert_eq!(shown(&open().survey(&all, &only)), shown_only);
        // What is left out of the selection still tells whose children the threads are.
        let is_of = |found: &&(_, String, _, _, _, _)| ["232", "4"].contains(&found.1.as_str());
        assert_eq!(shown_only, expected.iter().filter(is_of).cloned().collect());
        // Without threads no values are decoded: each block stands for a chunk.
        let num_samples: usize = surveyed
            .survey(&all, &Selection::all())
            .runs
            .iter()
            .filter(|run| &*run.object.name == "4")
            .map(recount_model::Run::num_samples)
            .sum();
        assert_eq!(num_samples < all.len() / 4, !has_threads, "{num_samples}");
    }
}

/// One block of a chunk is damaged: a survey says so as decoding does.
#[test]
fn damage_is_seen_without_the_values() {
    let mut memory = ObjectTemplate::new(ObjectHeader::new(4, false));
    memory.add_counter(CounterDefinition::new(24, CounterType(0x0001_0100)));
    let mut stream = BlockStream::new("web1");
    // The number of objects, or the length of the first.
    for is_object in [false, true] {
        let directory = tempfile::tempdir().expect("temporary directory");
        let path = directory.path().join("log.rcap");
        let mut writer = LogWriter::create(&path, WriterOptions::default()).expect("new");
        for sample in 0..20_i64 {
            let time_100ns = 130_058_022_178_440_000 + sample * 10_000_000;
            stream.begin(BlockClocks { perf_time: sample, perf_freq: 1, perf_time_100ns: time_100ns });
            stream.object(&memory, 0, 0).values().set(0, sample as u64);
            let mut block = stream.finish().expect("fits").to_vec();
            if sample == 13 {
                // `HeaderLength` is where the first object begins.
                let ofs = if is_object { usize::from(block[24]) } else { 28 };
                block[ofs] += 9;
            }
            writer.block(Timestamp(time_100ns), &block).expect("written");
        }
        writer.finish().expect("closed");
        let open =
            || CaptureSource::open(Box::new(std::fs::File::open(&path).expect("there"))).expect("opens");
        let source = open();
        let all: Vec<u32> = (0..source.times().len() as u32).collect();
        let decoded = source.decode(&all, &Selection::all());
        assert!(!decoded.health.is_sound(), "{is_object}");
        let surveyed = open().survey(&all, &Selection::all());
        assert_eq!(format!("{:?}", surveyed.health), format!("{:?}", decoded.health), "{is_object}");
    }
}
