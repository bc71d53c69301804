//! Writing a capture log, by the writer that a recorder uses, without waiting for the seconds to pass.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};
use recount_capture::{LogWriter, WriterOptions};
use recount_model::{Event, EventKind, Facts, Sink, Timestamp};

use crate::bench_data::directory;
use crate::generate::{GENERATOR_VERSION, SampleBlocks, sample_blocks};

/// `TotalByteLength`, `HeaderLength` and `NumObjectTypes` of a `PERF_DATA_BLOCK`
/// (`formats/perf-data-block.md#perf_data_block`).
const OFS_LEN_TOTAL: usize = 20;
const OFS_LEN_HEADER: usize = 24;
const OFS_NUM_OBJECTS: usize = 28;

/// How much was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratedCapture {
    /// Samples.
    pub num_samples: u64,
    /// Bytes of their blocks.
    pub len_raw: u64,
    /// Bytes of the log.
    pub len_file: u64,
}

/// The blocks of the samples of a seed, each with all objects, without end.
pub fn capture_blocks(seed: u64) -> impl Iterator<Item = Result<(Timestamp, Vec<u8>)>> {
    let (_, samples) = sample_blocks(seed);
    samples.map(|sample| {
        let sample = sample?;
        Ok((sample.time, merged(&sample)?))
    })
}

/// Writes a capture of this many seconds to a new file, like a recorder: facts, names, and one sample per
/// second.
pub fn generate_capture(
    path: &Path,
    num_samples: u64,
    seed: u64,
    options: WriterOptions,
) -> Result<GeneratedCapture> {
    let mut writer =
        LogWriter::create(path, options).with_context(|| format!("create {}", path.display()))?;
    begin(&mut writer, seed)?;
    let mut len_raw = 0;
    let mut last = Timestamp::default();
    for sample in capture_blocks(seed).take(num_samples as usize) {
        let (time, block) = sample?;
        writer.block(time, &block).with_context(|| format!("write {}", path.display()))?;
        len_raw += block.len() as u64;
        last = time;
    }
    writer.event(&event(last, EventKind::End))?;
    let len_file = writer.finish().with_context(|| format!("close {}", path.display()))?;
    Ok(GeneratedCapture { num_samples, len_raw, len_file })
}

/// Everything before the first sample: facts and names.
pub fn begin(sink: &mut dyn Sink, seed: u64) -> io::Result<()> {
    let (names, _) = sample_blocks(seed);
    let facts = [
        ("host", "WEB1"),
        ("os", "Windows Server 2022 (generated)"),
        ("time-zone-posix", "PST8PDT,M3.2.0,M11.1.0"),
        ("boot-time", "2026-03-01T20:00:00Z"),
    ];
    sink.facts(&Facts::from(facts.map(|(name, value)| (name.to_owned(), value.to_owned()))))?;
    sink.texts("009", &mut names.iter())
}

fn event(time: Timestamp, kind: EventKind) -> Event {
    Event { time, kind, extent: 0, count: 0, text: "generated".into() }
}

/// The objects of all blocks of a sample in one.
fn merged(sample: &SampleBlocks) -> Result<Vec<u8>> {
    let mut merged = Vec::with_capacity(sample.blocks.iter().map(Vec::len).sum());
    let mut num_objects = 0;
    for block in &sample.blocks {
        let len_header = field(block, OFS_LEN_HEADER)? as usize;
        let from = if merged.is_empty() { 0 } else { len_header };
        merged.extend_from_slice(block.get(from..).context("a block shorter than its header")?);
        num_objects += field(block, OFS_NUM_OBJECTS)?;
    }
    let len_total = u32::try_from(merged.len())?;
    set_field(&mut merged, OFS_LEN_TOTAL, len_total)?;
    set_field(&mut merged, OFS_NUM_OBJECTS, num_objects)?;
    Ok(merged)
}

fn field(block: &[u8], ofs: usize) -> Result<u32> {
    let bytes = block.get(ofs..).and_then(<[u8]>::first_chunk).context("a block shorter than its header")?;
    Ok(u32::from_le_bytes(*bytes))
}

fn set_field(block: &mut [u8], ofs: usize, value: u32) -> Result<()> {
    let bytes = block.get_mut(ofs..ofs + 4).context("a block shorter than its header")?;
    bytes.copy_from_slice(&value.to_le_bytes());
    Ok(())
}

/// Where the capture of a length is kept below `target/bench-data`. The version of the log's format isn't in the name:
/// old logs stay readable.
pub fn capture_path(num_samples: u64, seed: u64) -> PathBuf {
    directory().join(format!("capture-{num_samples}-seed{seed}-v{GENERATOR_VERSION}.rcap"))
}

/// Writes a capture under another name and renames it when it is complete.
pub fn generate_capture_whole(
    path: &Path,
    num_samples: u64,
    seed: u64,
    options: WriterOptions,
) -> Result<GeneratedCapture> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).with_context(|| format!("create {}", parent.display()))?;
    }
    let unfinished = path.with_extension("unfinished");
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let generated = generate_capture(&unfinished, num_samples, seed, options)?;
    fs::rename(&unfinished, path).with_context(|| format!("create {}", path.display()))?;
    Ok(generated)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use recount_capture::{CaptureError, Log, RecordKind};
    use recount_perf_data::DataBlock;

    use super::*;

    #[test]
    fn merged_blocks_hold_the_objects_of_all() {
        let (_, mut samples) = sample_blocks(3);
        let sample = samples.next().expect("endless").expect("generated");
        let merged = merged(&sample).expect("sound blocks");
        let block = DataBlock::parse(&merged, 0).expect("a sound block");
        let objects: Vec<_> = block.objects().collect::<Result<_, _>>().expect("sound objects");
        assert_eq!(objects.len(), 7);
        for (object, alone) in objects.iter().zip(&sample.blocks) {
            let alone = DataBlock::parse(alone, 0).expect("a sound block");
            let alone = alone.objects().next().expect("one").expect("sound");
            let num = |object: &recount_perf_data::Object<'_>| {
                object.instances().collect::<Result<Vec<_>, _>>().expect("sound instances").len()
            };
            assert_eq!(num(object), num(&alone));
        }
    }

    #[test]
    fn the_log_gives_back_every_block() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("day.rcap");
        let options = WriterOptions { len_chunk: 400_000, ..WriterOptions::default() };
        let generated = generate_capture_whole(&path, 12, 5, options).expect("written");
        let log = Log::open(Box::new(File::open(&path).expect("there"))).expect("a log");
        assert!(log.health().is_sound() && log.is_closed() && log.num_chunks() > 1);
        let mut expected = capture_blocks(5).take(12);
        let mut len_raw = 0;
        log.for_each_record(|record, bytes| {
            if log.record_info(record).expect("listed").1 == RecordKind::BLOCK {
                let (time, block) = expected.next().expect("as many").expect("generated");
                assert_eq!(log.record_info(record).expect("listed").0, time);
                assert!(bytes.expect("sound") == block, "record {record}");
                len_raw += block.len() as u64;
            }
            Ok::<(), CaptureError>(())
        })
        .expect("readable");
        assert!(expected.next().is_none());
        assert_eq!((len_raw, generated.num_samples), (generated.len_raw, 12));
        assert_eq!(generated.len_file, std::fs::metadata(&path).expect("there").len());
    }
}
