//! Our tables, judged by other people's readers: polars, duckdb and pyarrow have to find in them the values that the
//! capture holds (`formats/tables.md`).

use std::path::Path;
use std::process::Command;

use recount::{
    Capture, ConvertOptions, Layout, NameTable, OutputFormat, PartitionKey, Target, convert, open,
};
use recount_testdata::shared_path;

#[path = "readers/python.rs"]
mod python;

const BY_HOST_AND_DAY: [PartitionKey; 2] = [PartitionKey::Host, PartitionKey::Date];

/// One test, so that the installation is made once.
#[test]
fn other_readers_find_the_values() {
    let capture = shared_path("blg/tx-basic.blg");
    let captures = open(std::slice::from_ref(&capture), &NameTable::new()).expect("a performance log");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();

    let tidy = ConvertOptions::default();
    let objects = ConvertOptions { layout: Layout::Objects, ..ConvertOptions::default() };
    let by_day = |options: &ConvertOptions| ConvertOptions {
        partition_by: BY_HOST_AND_DAY.to_vec(),
        ..options.clone()
    };
    write(&captures, &folder.join("tidy.parquet"), &tidy, 6_010);
    write(&captures, &folder.join("raw.parquet"), &ConvertOptions { raw: true, ..tidy.clone() }, 6_010);
    let arrow = ConvertOptions { format: OutputFormat::Arrow, ..tidy.clone() };
    write(&captures, &folder.join("tidy.arrow"), &arrow, 6_010);
    write(&captures, &folder.join("tidy-by-day"), &by_day(&tidy), 6_010);
    // A row for the disk and one for each of the five processors.
    write(&captures, &folder.join("objects"), &objects, 3_606);
    write(&captures, &folder.join("objects-by-day"), &by_day(&objects), 3_606);
    stream(&capture, &folder.join("tidy.arrows"));

    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats");
    python::Python::install().run("check.py", &[folder, &formats.join("tables.md")]);
}

fn write(captures: &[Capture], path: &Path, options: &ConvertOptions, num_rows: u64) {
    let target = Target::Path(path.to_owned());
    let report = convert(captures, &target, options, &|_| ()).expect("tables");
    assert!(report.health.is_sound(), "{:?}", report.health);
    assert_eq!((report.num_samples, report.num_rows), (601, num_rows), "{}", path.display());
}

/// Only the command writes to standard output.
fn stream(capture: &Path, path: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_recount"))
        .args(["convert", "--quiet", "--format", "arrow", "--output", "-"])
        .arg(capture)
        .output()
        .expect("running recount");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "recount convert --output -: {errors}");
    std::fs::write(path, output.stdout).expect("the stream as a file");
}
