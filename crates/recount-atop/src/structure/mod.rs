//! The structures of the file, each a table of its fields in order (`formats/atop.md`).

mod cgroup;
mod head;
pub mod layout;
mod system;
mod task;

pub use cgroup::CGROUP;
pub(crate) use head::{FILE_HEADER, Layouts, MAX_TASKS, MAX_TIME, RECORD_HEADER};
pub use head::{FileHeader, LEN_FILE_HEADER, LEN_RECORD_HEADER, Record, Version, flag};
pub use system::SYSTEM;
pub use task::TASK;
