//! Packages that a system installs: `.deb` and `.rpm`, whose contents `crates/recount-cli/Cargo.toml` lists, and `.msi`
//! (`packaging/recount.wxs`).

use std::process::Command;

use super::place::{Place, VERSION, copy};
use super::targets::{self, Target};
use super::{share, tools};
use crate::process::{succeed, tool};

pub(super) fn deb(place: &Place) -> Result<(), String> {
    stage(place)?;
    let mut command = tools::cargo_deb(place)?;
    command.args(["--no-build", "--no-strip", "--package", "recount-cli", "--output"]);
    command.arg(place.result(&deb_file())).env("SOURCE_DATE_EPOCH", &place.epoch);
    succeed(&mut command)
}

pub(super) fn rpm(place: &Place) -> Result<(), String> {
    stage(place)?;
    let mut command = tools::cargo_generate_rpm(place)?;
    command.args(["--package", "crates/recount-cli", "--payload-compress", "zstd", "--source-date"]);
    command.arg(&place.epoch).arg("--output").arg(place.result(&rpm_file()));
    succeed(&mut command)
}

pub(super) fn msi(place: &Place) -> Result<(), String> {
    tool(&["wixl"], "wixl")?;
    tool(&["msibuild"], "msitools")?;
    let program = targets::build(place, Target::Windows)?;
    let folder = share::share(place)?;
    copy(&program, &folder.join(Target::Windows.file()))?;
    // It finds files beside its source alone.
    copy(&place.packaging("recount.wxs"), &folder.join("recount.wxs"))?;
    let out = place.result(&msi_file());
    let mut wixl = Command::new("wixl");
    wixl.current_dir(&folder).args(["--arch", "x64", "--define"]).arg(format!("VERSION={VERSION}"));
    succeed(wixl.arg("--output").arg(&out).arg("recount.wxs"))?;
    let mut with_path = Command::new("msibuild");
    with_path.arg(&out).args(PATH.iter().flat_map(|query| ["-q", query]));
    succeed(&mut with_path)
}

/// What adds the folder to the PATH of all users: wixl can't say it. `=` sets, `-` removes with the program, `*` is for all users.
const PATH: &[&str] = &[
    "CREATE TABLE `Environment` (`Environment` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL LOCALIZABLE, `Value` CHAR(255) \
     LOCALIZABLE, `Component_` CHAR(72) NOT NULL PRIMARY KEY `Environment`)",
    "INSERT INTO `Environment` (`Environment`, `Name`, `Value`, `Component_`) \
     VALUES ('Path', '=-*PATH', '[~];[INSTALLDIR]', 'Program')",
    "INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('WriteEnvironmentStrings', 5200)",
    "INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('RemoveEnvironmentStrings', 3300)",
];

pub(super) fn deb_file() -> String {
    format!("recount_{VERSION}-1_amd64.deb")
}

pub(super) fn rpm_file() -> String {
    format!("recount-{VERSION}-1.x86_64.rpm")
}

pub(super) fn msi_file() -> String {
    format!("recount-{VERSION}-x86_64.msi")
}

/// Puts the program for glibc beside what it is packed with, where `crates/recount-cli/Cargo.toml` looks for both.
fn stage(place: &Place) -> Result<(), String> {
    let folder = share::share(place)?;
    copy(&Target::Glibc.program(place), &folder.join(Target::Glibc.file()))
}
