//! `recount convert`: which counters and which samples.

use super::run::{Outputs, recount, sample};
use super::tables::{csv, csv_values};

/// PDH-CSV of a log of `System` and 40 processes.
fn text(arguments: &[&str]) -> String {
    let log = sample("circular.blg");
    recount(&[&["convert", log.as_str(), "-o", "-", "--format", "csv"], arguments].concat()).fine()
}

fn counters(arguments: &[&str]) -> Vec<String> {
    csv(&text(arguments))[0][1..].to_vec()
}

#[test]
fn patterns_add_up() {
    assert_eq!(counters(&["-c", r"\System\*"]), [r"\\RING\System\Context Switches/sec"]);
    let two = counters(&["-c", r"\System\*", "--counter", "process 1"]);
    assert_eq!(two.len(), 12, "{two:?}");
}

#[test]
fn patterns_without_a_match_are_reported() {
    let (log, none) = (sample("objects.blg"), r"\Memroy\*");
    let outputs = Outputs::new();
    let (table, page) = (outputs.path("x.parquet"), outputs.path("x.html"));
    for arguments in [
        &["list", &log, "Idle Time", none][..],
        &["show", &log, "Idle Time", none],
        &["stats", &log, "-c", "Idle Time", "-c", none],
        &["convert", &log, "-o", &table, "-c", r"\PhysicalDisk(*)\*", "-c", none],
        &["report", &log, "-o", &page, "-c", r"\PhysicalDisk(*)\*", "-c", none],
        &["diff", &log, &log, "-c", "Idle Time", "-c", none],
    ] {
        let done = recount(arguments);
        assert_eq!(
            (done.code, &*done.stderr),
            (Some(0), "note: no counter matches \\Memroy\\*; there is an object Memory\n"),
            "{arguments:?}"
        );
    }
}

#[test]
fn patterns_from_a_file() {
    let outputs = Outputs::new();
    let lines = "# of some processes\n\n\"\\Process(process 2*)\\Handle Count\"\r\n  Context  \n";
    let file = format!("@{}", outputs.write("patterns.txt", lines));
    assert_eq!(counters(&["-c", &file]).len(), 12);
    assert_eq!(counters(&["-c", &file, "-c", "process 39"]).len(), 13);
    let bad = format!("@{}", outputs.write("bad.txt", "disk\n\\\\\n"));
    let error =
        recount(&["convert", &sample("circular.blg"), "-o", &outputs.path("x.csv"), "-c", &bad]).failed();
    assert!(error.contains("bad.txt, line 2"), "{error}");
    let none = format!("@{}", outputs.write("none.txt", "# nothing\n"));
    let error =
        recount(&["convert", &sample("circular.blg"), "-o", &outputs.path("x.csv"), "-c", &none]).failed();
    assert!(error.contains("none.txt has no patterns"), "{error}");
}

/// A selection changes nothing about the values.
#[test]
fn a_selected_value_is_the_same_value() {
    let whole = csv_values(&text(&[]), "System");
    assert_eq!(csv_values(&text(&["-c", "Context"]), "System"), whole);
}

/// Rates over two intervals combine both.
#[test]
fn every_second_sample() {
    let log = sample("counters-dst.blg");
    let arguments = ["convert", &log, "-o", "-", "--format", "csv", "-c", "Ethernet"];
    let every = recount(&[&arguments[..], &["--every", "2"]].concat()).fine();
    // 600,000 (k^2 - (k-2)^2) bytes in 2,400 s.
    let expected = [None, Some(1_000.0), Some(3_000.0), Some(5_000.0), Some(7_000.0)];
    assert_eq!(csv_values(&every, "Ethernet"), expected);
    let interval = recount(&[&arguments[..], &["--interval", "40m"]].concat()).fine();
    assert_eq!(interval, every);
}

#[test]
fn a_span_of_samples() {
    let times = |arguments: &[&str]| -> Vec<String> {
        csv(&text(arguments))[1..].iter().map(|row| row[0][11..].to_owned()).collect()
    };
    // Both ends belong to the span; the first sample is at 08:00:00.
    let inside = |time: &String| ("08:00:10.000"..="08:00:20.000").contains(&time.as_str());
    let expected: Vec<String> = times(&[]).into_iter().filter(inside).collect();
    assert_eq!(times(&["--begin", "+10s", "--end", "+20s"]), expected);
    assert_eq!(expected.len(), 11);
}

/// `--begin` and `--end` in the hour that occurs twice.
#[test]
fn a_span_by_utc_over_the_end_of_daylight_saving_time() {
    let span = ["--begin", "2019-10-27T00:20:00Z", "--end", "2019-10-27T01:20:00Z"];
    let log = sample("counters-dst.blg");
    let text =
        recount(&[&["convert", log.as_str(), "-o", "-", "--format", "csv"], &span[..]].concat()).fine();
    let times: Vec<String> = csv(&text)[1..].iter().map(|row| row[0][11..16].to_owned()).collect();
    assert_eq!(times, ["02:20", "02:40", "02:00", "02:20"]);
}

#[test]
fn names_for_raw_dumps() {
    let names = sample("series/Counter 009.txt");
    let dumps = ["series/1.bin", "series/2.bin", "series/3.bin"].map(sample);
    let arguments =
        ["convert", &dumps[0], &dumps[1], &dumps[2], "--names", &names, "-o", "-", "--format", "csv"];
    let text = recount(&arguments).fine();
    let values = csv_values(&text, r"\\SERIES\System\Context Switches/sec");
    assert_eq!(values, [None, Some(1_234.5), Some(1_234.5)]);
    // The pattern refers to names, which the table supplies.
    let arguments = [&arguments[..], &["-c", r"\Network Interface(*)\Bytes*"]].concat();
    assert_eq!(csv(&recount(&arguments).fine())[0].len(), 2);
}
