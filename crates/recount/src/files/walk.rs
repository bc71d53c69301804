//! Finds everything below some paths that may be a capture, by names alone: nothing is opened.

use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use recount_pcp::{PartName, archives_among, is_companion};
use recount_pcq::SessionDirectory;

use crate::files::archive_files::no_meta;
use crate::files::table_directory::table_files;

/// A file, or files that belong together.
#[derive(Debug)]
pub(crate) struct Found {
    /// What to open: an absolute path.
    pub(crate) path: PathBuf,
    /// The requested directory, or the one that holds the requested file.
    root: Arc<Path>,
    pub(crate) stamp: Stamp,
    /// For what looks like a PCP archive by its names: the files, in case they turn out not to be one.
    pub(crate) parts: Vec<Found>,
}

/// Properties that change when a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Total size of all its files, in bytes.
    pub(crate) size: i64,
    /// Modification time of the newest, in microseconds since 1970.
    pub(crate) modified: i64,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// By path, each once.
    pub(crate) found: Vec<Found>,
    /// Directories that could not be read, and files whose metadata could not be read.
    pub(crate) failed: Vec<(PathBuf, io::Error)>,
}

/// Walks paths. Hidden files and `except` are left out; links are followed. It is an error if one of the paths can't be
/// accessed.
pub(crate) fn walk(paths: &[PathBuf], except: Option<&Path>) -> Result<Walked, (PathBuf, io::Error)> {
    let except = except.and_then(|path| path.canonicalize().ok());
    let mut walk = Walk { except, seen: HashSet::new(), waiting: Vec::new(), walked: Walked::default() };
    for path in paths {
        walk.root(path).map_err(|error| (path.clone(), error))?;
    }
    let mut walked = walk.walked;
    walked.found.sort_by(|one, other| one.path.cmp(&other.path));
    walked.found.dedup_by(|one, other| one.path == other.path);
    Ok(walked)
}

impl Found {
    /// Its path below the requested directory.
    pub(crate) fn below(&self) -> &Path {
        self.path.strip_prefix(&self.root).unwrap_or(&self.path)
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> io::Result<Stamp> {
        let modified = metadata.modified()?;
        let micros = match modified.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_micros()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |micros| -micros),
        };
        Ok(Stamp { size: i64::try_from(metadata.len()).unwrap_or(i64::MAX), modified: micros })
    }

    /// That of a file, or of all files in a directory; `None` if there is none.
    pub(crate) fn of_output(path: &Path) -> Option<Stamp> {
        let metadata = path.metadata().ok()?;
        if !metadata.is_dir() {
            return Stamp::of(&metadata).ok();
        }
        let mut all = Stamp { size: 0, modified: i64::MIN };
        for entry in std::fs::read_dir(path).ok()? {
            all = all.and(Stamp::of_output(&entry.ok()?.path())?);
        }
        Some(all)
    }

    fn of_all<'p>(files: impl IntoIterator<Item = &'p Path>) -> io::Result<Stamp> {
        let mut all = Stamp { size: 0, modified: i64::MIN };
        for file in files {
            all = all.and(Stamp::of(&file.metadata()?)?);
        }
        Ok(all)
    }

    fn and(self, other: Stamp) -> Stamp {
        Stamp { size: self.size.saturating_add(other.size), modified: self.modified.max(other.modified) }
    }
}

struct Walk {
    except: Option<PathBuf>,
    /// Directories that were read, to detect cycles of links.
    seen: HashSet<PathBuf>,
    waiting: Vec<(Arc<Path>, PathBuf)>,
    walked: Walked,
}

impl Walk {
    fn root(&mut self, path: &Path) -> io::Result<()> {
        let path = std::path::absolute(path)?;
        if path.is_dir() {
            self.waiting.push((Arc::from(path.as_path()), path));
            while let Some((root, directory)) = self.waiting.pop() {
                if let Err(error) = self.directory(&root, &directory) {
                    if *directory == *root {
                        return Err(error);
                    }
                    self.failed(directory, error);
                }
            }
            return Ok(());
        }
        let directory = path.parent().unwrap_or(&path).to_path_buf();
        let root: Arc<Path> = Arc::from(directory.as_path());
        if let Some(archive) = recount_pcp::find_archive(&path)? {
            let files = archive.files.iter().map(|file| Ok((file.clone(), Stamp::of(&file.metadata()?)?)));
            let files = files.collect::<io::Result<Vec<_>>>()?;
            self.archive(&root, files);
            return Ok(());
        }
        if let Some(error) = no_meta(&path)? {
            return Err(io::Error::new(io::ErrorKind::NotFound, error));
        }
        let stamp = Stamp::of(&path.metadata()?)?;
        self.push(&root, path, stamp);
        Ok(())
    }

    fn failed(&mut self, path: PathBuf, error: io::Error) {
        // A file that was deleted in the meantime is no failure.
        if error.kind() != io::ErrorKind::NotFound {
            self.walked.failed.push((path, error));
        }
    }

    fn push(&mut self, root: &Arc<Path>, path: PathBuf, stamp: Stamp) {
        self.walked.found.push(Found { path, root: Arc::clone(root), stamp, parts: Vec::new() });
    }

    /// The files of an archive, `.meta` first.
    fn archive(&mut self, root: &Arc<Path>, files: Vec<(PathBuf, Stamp)>) {
        let Some((meta, _)) = files.first() else { return };
        let stamp = files.iter().fold(Stamp { size: 0, modified: i64::MIN }, |all, (_, one)| all.and(*one));
        let path = meta.clone();
        let part = |(path, stamp)| Found { path, root: Arc::clone(root), stamp, parts: Vec::new() };
        let parts = files.into_iter().map(part).collect();
        self.walked.found.push(Found { path, root: Arc::clone(root), stamp, parts });
    }

    fn directory(&mut self, root: &Arc<Path>, path: &Path) -> io::Result<()> {
        if !self.seen.insert(path.canonicalize()?) {
            return Ok(());
        }
        // If the requested directory is itself one capture, its path is relative to its parent.
        let above: Arc<Path> = match path.parent() {
            Some(parent) if **root == *path => Arc::from(parent),
            _ => Arc::clone(root),
        };
        if let Some(files) = table_files(path)? {
            let stamp = Stamp::of_all(files.iter().map(|(_, file)| file.as_path()))?;
            self.push(&above, path.to_path_buf(), stamp);
            return Ok(());
        }
        let entries = match SessionDirectory::open(path)? {
            Some(session) => {
                let stamp = Stamp::of_all(session.files())?;
                self.push(&above, path.to_path_buf(), stamp);
                session.left_aside().to_vec()
            }
            None => std::fs::read_dir(path)?
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<io::Result<_>>()?,
        };
        let mut files = Vec::with_capacity(entries.len());
        for entry in entries {
            match self.entry(root, &entry) {
                Ok(Some(stamp)) => files.push((entry, stamp)),
                Ok(None) => {}
                Err(error) => self.failed(entry, error),
            }
        }
        self.files(root, path, files);
        Ok(())
    }

    /// Examines an entry of a directory: returns a file's stamp, or `None` if it is a directory or not relevant.
    fn entry(&mut self, root: &Arc<Path>, path: &Path) -> io::Result<Option<Stamp>> {
        let name = path.file_name().unwrap_or_default();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        let is_except = |except: &PathBuf| {
            except.file_name() == Some(name) && path.canonicalize().is_ok_and(|path| path == *except)
        };
        if is_hidden || self.except.as_ref().is_some_and(is_except) {
            return Ok(None);
        }
        let metadata = path.metadata()?;
        if metadata.is_file() {
            return Stamp::of(&metadata).map(Some);
        }
        // Marks that wait next to a log (`formats/rcap.md#marks-beside`).
        let is_inbox =
            || path.extension().is_some_and(|end| end == "marks") && path.with_extension("").is_file();
        if metadata.is_dir() && !is_inbox() {
            self.waiting.push((Arc::clone(root), path.to_path_buf()));
        }
        Ok(None)
    }

    /// The files of a directory; those of a PCP archive count as one.
    fn files(&mut self, root: &Arc<Path>, directory: &Path, mut files: Vec<(PathBuf, Stamp)>) {
        let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let names: Vec<String> = files.iter().filter_map(|(path, _)| name(path)).collect();
        let archives = archives_among(directory, names.iter().map(String::as_str));
        let stamps: HashMap<&Path, Stamp> =
            files.iter().map(|(path, stamp)| (path.as_path(), *stamp)).collect();
        for archive in archives.values() {
            let of = |path: &PathBuf| Some((path.clone(), *stamps.get(path.as_path())?));
            self.archive(root, archive.files.iter().filter_map(of).collect());
        }
        files.retain(|(path, _)| {
            let name = name(path);
            let base = name.as_deref().and_then(PartName::of).map(|part| part.base);
            let is_companion = !archives.is_empty() && name.as_deref().is_some_and(is_companion);
            base.is_none_or(|base| !archives.contains_key(base)) && !is_companion
        });
        for (path, stamp) in files {
            self.push(root, path, stamp);
        }
    }
}
