//! Opening captures of any format, recognised by content.

mod bundled;
pub(crate) mod capture_id;
mod clr;
mod directory;
pub(crate) mod error;
mod foreign;
mod given;
mod joined;
pub(crate) mod options;
mod place;
mod shifted;
mod since_start;
pub(crate) mod zoned;

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_capture::{CaptureError, Log, open_with_marks};
use recount_model::{Content, FindingKind, Health, Mark, NameTable, Source};
use recount_pcp::find_archive;
use recount_pcq::SessionDirectory;
use recount_tables::InputFile;

use crate::files::archive_files::{Opened, open_archive, open_plain, without_meta};
use crate::files::bundle::{Bundle, file_of};
use crate::files::content::{Pieces, STDIO};
use crate::files::spool::unpacked_content;
use crate::formats::{BLG, CAPTURE_LOG, NamedContent, PCP_ARCHIVE, open_tables, source_of};
use crate::open::place::{Disk, Place};
use crate::open::since_start::since_start;
use crate::open::zoned::in_zone;
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
    /// Whether it has English names that aren't its own.
    pub(crate) is_renamed: bool,
    /// Whether it begins epochs because other captures of its recording do.
    pub(crate) is_parted: bool,
    /// What it shares with others, as far as it has been asked for.
    pub(crate) comparisons: Comparisons,
}

impl Capture {
    pub(crate) fn new(names: Vec<String>, format: &'static Format, source: Arc<dyn Source>) -> Capture {
        let comparisons = Comparisons::default();
        let notes = Health::default();
        Capture {
            names,
            format,
            source,
            notes,
            log_id: None,
            is_renamed: false,
            is_parted: false,
            comparisons,
        }
    }

    /// The capture with English names of objects and counters, whatever its language. Unknown names stay,
    /// with a note in [`Capture::health`].
    pub fn in_english(mut self) -> Capture {
        let (source, note) = recount_names::in_english(&self.source);
        self.notes.absorb(note);
        let is_renamed = self.is_renamed || !Arc::ptr_eq(&source, &self.source);
        Capture { source, is_renamed, ..self }
    }

    /// Whether [`Capture::in_english`] has changed names of it.
    pub fn is_renamed(&self) -> bool {
        self.is_renamed
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

    /// Its files; of a member of a bundle, the bundle.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.names.iter().map(|name| file_of(name))
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
    recount_output::Access::of(captures.iter().flat_map(Capture::files))
}

/// Opens one capture: a file, or a directory that is one (tables, a session, the dumps of one machine that follow each other). The format is
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
/// Raw dumps of one machine form one capture, unless they overlap; any other file is a separate capture. Files of a directory that aren't
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
        if path.is_dir() {
            opening.input_directory(&Disk, path)?;
        } else {
            opening.file(path)?;
        }
    }
    opening.finish()
}

pub use given::open_given;

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

/// Opens bytes of any format, a log too, as one capture.
pub(crate) fn open_plain_as(name: String, content: Arc<dyn Content>) -> Result<Capture, OpenError> {
    let options = OpenOptions::default();
    let mut opening = Opening::new(&options);
    opening.plain(name.clone(), content)?;
    only(name, opening.finish()?)
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

    /// One unreadable file doesn't prevent reading the others of its directory.
    fn leave_out(&mut self, error: OpenError) {
        let what = format!("left out: {}; {}", error.without_name(), error.hint());
        self.notes.note_of(error.name(), FindingKind::Dropped, what);
        self.unreadable.get_or_insert(error);
    }

    /// A directory that was named.
    fn input_directory(&mut self, place: &dyn Place, path: &Path) -> Result<(), OpenError> {
        if self.capture_of_folder(place, path)? { Ok(()) } else { self.directory(place, path) }
    }

    /// A directory of MS-PCQ buffers.
    fn session(
        &mut self,
        place: &dyn Place,
        path: &Path,
        session: &SessionDirectory,
    ) -> Result<(), OpenError> {
        for file in session.left_aside() {
            self.notes.note_of(
                &file.display().to_string(),
                FindingKind::Odd,
                "skipped: no buffer of a session",
            );
        }
        let name = path.display().to_string();
        let stream = place.stream(session);
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
        let opened = open_archive(&archive, &open_plain, &mut self.notes)?;
        self.take_archive(key, archive.base, opened)
    }

    /// Takes the files of what may be an archive; returns whether it is one.
    fn take_archive(
        &mut self,
        key: (&'static str, String),
        base: PathBuf,
        opened: Opened,
    ) -> Result<bool, OpenError> {
        match opened {
            Opened::Archive(files) => {
                let series = Series { format: &PCP_ARCHIVE, files, is_in_directory: self.is_in_directory };
                self.series.insert(key, series);
                Ok(true)
            }
            Opened::NoMeta(error) if self.is_in_directory => {
                self.left_out.insert(base);
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
        self.plain(name, content)
    }

    /// Content that isn't compressed, of any format.
    fn plain(&mut self, name: String, content: Arc<dyn Content>) -> Result<(), OpenError> {
        if Log::recognise(content.head()) {
            return self.log(name, Log::open(Box::new(Pieces(content))));
        }
        match Bundle::recognise(content.head()) {
            Some(kind) => self.bundle(name, kind, &content),
            None => self.content(name, content),
        }
    }

    fn log(&mut self, name: String, log: Result<Log, CaptureError>) -> Result<(), OpenError> {
        let failed = |source: CaptureError| OpenError::format(&name, &CAPTURE_LOG, source.into());
        let log = log.map_err(failed)?;
        let mut found = log.health().clone();
        if let Some(packed) = unpacked_content(&log, &mut found).map_err(failed)? {
            self.notes.absorb(found.of_capture(&name.as_str().into()));
            return self.content(name, packed);
        }
        let log_id = log.capture_id();
        let source = source_of(log).map_err(failed)?;
        self.captures.push(Capture { log_id, ..Capture::new(vec![name], &CAPTURE_LOG, source) });
        Ok(())
    }

    fn content(&mut self, name: String, content: Arc<dyn Content>) -> Result<(), OpenError> {
        let mut format = Format::recognise(content.head());
        if content.head().len() < content.len() && format.is_none_or(|format| *format != BLG) {
            format = Format::recognise(content.bytes());
        }
        let format = format.ok_or_else(|| OpenError::unknown(&name, content.bytes()))?;
        let failed = |source| OpenError::format(&name, format, source);
        if let Some(series) = format.series(&*content).map_err(failed)? {
            let is_in_directory = self.is_in_directory;
            let empty = || Series { format, files: Vec::new(), is_in_directory };
            let series = self.series.entry((format.name(), series)).or_insert_with(empty);
            series.files.push((name, content));
            return Ok(());
        }
        let files = format.joined(&*content);
        if files.len() > 1 {
            return self.joined(&name, format, &content, &files);
        }
        let source = format.open(vec![(name.clone(), content)], self.options).map_err(failed)?;
        self.captures.push(Capture::new(vec![name], format, source));
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Capture>, OpenError> {
        for Series { format, files, is_in_directory } in std::mem::take(&mut self.series).into_values() {
            for files in format.captures(files) {
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
        }
        if let Some(error) = self.unreadable.take_if(|_| self.captures.is_empty()) {
            return Err(error);
        }
        if let Some(first) = self.captures.first_mut() {
            first.notes = self.notes;
        }
        let mut is_translated = self.options.translations.is_empty();
        for capture in &mut self.captures {
            if let Some(zone) = &self.options.zone {
                capture.source = in_zone(Arc::clone(&capture.source), zone.rules(), &mut capture.notes);
            }
            if !self.options.translations.is_empty() {
                let own = Arc::clone(&capture.source);
                let (source, notes) = recount_names::translated(Arc::clone(&own), &self.options.translations);
                capture.source = source;
                capture.notes.absorb(notes);
                is_translated |= !Arc::ptr_eq(&own, &capture.source);
            }
            capture.source = clr::joined(Arc::clone(&capture.source));
            if self.options.since_start {
                capture.source = since_start(Arc::clone(&capture.source));
            }
            if capture.source.info().is_zone_unknown {
                let what = "no time zone recorded: times are local, not UTC. Set it with --zone";
                capture.notes.note(FindingKind::Time, None, what);
            }
        }
        if let Some(first) = self.captures.first_mut().filter(|_| !is_translated) {
            let what = "no object or counter has one of the names in the file of names";
            first.notes.note(FindingKind::Odd, None, what.to_owned());
        }
        Ok(self.captures)
    }
}

/// The file, if it is an ordinary one and a capture log by its first bytes.
pub(crate) fn open_log_file(path: &Path) -> io::Result<Option<File>> {
    if is_stdio(path) { Ok(None) } else { recount_capture::open_log_file(path) }
}

/// Whether a path means standard input or output (`-`).
pub fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == crate::files::content::STDIO
}
