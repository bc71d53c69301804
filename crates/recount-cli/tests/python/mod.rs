//! Python with the packages that a `requirements.txt` pins, installed once per target folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A virtual environment, locked: no other test process installs it meanwhile.
pub(crate) struct Python {
    executable: PathBuf,
    _lock: File,
}

impl Python {
    /// Creates target/tools/python-HASH, where HASH is that of the requirements, unless it exists.
    pub(crate) fn install(requirements: &Path) -> Python {
        let wanted = fs::read_to_string(requirements).expect("requirements.txt");
        let mut hasher = DefaultHasher::new();
        wanted.hash(&mut hasher);
        // CARGO_TARGET_TMPDIR is target/tmp.
        let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("tools");
        let folder = tools.join(format!("python-{:016x}", hasher.finish()));
        fs::create_dir_all(&folder).expect("target/tools");
        let lock = File::create(folder.join("lock")).expect("target/tools/python-*/lock");
        lock.lock().expect("locking target/tools/python-*");

        let environment = folder.join("environment");
        let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        let executable = environment.join(inside);
        // Only written after a complete installation.
        let installed = folder.join("installed-requirements.txt");
        let is_complete =
            fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) && executable.exists();
        if !is_complete {
            let python = if cfg!(windows) { "python" } else { "python3" };
            run(
                python,
                ["-m", "venv", "--clear"].map(OsStr::new).into_iter().chain([environment.as_os_str()]),
            );
            // Wheels only: building duckdb from source would take an hour.
            let pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps"];
            let what = ["--only-binary", ":all:", "--requirement"];
            let arguments = pip.into_iter().chain(what).map(OsStr::new);
            run(&executable, arguments.chain([requirements.as_os_str()]));
            fs::write(&installed, wanted).expect("target/tools/python-*/installed-requirements.txt");
        }
        Python { executable, _lock: lock }
    }

    /// Runs a script; its failure is the test's.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, script: &Path, arguments: &[A]) {
        // -B: no __pycache__ beside the sources.
        let arguments = arguments.iter().map(AsRef::as_ref);
        run(&self.executable, [OsStr::new("-B"), script.as_os_str()].into_iter().chain(arguments));
    }
}

fn run<'a>(program: impl AsRef<Path>, arguments: impl Iterator<Item = &'a OsStr>) {
    let program = program.as_ref();
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|error| {
        panic!("{} could not be run ({error}): install Python 3.11 or later with venv", program.display())
    });
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} failed, {}:\n{said}{errors}", program.display(), output.status);
}
