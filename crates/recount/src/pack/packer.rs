//! Packs a file into a log.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp as Time;
use recount_capture::{CaptureError, Log, PackWriter, PackedFile, PackedLog, check_packed};
use recount_compute::{Cancelled, OnProgress, unwatched};
use recount_model::Content;
use recount_output::{Access, Aside};

use super::PackError;
use super::parts::{PartSplit, Parts, Structure};
use crate::files::archive_files::is_archive;
use crate::files::content::{STDIO, open_content};
use crate::files::guarded::BecameShorter;
use crate::{Format, is_stdio};

/// The extension of logs.
const EXTENSION: &str = "rcap";

/// A file that was packed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packed {
    /// The log.
    pub path: PathBuf,
    /// The file's format; `None` if recount doesn't read it.
    pub format: Option<&'static Format>,
    /// Bytes of the file.
    pub len_file: u64,
    /// Bytes of the log.
    pub len_packed: u64,
    /// Number of records into which the file was split.
    pub num_parts: u64,
}

/// Packs a file of any kind into a capture log, from which [`unpack`](crate::unpack) restores it byte for byte.
///
/// Captures are split along their structure, which makes them small, and can be opened from the log like the file
/// itself. The log is written to a temporary file, read back and compared, and only then renamed. The default `output`
/// is the file's path with the extension `.rcap`. `progress` is called with the number of bytes read;
/// if it breaks, no log is left.
pub fn pack(
    path: &Path,
    output: Option<&Path>,
    force: bool,
    progress: OnProgress<'_, u64>,
) -> Result<Packed, PackError> {
    let name = path.display().to_string();
    let input = |source| PackError::Input { name: name.clone(), source };
    let output = match output {
        Some(output) => output.to_path_buf(),
        None if is_stdio(path) => return Err(PackError::NoName),
        None => path.with_extension(EXTENSION),
    };
    if !is_stdio(path) {
        let kind = match path.is_dir() {
            true => Some("a directory"),
            false if path.exists() => None,
            false => is_archive(path).map_err(input)?.then_some("the base name of a PCP archive"),
        };
        if let Some(kind) = kind {
            return Err(PackError::NotOneFile { name, kind });
        }
    }
    let content = open_content(path).map_err(input)?;
    if Log::recognise(content.bytes()) {
        return Err(PackError::AlreadyLog { name });
    }
    let format = Format::recognise(content.bytes());
    let file = PackedFile {
        name: Some(file_name(path)),
        len: Some(content.bytes().len() as u64),
        format: format.map(ToString::to_string),
        crc: None,
        modified: modified(path),
    };
    let access_of = (!is_stdio(path)).then_some(path);
    let job = Job { content, file, name, access_of, progress };
    let structure = format.map_or(Structure::Plain, |format| format.structure(job.content.bytes()));
    let (aside, written) = job.write_proven(&output, force, structure)?;
    if job.content.is_lost() {
        let source = io::Error::new(io::ErrorKind::InvalidData, BecameShorter);
        return Err(PackError::Input { name: job.name, source });
    }
    aside.into_place()?;
    Ok(Packed { path: output, format, len_file: job.len(), ..written })
}

/// Packs bytes as a file of this name. The log is as private as `like`.
pub(crate) fn pack_content(
    content: Arc<dyn Content>,
    name: String,
    output: &Path,
    force: bool,
    like: &Path,
) -> Result<(), PackError> {
    let format = Format::recognise(content.bytes());
    let file = PackedFile {
        name: Some(name.clone()),
        len: Some(content.bytes().len() as u64),
        format: format.map(ToString::to_string),
        crc: None,
        modified: None,
    };
    let structure = format.map_or(Structure::Plain, |format| format.structure(content.bytes()));
    let job = Job { content, file, name, access_of: Some(like), progress: &unwatched };
    let (aside, _) = job.write_proven(output, force, structure)?;
    aside.into_place()?;
    Ok(())
}

struct Job<'a> {
    content: Arc<dyn Content>,
    file: PackedFile,
    name: String,
    /// The file, if it has a name: its log is as private.
    access_of: Option<&'a Path>,
    progress: OnProgress<'a, u64>,
}

impl Job<'_> {
    fn len(&self) -> u64 {
        self.content.bytes().len() as u64
    }

    /// Writes the log and reads it back.
    fn write_proven(
        &self,
        output: &Path,
        force: bool,
        structure: Structure,
    ) -> Result<(Aside, Packed), PackError> {
        let access = self.access_of.map(Access::of_copy).unwrap_or_default();
        let aside = Aside::new(output, force, &access)?;
        let failed = |error: CaptureError| match error {
            CaptureError::Io(source) => PackError::Output(aside.failed(source)),
            source => PackError::Log { name: output.display().to_string(), source },
        };
        let PackedLog { file, num_parts, len: len_packed } = match self.write(aside.file()?, structure) {
            Ok(written) => written?,
            // If a chunk doesn't read back, at worst the splitting is at fault: the file is then packed without it.
            Err(error) if structure != Structure::Plain && !is_of_the_disk(&error) => {
                drop(aside);
                return self.write_proven(output, force, Structure::Plain);
            }
            Err(error) => return Err(failed(error)),
        };
        let log = Log::open(Box::new(aside.file()?)).map_err(failed)?;
        let what = match PackedFile::of(&log) {
            Some(read) if read == file => check_packed(&log, &read).map_err(failed)?,
            _ => Some("the facts are others".to_owned()),
        };
        if let Some(what) = what {
            return Err(PackError::NotProven { name: self.name.clone(), what });
        }
        let path = output.to_path_buf();
        Ok((aside, Packed { path, format: None, len_file: self.len(), len_packed, num_parts }))
    }

    fn write(&self, out: File, structure: Structure) -> Result<Result<PackedLog, Cancelled>, CaptureError> {
        let bytes = self.content.bytes();
        let mut writer = PackWriter::new(out, self.file.clone(), bytes)?;
        let (mut ofs_released, mut pieces) = (0, Vec::new());
        let mut split = PartSplit::default();
        for part in Parts::new(bytes, structure) {
            split.split(&part, bytes, &mut pieces);
            writer.part(part.range.len(), &pieces)?;
            if let Err(cancelled) = Cancelled::check((self.progress)(part.range.len() as u64)) {
                return Ok(Err(cancelled));
            }
            if part.range.end - ofs_released >= PackWriter::LEN_CHUNK {
                self.content.release(ofs_released..part.range.end);
                ofs_released = part.range.end;
            }
        }
        writer.finish().map(Ok)
    }
}

/// Whether an error comes from the system: splitting the file differently can't help.
fn is_of_the_disk(error: &CaptureError) -> bool {
    matches!(error, CaptureError::Io(error) if error.raw_os_error().is_some())
}

fn file_name(path: &Path) -> String {
    match path.file_name() {
        Some(name) if !is_stdio(path) => name.to_string_lossy().into_owned(),
        _ => STDIO.to_owned(),
    }
}

/// When a file was changed last, to the 100 ns.
fn modified(path: &Path) -> Option<Time> {
    let time = if is_stdio(path) { None } else { path.metadata().ok()?.modified().ok() }?;
    let nanos = Time::try_from(time).ok()?.as_nanosecond();
    Time::from_nanosecond(nanos - nanos.rem_euclid(100)).ok()
}
