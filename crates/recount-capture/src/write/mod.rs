//! Writing a log.

mod seal;
mod storage;
mod sync;
mod writer;

pub use storage::Storage;
pub use sync::Sync;
pub use writer::{LogWriter, WriterOptions};
