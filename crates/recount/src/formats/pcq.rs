//! Sessions of MS-PCQ messages.

use std::fmt;
use std::sync::Arc;

use recount_model::{Content, Source};
use recount_pcq::SessionSource;

use super::{BoxError, Dump, Format, NamedContent, single};
use crate::OpenOptions;
use crate::pack::Structure;

pub(crate) static FORMAT: Format = Format {
    name: "MS-PCQ session (.pcq)",
    plural: "MS-PCQ sessions",
    recognise: SessionSource::recognise,
    series: None,
    is_head: None,
    open,
    dump: Dump::Structure(dump),
    structure: |_| Structure::Plain,
    hint: |_| "a session is a stream of messages, as recount unpack writes it, or a directory of MS-PCQ buffers",
};

fn open(files: Vec<NamedContent>, _: &OpenOptions) -> Result<Arc<dyn Source>, BoxError> {
    let (_, content) = single(files)?;
    Ok(Arc::new(SessionSource::open(content)?))
}

fn dump(content: &dyn Content, max_samples: usize, text: &mut dyn fmt::Write) -> Result<(), BoxError> {
    let mut num_shown = 0;
    for item in recount_pcq::messages(content.bytes(), 0) {
        match item.message {
            Ok(message) => {
                num_shown += usize::from(message.is_sample());
                if num_shown > max_samples {
                    break;
                }
                recount_pcq::dump(&message, item.ofs as u64, text)?;
            }
            Err(error) => writeln!(text, "! {error}")?,
        }
    }
    Ok(())
}
