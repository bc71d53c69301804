//! The formats that recount reads, one row each. A new one needs a file next to this one, and its line in
//! [`FORMATS`].

mod atop;
mod blg;
mod capture_log;
mod parquet;
mod pcp_archive;
mod pcq;
mod pdh_text;
mod perf_data_block;
mod sysstat;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use recount_model::{Content, Source};

use crate::OpenOptions;
use crate::files::guarded::open_guarded;
use crate::pack::Structure;

pub(crate) use blg::FORMAT as BLG;
pub(crate) use capture_log::{FORMAT as CAPTURE_LOG, dump_log, source_of};
pub(crate) use parquet::FORMAT as PARQUET;
pub(crate) use parquet::open_tables;
pub(crate) use pcp_archive::FORMAT as PCP_ARCHIVE;
pub use pcp_archive::pcp_metrics_of;
#[cfg(feature = "record")]
pub(crate) use pcq::FORMAT as PCQ;
pub(crate) use pdh_text::FORMAT as PDH_TEXT;
pub(crate) use perf_data_block::FORMAT as PERF_DATA_BLOCK;

/// So many files may be joined to one. The bytes of further ones are read as part of the last.
const MAX_JOINED: usize = 1_000;

/// In the order of recognition, the strictest test first.
static FORMATS: &[&Format] = &[
    &perf_data_block::FORMAT,
    &capture_log::FORMAT,
    &pcp_archive::FORMAT,
    &pcq::FORMAT,
    &parquet::FORMAT,
    &sysstat::FORMAT,
    &atop::FORMAT,
    &pdh_text::FORMAT,
    &blg::FORMAT,
];

/// The error of a format's reader.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The name and the bytes of an input.
pub(crate) type NamedContent = (String, Arc<dyn Content>);

/// A format that recount reads, recognised by content.
pub struct Format {
    name: &'static str,
    /// Its captures, in a list of such.
    plural: &'static str,
    /// Whether an input that begins with these bytes has this format.
    recognise: fn(&[u8]) -> bool,
    /// `None`: each file is a capture.
    series: Option<Series>,
    /// Whether these bytes begin a file, so that one that several were joined to is read as those; `None`: its reader knows, or there is no
    /// such thing. The first two bytes of each are those of the first.
    is_head: Option<fn(&[u8]) -> bool>,
    /// Opens a file, or the files of a series.
    open: Open,
    dump: Dump,
    /// The structure along which `pack` splits a file.
    structure: fn(&[u8]) -> Structure,
    /// A hint for the user when opening failed.
    hint: fn(&BoxError) -> &'static str,
}

/// How files become captures, where one may consist of several.
struct Series {
    /// The series that a file belongs to, by its bytes.
    of: fn(&[u8]) -> Result<String, BoxError>,
    /// Sorts the files of a series into captures.
    captures: fn(Vec<NamedContent>) -> Vec<Vec<NamedContent>>,
}

/// Opens the files of a capture.
type Open = fn(Vec<NamedContent>, &OpenOptions) -> Result<Arc<dyn Source>, BoxError>;

/// Writes the structure of a capture as text, up to a number of samples.
type DumpStructure = fn(&dyn Content, usize, &mut dyn fmt::Write) -> Result<(), BoxError>;

/// How `dump` shows a format.
enum Dump {
    Structure(DumpStructure),
    /// A text shows itself.
    Text,
    /// The format has no dump.
    Refused {
        because: &'static str,
        hint: &'static str,
    },
}

impl Format {
    /// Recognises the format of an input by its first bytes; `None` if recount doesn't read it.
    pub fn recognise(bytes: &[u8]) -> Option<&'static Format> {
        FORMATS.iter().copied().find(|format| (format.recognise)(bytes))
    }

    /// Its name, for display.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn recognises(&self, bytes: &[u8]) -> bool {
        (self.recognise)(bytes)
    }

    /// The ranges of the files that a content consists of: usually one, up to [`MAX_JOINED`].
    pub(crate) fn joined(&self, content: &dyn Content) -> Vec<Range<usize>> {
        let bytes = content.bytes();
        let mut starts = vec![0];
        if let Some((is_head, magic)) = self.is_head.zip(bytes.get(..2)) {
            let is_file = |at: &usize| *at > 0 && is_head(&bytes[*at..]);
            starts.extend(memchr::memmem::find_iter(bytes, magic).filter(is_file).take(MAX_JOINED - 1));
        }
        let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }

    pub(crate) fn series(&self, content: &dyn Content) -> Result<Option<String>, BoxError> {
        self.series.as_ref().map(|series| (series.of)(content.bytes())).transpose()
    }

    /// Sorts the files of a series into captures.
    pub(crate) fn captures(&self, files: Vec<NamedContent>) -> Vec<Vec<NamedContent>> {
        match &self.series {
            Some(series) => (series.captures)(files),
            None => vec![files],
        }
    }

    pub(crate) fn open(
        &self,
        files: Vec<NamedContent>,
        options: &OpenOptions,
    ) -> Result<Arc<dyn Source>, BoxError> {
        let contents: Vec<_> = files.iter().map(|(_, content)| Arc::clone(content)).collect();
        open_guarded(&contents, || (self.open)(files, options))
    }

    /// The function that dumps it, or the reason why there is none and a hint.
    pub(crate) fn dump(&self) -> Result<DumpStructure, (&'static str, &'static str)> {
        match self.dump {
            Dump::Structure(dump) => Ok(dump),
            Dump::Text => {
                Err(("a text capture has no binary structure; look at it with any viewer", hint_of_dumped()))
            }
            Dump::Refused { because, hint } => Err((because, hint)),
        }
    }

    pub(crate) fn structure(&self, bytes: &[u8]) -> Structure {
        (self.structure)(bytes)
    }

    pub(crate) fn hint(&self, error: &BoxError) -> &'static str {
        (self.hint)(error)
    }
}

/// Which formats recount reads, as a hint.
pub(crate) fn hint_of_read() -> &'static str {
    static HINT: LazyLock<String> = LazyLock::new(|| format!("recount reads {}", listed(FORMATS)));
    &HINT
}

/// Which formats have a dump, as a hint.
fn hint_of_dumped() -> &'static str {
    static HINT: LazyLock<String> = LazyLock::new(|| {
        let dumped = FORMATS.iter().filter(|format| matches!(format.dump, Dump::Structure(_)));
        format!("recount dump is for {}", listed(dumped))
    });
    &HINT
}

/// `a, b and c`.
fn listed<'f>(formats: impl IntoIterator<Item = &'f &'static Format>) -> String {
    let plurals: Vec<&str> = formats.into_iter().map(|format| format.plural).collect();
    match plurals.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => plurals.concat(),
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Format").field(&self.name).finish()
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Dumps the files that a content consists of, one after the other.
fn dump_each(
    format: &Format,
    content: &dyn Content,
    text: &mut dyn fmt::Write,
    dump: impl Fn(&dyn Content, &mut dyn fmt::Write) -> Result<(), BoxError>,
) -> Result<(), BoxError> {
    let files = format.joined(content);
    if files.len() == 1 {
        return dump(content, text);
    }
    for Range { start, end } in files {
        writeln!(text, "file of {} bytes at byte {start:#x}, from which its places count", end - start)?;
        dump(&content.part(start..end).into_owned(), text)?;
    }
    Ok(())
}

/// The one file of a capture that is not a series.
fn single(mut files: Vec<NamedContent>) -> Result<NamedContent, BoxError> {
    let file = files.pop().ok_or("no file")?;
    Ok(file)
}
