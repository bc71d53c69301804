//! The structure of a binary capture as text: for `recount dump`.

use std::path::Path;

use recount_blocks::pcq;
use recount_blocks::perf_data::{self, DataBlock};

use crate::content::open_content;
use crate::{Format, OpenError};

/// A dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// One line per field; lines beginning with `!` tell what is amiss.
    pub text: String,
    /// Whether nothing is amiss.
    pub sound: bool,
}

/// Dumps a `.blg`, a file of raw blocks or an MS-PCQ session. Samples behind the first `max_samples` are left out.
pub fn dump(path: &Path, max_samples: usize) -> Result<Outline, OpenError> {
    let name = path.display().to_string();
    let content = open_content(path).map_err(|source| OpenError::Io { name: name.clone(), source })?;
    let bytes = content.bytes();
    let mut text = String::new();
    match Format::recognise(bytes) {
        Some(Format::Blg) => {
            // Writing to a string can't fail.
            if let Err(recount_blg::DumpError::Blg(source)) =
                recount_blg::dump(&*content, max_samples, &mut text)
            {
                return Err(OpenError::Blg { name, source });
            }
        }
        Some(Format::PerfDataBlock) => blocks(&name, bytes, max_samples, &mut text)?,
        Some(Format::Session) => messages(bytes, max_samples, &mut text),
        Some(Format::PdhText) => return Err(OpenError::NotBinary { name }),
        Some(Format::Parquet) => return Err(OpenError::TablesNotDumped { name }),
        Some(Format::CaptureLog) => return Err(OpenError::NotDumped { name }),
        None => return Err(OpenError::unknown(&name, bytes)),
    }
    let sound = !text.lines().any(|line| line.starts_with('!'));
    Ok(Outline { text, sound })
}

/// The messages of a session.
fn messages(bytes: &[u8], max_samples: usize, text: &mut String) {
    let mut num_shown = 0;
    for item in pcq::messages(bytes, 0) {
        match item.message {
            Ok(message) => {
                num_shown += usize::from(message.is_sample());
                if num_shown > max_samples {
                    return;
                }
                // Writing to a string can't fail.
                let _ = pcq::dump(&message, item.ofs as u64, text);
            }
            Err(error) => text.extend(["! ", &error.to_string(), "\n"]),
        }
    }
}

/// Consecutive blocks; bytes behind the last are no part of any.
fn blocks(name: &str, bytes: &[u8], max_samples: usize, text: &mut String) -> Result<(), OpenError> {
    let mut ofs = 0;
    let mut num_shown = 0;
    while num_shown < max_samples && DataBlock::recognise(&bytes[ofs..]) {
        let block = match DataBlock::parse(&bytes[ofs..], ofs as u64) {
            Ok(block) => block,
            Err(source) if num_shown == 0 => {
                return Err(OpenError::Block { name: name.to_owned(), source: Box::new(source) });
            }
            Err(source) => {
                text.extend(["! ", &source.to_string(), "\n"]);
                return Ok(());
            }
        };
        // Writing to a string can't fail.
        let _ = perf_data::dump(&block, text);
        num_shown += 1;
        let Some(next) = DataBlock::next_behind(bytes, ofs + block.bytes().len()) else { return Ok(()) };
        ofs = next;
    }
    Ok(())
}
