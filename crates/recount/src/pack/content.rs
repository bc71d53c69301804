//! A packed file put together from its parts.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

use recount_capture::{CaptureError, Log, RecordKind};
use recount_model::{Content, FindingKind, Health};

use super::PackedFile;
use crate::content::map_file;

/// What a log holds of its file, piece by piece in the file's order.
pub(super) enum Found<'a> {
    /// Bytes from `ofs` on.
    Part { ofs: u64, bytes: &'a [u8] },
    /// Bytes from `ofs` to `end` are not there.
    Missing { ofs: u64, end: u64, why: String },
}

/// Hands over the parts of a packed file and the gaps between them. `file` says where it ends.
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

/// Reads a packed file and compares it with its length and checksum; gives what differs.
pub(crate) fn check_packed(log: &Log, file: &PackedFile) -> Result<Option<String>, CaptureError> {
    write_whole(log, file, &mut io::sink())
}

/// Writes a packed file; gives what keeps it from being the one that was packed.
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

/// The bytes of a packed file, in a file that goes away with them; `None`: the log holds no file.
///
/// Missing bytes are zeros, so that everything else is in its place; readers don't take these for data. They are noted.
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

/// How far the parts that a log lists may be apart: a place that can't be is damage as well, and what is read of the file
/// is not to be sized by it.
fn max_end(log: &Log) -> u64 {
    const LEN_GAP: u64 = 1 << 30;
    let len_listed = (0..log.num_records()).map(|record| log.len_record(record)).fold(0, u64::saturating_add);
    len_listed.saturating_mul(16).saturating_add(LEN_GAP)
}
