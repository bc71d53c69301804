//! `recount query`

#![cfg(feature = "sql")]

use serde_json::{Value, json};

use super::run::{Outputs, recount, tx_basic};

fn rows(arguments: &[&str]) -> Value {
    let all = [&["query", "--format", "json"], arguments].concat();
    serde_json::from_str(&recount(&all).fine()).expect("JSON")
}

#[test]
fn captures_and_tables_answer_alike() {
    let (log, outputs) = (tx_basic(), Outputs::new());
    let tables = outputs.path("tables");
    recount(&["convert", &log, "-o", &tables, "--quiet"]).fine();
    let sql = r#"SELECT instance, count("% Processor Time") AS n, max("% Processor Time") AS most FROM processor GROUP BY instance ORDER BY most DESC"#;
    let of_log = rows(&[&log, sql]);
    assert_eq!(of_log, rows(&[&tables, sql]));
    assert_eq!(of_log[0]["instance"], "0");
    assert_eq!(of_log[0]["n"], 600);
    assert!((of_log[0]["most"].as_f64().expect("a number") - 81.251_213).abs() < 1e-3, "{of_log}");
}

#[test]
fn objects_are_joined_in_time() {
    let sql = r#"WITH cpu AS (SELECT time, "% Processor Time" AS busy FROM Processor WHERE instance = '_Total')
        SELECT count(*) AS n, min(time) AS begin FROM cpu JOIN "PhysicalDisk" USING (time) WHERE busy > 50"#;
    let found = rows(&[&tx_basic(), sql]);
    assert!(found[0]["n"].as_u64().is_some_and(|n| (1..10).contains(&n)), "{found}");
    assert!(found[0]["begin"].as_str().is_some_and(|time| time.starts_with("2013-02-20T02:")), "{found}");
}

#[test]
fn catalogue_and_reasons_are_tables_too() {
    let log = tx_basic();
    let units = rows(&[&log, "SELECT counter, unit FROM counters WHERE object = 'Processor'"]);
    assert_eq!(units, json!([{"counter": "% Processor Time", "unit": "%"}]));
    let reasons = rows(&[&log, "SELECT status, count(*) AS n FROM nulls GROUP BY status ORDER BY n"]);
    assert_eq!(reasons, json!([{"n": 10, "status": "first-sample"}, {"n": 453, "status": "no-operations"}]));
}

#[test]
fn a_part_of_the_capture() {
    let log = tx_basic();
    let sql = "SELECT count(*) AS n FROM Processor WHERE instance = '0'";
    let found = rows(&[&log, sql, "--begin", "2013-02-20T02:55:00Z", "--end", "2013-02-20T02:56:00Z"]);
    assert_eq!(found, json!([{"n": 60}]));
}

#[test]
fn names_that_are_not_there_lead_to_those_that_are() {
    let log = tx_basic();
    for (sql, expected) in [
        ("SELECT * FROM Procesor", "there is no table \"Procesor\"; there is \"Processor\""),
        ("SELECT \"Processor Time\" FROM Processor", "there is \"% Processor Time\""),
        ("SELECT x.\"Processor Time\" FROM Processor x", "there is \"% Processor Time\""),
        ("SHOW TABLES", "only SELECT and WITH are answered"),
        ("SELECT * FROM read_csv('/etc/hostname')", "the query: "),
        ("SELECT FROM", "the query: "),
        ("SELECT * FROM", "the query: "),
    ] {
        let said = recount(&["query", &log, sql]).failed();
        assert!(said.contains(expected), "{sql}: {said}");
    }
}
