//! Writing: the samples to a log, and to a general compressor.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use recount_bench::bench_data;
use recount_bench::generate_capture::begin;
use recount_capture::{LogWriter, Sync, WriterOptions};
use recount_model::Sink;
use zstd::stream::write::Encoder;

use crate::input::{Input, SEED};
use crate::measured::Measured;

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// As `recount record` does.
    Recorder,
    /// As `recount pack` does: existing data, as small as possible.
    Pack,
}

impl Setting {
    fn options(self) -> WriterOptions {
        match self {
            Setting::Recorder => WriterOptions::default(),
            // crates/recount-capture/src/packed/writer.rs
            Setting::Pack => WriterOptions { sync: Sync::None, len_chunk: 16 << 20, level: 9, tail: false },
        }
    }

    fn name(self) -> &'static str {
        match self {
            Setting::Recorder => "recorder",
            Setting::Pack => "pack",
        }
    }
}

/// A directory in memory, so that no disk is measured.
fn memory_directory() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    if shared.is_dir() { shared } else { bench_data::directory() }
}

/// Path of the log for the cases that read.
pub(crate) fn log_path(input: Input, setting: Setting) -> PathBuf {
    input.path_of(&format!("{}.rcap", setting.name()))
}

/// Writes all samples to a log in memory, and keeps a copy below `target/bench-data`.
pub(crate) fn write_log(input: Input, setting: Setting) -> Result<Measured> {
    let mut blocks = input.blocks()?;
    let folder = tempfile::tempdir_in(memory_directory())?;
    let path = folder.path().join("log.rcap");
    let begun = Instant::now();
    let mut writer = LogWriter::create(&path, setting.options())?;
    begin(&mut writer, SEED)?;
    let (mut len_raw, mut num_samples) = (0, 0_u64);
    while let Some((time, block)) = blocks.next()? {
        writer.block(time, block)?;
        len_raw += block.len();
        num_samples += 1;
    }
    let len_file = writer.finish()?;
    let elapsed = begun.elapsed();
    let kept = log_path(input, setting);
    fs::create_dir_all(bench_data::directory())?;
    fs::copy(&path, &kept)?;

    let mut measured = Measured::default();
    measured.set_time("seconds", elapsed);
    measured.set("raw bytes", len_raw as f64);
    measured.set("samples", num_samples as f64);
    measured.set("bytes", len_file as f64);
    Ok(measured)
}

/// Where a compressed copy of the raw blocks is kept.
pub(crate) fn zstd_path(input: Input, level: i32) -> PathBuf {
    input.path_of(&format!("{level}.zst"))
}

/// Compresses all raw blocks in one frame.
pub(crate) fn zstd(input: Input, level: i32) -> Result<Measured> {
    let path = zstd_path(input, level);
    fs::create_dir_all(bench_data::directory())?;
    // The command knows the length in advance, and the sizes should match its.
    let mut len_raw = 0;
    let mut blocks = input.blocks()?;
    while let Some((_, block)) = blocks.next()? {
        len_raw += block.len();
    }
    let mut blocks = input.blocks()?;
    let begun = Instant::now();
    let mut encoder = encoder(File::create(&path)?, level, len_raw)?;
    while let Some((_, block)) = blocks.next()? {
        encoder.write_all(block)?;
    }
    let file = encoder.finish()?;
    let elapsed = begun.elapsed();
    let mut measured = Measured::default();
    measured.set_time("seconds", elapsed);
    measured.set("raw bytes", len_raw as f64);
    measured.set("bytes", file.metadata()?.len() as f64);
    Ok(measured)
}

/// A compressor as the command of these levels is: 19 with matches as far back as `--long=27` finds them.
pub(crate) fn encoder<W: Write>(out: W, level: i32, len_raw: usize) -> Result<Encoder<'static, W>> {
    let mut encoder = Encoder::new(out, level)?;
    encoder.set_pledged_src_size(Some(len_raw as u64))?;
    if level == LEVEL_SMALL {
        encoder.long_distance_matching(true)?;
        encoder.window_log(27)?;
    }
    Ok(encoder)
}

/// `zstd -3`, its default.
pub(crate) const LEVEL_QUICK: i32 = 3;
/// `zstd -19 --long=27`.
pub(crate) const LEVEL_SMALL: i32 = 19;
