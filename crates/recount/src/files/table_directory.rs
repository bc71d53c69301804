//! Directories of Parquet tables: which files are theirs (`formats/tables.md`).

use std::io;
use std::path::{Path, PathBuf};

use recount_tables::{CATALOGUE_FILE, InputFile, PartitionKey};

use crate::files::content::open_content;

/// Levels of directories: an object's, and one per partition key. The limit also ends cycles of links.
pub(crate) const MAX_DEPTH: usize = 3;

/// The Parquet files of tables in a directory, opened; `None` if it isn't a directory of tables.
pub(crate) fn find_tables(path: &Path) -> io::Result<Option<Vec<InputFile>>> {
    let Some(files) = table_files(path)? else { return Ok(None) };
    let open = |(name, file): (String, PathBuf)| {
        let content = open_content(&file)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
        Ok(InputFile { name: name.clone(), path: name, content })
    };
    files.into_iter().map(open).collect::<io::Result<_>>().map(Some)
}

/// The Parquet files of tables in a directory, each with its path relative to it; `None` if it isn't a directory of
/// tables.
///
/// A directory of tables holds the catalogue of the layout by objects, or partitions.
pub(crate) fn table_files(path: &Path) -> io::Result<Option<Vec<(String, PathBuf)>>> {
    if !path.is_dir() {
        return Ok(None);
    }
    if !path.join(CATALOGUE_FILE).is_file() && !has_partitions(path)? {
        return Ok(None);
    }
    let mut files = Vec::new();
    collect(path, "", MAX_DEPTH, &mut files)?;
    Ok((!files.is_empty()).then_some(files))
}

/// Whether there are directories named like Hive partitions by host or by day.
fn has_partitions(path: &Path) -> io::Result<bool> {
    let is_partition = |path: &PathBuf| PartitionKey::is_partition(&file_name(path)) && path.is_dir();
    Ok(inside(path)?.iter().any(is_partition))
}

/// `below` is the path from the input's directory, with a `/` after each part.
fn collect(path: &Path, below: &str, depth: usize, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in inside(path)? {
        let name = file_name(&entry);
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{below}{name}");
        if entry.is_dir() && depth > 0 {
            collect(&entry, &format!("{path}/"), depth - 1, files)?;
        } else if entry.is_file() && name.ends_with(".parquet") {
            files.push((path, entry));
        }
    }
    Ok(())
}

fn inside(path: &Path) -> io::Result<Vec<PathBuf>> {
    let entries: io::Result<Vec<PathBuf>> =
        std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect();
    entries.map(|mut entries| {
        entries.sort();
        entries
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
