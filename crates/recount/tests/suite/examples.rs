//! The examples run, and print what they promise.

use std::path::PathBuf;
use std::process::Command;

/// Runs an example, which cargo has built beside the tests, and gives what it printed.
fn example(name: &str, arguments: &[&str]) -> String {
    let test = std::env::current_exe().expect("this program");
    let directory: PathBuf = test.ancestors().nth(2).expect("the directory of the profile").join("examples");
    let program = directory.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let what = format!("{}: `cargo build --examples -p recount` builds it", program.display());
    let output = Command::new(&program).args(arguments).output().expect(&what);
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn print() {
    let printed = example("print", &[]);
    for line in ["_Total\t% Processor Time\t14.133333333333331", "\t% Committed Bytes In Use\t31.25"] {
        assert!(printed.lines().any(|printed| printed == line), "{line}: {printed}");
    }
}

#[test]
fn one_object() {
    assert!(example("one_object", &[]).starts_with("mean of 7 values: "));
}

#[test]
fn to_parquet() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = directory.path().join("objects.parquet");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    let printed = example("to_parquet", &[sample, &output.display().to_string()]);
    let num_rows = example("print", &[]).lines().count();
    assert_eq!(printed.trim_end(), format!("{}: {num_rows} rows", output.display()));
}

#[test]
fn custom_rule() {
    let printed = example("custom_rule", &[]);
    assert!(printed.starts_with("warning: ") && printed.contains("Processor"), "{printed}");
}

#[cfg(all(target_os = "linux", feature = "live-tests"))]
#[test]
fn live_record() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("now.rcap").display().to_string();
    let printed = example("record", &[&log]);
    assert!(printed.starts_with(&format!("{log}: ")) && printed.contains(" samples, "), "{printed}");
}
