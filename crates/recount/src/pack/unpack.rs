//! A packed file out of its log.

use std::io::{BufWriter, Seek, Write};
use std::sync::Arc;

use recount_capture::{CaptureError, Log, RecordKind};
use recount_model::Content;

use crate::content::map_file;

/// Whether a log holds a file of another format, not samples.
fn is_packed(log: &Log) -> bool {
    log.record_info(0).is_some_and(|(_, kind)| kind == RecordKind::FILE_PART)
}

/// The bytes of a packed file, in a file that goes away with them; `None`: the log holds no file.
pub(crate) fn unpack_content(log: &Log) -> Result<Option<Arc<dyn Content>>, CaptureError> {
    if !is_packed(log) {
        return Ok(None);
    }
    let mut out = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
    write_parts(log, &mut out)?;
    let mut file = out.into_inner().map_err(|error| CaptureError::Io(error.into_error()))?;
    file.rewind()?;
    Ok(Some(map_file(&file)?))
}

/// Writes the parts one behind the other. Fails at the first that can't be had: without it the rest has no place.
fn write_parts(log: &Log, out: &mut impl Write) -> Result<(), CaptureError> {
    log.for_each_record(|_, part| match part {
        Ok(part) => Ok(out.write_all(part)?),
        Err(CaptureError::Damaged { place, what }) => {
            Err(CaptureError::Damaged { place: place.clone(), what: what.clone() })
        }
        Err(error) => Err(CaptureError::Io(std::io::Error::other(error.to_string()))),
    })
}
