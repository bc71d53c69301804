//! Recorders killed at random moments: every log opens, and holds what a shadow copy of the raw blocks holds.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use recount_capture::{LogWriter, WriterOptions};
use recount_model::{Facts, LogSink, NameTable};
use recount_perf_data::DataBlock;
use recount_record::linux::LinuxSource;
use recount_record::{LiveSource, RecordOptions, TakeError, Taken};

use crate::written::Written;
use crate::{for_each_block, open, record};

const NUM_KILLS: usize = 1_000;
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

#[test]
#[ignore = "runs as the child that is killed"]
fn child_that_records_until_it_is_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let wanted = |object: &str, _| ["Processor", "System", "Memory", "Process"].contains(&object);
    let mut source = Shadowed {
        source: LinuxSource::new(&wanted),
        shadow: File::create(directory.join("shadow.bin")).expect("shadow"),
    };
    let options = WriterOptions { len_chunk: LEN_CHUNK, ..WriterOptions::default() };
    let mut begin = |_| {
        let writer = LogWriter::create(&directory.join("log.rcap"), options)?;
        Ok(Box::new(Written(writer)) as Box<dyn LogSink>)
    };
    record(&mut source, &mut begin, RecordOptions::every(Duration::from_millis(2)));
}

fn spawn(directory: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "killed::child_that_records_until_it_is_killed", "--ignored", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("child")
}

/// Waits until the log is begun, then some more, then kills.
fn kill_after(mut child: Child, directory: &Path, time: Duration) {
    // The sample is taken, and in the shadow, before the log is begun.
    let log = directory.join("log.rcap");
    let begun = Instant::now();
    while log.metadata().map_or(0, |metadata| metadata.len()) == 0 {
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
    let log = open(&directory.join("log.rcap"));
    let mut num_samples = 0;
    for_each_block(&log, |_, bytes| {
        assert_eq!(bytes, blocks[num_samples], "sample {num_samples}");
        num_samples += 1;
    });
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
