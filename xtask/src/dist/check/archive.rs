//! Archives of Linux: unpacked into a root and used.

use std::path::Path;
use std::process::Command;

use super::super::archives;
use super::super::place::{Place, copy};
use super::super::targets::Target;
use super::{roots, used};
use crate::process::{succeed, text, tool};

/// The newest version of glibc's symbols that a program may need.
const GLIBC: (u32, u32) = (2, 28);

pub(in super::super) fn glibc(place: &Place) -> Result<(), String> {
    place.made(&archives::file(Target::Glibc))?;
    let root = roots::debian(place, "root-linux")?;
    unpack(place, Target::Glibc, &root)?;
    let program = format!("/{}/recount", archives::name(Target::Glibc));
    needs_no_newer_glibc(&root.join(program.trim_start_matches('/')))?;
    used::ask(|| Ok(roots::program(&root, &program)))?;
    roots::remove(&root)
}

/// In a folder that has nothing else: no library, no `/proc`, no shell.
pub(in super::super) fn without_libraries(place: &Place) -> Result<(), String> {
    let root = roots::empty(place, "root-static")?;
    unpack(place, Target::Static, &root)?;
    let program = format!("/{}/recount", archives::name(Target::Static));
    used::ask(|| Ok(roots::program(&root, &program)))?;
    roots::remove(&root)
}

/// By an emulator of the processor, with the libraries of Debian's packages for cross-building.
pub(in super::super) fn arm64(place: &Place) -> Result<(), String> {
    tool(&["qemu-aarch64-static"], "qemu-user-static")?;
    let libraries = Path::new("/usr/aarch64-linux-gnu");
    if !libraries.join("lib/libc.so.6").exists() {
        return Err("the libraries for 64-bit ARM are missing: apt-get install libc6-arm64-cross".to_owned());
    }
    let folder = place.work("root-arm64")?;
    copy(&used::sample(place), &folder.join(used::SAMPLE))?;
    unpack(place, Target::Arm64, &folder)?;
    let program = folder.join(archives::name(Target::Arm64)).join("recount");
    needs_no_newer_glibc(&program)?;
    used::ask(|| {
        let mut command = Command::new("qemu-aarch64-static");
        command.current_dir(&folder).arg("-L").arg(libraries).arg(&program);
        Ok(command)
    })?;
    roots::remove(&folder)
}

fn unpack(place: &Place, target: Target, folder: &Path) -> Result<(), String> {
    let archive = place.made(&archives::file(target))?;
    succeed(Command::new("tar").arg("--extract").arg("--file").arg(&archive).arg("--directory").arg(folder))
}

/// Looks up the versions of the symbols that a program needs.
pub(super) fn needs_no_newer_glibc(program: &Path) -> Result<(), String> {
    tool(&["readelf"], "binutils")?;
    let versions = text(Command::new("readelf").args(["--version-info", "--wide"]).arg(program))?;
    let mut newest = (0, 0);
    for version in versions.split("GLIBC_").skip(1) {
        let mut numbers =
            version.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse::<u32>().ok());
        newest = newest.max((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)));
    }
    if newest == (0, 0) || newest > GLIBC {
        return Err(format!(
            "needs glibc {}.{}, expected at most {}.{}",
            newest.0, newest.1, GLIBC.0, GLIBC.1
        ));
    }
    println!("needs glibc {}.{} or later", newest.0, newest.1);
    Ok(())
}
