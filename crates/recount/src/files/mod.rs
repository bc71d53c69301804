//! What lies on disk: files, directories, archives of several files, and what their names say.

pub(crate) mod archive_files;
pub(crate) mod content;
pub(crate) mod guarded;
pub(crate) mod log_series;
#[cfg(unix)]
pub(crate) mod lost_pages;
pub(crate) mod table_directory;
pub(crate) mod walk;
