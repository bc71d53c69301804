//! Why an input can't be opened, and what to try.

use std::io;

use recount_blg::BlgError;
use recount_blocks::BlockError;
use recount_capture::CaptureError;
use recount_tables::TableInputError;
use recount_tables::pdh_text::PdhTextError;

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
    /// A capture log, which is looked at by what it holds.
    #[error("{name}: a capture log isn't dumped as it is")]
    NotDumped {
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
    /// A damaged MS-PCQ session.
    #[error("{name}: {source}")]
    Session {
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
    /// Parquet that is damaged, or none that recount wrote.
    #[error("{name}: {source}")]
    Tables {
        /// The input.
        name: String,
        /// What is wrong.
        source: Box<TableInputError>,
    },
    /// Tables, which have no structure of a capture to dump.
    #[error("{name}: Parquet isn't dumped as it is")]
    TablesNotDumped {
        /// The input.
        name: String,
    },
    /// A damaged or unknown capture log.
    #[error("{name}: {source}")]
    CaptureLog {
        /// The input.
        name: String,
        /// What is wrong.
        source: CaptureError,
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
                "recount reads its own .rcap, .blg of Windows Vista and later, raw PERF_DATA_BLOCK dumps, MS-PCQ sessions, \
                 PDH-CSV/TSV, and the Parquet that it writes"
            }
            OpenError::Blg { .. } => {
                "copy the file again from its machine, after the data collector has stopped"
            }
            OpenError::Block { .. } => {
                "a dump has to begin with \"PERF\" in UTF-16, as the registry interface gives it"
            }
            OpenError::Session { .. } => {
                "a session is a stream of messages, as recount unpack writes it, or a directory of MS-PCQ buffers"
            }
            OpenError::PdhText { .. } => {
                "the first line has to be relog's header: \"(PDH-CSV 4.0) (zone)(bias)\",..."
            }
            OpenError::Tables { source, .. } if matches!(**source, TableInputError::OneOfSeveral { .. }) => {
                "name the directory that holds _counters.parquet"
            }
            OpenError::Tables { .. } => {
                "recount reads the Parquet that recount convert writes: a tidy file, or a directory of tables"
            }
            OpenError::TablesNotDumped { .. } => "any reader of Parquet shows it; recount show sums it up",
            OpenError::CaptureLog { source: CaptureError::Version { .. }, .. } => {
                "update recount: newer versions read all older logs"
            }
            OpenError::CaptureLog { .. } => {
                "recount verify FILE tells what is damaged, recount repair FILE mends it"
            }
            OpenError::NotBinary { .. } => {
                "recount dump is for .blg, raw PERF_DATA_BLOCK dumps and MS-PCQ sessions"
            }
            OpenError::NotDumped { .. } => "recount unpack gives what it holds, and that can be dumped",
            OpenError::EmptyDirectory { .. } => {
                "none of its files is a capture that recount reads; name the capture itself"
            }
        }
    }
}
