use std::fs;
use std::time::Duration;

use recount_perf_data::DataBlock;

use super::live_sample::{growth, source_of, take, take_of};
use crate::linux::{memory, system};

/// A field of a file, found the simple way.
fn field(path: &str, name: &str) -> u64 {
    let text = fs::read_to_string(path).expect("there");
    let line = text.lines().find(|line| line.split([' ', ':']).next() == Some(name)).expect("a line");
    line.split_whitespace().nth(1).and_then(|value| value.parse().ok()).expect("a number")
}

#[test]
fn clocks_stand_in_block_and_objects() {
    let mut source = source_of(&["System", "Memory"]);
    let before = take(&mut source);
    std::thread::sleep(Duration::from_millis(200));
    let after = take(&mut source);
    let block = |bytes| *DataBlock::parse(bytes, 0).expect("sound").header();
    let (one, two) = (block(&before.bytes), block(&after.bytes));
    assert_eq!((one.perf_freq, one.perf_time_100ns), (10_000_000, before.time.0));
    let (elapsed, elapsed_wall) = (two.perf_time - one.perf_time, two.perf_time_100ns - one.perf_time_100ns);
    assert!((2_000_000..50_000_000).contains(&elapsed), "{elapsed}");
    assert!((elapsed - elapsed_wall).abs() < 100_000, "{elapsed} {elapsed_wall}");
    let block = DataBlock::parse(&after.bytes, 0).expect("sound");
    let clock_of = |index: u32| {
        let mut objects = block.objects().map(|object| *object.expect("sound").header());
        let header = objects.find(|header| header.name_index == index).expect("there");
        (header.perf_time, header.perf_freq)
    };
    // `System Up Time` uses its object's clock; no counter of `Memory` does.
    assert_eq!(clock_of(system::SPEC.index), (after.time.0, 10_000_000));
    assert_eq!(clock_of(memory::SPEC.index), (0, 0));
}

#[test]
fn memory_is_what_meminfo_says() {
    let sample = take(&mut source_of(&["Memory"]));
    let get = |counter| sample.get("Memory", "", counter);
    let total = field("/proc/meminfo", "MemTotal") * 1024;
    assert_eq!(get("Physical Bytes"), total);
    assert_eq!(get("Commit Limit"), field("/proc/meminfo", "CommitLimit") * 1024);
    let available = field("/proc/meminfo", "MemAvailable") * 1024;
    assert!(
        get("Available Bytes").abs_diff(available) < total / 10,
        "{} {available}",
        get("Available Bytes")
    );
    assert_eq!(get("Available KBytes"), get("Available Bytes") / 1024);
    assert_eq!(get("Available MBytes"), get("Available Bytes") >> 20);
    let share = get("% Committed Bytes In Use") as f64 / get("% Committed Bytes In Use Base") as f64;
    let expected = get("Committed Bytes") as f64 / get("Commit Limit") as f64;
    assert!((share - expected).abs() < 1e-6, "{share} {expected}");
}

#[test]
fn touching_memory_shows() {
    let mut source = source_of(&["Memory"]);
    let before = take(&mut source);
    let len = 64 << 20;
    let touched = vec![1_u8; len];
    let after = take(&mut source);
    std::hint::black_box(&touched);
    // At most a page per fault, and far fewer faults with huge pages of 2 MiB.
    let faults = growth(&before, &after, ("Memory", "", "Page Faults/sec"));
    assert!(faults >= (len >> 21) as u64, "{faults} faults");
}

#[test]
fn the_system_counts_what_proc_counts() {
    let mut source = source_of(&["System"]);
    let before = take(&mut source);
    for _ in 0..20 {
        std::thread::spawn(|| std::thread::sleep(Duration::from_millis(1))).join().expect("ends");
    }
    let after = take(&mut source);
    assert!(growth(&before, &after, ("System", "", "Threads Created/sec")) >= 20);
    assert!(growth(&before, &after, ("System", "", "Context Switches/sec")) >= 20);
    assert!(growth(&before, &after, ("System", "", "Soft Interrupts/sec")) < 1 << 32);
    let get = |counter| after.get("System", "", counter);
    assert!(get("Threads") >= get("Processes"), "{} {}", get("Threads"), get("Processes"));
    assert!(get("Runnable Threads") >= 1, "this one runs");
    let uptime = fs::read_to_string("/proc/uptime").expect("there");
    let uptime: f64 = uptime.split(' ').next().and_then(|text| text.parse().ok()).expect("seconds");
    let up = (after.time.0 - get("System Up Time") as i64) as f64 / 1e7;
    assert!((up - uptime).abs() < 2.0, "{up} {uptime}");
}

#[test]
fn load_averages_are_hundredths() {
    let mut source = source_of(&["System"]);
    // The file changes every 5 s: one of two readings around the sample has its numbers.
    let read = || fs::read_to_string("/proc/loadavg").expect("there");
    let hundredths = |text: &str| -> Vec<u64> {
        let numbers = text.split(' ').take(3).map(|word| word.parse::<f64>().expect("a number"));
        numbers.map(|number| (number * 100.0).round() as u64).collect()
    };
    let before = read();
    let sample = take(&mut source);
    let after = read();
    let names = ["Load Average 1 Minute x100", "Load Average 5 Minutes x100", "Load Average 15 Minutes x100"];
    let found = names.map(|name| sample.get("System", "", name));
    assert!([hundredths(&before), hundredths(&after)].iter().any(|expected| *expected == found), "{found:?}");
}

#[test]
fn processes_are_counted_with_and_without_their_object() {
    let alone = take(&mut source_of(&["System"])).get("System", "", "Processes");
    let both = take_of(&mut source_of(&["System", "Process"]), &["Process"]);
    let num_instances = both.get("Process", "", "");
    assert_eq!(both.get("System", "", "Processes"), num_instances - 1, "all but _Total");
    let listed = fs::read_dir("/proc")
        .expect("there")
        .filter(|entry| {
            let name = entry.as_ref().expect("readable").file_name();
            name.to_str().is_some_and(|name| name.parse::<u32>().is_ok())
        })
        .count();
    assert!(alone.abs_diff(listed as u64) < 50, "{alone} {listed}");
}

#[test]
fn a_counter_is_there_if_its_file_is() {
    let sample = take(&mut source_of(&["System", "Memory"]));
    let pairs = [
        ("/proc/pressure/irq", "System", "% Interrupt Pressure Full Time"),
        ("/proc/pressure/cpu", "System", "% CPU Pressure Some Time"),
        ("/proc/pressure/memory", "Memory", "% Pressure Full Time"),
    ];
    for (path, object, counter) in pairs {
        let is_readable = fs::read(path).is_ok();
        assert_eq!(sample.find(object, "", counter).is_some(), is_readable, "{path}");
    }
}
