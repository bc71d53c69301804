//! A log that is being written.

use serde_json::{Value, json};

use crate::client::Server;
use crate::fixture;
use crate::known::{Cell, are_same, figures, is_close, is_same, known};

const UNIX_EPOCH: i64 = recount_model::Timestamp::UNIX_EPOCH.0;

fn ms(ticks: i64) -> f64 {
    (ticks - UNIX_EPOCH) as f64 / 1e4
}

fn numbers(all: &Value) -> Vec<Option<f64>> {
    all.as_array().expect("a list").iter().map(Value::as_f64).collect()
}

#[test]
fn what_is_recorded_appears_and_stays_exact() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("now.rcap");
    let mut writer = fixture::begin(&path);
    fixture::append(&mut writer, 0..50);
    let server = Server::counted(std::slice::from_ref(&path));
    server.until(|server| server.get("progress")["growing"] == true);
    let version = server.get("progress")["version"].as_u64();
    let series = [r"\\WEB1\Memory\Page Faults/sec", r"\\WEB1\Process(python)\% Processor Time"];
    let asked: Vec<Value> = series.iter().map(|path| json!({"path": path})).collect();
    let end_of = |num: u64| ms(fixture::time(num - 1));
    let ask = |num: u64, width: usize| {
        let request = json!({"from": ms(fixture::time(0)) - 1.0, "to": end_of(num) + 1.0, "width": width, "series": asked, "wait": true});
        server.post("points", &request)["series"].clone()
    };
    assert_eq!(numbers(&ask(50, 1_000)[0]["samples"]["v"]).len(), 50);
    let mut sizes = vec![80, 81, 1_500];
    sizes.dedup();
    let mut before = 50;
    for num in sizes {
        fixture::append(&mut writer, before..num);
        server.until(|server| {
            server.get("progress")["end_ms"].as_f64().is_some_and(|end| (end - end_of(num)).abs() < 1e-3)
        });
        let known = known(std::slice::from_ref(&path));
        let (single, coarse) = (ask(num, 4_000), ask(num, 1));
        for (at, path) in series.iter().enumerate() {
            let cells: &Vec<Cell> = &known[*path];
            let values: Vec<Option<f64>> = cells.iter().map(|cell| cell.value).collect();
            assert!(are_same(&numbers(&single[at]["samples"]["v"]), &values), "{path} of {num}");
            let buckets = &coarse[at]["buckets"];
            let [min, mean, max] = figures(cells.iter()).expect("values");
            // The index may still have finer stretches.
            let found = |key: &str| numbers(&buckets[key]).into_iter().flatten().collect::<Vec<f64>>();
            assert!(is_same(found("min").into_iter().reduce(f64::min), Some(min)), "{path} of {num}");
            assert!(is_same(found("max").into_iter().reduce(f64::max), Some(max)), "{path} of {num}");
            if found("mean").len() == 1 {
                assert!(is_close(found("mean")[0], mean), "{path} of {num}");
            }
        }
        before = num;
    }
    assert!(server.get("progress")["version"].as_u64() > version);
    // Findings are recomputed, and say how far they reach.
    server.until(|server| {
        let end = server.get("report")["end_ms"].as_f64().expect("a time");
        (end - end_of(1_500)).abs() < 1e-3
    });
    let at = fixture::time(60);
    server.post("mark", &json!({"text": "deploy <b>", "at": ms(at)}));
    server.until(|server| server.get("capture")["sides"][0]["marks"][0]["text"] == "deploy <b>");
    let marked = server.get("capture")["sides"][0]["marks"][0]["ms"].as_f64().expect("a time");
    assert!((marked - ms(at)).abs() < 1.0, "{marked}");
    let refused = server.ask("mark", &json!({"text": "", "at": null}));
    assert_eq!(refused.status, 400);
    writer.finish().expect("closed");
    server.until(|server| server.get("progress")["growing"] == false);
}
