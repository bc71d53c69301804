//! Packages of npm for Node.js, installed once per target folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder below target/ in which the packages are that the package-lock.json in `sources` pins; they are installed unless that was done.
/// No other test process installs them at the same time.
pub(crate) fn install(sources: &Path, name: &str) -> PathBuf {
    // CARGO_TARGET_TMPDIR is target/tmp.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(name);
    fs::create_dir_all(&folder).expect("a folder in target");
    let lock = File::create(folder.join("lock")).expect("a lock file");
    lock.lock().expect("locking the folder");
    let wanted = fs::read_to_string(sources.join("package-lock.json")).expect("package-lock.json");
    // Only written after a complete installation.
    let installed = folder.join("installed-package-lock.json");
    let is_complete = fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted)
        && folder.join("node_modules").is_dir();
    if !is_complete {
        for name in ["package.json", "package-lock.json"] {
            fs::copy(sources.join(name), folder.join(name)).expect("a copy");
        }
        let arguments = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"].map(OsStr::new);
        run(Command::new("npm").args(arguments).arg(&folder).current_dir(&folder));
        fs::write(&installed, wanted).expect("installed-package-lock.json");
    }
    folder
}

/// Standard output of a program that has to succeed.
pub(crate) fn run(command: &mut Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{program} could not be run ({error}): install Node.js 20 or later"));
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{said}{errors}", output.status);
    said.into_owned()
}
