//! Where things are, and what every build is given.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::text;

/// The version of everything that is built.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folders of a release.
pub(super) struct Place {
    /// The workspace.
    pub(super) root: PathBuf,
    /// Seconds since 1970 of the last commit: the time of all files in archives.
    pub(super) epoch: String,
}

impl Place {
    /// Makes the folders.
    pub(super) fn new(root: &Path) -> Result<Place, String> {
        let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
        let epoch = match env::var("SOURCE_DATE_EPOCH") {
            Ok(epoch) => epoch,
            Err(_) => text(Command::new("git").current_dir(&root).args(["log", "-1", "--format=%ct"]))?,
        };
        let place = Place { root, epoch };
        for folder in [place.results(), place.tools()] {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        Ok(place)
    }

    /// What is published, and nothing else.
    pub(super) fn results(&self) -> PathBuf {
        self.root.join("target/dist")
    }

    /// One of the results.
    pub(super) fn result(&self, name: &str) -> PathBuf {
        self.results().join(name)
    }

    /// One of the results, for a check.
    pub(super) fn made(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.result(name);
        if path.is_file() {
            return Ok(path);
        }
        Err(format!("target/dist/{name} is missing: build it first, without --check"))
    }

    /// The only result whose name ends so, for a check of names that others choose.
    pub(super) fn made_as(&self, begin: &str, end: &str) -> Result<PathBuf, String> {
        let entries = fs::read_dir(self.results()).map_err(|error| error.to_string())?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let found: Vec<String> =
            names.filter(|name| name.starts_with(begin) && name.ends_with(end)).collect();
        match found.as_slice() {
            [one] => Ok(self.result(one)),
            [] => Err(format!(
                "target/dist has no {begin}...{end}: build it first, without --check; what fits is expected once"
            )),
            several => Err(format!("several fit, remove the old ones: {}", several.join(", "))),
        }
    }

    /// A folder for what is put together, below the one of tools: emptied.
    pub(super) fn work(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.tools().join("work").join(name);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// Tools of others, installed for this alone.
    pub(super) fn tools(&self) -> PathBuf {
        self.root.join("target/tools/dist")
    }

    /// A file of the repository for packages.
    pub(super) fn packaging(&self, name: &str) -> PathBuf {
        self.root.join("packaging").join(name)
    }

    /// Where builds are: elsewhere than `target`, whose `dist` cargo would use for this profile.
    pub(super) fn builds(&self) -> PathBuf {
        self.tools().join("build")
    }

    /// Gives a build its folder, and what makes its bytes independent of this machine and the time: no path, and the time of the
    /// commit. `flags` are others for rustc.
    pub(super) fn set_up(&self, command: &mut Command, flags: &[&str]) {
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
        let mut flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        for (from, to) in [(&self.root, "/recount"), (&cargo, "/cargo")] {
            flags.push(format!("--remap-path-prefix={}={to}", from.display()));
        }
        // Words of it are set apart by this character, since paths may have blanks.
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
        command.env("CARGO_TARGET_DIR", self.builds());
        command.env("SOURCE_DATE_EPOCH", &self.epoch).env("CARGO_INCREMENTAL", "0").env("TZ", "UTC");
    }
}

/// A copy of a file in a folder that is there.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

/// A new file.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
