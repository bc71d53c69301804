//! Writing new performance logs.

mod log;
mod record;

pub use log::BlgWriter;
pub use record::{InstanceValue, RecordBuf};
