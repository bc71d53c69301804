//! Chromium, driven by Node.js, installed once per target folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian's package has it; `RECOUNT_CHROMIUM` says another place.
const CHROMIUM: &str = "/usr/bin/chromium";

/// The scripts of this folder, with what they need in target/browser.
pub(crate) struct Chromium {
    folder: PathBuf,
}

impl Chromium {
    /// Installs the packages pinned in package-lock.json, unless that was done. No other test process installs
    /// them at the same time.
    pub(crate) fn install() -> Chromium {
        let executable = std::env::var("RECOUNT_CHROMIUM").unwrap_or_else(|_| CHROMIUM.to_owned());
        assert!(
            Path::new(&executable).exists(),
            "{executable} is missing: install the package chromium, or say in RECOUNT_CHROMIUM where it is"
        );
        // CARGO_TARGET_TMPDIR is target/tmp.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("browser");
        fs::create_dir_all(&folder).expect("target/browser");
        let lock = File::create(folder.join("lock")).expect("target/browser/lock");
        lock.lock().expect("locking target/browser");
        let wanted = fs::read_to_string(sources().join("package-lock.json")).expect("package-lock.json");
        // Only written after a complete installation.
        let installed = folder.join("installed-package-lock.json");
        let is_complete = fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted)
            && folder.join("node_modules/playwright-core").is_dir();
        if !is_complete {
            for name in ["package.json", "package-lock.json"] {
                fs::copy(sources().join(name), folder.join(name)).expect("a copy in target/browser");
            }
            let arguments = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"].map(OsStr::new);
            run(Command::new("npm").args(arguments).arg(&folder).current_dir(&folder));
            fs::write(&installed, wanted).expect("target/browser/installed-package-lock.json");
        }
        Chromium { folder }
    }

    /// The output of a script in this folder; if it fails, so does the test.
    pub(crate) fn node<A: AsRef<OsStr>>(
        &self,
        script: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> String {
        let mut node = Command::new("node");
        run(node.arg(sources().join(script)).args(arguments).env("RECOUNT_BROWSER", &self.folder))
    }
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

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser")
}
