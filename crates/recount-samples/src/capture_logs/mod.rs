//! The capture logs of `samples/`, and what is in them.

mod frames;
mod known_texts;
mod machine;
mod recording;
mod storage;
mod tiny;

use std::fs::File;
use std::io;

use recount_capture::{LogWriter, Storage, Sync, WriterOptions};
use recount_model::{Sink, Timestamp};

pub use known_texts::known_texts;
pub use recording::{Item, recording};
pub use tiny::tiny;

/// When the logs were begun, as their headers say: 2026-03-29T00:59:49Z.
const CREATED: Timestamp = Timestamp(134_192_195_890_000_000);
/// Bytes of records that make a chunk: five or six samples.
const LEN_CHUNK: usize = 12 << 10;
/// Items that were written when the recorder was killed.
pub const NUM_ITEMS_KILLED: usize = 18;
/// Bytes that the last frame of `killed.rcap` lacks.
const LEN_TORN: usize = 100;

/// Every log with its name.
pub fn all() -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    let items = recording();
    let closed = closed(&items, b"closed: recount\0", LEN_CHUNK)?;
    let killed = killed(&items[..NUM_ITEMS_KILLED])?;
    Ok(vec![
        ("rcap-1/damaged.rcap", frames::with_flipped_bit(&closed)?),
        ("rcap-1/foreign.rcap", frames::with_foreign_frames(&closed)?),
        ("rcap-1/closed.rcap", closed),
        ("rcap-1/killed.rcap", killed),
        ("rcap-1/known-texts.rcap", self::closed(&known_texts(), b"known: recount !", LEN_CHUNK)?),
        ("rcap-1/sealing.rcap", sealing(&items)?),
        ("rcap-1/tiny.rcap", self::closed(&tiny(), b"tiny : recount !", 200)?),
    ])
}

fn options(len_chunk: usize) -> WriterOptions {
    WriterOptions { sync: Sync::None, len_chunk, ..WriterOptions::default() }
}

/// Written to the end.
fn closed(items: &[Item], id: &[u8; 16], len_chunk: usize) -> io::Result<Vec<u8>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("closed.rcap");
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    let mut writer = LogWriter::with_identity(file, options(len_chunk), *id, CREATED)?;
    write(items, &mut writer)?;
    writer.finish()?;
    std::fs::read(path)
}

/// The recorder was killed while it wrote a record: that one is torn, those before it are in the tail.
fn killed(items: &[Item]) -> io::Result<Vec<u8>> {
    let memory = storage::Memory::default();
    let mut writer =
        LogWriter::with_identity(memory.clone(), options(LEN_CHUNK), *b"killed: recount\0", CREATED)?;
    write(items, &mut writer)?;
    let mut bytes = memory.bytes();
    bytes.truncate(bytes.len() - LEN_TORN);
    Ok(bytes)
}

/// The machine lost its power while the first chunk was written over the tail: half of it is there, and its copy.
fn sealing(items: &[Item]) -> io::Result<Vec<u8>> {
    let memory = storage::Memory::that_dies_in_sealing();
    let mut writer =
        LogWriter::with_identity(memory.clone(), options(LEN_CHUNK), *b"sealing: recount", CREATED)?;
    write(items, &mut writer)?;
    Ok(memory.bytes())
}

fn write<S: Storage>(items: &[Item], writer: &mut LogWriter<S>) -> io::Result<()> {
    for item in items {
        match item {
            Item::Facts(facts) => writer.facts(facts)?,
            Item::Texts(language, texts) => writer.texts(language, &mut texts.iter().copied())?,
            Item::Block(time, block) => writer.block(*time, block)?,
            Item::Event(event) => writer.event(event)?,
            Item::Other(time, kind, record) => writer.append(*time, *kind, record, &[])?,
            Item::Pieces(time, kind, record, pieces) => writer.append(*time, *kind, record, pieces)?,
        }
    }
    Ok(())
}
