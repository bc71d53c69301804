//! `recount show`

use serde_json::{Value, json};

use super::run::tx_basic;
use super::run::{Outputs, recount, sample};
use super::tables::{csv, csv_values};

const CPU: &str = r"\Processor(0)\% Processor Time";

/// The one series that is shown.
fn one(arguments: &[&str]) -> Value {
    let log = tx_basic();
    let arguments = [&["show", "--json", log.as_str(), CPU], arguments].concat();
    let all: Value = serde_json::from_str(&recount(&arguments).fine()).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(1), "{all}");
    all[0].clone()
}

/// The same series as text, with its local times of day.
fn all_values() -> (Vec<String>, Vec<Option<f64>>) {
    let text = recount(&["convert", &tx_basic(), "-o", "-", "--format", "csv", "-c", CPU]).fine();
    let times = csv(&text)[1..].iter().map(|row| row[0][11..].to_owned()).collect();
    (times, csv_values(&text, CPU))
}

#[test]
fn a_series_that_ended_is_reported_by_its_last_values() {
    let text = recount(&["show", "--json", &sample("objects.blg"), r"\Process(svchost#2)\ID Process"]).fine();
    let all: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&all[0]["num_values"], &all[0]["max"]), (&json!(5), &json!(900.0)));
}

/// Some processes' files can't be read without root: normal, and no reason to begin every answer with a note.
#[test]
fn what_is_normal_in_a_recording_is_left_to_info() {
    let log = sample("rcap-1/closed.rcap");
    let shown = recount(&["show", &log]);
    assert!(shown.stderr.contains("the clock was set by 90.000 s"), "{}", shown.stderr);
    assert!(!shown.stderr.contains("permission denied"), "{}", shown.stderr);
    for command in ["info", "verify"] {
        let told = recount(&[command, &log]).fine();
        let line = told.lines().find(|line| line.contains("/proc/900/io: permission denied"));
        assert!(line.is_some_and(|line| line.contains("expected: 2026-03-29T00:59:56.0011863Z: ")), "{told}");
    }
}

/// A Russian log: bytes of a Windows code page, and a header that was cut within the zone's name.
#[test]
fn a_code_page_and_a_zone_can_be_named() {
    let outputs = Outputs::new();
    let (memory, available) = (
        "\u{41f}\u{430}\u{43c}\u{44f}\u{442}\u{44c}",
        "\u{414}\u{43e}\u{441}\u{442}\u{443}\u{43f}\u{43d}\u{43e}",
    );
    let in_1251 = |text: &str| -> Vec<u8> {
        let byte = |letter: char| {
            if letter < '\u{80}' { letter as u8 } else { (letter as u32 - 0x410 + 0xC0) as u8 }
        };
        text.chars().map(byte).collect()
    };
    let text = format!(
        "\"(PDH-CSV 4.0) (RTZ 2 (\",\"\\\\WEB1\\{memory}\\{available}\"\r\n\
         \"03/26/2015 22:42:15.123\",\"4096\"\r\n\"03/26/2015 22:42:16.123\",\"8192\"\r\n"
    );
    let csv = outputs.write("russian.csv", in_1251(&text));
    let info = |options: &[&str]| -> Value {
        let json = recount(&[&["info", "--json", &csv], options].concat()).fine();
        serde_json::from_str::<Value>(&json).expect("JSON")[0].take()
    };
    let said = info(&["--encoding", "windows-1251", "--zone", "Europe/Moscow"]);
    assert_eq!(said["first_sample"], json!("2015-03-26T19:42:15.123Z"));
    assert_eq!((&said["objects"][0]["object"], &said["num_findings"]), (&json!(memory), &json!(0)));
    let found = info(&[]);
    assert_eq!((&found["objects"][0]["object"], &found["is_zone_unknown"]), (&json!(memory), &json!(true)));
    let wrong = info(&["--encoding", "windows-1252", "--zone", "+03:00"]);
    assert_eq!(wrong["first_sample"], json!("2015-03-26T19:42:15.123Z"));
    assert_eq!(wrong["objects"][0]["object"], json!("\u{cf}\u{e0}\u{ec}\u{ff}\u{f2}\u{fc}"));
    let error = recount(&["show", &csv, "--encoding", "klingon"]).failed();
    assert!(error.contains("klingon"), "{error}");
}

/// These read the shared captures.
mod stored {
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_numbers_are_those_of_the_values() {
        let (_, values) = all_values();
        let values: Vec<f64> = values.into_iter().flatten().collect();
        let shown = one(&[]);
        let number = |field: &str| shown[field].as_f64().expect(field);
        assert_eq!(values.len(), 600);
        assert_eq!((&shown["num_values"], &shown["num_nulls"]), (&json!(600), &json!(1)));
        // Over time, as `stats` has it: the intervals differ by milliseconds.
        let stats = recount(&["stats", &tx_basic(), "-c", CPU, "--format", "json"]).fine();
        let stats: Value = serde_json::from_str(&stats).expect("JSON");
        assert_eq!(shown["mean"], stats[0]["mean"]);
        let plain = values.iter().sum::<f64>() / 600.0;
        assert!((number("mean") - plain).abs() < 1e-2 * plain, "{} {plain}", number("mean"));
        for (field, expected) in [
            ("newest", values.last().copied()),
            ("min", values.iter().copied().min_by(f64::total_cmp)),
            ("max", values.iter().copied().max_by(f64::total_cmp)),
        ] {
            assert_eq!(Some(number(field)), expected, "{field}");
        }
        assert_eq!((&shown["newest_status"], &shown["unit"]), (&json!("ok"), &json!("%")));
    }

    /// UTC, local time, and offsets from either end name the same minute.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn spans_in_every_form() {
        let (times, _) = all_values();
        let inside = |time: &&String| ("18:55:00.000".."18:56:00.001").contains(&time.as_str());
        let num_inside = times.iter().filter(inside).count() as u64;
        assert_eq!(num_inside, 60);
        let shown = |begin: &str, end: &str| one(&["--begin", begin, "--end", end]);
        let utc = shown("2013-02-20T02:55:00Z", "2013-02-20T02:56:00Z");
        // The first sample of the span is compared with the one before it.
        assert_eq!((&utc["num_values"], &utc["num_nulls"]), (&json!(num_inside), &json!(0)));
        assert_eq!(shown("2013-02-19T18:55:00-08:00", "2013-02-19T18:56:00-08:00"), utc);
        assert_eq!(shown("2013-02-19T18:55", "2013-02-19T18:56:00"), utc);
        // The first sample is at 18:50:17.844, the last at 19:00:17.840.
        assert_eq!(shown("+4m42s156ms", "+5m42s156ms"), utc);
        assert_eq!(shown("-5m17s840ms", "-4m17s840ms"), utc);
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn half_a_span_is_open_at_the_other_end() {
        let (times, _) = all_values();
        let num_from = times.iter().filter(|time| time.as_str() >= "18:55:00.000").count() as u64;
        let from = one(&["--begin", "2013-02-19T18:55"]);
        assert_eq!(from["num_values"], json!(num_from));
        let to = one(&["--end", "2013-02-19T18:55"]);
        assert_eq!(to["num_values"], json!(601 - num_from - 1));
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn as_a_table() {
        let text = recount(&["show", &tx_basic(), r"\PhysicalDisk(*)\Avg. Disk Bytes/Read"]).fine();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(lines[0], ["counter", "newest", "min", "mean", "max", "unit", "values", "missing"]);
        let path = r"\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Bytes/Read";
        assert_eq!(lines[1], [path, "no-operations", "1,024", "16,295.461", "146,602.667", "147", "454"]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn every_nth_sample() {
        assert_eq!(one(&["--every", "100"])["num_values"], json!(6));
        assert_eq!(one(&["--interval", "1m"])["num_values"], json!(10));
    }
}

/// The means that a command says of a log.
fn means(command: &str, log: &str) -> Vec<f64> {
    let all: Value = serde_json::from_str(&recount(&[command, "--json", log]).fine()).expect("JSON");
    let all = all.as_array().expect("series").iter();
    all.map(|series| series["mean"].as_f64().expect("a mean")).collect()
}

/// A recorder that was started again half a day later, on the same file: nobody watched in between.
#[test]
fn the_time_across_a_gap_counts_in_no_mean() {
    let outputs = Outputs::new();
    let mut text = String::from(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Processor(_Total)\\% Processor Time\",\"\\\\A\\Memory\\Available MBytes\"\n",
    );
    text.push_str(
        "\"05/25/2010 06:00:00.000\",\"10\",\"1000\"\n\"05/25/2010 19:53:00.000\",\"100\",\"5000\"\n",
    );
    for sample in 1..28 {
        let (minute, second) = (53 + sample / 4, sample % 4 * 15);
        let hour = 19 + minute / 60;
        let time = format!("{hour}:{:02}:{second:02}.000", minute % 60);
        text.push_str(&format!("\"05/25/2010 {time}\",\"20\",\"2000\"\n"));
    }
    let log = outputs.write("gap.csv", text);
    for command in ["show", "stats"] {
        assert_eq!(means(command, &log), [20.0, 2_000.0], "{command}");
    }
    // The first value of a span may be one across a gap, too.
    let all = recount(&["show", "--json", "--begin", "2010-05-25T19:00", &log]).fine();
    let all: Value = serde_json::from_str(&all).expect("JSON");
    assert_eq!((&all[0]["mean"], &all[0]["num_values"]), (&json!(20.0), &json!(28)), "{all}");
    let diff = outputs.path("d.json");
    recount(&["diff", &log, &log, "--json", &diff]).fine();
    let diff: Value = serde_json::from_str(&std::fs::read_to_string(&diff).expect("JSON")).expect("JSON");
    for change in diff["changes"].as_array().expect("changes") {
        let expected = if change["counter"] == "% Processor Time" { 20.0 } else { 2_000.0 };
        assert_eq!(change["base"]["mean"], json!(expected), "{change}");
    }
}

#[test]
fn the_mean_of_a_level_is_that_of_all_its_values() {
    let outputs = Outputs::new();
    let row = |(at, value): (usize, u32)| format!("\"03/02/2026 09:00:{:02}.000\",\"{value}\"\n", 15 * at);
    let rows: String = [1, 2, 3, 10].into_iter().enumerate().map(row).collect();
    let log = outputs.write(
        "level.csv",
        format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Memory\\Available MBytes\"\n{rows}"),
    );
    assert_eq!((means("show", &log), means("stats", &log)), (vec![4.0], vec![4.0]));
}
