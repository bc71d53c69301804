//! `--json`: every command's answer has the form that `formats/json/` describes, and errors are JSON, too.

use std::path::Path;

use serde_json::Value;

use super::run::{Outputs, recount, sample};

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats/json").join(format!("{name}.json"));
    serde_json::from_slice(&std::fs::read(&path).expect("a schema")).expect("JSON")
}

/// The type of a value, in the words of JSON Schema.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What of a value isn't as the schema says. It knows the words that our schemas use, and no others.
fn faults(schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    const WORDS: [&str; 9] = [
        "$schema",
        "$id",
        "title",
        "type",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
    ];
    for word in schema.as_object().into_iter().flat_map(|schema| schema.keys()) {
        assert!(WORDS.contains(&word.as_str()), "{word} in the schema at {place}");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let own = type_of(value);
    let is_number = own == "integer" && types.contains(&"number");
    if !(types.is_empty() || types.contains(&own) || is_number) {
        found.push(format!("{place}: {own} instead of {types:?}"));
    }
    if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
        found.push(format!("{place}: {value}"));
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        faults(&schema["items"], item, &format!("{place}[{at}]"), found);
    }
    let Some(fields) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            found.push(format!("{place}: no {name}"));
        }
    }
    for (name, field) in fields {
        let place = format!("{place}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(schema), _) | (None, schema @ Value::Object(_)) => faults(schema, field, &place, found),
            (None, Value::Bool(false)) => found.push(format!("{place} isn't documented")),
            (None, _) => {}
        }
    }
}

/// Asserts that an answer is one line of JSON in its form.
fn assert_is(name: &str, text: &str) -> Value {
    assert_eq!((text.lines().count(), text.ends_with('\n')), (1, true), "{name}: {text}");
    let value: Value = serde_json::from_str(text).expect("JSON");
    let mut found = Vec::new();
    faults(&schema(name), &value, name, &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
    value
}

const SAMPLES: [&str; 8] = [
    "objects.blg",
    "damaged.blg",
    "atop.raw",
    "sysstat.sa",
    "session.pcq",
    "typeperf.tsv",
    "rcap-1/closed.rcap",
    "moved/disk-writer.rcap",
];

#[test]
fn answers_are_as_documented() {
    for file in SAMPLES.map(sample) {
        for (name, arguments) in [
            ("info", vec!["info"]),
            ("list", vec!["list"]),
            ("show", vec!["show"]),
            ("verify", vec!["verify"]),
            ("stats", vec!["stats"]),
            ("stats", vec!["stats", "--by", "1m"]),
            ("changes", vec!["stats", "--changes"]),
            ("report", vec!["report"]),
            ("digest", vec!["digest"]),
        ] {
            let done = recount(&[&arguments[..], &[&file, "--json", "-q"]].concat());
            assert!(done.code < Some(2), "{name} {file}: {}", done.stderr);
            assert_is(name, &done.stdout);
        }
    }
}

/// Rows of processes have an id, others have none.
#[test]
fn chosen_fields_are_as_documented() {
    for file in SAMPLES.map(sample) {
        for (columns, more) in [
            ("counter,mean", vec![]),
            ("unit,nulls,p99,host", vec!["--top", "3", "--sort", "max"]),
            ("bucket,counter,max", vec!["--by", "1m"]),
        ] {
            let all = ["stats", &file, "--columns", columns, "--json", "-q"];
            let done = recount(&[&all[..], &more].concat());
            assert!(done.code < Some(2), "{columns} {file}: {}", done.stderr);
            let rows = assert_is("stats-columns", &done.stdout);
            let num = rows[0].as_object().map(serde_json::Map::len);
            assert_eq!(num, Some(columns.split(',').count()), "{rows}");
        }
    }
    let file = sample("objects.blg");
    let rows = recount(&["stats", &file, "--columns", "counter,instance_id", "--json"]).fine();
    let rows = assert_is("stats-columns", &rows);
    let has_id = |row: &Value| row.get("instance_id").is_some();
    let rows = rows.as_array().expect("rows");
    assert!(rows.iter().any(has_id) && !rows.iter().all(has_id));
}

/// They differ in which fields have to be there.
#[test]
fn the_fields_of_chosen_rows_are_those_of_whole_ones() {
    let (whole, chosen) = (schema("stats"), schema("stats-columns"));
    assert_eq!(whole["items"]["properties"], chosen["items"]["properties"]);
    assert!(whole["items"]["required"].is_array() && chosen["items"]["required"].is_null());
}

#[test]
fn comparisons_are_as_documented() {
    let [file, blg] = ["moved/disk-writer.rcap", "objects.blg"].map(sample);
    let span = ["--span", "06:14:45..06:15:00", "--json"];
    let moved = assert_is("moved", &recount(&[&["moved", &file][..], &span].concat()).fine());
    assert!(moved["groups"].as_array().is_some_and(|groups| !groups.is_empty()));
    let target = ["moved", &file, "--target", r"\Processor(_Total)\% Processor Time", "--json"];
    assert_is("target", &recount(&target).fine());
    assert_is("diff", &recount(&["diff", &blg, &blg, "--json"]).fine());
    let spans = ["--base", "06:13:20..06:14:40", "--new", "06:14:44..06:15:10", "--json", "-q"];
    assert_is("diff", &recount(&[&["diff", &file][..], &spans].concat()).stdout);
}

#[test]
#[cfg(feature = "sql")]
fn queries_are_as_documented() {
    let done = recount(&["query", &sample("objects.blg"), "SELECT * FROM Process LIMIT 9", "--json"]);
    assert_is("query", &done.fine());
}

#[test]
fn errors_are_json() {
    let outputs = Outputs::new();
    let [missing, text, empty] = [outputs.path("missing"), outputs.write("a.txt", "hello"), outputs.path("")];
    let blg = sample("objects.blg");
    for (arguments, kind, path) in [
        (vec!["info", &missing], "not-found", Some(&missing)),
        (vec!["digest", &text], "not-a-capture", Some(&text)),
        (vec!["stats", &empty], "not-a-capture", Some(&empty)),
        (vec!["show", &blg, "nonsense"], "no-counters", None),
        (vec!["stats", &blg, "--begin", "2030-01-01T00:00:00Z"], "no-samples", None),
        (vec!["report", &blg, "--begin", "mark:none"], "time", None),
        (vec!["list"], "usage", None),
        (vec!["stats", &blg, "--sort", "nonsense"], "usage", None),
        (vec!["stats", &blg, "--columns", "nonsense"], "usage", None),
        (vec!["digest", &blg, "--rules", "nonsense"], "usage", None),
        (vec!["stats", &blg, "--group-by", "none,user"], "usage", None),
    ] {
        let done = recount(&[&arguments[..], &["--json", "-q"]].concat());
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        let error = assert_is("error", &done.stderr)["error"].clone();
        assert_eq!(
            (error["kind"].as_str(), error["path"].as_str()),
            (Some(kind), path.map(String::as_str)),
            "{error}"
        );
    }
    // The version isn't an error.
    assert!(recount(&["--version", "--json"]).stdout.starts_with("recount "));
}

#[test]
fn a_damaged_file_has_the_place() {
    let outputs = Outputs::new();
    let mut bytes = std::fs::read(sample("sysstat.sa")).expect("a sample");
    bytes.truncate(30);
    let path = outputs.write("a.sa", bytes);
    let error = assert_is("error", &recount(&["info", &path, "--json"]).failed())["error"].clone();
    assert_eq!((error["kind"].as_str(), error["path"].as_str()), (Some("damaged"), Some(path.as_str())));
    assert!(error["offset"].is_u64(), "{error}");
}

/// JSON once was written to files only by `report` and `diff`.
#[test]
fn the_flag_may_name_a_file() {
    let (outputs, blg) = (Outputs::new(), sample("objects.blg"));
    let printed = recount(&["report", &blg, "--json"]).fine();
    for (name, arguments) in [("a", vec!["--json=a.json"]), ("b", vec!["--json", "b.json"])] {
        let path = outputs.path(&format!("{name}.json"));
        let arguments: Vec<String> =
            arguments.into_iter().map(|word| word.replace(&format!("{name}.json"), &path)).collect();
        let text = recount(&[&["report".to_owned(), blg.clone()][..], &arguments].concat()).fine();
        assert!(text.contains("rules could be checked"), "{text}");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), printed);
    }
    assert_eq!(recount(&["report", "--json", &blg]).fine(), printed);
    assert_eq!(recount(&["report", &blg, "--json", "-"]).fine(), printed);
    let file = format!("--json={}", outputs.path("c.json"));
    let error = recount(&["report", &blg, &file, "--rules", "no-such-set"]).failed();
    assert!(error.starts_with("error: unknown rule set \"no-such-set\""), "{error}");
}

#[test]
fn few_rows_and_fields_are_chosen() {
    let path = sample("objects.blg");
    let stats = |arguments: &[&str]| -> Value {
        let all = ["stats", &path, "-c", r"\Process(*)\Working Set", "--json"];
        serde_json::from_str(&recount(&[&all[..], arguments].concat()).fine()).expect("JSON")
    };
    let all = stats(&[]);
    let mut largest: Vec<f64> =
        all.as_array().expect("rows").iter().filter_map(|row| row["max"].as_f64()).collect();
    largest.sort_by(|a, b| b.total_cmp(a));
    let few = stats(&["--top", "3", "--sort", "max", "--columns", "instance,max"]);
    let few = few.as_array().expect("rows");
    let values: Vec<f64> = few.iter().filter_map(|row| row["max"].as_f64()).collect();
    assert_eq!(values, largest[..3]);
    assert!(few.iter().all(|row| row.as_object().is_some_and(|row| row.len() == 2)), "{few:?}");
    let csv =
        ["stats", &path, "-c", r"\Memory\*", "--top", "1", "--columns", "mean,counter", "--format", "csv"];
    let csv = recount(&csv).fine();
    assert!(csv.starts_with("mean,counter\n") && csv.lines().count() == 2, "{csv}");
    let failed = recount(&["stats", &path, "--columns", "mean"]).failed();
    assert!(failed.contains("--columns goes with --json"), "{failed}");
}
