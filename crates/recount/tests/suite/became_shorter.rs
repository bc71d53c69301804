//! A file that becomes shorter while it is read: the process that uses the library goes on, and no value is wrong.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use recount::{FindingKind, Layout, NameTable, Selection, open_all};

/// The child's capture.
const CAPTURE: &str = "RECOUNT_TEST_CAPTURE";

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

/// Opens a capture, cuts it to a length, and reads it in every way. Runs as a child, which a signal would end.
#[test]
fn child_reads_what_was_cut() {
    let Some(path) = std::env::var_os(CAPTURE).map(PathBuf::from) else { return };
    let len = fs::metadata(&path).expect("a file").len();
    let whole = open_all(std::slice::from_ref(&path), &NameTable::new()).expect("sound");
    let samples: Vec<u32> = (0..whole[0].source.times().len() as u32).collect();
    let runs = whole[0].source.decode(&samples, &Selection::all());
    assert!(runs.health.is_complete() && !(runs.runs.is_empty() && runs.cooked.is_empty()));
    for cut in [len - 1, len / 2, 4096.min(len / 3), 0] {
        let captures = open_all(std::slice::from_ref(&path), &NameTable::new()).expect("sound");
        let bytes = fs::read(&path).expect("a file");
        // As a rotation by copying does.
        File::options().write(true).open(&path).and_then(|file| file.set_len(cut)).expect("cut");
        let decoded = captures[0].source.decode(&samples, &Selection::all());
        assert!(decoded.runs.is_empty() && decoded.cooked.is_empty(), "values of a file cut at {cut}");
        assert!(decoded.health.count(FindingKind::Truncated) > 0, "{cut}: {:?}", decoded.health);
        let reader = captures[0].batches().layout(Layout::Tidy).reader();
        let num_rows: usize = reader.map_or(0, |reader| reader.flatten().map(|batch| batch.num_rows()).sum());
        assert_eq!(num_rows, 0, "rows of a file cut at {cut}");
        fs::write(&path, bytes).expect("restored");
    }
    std::io::stdout().write_all(b"went on\n").expect("standard output");
}

#[test]
fn a_process_goes_on_if_a_capture_becomes_shorter() {
    let directory = tempfile::tempdir().expect("a directory");
    let names = [
        "objects.blg",
        "circular.blg",
        "big-endian.bin",
        "session.pcq",
        "relog-german.csv",
        "typeperf.tsv",
        "sysstat-be.sa",
        "atop.raw",
    ];
    for name in names {
        let path = directory.path().join(name);
        fs::copy(sample(name), &path).expect("a copy");
        let child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "became_shorter::child_reads_what_was_cut", "--nocapture"])
            .env(CAPTURE, &path)
            .output()
            .expect("a child");
        let told =
            String::from_utf8_lossy(&child.stdout).into_owned() + &String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success() && told.contains("went on"), "{name}: {}: {told}", child.status);
    }
}
