//! Options of opening: a saved view, a second capture; and SQL queries.

use recount::TimeBound;
use recount::analysis::report::ViewFile;
use recount_model::Timestamp;
use recount_view::Align;
use serde_json::json;

use crate::client::{Server, sample};
use crate::fixture;
use crate::values::log;

fn ms(ticks: i64) -> f64 {
    (ticks - Timestamp::UNIX_EPOCH.0) as f64 / 1e4
}

const VIEW: &str = r"
[view]
begin = '+1m'
end = 'mark:deploy'

[[chart]]
title = 'Processors'
counters = ['\Process(svchost*)\% Processor Time', '\Process(nginx)\% Processor Time']
stacked = true

[[chart]]
title = 'Nothing'
counters = ['\Nothing\at all']
";

#[test]
fn a_saved_view_names_its_series_and_times() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 300);
    let at = Timestamp(fixture::time(200));
    recount::mark(&path, "deploy", Some(&TimeBound::Utc(at))).expect("a mark");
    let view = ViewFile::parse(VIEW).expect("a view");
    let server = Server::with_view(std::slice::from_ref(&path), view.clone());
    let shown = &server.get("capture")["view"];
    let paths = ["svchost", "svchost#1", "svchost#2", "svchost#3", "nginx"];
    let series =
        paths.map(|name| json!({"side": 0, "path": format!(r"\\WEB1\Process({name})\% Processor Time")}));
    assert_eq!(
        shown["charts"],
        json!([
            {"title": "Processors", "series": series, "stacked": true, "logarithmic": false},
            {"title": "Nothing", "series": [], "stacked": false, "logarithmic": false},
        ])
    );
    let time = |key: &str| shown[key].as_f64().expect("a time");
    assert!((time("from_ms") - ms(fixture::time(0)) - 60_000.0).abs() < 1.0);
    assert!((time("to_ms") - ms(at.0)).abs() < 1.0);
    assert!(shown["error"].is_null());
    // The charts are useful without the times.
    let unmarked = directory.path().join("unmarked.rcap");
    fixture::write(&unmarked, 20);
    let shown = &Server::with_view(&[unmarked], view).get("capture")["view"];
    assert!(shown["error"].as_str().is_some_and(|error| error.contains("deploy")), "{shown}");
    assert_eq!(
        (shown["to_ms"].as_f64(), shown["charts"][0]["series"].as_array().map(Vec::len)),
        (None, Some(5))
    );
}

#[test]
fn captures_are_laid_on_each_other_at_a_mark() {
    let directory = tempfile::tempdir().expect("a directory");
    let [first, second] = ["first.rcap", "second.rcap"].map(|name| {
        let path = directory.path().join(name);
        fixture::write(&path, 300);
        path
    });
    let marked = [(&first, 100), (&second, 250)];
    for (path, sample) in marked {
        let at = TimeBound::Utc(Timestamp(fixture::time(sample)));
        recount::mark(path, "deploy", Some(&at)).expect("a mark");
    }
    let align = Align::Mark("deploy".to_owned());
    let server = Server::comparing(&[first], Some(second), align);
    let sides = server.get("capture")["sides"].clone();
    let number = |side: usize, key: &str| sides[side][key].as_f64().expect("a number");
    let shift = ms(fixture::time(100)) - ms(fixture::time(250));
    assert!((number(1, "shift_ms") - shift).abs() < 1e-3);
    assert!((number(1, "begin_ms") - number(0, "begin_ms") - shift).abs() < 1e-3);
    let mark = |side: usize| sides[side]["marks"][0]["ms"].as_f64().expect("a time");
    assert!((mark(0) - mark(1)).abs() < 1e-3, "both marks are at one place");
    // The values of one sample, on the common axis.
    let path = r"\\WEB1\Memory\Available Bytes";
    let value_at = |side: usize, at: f64| {
        let series = [json!({"side": side, "path": path})];
        let request = json!({"from": at - 1.0, "to": at + 1.0, "width": 100, "series": series, "wait": true});
        server.post("points", &request)["series"][0]["samples"]["v"].clone()
    };
    let at = ms(fixture::time(100));
    assert_eq!(value_at(1, at), value_at(0, ms(fixture::time(250))));
    assert_ne!(value_at(1, at), value_at(0, at));
}

#[test]
fn the_report_is_only_what_the_page_lacks() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::counted(&[log(directory.path(), 60)]);
    let report = server.get("report");
    let html = report["html"].as_str().expect("sections");
    for there in ["id=\"findings\"", "id=\"health\"", "id=\"rules\""] {
        assert!(html.contains(there), "{there}");
    }
    for absent in ["class=\"intro\"", "class=\"overview\"", "id=\"start\""] {
        assert!(!html.contains(absent), "{absent}");
    }
}

#[cfg(not(feature = "sql"))]
#[test]
fn without_sql_a_query_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::counted(&[log(directory.path(), 20)]);
    assert_eq!(server.get("capture")["has_sql"], false);
    assert_eq!(server.ask("query", &json!({"sql": "select 1"})).status, 501);
}

#[cfg(feature = "sql")]
#[test]
fn a_query_is_a_table_or_a_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::counted(&[log(directory.path(), 20)]);
    assert_eq!(server.get("capture")["has_sql"], true);
    let sql = "select time, \"Available Bytes\" as free from \"Memory\" order by time limit 3";
    let answer = server.post("query", &json!({"sql": sql}));
    assert_eq!(answer["num_rows"], 3);
    assert_eq!(answer["columns"][0]["type"], "time");
    assert_eq!(answer["columns"][1], json!({"name": "free", "type": "number"}));
    let csv = server.ask("query", &json!({"sql": sql, "format": "csv"}));
    let text = String::from_utf8(csv.body).expect("a text");
    assert!(csv.head.contains("text/csv") && text.lines().count() == 4, "{text}");
    for (line, row) in text.lines().skip(1).zip(answer["rows"].as_array().expect("rows")) {
        let value = line.rsplit(',').next().expect("a value").parse::<f64>().expect("a number");
        assert_eq!(Some(value), row[1].as_f64());
    }
    let parquet = server.ask("query", &json!({"sql": sql, "format": "parquet"}));
    assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));
    let wrong = server.ask("query", &json!({"sql": "select nothing from nowhere"}));
    assert_eq!(wrong.status, 400);
    assert!(String::from_utf8_lossy(&wrong.body).contains("nowhere"));
}

#[test]
fn a_view_that_ends_before_it_begins_is_refused() {
    let view = ViewFile::parse("[view]\nbegin = '+2m'\nend = '+1m'\n").expect("a view");
    let path = sample("objects.blg");
    let refused = Server::refused(&[path], view);
    assert!(refused.contains("saved.view.toml: its span ends before it begins"), "{refused}");
}
