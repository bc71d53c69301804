//! The Python package: wheels, which need no compiler, and its sources.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::place::{Place, copy};
use super::targets::{FEATURES, Target};
use super::{records, tools};
use crate::process::succeed;
use crate::toolchain::Toolchain;

pub(super) fn wheel(place: &Place, target: Target) -> Result<(), String> {
    let toolchain = target.toolchain(place)?;
    let mut command = tools::maturin(place, toolchain)?;
    command.args(["build", "--locked", "--profile", "dist", "--features", FEATURES]);
    command.args(["--target", target.triple()]);
    if target == Target::Glibc {
        command.args(["--compatibility", "manylinux_2_28", "--zig"]);
    }
    command.args(toolchain.arguments("unwind"));
    place.set_up(&mut command, target.flags(toolchain));
    let _licences = Licences::new(place)?;
    collected(place, command)
}

/// The licences of what is compiled into a wheel, beside our own while one is built: maturin takes what begins with `LICENSE`.
struct Licences(PathBuf);

impl Licences {
    fn new(place: &Place) -> Result<Licences, String> {
        let path = place.root.join("python/LICENSES-THIRD-PARTY.html");
        copy(&records::licences_of_others(place)?, &path)?;
        Ok(Licences(path))
    }
}

impl Drop for Licences {
    fn drop(&mut self) {
        // If it stays, git ignores it, and the next build replaces it.
        let _ = fs::remove_file(&self.0);
    }
}

pub(super) fn sdist(place: &Place) -> Result<(), String> {
    let mut command = tools::maturin(place, Toolchain::Rustup)?;
    command.arg("sdist").env("SOURCE_DATE_EPOCH", &place.epoch);
    collected(place, command)
}

/// Runs maturin, and takes what it made to the results.
fn collected(place: &Place, mut command: Command) -> Result<(), String> {
    let folder = place.work("wheels")?;
    succeed(command.arg("--out").arg(&folder))?;
    for entry in fs::read_dir(&folder).map_err(|error| error.to_string())?.flatten() {
        copy(&entry.path(), &place.results().join(entry.file_name()))?;
    }
    Ok(())
}
