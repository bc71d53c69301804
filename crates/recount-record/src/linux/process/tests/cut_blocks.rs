//! I/O counters of processes that this user may not inspect.

use std::fs;
use std::path::Path;

use recount_model::{CellFault, Run, SampleTime, Timestamp};

use super::super::sampler::Sample;
use super::super::spec::{NUM_CALL_COUNTERS, NUM_IO_COUNTERS, NUM_OPEN_COUNTERS};
use super::*;

pub(super) const IO: &str = "rchar: 1\nwchar: 20\nsyscr: 300\nsyscw: 4000\nread_bytes: 50000\nwrite_bytes: 600000\n\
                  cancelled_write_bytes: 7000000\n";

/// The IO counters, and their values in the text above.
pub(super) const VALUES: [(&str, u64); NUM_IO_COUNTERS] = [
    ("IO Read Bytes/sec", 1),
    ("IO Write Bytes/sec", 20),
    ("IO Data Bytes/sec", 21),
    ("IO Read Operations/sec", 300),
    ("IO Write Operations/sec", 4000),
    ("IO Data Operations/sec", 4300),
    ("Storage Read Bytes/sec", 50_000),
    ("Storage Write Bytes/sec", 600_000),
    ("Storage Cancelled Write Bytes/sec", 7_000_000),
];

/// The files of a process, except `io`.
pub(super) fn add_process(proc: &Path, pid: u32) {
    let folder = proc.join(pid.to_string());
    fs::create_dir_all(folder.join("fd")).expect("made");
    let stat = format!("{pid} (p{pid}) S 1 1 1 0 -1 0 1 0 0 0 10 20 0 0 20 0 5 0 100 4096 1 0");
    fs::write(folder.join("stat"), format!("{stat}{}\n", " 0".repeat(27))).expect("written");
    fs::write(folder.join("statm"), "765 446 418 5 0 123 0\n").expect("written");
}

fn io_of(sample: &Sample, name: &str) -> Vec<Option<u64>> {
    let instances = sample.instances("Process");
    let found = instances.iter().find(|instance| instance.name == name).expect("listed");
    assert!(found.get("Thread Count") >= 5, "what everybody may read is there");
    VALUES.iter().map(|(counter, _)| found.known(counter)).collect()
}

/// The instances that have all IO values, and by which factor these exceed those of the text.
fn known(sample: &Sample) -> Vec<(String, Option<u64>)> {
    let names = sample.instances("Process").into_iter().map(|instance| instance.name);
    let known = names.map(|name| {
        let values = io_of(sample, &name);
        let times = values[0];
        assert_eq!(values, VALUES.map(|(_, value)| times.map(|times| times * value)), "{name}");
        (name, times)
    });
    known.collect()
}

fn one_run(samples: &[Sample]) -> Run {
    let mut runs = ObjectRuns::new("test".into(), samples.len());
    for sample in samples {
        let block = DataBlock::parse(&sample.bytes, 0).expect("a block");
        let object = block.objects().next().expect("one object").expect("sound");
        let time = SampleTime { utc: Timestamp(sample.time_100ns), offset_min: 0 };
        runs.push(&block, &object, time, &sample.names).expect("sound");
    }
    let mut runs = runs.finish();
    assert_eq!(runs.len(), 1, "a process of which less is known is the same process");
    runs.remove(0)
}

#[test]
fn what_cannot_be_read_is_missing_and_never_0() {
    let proc = tempfile::tempdir().expect("a folder");
    for pid in [10, 20, 30, 40] {
        add_process(proc.path(), pid);
    }
    let io = |pid: u32| proc.path().join(format!("{pid}/io"));
    fs::write(io(10), IO).expect("written");
    fs::create_dir(io(20)).expect("made");
    fs::write(io(30), "rchar: 1\nwchar: -1\n").expect("written");
    // 40 has ended meanwhile: its file is missing.
    let proc_dir = ProcDir::at(proc.path()).expect("there");
    let mut process = ProcessCollector::with(proc_dir, Budget::of(20), None);
    let mut sampler = Sampler::new(vec![&mut process]);

    let first = sampler.take();
    let expected = [("p10", Some(1)), ("p20", None), ("p30", None), ("_Total", None)];
    assert_eq!(known(&first), expected.map(|(name, times)| (name.to_owned(), times)));
    assert_eq!(sampler.tick.processes, [10, 20, 30]);
    let unreadable = sampler.tick.take_unreadable();
    assert_eq!(unreadable, (2, Some("/proc/20/io: Is a directory (os error 21)".to_owned())));

    fs::remove_dir(io(20)).expect("removed");
    for pid in [20, 30] {
        fs::write(io(pid), IO).expect("written");
    }
    let second = sampler.take();
    let expected = [("p10", Some(1)), ("p20", Some(1)), ("p30", Some(1)), ("_Total", Some(3))];
    assert_eq!(known(&second), expected.map(|(name, times)| (name.to_owned(), times)));
    assert_eq!(sampler.tick.take_unreadable(), (0, None));

    let run = one_run(&[first, second]);
    let num_open = run.object.counters.len() - NUM_IO_COUNTERS;
    let counters = num_open..run.object.counters.len();
    let faults = counters.flat_map(|counter| {
        let fault = move |instance| CellFault { sample: 0, counter: counter as u32, instance };
        [1, 2, 3].map(fault)
    });
    assert_eq!(run.faults, faults.collect::<Vec<_>>());
}

#[test]
fn no_machine_lacks_the_place_for_a_cut() {
    let machines = (0..8).map(|bits| (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0));
    for (has_handles, has_io, has_ended) in machines {
        let layout = Layout::new(has_handles, has_io, has_ended);
        let template = spec::SPEC.template_of(|counter| layout.has_counter(counter));
        let mut stream = BlockStream::new("test");
        stream.begin(BlockClocks::default());
        let mut object = stream.object(&template, 0, 0);
        layout.append(&mut object, "process", &Row::new([7; NUM_OPEN_COUNTERS]));
        layout.append(&mut object, "_Total", &layout.empty_sum());
        let mut ended = Row::new([7; NUM_OPEN_COUNTERS]);
        ended.set_io([7; NUM_IO_COUNTERS]);
        layout.append_ended(&mut object, "ended", &ended);
        let block = stream.finish().expect("fits").to_vec();
        let lens = counter_block_lens(&block);
        assert_eq!(lens[1] - lens[0], if has_io { 8 * NUM_IO_COUNTERS } else { 0 });
        // Nobody knows the calls of a process that has ended.
        assert_eq!(lens[1] - lens[2], if has_io { 8 * NUM_CALL_COUNTERS } else { 0 });
    }
}

fn counter_block_lens(block: &[u8]) -> Vec<usize> {
    let block = DataBlock::parse(block, 0).expect("sound");
    let object = block.objects().next().expect("one object").expect("sound");
    object.instances().map(|instance| instance.expect("sound").counter_block.bytes().len()).collect()
}
