//! `cargo xtask dist`: builds what a release has into `target/dist`, and with `--check` installs and runs each of it in a clean
//! root (`RELEASE.md`).
//!
//! Files: `place` has the folders, `targets` the programs, `tools` what others wrote; `share` is what every package has beside the program;
//! `archives`, `packages`, `wheels` and `records` are what is built, `check` is what is tried.

mod archives;
mod check;
mod packages;
mod place;
mod records;
mod share;
mod targets;
mod tools;
mod wheels;

use std::path::Path;

use check::{archive, installed, python, unit, windows};
use place::Place;
use targets::Target;

type Made = Result<(), String>;

/// A part of a release.
pub(super) struct Part {
    name: &'static str,
    what: &'static str,
    build: fn(&Place) -> Made,
    check: fn(&Place) -> Made,
}

/// In the order in which they are built: what others need comes first.
const PARTS: &[Part] = &[
    Part {
        name: "sbom",
        what: "the parts of the program, as CycloneDX",
        build: records::sbom,
        check: records::check_sbom,
    },
    Part {
        name: "licences",
        what: "the licences of all that the program is made of",
        build: records::licences,
        check: records::check_licences,
    },
    Part {
        name: "linux",
        what: "x86-64 with glibc 2.28 or later, .tar.gz",
        build: |place| archives::tar_gz(place, Target::Glibc),
        check: archive::glibc,
    },
    Part {
        name: "linux-static",
        what: "x86-64 that needs no library (musl), .tar.gz",
        build: |place| archives::tar_gz(place, Target::Static),
        check: archive::without_libraries,
    },
    Part {
        name: "linux-arm64",
        what: "64-bit ARM with glibc 2.28 or later, .tar.gz",
        build: |place| archives::tar_gz(place, Target::Arm64),
        check: archive::arm64,
    },
    Part {
        name: "windows",
        what: "x86-64, .zip",
        build: |place| archives::zip(place, Target::Windows),
        check: windows::zip,
    },
    Part { name: "deb", what: "for Debian and Ubuntu", build: packages::deb, check: installed::deb },
    Part { name: "rpm", what: "for Fedora, RHEL and SUSE", build: packages::rpm, check: installed::rpm },
    Part {
        name: "unit",
        what: "nothing to build: the service that the two have",
        build: |_| Ok(()),
        check: unit::unit,
    },
    Part { name: "msi", what: "an installer for Windows", build: packages::msi, check: windows::msi },
    Part {
        name: "wheel",
        what: "for Python on Linux, manylinux 2_28",
        build: |place| wheels::wheel(place, Target::Glibc),
        check: python::wheel,
    },
    Part {
        name: "wheel-windows",
        what: "for Python on Windows",
        build: |place| wheels::wheel(place, Target::Windows),
        check: python::wheel_windows,
    },
    Part {
        name: "sdist",
        what: "the sources of the Python package",
        build: wheels::sdist,
        check: python::sdist,
    },
    Part {
        name: "page",
        what: "recount.html, if `cargo xtask page` has made it",
        build: records::page,
        check: records::check_page,
    },
    Part {
        name: "sums",
        what: "SHA256SUMS of all that is in target/dist",
        build: records::sums,
        check: records::check_sums,
    },
];

/// Builds or checks parts; `arguments` are those behind its name. One that fails doesn't keep the others from being tried.
pub(crate) fn dist(root: &Path, arguments: &[String]) -> Made {
    let (is_checked, parts) = asked(arguments)?;
    let place = Place::new(root)?;
    let mut failed = Vec::new();
    for part in parts {
        println!("== {}: {}", part.name, part.what);
        let done = if is_checked { (part.check)(&place) } else { (part.build)(&place) };
        if let Err(why) = done {
            println!("{}: failed: {why}", part.name);
            failed.push(part.name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// Whether to check, and which parts.
fn asked(arguments: &[String]) -> Result<(bool, Vec<&'static Part>), String> {
    let (mut is_checked, mut parts) = (false, Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--check" => is_checked = true,
            "--only" => {
                let names = words.next().ok_or_else(usage)?;
                for name in names.split(',') {
                    parts.push(PARTS.iter().find(|part| part.name == name).ok_or_else(usage)?);
                }
            }
            _ => return Err(usage()),
        }
    }
    if parts.is_empty() {
        parts = PARTS.iter().collect();
    }
    Ok((is_checked, parts))
}

fn usage() -> String {
    let parts = PARTS.iter().map(|part| format!("    {:<15} {}\n", part.name, part.what));
    format!("cargo xtask dist [--check] [--only PART,PART...]\n\n{}", parts.collect::<String>())
}
