//! The page's modules in isolation: computations are tested with Node.js, and all types are checked.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The output of a program, which has to succeed.
fn run(command: &mut Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{program} could not be run ({error}): install Node.js 20 or later"));
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    said
}

/// All files below a folder whose names have an end in common.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_str().is_some_and(|path| path.ends_with(end)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn what_computes_is_right() {
    let tests = files(&here().join("tests"), ".test.js");
    let said = run(Command::new("node").args(["--test", "--test-reporter=tap"]).args(&tests));
    let count = |key: &str| -> usize {
        let line = said.lines().find_map(|line| line.strip_prefix(key)).expect("a count of tests");
        line.trim().parse().expect("a number")
    };
    assert!(count("# pass ") >= tests.len() && count("# skipped ") == 0 && count("# todo ") == 0, "{said}");
}

/// The folder with the tools that package-lock.json pins, installed in `target/page-tools` unless that was done.
fn tools() -> PathBuf {
    let sources = here().join("tests/tools");
    // CARGO_TARGET_TMPDIR is target/tmp.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("page-tools");
    fs::create_dir_all(&folder).expect("target/page-tools");
    let lock = File::create(folder.join("lock")).expect("target/page-tools/lock");
    lock.lock().expect("locking target/page-tools");
    let wanted = fs::read_to_string(sources.join("package-lock.json")).expect("package-lock.json");
    // Only written after a complete installation.
    let installed = folder.join("installed-package-lock.json");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return folder;
    }
    for name in ["package.json", "package-lock.json"] {
        fs::copy(sources.join(name), folder.join(name)).expect("a copy in target/page-tools");
    }
    let arguments = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"].map(OsStr::new);
    run(Command::new("npm").args(arguments).arg(&folder).current_dir(&folder));
    fs::write(&installed, wanted).expect("target/page-tools/installed-package-lock.json");
    folder
}

fn checked(project: &Path) -> std::process::Output {
    let tsc = tools().join("node_modules/typescript/bin/tsc");
    Command::new("node").arg(tsc).arg("--project").arg(project).output().expect("running node")
}

#[test]
fn types_fit() {
    let done = checked(&here().join("page"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

/// The check sees the modules, and the chart library's types.
#[test]
fn types_that_do_not_fit_are_found() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live_page");
    fs::create_dir_all(&folder).expect("a folder");
    let module = here().join("page/time/clock.js");
    let wrong = format!(
        "import {{ Clock }} from {module:?};\nnew Clock({{}}).date(\"today\");\nnew uPlot().nothing();\n"
    );
    fs::write(folder.join("wrong.js"), wrong).expect("a module");
    let project = serde_json::json!({
        "extends": here().join("page/tsconfig.json"),
        "include": [folder.join("wrong.js"), here().join("page/uplot/uPlot.d.ts")],
    });
    fs::write(folder.join("tsconfig.json"), project.to_string()).expect("a project");
    let done = checked(&folder);
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(!done.status.success() && said.contains("wrong.js(2,") && said.contains("wrong.js(3,"), "{said}");
}
