//! Windows performance logs.

use std::fmt;
use std::sync::Arc;

use recount_blg::BlgSource;

use recount_model::{Content, Source};

use super::{BoxError, Dump, Format, NamedContent, single};
use crate::OpenOptions;
use crate::pack::{MAX_LEN_UNIT, Structure};

pub(crate) static FORMAT: Format = Format {
    name: "Windows performance log (.blg)",
    plural: "Windows .blg logs",
    recognise: BlgSource::recognise,
    series: None,
    is_head: None,
    open,
    dump: Dump::Structure(dump),
    structure,
    hint: |_| "copy the file again from its machine, after the data collector has stopped",
};

fn open(files: Vec<NamedContent>, _: &OpenOptions) -> Result<Arc<dyn Source>, BoxError> {
    let (_, content) = single(files)?;
    Ok(Arc::new(BlgSource::open(content)?))
}

fn dump(content: &dyn Content, max_samples: usize, text: &mut dyn fmt::Write) -> Result<(), BoxError> {
    Ok(recount_blg::dump(content, max_samples, text)?)
}

fn structure(bytes: &[u8]) -> Structure {
    match recount_blg::buffer_len(bytes) {
        Some(len) if len <= MAX_LEN_UNIT => Structure::Buffers(len),
        _ => Structure::Plain,
    }
}
