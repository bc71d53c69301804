//! Directories of MS-PCQ buffers, a file each, as sessions (`formats/ms-pcq.md#directories`).
//!
//! ```text
//! countersets.bin                    f9fb0e1c-.../registration.bin      query-1/000001-info.bin
//!                                    f9fb0e1c-.../english-name.bin      query-1/000002-data.bin
//! ```

mod name;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_blocks::pcq::{Guid, Message, MessageHeader, opnum};
use recount_model::Content;

use crate::content::map_file;
use name::{Call, counterset_call, query_call, query_number};

/// The one file beside the directories: the answer of `PerflibV2EnumerateCounterSet`.
const COUNTERSETS: &str = "countersets.bin";

/// A session that was read from a directory.
pub(crate) struct SessionDirectory {
    content: Arc<dyn Content>,
    /// Files that are no buffers of a session, by their names.
    pub(crate) left_aside: Vec<PathBuf>,
}

impl SessionDirectory {
    /// The buffers as a stream of messages.
    pub(crate) fn into_stream(self) -> Arc<dyn Content> {
        self.content
    }
}

/// A file and what is in it, in the order of the session: the registration first, then queries by number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// Of a query's file.
    number: u64,
    query: u32,
    guid: [u8; 16],
    call: Call,
    path: PathBuf,
}

/// Reads a directory; `None` if it is none of MS-PCQ buffers, or no directory.
pub(crate) fn read_session(path: &Path) -> io::Result<Option<SessionDirectory>> {
    if !path.is_dir() {
        return Ok(None);
    }
    let mut parts = Vec::new();
    let mut left_aside = Vec::new();
    for entry in entries(path)? {
        let name = file_name(&entry);
        if entry.is_dir() {
            let guid = name.parse::<Guid>().ok();
            let query = query_number(&name);
            if guid.is_none() && query.is_none() {
                left_aside.push(entry);
                continue;
            }
            for file in entries(&entry)? {
                // Whatever else has such a name, a pipe or a device, may have no end.
                if !file.is_file() {
                    left_aside.push(file);
                    continue;
                }
                let of_query = query.and_then(|query| Some((query_call(&file_name(&file))?, query)));
                let of_set = guid.and_then(|guid| Some((counterset_call(&file_name(&file))?, guid)));
                match (of_query, of_set) {
                    (Some(((number, call), query)), _) => {
                        parts.push(Part { number, query, guid: [0; 16], call, path: file });
                    }
                    (None, Some((call, guid))) => {
                        parts.push(Part { number: 0, query: 0, guid: guid.0, call, path: file });
                    }
                    (None, None) => left_aside.push(file),
                }
            }
        } else if name == COUNTERSETS && entry.is_file() {
            let call = Call::plain(opnum::ENUMERATE_COUNTER_SET);
            parts.push(Part { number: 0, query: 0, guid: [0; 16], call, path: entry });
        } else {
            left_aside.push(entry);
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    parts.sort();
    Ok(Some(SessionDirectory { content: stream(&parts)?, left_aside }))
}

/// The parts as messages, one behind the other, in a file that goes away with them: a session may be larger than memory.
fn stream(parts: &[Part]) -> io::Result<Arc<dyn Content>> {
    let mut out = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
    let mut message = Vec::new();
    for part in parts {
        let buffer = std::fs::read(&part.path)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", part.path.display())))?;
        let header = MessageHeader {
            opnum: part.call.opnum,
            request_code: part.call.request_code,
            argument: part.call.argument,
            guid: Guid(part.guid),
            query: part.query,
            ..MessageHeader::default()
        };
        message.clear();
        Message { header, buffer: &buffer }.write(&mut message);
        message.resize(message.len().next_multiple_of(Message::ALIGNMENT), 0);
        out.write_all(&message)?;
    }
    let file: File = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    map_file(&file)
}

/// What is in a directory, by name; hidden files are not.
fn entries(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut inside = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?.path();
        if !file_name(&entry).starts_with('.') {
            inside.push(entry);
        }
    }
    inside.sort();
    Ok(inside)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
