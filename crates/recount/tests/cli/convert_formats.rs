//! `recount convert`: every form of output, read back.

use super::run::{Outputs, recount, recount_with_input, sample, tx_basic};
use super::tables::{arrow, columns, csv, csv_values, names, num_rows, numbers, parquet};

const TIDY: [&str; 8] = ["time", "interval_s", "host", "object", "instance", "counter", "value", "status"];
const DISK: &str = "PhysicalDisk(0 C:)\\Avg. Disk Queue Length";

/// The values of one counter as PDH-CSV has them.
fn expected() -> Vec<Option<f64>> {
    let text = recount(&["convert", &tx_basic(), "-o", "-", "--format", "csv"]).fine();
    csv_values(&text, DISK)
}

#[test]
fn parquet_and_arrow_tidy() {
    let outputs = Outputs::new();
    for (name, read) in [("a.parquet", parquet as fn(&str) -> Vec<_>), ("a.arrow", arrow)] {
        let path = outputs.path(name);
        let text = recount(&["convert", &tx_basic(), "-o", &path]).fine();
        assert!(text.starts_with(&format!("{path}: 601 samples, 6010 rows, ")), "{text}");
        let batches = read(&path);
        assert_eq!((num_rows(&batches), columns(&batches)), (6_010, TIDY.map(str::to_owned).into()));
        let (counters, values) = (names(&batches, "counter"), numbers(&batches, "value"));
        let of_disk: Vec<Option<f64>> = counters
            .iter()
            .zip(&values)
            .filter(|(counter, _)| counter.as_deref() == Some("Avg. Disk Queue Length"))
            .map(|(_, value)| *value)
            .collect();
        assert_eq!(of_disk, expected());
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
        let (log, path) = (tx_basic(), outputs.path(directory));
        let arguments = [vec!["convert", &log, "-o", &path], arguments].concat();
        let text = recount(&arguments).fine();
        // A row for the disk and one for each of the five processors.
        assert!(text.starts_with(&format!("{path}: 601 samples, 3606 rows, ")), "{text}");
        let disk = format!("{path}/PhysicalDisk.{extension}");
        let read = if extension == "arrow" { arrow } else { parquet };
        let batches = read(&disk);
        assert_eq!(num_rows(&batches), 601);
        assert_eq!(numbers(&batches, "Avg. Disk Queue Length"), expected());
        assert_eq!(num_rows(&read(&format!("{path}/Processor.{extension}"))), 3_005);
    }
    let files = ["PhysicalDisk", "Processor", "_counters", "_nulls"];
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
        let text = recount(&["convert", &tx_basic(), "-o", path]).fine();
        assert!(text.starts_with(&format!("{path}: 601 samples, 601 rows, ")), "{text}");
    }
    let read = |path| std::fs::read_to_string(path).expect("a file");
    let rows = csv(&read(&comma));
    assert_eq!((rows.len(), rows[0].len()), (602, 11));
    assert_eq!(rows[0][0], "(PDH-CSV 4.0) (Pacific Standard Time)(480)");
    assert_eq!(
        (rows[1][0].as_str(), rows[601][0].as_str()),
        ("02/19/2013 18:50:17.844", "02/19/2013 19:00:17.840")
    );
    assert_eq!(read(&tab), read(&comma).replace("\",\"", "\"\t\"").replace("PDH-CSV", "PDH-TSV"));
}

/// What was written as text reads back as the same text.
#[test]
fn text_to_text_is_the_identity() {
    let outputs = Outputs::new();
    for input in [tx_basic(), sample("objects.blg"), sample("circular.blg")] {
        let (first, second) = (outputs.path("first.csv"), outputs.path("second.csv"));
        recount(&["convert", &input, "-o", &first, "--force"]).fine();
        recount(&["convert", &first, "-o", &second, "--force"]).fine();
        let read = |path| std::fs::read_to_string(path).expect("a file");
        assert_eq!(read(&first), read(&second), "{input}");
    }
}

#[test]
fn standard_input_and_output() {
    let bytes = std::fs::read(tx_basic()).expect("the log");
    let (code, text) = recount_with_input(&["convert", "-", "-o", "-", "--format", "csv"], bytes.clone());
    let file = recount(&["convert", &tx_basic(), "-o", "-", "--format", "csv"]).fine();
    assert_eq!((code, String::from_utf8(text).expect("UTF-8")), (Some(0), file));
    let outputs = Outputs::new();
    let (code, table) = recount_with_input(&["convert", "-", "-o", "-", "--format", "parquet"], bytes);
    assert_eq!((code, num_rows(&parquet(&outputs.write("a.parquet", table)))), (Some(0), 6_010));
}

#[test]
fn raw_values_stand_beside_the_cooked() {
    let outputs = Outputs::new();
    let path = outputs.path("raw.parquet");
    recount(&["convert", &tx_basic(), "-o", &path, "--raw"]).fine();
    let batches = parquet(&path);
    let expected: Vec<String> = TIDY.iter().chain(&["first", "second"]).map(ToString::to_string).collect();
    assert_eq!((num_rows(&batches), columns(&batches)), (6_010, expected));
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
