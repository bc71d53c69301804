//! A program that doesn't read threshold files of PAL says so.

use std::path::{Path, PathBuf};

use recount::Hinted;

use crate::exit::Outcome;

/// Whether it looks like one: no other file of rules is XML.
pub(crate) fn is_pal(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"<")
}

pub(crate) fn translated(_name: &str, path: &Path, _bytes: &[u8]) -> anyhow::Result<(String, String)> {
    Err(no_pal(path).into())
}

pub(crate) fn import(file: &Path, _out: Option<&PathBuf>, _force: bool) -> anyhow::Result<Outcome> {
    Err(no_pal(file).into())
}

fn no_pal(path: &Path) -> Hinted {
    Hinted {
        text: format!(
            "{}: this recount was built without the feature `pal`, which reads threshold files of PAL",
            path.display()
        ),
        hint: "cargo install --locked --path crates/recount-cli installs recount with it",
    }
}
