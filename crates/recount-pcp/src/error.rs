//! Why there is nothing to read.

use recount_bytes::FormatError;

/// Why an archive can't be opened or dumped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PcpError {
    /// `.meta` is missing. Without it, values have no names.
    #[error("the archive's {base}.meta is missing; it holds the names of the values")]
    NoMeta {
        /// The archive, by its name.
        base: String,
    },
    /// There are only descriptions: all volumes are missing.
    #[error("{base}.0 and all other volumes of the archive are missing")]
    NoVolume {
        /// The archive, by its name.
        base: String,
    },
    /// A file doesn't begin like a file of an archive.
    #[error("{file}: {source}")]
    Label {
        /// The file.
        file: String,
        /// What is wrong.
        source: Box<FormatError>,
    },
    /// The dump could not be written.
    #[error("the dump could not be written")]
    Write(#[from] std::fmt::Error),
    /// The format used before 1998.
    #[error("{file}: an archive of version 1, which recount doesn't read")]
    Version1 {
        /// The file.
        file: String,
    },
    /// The writer used features that this reader doesn't know.
    #[error("{file}: the label has feature bits {bits:#010x}, and what they mean isn't known")]
    Features {
        /// The file.
        file: String,
        /// The bits.
        bits: u32,
    },
}
