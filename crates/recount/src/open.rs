//! Opening captures of any format, recognised by content.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_blg::BlgSource;
use recount_blocks::perf_data::DataBlock;
use recount_blocks::{DumpSource, NameTable, SessionSource};
use recount_capture::{CaptureError, CaptureSource, Log, MessageSource, RecordKind};
use recount_compute::Feed;
use recount_model::{Content, FindingKind, Health, Mark};
use recount_tables::pdh_text::PdhText;
use recount_tables::{InputFile, ParquetTables};

use crate::OpenError;
use crate::content::open_content;
use crate::follow::open_with_marks;
use crate::pack::unpack_content;
use crate::session_directory::{SessionDirectory, read_session};
use crate::table_directory::find_tables;

/// A format that recount reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Windows performance log.
    Blg,
    /// Raw `PERF_DATA_BLOCK`s, one after the other.
    PerfDataBlock,
    /// Messages of MS-PCQ, one after the other, or a directory of its buffers.
    Session,
    /// PDH-CSV or PDH-TSV.
    PdhText,
    /// A capture log, or another capture packed in one.
    CaptureLog,
    /// Parquet tables that `recount convert` wrote.
    Parquet,
}

impl Format {
    /// The format of an input, by its first bytes; `None` if it is none that recount reads.
    pub fn recognise(bytes: &[u8]) -> Option<Format> {
        if DumpSource::recognise(bytes) {
            Some(Format::PerfDataBlock)
        } else if Log::recognise(bytes) {
            Some(Format::CaptureLog)
        } else if SessionSource::recognise(bytes) {
            Some(Format::Session)
        } else if ParquetTables::recognise(bytes) {
            Some(Format::Parquet)
        } else if PdhText::recognise(bytes) {
            Some(Format::PdhText)
        } else if BlgSource::recognise(bytes) {
            Some(Format::Blg)
        } else {
            None
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Blg => "Windows performance log (.blg)",
            Format::PerfDataBlock => "PERF_DATA_BLOCK dump",
            Format::Session => "MS-PCQ session (.pcq)",
            Format::PdhText => "PDH text (CSV or TSV)",
            Format::CaptureLog => "recount capture log (.rcap)",
            Format::Parquet => "Parquet tables",
        })
    }
}

/// A capture, opened.
#[derive(Clone)]
pub struct Capture {
    /// The file, or the files of a series of raw dumps, as named by the caller.
    pub names: Vec<String>,
    /// Its format.
    pub format: Format,
    /// Its samples.
    pub feed: Feed,
    /// What was left aside on the way to it: files of its directory that are no captures.
    pub notes: Health,
}

impl Capture {
    fn new(names: Vec<String>, format: Format, feed: Feed) -> Capture {
        Capture { names, format, feed, notes: Health::default() }
    }

    /// What was found amiss on opening it.
    pub fn health(&self) -> Health {
        let mut health = self.notes.clone();
        health.absorb(self.feed.health().clone());
        health
    }

    /// Times that somebody marked, ascending; those that wait beside a log for its recorder, too.
    pub fn marks(&self) -> &[Mark] {
        &self.feed.info().marks
    }

    /// The names in one text.
    pub fn name(&self) -> String {
        match self.names.as_slice() {
            [first, .., last] => format!("{first} .. {last} ({} files)", self.names.len()),
            names => names.concat(),
        }
    }
}

/// The names of the captures in one text.
pub fn names_of(captures: &[Capture]) -> String {
    captures.iter().map(Capture::name).collect::<Vec<_>>().join(", ")
}

/// What was found amiss on opening the captures.
pub fn health_of(captures: &[Capture]) -> Health {
    let mut health = Health::default();
    for capture in captures {
        health.absorb(capture.health());
    }
    health
}

/// The name and the bytes of a file.
type NamedContent = (String, Arc<dyn Content>);

/// Opens captures: files, directories of files, and `-` for standard input. Tables in a directory (the layout by objects,
/// partitions) are one capture.
///
/// Raw dumps among them are one capture per machine's series of dumps; any other file is a capture of its own. Files of a
/// directory that are no captures are left aside and noted. `names` gives raw dumps the names of their objects and
/// counters.
pub fn open(paths: &[PathBuf], names: &NameTable) -> Result<Vec<Capture>, OpenError> {
    let mut opening = Opening::default();
    for path in paths {
        let tables =
            find_tables(path).map_err(|source| OpenError::Io { name: path.display().to_string(), source })?;
        if let Some(files) = tables {
            opening.tables(path.display().to_string(), files)?;
        } else if let Some(session) = session_at(path)? {
            opening.session(path, session)?;
        } else if path.is_dir() {
            opening.directory(path)?;
        } else {
            opening.file(path)?;
        }
    }
    opening.finish(names)
}

/// Opens bytes that are no log.
pub(crate) fn open_bytes(
    name: String,
    content: Arc<dyn Content>,
    names: &NameTable,
) -> Result<Vec<Capture>, OpenError> {
    let mut opening = Opening::default();
    opening.content(name, content)?;
    opening.finish(names)
}

#[derive(Default)]
struct Opening {
    captures: Vec<Capture>,
    /// Raw dumps by host.
    dumps: BTreeMap<String, Vec<NamedContent>>,
    notes: Health,
}

impl Opening {
    /// The files in a directory, by name; hidden ones are none.
    fn directory(&mut self, path: &Path) -> Result<(), OpenError> {
        let error = |source| OpenError::Io { name: path.display().to_string(), source };
        let mut inside: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(path).map_err(error)? {
            let entry = entry.map_err(error)?.path();
            let is_hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if entry.is_file() && !is_hidden {
                inside.push(entry);
            }
        }
        inside.sort();
        let mut num_captures = 0;
        for file in inside {
            match self.file(&file) {
                Ok(()) => num_captures += 1,
                Err(error @ OpenError::Unknown { .. }) => {
                    self.notes.note(FindingKind::Odd, None, format!("left aside: {error}"));
                }
                Err(error) => return Err(error),
            }
        }
        if num_captures == 0 {
            return Err(OpenError::EmptyDirectory { name: path.display().to_string() });
        }
        Ok(())
    }

    /// A directory of MS-PCQ buffers.
    fn session(&mut self, path: &Path, session: SessionDirectory) -> Result<(), OpenError> {
        for file in &session.left_aside {
            self.notes.note(FindingKind::Odd, None, format!("left aside: {}", file.display()));
        }
        self.content(path.display().to_string(), session.into_stream())
    }

    /// The files of one input of tables.
    fn tables(&mut self, name: String, files: Vec<InputFile>) -> Result<(), OpenError> {
        let source = ParquetTables::open(files);
        let source =
            source.map_err(|source| OpenError::Tables { name: name.clone(), source: Box::new(source) })?;
        self.captures.push(Capture::new(vec![name], Format::Parquet, Feed::Cooked(Arc::new(source))));
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<(), OpenError> {
        let name = path.display().to_string();
        let failed = |source| OpenError::Io { name: name.clone(), source };
        // A log isn't mapped: its writer may cut it while it is read.
        if let Some(file) = open_log_file(path).map_err(failed)? {
            return self.log(name, open_with_marks(path, &file));
        }
        let content = open_content(path).map_err(failed)?;
        if Log::recognise(content.bytes()) {
            let log = Log::open(Box::new(content.bytes().to_vec()));
            return self.log(name, log);
        }
        self.content(name, content)
    }

    fn log(&mut self, name: String, log: Result<Log, CaptureError>) -> Result<(), OpenError> {
        let failed = |source| OpenError::CaptureLog { name: name.clone(), source };
        let log = log.map_err(failed)?;
        let mut found = log.health().clone();
        if let Some(packed) = unpack_content(&log, &mut found).map_err(failed)? {
            self.notes.absorb(found);
            return self.content(name, packed);
        }
        let feed = feed_of(log).map_err(failed)?;
        self.captures.push(Capture::new(vec![name], Format::CaptureLog, feed));
        Ok(())
    }

    fn content(&mut self, name: String, content: Arc<dyn Content>) -> Result<(), OpenError> {
        let bytes = content.bytes();
        let format = Format::recognise(bytes).ok_or_else(|| OpenError::unknown(&name, bytes))?;
        let feed = match format {
            Format::PerfDataBlock => {
                let block = DataBlock::parse(bytes, 0);
                let block = block
                    .map_err(|source| OpenError::Block { name: name.clone(), source: Box::new(source) })?;
                let host = block.system_name().to_lowercase();
                self.dumps.entry(host).or_default().push((name, content));
                return Ok(());
            }
            Format::Blg => {
                let source = BlgSource::open(content);
                Feed::Raw(Arc::new(source.map_err(|source| OpenError::Blg { name: name.clone(), source })?))
            }
            Format::Session => {
                let source = SessionSource::open(content);
                Feed::Raw(Arc::new(
                    source.map_err(|source| OpenError::Session {
                        name: name.clone(),
                        source: Box::new(source),
                    })?,
                ))
            }
            Format::Parquet => {
                let file = Path::new(&name).file_name().map(|file| file.to_string_lossy().into_owned());
                let file = InputFile {
                    // It stands for itself, whatever it is called.
                    path: String::new(),
                    name: file.unwrap_or_else(|| name.clone()),
                    content,
                };
                return self.tables(name, vec![file]);
            }
            // A log within a log: nobody packs one, and unpacking gives it back.
            Format::CaptureLog => return Err(OpenError::unknown(&name, bytes)),
            Format::PdhText => {
                let source = PdhText::open(content);
                Feed::Cooked(Arc::new(
                    source.map_err(|source| OpenError::PdhText { name: name.clone(), source })?,
                ))
            }
        };
        self.captures.push(Capture::new(vec![name], format, feed));
        Ok(())
    }

    fn finish(mut self, names: &NameTable) -> Result<Vec<Capture>, OpenError> {
        for dumps in self.dumps.into_values() {
            let files: Vec<String> = dumps.iter().map(|(name, _)| name.clone()).collect();
            let source = DumpSource::open(dumps, names.clone())
                .map_err(|source| OpenError::Block { name: files.join(", "), source: Box::new(source) })?;
            self.captures.push(Capture::new(files, Format::PerfDataBlock, Feed::Raw(Arc::new(source))));
        }
        if let Some(first) = self.captures.first_mut() {
            first.notes = self.notes;
        }
        Ok(self.captures)
    }
}

/// The samples of a log, whatever they are.
pub(crate) fn feed_of(log: Log) -> Result<Feed, CaptureError> {
    Ok(if log.has_kind(RecordKind::MESSAGE_SAMPLE) {
        Feed::Raw(Arc::new(MessageSource::new(log)?))
    } else {
        Feed::Raw(Arc::new(CaptureSource::new(log)?))
    })
}

fn session_at(path: &Path) -> Result<Option<SessionDirectory>, OpenError> {
    read_session(path).map_err(|source| OpenError::Io { name: path.display().to_string(), source })
}

/// The file, if it is an ordinary one and a capture log by its first bytes.
pub(crate) fn open_log_file(path: &Path) -> io::Result<Option<File>> {
    const LEN_LOOKED_AT: u64 = 64 << 10;
    if is_stdio(path) || !path.metadata()?.is_file() {
        return Ok(None);
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    (&file).take(LEN_LOOKED_AT).read_to_end(&mut bytes)?;
    Ok(Log::recognise(&bytes).then_some(file))
}

/// Whether a path stands for standard input or output.
pub fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == crate::content::STDIO
}
