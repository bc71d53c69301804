//! Known processes of this machine, found in decoded blocks; some depend on its clock and its load.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use recount_model::{SampleTime, Timestamp};
use rustix::time::{ClockId, clock_gettime};

use super::super::sampler::now;
use super::super::spec::NUM_IO_COUNTERS;
use super::cut_blocks::VALUES;
use super::*;

const LEN_CHUNK: usize = 64 << 10;
const NUM_CHUNKS: usize = 100;
const LEN_MEMORY: usize = 64 << 20;
const NUM_FILES: usize = 100;

/// Killed when it goes out of scope, whatever the result of the test.
struct Guarded(Child);

impl Guarded {
    fn pid(&self) -> u64 {
        u64::from(self.0.id())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A process with this name, which comes from a symlink. A copy of the program might still be open for
/// writing in a child that another test is starting, and would then be busy.
fn sleep_named(folder: &std::path::Path, name: &[u8]) -> Guarded {
    let path = folder.join(OsStr::from_bytes(name));
    let sleep = ["/usr/bin/sleep", "/bin/sleep"].into_iter().find(|path| std::path::Path::new(path).exists());
    std::os::unix::fs::symlink(sleep.expect("every Linux has it"), &path).expect("linked");
    let child = Command::new(&path).arg0("sleep").arg("60").stdin(Stdio::null()).spawn();
    // Spawning returns after the exec, so the name is final.
    let child = child.map(Guarded).expect("runs");
    std::fs::remove_file(&path).expect("removed");
    child
}

#[test]
fn names_may_hold_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: [(&[u8], &str); 5] = [
        (b") R 1 (x", ") R 1 (x"),
        (b"a\n1 (b) S 2", "a\n1 (b) S 2"),
        (b"back\\n", "back\\n"),
        (b"caf\xe9 ", "caf\u{fffd} "),
        (b"_total", "_Total_"),
    ];
    let children: Vec<Guarded> = names.iter().map(|(name, _)| sleep_named(folder.path(), name)).collect();
    let mut process = ProcessCollector::new(None, crate::Describe::None).expect("/proc");
    let sample = Sampler::new(vec![&mut process]).take();
    for ((_, shown), child) in names.iter().zip(&children) {
        let found = sample.find("Process", "ID Process", child.pid()).expect("listed");
        assert_eq!(found.name, *shown);
        assert_eq!(found.get("Creating Process ID"), u64::from(std::process::id()));
        assert_eq!(found.get("Thread Count"), 1);
    }
    let totals = sample.instances("Process");
    assert_eq!(totals.iter().filter(|instance| instance.name == "_Total").count(), 1);
}

#[test]
fn the_total_is_the_sum_and_the_order_is_that_of_ids() {
    let mut process = ProcessCollector::new(None, crate::Describe::None).expect("/proc");
    let mut sampler = Sampler::new(vec![&mut process]);
    let sample = sampler.take();
    let (processes, num_unreadable) = (sampler.tick.processes.clone(), sampler.tick.take_unreadable().0);
    let mut instances = sample.instances("Process");
    let total = instances.pop().expect("a total");
    assert_eq!((total.name.as_str(), total.get("ID Process")), ("_Total", 0));
    assert_eq!(total.get("Elapsed Time"), sample.time_100ns.cast_unsigned());
    let ids: Vec<u64> = instances.iter().map(|instance| instance.get("ID Process")).collect();
    assert!(ids.is_sorted() && ids.len() > 1);
    assert_eq!(ids, processes.iter().map(|pid| u64::from(pid.cast_unsigned())).collect::<Vec<_>>());
    for counter in ["% Processor Time", "Working Set", "Thread Count"] {
        let sum = instances.iter().map(|instance| instance.get(counter)).sum::<u64>();
        assert_eq!(sum, total.get(counter));
    }
    // Without the right to inspect every process there is no sum of I/O.
    let known: Vec<u64> =
        instances.iter().filter_map(|instance| instance.known("IO Data Bytes/sec")).collect();
    assert_eq!(num_unreadable as usize, instances.len() - known.len());
    let sum = (num_unreadable == 0).then(|| known.iter().sum::<u64>());
    assert_eq!(total.known("IO Data Bytes/sec"), sum);
}

#[test]
fn a_reused_id_is_another_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let child = sleep_named(folder.path(), b"reused");
    let mut process = ProcessCollector::new(None, crate::Describe::None).expect("/proc");
    let mut samples = Vec::new();
    for round in 0..3 {
        if round == 1 {
            // As if in the first sample the id had belonged to another process of the same name that started
            // at boot.
            let pid = child.0.id().cast_signed();
            let known = process.known.iter_mut().find(|known| known.pid == pid).expect("known");
            known.start = Some(StartClock::new().place(0, None));
        }
        samples.push(Sampler::new(vec![&mut process]).take());
    }
    let mut runs = ObjectRuns::new("test".into(), 3);
    for sample in &samples {
        let block = DataBlock::parse(&sample.bytes, 0).expect("a block");
        let object = block.objects().next().expect("one object").expect("sound");
        let time = SampleTime { utc: Timestamp(sample.time_100ns), offset_min: 0 };
        runs.push(&block, &object, time, &sample.names).expect("sound");
    }
    let id = Some(child.pid());
    let runs = runs.finish();
    let starts: Vec<_> = runs
        .iter()
        .flat_map(|run| {
            run.instances.iter().filter(|instance| instance.id == id && &*instance.name == "reused")
        })
        .map(|instance| instance.start.expect("known"))
        .collect();
    assert!(starts.len() >= 2, "the second sample begins a run");
    assert!(starts[1].0 > samples[0].time_100ns, "it began after the sample before");
    assert!(starts[1..].iter().all(|start| *start == starts[1]), "and stays as it is");
}

/// Not a test: the process that the test below measures.
#[test]
#[ignore = "the load of another test"]
fn load() {
    let Some(path) = std::env::var_os("RECOUNT_TEST_LOAD") else { return };
    let mut out = std::io::stdout();
    writeln!(out, "\nready").expect("heard");
    std::io::stdin().lock().read_line(&mut String::new()).expect("a line of the parent");
    let cpu = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec * 1_000_000_000 + time.tv_nsec
    };
    let start = cpu();
    let mut file = std::fs::File::create(path).expect("made");
    let chunk = vec![7; LEN_CHUNK];
    for _ in 0..NUM_CHUNKS {
        file.write_all(&chunk).expect("written");
    }
    let memory = std::hint::black_box(vec![1_u8; LEN_MEMORY]);
    let files: Vec<_> = (0..NUM_FILES).map(|_| std::fs::File::open("/dev/null").expect("there")).collect();
    while cpu() - start < 1_500_000_000 {}
    writeln!(out, "done {}", cpu() - start).expect("heard");
    std::io::stdin().lock().read_line(&mut String::new()).expect("a line of the parent");
    drop((memory, files));
}

#[test]
fn a_known_load_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(std::env::current_exe().expect("known"))
        .args([
            "--exact",
            "linux::process::tests::live::load",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("RECOUNT_TEST_LOAD", folder.path().join("written"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map(Guarded)
        .expect("runs");
    let mut lines = BufReader::new(child.0.stdout.take().expect("piped")).lines();
    let mut line = |start: &str| {
        let mut lines = lines.by_ref().map(|line| line.expect("readable"));
        lines.find_map(|line| line.strip_prefix(start).map(str::to_owned)).expect("the load says so")
    };
    let mut process = ProcessCollector::new(None, crate::Describe::None).expect("/proc");
    let mut sampler = Sampler::new(vec![&mut process]);
    line("ready");
    let before = sampler.take();
    child.0.stdin.as_mut().expect("piped").write_all(b"\n").expect("heard");
    let nanos: f64 = line("done ").parse().expect("a number");
    let after = sampler.take();

    let difference = |counter| {
        let [before, after] = [&before, &after]
            .map(|sample| sample.find("Process", "ID Process", child.pid()).expect("listed"));
        assert_eq!(before.name, after.name);
        assert_eq!(before.get("Elapsed Time"), after.get("Elapsed Time"));
        (after.get(counter) - before.get(counter)) as f64
    };
    let within_2_percent = |found: f64, truth: f64, what: &str| {
        assert!((found - truth).abs() <= 0.02 * truth, "{what}: {found}, truly {truth}");
    };
    within_2_percent(difference("% Processor Time"), nanos / 100.0, "time");
    let parts = difference("% User Time") + difference("% Privileged Time");
    within_2_percent(parts, nanos / 100.0, "user and privileged time");
    let len_written = (LEN_CHUNK * NUM_CHUNKS) as f64;
    for counter in ["Working Set", "Working Set - Private", "Private Bytes", "Virtual Bytes"] {
        within_2_percent(difference(counter), LEN_MEMORY as f64, counter);
    }
    let page = rustix::param::page_size();
    let faults = difference("Page Faults/sec");
    // A page is one fault, unless it is a huge page.
    assert!(
        (LEN_MEMORY.div_ceil(2 << 20)..LEN_MEMORY / page + 1_000).contains(&(faults as usize)),
        "{faults}"
    );
    // It writes to a different file.
    within_2_percent(difference("Handle Count"), NUM_FILES as f64 + 1.0, "handles");
    assert_eq!(difference("Thread Count").to_bits(), 0);
    assert_eq!(after.find("Process", "ID Process", child.pid()).expect("listed").get("Priority Base"), 19);
    within_2_percent(difference("IO Write Bytes/sec"), len_written, "bytes");
    let operations = difference("IO Write Operations/sec");
    assert!((100.0..=102.0).contains(&operations), "{operations} operations");
}

#[test]
fn starts_lie_where_they_were() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = ProcessCollector::new(None, crate::Describe::None).expect("/proc");
    let mut sampler = Sampler::new(vec![&mut process]);
    let before = now();
    let child = sleep_named(folder.path(), b"started");
    let after = now();
    let starts = [sampler.take(), sampler.take()].map(|sample| {
        let found = sample.find("Process", "ID Process", child.pid()).expect("listed");
        found.get("Elapsed Time").cast_signed()
    });
    assert_eq!(starts[0], starts[1]);
    // At most one clock tick too early; the clocks are read a few microseconds apart.
    assert!((before - 110_000..after + 10_000).contains(&starts[0]), "{before} {} {after}", starts[0]);
}

/// Works for any user: as nobody, most instances are cut.
#[test]
fn what_this_user_may_read_is_there() {
    let mut process = ProcessCollector::new(None, crate::Describe::None).expect("/proc");
    let sample = Sampler::new(vec![&mut process]).take();
    let mut num_compared = 0;
    for instance in sample.instances("Process") {
        let pid = instance.get("ID Process");
        let is_readable = match std::fs::read(format!("/proc/{pid}/io")) {
            Ok(_) => true,
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => false,
            // `_Total`, and processes that have ended.
            Err(_) => continue,
        };
        let values = VALUES.map(|(counter, _)| instance.known(counter).is_some());
        assert_eq!(values, [is_readable; NUM_IO_COUNTERS], "{}, {pid}", instance.name);
        num_compared += 1;
    }
    assert!(num_compared > 1);
}
