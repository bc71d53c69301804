//! `--since-start`: values of processes that began in the interval.

use super::run::{Outputs, recount, sample};

/// The cells of the sample's processes, as PDH text: a row per sample, with its columns.
fn cells(more: &[&str]) -> (Vec<String>, Vec<Vec<String>>) {
    let outputs = Outputs::new();
    let path = outputs.path("processes.csv");
    let log = sample("objects.blg");
    let arguments = ["convert", &log, "-o", &path, "-c", r"\Process(*)\*"];
    recount(&[&arguments, more].concat()).fine();
    let text = std::fs::read_to_string(&path).expect("text");
    let cells = |line: &str| line.split("\",\"").map(|cell| cell.trim_matches('"').to_owned()).collect();
    let mut lines = text.lines().map(cells);
    (lines.next().expect("a header"), lines.collect())
}

/// 64 processes began between two samples. Nothing else changes: the successor of one that ended has its id, and 824 % of two processors,
/// which can't be true.
#[test]
fn what_began_since_the_last_sample_has_a_value_if_asked() {
    let ((head, plain), (_, from_start)) = (cells(&[]), cells(&["--since-start"]));
    let mut added = Vec::new();
    for (one, other) in plain.iter().zip(&from_start) {
        for (at, (one, other)) in one.iter().zip(other).enumerate().filter(|(_, (one, other))| one != other) {
            assert!(one.trim().is_empty() && !other.trim().is_empty(), "{}: {one:?} {other:?}", head[at]);
            added.push((head[at].clone(), other.parse::<f64>().expect("a number")));
        }
    }
    assert_eq!(added.len(), 64, "{added:?}");
    assert!(added.iter().all(|(_, value)| *value <= 200.0), "{added:?}");
    assert!(added.iter().all(|(path, _)| path.ends_with(r"\% Processor Time")), "{added:?}");
    // 50 ms in the interval of 15 s.
    let of_compiler =
        added.iter().find(|(path, _)| path.contains("(compile-worker#3)")).map(|(_, value)| *value);
    assert!(of_compiler.is_some_and(|value| (value - 0.33).abs() < 0.01), "{added:?}");
}

#[test]
fn statistics_count_it() {
    let log = sample("objects.blg");
    let arguments = [
        "stats",
        &log,
        "-c",
        r"\Process(compile-worker#3)\% Processor Time",
        "--format",
        "json",
        "--since-start",
    ];
    let rows: serde_json::Value = serde_json::from_str(&recount(&arguments).fine()).expect("JSON");
    assert_eq!((&rows[0]["count"], &rows[0]["nulls"]), (&2.into(), &serde_json::json!({})), "{rows}");
}
