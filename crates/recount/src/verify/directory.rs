//! Verifies each capture of a directory.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use recount_pcp::{PartName, archives_among, is_companion};
use recount_pcq::SessionDirectory;

use crate::files::table_directory::find_tables;
use crate::verify::{Verified, verify, verify_whole};
use crate::{OpenError, OpenOptions};

/// Verifies the captures of a directory as [`verify`] does, one after the other, by name: the files of a PCP archive are one,
/// and so is a directory of tables or of an MS-PCQ session. Each result is passed on as it comes; files that aren't
/// captures have an error for which [`OpenError::is_no_capture`] holds. The directories in it follow, each after its files.
pub fn verify_directory(
    directory: &Path,
    options: &OpenOptions,
    mut each: impl FnMut(Result<Verified, OpenError>),
) -> Result<(), OpenError> {
    let mut seen = HashSet::new();
    match verify_below(directory, options, &mut seen, &mut each)? {
        0 => Err(OpenError::EmptyDirectory { name: directory.display().to_string() }),
        _ => Ok(()),
    }
}

/// Verifies what is in a directory and below it, unless it was `seen`; returns the number of captures.
fn verify_below(
    directory: &Path,
    options: &OpenOptions,
    seen: &mut HashSet<PathBuf>,
    each: &mut dyn FnMut(Result<Verified, OpenError>),
) -> Result<usize, OpenError> {
    let name = directory.display().to_string();
    let failed = |source| OpenError::Io { name: name.clone(), source };
    // Links may lead back to a directory above.
    if !seen.insert(directory.canonicalize().map_err(failed)?) {
        return Ok(0);
    }
    let tables = find_tables(directory).map_err(failed)?;
    if tables.is_some() || SessionDirectory::open(directory).map_err(failed)?.is_some() {
        each(verify_whole(directory, options));
        return Ok(1);
    }
    let (captures, directories) = captures_in(directory).map_err(failed)?;
    let mut num_captures = 0;
    for capture in captures {
        let verified = verify(&capture, options);
        num_captures += usize::from(!verified.as_ref().is_err_and(OpenError::is_no_capture));
        each(verified);
    }
    for directory in directories {
        match verify_below(&directory, options, seen, each) {
            Ok(num) => num_captures += num,
            Err(error) => each(Err(error)),
        }
    }
    Ok(num_captures)
}

/// The files and directories in a directory, by name, without hidden ones; of an archive only `.meta`, which stands for all
/// of them.
fn captures_in(directory: &Path) -> std::io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut directories: Vec<PathBuf> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut others: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !is_hidden && path.is_dir() {
            directories.push(path);
            continue;
        }
        if is_hidden || !path.is_file() {
            continue;
        }
        match path.file_name().and_then(|name| name.to_str()) {
            Some(name) => names.push(name.to_owned()),
            None => others.push(path),
        }
    }
    let archives = archives_among(directory, names.iter().map(String::as_str));
    let bases: HashSet<&str> = archives.keys().map(String::as_str).collect();
    let is_apart = |name: &&String| {
        let is_part = PartName::of(name).is_some_and(|part| bases.contains(part.base));
        !is_part && (bases.is_empty() || !is_companion(name))
    };
    let metas = archives.values().filter_map(|archive| archive.files.first().cloned());
    let mut all: Vec<PathBuf> = names.iter().filter(is_apart).map(|name| directory.join(name)).collect();
    all.extend(metas.chain(others));
    all.sort();
    directories.sort();
    Ok((all, directories))
}
