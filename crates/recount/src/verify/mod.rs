//! Checks whether files are complete and sound, and whether two agree: for `recount verify`.

pub(crate) mod against;
pub(crate) mod directory;

use std::path::{Path, PathBuf};

use recount_capture::{CaptureError, Log, PackedFile, ReadAt, check_packed};
use recount_compute::{PipelineOptions, scan};
use recount_model::{FindingKind, Health};
use recount_pcp::find_archive;
use serde::Serialize;

use crate::files::archive_files::{open_plain, without_meta};
use crate::formats::CAPTURE_LOG;
use crate::open::{is_stdio, open_content_as, open_log_file, open_with};
use crate::{Capture, OpenError, OpenOptions, Timeline};

/// What a verification found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verified {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: String,
    /// Bytes.
    pub len_file: u64,
    /// Structure of a capture log; `None` for other formats.
    pub log: Option<VerifiedLog>,
    /// Samples.
    pub num_samples: usize,
    /// Number of findings.
    pub num_findings: u64,
    /// Findings, the first of each kind.
    pub findings: Vec<String>,
    /// The same.
    #[serde(skip)]
    pub health: Health,
}

/// What a capture log is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VerifiedLog {
    /// Version of its format.
    pub version: u16,
    /// The program that wrote it.
    pub writer: Option<String>,
    /// Whether it was closed.
    pub is_closed: bool,
    /// Frames.
    pub num_frames: u64,
    /// Records: samples, events, parts of a packed file.
    pub num_records: u64,
    /// Chunks of sealed records.
    pub num_chunks: u64,
    /// Records that are not sealed.
    pub num_unsealed: u64,
    /// Name of the file that is packed in it.
    pub packed: Option<String>,
}

/// Reads all of a file, or all files of a PCP archive. In a capture log every frame is checked, every chunk decoded,
/// and the index compared with the chunks; a packed file is reassembled and compared with its checksum. In other
/// captures every sample is decoded.
pub fn verify(path: &Path, options: &OpenOptions) -> Result<Verified, OpenError> {
    let name = path.display().to_string();
    let failed = |source| OpenError::Io { name: name.clone(), source };
    let archive = if is_stdio(path) { None } else { find_archive(path).map_err(failed)? };
    if let Some(archive) = archive {
        return verify_files(path, &archive.files, options);
    }
    let without_meta = if is_stdio(path) { None } else { without_meta(path).map_err(failed)? };
    if let Some(error) = without_meta {
        return Err(error);
    }
    // A log isn't mapped: its writer may cut it while it is read.
    if open_log_file(path).map_err(failed)?.is_some() {
        return verify_log(&name, &|| {
            let file = std::fs::File::open(path)?;
            Ok(Box::new(file))
        });
    }
    let mut found = Health::default();
    let content = open_plain(path, &mut found).map_err(failed)?;
    let len_file = content.bytes().len() as u64;
    if Log::recognise(content.bytes()) {
        return verify_log(&name, &|| Ok(Box::new(content.bytes().to_vec())));
    }
    let captures = open_content_as(name.clone(), content, options)?;
    Ok(verified_captures(name, &captures, len_file, found))
}

/// Verifies a directory that is one capture.
pub(crate) fn verify_whole(directory: &Path, options: &OpenOptions) -> Result<Verified, OpenError> {
    let failed = |source| OpenError::Io { name: directory.display().to_string(), source };
    let entries = std::fs::read_dir(directory).map_err(failed)?;
    let files: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    verify_files(directory, &files.map_err(failed)?, options)
}

/// Verifies a capture of several files.
fn verify_files(path: &Path, files: &[PathBuf], options: &OpenOptions) -> Result<Verified, OpenError> {
    let name = path.display().to_string();
    let captures = open_with(&[path.to_path_buf()], options)?;
    let len_of = |file: &PathBuf| Ok(file.metadata()?.len());
    let len_files: std::io::Result<u64> = files.iter().map(len_of).sum();
    let len_files = len_files.map_err(|source| OpenError::Io { name: name.clone(), source })?;
    Ok(verified_captures(name, &captures, len_files, Health::default()))
}

/// Decodes every sample.
fn verified_captures(name: String, captures: &[Capture], len_file: u64, mut health: Health) -> Verified {
    // Every sample is decoded, whether times can be compared or not.
    let timeline = Timeline::without_times(captures);
    health.absorb(timeline.health());
    health.absorb(scan(timeline.inputs(), &PipelineOptions::default(), |_| ()));
    let format = captures.first().map_or_else(String::new, |capture| capture.format.to_string());
    verified(name, format, len_file, num_samples(captures), None, health)
}

type OpenInput<'a> = &'a dyn Fn() -> std::io::Result<Box<dyn ReadAt>>;

fn verify_log(name: &str, input: OpenInput<'_>) -> Result<Verified, OpenError> {
    let failed = |source: CaptureError| OpenError::format(name, &CAPTURE_LOG, source.into());
    let input = || input().map_err(|error| failed(CaptureError::Io(error)));
    let found = recount_capture::verify(input()?).map_err(failed)?;
    let mut health = found.health;
    let log = Log::open(input()?).map_err(failed)?;
    let packed = PackedFile::of(&log);
    if let Some(packed) = &packed
        && let Some(what) = check_packed(&log, packed).map_err(failed)?
    {
        health.note(FindingKind::Damaged, None, format!("packed file: {what}"));
    }
    let is_sample = |record: &usize| log.record_info(*record).is_some_and(|(_, kind)| kind.is_sample());
    let num_samples = (0..log.num_records()).filter(is_sample).count();
    let format = CAPTURE_LOG.to_string();
    let log = VerifiedLog {
        version: found.version,
        writer: found.writer,
        is_closed: found.is_closed,
        num_frames: found.num_frames,
        num_records: found.num_records,
        num_chunks: found.num_chunks,
        num_unsealed: found.num_unsealed,
        packed: packed.map(|packed| packed.name.unwrap_or_default()),
    };
    Ok(verified(name.to_owned(), format, found.len_file, num_samples, Some(log), health))
}

fn verified(
    file: String,
    format: String,
    len_file: u64,
    num_samples: usize,
    log: Option<VerifiedLog>,
    health: Health,
) -> Verified {
    let findings = health.findings().iter().map(ToString::to_string).collect();
    Verified { file, format, len_file, log, num_samples, num_findings: health.total(), findings, health }
}

fn num_samples(captures: &[Capture]) -> usize {
    captures.iter().map(|capture| capture.source.times().len()).sum()
}
