//! The notebooks, run with a real kernel on captures that are made for it.
#![cfg(target_os = "linux")]

use std::path::Path;

mod python;

/// Alone on the machine (.config/nextest.toml): a second load would be a second culprit.
#[test]
fn the_notebooks_run_and_find_what_they_say() {
    let notebooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks");
    let python = python::Python::install(&notebooks.join("requirements.txt"));
    python.run(&notebooks.join("run.py"), &["--recount", env!("CARGO_BIN_EXE_recount")]);
}
