//! Reassembles a packed file from its parts.

use std::io::{self, Seek, SeekFrom, Write};

use recount_model::{FindingKind, Health};

use super::PackedFile;
use crate::{CaptureError, Log, RecordKind};

/// The contents of a packed file, piece by piece in the file's order.
enum FilePart<'a> {
    /// Bytes from `ofs` on.
    There { ofs: u64, bytes: &'a [u8] },
    /// Bytes from `ofs` to `end` are not there.
    Missing { ofs: u64, end: u64, why: String },
}

/// Calls back for every part of a packed file and every gap between them. `file` gives the end.
fn each_part(
    log: &Log,
    file: &PackedFile,
    mut each: impl FnMut(FilePart<'_>) -> io::Result<()>,
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
                    each(FilePart::Missing { ofs: at, end: ofs, why })?;
                }
                why = None;
                at = end;
                Ok(each(FilePart::There { ofs, bytes })?)
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
        each(FilePart::Missing { ofs: at, end, why })?;
    }
    Ok(())
}

/// Reads a packed file and compares it with its length and checksum; returns what differs.
pub fn check_packed(log: &Log, file: &PackedFile) -> Result<Option<String>, CaptureError> {
    write_packed(log, file, &mut io::sink())
}

/// Writes a packed file; returns why it isn't identical to the original, if so.
pub fn write_packed(
    log: &Log,
    file: &PackedFile,
    out: &mut dyn Write,
) -> Result<Option<String>, CaptureError> {
    let (mut len, mut crc, mut missing) = (0, 0, None);
    each_part(log, file, |found| {
        match found {
            FilePart::There { bytes, .. } => {
                len += bytes.len() as u64;
                crc = crc32c::crc32c_append(crc, bytes);
                return out.write_all(bytes);
            }
            FilePart::Missing { ofs, end, why } => {
                missing.get_or_insert_with(|| shown_missing(ofs, end, &why));
            }
        }
        Ok(())
    })?;
    Ok(missing.or_else(|| file.differs(len, crc)))
}

fn shown_missing(ofs: u64, end: u64, why: &str) -> String {
    format!("bytes {ofs:#x} to {end:#x} of it are missing ({why})")
}

/// Writes what is left of a packed file.
///
/// Missing bytes become zeros, so that everything else is in its place; readers don't mistake them for data. They are
/// noted.
pub fn write_packed_with_gaps(
    log: &Log,
    packed: &PackedFile,
    out: &mut (impl Write + Seek),
    health: &mut Health,
) -> Result<(), CaptureError> {
    let max_end = max_end(log);
    let (mut len, mut crc, mut is_whole) = (0, 0, true);
    each_part(log, packed, |found| {
        match found {
            FilePart::There { ofs, .. } if ofs > max_end => {}
            FilePart::There { bytes, .. } => {
                len += bytes.len() as u64;
                crc = crc32c::crc32c_append(crc, bytes);
                return out.write_all(bytes);
            }
            FilePart::Missing { ofs, end, why } => {
                is_whole = false;
                let what = format!("packed file: {}", shown_missing(ofs, end, &why));
                health.note(FindingKind::Damaged, None, what);
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
    Ok(())
}

/// Limit for the offsets of parts. An impossible offset is damage, and must not determine how large the unpacked file
/// becomes.
fn max_end(log: &Log) -> u64 {
    const LEN_GAP: u64 = 1 << 30;
    let len_listed = (0..log.num_records()).map(|record| log.len_record(record)).fold(0, u64::saturating_add);
    len_listed.saturating_mul(16).saturating_add(LEN_GAP)
}
