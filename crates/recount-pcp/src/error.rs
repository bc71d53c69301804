//! Why there is nothing to read.

use recount_bytes::FormatError;

/// An archive that can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PcpError {
    /// Without it no value has a name.
    #[error("{base}.meta is missing among the files of the archive, without which its values have no names")]
    NoMeta {
        /// The archive, by its name.
        base: String,
    },
    /// There is nothing but descriptions.
    #[error("{base}.0 and all other volumes of the archive are missing")]
    NoVolume {
        /// The archive, by its name.
        base: String,
    },
    /// A file doesn't begin as a file of an archive does.
    #[error("{file}: {source}")]
    Label {
        /// The file.
        file: String,
        /// What is wrong.
        source: Box<FormatError>,
    },
    /// A dump that nobody takes.
    #[error("the dump could not be written")]
    Write(#[from] std::fmt::Error),
    /// The format of before 1998.
    #[error("{file}: an archive of version 1, which recount doesn't read")]
    Version1 {
        /// The file.
        file: String,
    },
    /// The writer used something that this reader has never heard of.
    #[error("{file}: the label has feature bits {bits:#010x}, and what they mean isn't known")]
    Features {
        /// The file.
        file: String,
        /// The bits.
        bits: u32,
    },
}
