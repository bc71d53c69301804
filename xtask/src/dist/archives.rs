//! Programs to unpack and run: `.tar.gz` for Linux, `.zip` for Windows. The same files give the same bytes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::place::{Place, VERSION, copy};
use super::share;
use super::targets::{self, Target};
use crate::process::{succeed, tool};

/// The name of a target's archive, and of the folder in it.
pub(super) fn name(target: Target) -> String {
    format!("recount-{VERSION}-{}", target.name())
}

/// The file name of a target's archive.
pub(super) fn file(target: Target) -> String {
    format!("{}.{}", name(target), if target == Target::Windows { "zip" } else { "tar.gz" })
}

/// Puts together what is in a target's archive; returns the folder in which its folder is.
fn staged(place: &Place, target: Target) -> Result<PathBuf, String> {
    let program = targets::build(place, target)?;
    let share = share::share(place)?;
    let work = place.work(target.name())?;
    let folder = work.join(name(target));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    copy(&program, &folder.join(target.file()))?;
    share::unpacked(&share, &folder, target != Target::Windows)?;
    Ok(work)
}

pub(super) fn tar_gz(place: &Place, target: Target) -> Result<(), String> {
    let work = staged(place, target)?;
    let out = place.result(&file(target));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+w,go-w"]);
    tar.arg("--format=gnu").arg(format!("--mtime=@{}", place.epoch)).arg("--directory").arg(&work);
    let mut packing =
        tar.arg(name(target)).stdout(Stdio::piped()).spawn().map_err(|error| format!("tar: {error}"))?;
    let packed = packing.stdout.take().ok_or("tar has no output")?;
    let file = File::create(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    succeed(Command::new("gzip").args(["-9", "--no-name"]).stdin(packed).stdout(file))?;
    let status = packing.wait().map_err(|error| format!("tar: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("tar: {status}")) }
}

pub(super) fn zip(place: &Place, target: Target) -> Result<(), String> {
    tool(&["zip"], "zip")?;
    let work = staged(place, target)?;
    let out = place.result(&file(target));
    let _ = fs::remove_file(&out);
    let mut files = Vec::new();
    below(&work.join(name(target)), &mut files)?;
    files.sort();
    let seconds: u64 = place.epoch.parse().map_err(|_| format!("not a time: {}", place.epoch))?;
    for path in &files {
        let file = File::options().write(true).open(path).map_err(|error| error.to_string())?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        file.set_modified(time).map_err(|error| error.to_string())?;
    }
    let names = files.iter().filter_map(|path| path.strip_prefix(&work).ok());
    // Zip files have local times.
    let mut zip = Command::new("zip");
    zip.current_dir(&work).env("TZ", "UTC").args(["-X", "-9", "--quiet"]).arg(&out);
    succeed(zip.args(names))
}

/// All files below a folder.
fn below(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            below(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}
