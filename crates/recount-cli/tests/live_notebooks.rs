//! The notebooks, run with a real kernel and the package installed, on captures that are made for it.
#![cfg(target_os = "linux")]

mod wheel;

use wheel::{environment, install, root, run};

/// Alone on the machine (.config/nextest.toml): a second load would be a second culprit.
#[test]
fn the_notebooks_run_and_find_what_they_say() {
    let notebooks = root().join("notebooks");
    let python = environment("environment-of-notebooks", &[notebooks.join("requirements.txt")]);
    install(&python);
    run(&python, [notebooks.join("run.py")], &root());
}
