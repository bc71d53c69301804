//! Dumps and values as they were. `RECOUNT_BLESS=1` renews them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::places::{directory, sample, series};

/// Compares with the file, or, to renew it, writes it.
fn compare(path: &Path, bytes: &[u8]) {
    if std::env::var_os("RECOUNT_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(path, bytes).expect("renewing");
        return;
    }
    let kept = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (kept, found) = (String::from_utf8_lossy(&kept), String::from_utf8_lossy(bytes));
    for (number, (kept, found)) in (1..).zip(kept.lines().zip(found.lines())) {
        assert_eq!(found, kept, "{}, line {number}", path.display());
    }
    assert_eq!(found.len(), kept.len(), "{}", path.display());
}

/// What the command prints. Exit code 1 (findings) is as good as 0.
fn printed(arguments: &[&str], inputs: &[PathBuf]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_recount"))
        .args(arguments)
        .args(inputs)
        .output()
        .expect("running recount");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?} {inputs:?}: {errors}");
    output.stdout
}

fn dump(file: &str, golden: &str) {
    compare(&directory().join(golden), &printed(&["dump"], &[sample(file)]));
}

fn values(file: &str, golden: &str) {
    let arguments = ["convert", "-o", "-", "--format", "csv"];
    compare(&directory().join(golden), &printed(&arguments, &[sample(file)]));
}

#[test]
fn dumps_of_logs() {
    for name in ["objects", "counters-dst", "circular", "damaged"] {
        dump(&format!("{name}.blg"), &format!("{name}.dump.txt"));
    }
}

#[test]
fn dumps_of_blocks() {
    dump("big-endian.bin", "big-endian.dump.txt");
    dump("session.pcq", "session.dump.txt");
    for number in 1..=3 {
        dump(&format!("series/{number}.bin"), &format!("series-{number}.dump.txt"));
    }
}

#[test]
fn dumps_of_other_recorders_logs() {
    dump("sysstat.sa", "sysstat.dump.txt");
    dump("sysstat-be.sa", "sysstat-be.dump.txt");
    dump("sysstat-rhel6.sa", "sysstat-rhel6.dump.txt");
    dump("atop.raw", "atop.dump.txt");
    dump("pcp/web1.meta", "pcp/web1-meta.dump.txt");
    dump("pcp/web1.0", "pcp/web1-0.dump.txt");
}

#[test]
fn dumps_of_capture_logs() {
    for name in ["closed", "killed", "sealing", "damaged", "foreign", "tiny"] {
        dump(&format!("rcap-1/{name}.rcap"), &format!("rcap-1/{name}.dump.txt"));
    }
}

#[test]
fn values_of_every_sample() {
    let samples = recount_samples::captures::all().expect("samples");
    // The dumps are one capture, opened with its names, and the second file of an archive has none of its own.
    let is_capture = |name: &&str| !name.starts_with("series/") && *name != "pcp/web1.0";
    for name in samples.iter().map(|(name, _)| *name).filter(is_capture) {
        let (stem, _) = name.split_once('.').expect("an extension");
        values(name, &format!("{stem}.values.csv"));
    }
    let names = sample("series/Counter 009.txt").display().to_string();
    let arguments = ["convert", "-o", "-", "--format", "csv", "--names", &names];
    compare(&directory().join("series.values.csv"), &printed(&arguments, &series()));
}

/// Logs of version 1 of the format: read for ever as they were.
#[test]
fn values_of_capture_logs() {
    for name in ["closed", "killed", "sealing", "damaged"] {
        values(&format!("rcap-1/{name}.rcap"), &format!("rcap-1/{name}.values.csv"));
    }
    // The same log, with frames of others between its own.
    values("rcap-1/foreign.rcap", "rcap-1/closed.values.csv");
}

/// These read the shared captures.
mod stored {
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn dump_of_the_real_log() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tx-basic.dump.txt");
        compare(
            &golden,
            &printed(&["dump", "--samples", "2"], &[recount_testdata::shared_path("blg/tx-basic.blg")]),
        );
    }
}
