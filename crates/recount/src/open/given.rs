//! Opening files that someone else gives, instead of paths.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_capture::Log;
use recount_model::{Content, Health};
use recount_pcq::{DirectoryEntry, EntryKind, SessionDirectory};
use recount_tables::InputFile;

use super::place::Place;
use super::{Capture, Opening};
use crate::files::archive_files::open_archive;
use crate::files::given::{Given, GivenFile, Shared};
use crate::files::spool::session_stream;
use crate::formats::PCP_ARCHIVE;
use crate::{OpenError, OpenOptions};

/// Opens captures from files that are given by path and content, as [`open_with`](crate::open_with) opens those on a disk:
/// a folder of tables is one capture, dumps of one machine that follow each other and the files of an archive belong together, and files of a
/// folder that aren't captures are skipped, with a note. Capture logs, `.blg` and bundles are read in pieces, as they are
/// needed.
pub fn open_given(files: &[GivenFile], options: &OpenOptions) -> Result<Vec<Capture>, OpenError> {
    let given = Given::new(files).map_err(|name| OpenError::Twice { name: name.to_owned() })?;
    let mut opening = Opening::new(options);
    let top = Path::new("");
    for path in given.files_in(top) {
        given.open(&mut opening, path)?;
    }
    for folder in Given::folders_in(&given, top) {
        opening.input_directory(&given, folder)?;
    }
    opening.finish()
}

impl Place for Given<'_> {
    fn files_in(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(Given::files_in(self, directory).to_vec())
    }

    fn folders_in(&self, directory: &Path) -> Vec<PathBuf> {
        Given::folders_in(self, directory).iter().rev().cloned().collect()
    }

    fn real(&self, folder: &Path) -> Option<PathBuf> {
        Some(folder.to_path_buf())
    }

    fn tables(&self, directory: &Path) -> io::Result<Option<Vec<InputFile>>> {
        let open = |(path, file): (String, &GivenFile)| {
            let content = file
                .content()
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.path)))?;
            Ok(InputFile { name: path.clone(), path, content })
        };
        Given::tables(self, directory).map(|tables| tables.into_iter().map(open).collect()).transpose()
    }

    fn session(&self, directory: &Path) -> io::Result<Option<SessionDirectory>> {
        let entry = |path: &PathBuf, kind| DirectoryEntry { path: path.clone(), kind };
        SessionDirectory::open_by(directory, |path| {
            let files = Given::files_in(self, path).iter().map(|path| entry(path, EntryKind::File));
            let folders = Given::folders_in(self, path).iter().map(|path| entry(path, EntryKind::Directory));
            Ok(files.chain(folders).collect())
        })
    }

    fn stream(&self, session: &SessionDirectory) -> io::Result<Arc<dyn Content>> {
        let read = |path: &Path| {
            let file = self.get(path).ok_or(io::ErrorKind::NotFound)?;
            Ok(file.content()?.bytes().to_vec())
        };
        session_stream(|out| session.write_by(out, read))
    }

    /// One of the files, or the archive that it belongs to.
    fn open(&self, opening: &mut Opening<'_>, path: &Path) -> Result<(), OpenError> {
        let failed = |source| OpenError::Io { name: path.display().to_string(), source };
        if let Some(archive) = self.archive(path) {
            let key = (PCP_ARCHIVE.name(), archive.base.display().to_string());
            if opening.series.contains_key(&key) || opening.left_out.contains(&archive.base) {
                return Ok(());
            }
            let plain = |path: &Path, notes: &mut Health| self.plain(path, notes);
            let opened = open_archive(archive, &plain, &mut opening.notes)?;
            if opening.take_archive(key, archive.base.clone(), opened)? {
                return Ok(());
            }
        }
        let Some(file) = self.get(path) else { return Ok(()) };
        let name = file.path.clone();
        if file.is_log().map_err(failed)? {
            return opening.log(name, Log::open(Box::new(Shared(file.input.clone()))));
        }
        let content = self.plain(path, &mut opening.notes).map_err(failed)?;
        opening.plain(name, content)
    }
}
