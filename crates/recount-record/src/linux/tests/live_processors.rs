use std::time::{Duration, Instant};

use recount_model::SampleTime;
use recount_perf_data::{DataBlock, ObjectRuns};

use super::live_sample::{growth, source_of, take};

const TIMES: [&str; 4] = ["% Idle Time", "% User Time", "% Privileged Time", "% Steal Time"];

/// Keeps a processor busy, as far as the scheduler allows.
fn burn(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::black_box((0..1_000_u64).fold(1, u64::wrapping_mul));
    }
}

#[test]
fn the_times_of_a_processor_add_up_to_the_time_that_passed() {
    let mut source = source_of(&["Processor"]);
    let before = take(&mut source);
    burn(Duration::from_millis(600));
    let after = take(&mut source);
    let elapsed = after.time.0 - before.time.0;
    let processors: Vec<&str> =
        before.instances("Processor").into_iter().filter(|name| *name != "_Total").collect();
    assert!(!processors.is_empty());
    for processor in &processors {
        let sum: u64 = TIMES.map(|time| growth(&before, &after, ("Processor", processor, time))).iter().sum();
        // Each of the six underlying counts may be off by a tick of 10 ms, or more under a busy hypervisor.
        let difference = (sum as i64 - elapsed).abs();
        assert!(difference < 1_000_000, "processor {processor}: {sum} of {elapsed} x 100 ns");
    }
    // At least this thread was running, except while the hypervisor took the processor.
    let busy: u64 = processors
        .iter()
        .map(|processor| {
            growth(&before, &after, ("Processor", processor, "% User Time"))
                + growth(&before, &after, ("Processor", processor, "% Steal Time"))
        })
        .sum();
    assert!(busy >= 4_500_000, "{busy} x 100 ns of user time while 600 ms were burnt");
}

#[test]
fn the_total_is_the_mean() {
    let sample = take(&mut source_of(&["Processor"]));
    let processors: Vec<&str> =
        sample.instances("Processor").into_iter().filter(|name| *name != "_Total").collect();
    for counter in TIMES.iter().chain(&["% Processor Time", "% DPC Time", "% IO Wait Time"]) {
        let sum: u64 = processors.iter().map(|processor| sample.get("Processor", processor, counter)).sum();
        assert_eq!(sample.get("Processor", "_Total", counter), sum / processors.len() as u64, "{counter}");
    }
}

#[test]
fn two_samples_are_one_run() {
    let mut source = source_of(&["Processor", "Memory"]);
    let samples = [take(&mut source), take(&mut source)];
    for index in 0..2 {
        let mut runs = ObjectRuns::new("here".into(), 2);
        for sample in &samples {
            let block = DataBlock::parse(&sample.bytes, 0).expect("sound");
            let object = block.objects().nth(index).expect("two objects").expect("sound");
            let time = SampleTime { utc: sample.time, offset_min: 0 };
            runs.push(&block, &object, time, &sample.names).expect("sound");
        }
        let runs = runs.finish();
        assert_eq!(runs.iter().map(recount_model::Run::num_samples).collect::<Vec<_>>(), [2]);
    }
}

#[test]
fn frequencies_are_plausible() {
    let sample = take(&mut source_of(&["Processor", "Processor Information"]));
    // Some machines (many ARM ones) don't report any.
    for instance in sample.instances("Processor Information") {
        let mhz = sample.get("Processor Information", instance, "Processor Frequency");
        assert!((50..=20_000).contains(&mhz), "{instance}: {mhz} MHz");
        let (_, number) = instance.split_once(',').expect("node and number");
        assert!(sample.instances("Processor").contains(&number), "{instance}");
    }
}
