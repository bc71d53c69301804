//! Shared by tests: where to find the shared files (real captures and counter vectors, which are not part of the
//! repository), how to damage them, checks of the pages of `formats/`, and a machine that is quiet.
//!
//! The files are in `../shared/data`, or in the directory named by `RECOUNT_SHARED`, both relative to the
//! workspace root. A missing file fails the test that needs it.

mod damage;
mod documents;
mod quiet;

use std::path::{Path, PathBuf};

pub use damage::{assert_memory_is_bounded, cuts, flips};
pub use documents::{assert_made, assert_names_are_ours};
pub use quiet::quiet_machine;

/// The path of a shared file, e.g. `blg/tx-basic.blg`.
///
/// # Panics
/// If there is no such file.
#[expect(clippy::panic, reason = "tests fail by panicking")]
pub fn shared_path(name: &str) -> PathBuf {
    let root =
        std::env::var_os("RECOUNT_SHARED").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = workspace.join(root).join(name);
    match path.canonicalize() {
        Ok(path) => path,
        Err(error) => {
            panic!("{}: {error}; set RECOUNT_SHARED to the folder of the shared data", path.display())
        }
    }
}

/// The bytes of a shared file.
///
/// # Panics
/// If it can't be read.
#[expect(clippy::panic, reason = "tests fail by panicking")]
pub fn shared(name: &str) -> Vec<u8> {
    let path = shared_path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
