//! Wheels and sources of the Python package.

use std::path::Path;
use std::process::Command;

use super::super::place::{Place, VERSION, copy};
use super::super::tools;
use super::used;
use crate::process::{output, succeed, text, tool};

/// The name of the distribution, as in file names. The module is `recount`.
const NAME: &str = "recount_perf";

/// What is tried in Python.
const SCRIPT: &str = "\
import importlib.metadata, sys, recount
assert importlib.metadata.version('recount-perf') == recount.__version__ == sys.argv[1]
assert any(file.name == 'LICENSES-THIRD-PARTY.html' for file in importlib.metadata.files('recount-perf'))
capture = recount.open('objects.blg')
assert capture.info.num_samples == 8
assert len(capture.stats('Memory').rows()) == 3
assert recount.query('SELECT count(*) AS n FROM Memory', capture).rows()[0]['n'] == 8
";

/// In an environment of its own, without a compiler.
pub(in super::super) fn wheel(place: &Place) -> Result<(), String> {
    let wheel = place.made_as(NAME, "manylinux_2_28_x86_64.whl")?;
    let said = text(tools::auditwheel(place)?.arg(&wheel))?;
    if !said.replace('\n', " ").contains("manylinux_2_28_x86_64") {
        return Err(format!("auditwheel doesn't agree:\n{said}"));
    }
    let folder = place.work("root-wheel")?;
    copy(&used::sample(place), &folder.join(used::SAMPLE))?;
    succeed(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
    let programs = folder.join("venv/bin");
    let of_venv = |name: &str| {
        let mut command = Command::new(programs.join(name));
        command.current_dir(&folder).env_clear().env("PATH", &programs);
        command
    };
    let mut pip = of_venv("python");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]);
    succeed(pip.arg(&wheel))?;
    succeed(of_venv("python").args(["-c", SCRIPT, VERSION]))?;
    used::ask(|| Ok(of_venv("recount")))
}

/// Its contents alone: there is no Python for Windows here.
pub(in super::super) fn wheel_windows(place: &Place) -> Result<(), String> {
    tool(&["unzip"], "unzip")?;
    let wheel = place.made_as(NAME, "win_amd64.whl")?;
    let listed = text(Command::new("unzip").args(["-Z", "-1"]).arg(&wheel))?;
    let is_there = |name: &str| listed.lines().any(|line| line == name);
    if !is_there("recount/_recount.pyd") || !is_there("recount/__init__.py") {
        return Err(format!("the module isn't in it:\n{listed}"));
    }
    let metadata = format!("{NAME}-{VERSION}.dist-info/METADATA");
    is_named(&output(Command::new("unzip").arg("-p").arg(&wheel).arg(metadata))?)?;
    println!("not run: there is no Python for Windows here");
    Ok(())
}

/// Its contents alone: the test `the_source_archive_is_whole` compiles one.
pub(in super::super) fn sdist(place: &Place) -> Result<(), String> {
    let name = format!("{NAME}-{VERSION}");
    let archive = place.made(&format!("{name}.tar.gz"))?;
    let listed = text(Command::new("tar").arg("--list").arg("--file").arg(&archive))?;
    for file in
        ["PKG-INFO", "Cargo.lock", "LICENSE-MIT", "LICENSE-APACHE", "crates/recount-python/Cargo.toml"]
    {
        if !listed.lines().any(|line| Path::new(line).ends_with(file)) {
            return Err(format!("{file} isn't in it"));
        }
    }
    let mut tar = Command::new("tar");
    is_named(&output(
        tar.args(["--extract", "--to-stdout", "--file"]).arg(&archive).arg(format!("{name}/PKG-INFO")),
    )?)
}

/// No page of ours may lead to another project's package.
fn is_named(metadata: &[u8]) -> Result<(), String> {
    let metadata = String::from_utf8_lossy(metadata);
    match metadata.lines().find(|line| line.starts_with("Name:")) {
        Some("Name: recount-perf") => Ok(()),
        other => Err(format!("the package is called {other:?}, expected recount-perf")),
    }
}
