//! Why an input can't be opened, and what to try.

use std::io;

use crate::formats::{BoxError, Format};

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
    /// Not a capture, but of a known kind.
    #[error("{name}: {what}")]
    NoCapture {
        /// The input.
        name: String,
        /// What it is.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Several captures, where one is asked for.
    #[error("{name}: expected one capture, found {count}")]
    Several {
        /// The input.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// An input of a format that recount reads, which is damaged, empty or otherwise not readable.
    #[error("{name}: {source}")]
    Format {
        /// The input.
        name: String,
        /// Its format.
        format: &'static Format,
        /// What is wrong.
        source: BoxError,
    },
    /// `dump` does not support this format.
    #[error("{name}: {because}")]
    NotDumped {
        /// The input.
        name: String,
        /// Why.
        because: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
    /// The same file or directory, twice.
    #[error("{name}: given twice")]
    Twice {
        /// The input, as it was named the second time.
        name: String,
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
        let name = name.to_owned();
        if let Some((what, hint)) = no_capture(bytes) {
            return OpenError::NoCapture { name, what, hint };
        }
        let begins: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        OpenError::Unknown { name, begins: begins.join(" "), len: bytes.len() }
    }

    pub(crate) fn format(name: &str, format: &'static Format, source: BoxError) -> OpenError {
        OpenError::Format { name: name.to_owned(), format, source }
    }

    /// What to try.
    pub fn hint(&self) -> &'static str {
        match self {
            OpenError::Io { source, .. } if source.kind() == io::ErrorKind::OutOfMemory => {
                "the memory that this process may use is too small to map the file"
            }
            OpenError::Io { .. } => "check the path and its permissions",
            OpenError::Unknown { .. } => {
                "recount reads its own .rcap, .blg of Windows, raw PERF_DATA_BLOCK dumps, MS-PCQ sessions, \
                 PDH-CSV/TSV, archives of PCP, sysstat's sa files, raw logs of atop, and the Parquet that it writes"
            }
            OpenError::Format { format, source, .. } => format.hint(source),
            OpenError::NotDumped { hint, .. } | OpenError::NoCapture { hint, .. } => hint,
            OpenError::Several { .. } => "open them together (open_all), or one file of it",
            OpenError::Twice { .. } => "its samples would count twice: name every capture once",
            OpenError::EmptyDirectory { .. } => {
                "none of its files is a capture that recount reads; name the capture itself"
            }
        }
    }
}

/// What people name by mistake, and what to do with it.
fn no_capture(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const COMPRESSED: [&[u8]; 6] =
        [b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c"];
    if bytes.is_empty() {
        return Some(("the file is empty", "record or copy it again"));
    }
    if COMPRESSED.iter().any(|start| bytes.starts_with(start)) {
        return Some(("the file is compressed", "unpack it first"));
    }
    // Without its zeros, UTF-16 looks like UTF-8 here.
    let start: Vec<u8> = bytes.iter().take(4096).copied().filter(|byte| *byte != 0).collect();
    let start = String::from_utf8_lossy(&start).to_ascii_uppercase();
    let is_pal = start.trim_start_matches('\u{feff}').trim_start_matches('\u{fffd}').trim_start();
    let is_pal = is_pal.starts_with('<') && start.contains("<PAL");
    is_pal.then_some((
        "a threshold file of PAL, not a capture",
        "report a capture with it: recount report CAPTURE --rules FILE",
    ))
}
