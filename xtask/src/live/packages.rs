//! Debian's packages that groups need, installed if they are missing.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::{succeed, tool};

/// Debian asks this file whether a package may start its service: only the tools are wanted.
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// What is needed.
pub(super) enum Needed {
    /// A command, and the packages that have it.
    Command(&'static str, &'static [&'static str]),
    /// Packages without a command; the first is looked for.
    Packages(&'static [&'static str]),
}

impl Needed {
    fn packages(&self) -> &'static [&'static str] {
        match self {
            Needed::Command(_, packages) | Needed::Packages(packages) => packages,
        }
    }

    fn is_there(&self) -> bool {
        match self {
            Needed::Command(command, _) => tool(&[command], "").is_ok(),
            Needed::Packages(packages) => {
                let mut dpkg = Command::new("dpkg");
                dpkg.args(["--status", packages[0]]).stdout(Stdio::null()).stderr(Stdio::null());
                dpkg.status().is_ok_and(|status| status.success())
            }
        }
    }
}

/// Installs what isn't there.
pub(super) fn install(needed: impl Iterator<Item = &'static Needed>) -> Result<(), String> {
    let missing = needed.filter(|needed| !needed.is_there());
    let mut missing: Vec<&str> = missing.flat_map(Needed::packages).copied().collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return Ok(());
    }
    tool(&["apt-get"], &missing.join(" "))?;
    succeed(&mut as_root(&["apt-get", "update", "--quiet"]))?;
    let had_policy = Path::new(POLICY).exists();
    if !had_policy {
        succeed(&mut as_root(&[
            "sh",
            "-c",
            &format!("printf '#!/bin/sh\\nexit 101\\n' >{POLICY}; chmod +x {POLICY}"),
        ]))?;
    }
    // pcp starts its services itself, by systemctl, which does nothing offline.
    let mut apt =
        as_root(&["env", "DEBIAN_FRONTEND=noninteractive", "SYSTEMD_OFFLINE=1", "apt-get", "install"]);
    let installed = succeed(apt.args(["--quiet", "--yes", "--no-install-recommends"]).args(&missing));
    if !had_policy {
        succeed(&mut as_root(&["rm", POLICY]))?;
    }
    installed
}

/// A command as root: by sudo, for other users.
fn as_root(words: &[&str]) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let mut command = Command::new(if is_root { "env" } else { "sudo" });
    command.args(words);
    command
}
