//! What every package has beside the program: manual, completions, licences, and what to do with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::place::{Place, copy, write};
use super::records;
use super::targets::{self, Target};
use crate::process::output;

/// Our own licences.
const LICENCES: &[&str] = &["LICENSE-MIT", "LICENSE-APACHE"];
/// Shells with the names that their completions have.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "recount.bash"),
    ("zsh", "_recount"),
    ("fish", "recount.fish"),
    ("powershell", "_recount.ps1"),
];

/// The folder `target/tools/dist/work/share`, made anew. The program that prints manual and completions is the one for glibc, which
/// runs on the machine that builds.
pub(super) fn share(place: &Place) -> Result<PathBuf, String> {
    let program = targets::build(place, Target::Glibc)?;
    let folder = place.work("share")?;
    let completions = folder.join("completions");
    fs::create_dir_all(&completions).map_err(|error| error.to_string())?;
    write(&folder.join("recount.1"), &output(Command::new(&program).arg("man"))?)?;
    for (shell, name) in COMPLETIONS {
        let text = output(Command::new(&program).args(["completions", shell]))?;
        write(&completions.join(name), &text)?;
    }
    for name in LICENCES {
        copy(&place.root.join(name), &folder.join(name))?;
    }
    copy(&place.packaging("README.txt"), &folder.join("README.txt"))?;
    copy(&records::licences_of_others(place)?, &folder.join(records::LICENCES))?;
    compress(&folder.join("recount.1"))?;
    Ok(folder)
}

/// Adds `recount.1.gz`, as packages of Linux have it. Without name and time, so that its bytes are always the same.
fn compress(manual: &Path) -> Result<(), String> {
    let packed = output(Command::new("gzip").args(["-9", "--no-name", "--stdout"]).arg(manual))?;
    write(&manual.with_extension("1.gz"), &packed)
}

/// Copies what an archive has of it into a folder.
pub(super) fn unpacked(share: &Path, folder: &Path, has_manual: bool) -> Result<(), String> {
    let completions = folder.join("completions");
    fs::create_dir_all(&completions).map_err(|error| error.to_string())?;
    for (_, name) in COMPLETIONS {
        copy(&share.join("completions").join(name), &completions.join(name))?;
    }
    for name in LICENCES.iter().chain(&["README.txt", records::LICENCES]) {
        copy(&share.join(name), &folder.join(name))?;
    }
    if has_manual { copy(&share.join("recount.1"), &folder.join("recount.1")) } else { Ok(()) }
}
