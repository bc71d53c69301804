//! Other machines.

use std::sync::Arc;

use recount_model::Selection;
use recount_pcq::{Message, SessionSource};
use recount_record::{LiveError, LiveSource, SampleForm, is_wanted};
use recount_remote::{RemoteOptions, RemoteSource};

use super::RecordError;
use crate::formats::PCQ;
use crate::{Capture, OpenError, OpenOptions, open_bytes_with};

pub(super) fn open(
    options: &RemoteOptions,
    selection: &Selection,
) -> Result<Box<dyn LiveSource>, RecordError> {
    let selection = selection.clone();
    let wanted = move |name: &str, default_on: bool| is_wanted(None, &selection, name, default_on);
    Ok(Box::new(RemoteSource::connect(options.clone(), wanted)?))
}

/// What another machine counts: an in-memory capture with its countersets or objects, and one sample.
pub fn browse(options: &RemoteOptions) -> Result<Capture, RecordError> {
    let mut source = open(options, &Selection::all())?;
    source.take().map_err(LiveError::from)?;
    let name = options.host.to_string();
    if source.form() == SampleForm::Block {
        let names = source.texts().into_iter().next().map(|(_, names)| names).unwrap_or_default();
        return Ok(open_bytes_with(name, source.sample().to_vec(), &OpenOptions::with_names(names))?);
    }
    let mut stream = Vec::new();
    for message in source.messages() {
        stream.extend_from_slice(&message);
        stream.resize(stream.len().next_multiple_of(Message::ALIGNMENT), 0);
    }
    stream.extend_from_slice(source.sample());
    // Messages don't name their machine.
    let opened = SessionSource::open_as(Arc::new(stream), options.host.name.as_str().into());
    let session = opened.map_err(|source| OpenError::format(&name, &PCQ, source.into()))?;
    Ok(Capture::new(vec![name], &PCQ, Arc::new(session)))
}
