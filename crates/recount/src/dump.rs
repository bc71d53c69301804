//! The structure of a binary capture as text: for `recount dump`.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use recount_model::Health;
use recount_pcp::find_archive;

use crate::files::archive_files::{open_plain, without_meta};
use crate::files::guarded::BecameShorter;
use crate::formats::{CAPTURE_LOG, dump_log};
use crate::open::{is_stdio, open_log_file};
use crate::{Format, OpenError};

/// Why there is no dump.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The capture can't be opened, or has no structure to show.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Writing to the output failed.
    #[error("the dump could not be written")]
    Write(#[source] io::Error),
}

/// Dumps a capture log, a `.blg`, a file of raw blocks, one of a PCP archive or an MS-PCQ session: one line per field;
/// lines that begin with `!` report faults. Samples after the first `max_samples` are left out. Returns whether
/// everything was sound.
///
/// Given its base name, all files of a PCP archive are dumped, each after a line with its name.
pub fn dump(path: &Path, max_samples: usize, out: &mut dyn Write) -> Result<bool, DumpError> {
    let failed = |source| OpenError::Io { name: path.display().to_string(), source };
    let is_base = !is_stdio(path) && !path.exists();
    let archive = if is_base { find_archive(path).map_err(failed)? } else { None };
    let Some(archive) = archive else {
        let error = if is_base { without_meta(path).map_err(failed)? } else { None };
        return error.map_or_else(|| dump_file(path, max_samples, out), |error| Err(error.into()));
    };
    let mut is_sound = true;
    for file in &archive.files {
        writeln!(out, "file {}", file.display()).map_err(DumpError::Write)?;
        is_sound &= dump_file(file, max_samples, out)?;
    }
    Ok(is_sound)
}

fn dump_file(path: &Path, max_samples: usize, out: &mut dyn Write) -> Result<bool, DumpError> {
    let name = path.display().to_string();
    let failed = |source| OpenError::Io { name: name.clone(), source };
    let mut text = Text { out, is_line_start: true, is_sound: true, refused: None };
    // A log isn't mapped: its writer may cut it while it is read.
    let (format, dumped) = if let Some(file) = open_log_file(path).map_err(failed)? {
        (&CAPTURE_LOG, dump_log(Box::new(file), max_samples, &mut text))
    } else {
        let content = open_plain(path, &mut Health::default()).map_err(failed)?;
        let bytes = content.bytes();
        let format = Format::recognise(bytes).ok_or_else(|| OpenError::unknown(&name, bytes))?;
        let dump = format.dump();
        let dump =
            dump.map_err(|(because, hint)| OpenError::NotDumped { name: name.clone(), because, hint })?;
        let dumped = dump(&*content, max_samples, &mut text);
        (format, if content.is_lost() { Err(BecameShorter.into()) } else { dumped })
    };
    if let Some(error) = text.refused {
        return Err(DumpError::Write(error));
    }
    dumped.map_err(|source| OpenError::format(&name, format, source))?;
    Ok(text.is_sound)
}

/// Passes text on, and looks for lines that report faults.
struct Text<'o> {
    out: &'o mut dyn Write,
    is_line_start: bool,
    is_sound: bool,
    /// The error that prevents further writing.
    refused: Option<io::Error>,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for line in text.split_inclusive('\n') {
            self.is_sound &= !(self.is_line_start && line.starts_with('!'));
            self.is_line_start = line.ends_with('\n');
        }
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.refused = Some(error);
            fmt::Error
        })
    }
}
