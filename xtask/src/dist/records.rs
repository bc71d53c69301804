//! What is known of the results: their sums, their parts, their licences; and the page, which is built by itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::place::{Place, VERSION, copy, write};
use super::targets::{FEATURES, Target};
use super::tools;
use crate::process::{succeed, text};

/// The licences of all dependencies, in every package.
pub(super) const LICENCES: &str = "THIRD-PARTY-LICENSES.html";
const SUMS: &str = "SHA256SUMS";

fn sbom_file() -> String {
    format!("recount-{VERSION}.cdx.json")
}

fn page_file() -> String {
    format!("recount-{VERSION}.html")
}

/// The parts of the program, of all targets.
pub(super) fn sbom(place: &Place) -> Result<(), String> {
    let name = "recount-sbom";
    let manifest = "crates/recount-cli/Cargo.toml";
    let mut command = tools::cargo_cyclonedx(place)?;
    command.args(["--manifest-path", manifest, "--features", FEATURES, "--format", "json"]);
    command.args(["--target", "all", "--spec-version", "1.5", "--override-filename", name]);
    command.env("SOURCE_DATE_EPOCH", &place.epoch);
    succeed(&mut command)?;
    // It writes one beside each manifest of the workspace.
    let file = format!("{name}.json");
    copy(&place.root.join("crates/recount-cli").join(&file), &place.result(&sbom_file()))?;
    let folders = ["crates", "samples"].iter().flat_map(|folder| fs::read_dir(place.root.join(folder)));
    let members = folders.flatten().flatten().map(|entry| entry.path());
    for folder in members.chain(["benches", "xtask"].map(|folder| place.root.join(folder))) {
        let _ = fs::remove_file(folder.join(&file));
    }
    Ok(())
}

pub(super) fn check_sbom(place: &Place) -> Result<(), String> {
    let text = read(place, &sbom_file())?;
    let is_whole =
        ["\"CycloneDX\"", "pkg:cargo/polars@", "pkg:cargo/sspi@"].iter().all(|part| text.contains(part));
    if is_whole { Ok(()) } else { Err(format!("{} lacks SQL, or remote machines", sbom_file())) }
}

/// The licences of the dependencies, with their texts (`packaging/about.toml`).
pub(super) fn licences(place: &Place) -> Result<(), String> {
    let mut command = tools::cargo_about(place)?;
    command.args(["generate", "--locked", "--offline", "--fail"]);
    command.args(["--manifest-path", "crates/recount-cli/Cargo.toml", "--features", FEATURES]);
    command.arg("--config").arg(place.packaging("about.toml"));
    command.arg("--output-file").arg(place.result(LICENCES)).arg(place.packaging("about.hbs"));
    succeed(&mut command)
}

/// The page with them, collected when it is first needed.
pub(super) fn licences_of_others(place: &Place) -> Result<PathBuf, String> {
    let page = place.result(LICENCES);
    if !page.is_file() {
        licences(place)?;
    }
    Ok(page)
}

pub(super) fn check_licences(place: &Place) -> Result<(), String> {
    let text = read(place, LICENCES)?;
    let is_whole = ["polars", "sspi", "zstd", "Apache License", "Permission is hereby granted"];
    match is_whole.iter().find(|part| !text.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("{LICENCES} lacks {part}")),
    }
}

pub(super) fn page(place: &Place) -> Result<(), String> {
    let page = place.root.join("target/page/recount.html");
    if page.is_file() {
        return copy(&page, &place.result(&page_file()));
    }
    println!("left out: `cargo xtask page` wasn't run");
    Ok(())
}

/// What is in the page is checked by `cargo xtask page --check`.
pub(super) fn check_page(place: &Place) -> Result<(), String> {
    let (made, taken) = (place.root.join("target/page/recount.html"), place.result(&page_file()));
    if !taken.is_file() {
        return Err(
            "target/dist has no page: run `cargo xtask page --check`, then this with --only page".to_owned()
        );
    }
    if fs::read(made).ok() == fs::read(taken).ok() {
        return Ok(());
    }
    Err("the page isn't the one in target/page".to_owned())
}

/// The names of the results, but for the list of sums itself.
fn names(place: &Place) -> Result<BTreeSet<String>, String> {
    let entries = fs::read_dir(place.results()).map_err(|error| error.to_string())?;
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    let names = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.filter(|name| name != SUMS).collect())
}

pub(super) fn sums(place: &Place) -> Result<(), String> {
    let mut command = Command::new("sha256sum");
    let sums = text(command.current_dir(place.results()).arg("--").args(names(place)?))?;
    write(&place.result(SUMS), format!("{sums}\n").as_bytes())
}

/// Every result has its sum and its version, and the sums are right. Sizes are shown.
pub(super) fn check_sums(place: &Place) -> Result<(), String> {
    let listed = read(place, SUMS)?;
    for name in names(place)? {
        if !listed.contains(&format!("  {name}\n")) {
            return Err(format!(
                "{SUMS} lacks {name}: files of another build? Empty target/dist, or build sums again"
            ));
        }
        let len = fs::metadata(place.result(&name)).map_err(|error| error.to_string())?.len();
        println!("{:>9.1} MB  {name}", len as f64 / 1e6);
    }
    for target in [Target::Glibc, Target::Static, Target::Arm64, Target::Windows] {
        if let Ok(program) = fs::metadata(target.program(place)) {
            println!("{:>9.1} MB  the program in {}", program.len() as f64 / 1e6, target.name());
        }
    }
    succeed(Command::new("sha256sum").current_dir(place.results()).args(["--check", "--quiet", SUMS]))
}

fn read(place: &Place, name: &str) -> Result<String, String> {
    fs::read_to_string(place.made(name)?).map_err(|error| format!("{name}: {error}"))
}
