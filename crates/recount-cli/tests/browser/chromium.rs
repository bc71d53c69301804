//! Chromium, driven by Node.js, installed once per target folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "npm.rs"]
mod npm;

pub(crate) use npm::run;

/// Where Debian's package has it; `RECOUNT_CHROMIUM` says another place.
const CHROMIUM: &str = "/usr/bin/chromium";

/// The scripts of this folder, with what they need in target/browser.
pub(crate) struct Chromium {
    folder: PathBuf,
}

impl Chromium {
    /// Installs the packages pinned in package-lock.json, unless that was done.
    pub(crate) fn install() -> Chromium {
        let executable = std::env::var("RECOUNT_CHROMIUM").unwrap_or_else(|_| CHROMIUM.to_owned());
        assert!(
            Path::new(&executable).exists(),
            "{executable} is missing: install the package chromium, or say in RECOUNT_CHROMIUM where it is"
        );
        Chromium { folder: npm::install(&sources(), "browser") }
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

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser")
}
