//! `recount stats`. That its figures are right is shown by `tests/full_readers.rs`.

use serde_json::{Value, json};

use super::run::{Outputs, recount, sample};

#[cfg(feature = "full-tests")]
const CPU: &str = r"\Processor(_Total)\% Processor Time";

#[test]
fn groups_and_stretches() {
    let log = sample("objects.blg");
    let rows = |arguments: &[&str]| -> Vec<Value> {
        let all =
            [&["stats", log.as_str(), "--format", "json", "-c", r"\Processor(*)\% User Time"], arguments]
                .concat();
        serde_json::from_str(&recount(&all).fine()).expect("JSON")
    };
    let (apart, together) = (rows(&[]), rows(&["--group-by", "host"]));
    assert!(apart.len() > 1 && together.len() == 1);
    let count = |rows: &[Value]| rows.iter().map(|row| row["count"].as_u64().expect("a number")).sum::<u64>();
    assert_eq!(count(&apart), count(&together));
    assert_eq!(together[0]["instance"], Value::Null);
    assert_eq!(rows(&["--group-by", "none"])[0]["host"], Value::Null);
    let cut = rows(&["--by", "1m"]);
    assert_eq!(count(&cut), count(&apart));
    assert!(
        cut.iter().all(|row| row["bucket"].as_str().is_some_and(|time| time.ends_with(":00Z"))),
        "{cut:?}"
    );
}

#[test]
fn what_makes_no_sense_is_told() {
    let log = sample("objects.blg");
    assert!(recount(&["stats", &log, "-c", "nothing like it"]).failed().contains("no counter matches"));
    assert!(recount(&["stats", &log, "--group-by", "none,host"]).failed().contains("can't be combined"));
    assert!(recount(&["stats", &log, "-o", "x.docx"]).failed().contains("names no format"));
    assert!(recount(&["stats", &log, "--by", "0s"]).failed().contains("longer than zero"));
}

/// Captures that overlap are one series, in stretches of time too.
#[test]
fn overlapping_captures_are_taken_together() {
    let outputs = Outputs::new();
    let capture = |host: &str, from: usize, value: usize| {
        let rows = (from..from + 30)
            .map(|second| format!("\"11/21/2026 10:00:{second:02}.000\",\"{}\"\n", value + second));
        let text =
            format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\{host}\\P(a)\\x\"\n{}", rows.collect::<String>());
        outputs.write(&format!("{host}.csv"), text)
    };
    let (early, late) = (capture("A", 0, 1000), capture("B", 20, 0));
    let rows = |arguments: &[&str]| -> Vec<Value> {
        let all =
            [&["stats", late.as_str(), early.as_str(), "--group-by", "none", "--format", "json"], arguments]
                .concat();
        serde_json::from_str(&recount(&all).fine()).expect("JSON")
    };
    let whole = rows(&[]);
    assert_eq!(
        (&whole[0]["count"], &whole[0]["first"], &whole[0]["last"]),
        (&json!(60), &json!(1000.0), &json!(49.0))
    );
    let cut = rows(&["--by", "30s"]);
    assert_eq!(cut.iter().map(|row| &row["count"]).collect::<Vec<_>>(), [&json!(40), &json!(20)]);
}

/// Second tier: these read the shared captures.
#[cfg(feature = "full-tests")]
mod full_tests {
    use super::super::run::tx_basic;
    use super::*;

    #[test]
    fn a_table_for_people() {
        let text = recount(&["stats", &tx_basic(), "-c", CPU]).fine();
        let lines: Vec<&str> = text.lines().collect();
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            words(lines[0]),
            [
                "counter", "values", "missing", "min", "mean", "p50", "p95", "p99", "max", "std", "trend/h",
                "unit"
            ]
        );
        let row =
            words(lines[1].strip_prefix(r"\\GEORGIS3\Processor(_Total)\% Processor Time").expect("the path"));
        assert_eq!(
            row,
            ["600", "1", "1.569", "11.527", "8.206", "27.758", "44.538", "53.908", "8.46", "-8.738", "%"]
        );
    }

    #[test]
    fn all_forms_say_the_same() {
        let log = tx_basic();
        let outputs = Outputs::new();
        let json: Value =
            serde_json::from_str(&recount(&["stats", &log, "--format", "json", "-c", CPU]).fine())
                .expect("JSON");
        assert_eq!(json[0]["nulls"], json!({"first-sample": 1}));
        let text = recount(&["stats", &log, "--format", "csv", "-c", CPU]).fine();
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let column = |name: &str| rows[0].iter().position(|column| *column == name).expect(name);
        for name in [
            "count",
            "min",
            "mean",
            "max",
            "std",
            "p50",
            "p90",
            "p95",
            "p99",
            "trend_per_hour",
            "first",
            "last",
        ] {
            let in_csv: f64 = rows[1][column(name)].parse().expect(name);
            let in_json = json[0][name].as_f64().expect(name);
            assert!((in_csv - in_json).abs() <= 1e-15 * in_csv.abs(), "{name}: {in_csv} {in_json}");
        }
        assert_eq!(rows[1][column("nulls_first_sample")], "1");
        let markdown = outputs.path("stats.md");
        recount(&["stats", &log, "-o", &markdown, "-c", CPU]).fine();
        let markdown = std::fs::read_to_string(markdown).expect("Markdown");
        assert!(
            markdown.contains(r"| GEORGIS3 | Processor | \_Total | % Processor Time | % | 600 | 1 |"),
            "{markdown}"
        );
        let parquet = outputs.path("stats.parquet");
        recount(&["stats", &log, "-o", &parquet, "-c", CPU]).fine();
        assert!(std::fs::read(&parquet).expect("Parquet").starts_with(b"PAR1"));
        let again = recount(&["stats", &log, "-o", &parquet]).failed();
        assert!(again.contains("already exists") && again.contains("--force"), "{again}");
        assert_eq!(outputs.files(), ["stats.md", "stats.parquet"]);
    }
}
