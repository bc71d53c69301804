//! Writes the contents of a log to a file.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use recount_capture::{
    CaptureError, PackedFile, RecordKind, UnpackedSort, names_text_of, open_log, safe_file_name,
    write_packed, write_raw_samples,
};
use recount_model::Health;
use recount_output::{Access, Aside};

use super::PackError;
use crate::is_stdio;

/// How to unpack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnpackOptions {
    /// Where to write, `-` for standard output. Default: in the directory of the log, a packed file under its original name,
    /// samples under the log's name with the extension `.bin`, messages with `.pcq`.
    pub output: Option<PathBuf>,
    /// Where to write the names of a log's objects and counters, as text.
    pub names: Option<PathBuf>,
    /// Replace files that exist.
    pub force: bool,
}

/// What was unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpacked {
    /// The file; `-`: standard output.
    pub path: PathBuf,
    /// Its length in bytes.
    pub len: u64,
    /// Its kind.
    pub sort: UnpackedSort,
    /// Samples that had to be left out.
    pub health: Health,
}

/// Writes what a capture log holds to a file.
///
/// A packed file is restored byte for byte, with its modification time. Its length and checksum are verified, and if
/// anything is missing, nothing is written. Recorded samples become a sequence of raw dumps; damaged ones are left out
/// and noted.
pub fn unpack(path: &Path, options: &UnpackOptions) -> Result<Unpacked, PackError> {
    let name = path.display().to_string();
    let log_error = |source| PackError::Log { name: name.clone(), source };
    let file = File::open(path).map_err(|source| PackError::Input { name: name.clone(), source })?;
    let log = open_log(&file).map_err(log_error)?;
    let packed = PackedFile::of(&log);
    let is_session = log.has_kind(RecordKind::MESSAGE) || log.has_kind(RecordKind::MESSAGE_SAMPLE);
    if packed.is_none() && !is_session && !log.has_kind(RecordKind::BLOCK) {
        return Err(PackError::Nothing { name });
    }
    let target = options.output.clone().unwrap_or_else(|| match &packed {
        Some(packed) => path.with_file_name(safe_file_name(packed.name.as_deref().unwrap_or_default())),
        None if is_session => path.with_extension("pcq"),
        None => path.with_extension("bin"),
    });
    let names = options
        .names
        .as_ref()
        .map(|names| Aside::new(names, options.force, &Access::of([path])))
        .transpose()?;
    let out = Out::new(&target, options.force, path)?;
    let mut health = log.health().clone();
    let file = out.file()?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    let sort = match &packed {
        Some(packed) => {
            let differs = write_packed(&log, packed, &mut writer).map_err(|error| out.error(&name, error))?;
            if let Some(what) = differs {
                return Err(PackError::Incomplete { name, what });
            }
            UnpackedSort::File
        }
        None => write_raw_samples(&log, &mut writer, &mut health).map_err(|error| out.error(&name, error))?,
    };
    let file = writer.into_inner().map_err(|error| out.failed(error.into_error()))?;
    let len = file.metadata().map_err(|source| out.failed(source))?.len();
    if let Some(time) = packed.and_then(|packed| packed.modified) {
        // The bytes are right without it, and a file system may not support such a time.
        let _ = file.set_modified(SystemTime::from(time));
    }
    out.into_place(file)?;
    if let Some(aside) = names {
        aside.file()?.write_all(names_text_of(&log).as_bytes()).map_err(|source| aside.failed(source))?;
        aside.into_place()?;
    }
    Ok(Unpacked { path: target, len, sort, health })
}

/// The output: a file, or standard output once everything has been compared.
enum Out {
    Aside(Aside),
    Stdout(File),
}

impl Out {
    /// The log isn't opened to others by what is taken out of it.
    fn new(target: &Path, force: bool, log: &Path) -> Result<Out, PackError> {
        if !is_stdio(target) {
            return Ok(Out::Aside(Aside::new(target, force, &Access::of_copy(log))?));
        }
        let file = tempfile::tempfile().map_err(stdout_error)?;
        Ok(Out::Stdout(file))
    }

    fn file(&self) -> Result<File, PackError> {
        match self {
            Out::Aside(aside) => Ok(aside.file()?),
            Out::Stdout(file) => file.try_clone().map_err(stdout_error),
        }
    }

    fn failed(&self, source: io::Error) -> PackError {
        match self {
            Out::Aside(aside) => PackError::Output(aside.failed(source)),
            Out::Stdout(_) => stdout_error(source),
        }
    }

    /// Assigns an error to the log or to the output.
    fn error(&self, name: &str, error: CaptureError) -> PackError {
        match error {
            CaptureError::Io(source) => self.failed(source),
            source => PackError::Log { name: name.to_owned(), source },
        }
    }

    fn into_place(self, mut file: File) -> Result<(), PackError> {
        match self {
            Out::Aside(aside) => aside.into_place().map(|_| ()).map_err(PackError::Output),
            Out::Stdout(_) => {
                file.rewind().map_err(stdout_error)?;
                let mut out = io::stdout().lock();
                io::copy(&mut file, &mut out).and_then(|_| out.flush()).map_err(stdout_error)
            }
        }
    }
}

fn stdout_error(source: io::Error) -> PackError {
    PackError::Input { name: "standard output".to_owned(), source }
}
