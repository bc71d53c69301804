//! A log as a file that others have as well: its recorder, readers, who marks it and who repairs it.

mod inbox;
mod lock;
mod open;
mod repair;
mod take_in;

pub use inbox::{Inbox, Request, Waiting};
pub use open::{open_log, open_with_marks};
pub use repair::{RepairDone, RepairError, RepairOptions, RepairReport, repair_file};
pub use take_in::{take_in, take_in_last};
