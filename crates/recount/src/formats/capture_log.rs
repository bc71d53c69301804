//! recount's own capture logs. Those in files are opened by their path, since they may still be written
//! (`open::Opening::log`).

use std::sync::Arc;

use recount_capture::{CaptureError, CaptureSource, Log, MessageSource, RecordKind};
use recount_model::Source;

use super::{Dump, Format};
use crate::pack::Structure;

pub(crate) static FORMAT: Format = Format {
    name: "recount capture log (.rcap)",
    recognise: Log::recognise,
    series: None,
    open: |_, _| Err("a capture log inside a capture log: recount unpack gives the inner one back".into()),
    dump: Dump::Refused {
        because: "`dump` does not support capture logs",
        hint: "recount unpack gives what it holds, and that can be dumped",
    },
    structure: |_| Structure::Plain,
    replay: None,
    hint: |error| match error.downcast_ref() {
        Some(CaptureError::Version { .. }) => "update recount: newer versions read all older logs",
        _ => "recount verify FILE says what is damaged, recount repair FILE mends it",
    },
};

/// The samples of a log, blocks or messages.
pub(crate) fn source_of(log: Log) -> Result<Arc<dyn Source>, CaptureError> {
    Ok(if log.has_kind(RecordKind::MESSAGE_SAMPLE) {
        Arc::new(MessageSource::new(log)?)
    } else {
        Arc::new(CaptureSource::new(log)?)
    })
}
