//! A week in simulated time, with clocks that are set and a machine that sleeps.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use recount_capture::{LogFiles, LogFilesOptions};
use recount_model::{Facts, NameTable};
use recount_record::linux::LinuxSource;
use recount_record::{
    Clock, Interrupts, LiveSource, Moment, RecordOptions, Recorder, Rotation, TakeError, Taken,
};

use crate::times_of;

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3_600 * SECOND;
/// Logs that are kept of the week, one for each hour.
const NUM_KEPT: usize = 24;

/// A clock that advances only in waits.
struct Simulated(Rc<Cell<Moment>>);

/// What happens to the clocks when the machine has run for so long: how much the wall clock is set, and how long the machine sleeps.
const UPSETS: [(i64, i64, i64); 4] =
    [(30 * HOUR, HOUR, 0), (60 * HOUR, -HOUR, 0), (100 * HOUR, 0, 2 * HOUR), (140 * HOUR, -30 * SECOND, 0)];

impl Clock for Simulated {
    fn now(&mut self) -> Moment {
        self.0.get()
    }

    fn wait(&mut self, monotonic_ns: i64, _interrupts: &Interrupts) {
        let mut now = self.0.get();
        let before = now.monotonic_ns;
        let elapsed = monotonic_ns - before;
        now.monotonic_ns += elapsed;
        now.boottime_ns += elapsed;
        now.realtime_ns += elapsed;
        for (at, set_ns, asleep_ns) in UPSETS {
            if before < at && monotonic_ns >= at {
                now.boottime_ns += asleep_ns;
                now.realtime_ns += set_ns + asleep_ns;
            }
        }
        self.0.set(now);
    }
}

/// This machine, looked at once in a hundred samples; the others are the same block at another time.
struct Now {
    source: LinuxSource,
    clock: Rc<Cell<Moment>>,
    block: Vec<u8>,
    num_taken: u64,
}

impl LiveSource for Now {
    fn facts(&mut self) -> Facts {
        self.source.facts()
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        self.source.texts()
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        /// Of `PerfTime100nSec` in a block (`formats/perf-data-block.md#header`).
        const OFS_TIME: usize = 72;
        if self.num_taken.is_multiple_of(100) {
            self.source.take()?;
            self.block = self.source.sample().to_vec();
        }
        self.num_taken += 1;
        let time = self.clock.get().time();
        self.block[OFS_TIME..OFS_TIME + 8].copy_from_slice(&time.0.to_le_bytes());
        Ok(Some(Taken { time, ..Taken::default() }))
    }

    fn sample(&self) -> &[u8] {
        &self.block
    }
}

/// Anonymous memory of this process, in bytes.
fn anonymous_memory() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("this process");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("RssAnon");
    line.trim().trim_end_matches(" kB").parse::<i64>().expect("a number") * 1_024
}

#[test]
fn a_week() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let start = Moment { monotonic_ns: 0, boottime_ns: 0, realtime_ns: 1_900_000_000 * SECOND };
    let clock = Rc::new(Cell::new(start));
    let wanted = |object: &str, _| ["Processor", "System", "Memory"].contains(&object);
    let mut source =
        Now { source: LinuxSource::new(&wanted), clock: Rc::clone(&clock), block: Vec::new(), num_taken: 0 };
    let options = LogFilesOptions {
        output: Some(directory.path().join("week.rcap")),
        is_series: true,
        keep: NUM_KEPT.try_into().ok(),
        ..LogFilesOptions::default()
    };
    let mut files = LogFiles::new(options, "host").expect("a place for logs");
    let mut memory = Vec::new();
    let recorder = Recorder {
        source: &mut source,
        begin_log: &mut |time| files.begin(time),
        clock: &mut Simulated(clock),
        interrupts: &Interrupts::new().expect("interrupts"),
        on_progress: &mut |progress| {
            if progress.num_samples.is_multiple_of(86_400) {
                memory.push(anonymous_memory());
            }
        },
    };
    let options = RecordOptions {
        duration: Some(Duration::from_hours(7 * 24)),
        rotation: Rotation { max_age: Some(Duration::from_hours(1)), max_len: None },
        ..RecordOptions::every(Duration::from_secs(1))
    };
    let report = recorder.record(options).expect("a week");

    assert_eq!(report.progress.num_samples, 7 * 86_400 + 1);
    let troubles = [report.progress.num_missed, report.progress.num_late, report.progress.num_lost];
    assert_eq!(troubles, [0, 0, 0], "{report:?}");
    assert!(report.progress.num_logs >= 7 * 24, "{report:?}");

    // What was deleted and what is kept is all, and what is kept has no hole.
    let deleted = files.deleted();
    let paths = files.into_paths();
    assert_eq!(paths.len(), NUM_KEPT);
    let there = std::fs::read_dir(directory.path()).expect("the directory").count();
    assert_eq!(there, NUM_KEPT);
    let times: Vec<i64> = paths.iter().flat_map(|path| times_of(path)).collect();
    assert_eq!(times.len() as u64 + deleted.num_samples, report.progress.num_samples);
    let steps: Vec<i64> =
        times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step != 10_000_000).collect();
    assert_eq!(steps, [0_i64; 0], "the last day has a sample in each second");

    // The first day's memory grows with the first logs.
    let [_, second, .., last] = memory[..] else { panic!("{memory:?}") };
    assert!(last - second < 4 << 20, "memory grows: {memory:?}");
}
