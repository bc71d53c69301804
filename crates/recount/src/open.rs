//! Opening captures of any format, recognised by content.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_blg::{BlgError, BlgSource};
use recount_blocks::perf_data::DataBlock;
use recount_blocks::{BlockError, DumpSource, NameTable};
use recount_compute::Feed;
use recount_model::{Content, Health};
use recount_tables::pdh_text::{PdhText, PdhTextError};

use crate::content::open_content;

/// A format that recount reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Windows performance log.
    Blg,
    /// Raw `PERF_DATA_BLOCK`s, one after the other.
    PerfDataBlock,
    /// PDH-CSV or PDH-TSV.
    PdhText,
}

impl Format {
    /// The format of an input, by its first bytes; `None` if it is none that recount reads.
    pub fn recognise(bytes: &[u8]) -> Option<Format> {
        if DumpSource::recognise(bytes) {
            Some(Format::PerfDataBlock)
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
            Format::PdhText => "PDH text (CSV or TSV)",
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
}

impl Capture {
    /// The names in one text.
    pub fn name(&self) -> String {
        match self.names.as_slice() {
            [first, .., last] => format!("{first} .. {last} ({} files)", self.names.len()),
            names => names.concat(),
        }
    }
}

/// What was found amiss on opening the captures.
pub fn health_of(captures: &[Capture]) -> Health {
    let mut health = Health::default();
    for capture in captures {
        health.absorb(capture.feed.health().clone());
    }
    health
}

/// Why an input can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file system refused.
    #[error("{name}: {source}")]
    Io {
        /// The input.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// No format that recount reads.
    #[error("{name}: not a capture that recount reads: it begins with {begins}, {len} bytes in all")]
    Unknown {
        /// The input.
        name: String,
        /// Its first bytes, in hexadecimal.
        begins: String,
        /// Its length.
        len: usize,
    },
    /// Text, which has no structure to dump.
    #[error("{name}: a text capture has no binary structure; look at it with any viewer")]
    NotBinary {
        /// The input.
        name: String,
    },
    /// A damaged or empty performance log.
    #[error("{name}: {source}")]
    Blg {
        /// The input.
        name: String,
        /// What is wrong.
        source: BlgError,
    },
    /// A damaged raw dump.
    #[error("{name}: {source}")]
    Block {
        /// The input.
        name: String,
        /// What is wrong.
        source: Box<BlockError>,
    },
    /// Damaged PDH text.
    #[error("{name}: {source}")]
    PdhText {
        /// The input.
        name: String,
        /// What is wrong.
        source: PdhTextError,
    },
    /// A directory without files.
    #[error("{name}: a directory without captures")]
    EmptyDirectory {
        /// The directory.
        name: String,
    },
}

impl OpenError {
    pub(crate) fn unknown(name: &str, bytes: &[u8]) -> OpenError {
        let begins: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let begins = if begins.is_empty() { "nothing".to_owned() } else { begins.join(" ") };
        OpenError::Unknown { name: name.to_owned(), begins, len: bytes.len() }
    }

    /// What to try.
    pub fn hint(&self) -> &'static str {
        match self {
            OpenError::Io { .. } => "check the path and its permissions",
            OpenError::Unknown { .. } => {
                "recount reads .blg of Windows Vista and later, raw PERF_DATA_BLOCK dumps, and PDH-CSV/TSV"
            }
            OpenError::Blg { .. } => {
                "copy the file again from its machine, after the data collector has stopped"
            }
            OpenError::Block { .. } => {
                "a dump has to begin with \"PERF\" in UTF-16, as the registry interface gives it"
            }
            OpenError::PdhText { .. } => {
                "the first line has to be relog's header: \"(PDH-CSV 4.0) (zone)(bias)\",..."
            }
            OpenError::NotBinary { .. } => "recount dump is for .blg and raw PERF_DATA_BLOCK dumps",
            OpenError::EmptyDirectory { .. } => "name the capture itself",
        }
    }
}

/// The name and the bytes of a file.
type NamedContent = (String, Arc<dyn Content>);

/// Opens captures: files, directories of files, and `-` for standard input.
///
/// Raw dumps among them are one capture per machine's series of dumps; any other file is a capture of its own. `names`
/// gives raw dumps the names of their objects and counters.
pub fn open(paths: &[PathBuf], names: &NameTable) -> Result<Vec<Capture>, OpenError> {
    let mut captures = Vec::new();
    let mut dumps: BTreeMap<String, Vec<NamedContent>> = BTreeMap::new();
    for path in expand(paths)? {
        let name = path.display().to_string();
        let content = open_content(&path).map_err(|source| OpenError::Io { name: name.clone(), source })?;
        match recognise(&name, content.bytes())? {
            Format::PerfDataBlock => {
                let host =
                    DataBlock::parse(content.bytes(), 0).map(|block| block.system_name().to_lowercase());
                let host =
                    host.map_err(|source| OpenError::Block { name: name.clone(), source: Box::new(source) })?;
                dumps.entry(host).or_default().push((name, content));
            }
            Format::Blg => {
                let source = BlgSource::open(content)
                    .map_err(|source| OpenError::Blg { name: name.clone(), source })?;
                let feed = Feed::Raw(Arc::new(source));
                captures.push(Capture { names: vec![name], format: Format::Blg, feed });
            }
            Format::PdhText => {
                let source = PdhText::open(content)
                    .map_err(|source| OpenError::PdhText { name: name.clone(), source })?;
                let feed = Feed::Cooked(Arc::new(source));
                captures.push(Capture { names: vec![name], format: Format::PdhText, feed });
            }
        }
    }
    for dumps in dumps.into_values() {
        let names_of_files: Vec<String> = dumps.iter().map(|(name, _)| name.clone()).collect();
        let source = DumpSource::open(dumps, names.clone()).map_err(|source| OpenError::Block {
            name: names_of_files.join(", "),
            source: Box::new(source),
        })?;
        let feed = Feed::Raw(Arc::new(source));
        captures.push(Capture { names: names_of_files, format: Format::PerfDataBlock, feed });
    }
    Ok(captures)
}

fn recognise(name: &str, bytes: &[u8]) -> Result<Format, OpenError> {
    Format::recognise(bytes).ok_or_else(|| OpenError::unknown(name, bytes))
}

/// Directories become the files in them, by name.
fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, OpenError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let error = |source| OpenError::Io { name: path.display().to_string(), source };
        let mut inside: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(path).map_err(error)? {
            let entry = entry.map_err(error)?.path();
            let is_hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if entry.is_file() && !is_hidden {
                inside.push(entry);
            }
        }
        if inside.is_empty() {
            return Err(OpenError::EmptyDirectory { name: path.display().to_string() });
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// Whether a path stands for standard input or output.
pub fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == crate::content::STDIO
}
