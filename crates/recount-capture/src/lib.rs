//! The capture log (`.rcap`).

mod bytes;
mod chunk;
mod error;
mod frame;
mod log;
mod numbers;
mod payload;
mod read_at;
mod record;
mod source;
mod write;
mod zip;

pub use error::CaptureError;
pub use log::Log;
pub use read_at::ReadAt;
pub use record::RecordKind;
pub use source::CaptureSource;
pub use write::{LogWriter, Storage, Sync, WriterOptions};
