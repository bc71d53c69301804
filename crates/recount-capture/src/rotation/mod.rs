//! The logs of a recording: names with a time in them, marks taken in while they are written, and the oldest deleted.

mod log_file;
mod log_files;
mod series;

pub use log_files::{DeletedLogs, LogFiles, LogFilesError, LogFilesOptions};
pub use series::newest_of_series;
