//! Generated logs, kept below `target/bench-data` for the next run.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::generate::{Flavour, GENERATOR_VERSION, Parameters, generate};

/// The log of these parameters: generated now, or by an earlier run of the same generator.
pub fn bench_data(parameters: Parameters) -> Result<PathBuf> {
    let directory = directory();
    fs::create_dir_all(&directory).with_context(|| format!("create {}", directory.display()))?;
    let Parameters { flavour, len_file, seed } = parameters;
    let flavour = match flavour {
        Flavour::Objects => "objects",
        Flavour::List => "list",
    };
    let path = directory.join(format!("{flavour}-{len_file}-seed{seed}-v{GENERATOR_VERSION}.blg"));
    if !path.exists() {
        // Complete or not at all: an interrupted run leaves no partial log.
        let unfinished = path.with_extension("unfinished");
        generate(&unfinished, parameters)?;
        fs::rename(&unfinished, &path).with_context(|| format!("create {}", path.display()))?;
    }
    Ok(path)
}

/// `target/bench-data` of the workspace.
pub fn directory() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target
        .unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target")))
        .join("bench-data")
}
