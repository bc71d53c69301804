//! The structure of a binary capture as text: for `recount dump`.

use std::path::Path;

use crate::content::open_content;
use crate::{Format, OpenError};

/// A dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// One line per field; lines that begin with `!` say what is wrong.
    pub text: String,
    /// Whether nothing is wrong.
    pub sound: bool,
}

/// Dumps a `.blg`, a file of raw blocks or an MS-PCQ session. Samples after the first `max_samples` are left out.
pub fn dump(path: &Path, max_samples: usize) -> Result<Outline, OpenError> {
    let name = path.display().to_string();
    let content = open_content(path).map_err(|source| OpenError::Io { name: name.clone(), source })?;
    let bytes = content.bytes();
    let format = Format::recognise(bytes).ok_or_else(|| OpenError::unknown(&name, bytes))?;
    let dump = format.dump();
    let dump = dump.map_err(|(because, hint)| OpenError::NotDumped { name: name.clone(), because, hint })?;
    let mut text = String::new();
    dump(&*content, max_samples, &mut text).map_err(|source| OpenError::format(&name, format, source))?;
    let sound = !text.lines().any(|line| line.starts_with('!'));
    Ok(Outline { text, sound })
}
