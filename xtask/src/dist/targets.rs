//! The program for each system, in the profile `dist`, with SQL, remote machines and the server for models.

use std::path::PathBuf;

use super::place::Place;
use super::tools;
use crate::process::{succeed, tool};
use crate::toolchain::Toolchain;

/// What is left out of a plain `cargo install`.
pub(super) const FEATURES: &str = "sql,remote,mcp";

/// A system that programs are built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Linux x86-64 with glibc 2.28 or later: Debian 10, RHEL 8, and what is newer.
    Glibc,
    /// Linux x86-64 without any library.
    Static,
    /// Linux on 64-bit ARM, with glibc 2.28 or later.
    Arm64,
    /// Windows x86-64.
    Windows,
}

impl Target {
    pub(super) fn triple(self) -> &'static str {
        match self {
            Target::Glibc => "x86_64-unknown-linux-gnu",
            Target::Static => "x86_64-unknown-linux-musl",
            Target::Arm64 => "aarch64-unknown-linux-gnu",
            Target::Windows => "x86_64-pc-windows-gnu",
        }
    }

    /// As in names of archives.
    pub(super) fn name(self) -> &'static str {
        match self {
            Target::Glibc => "x86_64-linux",
            Target::Static => "x86_64-linux-static",
            Target::Arm64 => "aarch64-linux",
            Target::Windows => "x86_64-windows",
        }
    }

    /// The target as cargo-zigbuild has it, which also says which glibc is the oldest.
    fn of_zig(self) -> Option<String> {
        match self {
            Target::Glibc | Target::Arm64 => Some(format!("{}.2.28", self.triple())),
            Target::Static => Some(self.triple().to_owned()),
            Target::Windows => None,
        }
    }

    /// The file name of the program.
    pub(super) fn file(self) -> &'static str {
        if self == Target::Windows { "recount.exe" } else { "recount" }
    }

    /// Who builds for it.
    pub(super) fn toolchain(self, place: &Place) -> Result<Toolchain, String> {
        if self == Target::Windows {
            tool(&["x86_64-w64-mingw32-gcc"], "gcc-mingw-w64-x86-64-win32")?;
        }
        Toolchain::of(&place.root, self.triple())
    }

    /// Flags for rustc.
    pub(super) fn flags(self, toolchain: Toolchain) -> &'static [&'static str] {
        match (self, toolchain) {
            // zig brings what rustup's standard library has of musl and Debian's hasn't.
            (Target::Static, Toolchain::Debian) => &["-Clink-self-contained=no"],
            _ => &[],
        }
    }

    /// Where the program is, once it is built.
    pub(super) fn program(self, place: &Place) -> PathBuf {
        place.builds().join(self.triple()).join("dist").join(self.file())
    }
}

/// Builds the program. What is up to date isn't built again.
pub(super) fn build(place: &Place, target: Target) -> Result<PathBuf, String> {
    let toolchain = target.toolchain(place)?;
    let mut command = if let Some(name) = target.of_zig() {
        let mut command = tools::zigbuild(place, toolchain)?;
        command.args(["--target", &name]);
        command
    } else {
        let mut command = toolchain.cargo(&place.root);
        command.args(["build", "--target", target.triple()]);
        command
    };
    command.args(["--locked", "--profile", "dist", "--package", "recount-cli", "--features", FEATURES]);
    command.args(toolchain.arguments("unwind"));
    place.set_up(&mut command, target.flags(toolchain));
    succeed(&mut command)?;
    let program = target.program(place);
    if program.is_file() { Ok(program) } else { Err(format!("{} wasn't built", program.display())) }
}
