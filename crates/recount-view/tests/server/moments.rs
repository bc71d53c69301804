//! Who it was, and what was there at a time.

use std::collections::{BTreeMap, BTreeSet};

use recount_compute::Cooked;
use serde_json::{Value, json};

use crate::client::Server;
use crate::fixture;
use crate::known::{Cell, are_same, cooked, figures, is_close, is_same, known};
use crate::values::log;

const UNIX_EPOCH: i64 = recount_model::Timestamp::UNIX_EPOCH.0;

fn ms(ticks: i64) -> f64 {
    (ticks - UNIX_EPOCH) as f64 / 1e4
}

/// Process ids and values of every sample.
type Samples = BTreeMap<i64, BTreeMap<u64, Vec<Option<f64>>>>;

fn samples(all: &[Cooked]) -> Samples {
    let mut samples = Samples::new();
    for cooked in all.iter().filter(|cooked| &*cooked.object.name == "Process") {
        for (sample, time) in cooked.times.iter().enumerate() {
            let of_time = samples.entry(time.utc.0).or_default();
            for (at, instance) in cooked.instances.iter().enumerate() {
                let cell = sample * cooked.instances.len() + at;
                let values = cooked.columns.iter().map(|column| column.value_at(cell)).collect();
                of_time.insert(instance.id.expect("an id"), values);
            }
        }
    }
    samples
}

fn rows(answer: &Value) -> &Vec<Value> {
    answer["rows"].as_array().expect("rows")
}

#[test]
fn stepping_shows_who_was_there_who_came_and_who_went() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 700);
    let samples = samples(&cooked(std::slice::from_ref(&path)));
    let server = Server::counted(&[path]);
    let times: Vec<i64> = samples.keys().copied().collect();
    let ids = |at: usize| samples[&times[at]].keys().copied().collect::<BTreeSet<u64>>();
    let mut at = ms(times[0]);
    let (mut num_began, mut num_ended) = (0, 0);
    for index in 0..times.len() {
        let step = i32::from(index > 0);
        let request =
            json!({"side": 0, "object": "Process", "at": at, "step": step, "sort": "% Processor Time"});
        let answer = server.post("instances", &request);
        assert_eq!(
            (answer["index"].as_u64(), answer["num_samples"].as_u64()),
            (Some(index as u64), Some(700))
        );
        at = answer["time_ms"].as_f64().expect("a time");
        assert!((at - ms(times[index])).abs() < 1e-3);
        let known = &samples[&times[index]];
        assert_eq!(rows(&answer).len(), known.len());
        let mut before = f64::INFINITY;
        for row in rows(&answer) {
            let id: u64 = row["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
            let values: Vec<Option<f64>> =
                row["values"].as_array().expect("values").iter().map(Value::as_f64).collect();
            assert!(are_same(&values, &known[&id]), "{index} {id}");
            let sorted = values[0].unwrap_or(f64::NEG_INFINITY);
            assert!(sorted <= before);
            before = sorted;
            let began = index > 0 && !ids(index - 1).contains(&id);
            let ended = index + 1 < times.len() && !ids(index + 1).contains(&id);
            assert_eq!(
                (row["began"].as_bool(), row["ended"].as_bool()),
                (Some(began), Some(ended)),
                "{index} {id}"
            );
            num_began += usize::from(began);
            num_ended += usize::from(ended);
        }
    }
    assert!(num_began > 5 && num_ended > 5, "processes come and go: {num_began}, {num_ended}");
    // There is nothing behind the last sample.
    let last = server.post("instances", &json!({"object": "Process", "at": at, "step": 1}));
    assert_eq!(last["index"], 699);
    let refused = server.ask("instances", &json!({"object": "Nothing", "at": at}));
    assert_eq!(refused.status, 404);
}

#[test]
fn the_top_of_a_span_and_of_the_one_before() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 4_200);
    let known = known(std::slice::from_ref(&path));
    let server = Server::counted(&[path]);
    // Short spans are decoded; in long ones only the edges are.
    for (from, to) in [(900, 960), (2_100, 4_100), (0, 4_199), (1_900, 2_050)] {
        let (from, to) = (fixture::time(from) - 10_000, fixture::time(to));
        let request = json!({"object": "Process", "counter": "Working Set", "from": ms(from), "to": ms(to), "limit": 1_000});
        let answer = server.post("top", &request);
        let (from, to) = (from.min(to), to);
        let of = |from: i64, to: i64| -> BTreeMap<&str, Vec<&Cell>> {
            let series = known.iter().filter(|(path, _)| path.ends_with(r"\Working Set"));
            series
                .map(|(path, cells)| {
                    let is_in = |cell: &&Cell| (from..=to).contains(&cell.time) && cell.value.is_some();
                    (path.as_str(), cells.iter().filter(is_in).collect::<Vec<_>>())
                })
                .filter(|(_, cells)| !cells.is_empty())
                .collect()
        };
        let (now, before) = (of(from, to), of(from - (to - from), from - 1));
        assert_eq!(rows(&answer).len(), now.len());
        let mut mean_before = f64::INFINITY;
        for row in rows(&answer) {
            let path = row["path"].as_str().expect("a path");
            let cells = &now[path];
            let [_, mean, max] = figures(cells.iter().copied()).expect("values");
            let number = |key: &str| row[key].as_f64().expect("a number");
            assert!(is_close(number("mean"), mean), "{path}: {} is not {mean}", number("mean"));
            assert!(is_same(row["max"].as_f64(), Some(max)), "{path}");
            assert!(number("mean") <= mean_before);
            mean_before = number("mean");
            if answer["exact"] == true {
                let (first, last) =
                    (cells[0].value.expect("a value"), cells[cells.len() - 1].value.expect("a value"));
                assert_eq!((row["last"].as_f64(), number("growth")), (Some(last), last - first), "{path}");
            }
            match before.get(path) {
                None => assert!(row["before"].is_null(), "{path}"),
                Some(cells) => {
                    let [_, mean, max] = figures(cells.iter().copied()).expect("values");
                    let found = &row["before"];
                    assert!(is_close(found["mean"].as_f64().expect("a number"), mean), "{path}");
                    assert_eq!(found["max"].as_f64(), Some(max), "{path}");
                }
            }
        }
    }
    let refused = server.ask("top", &json!({"object": "Process", "counter": "x", "from": 0, "to": 1}));
    assert_eq!(refused.status, 404);
}
