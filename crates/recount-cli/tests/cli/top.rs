//! `recount top` without a terminal: one table.

use serde_json::Value;

use super::logs::log;
use super::run::{Outputs, recount, sample};

fn top(arguments: &[&str]) -> String {
    let objects = sample("objects.blg");
    recount(&[&["top", objects.as_str()], arguments].concat()).fine()
}

#[test]
fn the_processes_of_a_sample() {
    assert_eq!(
        top(&["--at", "+30s"]),
        "\
2013-02-20T10:00:30Z  PACIFIC  sample 3 of 8  Process
CPU 14.8 %, 2.79 % not attributed  memory 954 MiB available

instance     id  % Processor Time  Working Set  state
_Total        0            24.027   14,811,136
worker     1200                 8    4,923,392  ended
svchost#2   900                 6    3,694,592
svchost#1   800             5.333    3,284,992
svchost     700             4.667    2,875,392
System        4            0.0267       24,576
Idle          0                 0        8,192
"
    );
}

#[test]
fn a_time_between_samples_is_in_the_interval_of_the_later_one() {
    assert_eq!(top(&["--at", "+16s"]), top(&["--at", "+30s"]));
    assert_eq!(
        top(&["--at", "+30s"]).lines().next(),
        Some("2013-02-20T10:00:30Z  PACIFIC  sample 3 of 8  Process")
    );
    assert_eq!(top(&["--at", "+31s"]), top(&["--at", "+45s"]));
}

/// At every sample, every value is the newest that `show` has up to then.
#[test]
fn values_are_those_of_show() {
    let objects = sample("objects.blg");
    let mut num_compared = 0;
    for at in ["+0s", "+15s", "+30s", "+45s", "+1m45s"] {
        let table = top(&["--at", at, "-c", "Processor Time"]);
        let shown =
            recount(&["show", "--json", &objects, r"\Process(*)\% Processor Time", "--end", at]).stdout;
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        for line in table.lines().skip(4) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let path = format!(r"\\PACIFIC\Process({})\% Processor Time", words[0]);
            // Another process may have had the name before.
            let is_it = |one: &&Value| {
                let id = one["instance_id"].as_u64().map(|id| id.to_string());
                one["path"] == path.as_str() && id.is_none_or(|id| id == words[1])
            };
            // An id may be given again, too.
            let one = shown.as_array().expect("all").iter().rfind(is_it).expect("it");
            let value = match one["newest"].as_f64() {
                Some(value) => recount::analysis::shown::number(value),
                None => one["newest_status"].as_str().expect("a status").to_owned(),
            };
            assert_eq!(words[2], value, "{at} {path}");
            num_compared += 1;
        }
    }
    assert!(num_compared > 30, "{num_compared}");
}

#[test]
fn columns_and_order_are_chosen() {
    let text = top(&["--at", "+30s", "--sort", "working", "-c", "id process"]);
    let header = text.lines().nth(3).expect("a header");
    assert_eq!(header, "instance     id  ID Process  Working Set  state");
    assert!(text.lines().nth(5).expect("a row").starts_with("worker "), "{text}");
    let disks = top(&["--object", "physicaldisk"]);
    assert!(disks.starts_with("2013-02-20T10:01:45Z  PACIFIC  sample 8 of 8  PhysicalDisk\n"), "{disks}");
    assert!(disks.contains("\n1 D:                              0       no-operations "), "{disks}");
    let memory = top(&["--object", "Memory", "-c", "Faults"]);
    assert!(memory.ends_with("\ncounter          value\nPage Faults/sec    100\n"), "{memory}");
}

#[test]
fn an_object_or_counter_that_is_not_there_is_an_error_with_those_that_are() {
    let objects = sample("objects.blg");
    let error = recount(&["top", &objects, "--object", "Thread"]).failed();
    assert!(error.contains("no object is called \"Thread\"; there are Processor, Memory, "), "{error}");
    let error = recount(&["top", &objects, "--sort", "nonsense"]).failed();
    assert!(error.contains("Process has no counter \"nonsense\"; it has % Processor Time, "), "{error}");
    let error = recount(&["top", &objects, "--at", "mark:nothing"]).failed();
    assert!(error.contains("no time is marked \"nothing\""), "{error}");
    assert!(recount(&["top", &objects, "--at", "yesterday"]).failed().contains("expected a time"));
    let error = recount(&["top", &objects, "-c", r"\Memory\*"]).failed();
    assert!(
        error.contains(r#"no counter of Process matches, and Memory isn't shown; try --object "Memory""#),
        "{error}"
    );
}

/// Instances of several machines are shown with their machines.
#[test]
fn several_machines_are_one_table() {
    let outputs = Outputs::new();
    let boot = "2023-12-31T00:00:00Z";
    let one = outputs.write("1.blg", log("WEB1", boot, &["a", "b"], 0..5));
    let other = outputs.write("2.blg", log("WEB2", boot, &["c"], 0..5));
    let text = recount(&["top", &one, &other, "--at", "+3s"]).fine();
    assert_eq!(
        text,
        "\
2024-01-01T00:00:03Z  sample 4 of 5  Job

instance  host  Steps/sec  state
a         WEB1          5
b         WEB1          5
c         WEB2          5
"
    );
}

/// Times with an unknown zone aren't labelled UTC.
#[test]
fn a_time_of_an_unknown_zone_is_not_utc() {
    let done = recount(&["top", &sample("typeperf.tsv")]);
    assert!(
        done.stdout.starts_with("2026-11-20T09:15:03.25  TAPE  sample 3 of 3  Processor\n"),
        "{}",
        done.stdout
    );
    assert!(done.stderr.contains("no time zone recorded"), "{}", done.stderr);
}

/// 09:00 of a capture that begins at 22:00 is the next morning's.
#[test]
fn a_time_of_day_is_on_the_day_that_has_it() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("night.csv");
    let mut text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEB1\\Memory\\Available Bytes\"\r\n".to_owned();
    for hour in 22..34 {
        let (day, of_day) = (1 + hour / 24, hour % 24);
        text.push_str(&format!("\"02/0{day}/2024 {of_day:02}:00:00.000\",\"{hour}\"\r\n"));
    }
    std::fs::write(&path, text).expect("written");
    let path = path.display().to_string();
    for (at, expected) in [("09:00", "2024-02-02T09:00:00Z"), ("23:00", "2024-02-01T23:00:00Z")] {
        let text = recount(&["top", &path, "--object", "Memory", "--at", at]).fine();
        assert!(text.starts_with(expected), "{at}: {text}");
    }
    for outside in ["2024-02-01T21:00", "2024-02-02T11:00", "11:00", "+13h", "-13h", "2024-02-01T21:58:59"] {
        let error = recount(&["top", &path, "--object", "Memory", "--at", outside]).failed();
        let said =
            "is outside of the capture, which has samples from 2024-02-01T22:00:00Z to 2024-02-02T09:00:00Z";
        assert!(error.contains(said), "{outside}: {error}");
    }
    let text = recount(&["show", &path, "--begin", "23:00", "--end", "02:00", "--json"]).fine();
    let shown: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&shown[0]["min"], &shown[0]["max"]), (&23.0.into(), &26.0.into()));
}

#[test]
fn ids_of_other_things_are_not_shown() {
    let text = top_of_boots();
    assert!(text.contains("_Total") && !text.contains(" id "), "{text}");
}

/// The processors of a machine, whose sum has an id per boot.
fn top_of_boots() -> String {
    recount(&["top", &sample("sysstat.sa"), "--object", "Processor"]).fine()
}
