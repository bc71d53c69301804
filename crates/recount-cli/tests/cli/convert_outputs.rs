//! `recount convert`: outputs that exist, and failures that leave nothing.

use super::run::{Outputs, recount, sample};
use super::tables::{num_rows, parquet};

#[test]
fn an_output_that_exists_is_not_touched() {
    let outputs = Outputs::new();
    for name in ["out.csv", "out.tsv", "out.parquet", "out.arrow"] {
        let path = outputs.write(name, "precious");
        let error = recount(&["convert", &sample("circular.blg"), "-o", &path]).failed();
        let told =
            format!("error: {path} already exists\nhint: choose another name, or --force to replace it\n");
        assert_eq!(error, told);
        assert_eq!(std::fs::read_to_string(&path).expect("still there"), "precious");
    }
    assert_eq!(outputs.files(), ["out.arrow", "out.csv", "out.parquet", "out.tsv"]);
}

#[test]
fn force_replaces_it() {
    let outputs = Outputs::new();
    for name in ["out.csv", "out.parquet", "out.arrow"] {
        let path = outputs.write(name, "old");
        recount(&["convert", &sample("circular.blg"), "-o", &path, "--force"]).fine();
        assert!(std::fs::read(&path).expect("a file").len() > 1_000);
    }
    let directory = outputs.path("tables");
    recount(&["convert", &sample("objects.blg"), "-o", &directory]).fine();
    recount(&["convert", &sample("objects.blg"), "-o", &directory]).failed();
    recount(&["convert", &sample("circular.blg"), "-o", &directory, "-f"]).fine();
    let tables = ["Process", "System", "_counters", "_nulls"].map(|name| format!("tables/{name}.parquet"));
    assert_eq!(outputs.files()[3..], tables);
    assert_eq!(num_rows(&parquet(&outputs.path(&tables[1]))), 30);
}

/// A log of whole objects would come back as a list of counters.
#[test]
fn force_does_not_replace_the_input() {
    let outputs = Outputs::new();
    let path = outputs.path("own.blg");
    std::fs::copy(sample("objects.blg"), &path).expect("copied");
    let before = std::fs::read(&path).expect("a log");
    let error = recount(&["convert", &path, "-o", &path, "--force"]).failed();
    assert!(error.contains("is also an input, which would be lost"), "{error}");
    assert_eq!(std::fs::read(&path).expect("a log"), before);
}

/// A mistyped name must not cost anyone a directory.
#[test]
fn force_does_not_replace_what_is_no_table() {
    let outputs = Outputs::new();
    let home = outputs.path("home");
    std::fs::create_dir(&home).expect("a directory");
    outputs.write("home/letter.txt", "precious");
    let error = recount(&["convert", &sample("circular.blg"), "-o", &home, "--force"]).failed();
    assert!(error.contains("holds") && error.contains("letter.txt, which recount did not write"), "{error}");
    let error = recount(&["convert", &sample("circular.blg"), "-o", &home, "--format", "csv", "-f"]).failed();
    assert!(error.contains("home"), "{error}");
    assert_eq!(outputs.files(), ["home/letter.txt"]);
}

#[test]
fn failures_leave_nothing_behind() {
    let outputs = Outputs::new();
    let input = sample("circular.blg");
    for name in ["out.csv", "out.parquet", "out.arrow", "out"] {
        let path = outputs.path(name);
        let late = ["--begin", "2030-01-01T00:00:00Z"];
        let error = recount(&[&["convert", input.as_str(), "-o", &path], &late[..]].concat()).failed();
        assert_eq!(
            error,
            "error: none of the 30 samples is in the requested time range: they are from 2020-01-01T08:00:00Z to \
             2020-01-01T08:00:29Z\n\
             hint: recount info FILE shows the span of a capture, in UTC and local time\n"
        );
        recount(&["convert", "nosuch.blg", "-o", &path]).failed();
        recount(&["convert", &input, "-o", &path, "-c", r"\\"]).failed();
    }
    recount(&["convert", &input, "-o", &outputs.path("out.csv"), "-c", "nosuch"]).failed();
    recount(&["convert", &input, "-o", &outputs.path("out.csv"), "--raw"]).failed();
    assert_eq!(outputs.files(), Vec::<String>::new());
}

#[test]
fn quiet_says_nothing() {
    let outputs = Outputs::new();
    let text = recount(&["convert", &sample("circular.blg"), "-o", &outputs.path("a.csv"), "--quiet"]).fine();
    assert_eq!(text, "");
    assert_eq!(outputs.files(), ["a.csv"]);
}
