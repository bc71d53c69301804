//! Finds the files of an archive by their names.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::Compression;

/// What a file of an archive holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArchivePart {
    /// `.meta`: descriptions.
    Meta,
    /// `.index`: never needed.
    Index,
    /// `.0`, `.1`, ...: records.
    Volume(u32),
}

/// The parsed name of a file of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartName<'a> {
    /// The archive's name.
    pub base: &'a str,
    /// What the file holds.
    pub part: ArchivePart,
    /// How it is compressed, by its suffix.
    pub compression: Option<Compression>,
}

impl<'a> PartName<'a> {
    /// Parses a name; `None` if no file of an archive can have it.
    pub fn of(name: &'a str) -> Option<PartName<'a>> {
        let (plain, compression) = Compression::split(name);
        let (base, part) = plain.rsplit_once('.')?;
        let part = match part {
            "meta" => ArchivePart::Meta,
            "index" => ArchivePart::Index,
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                ArchivePart::Volume(digits.parse().ok()?)
            }
            _ => return None,
        };
        (!base.is_empty()).then_some(PartName { base, part, compression })
    }
}

/// The files of an archive that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveFiles {
    /// The archive's name with its directory.
    pub base: PathBuf,
    /// `.meta` first, then the volumes in their order.
    pub files: Vec<PathBuf>,
}

/// The archive that a path names: its base name, or any of its files. `None` if there is no `.meta` of that name.
/// Nothing is opened. If a file exists both plain and compressed, the plain one is used.
pub fn find_archive(path: &Path) -> io::Result<Option<ArchiveFiles>> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| !path.is_dir()) else {
        return Ok(None);
    };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let named = PartName::of(name).map(|part| part.base);
    // `20150105.17.57` is a base name that looks like a volume.
    for base in [Some(name).filter(|_| !path.exists()), named].into_iter().flatten() {
        let found = parts(directory.unwrap_or(Path::new(".")), base)?;
        if found.contains_key(&ArchivePart::Meta) {
            let base = directory.map_or_else(|| base.into(), |directory| directory.join(base));
            return Ok(Some(ArchiveFiles::of(base, found)));
        }
    }
    Ok(None)
}

/// The first volume of an archive whose base name a path is, if there is no `.meta`. Nothing is opened.
pub fn lone_volume(base: &Path) -> io::Result<Option<PathBuf>> {
    let Some(name) = base.file_name().and_then(|name| name.to_str()).filter(|_| !base.exists()) else {
        return Ok(None);
    };
    let directory = base.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if !directory.is_dir() {
        return Ok(None);
    }
    let found = all_parts(directory, name)?;
    let volume = found.into_iter().find(|(part, _)| matches!(part, ArchivePart::Volume(_)));
    Ok(volume.map(|(_, (_, name))| base.with_file_name(name)))
}

/// The archives among the files of a directory, by their names, each with its base name. Nothing is opened.
pub fn archives_among<'n>(
    directory: &Path,
    names: impl IntoIterator<Item = &'n str>,
) -> BTreeMap<String, ArchiveFiles> {
    let mut found: BTreeMap<&str, ArchiveParts> = BTreeMap::new();
    for (name, part) in names.into_iter().filter_map(|name| Some((name, PartName::of(name)?))) {
        add(found.entry(part.base).or_default(), &part, name);
    }
    let archives = found.into_iter().filter(|(_, parts)| parts.contains_key(&ArchivePart::Meta));
    archives.map(|(base, parts)| (base.to_owned(), ArchiveFiles::of(directory.join(base), parts))).collect()
}

/// Whether pmlogger and its scripts keep a file of this name next to their archives: the list of the newest archives, their own
/// logs, and marks of their last run (`formats/pcp-archive.md#files`).
pub fn is_companion(name: &str) -> bool {
    const NAMES: [&str; 4] = ["Latest", "lock", "pmlogger.log", "pmlogger.log.prior"];
    const PROGRAMS: [&str; 5] =
        ["pmlogger", "pmlogger_check", "pmlogger_daily", "pmlogger_daily_report", "pmlogger_janitor"];
    const ENDS: [&str; 3] = ["log", "log.prev", "stamp"];
    let is_of_program = || {
        let (program, end) = name.split_once(['.', '-']).unwrap_or((name, ""));
        PROGRAMS.contains(&program) && (ENDS.contains(&end) || end.starts_with("log."))
    };
    NAMES.contains(&name) || is_of_program()
}

/// The files of a base name: whether compressed, and the name.
type ArchiveParts = BTreeMap<ArchivePart, (bool, String)>;

/// If a file exists both plain and compressed, the plain one is kept.
fn add(parts: &mut ArchiveParts, part: &PartName<'_>, name: &str) {
    let candidate = (part.compression.is_some(), name.to_owned());
    let known = parts.entry(part.part).or_insert_with(|| candidate.clone());
    *known = known.clone().min(candidate);
}

impl ArchiveFiles {
    fn of(base: PathBuf, parts: ArchiveParts) -> ArchiveFiles {
        let parts = parts.into_iter().filter(|(part, _)| *part != ArchivePart::Index);
        let files = parts.map(|(_, (_, name))| base.with_file_name(name)).collect();
        ArchiveFiles { base, files }
    }
}

/// The files of a base name in a directory; none if there is no `.meta`.
fn parts(directory: &Path, base: &str) -> io::Result<ArchiveParts> {
    let has_meta = |suffix: &&str| directory.join(format!("{base}.meta{suffix}")).is_file();
    if !Compression::SUFFIXES.iter().map(|(suffix, _)| suffix).chain([&""]).any(has_meta) {
        return Ok(ArchiveParts::new());
    }
    all_parts(directory, base)
}

/// The files of a base name, even if none is `.meta`.
fn all_parts(directory: &Path, base: &str) -> io::Result<ArchiveParts> {
    let mut found = ArchiveParts::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?.file_name();
        let Some(name) = entry.to_str() else { continue };
        let Some(part) = PartName::of(name).filter(|part| part.base == base) else { continue };
        add(&mut found, &part, name);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_counts() {
        let part =
            |name: &'static str| PartName::of(name).map(|part| (part.base, part.part, part.compression));
        assert_eq!(part("20150105.17.57.meta"), Some(("20150105.17.57", ArchivePart::Meta, None)));
        assert_eq!(part("a.0.xz"), Some(("a", ArchivePart::Volume(0), Some(Compression::Xz))));
        assert_eq!(part("a.10.zst"), Some(("a", ArchivePart::Volume(10), Some(Compression::Zstd))));
        assert_eq!(part("a.index.gz"), Some(("a", ArchivePart::Index, Some(Compression::Gzip))));
        for other in ["a", "a.blg", ".0", "a.", "a.99999999999", "meta", "a.xz"] {
            assert_eq!(part(other), None, "{other}");
        }
    }

    #[test]
    fn companions_are_known_by_their_names() {
        for name in [
            "Latest",
            "pmlogger.log",
            "pmlogger.log.prior",
            "pmlogger_daily.stamp",
            "pmlogger_check.log.prev",
        ] {
            assert!(is_companion(name), "{name}");
        }
        for name in ["latest.csv", "pmlogger.csv", "web1.log", "pmlogger", "20150105.17.57.0"] {
            assert!(!is_companion(name), "{name}");
        }
    }

    #[test]
    fn archives_are_found_by_their_names() {
        let names = ["b.0", "a.meta", "a.1", "a.0.xz", "a.index", "a.0", "x.blg", "20150105.17.57.meta.xz"];
        let archives = archives_among(Path::new("logs"), names);
        let files = |base: &str| archives[base].files.clone();
        assert_eq!(archives.keys().collect::<Vec<_>>(), ["20150105.17.57", "a"]);
        assert_eq!(files("a"), ["logs/a.meta", "logs/a.0", "logs/a.1"].map(PathBuf::from));
        assert_eq!(files("20150105.17.57"), [PathBuf::from("logs/20150105.17.57.meta.xz")]);
    }
}
