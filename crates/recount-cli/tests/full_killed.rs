//! Recorders killed at random moments: every log opens, and holds what a shadow copy of the raw blocks holds.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use recount_capture::{CaptureError, Log as Capture, LogWriter, RecordKind, WriterOptions};
use recount_model::{Event, Facts, FindingKind, NameTable, Sink, Timestamp};
use recount_perf_data::DataBlock;
use recount_record::linux::LinuxSource;
use recount_record::{
    Finished, Interrupts, LiveSource, Log, RecordOptions, Recorder, SystemClock, TakeError, Taken,
};

const NUM_KILLS: usize = 200;
/// Says where the child writes, and that it is one.
const DIRECTORY: &str = "RECOUNT_TEST_KILLED_DIRECTORY";
/// Several samples to a chunk and several chunks to a life, so that kills fall into sealing too.
const LEN_CHUNK: usize = 256 << 10;

/// The Linux source; each of its blocks is written to a second file before the recorder gets it.
struct Shadowed {
    source: LinuxSource,
    shadow: File,
}

impl LiveSource for Shadowed {
    fn facts(&mut self) -> Facts {
        self.source.facts()
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        self.source.texts()
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        let taken = self.source.take()?;
        let written = self.shadow.write_all(self.source.sample());
        written.map_err(|source| TakeError::Read { path: "shadow".into(), source })?;
        Ok(taken)
    }

    fn sample(&self) -> &[u8] {
        self.source.sample()
    }
}

/// The log as the recorder wants it.
struct Written(LogWriter);

impl Sink for Written {
    fn facts(&mut self, facts: &Facts) -> std::io::Result<()> {
        self.0.facts(facts)
    }

    fn texts(&mut self, language: &str, texts: &mut dyn Iterator<Item = (u32, &str)>) -> std::io::Result<()> {
        self.0.texts(language, texts)
    }

    fn block(&mut self, time: Timestamp, block: &[u8]) -> std::io::Result<()> {
        self.0.block(time, block)
    }

    fn message(&mut self, time: Timestamp, message: &[u8]) -> std::io::Result<()> {
        self.0.message(time, message)
    }

    fn event(&mut self, event: &Event) -> std::io::Result<()> {
        self.0.event(event)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

impl Log for Written {
    fn len_file(&self) -> u64 {
        self.0.len_file()
    }

    fn finish(self: Box<Self>) -> std::io::Result<Finished> {
        let closed = self.0.close()?;
        Ok(Finished { len: closed.len, fault: closed.fault, damage: closed.damage })
    }
}

#[test]
#[ignore = "runs as the child that is killed"]
fn child_that_records_until_it_is_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let wanted = |object: &str, _| ["Processor", "System", "Memory", "Process"].contains(&object);
    let mut source = Shadowed {
        source: LinuxSource::new(&wanted).expect("source"),
        shadow: File::create(directory.join("shadow.bin")).expect("shadow"),
    };
    let options = WriterOptions { len_chunk: LEN_CHUNK, ..WriterOptions::default() };
    let mut begin = |_| {
        let writer = LogWriter::create(&directory.join("log.rcap"), options)?;
        Ok(Box::new(Written(writer)) as Box<dyn Log>)
    };
    let recorder = Recorder {
        source: &mut source,
        begin_log: &mut begin,
        clock: &mut SystemClock::new(),
        interrupts: &Interrupts::new().expect("interrupts"),
        on_progress: &mut |_| (),
    };
    recorder.record(RecordOptions::every(Duration::from_millis(2))).expect("records");
}

fn spawn(directory: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "child_that_records_until_it_is_killed", "--ignored", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("child")
}

/// Waits for the first sample, then some more, then kills.
fn kill_after(mut child: Child, directory: &Path, time: Duration) {
    let shadow = directory.join("shadow.bin");
    let begun = Instant::now();
    while shadow.metadata().map_or(0, |metadata| metadata.len()) == 0 {
        assert!(begun.elapsed() < Duration::from_mins(1), "the child doesn't begin");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(time);
    child.kill().expect("killed");
    child.wait().expect("ended");
}

/// Compares log and shadow: how many samples, and how many chunks.
fn compare(directory: &Path) -> (usize, usize) {
    let shadow = std::fs::read(directory.join("shadow.bin")).expect("shadow");
    let mut blocks = Vec::new();
    let mut rest = shadow.as_slice();
    while let Ok(block) = DataBlock::parse(rest, 0) {
        blocks.push(block.bytes());
        rest = &rest[block.bytes().len()..];
    }
    let log = Capture::open(Box::new(File::open(directory.join("log.rcap")).expect("log"))).expect("opens");
    for kind in [FindingKind::Damaged, FindingKind::Lost, FindingKind::Dropped] {
        assert_eq!(log.health().count(kind), 0, "{:?}", log.health());
    }
    let mut num_samples = 0;
    log.for_each_record::<CaptureError>(|record, bytes| {
        let bytes = bytes.expect("every record can be read");
        let (time, kind) = log.record_info(record).expect("listed");
        if kind == RecordKind::BLOCK {
            assert_eq!(bytes, blocks[num_samples], "sample {num_samples}");
            assert_eq!(time.0, DataBlock::parse(bytes, 0).expect("block").header().perf_time_100ns);
            num_samples += 1;
        }
        Ok(())
    })
    .expect("read");
    // A record that is incomplete in the shadow can't be in the log.
    assert!(
        num_samples == blocks.len() || num_samples + 1 == blocks.len(),
        "{num_samples} of {}",
        blocks.len()
    );
    (num_samples, log.num_chunks())
}

#[test]
fn killed_recorders_lose_the_sample_in_flight_at_most() {
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let (mut num_samples, mut num_chunks) = (0, 0);
    for _ in 0..NUM_KILLS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let directory = tempfile::tempdir().expect("temporary directory");
        kill_after(spawn(directory.path()), directory.path(), Duration::from_micros(random % 120_000));
        let (samples, chunks) = compare(directory.path());
        num_samples += samples;
        num_chunks += chunks;
    }
    // Or the kills were no test of anything.
    assert!(num_samples > 5 * NUM_KILLS, "{num_samples} samples");
    assert!(num_chunks > NUM_KILLS / 4, "{num_chunks} chunks");
}
