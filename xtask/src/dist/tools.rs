//! Programs of others that a release needs, of pinned versions, installed below `target/tools/dist` when they are first needed.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use super::place::{Place, write};
use crate::process::{cargo, succeed, tool};
use crate::toolchain::Toolchain;

/// Subcommands of cargo, with their versions.
const CARGO_DEB: (&str, &str) = ("cargo-deb", "3.8.0");
const CARGO_GENERATE_RPM: (&str, &str) = ("cargo-generate-rpm", "0.21.1");
const CARGO_CYCLONEDX: (&str, &str) = ("cargo-cyclonedx", "0.5.9");
const CARGO_ABOUT: (&str, &str) = ("cargo-about", "0.9.3");

/// The folder of an environment of Python with zig, cargo-zigbuild and maturin (`packaging/requirements.txt`).
fn python(place: &Place) -> Result<PathBuf, String> {
    let folder = place.tools().join("python");
    let listed = place.packaging("requirements.txt");
    let files = [listed.clone(), place.root.join("python/tests/requirements-build.txt")];
    let wanted: String = files.iter().flat_map(std::fs::read_to_string).collect();
    let stamp = folder.join("installed.txt");
    if std::fs::read_to_string(&stamp).ok().as_ref() != Some(&wanted) {
        tool(&["python3"], "python3 python3-venv")?;
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps", "-r"]);
        succeed(pip.arg(&listed))?;
        write(&stamp, wanted.as_bytes())?;
    }
    Ok(folder.join("bin"))
}

/// One of its programs, with a toolchain. It finds the others of its environment.
fn of_python(place: &Place, name: &str, toolchain: Toolchain) -> Result<Command, String> {
    let folder = python(place)?;
    let mut command = Command::new(folder.join(name));
    let before = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(folder).chain(env::split_paths(&before)));
    command.env("PATH", path.map_err(|error| error.to_string())?);
    command.env("CARGO_ZIGBUILD_CACHE_DIR", place.tools().join("zig"));
    command.current_dir(&place.root);
    toolchain.choose(&mut command);
    Ok(command)
}

/// cargo with zig as C compiler and linker.
pub(super) fn zigbuild(place: &Place, toolchain: Toolchain) -> Result<Command, String> {
    let mut command = of_python(place, "cargo-zigbuild", toolchain)?;
    command.arg("zigbuild");
    Ok(command)
}

/// What builds wheels, in the folder of the Python package.
pub(super) fn maturin(place: &Place, toolchain: Toolchain) -> Result<Command, String> {
    let mut command = of_python(place, "maturin", toolchain)?;
    command.current_dir(place.root.join("python"));
    Ok(command)
}

/// What says on which systems a wheel runs.
pub(super) fn auditwheel(place: &Place) -> Result<Command, String> {
    let mut command = of_python(place, "auditwheel", Toolchain::Rustup)?;
    command.arg("show");
    Ok(command)
}

pub(super) fn cargo_deb(place: &Place) -> Result<Command, String> {
    subcommand(place, CARGO_DEB, &[])
}

pub(super) fn cargo_generate_rpm(place: &Place) -> Result<Command, String> {
    subcommand(place, CARGO_GENERATE_RPM, &[])
}

pub(super) fn cargo_cyclonedx(place: &Place) -> Result<Command, String> {
    let mut command = subcommand(place, CARGO_CYCLONEDX, &[])?;
    command.arg("cyclonedx");
    Ok(command)
}

pub(super) fn cargo_about(place: &Place) -> Result<Command, String> {
    subcommand(place, CARGO_ABOUT, &["--features", "cli"])
}

/// A subcommand of cargo as a program. It is compiled when it is first needed.
fn subcommand(place: &Place, (name, version): (&str, &str), features: &[&str]) -> Result<Command, String> {
    let folder = place.tools().join("cargo").join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.is_file() {
        let mut install = cargo(&place.root);
        // Elsewhere: the workspace's settings aren't for it.
        install.current_dir(place.tools());
        install.args(["install", "--locked", "--debug", name, "--version", version, "--root"]).arg(&folder);
        succeed(install.args(features))?;
    }
    let mut command = Command::new(program);
    command.current_dir(&place.root);
    Ok(command)
}
