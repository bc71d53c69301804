//! Our tables, judged by other people's readers: polars, duckdb and pyarrow have to find in them the values that the
//! capture holds (`formats/tables.md`).

use std::path::Path;
use std::process::Command;

use recount::{
    Capture, ConvertOptions, Layout, NameTable, OutputFormat, PartitionKey, Target, Timeline, convert,
    open_all,
};
use recount_testdata::shared_path;

mod python;

const BY_HOST_AND_DAY: [PartitionKey; 2] = [PartitionKey::Host, PartitionKey::Date];

#[test]
fn other_readers_find_the_values() {
    let capture = shared_path("blg/tx-basic.blg");
    let captures = open_all(std::slice::from_ref(&capture), &NameTable::new()).expect("a performance log");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();

    let tidy = ConvertOptions::default();
    let with = |change: &dyn Fn(&mut ConvertOptions)| {
        let mut options = tidy.clone();
        change(&mut options);
        options
    };
    let objects = with(&|options| options.layout = Layout::Objects);
    let by_day = |options: &ConvertOptions| {
        let mut options = options.clone();
        options.partition_by = BY_HOST_AND_DAY.to_vec();
        options
    };
    write(&captures, &folder.join("tidy.parquet"), &tidy, 6_010);
    write(&captures, &folder.join("raw.parquet"), &with(&|options| options.raw = true), 6_010);
    let arrow = with(&|options| options.format = OutputFormat::Arrow);
    write(&captures, &folder.join("tidy.arrow"), &arrow, 6_010);
    write(&captures, &folder.join("tidy-by-day"), &by_day(&tidy), 6_010);
    // A row for the disk and one for each of the five processors.
    write(&captures, &folder.join("objects"), &objects, 3_606);
    write(&captures, &folder.join("objects-by-day"), &by_day(&objects), 3_606);
    stream(&capture, &folder.join("tidy.arrows"));

    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats");
    let check = sources().join("check.py");
    python().run(&check, &[folder, &formats.join("tables.md")]);
}

/// Every page has a checksum that other readers check, and a flipped bit is found by them and by us.
#[test]
fn checksums_of_pages_are_read_and_checked() {
    let capture = shared_path("blg/tx-basic.blg");
    let captures = open_all(std::slice::from_ref(&capture), &NameTable::new()).expect("a performance log");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [whole, damaged] = ["whole.parquet", "damaged.parquet"].map(|name| folder.path().join(name));
    write(&captures, &whole, &ConvertOptions::default(), 6_010);
    let arguments = [whole.as_os_str(), "6010".as_ref(), damaged.as_os_str()];
    python().run(&sources().join("checksums.py"), &arguments);
    let stats = |path: &Path| {
        Command::new(env!("CARGO_BIN_EXE_recount")).arg("stats").arg(path).output().expect("running recount")
    };
    assert_eq!(stats(&whole).status.code(), Some(0));
    let found = stats(&damaged);
    let errors = String::from_utf8_lossy(&found.stderr);
    assert_ne!(found.status.code(), Some(0), "{errors}");
    assert!(
        errors.contains("checksum of the page at byte 0x") && errors.contains("column `value`"),
        "{errors}"
    );
}

/// `recount stats`, recomputed from the tables in exact arithmetic: captures and tables alike, in groups and in stretches.
#[test]
fn the_figures_of_stats_are_those_of_the_tables() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let oracle = sources().join("stats_oracle.py");
    for capture in [
        shared_path("blg/tx-basic.blg"),
        samples.join("objects.blg"),
        samples.join("rcap-1/closed.rcap"),
        samples.join("typeperf.tsv"),
    ] {
        let name = capture.file_stem().expect("a name").to_string_lossy().into_owned();
        let tables = folder.path().join(&name);
        recount(["convert", "--quiet", "-o"], &[&tables, &capture]);
        for (number, options) in
            [&[][..], &["--by", "7s"], &["--group-by", "host"], &["--by", "1m", "--group-by", "instance"]]
                .iter()
                .enumerate()
        {
            for input in [&capture, &tables] {
                let told = folder.path().join(format!("{name}-{number}.json"));
                let fixed = ["stats", "--force", "--format", "json", "-o"];
                let arguments: Vec<&str> = fixed
                    .into_iter()
                    .chain([told.to_str().expect("UTF-8")])
                    .chain(options.iter().copied())
                    .collect();
                recount(arguments, &[input]);
                let mut arguments = vec![tables.clone().into_os_string()];
                arguments.extend(options.iter().map(Into::into));
                arguments.extend(["--compare".into(), told.clone().into_os_string()]);
                python().run(&oracle, &arguments);
            }
        }
    }
}

/// Runs the command; its reports about health are left to other tests.
fn recount<'a>(arguments: impl IntoIterator<Item = &'a str>, paths: &[&Path]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recount"));
    let output = command.args(arguments).args(paths).output().expect("running recount");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
}

fn sources() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers")
}

fn python() -> python::Python {
    python::Python::install(&sources().join("requirements.txt"))
}

fn write(captures: &[Capture], path: &Path, options: &ConvertOptions, num_rows: u64) {
    let target = Target::Path(path.to_owned());
    let report =
        convert(&Timeline::whole(captures).expect("one time line"), &target, options, &recount::unwatched)
            .expect("tables");
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
