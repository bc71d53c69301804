//! Folders that are the root of a system, without anything of this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::place::{Place, copy};
use super::used::{SAMPLE, sample};
use crate::process::{succeed, text, tool};

/// The oldest Debian that its archive still has: glibc 2.31. That programs need no more than 2.28 is looked up in their symbols.
const DEBIAN: &str = "bullseye";

/// A root with nothing but the sample.
pub(super) fn empty(place: &Place, name: &str) -> Result<PathBuf, String> {
    as_root()?;
    let root = place.work(name)?;
    copy(&sample(place), &root.join(SAMPLE))?;
    Ok(root)
}

/// A root with a minimal Debian and the sample.
pub(super) fn debian(place: &Place, name: &str) -> Result<PathBuf, String> {
    as_root()?;
    let model = place.tools().join(DEBIAN);
    if !model.join("etc/debian_version").is_file() || model.join("debootstrap").exists() {
        tool(&["debootstrap"], "debootstrap")?;
        fs::create_dir_all(place.tools()).map_err(|error| error.to_string())?;
        succeed(Command::new("debootstrap").args(["--variant=minbase", DEBIAN]).arg(&model))?;
    }
    let root = place.work(name)?;
    // The dot: what is in it, not the folder itself.
    succeed(Command::new("cp").args(["--archive", "--reflink=auto"]).arg(model.join(".")).arg(&root))?;
    copy(&sample(place), &root.join(SAMPLE))?;
    Ok(root)
}

fn as_root() -> Result<(), String> {
    if text(Command::new("id").arg("--user"))? == "0" {
        return Ok(());
    }
    Err("roots of other systems are entered by chroot: run this as root".to_owned())
}

/// A program of a root, in its top folder, without the environment of this machine.
pub(super) fn program(root: &Path, name: &str) -> Command {
    let mut command = Command::new("chroot");
    command.arg(root).arg(name);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin").env("TZ", "UTC");
    command
}

/// Removes a root. Those of failed checks stay, to be looked at.
pub(super) fn remove(root: &Path) -> Result<(), String> {
    fs::remove_dir_all(root).map_err(|error| format!("{}: {error}", root.display()))
}
