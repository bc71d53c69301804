//! Where the files of a directory are: on a disk, or given by the caller.

use std::io;
use std::path::{Path, PathBuf};

use recount_model::Content;
use recount_pcq::SessionDirectory;
use recount_tables::InputFile;
use std::sync::Arc;

use super::Opening;
use crate::OpenError;
use crate::files::spool::session_stream;
use crate::files::table_directory::find_tables;

/// Directories, and how to open what is in them.
pub(super) trait Place {
    /// The files in a directory, by name, without hidden ones.
    fn files_in(&self, directory: &Path) -> io::Result<Vec<PathBuf>>;

    /// The folders in a directory, the first by name at the end, without hidden ones. What can't be read has none.
    fn folders_in(&self, directory: &Path) -> Vec<PathBuf>;

    /// A path that is the same for the same folder; `None` if it is gone.
    fn real(&self, folder: &Path) -> Option<PathBuf>;

    /// The tables that a directory is.
    fn tables(&self, directory: &Path) -> io::Result<Option<Vec<InputFile>>>;

    /// The session that a directory is.
    fn session(&self, directory: &Path) -> io::Result<Option<SessionDirectory>>;

    /// The buffers of a session, as a stream.
    fn stream(&self, session: &SessionDirectory) -> io::Result<Arc<dyn Content>>;

    /// Opens a file.
    fn open(&self, opening: &mut Opening<'_>, file: &Path) -> Result<(), OpenError>;
}

/// A disk.
pub(super) struct Disk;

impl Place for Disk {
    fn files_in(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let mut inside: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?.path();
            if entry.is_file() && !is_hidden(&entry) {
                inside.push(entry);
            }
        }
        inside.sort();
        Ok(inside)
    }

    fn folders_in(&self, directory: &Path) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir() && !is_hidden(path)).collect();
        folders.sort_by(|one, other| other.cmp(one));
        folders
    }

    fn real(&self, folder: &Path) -> Option<PathBuf> {
        folder.canonicalize().ok()
    }

    fn tables(&self, directory: &Path) -> io::Result<Option<Vec<InputFile>>> {
        find_tables(directory)
    }

    fn session(&self, directory: &Path) -> io::Result<Option<SessionDirectory>> {
        SessionDirectory::open(directory)
    }

    fn stream(&self, session: &SessionDirectory) -> io::Result<Arc<dyn Content>> {
        session_stream(|out| session.write(out))
    }

    fn open(&self, opening: &mut Opening<'_>, file: &Path) -> Result<(), OpenError> {
        opening.file(file)
    }
}

pub(super) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
