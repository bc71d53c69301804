//! The wheel of the Python package, and environments for it, shared by the package's tests.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use recount_testdata::shared_path;

/// The workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// Where cargo builds: what is compiled for the command and its tests isn't compiled again for the wheel.
pub(crate) fn target() -> PathBuf {
    // CARGO_TARGET_TMPDIR is target/tmp.
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target").to_path_buf()
}

pub(crate) fn folder() -> PathBuf {
    target().join("tools").join("wheel")
}

/// Runs a program in a directory; its failure is the test's.
pub(crate) fn run<A: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = A>,
    directory: &Path,
) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("RECOUNT_SHARED", shared_path(""))
        .output()
        .unwrap_or_else(|error| panic!("{} could not be run: {error}", program.display()));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} failed, {}:\n{said}{errors}", program.display(), output.status);
    said
}

/// An environment with only the packages listed in files.
pub(crate) fn environment(name: &str, requirements: &[PathBuf]) -> PathBuf {
    let folder = folder().join(name);
    let python = Path::new(if cfg!(windows) { "python" } else { "python3" });
    run(python, ["-m", "venv", "--clear"].map(OsStr::new).into_iter().chain([folder.as_os_str()]), &root());
    let executable = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let pip = [
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
        "--only-binary",
        ":all:",
    ];
    let files = requirements.iter().flat_map(|file| ["--requirement".into(), file.clone().into_os_string()]);
    run(&executable, pip.map(OsString::from).into_iter().chain(files), &root());
    executable
}

/// Files of `python/tests/`.
pub(crate) fn requirements<const N: usize>(names: [&str; N]) -> [PathBuf; N] {
    names.map(|name| root().join("python/tests").join(name))
}

/// Installs the wheel, which is built for the first test that asks; for the others there is nothing left to compile. It is built as
/// `pip install ./python` would, but in the profile of the tests. `RECOUNT_WHEEL` names one that is built already.
pub(crate) fn install(python: &Path) {
    fs::create_dir_all(folder()).expect("target/tools/wheel");
    let lock = File::create(folder().join("lock")).expect("target/tools/wheel/lock");
    lock.lock().expect("locking target/tools/wheel");
    let wheel = std::env::var_os("RECOUNT_WHEEL").map_or_else(build, PathBuf::from);
    let pip =
        ["-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "--no-index"].map(OsStr::new);
    run(python, pip.into_iter().chain([wheel.as_os_str()]), &root());
}

fn build() -> PathBuf {
    // Always with the same Python: another would recompile everything that depends on it.
    let python = environment("builder", &requirements(["requirements-build.txt"]));
    let out = folder().join("wheels");
    let _ = fs::remove_dir_all(&out);
    let arguments =
        ["-m", "maturin", "build", "--locked", "--profile", "dev", "--features", "default", "--out"];
    let target = target();
    let target = [OsStr::new("--target-dir"), target.as_os_str()];
    let arguments = arguments.map(OsStr::new).into_iter().chain([out.as_os_str()]).chain(target);
    run(&python, arguments, &root().join("python"));
    let built = fs::read_dir(&out).expect("wheels").map(|entry| entry.expect("a wheel").path());
    let wheels: Vec<PathBuf> = built.collect();
    assert_eq!(wheels.len(), 1, "{wheels:?}");
    wheels.into_iter().next().expect("a wheel")
}
