//! recount's own capture logs. Files are opened by path, since they may still be being written
//! (`open::Opening::log`).

use std::fmt;
use std::sync::Arc;

use recount_capture::{CaptureError, CaptureSource, Log, MessageSource, ReadAt, RecordKind};
use recount_model::Source;

use super::{BoxError, Dump, Format};
use crate::pack::Structure;

pub(crate) static FORMAT: Format = Format {
    name: "recount capture log (.rcap)",
    plural: ".rcap logs",
    recognise: Log::recognise,
    series: None,
    is_head: None,
    open: |_, _| Err("a capture log inside a capture log: recount unpack gives the inner one back".into()),
    dump: Dump::Structure(|content, max_samples, text| {
        dump_log(Box::new(content.bytes().to_vec()), max_samples, text)
    }),
    structure: |_| Structure::Plain,
    hint: |error| match error.downcast_ref() {
        Some(CaptureError::Version { .. }) => "update recount: newer versions read all older logs",
        _ => "recount verify FILE says what is damaged, recount repair FILE mends it",
    },
};

/// Dumps the structure of a log. The structure of its samples is left to their formats: `recount unpack`
/// extracts them.
pub(crate) fn dump_log(
    input: Box<dyn ReadAt>,
    max_samples: usize,
    text: &mut dyn fmt::Write,
) -> Result<(), BoxError> {
    Ok(recount_capture::dump(input, max_samples, text)?)
}

/// The samples of a log, which are blocks or messages.
pub(crate) fn source_of(log: Log) -> Result<Arc<dyn Source>, CaptureError> {
    Ok(if log.has_kind(RecordKind::MESSAGE_SAMPLE) {
        Arc::new(MessageSource::new(log)?)
    } else {
        Arc::new(CaptureSource::new(log)?)
    })
}
