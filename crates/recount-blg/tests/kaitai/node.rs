//! The Kaitai Struct compiler and its JavaScript runtime, installed once per target directory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A locked installation: no other test process changes it meanwhile.
pub(crate) struct Node {
    folder: PathBuf,
    _lock: File,
}

impl Node {
    /// Copies formats/kaitai to the target directory and installs the versions in its lock file there, unless
    /// already done.
    pub(crate) fn install() -> Node {
        // CARGO_TARGET_TMPDIR is target/tmp.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("kaitai");
        fs::create_dir_all(&folder).expect("target/kaitai");
        let lock = File::create(folder.join("lock")).expect("target/kaitai/lock");
        lock.lock().expect("locking target/kaitai");

        let source = formats().join("kaitai");
        for entry in fs::read_dir(&source).expect("formats/kaitai") {
            let path = entry.expect("formats/kaitai").path();
            if path.is_file() {
                let name = path.file_name().expect("a file's name");
                fs::copy(&path, folder.join(name)).expect("copying formats/kaitai");
            }
        }
        let wanted = fs::read_to_string(source.join("package-lock.json")).expect("package-lock.json");
        // Written only after a complete installation.
        let installed = folder.join("installed-package-lock.json");
        let is_complete = fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted)
            && folder.join("node_modules/kaitai-struct-compiler").is_dir();
        if !is_complete {
            npm_ci(&folder);
            fs::write(&installed, wanted).expect("target/kaitai/installed-package-lock.json");
        }
        Node { folder, _lock: lock }
    }

    /// What the generated parser counts in a file.
    pub(crate) fn count(&self, file: &Path) -> Value {
        let script = self.folder.join("count.mjs");
        let output = Command::new("node")
            .args([script.as_path(), file, &formats()])
            .output()
            .unwrap_or_else(|error| panic!("node could not be run ({error}): install Node.js 20 or later"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "count.mjs {}: {errors}", file.display());
        serde_json::from_slice(&output.stdout).expect("one line of JSON")
    }

    /// Like [`Node::count`], of bytes.
    pub(crate) fn count_bytes(&self, name: &str, bytes: &[u8]) -> Value {
        let file = self.folder.join(name);
        fs::write(&file, bytes).expect("target/kaitai");
        self.count(&file)
    }
}

fn npm_ci(folder: &Path) {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(npm)
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(folder)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("{npm} could not be run ({error}): install Node.js 20 or later"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{npm} ci in {}: {errors}", folder.display());
}

fn formats() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats")
}
