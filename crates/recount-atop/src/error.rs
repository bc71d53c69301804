//! Why a log can't be read at all. Lesser damage is noted in `Health`.

use recount_model::Place;

use crate::structure::Version;

/// Why an input can't be read as an atop raw log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AtopError {
    /// It doesn't begin with the magic number.
    #[error("{place}: expected 0xfeedbeef, found {found:#x}")]
    NotAtop {
        /// The magic number.
        place: Place,
        /// The value found there.
        found: u32,
    },
    /// It ends within its header.
    #[error("{place}: expected 480 bytes, found {found}")]
    ShortHeader {
        /// The header.
        place: Place,
        /// Bytes of the file.
        found: usize,
    },
    /// A machine of the other byte order wrote it.
    #[error("{place}: the log was written on a big-endian machine, whose layout isn't known")]
    BigEndian {
        /// The magic number.
        place: Place,
    },
    /// An older version than 2.3.
    #[error("{place}: expected atop 2.3 to 2.13, found {version}, whose logs have another layout")]
    TooOld {
        /// The version.
        place: Place,
        /// What it says.
        version: Version,
    },
    /// A version whose layouts aren't known.
    #[error("{place}: expected atop 2.3 to 2.13, found {version}, whose values can't be located; {about}")]
    TooNew {
        /// The version.
        place: Place,
        /// What it says.
        version: Version,
        /// What can be read anyway: machine, kernel, number of samples and their times.
        about: String,
    },
    /// A known version with other lengths.
    #[error("{place}: expected {expected} in a log of atop {version}, found {found}: {}", of_releases(alike))]
    OtherLength {
        /// The length.
        place: Place,
        /// The version.
        version: Version,
        /// The length that this version has.
        expected: u64,
        /// The length that the header states.
        found: u64,
        /// The releases whose lengths the header states, which have different fields.
        alike: Vec<Version>,
    },
    /// No sample is sound.
    #[error("{place}: no whole sample{why}")]
    NoSamples {
        /// Where the first sample should be.
        place: Place,
        /// What is wrong there.
        why: String,
    },
    /// The dump could not be written.
    #[error("the dump could not be written")]
    Write(#[from] std::fmt::Error),
}

impl AtopError {
    /// Where in the file, if the error is about the file.
    pub fn place(&self) -> Option<&Place> {
        match self {
            AtopError::NotAtop { place, .. }
            | AtopError::ShortHeader { place, .. }
            | AtopError::BigEndian { place }
            | AtopError::TooOld { place, .. }
            | AtopError::TooNew { place, .. }
            | AtopError::OtherLength { place, .. }
            | AtopError::NoSamples { place, .. } => Some(place),
            AtopError::Write(_) => None,
        }
    }
}

/// What lengths say that aren't those of the version.
fn of_releases(alike: &[Version]) -> String {
    match alike.split_last() {
        Some((last, others)) if !others.is_empty() => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            format!(
                "the lengths are those of atop {} and {last}, whose fields differ, so it isn't certain where its values are",
                others.join(", ")
            )
        }
        _ => "a changed or 32-bit recorder wrote it".to_owned(),
    }
}
