//! sysstat's daily data files.

use std::fmt;
use std::sync::Arc;

use recount_model::{Content, Source};
use recount_sysstat::{SaError, SaSource};

use super::{BoxError, Dump, Format, NamedContent, dump_each, single};
use crate::OpenOptions;
use crate::pack::Structure;

pub(super) static FORMAT: Format = Format {
    name: "sysstat daily data (sa)",
    plural: "sysstat sa files",
    recognise: SaSource::recognise,
    series: None,
    is_head: Some(SaSource::is_head),
    open,
    dump: Dump::Structure(dump),
    structure: |_| Structure::Plain,
    hint,
};

fn open(files: Vec<NamedContent>, _: &OpenOptions) -> Result<Arc<dyn Source>, BoxError> {
    let (_, content) = single(files)?;
    Ok(Arc::new(SaSource::open(content)?))
}

fn dump(content: &dyn Content, max_samples: usize, text: &mut dyn fmt::Write) -> Result<(), BoxError> {
    dump_each(&FORMAT, content, text, |file, text| Ok(recount_sysstat::dump(file, max_samples, text)?))
}

fn hint(error: &BoxError) -> &'static str {
    match error.downcast_ref() {
        Some(SaError::Text) => {
            "name the binary file that sar read, such as /var/log/sa/sa22 or /var/log/sysstat/sa22"
        }
        Some(SaError::TooOld { .. }) => {
            "read it with the sar of that time: sar -A -f FILE, or sadf -x FILE -- -A"
        }
        Some(SaError::UnknownFormat { .. }) => {
            "update recount; until then, the sadf of that version prints the values: sadf -j FILE -- -A"
        }
        Some(SaError::Header(_)) => {
            "the header is damaged, or another program wrote the file: copy it again from its machine"
        }
        _ => "name the binary file that sar reads, such as /var/log/sa/sa22 or /var/log/sysstat/sa22",
    }
}
