//! `recount show --follow`, and other commands on a log that is being written.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use recount::{Follower, Selection, Span};
use recount_capture::{LogWriter, WriterOptions};
use recount_model::{CounterType, Facts, Sink, Timestamp};
use recount_perf_data::{BlockClocks, BlockStream, CounterDefinition, ObjectHeader, ObjectTemplate};
use serde_json::Value;

use super::run::{Outputs, command, recount, sample};

const START: i64 = 130_058_022_178_440_000;
/// `PERF_COUNTER_BULK_COUNT`, and as wide a count as it is.
const RATE: u32 = 0x1041_0500;
const COUNT: u32 = 0x0001_0100;

/// Writes samples of an object `Job`: in second k it has made k * k steps.
struct Job {
    writer: LogWriter,
    stream: BlockStream,
    template: ObjectTemplate,
    second: i64,
}

impl Job {
    fn begin(path: &Path, len_chunk: usize) -> Job {
        let options =
            WriterOptions { len_chunk, sync: recount_capture::Sync::None, ..WriterOptions::default() };
        let mut writer = LogWriter::create(path, options).expect("new");
        writer.facts(&Facts::from([("host".to_owned(), "web1".to_owned())])).expect("written");
        let names = [(100, "Job"), (102, "Steps/sec"), (104, "Steps")];
        writer.texts("009", &mut names.into_iter()).expect("written");
        let mut object = ObjectTemplate::new(ObjectHeader::new(100, false));
        object.add_counter(CounterDefinition::new(102, CounterType(RATE)));
        object.add_counter(CounterDefinition::new(104, CounterType(COUNT)));
        // As large as a real one's, so that the tail takes some time to read.
        for index in 0..200 {
            object.add_counter(CounterDefinition::new(200 + index, CounterType(COUNT)));
        }
        Job { writer, stream: BlockStream::new("web1"), template: object, second: 0 }
    }

    fn sample(&mut self) {
        let (second, time) = (self.second, START + self.second * 10_000_000);
        self.second += 1;
        self.stream.begin(BlockClocks { perf_time: second * 1_000, perf_freq: 1_000, perf_time_100ns: time });
        let steps = (second * second) as u64;
        let mut object = self.stream.object(&self.template, second * 1_000, 1_000);
        let mut values = object.values();
        values.set(0, steps).set(1, steps);
        for counter in 2..202 {
            values.set(counter, steps.wrapping_mul(counter as u64));
        }
        self.writer.block(Timestamp(time), self.stream.finish().expect("fits")).expect("written");
    }

    /// A sample in which the object isn't.
    fn pause(&mut self) {
        let (second, time) = (self.second, START + self.second * 10_000_000);
        self.second += 1;
        self.stream.begin(BlockClocks { perf_time: second * 1_000, perf_freq: 1_000, perf_time_100ns: time });
        self.writer.block(Timestamp(time), self.stream.finish().expect("fits")).expect("written");
    }
}

fn following(arguments: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut child = command()
        .args(["show", "-f"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("running recount");
    let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    (child, stdout)
}

fn next_line(stdout: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    line
}

/// Exit code, the rest of standard output, and standard error.
fn ended(mut child: Child, mut stdout: BufReader<ChildStdout>) -> (Option<i32>, String, String) {
    let (mut rest, mut errors) = (String::new(), String::new());
    stdout.read_to_string(&mut rest).expect("UTF-8");
    child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("UTF-8");
    (child.wait().expect("an end").code(), rest, errors)
}

/// The sample of an object before a new one may be further back than the last that was read.
#[test]
fn a_value_is_compared_with_the_last_sample_of_its_object() {
    let outputs = Outputs::new();
    let path = outputs.path("seldom.rcap");
    let mut job = Job::begin(path.as_ref(), 1 << 20);
    (0..3).for_each(|_| job.sample());
    let selection = Selection::from_iter([r"\Job\Steps/sec".parse().expect("a path")]);
    let mut follower = Follower::new(path.as_ref(), Span::default(), selection).expect("a log");
    let mut news = || {
        let new = follower.refresh().expect("read").unwrap_or_default();
        new.into_iter().map(|new| new.value).collect::<Vec<_>>()
    };
    assert_eq!(news(), [Some(3.0)]);
    job.pause();
    assert!(news().is_empty());
    job.sample();
    // From 4 to 16 in two seconds.
    assert_eq!(news(), [Some(6.0)]);
}

/// The newest sample, then each new one as it comes; the end of the recording is the end.
#[test]
fn a_line_per_new_value() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let mut job = Job::begin(path.as_ref(), 1 << 20);
    (0..3).for_each(|_| job.sample());
    let (child, mut stdout) = following(&[&path, r"\Job\Steps/sec"]);
    let rate = |line: &str, second: i64| {
        let time = Timestamp(START + second * 10_000_000);
        // From (k - 1)^2 to k^2 in a second.
        assert_eq!(line, format!("{time}\t\\\\web1\\Job\\Steps/sec\t{}\t/sec\n", 2 * second - 1));
    };
    rate(&next_line(&mut stdout), 2);
    for second in 3..8 {
        job.sample();
        rate(&next_line(&mut stdout), second);
    }
    job.writer.finish().expect("closed");
    assert_eq!(ended(child, stdout), (Some(0), String::new(), String::new()));
}

/// A writer that seals all the time moves records while they are read; no value is lost or wrong by that.
#[test]
fn no_value_is_missed_or_wrong_while_chunks_are_sealed() {
    const NUM_SAMPLES: i64 = 400;
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let mut job = Job::begin(path.as_ref(), 8_000);
    job.sample();
    let (child, mut stdout) = following(&[&path, "--json", r"\Job\Steps*"]);
    next_line(&mut stdout);
    let writer = std::thread::spawn(move || {
        for _ in 1..NUM_SAMPLES {
            job.sample();
            std::thread::sleep(Duration::from_millis(2));
        }
        job.writer.finish().expect("closed");
    });
    let (code, rest, errors) = ended(child, stdout);
    writer.join().expect("no panic");
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let mut num_rates = 0;
    for line in rest.lines().filter(|line| line.contains("Steps/sec")) {
        let value: Value = serde_json::from_str(line).expect(line);
        num_rates += 1;
        assert_eq!(value["value"].as_f64(), Some((2 * num_rates - 1) as f64), "{line}");
        assert_eq!(value["time"], Timestamp(START + num_rates * 10_000_000).to_string(), "{line}");
    }
    assert_eq!(num_rates, NUM_SAMPLES - 1);
}

/// The log can be read at any moment.
#[test]
fn other_commands_read_a_log_that_is_being_written() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let mut job = Job::begin(path.as_ref(), 8_000);
    (0..10).for_each(|_| job.sample());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                job.sample();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let is_done = scopeguard(&is_over);
        for _ in 0..5 {
            read_live(&["info", &path]);
            read_live(&["list", &path]);
            read_live(&["show", &path, "Steps"]);
            read_live(&["verify", &path]);
            let csv = read_live(&["convert", &path, "-o", "-", "--format", "csv", "-c", r"\Job\Steps/sec"]);
            assert!(csv.lines().count() > 10, "{csv}");
            for (second, line) in csv.lines().skip(1).enumerate().skip(1) {
                let value = line.split(',').nth(1).expect("a value").trim_matches('"');
                assert_eq!(value.parse::<f64>(), Ok((2 * second - 1) as f64), "{line}");
            }
        }
        drop(is_done);
        writer.join().expect("no panic");
    });
}

/// Retries while the only finding is that the writer is in the middle of sealing, which may take as long as
/// its disk needs.
fn read_live(arguments: &[&str]) -> String {
    let done = recount(arguments);
    let is_harmless = |line: &str| line.contains(": odd: ") && line.ends_with("; nothing is lost");
    assert!(done.code == Some(0) && done.stderr.lines().all(is_harmless), "{arguments:?}: {}", done.stderr);
    done.stdout
}

/// Ends the writer also where an assertion fails, so that the test does.
fn scopeguard(is_over: &AtomicBool) -> impl Drop {
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    End(is_over)
}

/// Ctrl-C ends it as it should.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let mut job = Job::begin(path.as_ref(), 1 << 20);
    (0..3).for_each(|_| job.sample());
    let (child, mut stdout) = following(&[&path, r"\Job\Steps"]);
    assert!(next_line(&mut stdout).ends_with("\t4\t\n"));
    let kill = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().expect("sh").success());
    assert_eq!(ended(child, stdout), (Some(0), String::new(), String::new()));
}

#[test]
fn a_closed_log_is_shown_and_that_is_it() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let mut job = Job::begin(path.as_ref(), 1 << 20);
    (0..3).for_each(|_| job.sample());
    job.writer.finish().expect("closed");
    let text = recount(&["show", "--follow", &path, r"\Job\Steps"]).fine();
    assert_eq!(text, format!("{}\t\\\\web1\\Job\\Steps\t4\t\n", Timestamp(START + 20_000_000)));
    let error = recount(&["show", "-f", &path, "no such thing"]).failed();
    assert!(error.starts_with("error: no counter matches"), "{error}");
    let packed = outputs.path("b.rcap");
    recount(&["pack", "-q", &sample("objects.blg"), "-o", &packed]).fine();
    assert!(!recount(&["show", "-f", &packed]).fine().is_empty());
    let error = recount(&["show", "-f", &sample("objects.blg")]).failed();
    assert!(error.contains("only a capture log (.rcap) can be followed\nhint: "), "{error}");
}
