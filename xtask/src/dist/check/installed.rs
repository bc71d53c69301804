//! Packages of Linux: installed into a root by the system's own program, used, and removed again.

use std::path::Path;
use std::process::Command;

use super::super::packages;
use super::super::place::{Place, copy};
use super::{roots, used};
use crate::process::{succeed, text, tool};

const PROGRAM: &str = "/usr/bin/recount";
/// What a package has besides, wherever completions of zsh are.
const FILES: &[&str] = &[
    "usr/lib/systemd/system/recount-record.service",
    "usr/share/man/man1/recount.1.gz",
    "usr/share/bash-completion/completions/recount",
    "usr/share/fish/vendor_completions.d/recount.fish",
];

pub(in super::super) fn deb(place: &Place) -> Result<(), String> {
    let package = place.made(&packages::deb_file())?;
    let root = roots::debian(place, "root-deb")?;
    copy(&package, &root.join("recount.deb"))?;
    succeed(roots::program(&root, "dpkg").args(["--install", "/recount.deb"]))?;
    try_it(&root)?;
    succeed(roots::program(&root, "dpkg").args(["--purge", "recount"]))?;
    is_removed(&root)?;
    roots::remove(&root)
}

pub(in super::super) fn rpm(place: &Place) -> Result<(), String> {
    tool(&["rpm"], "rpm")?;
    let package = place.made(&packages::rpm_file())?;
    let needs = text(Command::new("rpm").args(["--query", "--requires", "--package"]).arg(&package))?;
    let is_known = |need: &str| need.starts_with("rpmlib(") || need.starts_with("glibc ");
    if let Some(other) = needs.lines().find(|need| !is_known(need)) {
        return Err(format!("the package needs {other}, expected glibc alone"));
    }
    let root = roots::debian(place, "root-rpm")?;
    let rpm = |arguments: &[&str]| {
        let mut command = Command::new("rpm");
        command.arg("--root").arg(&root).args(["--dbpath", "/var/lib/rpm"]).args(arguments);
        command
    };
    succeed(&mut rpm(&["--initdb"]))?;
    // Its libc is Debian's, of which this database knows nothing.
    succeed(rpm(&["--install", "--nodeps"]).arg(&package))?;
    try_it(&root)?;
    succeed(&mut rpm(&["--erase", "recount"]))?;
    is_removed(&root)?;
    roots::remove(&root)
}

fn try_it(root: &Path) -> Result<(), String> {
    used::ask(|| Ok(roots::program(root, PROGRAM)))?;
    if let Some(missing) = FILES.iter().find(|file| !root.join(file).is_file()) {
        return Err(format!("{missing} isn't installed"));
    }
    let zsh = ["vendor-completions", "site-functions"];
    if !zsh.iter().any(|folder| root.join("usr/share/zsh").join(folder).join("_recount").is_file()) {
        return Err("zsh's completions aren't installed".to_owned());
    }
    super::archive::needs_no_newer_glibc(&root.join("usr/bin/recount"))
}

fn is_removed(root: &Path) -> Result<(), String> {
    let left = FILES.iter().chain(&["usr/bin/recount"]).find(|file| root.join(file).exists());
    left.map_or(Ok(()), |file| Err(format!("{file} stayed after the package was removed")))
}
