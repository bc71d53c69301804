//! The successive logs of a recording: a common name with a time in it (`web1-20261121T101500Z.rcap`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use recount_output::directory_of;

/// The newest log of the series to which a log belongs or that a name denotes; `None` if the series has no log. A log
/// without a time in its name counts as older than those with one.
pub fn newest_of_series(path: &Path) -> Option<PathBuf> {
    let plain = plain_of(path);
    let entries = std::fs::read_dir(directory_of(&plain)).ok()?;
    let paths = entries.filter_map(|entry| Some(directory_of(&plain).join(entry.ok()?.file_name())));
    let logs = paths.filter_map(|path| Some((stamp_of(&plain, &path)?, path)));
    logs.filter(|(_, path)| path.is_file()).max().map(|(_, path)| path)
}

/// The name of a log, without a time that it may contain.
fn plain_of(path: &Path) -> PathBuf {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let Some((plain, _)) = stem.rsplit_once('-') else { return path.to_path_buf() };
    let mut name = OsString::from(plain);
    push_extension(&mut name, path);
    let plain = path.with_file_name(name);
    if stamp_of(&plain, path).is_some() { plain } else { path.to_path_buf() }
}

pub(super) fn push_extension(name: &mut OsString, plain: &Path) {
    if let Some(extension) = plain.extension() {
        name.push(".");
        name.push(extension);
    }
}

/// Time and number in the name of a log of the series; `None` for any other file.
pub(super) fn stamp_of(plain: &Path, path: &Path) -> Option<(String, u32)> {
    if path.extension() != plain.extension() {
        return None;
    }
    let stem = path.file_stem()?.to_str()?;
    let rest = stem.strip_prefix(plain.file_stem()?.to_str()?)?.strip_prefix('-')?;
    let (stamp, number) = match rest.split_once('_') {
        None => (rest, 1),
        Some((stamp, number)) => {
            (stamp, number.parse().ok().filter(|parsed: &u32| *parsed > 1 && parsed.to_string() == number)?)
        }
    };
    let fits = |(at, c): (usize, u8)| match at {
        8 => c == b'T',
        15 => c == b'Z',
        _ => c.is_ascii_digit(),
    };
    (stamp.len() == 16 && stamp.bytes().enumerate().all(fits)).then(|| (stamp.to_owned(), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_not_of_the_series() {
        let plain = Path::new("logs/web1.rcap");
        for other in [
            "web1.rcap",
            "web1-old.rcap",
            "web1-20261121T101500Z.blg",
            "web1-20261121T101500.rcap",
            "web1-20261121T10150xZ.rcap",
            "web1-20261121T101500Z_1.rcap",
            "web1-20261121T101500Z_02.rcap",
            "web1-20261121T101500Z_x.rcap",
            "web12-20261121T101500Z.rcap",
            "web1-b-20261121T101500Z.rcap",
            "web-20261121T101500Z.rcap",
            "web1-20261121T101500Z",
        ] {
            assert_eq!(stamp_of(plain, &Path::new("logs").join(other)), None, "{other}");
        }
        assert!(stamp_of(plain, Path::new("logs/web1-20261121T101500Z.rcap")).is_some());
    }
}
