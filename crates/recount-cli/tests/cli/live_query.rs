//! `recount query`

#![cfg(feature = "sql")]

use serde_json::{Value, json};

use super::run::{Outputs, recount, sample, tx_basic};
use super::tables::{columns, parquet};

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
fn times_are_rounded_down_to_buckets() {
    let log = tx_basic();
    let buckets = |call: &str| {
        let sql = format!(
            "SELECT {call} AS bucket, count(*) AS n, min(time) AS first, max(time) AS last FROM Processor \
             WHERE instance = '0' GROUP BY bucket ORDER BY bucket"
        );
        rows(&[&log, &sql])
    };
    let minutes = buckets("date_trunc('minute', time)");
    assert_eq!(minutes, buckets("time_bucket(INTERVAL '1 minute', time)"));
    assert_eq!(minutes, buckets("time_bucket(INTERVAL 60 SECOND, time)"));
    let rows = minutes.as_array().expect("rows");
    assert_eq!(rows.iter().filter_map(|row| row["n"].as_u64()).sum::<u64>(), 601);
    for row in rows {
        let text = |name: &str| row[name].as_str().expect("a time").to_owned();
        assert!(
            text("first")[..16] == text("bucket")[..16] && text("last")[..16] == text("bucket")[..16],
            "{row}"
        );
        assert!(text("bucket").ends_with(":00Z"), "{row}");
    }
    let sizes = |call: &str| buckets(call).as_array().expect("rows").len();
    assert_eq!((sizes("time_bucket('5m', time)"), sizes("date_trunc('week', time)")), (3, 1));
    for (call, expected) in [
        ("date_trunc('month', time)", "date_trunc: expected a unit from millisecond to week"),
        ("time_bucket(5, time)", "found '5'"),
        ("date_trunc(time)", "expected date_trunc('5 minutes', time)"),
    ] {
        let said = recount(&["query", &log, &format!("SELECT {call} FROM Processor")]).failed();
        assert!(said.contains(expected), "{call}: {said}");
    }
}

#[test]
fn names_that_are_not_there_lead_to_those_that_are() {
    let log = tx_basic();
    for (sql, expected) in [
        ("SELECT * FROM Procesor", "there is no table \"Procesor\"; there is \"Processor\""),
        ("SELECT \"Processor Time\" FROM Processor", "there is \"% Processor Time\""),
        ("SELECT x.\"Processor Time\" FROM Processor x", "there is \"% Processor Time\""),
        ("DESCRIBE Procesor", "there is no table \"Procesor\"; there is \"Processor\""),
        (
            "DROP TABLE Processor",
            "only SELECT, WITH, SHOW TABLES, SHOW COLUMNS FROM and DESCRIBE are answered",
        ),
        ("WITH Memory AS (SELECT * FROM Memory) SELECT * FROM Memory", "reads a table of the same name"),
        ("SELECT * FROM read_csv('/etc/hostname')", "the query: "),
        ("SELECT \"_Total\" FROM Processor", "text is written in single quotes: '_Total'"),
        ("SELECT FROM", "the query: "),
        ("SELECT * FROM", "the query: "),
    ] {
        let said = recount(&["query", &log, sql]).failed();
        assert!(said.contains(expected), "{sql}: {said}");
    }
}

/// Counters with the names of other columns, one with quotation marks, and objects whose names aren't words.
const NAMESAKES: &str = r#""(PDH-CSV 4.0) (UTC)(0)","\\h\A B(x)\host","\\h\A B(x)\Rate","\\h\A B(x)\TIME","\\h\A B(x)\say ""a""","\\h\Other\n"
"02/20/2013 02:00:00.000","1","2","3","4","5"
"02/20/2013 02:00:01.000","10","20","30","40","50"
"#;

#[test]
fn columns_are_those_of_converted_tables() {
    let outputs = Outputs::new();
    let text = outputs.write("namesakes.csv", NAMESAKES);
    for (log, object, table) in [
        (&text, "A B", "a_b"),
        (&sample("objects.blg"), "PhysicalDisk", "physical_disk"),
        (&sample("objects.blg"), "Memory", "memory"),
        (&tx_basic(), "Processor", "Processor"),
    ] {
        let tables = outputs.path("tables");
        recount(&["convert", log, "-o", &tables, "--force", "--quiet"]).fine();
        let mut expected = columns(&parquet(&format!("{tables}/{object}.parquet")));
        // In a query every table has the columns of instances, in their place.
        expected.retain(|name| !["instance", "instance_id"].contains(&name.as_str()));
        for (at, name) in ["instance", "instance_id"].into_iter().enumerate() {
            expected.insert(4 + at, name.to_owned());
        }
        let answer = outputs.path("answer.parquet");
        recount(&["query", log, &format!("SELECT * FROM {table}"), "-o", &answer, "--force"]).fine();
        assert_eq!(columns(&parquet(&answer)), expected);
        let described = rows(&[log, &format!("DESCRIBE {table}")]);
        let described: Vec<&str> =
            described.as_array().expect("rows").iter().filter_map(|row| row["column"].as_str()).collect();
        assert_eq!(described, expected);
    }
}

#[test]
fn namesakes_are_distinguished_by_number() {
    let outputs = Outputs::new();
    let log = outputs.write("namesakes.csv", NAMESAKES);
    let sql = r#"SELECT "host (2)" AS a, "Rate" AS b, "TIME (2)" AS c, "say ""a""" AS d, host FROM "A B" WHERE "Rate" > 4"#;
    assert_eq!(rows(&[&log, sql]), json!([{"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0, "host": "h"}]));
    // Of tidy tables it isn't known beforehand which objects they hold.
    let tidy = outputs.path("tidy.parquet");
    recount(&["convert", &log, "-o", &tidy, "--quiet"]).fine();
    assert_eq!(rows(&[&tidy, sql])[0]["c"], 30.0);
    assert_eq!(rows(&[&tidy, "SELECT sum(n) AS n FROM OTHER"]), json!([{"n": 55.0}]));
    let said = recount(&["query", &tidy, "SELECT * FROM othr"]).failed();
    assert!(said.contains("there is \"Other\""), "{said}");
}

#[test]
fn a_query_may_give_a_part_of_itself_the_name_of_a_table() {
    let sql = r#"WITH processor AS (SELECT time, "% Processor Time" AS busy FROM Processor WHERE instance = '0')
        SELECT count(*) AS n, count(busy) AS b FROM processor"#;
    assert_eq!(rows(&[&tx_basic(), sql]), json!([{"n": 601, "b": 600}]));
}

#[test]
fn tables_are_listed() {
    let log = sample("objects.blg");
    let row = |table: &str, instances: Option<u64>, counters: Option<u64>| json!({"table": table, "instances": instances, "counters": counters});
    let expected = [
        row("Processor", Some(3), Some(3)),
        row("Memory", None, Some(3)),
        row("PhysicalDisk", Some(3), Some(4)),
        row("Process", Some(71), Some(4)),
        row("counters", None, None),
        row("nulls", None, None),
        row("_processes", None, None),
    ];
    assert_eq!(rows(&[&log, "SHOW TABLES"]), json!(expected));
    let listed = recount(&["query", &log]).fine();
    let memory = r#"Memory                -  time, interval_s, weight_s, host, instance, instance_id, "Available Bytes", "Page Faults/sec", "% Committed Bytes In Use""#;
    assert_eq!(listed.lines().nth(2), Some(memory));
    assert_eq!(recount(&["query", &log, &sample("circular.blg")]).fine().lines().count(), 9);
}

#[test]
fn processes_are_joined_by_id_and_time() {
    let log = sample("objects.blg");
    let worker =
        rows(&[&log, "SELECT name, shown, pid, count FROM _processes WHERE pid = 1200 AND name = 'worker'"]);
    assert_eq!(worker[0], json!({"name": "worker", "shown": "worker (pid 1200)", "pid": 1200, "count": 1}));
    let sql = r"SELECT p.instance, d.shown FROM Process p JOIN _processes d ON p.instance_id = d.pid
        WHERE p.time >= d.first_seen AND p.time <= d.last_seen AND d.name = 'worker'";
    let joined = rows(&[&log, sql]);
    let all = joined.as_array().expect("rows");
    assert!(
        !all.is_empty()
            && all.iter().all(|row| row["instance"].as_str().is_some_and(|name| name.starts_with("worker"))),
        "{joined}"
    );
}

#[test]
fn columns_are_listed() {
    let log = sample("objects.blg");
    let disk = recount(&["query", &log, "DESCRIBE physical_disk", "--format", "csv"]).fine();
    let expected = "column,type,unit,counter_type\ntime,time,,\ninterval_s,float64,sec,\nweight_s,float64,sec,\nhost,text,,\ninstance,text,,\n\
        instance_id,uint64,,\nCurrent Disk Queue Length,float64,,PERF_COUNTER_RAWCOUNT\n\
        Avg. Disk sec/Read,float64,sec,PERF_AVERAGE_TIMER\nAvg. Disk Bytes/Read,float64,,PERF_AVERAGE_BULK\n\
        % Idle Time,float64,%,PERF_PRECISION_100NS_TIMER\n";
    assert_eq!(disk, expected);
    assert_eq!(recount(&["query", &log, "SHOW COLUMNS FROM PhysicalDisk", "--format", "csv"]).fine(), disk);
    let nulls = rows(&[&log, "DESCRIBE nulls"]);
    assert_eq!(nulls[0], json!({"column": "time", "type": "time", "unit": null, "counter_type": null}));
    assert_eq!(rows(&[&log, "DESCRIBE counters"]).as_array().map(Vec::len), Some(11));
}

#[test]
fn a_span_without_samples_is_an_error() {
    let log = sample("objects.blg");
    for words in [vec!["query", &log], vec!["query", &log, "SELECT * FROM Memory"]] {
        let said = recount(&[words, vec!["--begin", "2030-01-01T00:00:00Z"]].concat()).failed();
        assert!(said.starts_with("error: none of the 8 samples is in the requested time range"), "{said}");
    }
}

/// Nothing of the engine is said, neither its messages nor its notes about itself.
#[test]
fn the_engine_says_nothing() {
    let log = sample("objects.blg");
    for (sql, n) in [
        ("SELECT count(*) AS n FROM Processor WHERE time::date = date '1999-01-01'", 0),
        ("SELECT count(*) AS n FROM Processor WHERE time > date '1999-01-01' AND time < now()", 8),
        ("SELECT count(*) AS n FROM Processor WHERE time < current_date - interval '1' day", 8),
        ("SELECT count(*) AS n FROM information_schema.schemata WHERE schema_name = 'main'", 1),
    ] {
        let all = rows(&[&log, sql]);
        let found = &all[0]["n"];
        assert!(found.as_u64() == Some(n) || (n > 0 && found.as_u64() > Some(0)), "{sql}: {all}");
    }
    recount(&["query", &log, "SELECT DATE '2026-11-25' AS day FROM Processor"]).fine();
    for (sql, part) in [
        ("SELECT now2()", "there is no function 'now2'"),
        ("SELECT time - interval '1 foo' FROM Processor", "expected an interval"),
        ("SELECT * FROM information_schema.views", "there is no table \"information_schema.views\""),
        ("SELECT * FROM pg_catalog.pg_tables", "there is no table \"pg_catalog.pg_tables\""),
        ("SELECT count(*) FROM Processor WHERE EXISTS (SELECT 1 FROM Memory)", "EXISTS isn't answered"),
    ] {
        let said = recount(&["query", &log, sql]).failed();
        assert!(said.contains(part) && !said.contains("panicked") && !said.contains(" { "), "{sql}: {said}");
    }
}

/// Local times of an unknown zone.
#[test]
fn times_of_an_unknown_zone_are_compared_as_they_are_written() {
    let outputs = Outputs::new();
    let rows = (0..4).map(|minute| format!("\"03/26/2015 22:0{minute}:00.000\",\"{minute}\"\r\n"));
    let header = "\"(PDH-CSV 4.0) (RTZ 2 (\",\"\\\\H\\Memory\\Pages/sec\"\r\n";
    let log = outputs.write("a.csv", format!("{header}{}", rows.collect::<String>()));
    let sql = |time: &str| format!("SELECT count(*) AS n FROM Memory WHERE time > {time}");
    let done = recount(&["query", &log, &sql("'2015-03-26 22:01:00'")]);
    assert!(done.code == Some(0) && done.stderr.contains("compared as local times"), "{}", done.stderr);
    for time in ["'2015-03-26T22:01:00Z'", "'2015-03-26 22:01:00 Europe/Moscow'", "now()"] {
        let said = recount(&["query", &log, &sql(time)]).failed();
        assert!(said.contains("its zone is unknown"), "{time}: {said}");
    }
    let named = ["query", "--zone", "Europe/Moscow", &log, &sql("'2015-03-26T19:01:00Z'"), "--format", "csv"];
    assert!(recount(&named).stdout.contains("\n2"));
}
