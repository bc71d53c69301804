//! Writing a log.

mod close;
mod fault;
mod room;
mod seal;
mod storage;
mod sync;
mod watch;
mod writer;

pub use close::Closed;
pub use storage::Storage;
pub use sync::Sync;
pub use watch::FileState;
pub use writer::{LogWriter, WriterOptions};
