//! `recount convert`: every form of output, read back.

use super::run::{Outputs, recount, recount_with_input, sample};
use super::tables::{arrow, columns, csv, csv_values, names, num_rows, numbers, parquet};

const TIDY: [&str; 9] =
    ["time", "interval_s", "weight_s", "host", "object", "instance", "counter", "value", "status"];
const SWITCHES: &str = "System\\Context Switches/sec";

/// The values of one counter in PDH-CSV.
fn expected() -> Vec<Option<f64>> {
    let text = recount(&["convert", &sample("circular.blg"), "-o", "-", "--format", "csv"]).fine();
    csv_values(&text, SWITCHES)
}

#[test]
fn parquet_and_arrow_tidy() {
    let outputs = Outputs::new();
    for (name, read) in [("a.parquet", parquet as fn(&str) -> Vec<_>), ("a.arrow", arrow)] {
        let path = outputs.path(name);
        let text = recount(&["convert", &sample("circular.blg"), "-o", &path]).fine();
        assert!(text.starts_with(&format!("{path}: 30 samples, 1230 rows, ")), "{text}");
        let batches = read(&path);
        assert_eq!((num_rows(&batches), columns(&batches)), (1_230, TIDY.map(str::to_owned).into()));
        let (counters, values) = (names(&batches, "counter"), numbers(&batches, "value"));
        let of_system: Vec<Option<f64>> = counters
            .iter()
            .zip(&values)
            .filter(|(counter, _)| counter.as_deref() == Some("Context Switches/sec"))
            .map(|(_, value)| *value)
            .collect();
        assert_eq!(of_system, expected());
        let is_ok = names(&batches, "status").into_iter().map(|status| status.as_deref() == Some("ok"));
        assert!(is_ok.eq(values.iter().map(Option::is_some)));
    }
}

#[test]
fn objects_layout() {
    let outputs = Outputs::new();
    for (directory, extension, arguments) in
        [("one", "parquet", vec![]), ("two", "arrow", vec!["--format", "arrow"])]
    {
        let (log, path) = (sample("circular.blg"), outputs.path(directory));
        let arguments = [vec!["convert", &log, "-o", &path], arguments].concat();
        let text = recount(&arguments).fine();
        // A row for the system and one for each of the 40 processes.
        assert!(text.starts_with(&format!("{path}: 30 samples, 1230 rows, ")), "{text}");
        let system = format!("{path}/System.{extension}");
        let read = if extension == "arrow" { arrow } else { parquet };
        let batches = read(&system);
        assert_eq!(num_rows(&batches), 30);
        assert_eq!(numbers(&batches, "Context Switches/sec"), expected());
        assert_eq!(num_rows(&read(&format!("{path}/Process.{extension}"))), 1_200);
    }
    let files = ["Process", "System", "_counters", "_nulls"];
    let all: Vec<String> = [("one", "parquet"), ("two", "arrow")]
        .iter()
        .flat_map(|(directory, end)| files.map(|file| format!("{directory}/{file}.{end}")))
        .collect();
    assert_eq!(outputs.files(), all);
}

#[test]
fn csv_and_tsv() {
    let outputs = Outputs::new();
    let (comma, tab) = (outputs.path("a.csv"), outputs.path("a.tsv"));
    for path in [&comma, &tab] {
        let text = recount(&["convert", &sample("circular.blg"), "-o", path]).fine();
        assert!(text.starts_with(&format!("{path}: 30 samples, 30 rows, ")), "{text}");
    }
    let read = |path| std::fs::read_to_string(path).expect("a file");
    let rows = csv(&read(&comma));
    assert_eq!((rows.len(), rows[0].len()), (31, 42));
    assert_eq!(rows[0][0], "(PDH-CSV 4.0) (UTC)(0)");
    assert_eq!(
        (rows[1][0].as_str(), rows[30][0].as_str()),
        ("01/01/2020 08:00:00.000", "01/01/2020 08:00:29.000")
    );
    assert_eq!(read(&tab), read(&comma).replace("\",\"", "\"\t\"").replace("PDH-CSV", "PDH-TSV"));
}

/// Text output reads back as the same text.
#[test]
fn text_to_text_is_the_identity() {
    let outputs = Outputs::new();
    for input in ["objects.blg", "circular.blg"].map(sample) {
        let (first, second) = (outputs.path("first.csv"), outputs.path("second.csv"));
        recount(&["convert", &input, "-o", &first, "--force"]).fine();
        recount(&["convert", &first, "-o", &second, "--force"]).fine();
        let read = |path| std::fs::read_to_string(path).expect("a file");
        assert_eq!(read(&first), read(&second), "{input}");
    }
}

#[test]
fn standard_input_and_output() {
    let bytes = std::fs::read(sample("circular.blg")).expect("the log");
    let (code, text) = recount_with_input(&["convert", "-", "-o", "-", "--format", "csv"], bytes.clone());
    let file = recount(&["convert", &sample("circular.blg"), "-o", "-", "--format", "csv"]).fine();
    assert_eq!((code, String::from_utf8(text).expect("UTF-8")), (Some(0), file));
    let outputs = Outputs::new();
    let (code, table) = recount_with_input(&["convert", "-", "-o", "-", "--format", "parquet"], bytes);
    assert_eq!((code, num_rows(&parquet(&outputs.write("a.parquet", table)))), (Some(0), 1_230));
}

#[test]
fn raw_values_stand_beside_the_cooked() {
    let outputs = Outputs::new();
    let path = outputs.path("raw.parquet");
    recount(&["convert", &sample("circular.blg"), "-o", &path, "--raw"]).fine();
    let batches = parquet(&path);
    let expected: Vec<String> = TIDY.iter().chain(&["first", "second"]).map(ToString::to_string).collect();
    assert_eq!((num_rows(&batches), columns(&batches)), (1_230, expected));
    // Of whole objects, bases are shown too.
    let path = outputs.path("objects.parquet");
    let all = recount(&["convert", &sample("objects.blg"), "-o", &path, "-c", "Idle Time"]).fine();
    assert!(all.contains(": 8 samples, 24 rows, "), "{all}");
    let all = recount(&["convert", &sample("objects.blg"), "-fo", &path, "-c", "Idle Time", "--raw"]).fine();
    assert!(all.contains(": 8 samples, 48 rows, "), "{all}");
}

#[test]
fn scaled_values_are_multiplied_by_powers_of_ten() {
    let values = |arguments: &[&str]| {
        let log = sample("objects.blg");
        let arguments =
            [&["convert", log.as_str(), "-o", "-", "--format", "csv", "-c", "Memory"], arguments].concat();
        csv_values(&recount(&arguments).fine(), "Available Bytes")
    };
    let (plain, scaled) = (values(&[]), values(&["--scaled"]));
    assert_eq!((plain[1], scaled[1]), (Some(999_995_904.0), Some(999.995_904)));
}

/// Several tables become a directory even if its name seems to have an extension, and such a directory reads
/// back.
#[test]
fn a_directory_of_tables_may_have_any_name() {
    let objects: &[&str] = &["--layout", "objects"];
    for (name, arguments, extension) in [
        ("out.parquet", objects, "parquet"),
        ("out.arrow", objects, "arrow"),
        ("web1.example.com", objects, "parquet"),
        ("out.csv", &["--layout", "objects", "--format", "parquet"], "parquet"),
        ("web1.2024/", &[], "parquet"),
        ("out.csv/", &[], "parquet"),
    ] {
        let (log, outputs) = (sample("circular.blg"), Outputs::new());
        let path = outputs.path(name);
        recount(&[&["convert", log.as_str(), "-o", &path], arguments].concat()).fine();
        let files = ["Process", "System", "_counters", "_nulls"];
        let directory = name.trim_end_matches('/');
        assert_eq!(outputs.files(), files.map(|file| format!("{directory}/{file}.{extension}")), "{name}");
        if extension == "parquet" {
            let stats = |input: &str| recount(&["stats", input, "--format", "csv"]).fine();
            assert_eq!(stats(&path), stats(&log), "{name}");
        }
        let again = recount(&[&["convert", log.as_str(), "-o", &path], arguments].concat()).failed();
        assert!(again.contains("already exists"), "{again}");
    }
    let outputs = Outputs::new();
    let path = outputs.path("web1.d");
    recount(&["convert", &sample("circular.blg"), "-o", &path, "--partition-by", "host"]).fine();
    assert!(std::path::Path::new(&path).is_dir());
    let error =
        recount(&["convert", &sample("circular.blg"), "-o", &outputs.path("out.csv"), "--layout", "objects"])
            .failed();
    assert!(error.contains("--layout objects and --partition-by need Parquet or Arrow"), "{error}");
}

#[test]
fn partitions() {
    let outputs = Outputs::new();
    let dumps = ["series/1.bin", "series/2.bin", "series/3.bin"].map(sample);
    let path = outputs.path("days");
    let arguments = ["--layout", "tidy", "--partition-by", "host,date", "-o", &path];
    let text =
        recount(&[&["convert", dumps[0].as_str(), &dumps[1], &dumps[2]], &arguments[..]].concat()).fine();
    assert!(text.contains(": 3 samples, 15 rows, ") && text.ends_with(" in 2 files\n"), "{text}");
    let files = outputs.files();
    assert_eq!(
        files,
        [
            "days/host=SERIES/date=2024-02-29/part-0.parquet",
            "days/host=SERIES/date=2024-03-01/part-0.parquet"
        ]
    );
    let rows: Vec<usize> = files.iter().map(|file| num_rows(&parquet(&outputs.path(file)))).collect();
    assert_eq!(rows, [5, 10]);
}
