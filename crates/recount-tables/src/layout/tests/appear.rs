//! Outputs appear whole or not at all, and never replace other files.

use recount_output::OutputError;

use super::objects::options;
use super::*;
use crate::{Layout, PartitionKey, TableError};

fn slice(second: i64) -> Vec<Cooked> {
    vec![cooked("h", &object("Disk", true, &[("X", RATE)]), &["a"], &[second])]
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("list");
    entries.map(|entry| entry.expect("entry").file_name().into_string().expect("text")).collect()
}

fn kinds() -> [TableOptions; 3] {
    let tidy = TableOptions::default();
    let partitioned = TableOptions { partition_by: vec![PartitionKey::Date], ..TableOptions::default() };
    [tidy, partitioned, options()]
}

#[test]
fn nothing_is_overwritten_unless_forced() {
    for options in kinds() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("out");
        write(&path, &options, &[], vec![slice(0)]);
        let error = create(&path, &options, &[]).err().expect("exists");
        assert!(matches!(error, TableError::Output(OutputError::Exists { .. })), "{error}");
        let before = std::fs::metadata(&path).expect("there").modified().expect("time");
        write(&path, &TableOptions { force: true, ..options }, &[], vec![slice(1), slice(2)]);
        assert!(std::fs::metadata(&path).expect("there").modified().expect("time") >= before);
        assert_eq!(names(directory.path()), ["out"], "nothing else is left");
        let file = match files_or_self(&path).as_slice() {
            [only] => only.clone(),
            several => several.iter().find(|file| file.ends_with("Disk.parquet")).expect("table").clone(),
        };
        assert_eq!(read(&file).len(), 3);
    }
}

fn files_or_self(path: &Path) -> Vec<std::path::PathBuf> {
    if path.is_file() { vec![path.into()] } else { files(path).iter().map(|file| path.join(file)).collect() }
}

#[test]
fn force_spares_what_recount_did_not_write() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("home");
    std::fs::create_dir_all(path.join("letters")).expect("directories");
    std::fs::write(path.join("letters/dear.txt"), "x").expect("file");
    for options in kinds() {
        let error = create(&path, &TableOptions { force: true, ..options }, &[]).err().expect("refused");
        let TableError::Output(error) = error else { panic!("{error}") };
        let is_refused = matches!(error, OutputError::ForeignFile { .. } | OutputError::NotReplaced { .. });
        assert!(is_refused, "{error}");
    }
    assert_eq!(files(&path), ["letters/dear.txt"]);
}

#[test]
fn failure_leaves_nothing() {
    for options in kinds() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("out");
        let mut sink = create(&path, &options, &[]).expect("create");
        sink.write(slice(5)).expect("write");
        assert!(!path.exists());
        let error = sink.write(slice(4)).expect_err("goes back in time");
        assert!(matches!(error, TableError::OutOfOrder { .. }), "{error}");
        assert!(matches!(sink.write(slice(9)), Err(TableError::Failed)));
        assert!(matches!(sink.finish(&Footer::default()), Err(TableError::Failed)));
        assert!(names(directory.path()).is_empty());
    }
}

#[test]
fn an_output_that_came_meanwhile_is_spared() {
    for options in kinds() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("out");
        let sink = create(&path, &options, &[]).expect("create");
        std::fs::write(&path, "mine").expect("file");
        let error = sink.finish(&Footer::default()).expect_err("is there");
        assert!(matches!(error, TableError::Output(OutputError::Exists { .. })), "{error}");
        assert_eq!(std::fs::read(&path).expect("file"), b"mine");
        assert_eq!(names(directory.path()), ["out"]);
    }
}

#[test]
fn times_that_do_not_fit_are_errors() {
    for options in kinds() {
        let directory = tempfile::tempdir().expect("directory");
        let mut sink = create(&directory.path().join("out"), &options, &[]).expect("create");
        let mut stretch = slice(0);
        stretch[0].times[0].utc = Timestamp(0x7000_0000_0000_0000);
        let error = sink.write(stretch).expect_err("year 27000");
        assert!(matches!(error, TableError::TimeOutOfRange { .. }), "{error}");
        assert!(error.to_string().contains("0x7000000000000000"), "{error}");
    }
}

#[test]
fn parts_that_do_not_fit_together_are_errors() {
    for options in [TableOptions { layout: Layout::Tidy, ..options() }, options()] {
        let directory = tempfile::tempdir().expect("directory");
        let mut stretch = slice(0);
        stretch[0].columns[0].values.push(1.0);
        let mut sink = create(&directory.path().join("out"), &options, &[]).expect("create");
        let error = sink.write(stretch).expect_err("one value too many");
        assert_eq!(error.to_string(), "object Disk: X has 2 entries where 1 are expected");
    }
}

#[test]
fn a_failure_names_the_file_as_the_user_does() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("out.parquet");
    let mut sink = create(&path, &TableOptions::default(), &[]).expect("begun");
    // No file can be created where the output is built.
    let aside = directory.path().join(names(directory.path()).remove(0));
    std::fs::remove_dir_all(&aside).expect("removed");
    std::fs::write(&aside, "").expect("a file in its place");
    let error = sink.write(slice(0)).and_then(|()| sink.finish(&Footer::default()).map(drop));
    let said = error.expect_err("no directory").to_string();
    assert!(said.starts_with(&path.display().to_string()), "{said}");
    assert!(!said.contains("table.") && !said.contains("External"), "{said}");
}
