//! Who builds for another target: rustup's toolchain, if it has the target's standard library, or Debian's, which builds it.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::process::{cargo, text};

/// Where Debian's packages rustc-web, cargo-web and rust-web-src have the compiler, and the sources of its library.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_SOURCES: &str = "/usr/lib/rustlib/src/rust/library";

/// What builds for a target.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Toolchain {
    /// rustup's, with the target added.
    Rustup,
    /// Debian's, which builds the standard library, too.
    Debian,
}

impl Toolchain {
    /// The one that is here for a target.
    pub(crate) fn of(root: &Path, target: &str) -> Result<Toolchain, String> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let sysroot = text(Command::new(rustc).current_dir(root).args(["--print", "sysroot"]))?;
        if Path::new(&sysroot).join("lib/rustlib").join(target).is_dir() {
            return Ok(Toolchain::Rustup);
        }
        if [DEBIAN_RUSTC, DEBIAN_CARGO].iter().all(|program| Path::new(program).exists())
            && Path::new(DEBIAN_SOURCES).is_dir()
        {
            return Ok(Toolchain::Debian);
        }
        Err(format!(
            "nothing here builds for {target}: run `rustup target add {target}`, or apt-get install rustc-web cargo-web \
             rust-web-src"
        ))
    }

    /// Its cargo, in the root of the workspace.
    pub(crate) fn cargo(self, root: &Path) -> Command {
        let mut command = match self {
            Toolchain::Rustup => cargo(root),
            Toolchain::Debian => Command::new(DEBIAN_CARGO),
        };
        command.current_dir(root);
        self.choose(&mut command);
        command
    }

    /// Makes a program that calls cargo use this toolchain.
    pub(crate) fn choose(self, command: &mut Command) {
        if self == Toolchain::Debian {
            command.env("CARGO", DEBIAN_CARGO).env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
            // Set by rustup for what its cargo runs; Debian's rustc is no such proxy.
            command.env_remove("RUSTUP_TOOLCHAIN");
        }
    }

    /// What cargo is asked for besides, for a program that a panic unwinds, or ends (`abort`).
    pub(crate) fn arguments(self, panic: &str) -> Option<String> {
        (self == Toolchain::Debian).then(|| format!("-Zbuild-std=std,panic_{panic}"))
    }
}
