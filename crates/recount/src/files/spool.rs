//! Content that is made while it is read, such as what a compressed file holds.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

use recount_capture::{CaptureError, Log, PackedFile, write_packed_with_gaps};
use recount_model::{Content, Health};

use crate::files::content::map_file;

/// Made in a temporary file, since it may be larger than memory; in memory where there are no files, as in a browser.
pub(crate) enum Spool {
    File(BufWriter<File>),
    Memory(io::Cursor<Vec<u8>>),
}

impl Spool {
    pub(crate) fn new() -> io::Result<Spool> {
        if cfg!(target_family = "wasm") {
            return Ok(Spool::Memory(io::Cursor::default()));
        }
        Ok(Spool::File(BufWriter::with_capacity(1 << 20, tempfile::tempfile()?)))
    }

    /// What was written.
    pub(crate) fn into_content(self) -> io::Result<Arc<dyn Content>> {
        match self {
            Spool::File(out) => map_file(&out.into_inner().map_err(io::IntoInnerError::into_error)?),
            Spool::Memory(out) => Ok(Arc::new(out.into_inner())),
        }
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Spool::File(out) => out.write(bytes),
            Spool::Memory(out) => {
                // As an error, not as the end of the program.
                out.get_mut().try_reserve(bytes.len()).map_err(io::Error::other)?;
                out.write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Spool::File(out) => out.flush(),
            Spool::Memory(out) => out.flush(),
        }
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Spool::File(out) => out.seek(to),
            Spool::Memory(out) => out.seek(to),
        }
    }
}

/// The bytes of a file packed in a log; `None`: the log holds no file.
pub(crate) fn unpacked_content(
    log: &Log,
    health: &mut Health,
) -> Result<Option<Arc<dyn Content>>, CaptureError> {
    let Some(packed) = PackedFile::of(log) else { return Ok(None) };
    let mut out = Spool::new()?;
    write_packed_with_gaps(log, &packed, &mut out, health)?;
    Ok(Some(out.into_content()?))
}

/// The buffers of a directory as a stream of messages, which `write` writes.
pub(crate) fn session_stream(
    write: impl FnOnce(&mut Spool) -> io::Result<()>,
) -> io::Result<Arc<dyn Content>> {
    let mut out = Spool::new()?;
    write(&mut out)?;
    out.into_content()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_is_zeros_in_memory_as_in_a_file() {
        let memory = || Spool::Memory(io::Cursor::default());
        for mut spool in [Spool::new().expect("a temporary file"), memory()] {
            spool.write_all(b"ab").expect("room");
            spool.seek(SeekFrom::Start(4)).expect("a place");
            spool.write_all(b"c").expect("room");
            assert_eq!(spool.into_content().expect("content").bytes(), b"ab\0\0c");
        }
        assert!(memory().into_content().expect("content").bytes().is_empty());
    }
}
