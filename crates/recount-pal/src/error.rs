//! Why a file can't be imported at all.

/// Why a file can't be read as a PAL threshold file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PalError {
    /// Larger than any threshold file.
    #[error("the file has {len_file} bytes; PAL threshold files of up to {len_max} bytes are read")]
    TooLarge {
        /// Bytes of the file.
        len_file: usize,
        /// Maximum number of bytes read.
        len_max: usize,
    },
    /// Neither UTF-8 nor UTF-16.
    #[error("line {line}: the file isn't valid {encoding} here; save it as UTF-8 and import it again")]
    Encoding {
        /// Line, from 1.
        line: u32,
        /// The presumed encoding.
        encoding: &'static str,
    },
    /// Not well-formed, or with a document type.
    #[error("line {line}: not XML as PAL writes it: {message}")]
    Xml {
        /// Line, from 1.
        line: u32,
        /// What was expected and found.
        message: String,
    },
    /// XML of something else.
    #[error(
        "line {line}: a PAL threshold file begins with the element PAL, this one with {found}; \
         threshold files are the .xml files in PAL's program folder"
    )]
    NotPal {
        /// Line, from 1.
        line: u32,
        /// The root element.
        found: String,
    },
    /// More than any threshold file has.
    #[error("line {line}: more than {max} {what} here; no PAL threshold file has so many")]
    TooMany {
        /// Line, from 1.
        line: u32,
        /// Of what.
        what: &'static str,
        /// How many are accepted.
        max: usize,
    },
    /// The rule set couldn't be written as TOML.
    #[error("the rules can't be written as TOML: {0}")]
    Toml(#[from] toml::ser::Error),
}
