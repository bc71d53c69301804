//! Why a file can't be read as an `sa` file at all. Damage after the header is noted in `Health`.

use recount_bytes::FormatError;
use recount_model::Place;

use crate::version::Version;

/// Why an input can't be read as an `sa` file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SaError {
    /// It doesn't begin with the mark of sysstat.
    #[error("file_magic at byte 0x0: expected sysstat's mark 96 d5 or d5 96, found {found}")]
    NotSa {
        /// The first bytes.
        found: String,
    },
    /// The output of `sar`, instead of the file from which it was made.
    #[error("this is text that sar, iostat, mpstat or pidstat prints, not the binary file that sar writes")]
    Text,
    /// A format that was in use before 8.1.3.
    #[error(
        "file_magic.format at byte 0x2: format {format:#06x} of sysstat {version} is older than 8.1.3: it is not \
         supported, and sysstat's own converter (sadf -c) refuses it, too"
    )]
    TooOld {
        /// The number of the format.
        format: u16,
        /// Who wrote the file.
        version: Version,
    },
    /// A format that is newer, or was never released.
    #[error(
        "file_magic.format at byte 0x2: expected format 0x1170, 0x2170, 0x2171, 0x2173 or 0x2175, found {format:#06x}, \
         written by sysstat {version}"
    )]
    UnknownFormat {
        /// The number of the format.
        format: u16,
        /// Who wrote the file.
        version: Version,
    },
    /// A field of the header has an impossible value.
    #[error(transparent)]
    Header(#[from] FormatError),
}

const MAGIC: Place = Place { ofs: 0, structure: Some("file_magic"), ofs_structure: Some(0), field: None };
const FORMAT: Place =
    Place { ofs: 2, structure: Some("file_magic"), ofs_structure: Some(0), field: Some("format") };

impl SaError {
    /// Where in the file, if the error is about one place.
    pub fn place(&self) -> Option<&Place> {
        match self {
            SaError::NotSa { .. } => Some(&MAGIC),
            SaError::TooOld { .. } | SaError::UnknownFormat { .. } => Some(&FORMAT),
            SaError::Text => None,
            SaError::Header(error) => error.place(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_with_the_place() {
        let (format, version) = (0x216f, Version::default());
        for error in [
            SaError::NotSa { found: "44 65".into() },
            SaError::TooOld { format, version },
            SaError::UnknownFormat { format, version },
        ] {
            let place = error.place().expect("a place").to_string();
            let place = place.split(" (").next().unwrap_or_default();
            assert!(error.to_string().starts_with(&format!("{place}: ")), "{error}");
        }
        assert_eq!(SaError::Text.place(), None);
    }
}
