//! The service that packages of Linux have.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::super::place::{Place, copy, write};
use super::super::targets::Target;
use super::roots;
use crate::process::{succeed, text, tool};

const UNIT: &str = "recount-record.service";
/// Where packages put the program.
const PROGRAM: &str = "/usr/bin/recount";
/// The highest exposure that `systemd-analyze security` may find, in tenths. What the recorder reads keeps it from being lower.
const EXPOSURE: &str = "25";

/// systemd finds no fault with it, and the recorder works with its rights.
pub(in super::super) fn unit(place: &Place) -> Result<(), String> {
    tool(&["systemd-analyze"], "systemd")?;
    let unit = place.packaging(UNIT);
    let mut security = Command::new("systemd-analyze");
    security.args(["security", "--offline=true", "--no-pager", "--threshold", EXPOSURE]);
    println!("{}", text(security.arg(&unit))?.lines().last().unwrap_or_default().trim());

    let built = Target::Glibc.program(place);
    if !built.is_file() {
        return Err(format!("{} is missing: build linux first, without --check", built.display()));
    }
    let folder = roots::empty(place, "root-unit")?;
    let program = folder.join("recount");
    copy(&built, &program)?;
    let words = fs::read_to_string(&unit).map_err(|error| error.to_string())?;
    // It is looked for where the unit says, and isn't installed here.
    let here = folder.join(UNIT);
    write(&here, words.replace(PROGRAM, &program.to_string_lossy()).as_bytes())?;
    succeed(Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&here))?;

    let everyone = fs::Permissions::from_mode(0o777);
    fs::set_permissions(&folder, everyone).map_err(|error| error.to_string())?;
    let log = folder.join("unit.rcap");
    let mut record = Command::new("setpriv");
    record.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]);
    let rights = rights(&words)?;
    for set in ["bounding-set", "inh-caps", "ambient-caps"] {
        record.arg(format!("--{set}=-all,{rights}"));
    }
    record.arg(&program).args(["--quiet", "record", "--count", "3", "--interval", "200ms", "--exits", "on"]);
    succeed(record.arg("--output").arg(&log))?;
    let info = text(Command::new(&program).arg("info").arg(&log))?;
    if !info.contains("\nsamples               3,") {
        return Err(format!("the recorder lost samples:\n{info}"));
    }
    println!("the recorder works with the rights of the unit");
    roots::remove(&folder)
}

/// The capabilities that the unit gives, as setpriv has them.
fn rights(unit: &str) -> Result<String, String> {
    let line = unit.lines().find_map(|line| line.strip_prefix("AmbientCapabilities="));
    let names = line.ok_or("the unit gives no capabilities")?.split(' ');
    let rights = names.map(|name| format!("+{}", name.trim_start_matches("CAP_").to_lowercase()));
    Ok(rights.collect::<Vec<_>>().join(","))
}
