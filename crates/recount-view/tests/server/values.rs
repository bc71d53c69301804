//! Values of series and spans.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use recount::{ConvertOptions, OutputFormat, Span, Target, Timeline};
use recount_analysis::roster::Grouping;
use recount_analysis::stats::StatsOptions;
use recount_compute::unwatched;
use recount_model::{Status, Timestamp};
use serde_json::{Value, json};

use crate::client::{Server, sample};
use crate::fixture;
use crate::known::{Cell, Known, are_same, figures, is_close, is_same, known, open};

const UNIX_EPOCH: i64 = Timestamp::UNIX_EPOCH.0;

fn ms(ticks: i64) -> f64 {
    (ticks - UNIX_EPOCH) as f64 / 1e4
}

/// Rounded to the nearest.
fn ticks(ms: f64) -> i64 {
    let whole = ms.floor();
    UNIX_EPOCH + whole as i64 * 10_000 + ((ms - whole) * 1e4).round() as i64
}

fn numbers(all: &Value) -> Vec<Option<f64>> {
    all.as_array().expect("a list").iter().map(Value::as_f64).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Writes the log with processes that come and go.
pub(crate) fn log(directory: &Path, num_samples: u64) -> PathBuf {
    let path = directory.join("web1.rcap");
    fixture::write(&path, num_samples);
    path
}

fn points(server: &Server, window: (f64, f64, usize), paths: &[&str], wait: bool) -> Vec<Value> {
    let series: Vec<Value> = paths.iter().map(|path| json!({"side": 0, "path": path})).collect();
    let (from, to, width) = window;
    let request = json!({"from": from, "to": to, "width": width, "series": series, "wait": wait});
    server.post("points", &request)["series"].as_array().expect("a list").clone()
}

/// Compares single samples: time, value and status.
fn compare_samples(answer: &Value, cells: &[Cell], path: &str) {
    let samples = &answer["samples"];
    let times = numbers(&samples["t"]);
    assert_eq!(times.len(), cells.len(), "{path}");
    let values = numbers(&samples["v"]);
    for (at, cell) in cells.iter().enumerate() {
        let time = times[at].expect("a time");
        assert!((time - ms(cell.time)).abs() < 1e-3, "{path} {time}");
        // JSON has no infinity.
        let expected = cell.value.filter(|value| value.is_finite());
        assert!(is_same(values[at], expected), "{path} at {time}: {:?}, not {expected:?}", values[at]);
        let status = if cell.status == Status::Ok { "" } else { cell.status.as_str() };
        assert_eq!(samples["status"][at], status, "{path} at {time}");
    }
}

/// All paths in the catalogue of an answer.
fn listed(capture: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    let side = &capture["sides"][0];
    let host = side["hosts"][0].as_str().unwrap_or_default();
    for object in side["objects"].as_array().expect("objects") {
        for instance in object["instances"].as_array().expect("instances") {
            let host = instance["host"].as_str().unwrap_or(host);
            for counter in object["counters"].as_array().expect("counters") {
                let shown = instance["name"].as_str().expect("a name");
                let shown = if object["instanced"] == true { format!("({shown})") } else { String::new() };
                let (object, counter) =
                    (object["name"].as_str().expect("a name"), counter["name"].as_str().expect("a name"));
                let host = if host.is_empty() { String::new() } else { format!(r"\\{host}") };
                paths.insert(format!(r"{host}\{object}{shown}\{counter}"));
            }
        }
    }
    paths
}

/// Writes what a log says to a text or a table: of every n-th sample.
fn converted(log: &Path, format: OutputFormat, every: u32) -> PathBuf {
    let span = Span { every, ..Span::default() };
    let timeline = Timeline::of(&open(&[log.to_owned()]), &span).expect("one time line");
    let mut options = ConvertOptions::default();
    options.format = format;
    let path = log.with_file_name(format!("every-{every}.{}", format.extension()));
    recount::convert(&timeline, &Target::Path(path.clone()), &options, &unwatched).expect("converted");
    path
}

/// The log is believed, and shorter intervals are, whatever the order.
#[test]
fn what_was_made_of_a_log_changes_none_of_its_points() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = log(directory.path(), 400);
    let known = known(std::slice::from_ref(&log));
    let paths: Vec<&str> =
        known.keys().map(String::as_str).filter(|path| path.starts_with(r"\\WEB1\Memory\")).collect();
    assert_eq!(paths.len(), 2);
    let ends = [0, 399].map(|sample| ms(fixture::time(sample)));
    for format in [OutputFormat::Csv, OutputFormat::Parquet] {
        for every in [1, 3] {
            let made = converted(&log, format, every);
            for captures in [[log.clone(), made.clone()], [made, log.clone()]] {
                let server = Server::counted(&captures);
                let answer = points(&server, (ends[0] - 1.0, ends[1] + 1.0, 4_000), &paths, true);
                for (answer, path) in answer.iter().zip(&paths) {
                    compare_samples(answer, &known[*path], &format!("{path}, {captures:?}"));
                }
            }
        }
    }
}

#[test]
fn every_sample_of_the_samples_is_that_of_the_pipeline() {
    let names = [
        "objects.blg",
        "circular.blg",
        "counters-dst.blg",
        "damaged.blg",
        "big-endian.bin",
        "session.pcq",
        "typeperf.tsv",
        "rcap-1/closed.rcap",
        "rcap-1/killed.rcap",
        "rcap-1/damaged.rcap",
    ];
    for name in names {
        let paths = [sample(name)];
        let server = Server::counted(&paths);
        let (known, capture) = (known(&paths), server.get("capture"));
        let listed = listed(&capture);
        for path in known.keys() {
            assert!(listed.contains(path), "{name}: {path} isn't in the catalogue");
        }
        let window = (number(&capture["begin_ms"]) - 1.0, number(&capture["end_ms"]) + 1.0, 4_000);
        let all: Vec<&str> = known.keys().map(String::as_str).collect();
        for paths in all.chunks(64) {
            for (path, answer) in paths.iter().zip(points(&server, window, paths, false)) {
                assert_eq!(answer["exact"], true);
                compare_samples(&answer, &known[*path], &format!("{name}: {path}"));
            }
        }
    }
}

#[test]
fn figures_of_the_whole_are_those_of_stats() {
    for name in ["objects.blg", "circular.blg", "counters-dst.blg", "typeperf.tsv", "session.pcq"] {
        let paths = [sample(name)];
        let server = Server::counted(&paths);
        let capture = server.get("capture");
        let (begin, end) = (number(&capture["begin_ms"]), number(&capture["end_ms"]));
        let captures = crate::known::open(&paths);
        // By the names that are shown, as the charts.
        let options = StatsOptions { grouping: Grouping::default(), ..StatsOptions::default() };
        let timeline = recount::Timeline::whole(&captures).expect("one time line");
        let (series, _) = recount::stats(&timeline, &options, &recount::unwatched).expect("not cancelled");
        assert!(!series.is_empty());
        for expected in series.iter().filter(|one| one.count + one.num_nulls() > 2) {
            let path = expected.path().to_string();
            let answer = &points(&server, (begin, end, 1), &[&path], true)[0];
            assert_eq!(answer["exact"], true, "{path}");
            let buckets = &answer["buckets"];
            assert!(are_same(&numbers(&buckets["min"]), &[expected.min]), "{name}: {path}");
            assert!(are_same(&numbers(&buckets["max"]), &[expected.max]), "{name}: {path}");
            match (numbers(&buckets["mean"])[0], expected.mean) {
                (Some(mean), Some(expected_mean)) => {
                    assert!(is_close(mean, expected_mean), "{name}: {path}");
                }
                (mean, expected_mean) => assert_eq!(mean, expected_mean, "{name}: {path}"),
            }
        }
    }
}

/// Pseudo-random windows, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// Compares every bucket of an answer with the cells that are in it. `span` is the requested one.
fn compare_buckets(answer: &Value, cells: &[Cell], span: (i64, i64, usize), what: &str) {
    let buckets = &answer["buckets"];
    let (begin, step) = (number(&buckets["begin_ms"]), number(&buckets["step_ms"]));
    let [min, mean, max] = ["min", "mean", "max"].map(|key| numbers(&buckets[key]));
    let (from, to, width) = span;
    let is_asked = min.len() == width
        && ticks(begin) == from
        && (step * width as f64 - (to - from) as f64 / 1e4).abs() < 1e-3;
    for k in 0..min.len() {
        let edge = |k: usize| {
            if is_asked {
                // Exactly as the contract says.
                (i128::from(to - from) * k as i128).div_euclid(width as i128) as i64 + from
            } else {
                ticks(begin) + (step * 1e4).round() as i64 * k as i64
            }
        };
        let (after, until) = (edge(k), edge(k + 1));
        let is_first = is_asked || k == 0;
        let is_in = |cell: &&Cell| {
            (cell.time > after && cell.time <= until) || (k == 0 && is_first && cell.time == after)
        };
        let expected = figures(cells.iter().filter(is_in));
        let found = min[k].zip(mean[k]).zip(max[k]).map(|((min, mean), max)| [min, mean, max]);
        match (found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => {
                let is_it = is_same(Some(found[0]), Some(expected[0]))
                    && is_same(Some(found[2]), Some(expected[2]))
                    && is_close(found[1], expected[1]);
                assert!(is_it, "{what}, bucket {k}: {found:?}, not {expected:?}");
            }
            _ => panic!("{what}, bucket {k}: {found:?}, not {expected:?}"),
        }
    }
}

fn compare_window(server: &Server, known: &Known, paths: &[&str], window: (i64, i64, usize), wait: bool) {
    let (from, to, width) = window;
    for (path, answer) in paths.iter().zip(points(server, (ms(from), ms(to), width), paths, wait)) {
        let what = format!("{path} in {from} to {to} / {width}");
        let cells: Vec<Cell> =
            known[*path].iter().filter(|cell| (from..=to).contains(&cell.time)).copied().collect();
        if answer.get("samples").is_some() {
            compare_samples(&answer, &cells, &what);
        } else {
            assert!(answer["exact"] == true || !wait, "{what}");
            if answer["exact"] == true {
                compare_buckets(&answer, &known[*path], window, &what);
            }
        }
    }
}

#[test]
fn a_thousand_windows_have_the_exact_figures() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 4_200);
    let known = known(std::slice::from_ref(&path));
    let server = Server::counted(&[path]);
    let all: Vec<&str> = known.keys().map(String::as_str).collect();
    assert!(all.len() > 50 && known[r"\\WEB1\Rare\Turns/sec"].len() == 28);
    let (begin, end) = (fixture::time(0), fixture::time(4_199));
    let mut dice = Dice(42);
    for _ in 0..1_000 {
        let scale = 8 + dice.below(17);
        let len = 1 + dice.below(1 << scale).min((end - begin) as u64 / 10_000 + 5_000) as i64;
        let from =
            begin / 10_000 * 10_000 + (dice.below((end - begin) as u64 / 10_000) as i64 - 1_000) * 10_000;
        // Whole milliseconds, like the page's requests, so that borders are exact.
        let from = from - (from - UNIX_EPOCH) % 10_000;
        let window = (from, from + len * 10_000, 1 + dice.below(300) as usize);
        let mut paths: Vec<&str> =
            (0..=dice.below(5)).map(|_| all[dice.below(all.len() as u64) as usize]).collect();
        paths.extend([r"\\WEB1\Rare\Turns/sec", r"\\WEB1\Memory\Page Faults/sec"]);
        compare_window(&server, &known, &paths, window, dice.below(2) == 0);
    }
}

#[test]
fn raw_values_come_with_single_samples() {
    let server = Server::counted(&[sample("objects.blg")]);
    let capture = server.get("capture");
    let window = (number(&capture["begin_ms"]), number(&capture["end_ms"]), 100);
    let path = r"\Processor(_Total)\% Processor Time";
    let answer = &points(&server, window, &[path], false)[0]["samples"];
    // Busy time is the clock minus idle time, so the value follows from the raw values of two samples.
    let raw =
        |key: &str, at: usize| answer[key][at].as_str().expect("a number").parse::<f64>().expect("a number");
    for at in 1..8 {
        let idle = (raw("raw", at) - raw("raw", at - 1)) / (raw("base", at) - raw("base", at - 1));
        let value = numbers(&answer["v"])[at].expect("a value");
        assert!((value - 100.0 * (1.0 - idle)).abs() < 1e-9, "{value}");
    }
    let missing = numbers(&answer["v"])[0];
    assert_eq!((missing, answer["status"][0].as_str()), (None, Some("first-sample")));
}

#[test]
fn what_was_not_counted_yet_is_drawn_and_says_so() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 4_200);
    let known = known(std::slice::from_ref(&path));
    // The first request may come before anything has been counted; in any case, values marked as exact must
    // be exact.
    let server = Server::of(&[path]);
    let window = (fixture::BEGIN / 10_000 * 10_000, fixture::time(4_199), 90);
    let window = (
        window.0 - (window.0 - UNIX_EPOCH) % 10_000,
        window.1 - (window.1 - UNIX_EPOCH) % 10_000 + 10_000,
        90,
    );
    let path = r"\\WEB1\Memory\Page Faults/sec";
    for _ in 0..20 {
        compare_window(&server, &known, &[path], window, false);
    }
    compare_window(&server, &known, &[path], window, true);
}

#[test]
fn a_comparison_is_laid_on_the_first() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 300);
    let server = Server::comparing(&[sample("objects.blg")], Some(path), recount_view::Align::Start);
    let capture = server.get("capture");
    let [first, second] = [0, 1].map(|side| &capture["sides"][side]);
    assert_eq!(first["begin_ms"], second["begin_ms"]);
    let shift = number(&second["shift_ms"]);
    assert!((shift - (number(&first["begin_ms"]) - ms(fixture::time(0)))).abs() < 1e-3);
    let request = json!({
        "from": capture["begin_ms"], "to": capture["end_ms"], "width": 1_000, "series": [
            {"side": 1, "path": r"\Memory\Available Bytes"}, {"side": 0, "path": r"\Memory\Available Bytes"},
            {"side": 0, "path": r"\Rare\Turns/sec"}, {"side": 7, "path": r"\Memory\Available Bytes"},
        ],
    });
    let answer = &server.post("points", &request)["series"];
    assert_eq!(numbers(&answer[0]["samples"]["t"])[0], first["begin_ms"].as_f64());
    assert_eq!(answer[0]["samples"]["v"].as_array().map(Vec::len), Some(300));
    assert_eq!(answer[1]["samples"]["v"].as_array().map(Vec::len), Some(8));
    assert_eq!(
        (&answer[2]["error"], &answer[3]["error"]),
        (&json!("no such series"), &json!("no such series"))
    );
}
