//! Writing performance logs.

mod entry;
mod log;
mod record;
mod trace_header;

pub use log::BlgWriter;
pub use record::{InstanceValue, RecordBuf};
