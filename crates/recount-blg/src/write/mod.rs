//! Writing performance logs from nothing.

mod log;
mod record;

pub use log::BlgWriter;
pub use record::{InstanceValue, RecordBuf};
