//! `recount stats`. That its figures are right is shown by `tests/live_readers.rs`.

use serde_json::{Value, json};

use super::run::{Outputs, recount, sample};

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
fn what_makes_no_sense_is_reported() {
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

/// These read the shared captures.
mod stored {
    use super::super::run::tx_basic;
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
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
    #[ignore = "reads ../shared/data"]
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

/// A process that ended and another of its name: two rows, whichever number the name has.
#[test]
fn processes_of_one_name_are_distinguished_by_their_ids() {
    let outputs = Outputs::new();
    let mut text = "\"(PDH-CSV 4.0) (UTC)(0)\"".to_owned();
    for path in ["app)\\Thread Count", "app)\\ID Process", "app#1)\\Thread Count", "app#1)\\ID Process"] {
        text += &format!(",\"\\\\A\\Process({path}\"");
    }
    text.push('\n');
    for second in 0..10 {
        // The first ends; the second then has its name, and a third begins.
        let cells =
            if second < 4 { "\"10\",\"111\",\"20\",\"222\"" } else { "\"20\",\"222\",\"30\",\"333\"" };
        text += &format!("\"11/21/2026 10:00:{second:02}.000\",{cells}\n");
    }
    let log = outputs.write("a.csv", text);
    let counter = r"\Process(*)\Thread Count";
    let json: Vec<Value> =
        serde_json::from_str(&recount(&["stats", &log, "-c", counter, "--format", "json"]).fine())
            .expect("JSON");
    let row =
        |row: &Value| [&row["instance"], &row["instance_id"], &row["count"], &row["mean"]].map(Value::clone);
    let rows: Vec<_> = json.iter().map(row).collect();
    let expected =
        [json!(["app", 111, 4, 10.0]), json!(["app", 222, 10, 20.0]), json!(["app#1", 333, 6, 30.0])];
    assert_eq!(rows.iter().map(|row| json!(row)).collect::<Vec<_>>(), expected);
    for command in [&["stats", &log, "-c", counter][..], &["show", &log, counter]] {
        let done = recount(command);
        let lines: Vec<&str> = done.stdout.lines().skip(1).collect();
        let names = [
            r"\\A\Process(app)\Thread Count (pid 111)  ",
            r"\\A\Process(app)\Thread Count (pid 222)  ",
            r"\\A\Process(app#1)\Thread Count  ",
        ];
        assert_eq!(lines.len(), 3, "{}", done.stdout);
        assert!(lines.iter().zip(names).all(|(line, name)| line.starts_with(name)), "{}", done.stdout);
        assert!(!done.stderr.contains("several instances"), "{}", done.stderr);
    }
    let csv = recount(&["stats", &log, "-c", counter, "--format", "csv"]).fine();
    assert!(csv.starts_with("host,object,instance,instance_id,counter,unit,"), "{csv}");
    let together: Vec<Value> = serde_json::from_str(
        &recount(&["stats", &log, "-c", counter, "--group-by", "host", "--format", "json"]).fine(),
    )
    .expect("JSON");
    assert_eq!((together.len(), &together[0]["count"]), (1, &json!(20)));
}
