//! What Windows runs, under Wine.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::place::{Place, copy};
use super::super::targets::Target;
use super::super::{archives, packages};
use super::used;
use crate::process::{succeed, text, tool};

const WINE: &str = "/usr/lib/wine/wine64";
const WINESERVER: &str = "/usr/lib/wine/wineserver64";

pub(in super::super) fn zip(place: &Place) -> Result<(), String> {
    tool(&["unzip"], "unzip")?;
    let archive = place.made(&archives::file(Target::Windows))?;
    let folder = place.work("root-windows")?;
    succeed(Command::new("unzip").arg("-q").arg(&archive).arg("-d").arg(&folder))?;
    let prefix = Prefix::new(folder.join("wine"))?;
    try_it(place, &prefix, &folder.join(archives::name(Target::Windows)))
}

pub(in super::super) fn msi(place: &Place) -> Result<(), String> {
    let package = place.made(&packages::msi_file())?;
    let folder = place.work("root-msi")?;
    let prefix = Prefix::new(folder.join("wine"))?;
    copy(&package, &folder.join("recount.msi"))?;
    succeed(prefix.wine(&folder).args(["msiexec", "/i", "recount.msi", "/qn"]))?;
    let installed = prefix.path.join("drive_c/Program Files/recount");
    try_it(place, &prefix, &installed)?;
    let value =
        ["reg", "query", r"HKLM\System\CurrentControlSet\Control\Session Manager\Environment", "/v", "PATH"];
    let path = text(prefix.wine(&folder).args(value))?;
    if !path.contains(r"Program Files\recount") {
        return Err(format!("the folder isn't in the PATH:\n{path}"));
    }
    succeed(prefix.wine(&folder).args(["msiexec", "/x", "recount.msi", "/qn"]))?;
    if installed.join(Target::Windows.file()).exists() {
        return Err("the program stayed after it was uninstalled".to_owned());
    }
    Ok(())
}

/// Uses the program in a folder, to which it adds what this Wine lacks.
fn try_it(place: &Place, prefix: &Prefix, folder: &Path) -> Result<(), String> {
    let program = folder.join(Target::Windows.file());
    if !program.is_file() {
        return Err(format!("{} isn't there", program.display()));
    }
    copy(&used::sample(place), &folder.join(used::SAMPLE))?;
    let compiler = tool(&["x86_64-w64-mingw32-gcc"], "gcc-mingw-w64-x86-64-win32")?;
    let source = place.root.join("crates/recount-record/tests/windows/process_prng.c");
    let mut compile = Command::new(compiler);
    compile.args(["-shared", "-o"]).arg(folder.join("bcryptprimitives.dll"));
    succeed(compile.arg(source).arg("-ladvapi32"))?;
    used::ask(|| {
        let mut command = prefix.wine(folder);
        command.arg(&program);
        Ok(command)
    })
}

/// A Windows of its own, whose server ends with it.
struct Prefix {
    path: PathBuf,
}

impl Prefix {
    fn new(path: PathBuf) -> Result<Prefix, String> {
        if !Path::new(WINE).exists() {
            return Err("Wine is missing: apt-get install wine wine64".to_owned());
        }
        Ok(Prefix { path })
    }

    fn wine(&self, folder: &Path) -> Command {
        let mut command = Command::new(WINE);
        command.current_dir(folder);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("TZ", "UTC");
        command.env("HOME", env::var_os("HOME").unwrap_or_default());
        command.env("WINEPREFIX", &self.path).env("WINEDEBUG", "-all");
        // Nothing of Wine's that needs a window or the network.
        command.env("WINEDLLOVERRIDES", "mscoree,mshtml=;winemenubuilder.exe=d");
        command
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let mut server = Command::new(WINESERVER);
        // It may have ended by itself.
        let _ = server.env("WINEPREFIX", &self.path).arg("--kill").status();
    }
}
