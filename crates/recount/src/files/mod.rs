//! What lies on disk: files, directories, archives of several files, and what their names say.

pub(crate) mod archive_files;
pub(crate) mod bundle;
pub(crate) mod content;
pub(crate) mod given;
pub(crate) mod guarded;
#[cfg(unix)]
pub(crate) mod lost_pages;
pub(crate) mod spool;
pub(crate) mod table_directory;
pub(crate) mod unread;
pub(crate) mod walk;
