//! Plays captures back as the source of a recording: for `recount record --source`.

use std::path::Path;

use recount_model::NameTable;
use recount_pcq::SessionDirectory;
use recount_record::{LiveSource, MessageReplay, ReplaySource};

use super::RecordError;
use crate::files::content::open_content;
use crate::files::spool::session_stream;
use crate::formats::{BoxError, NamedContent, PCQ, PERF_DATA_BLOCK};
use crate::{Format, OpenError};

/// Opens captures to be played back.
type Replay = fn(Vec<NamedContent>, &NameTable) -> Result<Box<dyn LiveSource>, BoxError>;

/// The formats that hold samples as a system returned them.
static REPLAYS: [(&Format, Replay); 2] = [(&PERF_DATA_BLOCK, replay_blocks), (&PCQ, replay_messages)];

fn replay_blocks(files: Vec<NamedContent>, names: &NameTable) -> Result<Box<dyn LiveSource>, BoxError> {
    Ok(Box::new(ReplaySource::open(files, names.clone())?))
}

fn replay_messages(files: Vec<NamedContent>, _: &NameTable) -> Result<Box<dyn LiveSource>, BoxError> {
    Ok(Box::new(MessageReplay::open(files)?))
}

/// Opens captures of one format to play them back.
pub(crate) fn open_replay(
    files: Vec<NamedContent>,
    names: &NameTable,
) -> Result<Box<dyn LiveSource>, RecordError> {
    let mut formats = Vec::new();
    for (name, content) in &files {
        let format = Format::recognise(content.bytes());
        formats.push((name, format.ok_or_else(|| OpenError::unknown(name, content.bytes()))?));
    }
    let &(first, format) = formats.first().ok_or(RecordError::NoInput)?;
    if let Some((other, other_format)) = formats.iter().find(|(_, other)| *other != format) {
        let of = |name: &str, format: &Format| format!("{name} ({format})");
        return Err(RecordError::Mixed { one: of(first, format), other: of(other, other_format) });
    }
    let Some((_, replay)) = REPLAYS.into_iter().find(|(replayed, _)| *replayed == format) else {
        return Err(RecordError::NotReplayed { name: first.clone(), format });
    };
    let name = files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    replay(files, names).map_err(|source| OpenError::format(&name, format, source).into())
}

pub(crate) fn open_input(path: &Path) -> Result<NamedContent, RecordError> {
    let name = path.display().to_string();
    let content = match SessionDirectory::open(path) {
        Ok(Some(session)) => session_stream(|out| session.write(out)),
        Ok(None) => open_content(path),
        Err(error) => Err(error),
    };
    Ok((name.clone(), content.map_err(|source| RecordError::Io { name, source })?))
}
