//! Raw logs of atop.

use std::fmt;
use std::sync::Arc;

use recount_atop::{AtopError, AtopLog};
use recount_model::{Content, Source};

use super::{BoxError, Dump, Format, NamedContent, dump_each, single};
use crate::OpenOptions;
use crate::pack::Structure;

pub(super) static FORMAT: Format = Format {
    name: "atop raw log",
    plural: "atop raw logs",
    recognise: AtopLog::recognise,
    series: None,
    is_head: Some(AtopLog::is_head),
    open,
    dump: Dump::Structure(dump),
    structure: |_| Structure::Plain,
    hint,
};

fn open(files: Vec<NamedContent>, _: &OpenOptions) -> Result<Arc<dyn Source>, BoxError> {
    let (_, content) = single(files)?;
    Ok(Arc::new(AtopLog::open(content)?))
}

fn dump(content: &dyn Content, max_samples: usize, text: &mut dyn fmt::Write) -> Result<(), BoxError> {
    dump_each(&FORMAT, content, text, |file, text| Ok(recount_atop::dump(file, max_samples, text)?))
}

fn hint(error: &BoxError) -> &'static str {
    match error.downcast_ref() {
        Some(AtopError::TooOld { .. }) => {
            "convert it to a newer version with atopconvert, which comes with atop"
        }
        Some(AtopError::TooNew { .. }) => {
            "a later recount may know this version; that atop prints its logs: atop -r FILE -P ALL"
        }
        Some(AtopError::BigEndian { .. } | AtopError::OtherLength { .. }) => {
            "print it with the atop that wrote it: atop -r FILE -P ALL"
        }
        _ => "copy the file again from its machine: /var/log/atop/atop_YYYYMMDD",
    }
}
