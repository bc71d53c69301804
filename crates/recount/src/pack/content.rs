//! Reassembles a packed file from its parts.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

use recount_capture::{CaptureError, Log, RecordKind};
use recount_model::{Content, FindingKind, Health};

use super::PackedFile;
use crate::files::content::map_file;

/// The contents of a packed file, piece by piece in the file's order.
pub(super) enum Found<'a> {
    /// Bytes from `ofs` on.
    Part { ofs: u64, bytes: &'a [u8] },
    /// Bytes from `ofs` to `end` are not there.
    Missing { ofs: u64, end: u64, why: String },
}

/// Calls back for every part of a packed file and every gap between them. `file` gives the end.
pub(super) fn each_part(
    log: &Log,
    file: &PackedFile,
    mut each: impl FnMut(Found<'_>) -> io::Result<()>,
) -> Result<(), CaptureError> {
    let (mut at, mut why) = (0, None);
    log.for_each_record(|record, part| {
        let Some((place, RecordKind::FILE_PART)) = log.record_info(record) else {
            return Ok::<(), CaptureError>(());
        };
        match part {
            Ok(bytes) => {
                let ofs = place.0 as u64;
                let end = ofs.checked_add(bytes.len() as u64).filter(|_| ofs >= at);
                let Some(end) = end else {
                    why.get_or_insert_with(|| format!("record {record} is out of place"));
                    return Ok(());
                };
                if ofs > at {
                    let why = why.take().unwrap_or_else(|| "its records are missing".to_owned());
                    each(Found::Missing { ofs: at, end: ofs, why })?;
                }
                why = None;
                at = end;
                Ok(each(Found::Part { ofs, bytes })?)
            }
            Err(CaptureError::Damaged { place, what }) => {
                why.get_or_insert_with(|| format!("{place}: {what}"));
                Ok(())
            }
            Err(error) => Err(CaptureError::Io(io::Error::other(error.to_string()))),
        }
    })?;
    if let Some(end) = file.len.filter(|len| *len > at) {
        let why = why.unwrap_or_else(|| "its records are missing".to_owned());
        each(Found::Missing { ofs: at, end, why })?;
    }
    Ok(())
}

/// Reads a packed file and compares it with its length and checksum; returns what differs.
pub(crate) fn check_packed(log: &Log, file: &PackedFile) -> Result<Option<String>, CaptureError> {
    write_whole(log, file, &mut io::sink())
}

/// Writes a packed file; returns why it isn't identical to the original, if so.
pub(super) fn write_whole(
    log: &Log,
    file: &PackedFile,
    out: &mut dyn Write,
) -> Result<Option<String>, CaptureError> {
    let (mut len, mut crc, mut missing) = (0, 0, None);
    each_part(log, file, |found| {
        match found {
            Found::Part { bytes, .. } => {
                len += bytes.len() as u64;
                crc = crc32c::crc32c_append(crc, bytes);
                return out.write_all(bytes);
            }
            Found::Missing { ofs, end, why } => {
                missing.get_or_insert_with(|| told_missing(ofs, end, &why));
            }
        }
        Ok(())
    })?;
    Ok(missing.or_else(|| file.differs(len, crc)))
}

fn told_missing(ofs: u64, end: u64, why: &str) -> String {
    format!("bytes {ofs:#x} to {end:#x} of it are missing ({why})")
}

/// The bytes of a packed file, in a temporary file; `None`: the log holds no file.
///
/// Missing bytes become zeros, so that everything else is in its place; readers don't mistake them for data. They are
/// noted.
pub(crate) fn unpack_content(
    log: &Log,
    health: &mut Health,
) -> Result<Option<Arc<dyn Content>>, CaptureError> {
    let Some(packed) = PackedFile::of(log) else { return Ok(None) };
    let max_end = max_end(log);
    let mut out = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
    let (mut len, mut crc, mut is_whole) = (0, 0, true);
    each_part(log, &packed, |found| {
        match found {
            Found::Part { ofs, .. } if ofs > max_end => {}
            Found::Part { bytes, .. } => {
                len += bytes.len() as u64;
                crc = crc32c::crc32c_append(crc, bytes);
                return out.write_all(bytes);
            }
            Found::Missing { ofs, end, why } => {
                is_whole = false;
                health.note(
                    FindingKind::Damaged,
                    None,
                    format!("packed file: {}", told_missing(ofs, end, &why)),
                );
                if end <= max_end {
                    out.seek(SeekFrom::Start(end))?;
                }
            }
        }
        Ok(())
    })?;
    if is_whole && let Some(what) = packed.differs(len, crc) {
        health.note(FindingKind::Damaged, None, format!("packed file: {what}"));
    }
    let file: File = out.into_inner().map_err(|error| CaptureError::Io(error.into_error()))?;
    Ok(Some(map_file(&file)?))
}

/// Limit for the offsets of parts. An impossible offset is damage, and must not determine how large the unpacked file
/// becomes.
fn max_end(log: &Log) -> u64 {
    const LEN_GAP: u64 = 1 << 30;
    let len_listed = (0..log.num_records()).map(|record| log.len_record(record)).fold(0, u64::saturating_add);
    len_listed.saturating_mul(16).saturating_add(LEN_GAP)
}
