//! Files that someone else has opened, such as those that were dropped on a page: by their paths and contents, since nothing
//! can be looked up on a disk.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_capture::{Log, ReadAt};
use recount_model::{Content, Health};
use recount_pcp::{ArchiveFiles, PartName, archives_among};
use recount_tables::{CATALOGUE_FILE, PartitionKey};

use crate::Format;
use crate::files::archive_files::plain_content;
use crate::files::bundle::Bundle;
use crate::files::table_directory::MAX_DEPTH;
use crate::files::unread::{content_of, read, too_large};
use crate::formats::BLG;

/// A file, and how to read it.
#[derive(Clone)]
#[non_exhaustive]
pub struct GivenFile {
    /// Its path, with `/` between folders. Files in a folder are opened as those of a directory, others as files that are
    /// named one by one.
    pub path: String,
    /// Its bytes.
    pub input: Arc<dyn ReadAt>,
}

impl GivenFile {
    /// A file.
    pub fn new(path: impl Into<String>, input: Arc<dyn ReadAt>) -> GivenFile {
        GivenFile { path: path.into(), input }
    }

    /// Whether it is a capture log, which is read in pieces.
    pub(crate) fn is_log(&self) -> io::Result<bool> {
        const LEN_LOOKED_AT: u64 = 64 << 10;
        Ok(Log::recognise(&read(&*self.input, LEN_LOOKED_AT.min(self.input.len()?))?))
    }

    /// Its bytes, which are read when they are needed.
    pub(crate) fn content(&self) -> io::Result<Arc<dyn Content>> {
        content_of(Arc::clone(&self.input))
    }
}

/// A log of which others have the input, too.
pub(crate) struct Shared(pub(crate) Arc<dyn ReadAt>);

impl ReadAt for Shared {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(ofs, out)
    }
}

/// Files by folder.
pub(crate) struct Given<'f> {
    by_path: BTreeMap<&'f Path, &'f GivenFile>,
    folders: BTreeMap<PathBuf, Folder>,
}

/// What is in a folder, by name, without what is hidden in one that was given.
#[derive(Default)]
struct Folder {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    archives: BTreeMap<String, ArchiveFiles>,
}

impl<'f> Given<'f> {
    /// Sorts files; the error is a path that is there twice.
    pub(crate) fn new(files: &'f [GivenFile]) -> Result<Given<'f>, &'f str> {
        let mut given = Given { by_path: BTreeMap::new(), folders: BTreeMap::new() };
        for file in files {
            if given.by_path.insert(Path::new(&file.path), file).is_some() {
                return Err(&file.path);
            }
        }
        for path in given.by_path.keys() {
            add_to_folder(&mut given.folders, path);
        }
        for (path, folder) in &mut given.folders {
            folder.archives =
                archives_among(path, folder.files.iter().filter_map(|path| path.file_name()?.to_str()));
        }
        Ok(given)
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&'f GivenFile> {
        self.by_path.get(path).copied()
    }

    /// The files in a folder; those that are in no folder are in that without a name.
    pub(crate) fn files_in(&self, folder: &Path) -> &[PathBuf] {
        self.folders.get(folder).map_or(&[], |folder| &folder.files)
    }

    /// The folders in a folder.
    pub(crate) fn folders_in(&self, folder: &Path) -> &[PathBuf] {
        self.folders.get(folder).map_or(&[], |folder| &folder.folders)
    }

    /// The archive that a file belongs to by its name.
    pub(crate) fn archive(&self, path: &Path) -> Option<&ArchiveFiles> {
        let base = PartName::of(path.file_name()?.to_str()?)?.base;
        self.folders.get(path.parent()?)?.archives.get(base)
    }

    /// The Parquet files of a folder of tables, with their paths below it; `None` if it isn't one.
    pub(crate) fn tables(&self, folder: &Path) -> Option<Vec<(String, &'f GivenFile)>> {
        let is_partition = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(PartitionKey::is_partition)
        };
        let has_catalogue = self.by_path.contains_key(&*folder.join(CATALOGUE_FILE));
        if !has_catalogue && !self.folders_in(folder).iter().any(is_partition) {
            return None;
        }
        let mut tables = Vec::new();
        self.collect_tables(folder, folder, MAX_DEPTH, &mut tables);
        (!tables.is_empty()).then_some(tables)
    }

    fn collect_tables(
        &self,
        root: &Path,
        folder: &Path,
        depth: usize,
        tables: &mut Vec<(String, &'f GivenFile)>,
    ) {
        for path in self.files_in(folder) {
            if path.extension().is_some_and(|end| end == "parquet")
                && let Some(file) = self.get(path)
                && let Ok(below) = path.strip_prefix(root)
            {
                tables.push((below.display().to_string(), file));
            }
        }
        for inner in self.folders_in(folder).iter().filter(|_| depth > 0) {
            self.collect_tables(root, inner, depth - 1, tables);
        }
    }

    /// The bytes of a file, decompressed if necessary.
    pub(crate) fn plain(&self, path: &Path, notes: &mut Health) -> io::Result<Arc<dyn Content>> {
        let file = self.get(path).ok_or(io::ErrorKind::NotFound)?;
        let content = file.content()?;
        // Only .blg and bundles are read in parts. Rather an error now than content that can't be read.
        let is_in_parts = |head: &[u8]| {
            Bundle::recognise(head).is_some() || Format::recognise(head).is_some_and(|format| *format == BLG)
        };
        if content.head().len() < content.len() && !is_in_parts(content.head()) {
            Vec::<u8>::new().try_reserve_exact(content.len()).map_err(|_| too_large(content.len() as u64))?;
        }
        plain_content(path, content, notes)
    }
}

/// Adds a file to its folder, and that to the folder that it is in.
fn add_to_folder(folders: &mut BTreeMap<PathBuf, Folder>, path: &Path) {
    let is_given = |path: &Path| path.parent() == Some(Path::new(""));
    let Some(parent) = path.parent() else { return };
    if is_given(path) || !is_hidden(path) {
        folders.entry(parent.to_path_buf()).or_default().files.push(path.to_path_buf());
    }
    let mut folder = parent;
    while let Some(parent) = folder.parent() {
        let above = folders.entry(parent.to_path_buf()).or_default();
        // Paths come in order, so that it is the last one if it is known.
        if (is_given(folder) || !is_hidden(folder)) && above.folders.last().is_none_or(|last| last != folder)
        {
            above.folders.push(folder.to_path_buf());
        }
        folder = parent;
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
