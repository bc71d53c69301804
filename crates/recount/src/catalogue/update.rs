//! Updating a catalogue: unchanged rows are kept, changed files are read, and the rows of files that are gone
//! are removed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use recount_compute::{Cancelled, OnProgress};
use recount_output::{Access, Aside, OutputError, check_target};
use recount_tables::{CaptureRow, SharedNames, read_captures, write_captures};

use super::CatalogueError;
use super::read_row::{failed_row, read_row};
use crate::files::archive_files::is_archive;
use crate::files::walk::{Found, walk};

/// An up-to-date catalogue.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Catalogue {
    /// A row per file, sorted by path, including files that aren't captures.
    pub rows: Vec<CaptureRow>,
    /// Indices of the rows that were read this time, ascending; the others were already known.
    pub read: Vec<usize>,
    /// Number of rows removed because their files are gone.
    pub num_gone: usize,
}

/// Progress of the reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CatalogueProgress {
    /// Files read so far.
    pub num_read: usize,
    /// Files to be read in total.
    pub num_all: usize,
}

/// Brings the catalogue in a file up to date: a row for every capture below the paths, in order of path. If the
/// catalogue exists, captures with the same size and modification time aren't opened. It needs about 500 bytes of
/// memory per row, plus what the captures being read need.
///
/// The catalogue holds exactly what is below these paths. It is replaced as a whole, and isn't written if nothing
/// changed. With `force`, a file other than a catalogue is replaced, and every capture is read. `progress` is called
/// for every file read, on any thread; if it breaks, the catalogue stays as it was.
pub fn catalogue(
    paths: &[PathBuf],
    output: &Path,
    force: bool,
    progress: OnProgress<'_, CatalogueProgress>,
) -> Result<Catalogue, CatalogueError> {
    check_target(output, true)?;
    let known = if force { None } else { known_rows(output)? };
    let is_new = known.is_none();
    let walked =
        walk(paths, Some(output)).map_err(|(path, source)| CatalogueError::Input { path, source })?;
    let mut sorted = Sorted { known: by_path(known.unwrap_or_default()), ..Sorted::default() };
    for found in walked.found {
        sorted.add(found);
    }
    let mut read = read_all(sorted.changed, progress)?;
    for (path, error) in &walked.failed {
        let row = failed_row(path.display().to_string(), error);
        sorted.known.remove(&row.path);
        read.push(row);
    }
    let num_gone = sorted.known.len();
    let is_same = !is_new && read.is_empty() && num_gone == 0;
    let unchanged = sorted.unchanged.into_iter().map(|row| (row, false));
    let mut all: Vec<(CaptureRow, bool)> = unchanged.chain(read.into_iter().map(|row| (row, true))).collect();
    all.sort_by(|one, other| one.0.path.cmp(&other.0.path));
    let is_read = all.iter().enumerate().filter(|(_, (_, is_read))| *is_read);
    let read = is_read.map(|(at, _)| at).collect();
    let rows: Vec<CaptureRow> = all.into_iter().map(|(row, _)| row).collect();
    if !is_same {
        write(output, &rows)?;
    }
    Ok(Catalogue { rows, read, num_gone })
}

/// The rows in a file; `None` if there is no such file.
fn known_rows(path: &Path) -> Result<Option<Vec<CaptureRow>>, CatalogueError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(OutputError::Io { path: path.into(), source }.into()),
    };
    read_captures(file).map(Some).map_err(|source| CatalogueError::Known { path: path.into(), source })
}

fn by_path(rows: Vec<CaptureRow>) -> HashMap<String, CaptureRow> {
    rows.into_iter().map(|row| (row.path.clone(), row)).collect()
}

fn write(path: &Path, rows: &[CaptureRow]) -> Result<(), OutputError> {
    let access = Access::of(rows.iter().map(|row| &row.path));
    let aside = Aside::new(path, true, &access)?;
    write_captures(aside.file()?, rows).map_err(|error| aside.failed(io::Error::other(error)))?;
    aside.into_place().map(drop)
}

/// The files found, split by whether their rows are known.
#[derive(Default)]
struct Sorted {
    /// Rows whose files have not been found yet.
    known: HashMap<String, CaptureRow>,
    unchanged: Vec<CaptureRow>,
    changed: Vec<Found>,
}

impl Sorted {
    fn add(&mut self, found: Found) {
        let path = found.path.display().to_string();
        if self.known.get(&path).is_some_and(|row| is_of(row, &found)) {
            self.unchanged.extend(self.known.remove(&path));
        } else if !found.parts.is_empty() && matches!(is_archive(&found.path), Ok(false)) {
            // Files that only have the names of an archive's.
            found.parts.into_iter().for_each(|part| self.add(part));
        } else {
            self.known.remove(&path);
            self.changed.push(found);
        }
    }
}

/// Whether reading the file would give the same row.
fn is_of(row: &CaptureRow, found: &Found) -> bool {
    row.size == found.stamp.size
        && row.modified == Some(found.stamp.modified)
        && row.version == env!("CARGO_PKG_VERSION")
}

fn read_all(
    mut changed: Vec<Found>,
    progress: OnProgress<'_, CatalogueProgress>,
) -> Result<Vec<CaptureRow>, Cancelled> {
    /// Number of files read before their lists of names are shared; until then each has its own.
    const NUM_AT_ONCE: usize = 4_096;
    // The largest first, so that no large file is read alone at the end.
    changed.sort_by_key(|found| Reverse(found.stamp.size));
    let (num_all, num_read) = (changed.len(), AtomicUsize::new(0));
    let (mut names, mut rows) = (SharedNames::default(), Vec::with_capacity(num_all));
    for some in changed.chunks(NUM_AT_ONCE) {
        let read = some.par_iter().map(|found| {
            let row = read_row(found);
            let num_read = num_read.fetch_add(1, Ordering::Relaxed) + 1;
            Cancelled::check(progress(CatalogueProgress { num_read, num_all })).map(|()| row)
        });
        rows.extend(read.collect::<Result<Vec<_>, _>>()?.into_iter().map(|row| CaptureRow {
            hosts: names.share(row.hosts),
            objects: names.share(row.objects),
            ..row
        }));
    }
    Ok(rows)
}
