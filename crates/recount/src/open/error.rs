//! Why an input can't be opened, and what to try.

use std::error::Error;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

use recount_capture::CaptureError;
use recount_model::Place;
use recount_pcp::PcpError;
use recount_sysstat::SaError;
use recount_tables::TableInputError;

use super::foreign::Foreign;
use crate::Hint;
use crate::formats::{BoxError, Format, hint_of_read};

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
    /// The input has no format that recount reads.
    #[error("{name}: not a capture that recount reads: it begins with {begins}, {len} bytes in all")]
    Unknown {
        /// The input.
        name: String,
        /// Its first words if it is a text, otherwise its first bytes, in hexadecimal.
        begins: String,
        /// Its length.
        len: usize,
    },
    /// The input isn't a capture, but its kind is known.
    #[error("{name}: {what}")]
    NoCapture {
        /// The input.
        name: String,
        /// The kind of file.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// The input holds several captures, where one is expected.
    #[error("{name}: expected one capture, found {count}")]
    Several {
        /// The input.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// The format of the input is known, but it is damaged, empty or otherwise unreadable.
    #[error("{name}: {}", of_source(source, name))]
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
    /// The same file or directory was given twice.
    #[error("{name}: given twice")]
    Twice {
        /// The input, as named the second time.
        name: String,
    },
    /// A tar or zip file has no captures that may be opened.
    #[error("{name}: an archive without captures{}", listed(left_out))]
    EmptyBundle {
        /// The file.
        name: String,
        /// Which of its members were left out, and why.
        left_out: Vec<String>,
    },
    /// The directory has no captures.
    #[error("{name}: a directory without captures")]
    EmptyDirectory {
        /// The directory.
        name: String,
    },
}

/// The beginning of a file's first line with words, in quotes, if it is a text.
fn text_at_begin(bytes: &[u8]) -> Option<String> {
    const LEN: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LEN)]);
    let line = text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty())?;
    let first: String = line.chars().take(LEN).collect();
    let is_text = |char: char| char == '\t' || !char.is_control() && char != char::REPLACEMENT_CHARACTER;
    first.chars().all(is_text).then(|| format!("{first:?}"))
}

impl OpenError {
    pub(crate) fn unknown(name: &str, bytes: &[u8]) -> OpenError {
        let name = name.to_owned();
        if let Some(Foreign { what, hint }) = Foreign::of(bytes) {
            return OpenError::NoCapture { name, what, hint };
        }
        let begins = text_at_begin(bytes).unwrap_or_else(|| {
            let begins: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            begins.join(" ")
        });
        OpenError::Unknown { name, begins, len: bytes.len() }
    }

    pub(crate) fn format(name: &str, format: &'static Format, source: BoxError) -> OpenError {
        OpenError::Format { name: name.to_owned(), format, source }
    }

    /// Why, without the input's name.
    pub(crate) fn without_name(&self) -> String {
        let text = self.to_string();
        text.strip_prefix(&format!("{}: ", self.name())).map_or(text.clone(), str::to_owned)
    }

    /// The input.
    pub fn name(&self) -> &str {
        match self {
            OpenError::Io { name, .. }
            | OpenError::Unknown { name, .. }
            | OpenError::NoCapture { name, .. }
            | OpenError::Several { name, .. }
            | OpenError::Format { name, .. }
            | OpenError::NotDumped { name, .. }
            | OpenError::Twice { name }
            | OpenError::EmptyBundle { name, .. }
            | OpenError::EmptyDirectory { name } => name,
        }
    }

    /// Whether the input isn't a capture at all, such as other files in a directory of captures.
    pub fn is_no_capture(&self) -> bool {
        match self {
            OpenError::Unknown { .. } | OpenError::NoCapture { .. } | OpenError::EmptyBundle { .. } => true,
            // Reports and catalogues are next to the files from which they were made.
            OpenError::Format { source, .. } => {
                matches!(source.downcast_ref(), Some(SaError::Text))
                    || matches!(source.downcast_ref(), Some(TableInputError::Catalogue { .. }))
            }
            _ => false,
        }
    }

    /// Whether the input is a part of a capture whose other files weren't found: one file of an archive of PCP, or one of
    /// the tables that belong together.
    pub fn lacks_files(&self) -> bool {
        let OpenError::Format { source, .. } = self else { return false };
        matches!(source.downcast_ref(), Some(PcpError::NoMeta { .. } | PcpError::NoVolume { .. }))
            || matches!(source.downcast_ref(), Some(TableInputError::OneOfSeveral { .. }))
    }

    /// Where in the input the fault is, if it is a single place.
    pub fn place(&self) -> Option<&Place> {
        match self {
            OpenError::Format { source, .. } => place_of(&**source),
            _ => None,
        }
    }

    /// What to try.
    pub fn hint(&self) -> &'static str {
        match self {
            OpenError::Io { source, .. } if source.kind() == io::ErrorKind::OutOfMemory => {
                "the memory that this process may use is too small to map the file"
            }
            OpenError::Io { source, .. } if source.kind() == io::ErrorKind::InvalidInput => {
                "name the capture itself"
            }
            OpenError::Io { source, .. } if source.kind() == io::ErrorKind::InvalidData => {
                "the file is cut off or damaged: copy it again"
            }
            OpenError::Io { source, .. } if source.kind() == io::ErrorKind::IsADirectory => {
                "name the files in it"
            }
            OpenError::Io { .. } => "check the path and its permissions",
            OpenError::Unknown { .. } => hint_of_read(),
            OpenError::Format { format, source, .. } => format.hint(source),
            OpenError::NotDumped { hint, .. } | OpenError::NoCapture { hint, .. } => hint,
            OpenError::Several { .. } => "open them together (open_all), or one file of it",
            OpenError::Twice { .. } => "its samples would count twice: name every capture once",
            OpenError::EmptyBundle { left_out, .. } if !left_out.is_empty() => {
                "if you trust the file, unpack it with another program, and name the captures in it"
            }
            OpenError::EmptyBundle { .. } => "its files aren't captures that recount reads",
            OpenError::EmptyDirectory { .. } => {
                "its files, and those in the folders below it, aren't captures that recount reads"
            }
        }
    }
}

impl Hint for OpenError {
    fn hint(&self) -> Option<&'static str> {
        Some(self.hint())
    }
}

/// The place that the error of a format names.
fn place_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Place> {
    use recount_blg::BlgError;
    use recount_bytes::FormatError;
    use recount_sysstat::SaError;
    if let Some(error) = error.downcast_ref::<SaError>() {
        return error.place();
    }
    // As the cause of another error it may be boxed.
    let boxed = || error.downcast_ref::<Box<FormatError>>().map(|error| &**error);
    if let Some(error) = error.downcast_ref::<FormatError>().or_else(boxed) {
        return match error {
            FormatError::Truncated { place, .. }
            | FormatError::Unexpected { place, .. }
            | FormatError::Amplified { place, .. } => Some(place),
            FormatError::NoBlock { source, .. } => place_of(&**source),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref::<recount_atop::AtopError>() {
        return error.place();
    }
    match (error.downcast_ref(), error.downcast_ref()) {
        (Some(BlgError::NotATrace { place, .. }), _) | (_, Some(CaptureError::Damaged { place, .. })) => {
            Some(place)
        }
        _ => place_of(error.source()?),
    }
}

/// The first of what was left out, and how many others there are.
fn listed(left_out: &[String]) -> String {
    match left_out {
        [] => String::new(),
        [one] => format!(": {one}"),
        [first, others @ ..] => format!(": {first} (and {} more)", others.len()),
    }
}

/// What is wrong, without the name of the file if that is the input.
fn of_source(source: &BoxError, name: &str) -> String {
    let text = source.to_string();
    let file = Path::new(name).file_name().and_then(OsStr::to_str).unwrap_or(name);
    match text.strip_prefix(file).and_then(|rest| rest.strip_prefix(": ")) {
        Some(reason) => reason.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use recount_bytes::FormatError;

    use super::*;

    /// The place is found however deep it is within an error.
    #[test]
    fn causes_have_the_place() {
        let place = Place::field("label", 0, "magic", 4);
        let inner = || FormatError::Truncated { place: place.clone(), have: 4 };
        let errors: [BoxError; 3] = [
            inner().into(),
            PcpError::Label { file: "a.meta".into(), source: Box::new(inner()) }.into(),
            SaError::Header(inner()).into(),
        ];
        for source in errors {
            let error = OpenError::Format { name: "a".into(), format: &crate::formats::PCP_ARCHIVE, source };
            assert_eq!(error.place(), Some(&place), "{error:?}");
        }
    }
}
