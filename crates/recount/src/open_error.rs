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

    pub(crate) fn format(name: &str, format: &'static Format, source: BoxError) -> OpenError {
        OpenError::Format { name: name.to_owned(), format, source }
    }

    /// What to try.
    pub fn hint(&self) -> &'static str {
        match self {
            OpenError::Io { .. } => "check the path and its permissions",
            OpenError::Unknown { .. } => {
                "recount reads its own .rcap, .blg of Windows, raw PERF_DATA_BLOCK dumps, MS-PCQ sessions, \
                 PDH-CSV/TSV, archives of PCP, sysstat's sa files, raw logs of atop, and the Parquet that it writes"
            }
            OpenError::Format { format, source, .. } => format.hint(source),
            OpenError::NotDumped { hint, .. } => hint,
            OpenError::Several { .. } => "open them together (open_all), or one file of it",
            OpenError::EmptyDirectory { .. } => {
                "none of its files is a capture that recount reads; name the capture itself"
            }
        }
    }
}
