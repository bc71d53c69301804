//! Archives of Performance Co-Pilot: several files each (`archive_files`).

use std::fmt;
use std::sync::Arc;

use recount_model::{Content, Source};
use recount_pcp::{Archive, PcpError};

use super::{BoxError, Dump, Format, NamedContent};
use crate::OpenOptions;
use crate::pack::Structure;

pub use recount_pcp::metrics_of as pcp_metrics_of;

pub(crate) static FORMAT: Format = Format {
    name: "Performance Co-Pilot archive",
    plural: "PCP archives",
    recognise: recount_pcp::recognise,
    series: None,
    is_head: None,
    open,
    dump: Dump::Structure(dump),
    structure: |_| Structure::Plain,
    hint: |error| match error.downcast_ref() {
        Some(PcpError::NoMeta { .. } | PcpError::NoVolume { .. }) => {
            "an archive is NAME.meta and NAME.0, NAME.1, ... in one directory: name NAME, or any of them \
             (recount unpack first, if they are packed)"
        }
        Some(PcpError::Version1 { .. }) => "pmlogrewrite of an old PCP makes version 2 of it",
        Some(PcpError::Features { .. }) => "update recount, or make a plain copy with pmlogextract",
        _ => "copy the archive again from its machine, with all its files",
    },
};

fn open(files: Vec<NamedContent>, _: &OpenOptions) -> Result<Arc<dyn Source>, BoxError> {
    Ok(Arc::new(Archive::open(files)?))
}

fn dump(content: &dyn Content, max_samples: usize, text: &mut dyn fmt::Write) -> Result<(), BoxError> {
    Ok(recount_pcp::dump("its label", content.bytes(), max_samples, text)?)
}
