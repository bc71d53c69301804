//! Opening captures of any format, recognised by content.

pub(crate) mod capture_id;
pub(crate) mod error;
pub(crate) mod options;
pub(crate) mod zoned;

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_capture::{CaptureError, Log, open_with_marks};
use recount_model::{Content, FindingKind, Health, Mark, NameTable, Source};
use recount_pcp::{archives_among, find_archive, is_companion};
use recount_pcq::SessionDirectory;
use recount_tables::InputFile;

use crate::files::archive_files::{Opened, open_archive, open_plain, without_meta};
use crate::files::content::{STDIO, session_stream};
use crate::files::table_directory::find_tables;
use crate::formats::{CAPTURE_LOG, NamedContent, PCP_ARCHIVE, open_tables, source_of};
use crate::open::zoned::in_zone;
use crate::pack::unpack_content;
use crate::repeats::Comparisons;
use crate::{Format, OpenError, OpenOptions};

/// An open capture: its samples are known, but none is decoded yet. Cloning it is cheap.
#[derive(Clone)]
#[non_exhaustive]
pub struct Capture {
    /// The file, or the files of a series of raw dumps, as the caller named them.
    pub names: Vec<String>,
    /// Its format.
    pub format: &'static Format,
    /// Its samples: their times, and a description of the machine. Values come from [`Capture::batches`].
    pub source: Arc<dyn Source>,
    /// Findings of the opening: files of its directory that aren't captures, an unknown zone, names without an English
    /// equivalent.
    pub notes: Health,
    /// The id in a log's header.
    pub(crate) log_id: Option<[u8; 16]>,
    /// What it shares with others, as far as it has been asked for.
    pub(crate) comparisons: Comparisons,
}

impl Capture {
    pub(crate) fn new(names: Vec<String>, format: &'static Format, source: Arc<dyn Source>) -> Capture {
        let comparisons = Comparisons::default();
        Capture { names, format, source, notes: Health::default(), log_id: None, comparisons }
    }

    /// The capture with English names of objects and counters, whatever its language. Unknown names stay,
    /// with a note in [`Capture::health`].
    pub fn in_english(mut self) -> Capture {
        let (source, note) = recount_names::in_english(&self.source);
        self.notes.absorb(note);
        Capture { source, ..self }
    }

    /// The damage found when it was opened.
    pub fn health(&self) -> Health {
        let mut health = self.notes.clone();
        health.absorb(self.source.health().clone());
        health
    }

    /// Marked times, ascending, including those that wait next to a log for its recorder.
    pub fn marks(&self) -> &[Mark] {
        &self.source.info().marks
    }

    /// All names in one string.
    pub fn name(&self) -> String {
        match self.names.as_slice() {
            [first, .., last] => format!("{first} .. {last} ({} files)", self.names.len()),
            names => names.concat(),
        }
    }
}

/// Who may read what is made from captures: nobody who may not read them.
pub fn access_of(captures: &[Capture]) -> recount_output::Access {
    recount_output::Access::of(captures.iter().flat_map(|capture| &capture.names))
}

/// Opens one capture: a file, or a directory that is one (tables, a session, the dumps of one machine). The format is
/// recognised by content. [`open_all`] and [`open_with`] open several.
///
/// It is an error if the path can't be read, if it holds no capture or several, or if nothing in it can be read.
/// [`Capture::health`] reports lesser damage.
pub fn open(path: impl AsRef<Path>) -> Result<Capture, OpenError> {
    let path = path.as_ref();
    only(path.display().to_string(), open_all(&[path.to_path_buf()], &NameTable::new())?)
}

/// Opens a capture that is in memory. Messages call it `name`. It fails as [`open`] does.
pub fn open_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Capture, OpenError> {
    open_bytes_with(name, bytes, &OpenOptions::default())
}

/// Like [`open_bytes`], with options for facts that the capture doesn't state.
pub fn open_bytes_with(
    name: impl Into<String>,
    bytes: Vec<u8>,
    options: &OpenOptions,
) -> Result<Capture, OpenError> {
    let name = name.into();
    let mut opening = Opening::new(options);
    if Log::recognise(&bytes) {
        opening.log(name.clone(), Log::open(Box::new(bytes)))?;
    } else {
        opening.content(name.clone(), Arc::new(bytes))?;
    }
    only(name, opening.finish()?)
}

/// Opens a capture by reading all of it into memory. Messages call it `name`.
pub fn open_reader(
    name: impl Into<String>,
    mut reader: impl io::Read + io::Seek,
) -> Result<Capture, OpenError> {
    let name = name.into();
    let mut bytes = Vec::new();
    let read = reader.rewind().and_then(|()| reader.read_to_end(&mut bytes));
    read.map_err(|source| OpenError::Io { name: name.clone(), source })?;
    open_bytes(name, bytes)
}

fn only(name: String, mut captures: Vec<Capture>) -> Result<Capture, OpenError> {
    let count = captures.len();
    match captures.pop() {
        Some(capture) if count == 1 => Ok(capture),
        _ => Err(OpenError::Several { name, count }),
    }
}

/// Opens captures: files, directories of files, and `-` for standard input. Tables in a directory (the layout by objects,
/// partitions) are one capture.
///
/// Raw dumps of one machine form one capture; any other file is a separate capture. Files of a directory that aren't
/// captures are skipped, with a note. `names` supplies the names of objects and counters in raw dumps.
pub fn open_all(paths: &[PathBuf], names: &NameTable) -> Result<Vec<Capture>, OpenError> {
    open_with(paths, &OpenOptions::with_names(names.clone()))
}

/// Like [`open_all`], with options for facts that captures don't state.
pub fn open_with(paths: &[PathBuf], options: &OpenOptions) -> Result<Vec<Capture>, OpenError> {
    let mut opening = Opening::new(options);
    let mut known = HashSet::new();
    for path in paths {
        // Inputs without a canonical path, such as standard input, fail or succeed below.
        if path.canonicalize().is_ok_and(|real| !known.insert(real)) {
            return Err(OpenError::Twice { name: path.display().to_string() });
        }
        let tables =
            find_tables(path).map_err(|source| OpenError::Io { name: path.display().to_string(), source })?;
        if let Some(files) = tables {
            opening.tables(path.display().to_string(), files)?;
        } else if let Some(session) = session_at(path)? {
            opening.session(path, &session)?;
        } else if path.is_dir() {
            opening.directory(path)?;
        } else {
            opening.file(path)?;
        }
    }
    opening.finish()
}

/// Opens bytes of any format but a log.
pub(crate) fn open_content_as(
    name: String,
    content: Arc<dyn Content>,
    options: &OpenOptions,
) -> Result<Vec<Capture>, OpenError> {
    let mut opening = Opening::new(options);
    opening.content(name, content)?;
    opening.finish()
}

struct Opening<'a> {
    options: &'a OpenOptions,
    captures: Vec<Capture>,
    /// Files of series, by format and name of the series.
    series: BTreeMap<(&'static str, String), Series>,
    /// Base names of archives in directories that can't be read.
    left_out: HashSet<PathBuf>,
    notes: Health,
    /// Whether the current files come from a directory, and weren't named one by one.
    is_in_directory: bool,
    /// The first of them that can't be read.
    unreadable: Option<OpenError>,
}

/// Files that are opened together.
struct Series {
    format: &'static Format,
    files: Vec<NamedContent>,
    is_in_directory: bool,
}

impl<'a> Opening<'a> {
    fn new(options: &'a OpenOptions) -> Opening<'a> {
        Opening {
            options,
            captures: Vec::new(),
            series: BTreeMap::new(),
            left_out: HashSet::new(),
            notes: Health::default(),
            is_in_directory: false,
            unreadable: None,
        }
    }

    /// The files in a directory, by name, without hidden ones.
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
        Self::leave_companions(path, &mut inside);
        let mut num_captures = 0;
        self.is_in_directory = true;
        for file in inside {
            match self.file(&file) {
                Ok(()) => num_captures += 1,
                Err(OpenError::Unknown { .. }) if self.has_names(&file) => {}
                Err(error) if error.is_no_capture() => {
                    self.notes.note(FindingKind::Odd, None, format!("skipped: {error}"));
                }
                Err(error) => self.leave_out(error),
            }
        }
        self.is_in_directory = false;
        if num_captures == 0 {
            let nothing = || OpenError::EmptyDirectory { name: path.display().to_string() };
            return Err(self.unreadable.take().unwrap_or_else(nothing));
        }
        Ok(())
    }

    /// Removes the files that recorders of PCP keep next to their archives, which are no captures.
    fn leave_companions(directory: &Path, files: &mut Vec<PathBuf>) {
        let name = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let names: Vec<String> = files.iter().filter_map(name).collect();
        if !archives_among(directory, names.iter().map(String::as_str)).is_empty() {
            files.retain(|path| !name(path).is_some_and(|name| is_companion(&name)));
        }
    }

    /// One unreadable file doesn't prevent reading the others of its directory.
    fn leave_out(&mut self, error: OpenError) {
        self.notes.note(FindingKind::Dropped, None, format!("left out: {error}; {}", error.hint()));
        self.unreadable.get_or_insert(error);
    }

    /// Whether the names of objects and counters were read from a file.
    fn has_names(&self, file: &Path) -> bool {
        let is_same =
            |other: &PathBuf| matches!((file.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b);
        self.options.name_files.iter().any(is_same)
    }

    /// A directory of MS-PCQ buffers.
    fn session(&mut self, path: &Path, session: &SessionDirectory) -> Result<(), OpenError> {
        for file in session.left_aside() {
            self.notes.note(FindingKind::Odd, None, format!("skipped: {}", file.display()));
        }
        let name = path.display().to_string();
        let stream = session_stream(session);
        self.content(name.clone(), stream.map_err(|source| OpenError::Io { name, source })?)
    }

    /// The files of one input of tables.
    fn tables(&mut self, name: String, files: Vec<InputFile>) -> Result<(), OpenError> {
        let (format, source) = open_tables(files);
        let source = source.map_err(|source| OpenError::format(&name, format, source))?;
        self.captures.push(Capture::new(vec![name], format, source));
        Ok(())
    }

    /// Adds the archive that a path names, by its base name or one of its files; only once, however often it is named.
    /// Returns whether the path names one.
    fn archive(&mut self, path: &Path) -> Result<bool, OpenError> {
        if path.as_os_str() == STDIO {
            return Ok(false);
        }
        let failed = |source| OpenError::Io { name: path.display().to_string(), source };
        let Some(archive) = find_archive(path).map_err(failed)? else {
            return without_meta(path).map_err(failed)?.map_or(Ok(false), Err);
        };
        let key = (PCP_ARCHIVE.name(), archive.base.display().to_string());
        if self.series.contains_key(&key) || self.left_out.contains(&archive.base) {
            return Ok(true);
        }
        match open_archive(&archive, &mut self.notes)? {
            Opened::Archive(files) => {
                let series = Series { format: &PCP_ARCHIVE, files, is_in_directory: self.is_in_directory };
                self.series.insert(key, series);
                Ok(true)
            }
            Opened::NoMeta(error) if self.is_in_directory => {
                self.left_out.insert(archive.base);
                self.leave_out(error);
                Ok(true)
            }
            Opened::NoMeta(error) => Err(error),
            Opened::Other => Ok(false),
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), OpenError> {
        let name = path.display().to_string();
        let failed = |source| OpenError::Io { name: name.clone(), source };
        if self.archive(path)? {
            return Ok(());
        }
        // A log isn't mapped: its writer may cut it while it is read.
        if let Some(file) = open_log_file(path).map_err(failed)? {
            return self.log(name, open_with_marks(path, &file));
        }
        let content = open_plain(path, &mut self.notes).map_err(failed)?;
        if Log::recognise(content.bytes()) {
            let log = Log::open(Box::new(content.bytes().to_vec()));
            return self.log(name, log);
        }
        self.content(name, content)
    }

    fn log(&mut self, name: String, log: Result<Log, CaptureError>) -> Result<(), OpenError> {
        let failed = |source: CaptureError| OpenError::format(&name, &CAPTURE_LOG, source.into());
        let log = log.map_err(failed)?;
        let mut found = log.health().clone();
        if let Some(packed) = unpack_content(&log, &mut found).map_err(failed)? {
            self.notes.absorb(found);
            return self.content(name, packed);
        }
        let log_id = log.capture_id();
        let source = source_of(log).map_err(failed)?;
        self.captures.push(Capture { log_id, ..Capture::new(vec![name], &CAPTURE_LOG, source) });
        Ok(())
    }

    fn content(&mut self, name: String, content: Arc<dyn Content>) -> Result<(), OpenError> {
        let bytes = content.bytes();
        let format = Format::recognise(bytes).ok_or_else(|| OpenError::unknown(&name, bytes))?;
        let failed = |source| OpenError::format(&name, format, source);
        if let Some(series) = format.series(bytes).map_err(failed)? {
            let is_in_directory = self.is_in_directory;
            let empty = || Series { format, files: Vec::new(), is_in_directory };
            let series = self.series.entry((format.name(), series)).or_insert_with(empty);
            series.files.push((name, content));
            return Ok(());
        }
        let source = format.open(vec![(name.clone(), content)], self.options).map_err(failed)?;
        self.captures.push(Capture::new(vec![name], format, source));
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Capture>, OpenError> {
        for Series { format, files, is_in_directory } in std::mem::take(&mut self.series).into_values() {
            let found: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
            match format.open(files, self.options) {
                Ok(source) => self.captures.push(Capture::new(found, format, source)),
                Err(source) => {
                    let error = OpenError::format(&found.join(", "), format, source);
                    if !is_in_directory {
                        return Err(error);
                    }
                    self.leave_out(error);
                }
            }
        }
        if let Some(error) = self.unreadable.take_if(|_| self.captures.is_empty()) {
            return Err(error);
        }
        if let Some(first) = self.captures.first_mut() {
            first.notes = self.notes;
        }
        for capture in &mut self.captures {
            if let Some(zone) = &self.options.zone {
                capture.source = in_zone(Arc::clone(&capture.source), zone.rules(), &mut capture.notes);
            }
            if capture.source.info().is_zone_unknown {
                let what = "no time zone recorded: times are local, not UTC. Set it with --zone";
                capture.notes.note(FindingKind::Time, None, what);
            }
        }
        Ok(self.captures)
    }
}

fn session_at(path: &Path) -> Result<Option<SessionDirectory>, OpenError> {
    SessionDirectory::open(path).map_err(|source| OpenError::Io { name: path.display().to_string(), source })
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

/// Whether a path means standard input or output (`-`).
pub fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == crate::files::content::STDIO
}
