//! A recording taken while a known load runs shows that load.
#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use recount::{NameTable, Pattern, Selection, Timeline, open_all};
use recount_compute::{Cooked, PipelineOptions, run};

/// CPU time that the load takes.
const CPU: Duration = Duration::from_secs(4);
/// Bytes that the load writes.
const LEN_WRITTEN: u64 = 300 << 20;
/// How far a number may be off: resolution of the kernel's ticks, and the samples at both ends.
const TOLERANCE: f64 = 0.02;

/// Says where the load writes, and that it is one.
const FILE: &str = "RECOUNT_TEST_LOAD_FILE";

/// CPU time of this process, user and system, by its own account.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

#[test]
#[ignore = "runs as the load"]
fn load_that_is_recorded() {
    let Some(path) = std::env::var_os(FILE) else { return };
    // The recorder has to have seen this process before it does anything, and after.
    std::thread::sleep(Duration::from_millis(700));
    let end = cpu_time() + CPU;
    let mut file = std::fs::File::create(path).expect("file");
    let piece = vec![7_u8; 1 << 20];
    for _ in 0..LEN_WRITTEN >> 20 {
        file.write_all(&piece).expect("written");
    }
    let mut spin = 0_u64;
    while cpu_time() < end {
        spin = std::hint::black_box(spin.wrapping_add(1));
    }
    std::thread::sleep(Duration::from_millis(700));
}

/// The total of a counter over the recording: the sum of each value times its interval, in seconds.
fn total(log: &Path, pattern: &str) -> f64 {
    let captures = open_all(&[log.into()], &NameTable::new()).expect("opens");
    let selected: Pattern = pattern.parse().expect("pattern");
    let mut options = PipelineOptions::default();
    options.cook.selection = Selection::from_iter([selected]);
    let (mut total, mut num_values) = (0.0, 0);
    let mut add = |cooked: &Cooked| {
        for column in &cooked.columns {
            for cell in 0..cooked.num_cells() {
                let num_instances = cooked.instances.len();
                let interval_s = cooked.interval_of(cell / num_instances, cell % num_instances);
                if let (Some(value), Some(interval_s)) = (column.value_at(cell), interval_s) {
                    total += value * interval_s;
                    num_values += 1;
                }
            }
        }
    };
    let timeline = Timeline::whole(&captures).expect("one time line");
    let health = run(timeline.inputs(), &options, |batch, _| {
        batch.iter().for_each(&mut add);
        Ok::<(), std::convert::Infallible>(())
    });
    let Ok(health) = health;
    assert!(health.is_complete(), "{health:?}");
    assert!(num_values > 10, "{num_values} values of {pattern}");
    total
}

fn assert_near(what: &str, found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < TOLERANCE, "{what}: {found} where {expected} was to be seen");
}

#[test]
fn a_known_load_is_shown_within_two_percent() {
    recount_testdata::quiet_machine();
    let directory = tempfile::tempdir().expect("temporary directory");
    let log = directory.path().join("load.rcap");
    let load = std::env::current_exe().expect("this test");
    let recorded = Command::new(env!("CARGO_BIN_EXE_recount"))
        .args(["record", "--quiet", "--interval", "250ms", "--profile", "processes", "-o"])
        .arg(&log)
        .arg("--")
        .arg(&load)
        .args(["--exact", "load_that_is_recorded", "--ignored"])
        .env(FILE, directory.path().join("written.bin"))
        .output()
        .expect("runs");
    assert!(recorded.status.success(), "{recorded:?}");
    // The kernel keeps 15 characters of a name. This process has the same one, and only waits.
    let name = load.file_name().expect("name").to_string_lossy().chars().take(15).collect::<String>();
    let counter = |counter: &str| total(&log, &format!(r"\Process({name}#*)\{counter}"));
    assert_near("CPU seconds", counter("% Processor Time") / 100.0, CPU.as_secs_f64());
    let user_and_system = counter("% User Time") + counter("% Privileged Time");
    assert_near("CPU seconds", user_and_system / 100.0, CPU.as_secs_f64());
    assert_near("bytes written", counter("IO Write Bytes/sec"), LEN_WRITTEN as f64);
    // Others may be busy too, so the machine as a whole can only have done more. `_Total` is the processors' mean.
    let num_processors = std::thread::available_parallelism().expect("known").get() as f64;
    let busy = total(&log, r"\Processor(_Total)\% Processor Time") / 100.0 * num_processors;
    assert!(busy > CPU.as_secs_f64() * (1.0 - TOLERANCE), "{busy} s of all processors");
}
