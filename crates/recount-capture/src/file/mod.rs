//! A log as a file shared by recorder, readers, `mark` and `repair`.

mod inbox;
mod lock;
mod mark;
mod open;
mod repair;
mod take_in;

pub use inbox::{Inbox, Request, Waiting};
pub use lock::is_locked;
pub use mark::{MAX_LEN_MARK, MarkLogError, Marked, mark_log};
pub use open::{is_log, open_log, open_log_file, open_with_marks};
pub use repair::{RepairDone, RepairError, RepairOptions, RepairReport, repair_file};
pub use take_in::{take_in, take_in_last};
