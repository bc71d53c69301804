//! `recount convert`: several inputs.

use super::logs::log;
use super::run::{Outputs, recount, sample};
use super::tables::{csv, csv_values};

const BOOT: &str = "2023-12-31T00:00:00Z";

fn merged(paths: &[&str]) -> String {
    recount(&[&["convert", "-o", "-", "--format", "csv"], paths].concat()).fine()
}

/// k^2 steps by second k: 2k - 1 in the second before it.
fn steps(seconds: std::ops::Range<u32>) -> impl Iterator<Item = Option<f64>> {
    seconds.map(|second| Some(2.0 * f64::from(second) - 1.0))
}

/// The machine went on counting between the two: the first sample of the second log has a value.
#[test]
fn two_halves_of_a_log_are_one() {
    let outputs = Outputs::new();
    let whole = outputs.write("whole.blg", log("HOST", BOOT, &["a", "b"], 0..20));
    let first = outputs.write("first.blg", log("HOST", BOOT, &["a", "b"], 0..12));
    let second = outputs.write("second.blg", log("HOST", BOOT, &["a", "b"], 12..20));
    let text = merged(&[&first, &second]);
    let expected: Vec<Option<f64>> = std::iter::once(None).chain(steps(1..20)).collect();
    assert_eq!(csv_values(&text, "Job(a)"), expected);
    assert_eq!(text, merged(&[&whole]));
    assert_eq!(text, merged(&[&second, &first]), "the order of the arguments doesn't matter");
}

#[test]
fn nothing_is_computed_over_a_boot() {
    let outputs = Outputs::new();
    let first = outputs.write("first.blg", log("HOST", BOOT, &["a"], 0..4));
    let second = outputs.write("second.blg", log("HOST", "2024-01-01T00:00:03.5Z", &["a"], 4..7));
    // Boot times that differ by no more than the clock may have been set count as the same boot; an hour
    // doesn't.
    let third = outputs.write("third.blg", log("HOST", "2024-01-01T01:00:00Z", &["a"], 7..9));
    let values = csv_values(&merged(&[&first, &second, &third]), "Job(a)");
    let expected: Vec<Option<f64>> = [None]
        .into_iter()
        .chain(steps(1..4))
        .chain([None])
        .chain(steps(5..7))
        .chain([None])
        .chain(steps(8..9))
        .collect();
    assert_eq!(values, expected);
}

#[test]
fn hosts_stand_side_by_side() {
    let outputs = Outputs::new();
    let one = outputs.write("one.blg", log("ONE", BOOT, &["a"], 0..4));
    let two = outputs.write("two.blg", log("TWO", BOOT, &["a", "z"], 2..6));
    let text = merged(&[&one, &two]);
    let header = [r"\\ONE\Job(a)\Steps/sec", r"\\TWO\Job(a)\Steps/sec", r"\\TWO\Job(z)\Steps/sec"];
    assert_eq!(csv(&text)[0][1..], header);
    let one = csv_values(&text, "ONE");
    assert_eq!(one, [None, Some(1.0), Some(3.0), Some(5.0), None, None]);
    let two = csv_values(&text, r"\\TWO\Job(z)");
    assert_eq!(two, [None, None, None, Some(5.0), Some(7.0), Some(9.0)]);
}

/// A table of one of several machines is about that machine.
#[test]
fn a_table_names_the_machines_that_were_selected() {
    let outputs = Outputs::new();
    let one = outputs.write("one.blg", log("ONE", BOOT, &["a"], 0..4));
    let two = outputs.write("two.blg", log("TWO", BOOT, &["a", "z"], 2..6));
    let table = outputs.path("one.parquet");
    recount(&["convert", &one, &two, "-c", r"\\ONE\*", "-o", &table]).fine();
    let info: serde_json::Value =
        serde_json::from_str(&recount(&["info", "--json", &table]).fine()).expect("JSON");
    assert_eq!(info[0]["hosts"], serde_json::json!(["ONE"]));
}

#[test]
fn captures_of_different_counters_and_formats() {
    let outputs = Outputs::new();
    let job = outputs.write("job.blg", log("HOST", BOOT, &["a"], 0..3));
    let text =
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\HOST\\Memory\\Free\"\r\n\"01/01/2024 00:00:01.000\",\"7.5\"\r\n";
    let free = outputs.write("free.csv", text);
    let merged = merged(&[&free, &job]);
    assert_eq!(csv_values(&merged, "Job(a)"), [None, Some(1.0), Some(3.0)]);
    assert_eq!(csv_values(&merged, r"Memory\Free"), [None, Some(7.5), None]);
}

#[test]
fn a_directory_is_the_files_in_it() {
    let outputs = Outputs::new();
    let directory = outputs.path("captures");
    std::fs::create_dir(&directory).expect("a directory");
    outputs.write("captures/b.blg", log("HOST", BOOT, &["a"], 3..5));
    outputs.write("captures/a.blg", log("HOST", BOOT, &["a"], 0..3));
    outputs.write("captures/.hidden", "no capture");
    let expected: Vec<Option<f64>> = std::iter::once(None).chain(steps(1..5)).collect();
    assert_eq!(csv_values(&merged(&[&directory]), "Job(a)"), expected);
}

/// The readable parts of a damaged capture are written, and the rest is reported.
#[test]
fn a_damaged_capture_is_converted_as_far_as_it_goes() {
    let outputs = Outputs::new();
    let done = recount(&["convert", &sample("damaged.blg"), "-o", &outputs.path("out.csv")]);
    assert_eq!(done.code, Some(1));
    assert!(done.stdout.contains(": 7 samples, 7 rows, "), "{}", done.stdout);
    assert!(done.stderr.contains("dropped: whole object record at byte 0x"), "{}", done.stderr);
    let rows = csv(&std::fs::read_to_string(outputs.path("out.csv")).expect("the output"));
    assert_eq!(rows.len(), 8);
}

/// What a log is made into.
fn made(log: &str, form: &str) -> String {
    let path = format!("{log}.{form}");
    recount(&["convert", "-q", log, "-o", &path]).fine();
    path
}

/// Whichever comes first, units and ids are those of the log: two processes of one name stay two.
#[test]
fn what_was_made_of_a_log_takes_nothing_away_before_it() {
    let outputs = Outputs::new();
    for name in ["atop.raw", "objects.blg", "sysstat.sa", "pcp/web1.meta"] {
        let log = if name.starts_with("pcp") {
            sample(name)
        } else {
            outputs.write(name, std::fs::read(sample(name)).expect("a sample"))
        };
        let stats =
            |inputs: &[&str]| recount(&[&["stats", "-q", "--format", "json"], inputs].concat()).fine();
        let (alone, table) = (stats(&[&log]), outputs.path(&format!("{}.parquet", name.replace('/', "-"))));
        recount(&["convert", "-q", &log, "-o", &table]).fine();
        assert_eq!(stats(&[&log, &table]), alone, "{name}");
        assert_eq!(stats(&[&table, &log]), alone, "{name}, the table first");
    }
    let log = outputs.path("atop.raw");
    let text = made(&log, "csv");
    let units = |inputs: &[&str]| {
        let table = recount(&[&["stats", "-q", "-c", r"\Process(make)\CPU"], inputs].concat()).fine();
        table.lines().filter(|line| line.trim_end().ends_with('%')).count()
    };
    assert_eq!((units(&[&log]), units(&[&text, &log]), units(&[&log, &text])), (2, 2, 2));
}

/// A sample of two files is one.
#[test]
fn samples_of_several_files_are_counted_once() {
    let outputs = Outputs::new();
    let whole = outputs.write("whole.blg", log("HOST", BOOT, &["a"], 0..20));
    let first = outputs.write("first.blg", log("HOST", BOOT, &["a"], 0..12));
    let other = outputs.write("other.blg", log("OTHER", BOOT, &["a"], 0..20));
    let table = made(&whole, "parquet");
    let said = |inputs: &[&str], name: &str| {
        let output = outputs.path(name);
        let done = recount(&[&["convert", "-f", "-o", &output], inputs].concat());
        done.stdout.strip_prefix(&format!("{output}: ")).expect("the output").to_owned()
    };
    for name in ["x.parquet", "x.csv"] {
        for inputs in
            [&[&*whole, &first][..], &[&whole, &table], &[&table, &first], &[&first, &whole, &table]]
        {
            assert!(
                said(inputs, name).starts_with("20 samples, "),
                "{name} {inputs:?}: {}",
                said(inputs, name)
            );
        }
    }
    // Two machines are two.
    assert!(said(&[&whole, &other], "y.parquet").starts_with("40 samples, "));
}

/// Of several files, a finding names the one that it is about.
#[test]
fn what_is_found_names_its_file() {
    let outputs = Outputs::new();
    let sound = outputs.write("sound.blg", std::fs::read(sample("objects.blg")).expect("a sample"));
    let damaged = outputs.write("damaged.blg", std::fs::read(sample("damaged.blg")).expect("a sample"));
    let output = outputs.path("x.parquet");
    for arguments in [&["stats", &sound, &damaged][..], &["convert", "-f", "-o", &output, &sound, &damaged]] {
        let done = recount(arguments);
        let warnings: Vec<&str> = done.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert!(!warnings.is_empty(), "{}", done.stderr);
        let is_named = |line: &&str| line.starts_with(&format!("warning: {damaged}: "));
        assert!(warnings.iter().all(is_named), "{}", done.stderr);
        assert!(!warnings.iter().any(|line| line.contains("sound.blg")), "{}", done.stderr);
        let note =
            format!("note: {damaged}: odd: 7 of its samples are also in {sound}; each is counted once");
        assert!(done.stderr.lines().any(|line| line == note), "{}", done.stderr);
    }
}
