//! Writes a file into a log.

use std::fs::File;
use std::io;

use recount_model::{Piece, Sink, Timestamp};

use super::PackedFile;
use crate::{CaptureError, LogWriter, RecordKind, Sync, WriterOptions};

/// zstd level: higher ones save little and take several times as long.
const LEVEL: i32 = 9;
/// Files of up to this length are packed at a higher level, since they take little time anyway.
const LEN_SHORT: usize = 4 << 20;
const LEVEL_SHORT: i32 = 19;

/// Writes a file into a log, part by part.
pub struct PackWriter<'a> {
    writer: LogWriter,
    file: PackedFile,
    bytes: &'a [u8],
    is_crc_known: bool,
    crc: u32,
    ofs: usize,
}

/// A log that holds a whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedLog {
    /// What the log says about the file.
    pub file: PackedFile,
    /// Number of its parts.
    pub num_parts: u64,
    /// Bytes of the log.
    pub len: u64,
}

impl<'a> PackWriter<'a> {
    /// Raw bytes per chunk: repetitions further apart than this aren't found.
    pub const LEN_CHUNK: usize = 16 << 20;

    /// Begins a log for a file with these bytes. The caller syncs it, once.
    pub fn new(out: File, file: PackedFile, bytes: &'a [u8]) -> Result<PackWriter<'a>, CaptureError> {
        let is_short = bytes.len() <= LEN_SHORT;
        let level = if is_short { LEVEL_SHORT } else { LEVEL };
        let options = WriterOptions { sync: Sync::None, len_chunk: Self::LEN_CHUNK, level, tail: false };
        let mut writer = LogWriter::new(out, options)?;
        // Long files are read once, so their checksum is written after them.
        let known_crc = is_short.then(|| crc32c::crc32c(bytes));
        writer.facts(&PackedFile { crc: known_crc, ..file.clone() }.facts())?;
        Ok(PackWriter { writer, file, bytes, is_crc_known: is_short, crc: 0, ofs: 0 })
    }

    /// Writes the next `len` bytes of the file, which `pieces` divide.
    pub fn part(&mut self, len: usize, pieces: &[Piece]) -> io::Result<()> {
        let record = &self.bytes[self.ofs..self.ofs + len];
        self.crc = crc32c::crc32c_append(self.crc, record);
        self.writer.append(Timestamp(self.ofs as i64), RecordKind::FILE_PART, record, pieces)?;
        self.ofs += len;
        Ok(())
    }

    /// Closes the log.
    pub fn finish(mut self) -> Result<PackedLog, CaptureError> {
        let file = PackedFile { crc: Some(self.crc), ..self.file };
        if !self.is_crc_known {
            self.writer.facts(&file.facts())?;
        }
        let num_parts = self.writer.num_records();
        Ok(PackedLog { file, num_parts, len: self.writer.finish()? })
    }
}
