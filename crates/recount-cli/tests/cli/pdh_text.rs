//! PDH text as consoles, spreadsheets and appended runs leave it, through the commands.

use serde_json::{Value, json};

use super::run::{Done, Outputs, recount};

const HEADER: &str = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEB1\\Processor(_Total)\\% Processor Time\",\"\\\\WEB1\\Memory\\Available MBytes\"\r\n";

fn info(arguments: &[&str]) -> Value {
    let done = recount(&[&["info", "--json"], arguments].concat());
    serde_json::from_str::<Value>(&done.stdout).expect("JSON")[0].take()
}

/// Two runs of typeperf in one file: the second has other columns.
fn appended(outputs: &Outputs) -> String {
    let second =
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\web1\\Memory\\Pages/sec\",\"\\\\web1\\System\\Threads\"\r\n";
    let mut text = HEADER.to_owned();
    for minute in 0..3 {
        text.push_str(&format!("\"01/15/2026 10:0{minute}:00.000\",\"{minute}0\",\"2000\"\r\n"));
    }
    text.push_str("Exiting, please wait...\r\nThe command completed successfully.\r\n\r\n");
    text.push_str(second);
    for minute in 3..6 {
        text.push_str(&format!("\"01/15/2026 10:0{minute}:00.000\",\"{minute}\",\"77\"\r\n"));
    }
    outputs.write("appended.csv", text)
}

#[test]
fn a_console_capture_is_no_damage() {
    let outputs = Outputs::new();
    let row = "\"01/15/2026 10:00:00.123\",\"10\",\"2000\"\r\n";
    let text = format!("\r\n{HEADER}{row}{}Exiting, please wait...   \r\n", row.replace("00.123", "01.123"));
    let path = outputs.write("f.csv", text);
    let done = recount(&["info", &path]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("samples               2, median interval 1 s\n"), "{}", done.stdout);
    assert!(done.stdout.contains("the rows end before a line that is no row: `Exiting, please wait...`"));
    assert_eq!(recount(&["verify", &path]).code, Some(0));
}

#[test]
fn all_parts_of_an_appended_file_are_read_by_every_command() {
    let outputs = Outputs::new();
    let path = appended(&outputs);
    let facts = info(&[&path]);
    assert_eq!(
        (&facts["num_samples"], &facts["hosts"], &facts["num_paths"]),
        (&json!(6), &json!(["WEB1"]), &json!(4))
    );
    let list = recount(&["list", &path]);
    assert_eq!((list.code, list.stdout.lines().count()), (Some(0), 1 + 4), "{}", list.stdout);
    let stats = recount(&["stats", &path, "--format", "csv"]);
    assert_eq!(stats.code, Some(0), "{}", stats.stderr);
    for name in ["Processor Time", "Available MBytes", "Pages/sec", "Threads"] {
        assert!(stats.stdout.lines().any(|line| line.contains(name)), "{name}: {}", stats.stdout);
        let show = recount(&["show", &path, "-c", &format!("*{name}*")]);
        assert!(show.code == Some(0) || !show.stderr.contains("panicked"), "{}", show.stderr);
    }
    let text = outputs.path("again.csv");
    for (name, format) in [
        ("again.csv", "csv"),
        ("a.tsv", "tsv"),
        ("a.parquet", "parquet"),
        ("a.arrow", "arrow"),
        ("a.txt", "openmetrics"),
    ] {
        let out = outputs.path(name);
        let done = recount(&["convert", &path, "-o", &out, "--format", format]);
        assert_eq!(done.code, Some(0), "{format}: {}", done.stderr);
    }
    let objects = outputs.path("objects");
    assert_eq!(
        recount(&["convert", &path, "-o", &objects, "--format", "parquet", "--layout", "objects"]).code,
        Some(0)
    );
    for copy in [text.as_str(), &outputs.path("a.parquet"), &objects] {
        let facts = info(&[copy]);
        assert_eq!((&facts["num_samples"], &facts["num_paths"]), (&json!(6), &json!(4)), "{copy}");
    }
    let rows = std::fs::read_to_string(&text).expect("written");
    assert!(rows.lines().nth(1).expect("a row").ends_with(r#""0","2000"," "," ""#), "{rows}");
    assert!(rows.lines().nth(6).expect("a row").ends_with(r#"" "," ","5","77""#), "{rows}");
    let report = recount(&["report", &path, "--json", &outputs.path("r.json")]);
    assert!(report.code != Some(2), "{}", report.stderr);
    let diff = recount(&["diff", &path, &text]);
    assert!(diff.code == Some(0), "{} {}", diff.stdout, diff.stderr);
}

#[test]
fn a_gap_on_a_sunday_night_reads_back() {
    let outputs = Outputs::new();
    let mut text = HEADER.to_owned();
    for time in ["01:58", "01:59", "03:00", "03:01"] {
        text.push_str(&format!("\"03/12/2023 {time}:00.000\",\"1\",\"2000\"\r\n"));
    }
    let first = outputs.write("first.csv", text);
    let span = |path: &str| info(&[path])["last_sample"].clone();
    assert_eq!(span(&first), json!("2023-03-12T03:01:00Z"));
    let second = outputs.path("second.csv");
    assert_eq!(recount(&["convert", &first, "-o", &second]).code, Some(0));
    assert_eq!(span(&second), json!("2023-03-12T03:01:00Z"));
    // A clock of Berlin that isn't changed, over the hour in which others are: only UTC leads back.
    let header = HEADER.replace("(UTC)(0)", "(W. Europe Standard Time)(-60)");
    let times =
        ["03/26/2023 01:00", "03/26/2023 01:30", "03/26/2023 02:00", "03/26/2023 03:00", "03/26/2023 03:30"];
    let rows: Vec<String> =
        times.iter().map(|time| format!("\"{time}:00.000\",\"1\",\"2000\"\r\n")).collect();
    let rows = rows.concat();
    let berlin = outputs.write("berlin.csv", header + &rows);
    let every = outputs.path("every.csv");
    let done =
        recount(&["convert", &berlin, "-o", &every, "--begin", "01:30", "--every", "1", "-c", "*Available*"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(span(&every), span(&berlin));
}

fn zone_line(outputs: &Outputs, zone: &str) -> (String, Done) {
    let rows = "\"07/15/2025 10:00:00.000\",\"1\",\"2\"\r\n\"07/15/2025 10:00:15.000\",\"1\",\"2\"\r\n";
    let path = outputs.write("zone.csv", HEADER.replace("(UTC)(0)", zone) + rows);
    let done = recount(&["info", &path]);
    let line = done.stdout.lines().find(|line| line.starts_with("zone")).expect("a zone").to_owned();
    (line["zone".len()..].trim().to_owned(), done)
}

#[test]
fn the_offset_is_that_of_the_first_sample() {
    let outputs = Outputs::new();
    for (zone, expected) in [
        ("(EDT)(240)", "EDT (UTC -04:00 at the first sample)"),
        ("(Eastern Daylight Time)(240)", "Eastern Daylight Time (UTC -04:00 at the first sample)"),
        ("(W. Europe Standard Time)(-120)", "W. Europe Standard Time (UTC +02:00 at the first sample)"),
        ("(Somewhere)(240)", "Somewhere (UTC -04:00 at the first sample)"),
        ("(UTC)(0)", "UTC (UTC +00:00 at the first sample)"),
    ] {
        assert_eq!(zone_line(&outputs, zone).0, expected);
    }
    let (_, done) = zone_line(&outputs, "(Tokyo Standard Time)(540)");
    assert_eq!(done.code, Some(0));
    assert!(
        done.stdout.contains("means UTC -09:00, which `Tokyo Standard Time` never was in"),
        "{}",
        done.stdout
    );
}

#[test]
fn a_table_of_get_counter_is_named() {
    let outputs = Outputs::new();
    let table = "#TYPE Selected.Microsoft.PowerShell.Commands.GetCounter.PerformanceCounterSample\r\n\
                 \"Timestamp\",\"Path\",\"CookedValue\"\r\n\"1/15/2026 10:00:00 AM\",\"\\\\h\\m\\a\",\"1\"\r\n";
    let path = outputs.write("table.csv", table);
    let error = recount(&["info", &path]).failed();
    assert!(
        error.contains("Export-Csv made of Get-Counter's") && error.contains("Export-Counter"),
        "{error}"
    );
}

#[test]
fn samples_of_one_second_have_an_interval() {
    let outputs = Outputs::new();
    let times = ["00", "00", "01", "01", "02", "02"];
    let rows = times.iter().map(|second| format!("\"01/15/2026 10:00:{second}.000\",\"1\",\"2\"\r\n"));
    let path = outputs.write("equal.csv", HEADER.to_owned() + &rows.collect::<String>());
    let facts = info(&[&path]);
    assert_eq!((&facts["interval_median_s"], &facts["num_gaps"]), (&json!(1.0), &json!(0)));
}

const MIB: u64 = 1_048_576;

/// What `recount report` says of processes called `svchost`, a row per minute: per row, the pid and the MiB of each in order.
fn said_of_processes(rows: &[Vec<(u64, u64)>]) -> String {
    let outputs = Outputs::new();
    let most = rows.iter().map(Vec::len).max().unwrap_or_default();
    let mut text = "\"(PDH-CSV 4.0) (UTC)(0)\"".to_owned();
    for number in 0..most {
        let name = if number == 0 { "svchost".to_owned() } else { format!("svchost#{number}") };
        for counter in ["ID Process", "Private Bytes"] {
            text.push_str(&format!(",\"\\\\A\\Process({name})\\{counter}\""));
        }
    }
    for (at, row) in rows.iter().enumerate() {
        text.push_str(&format!("\r\n\"11/21/2026 {:02}:{:02}:00.000\"", 12 + at / 60, at % 60));
        for number in 0..most {
            let cells = row.get(number).map(|(id, mib)| [id.to_string(), (mib * MIB).to_string()]);
            for cell in cells.unwrap_or_else(|| [" ".to_owned(), " ".to_owned()]) {
                text.push_str(&format!(",\"{cell}\""));
            }
        }
    }
    recount(&["report", &outputs.write("processes.csv", text + "\r\n")]).fine()
}

#[test]
fn processes_that_follow_each_other_under_a_name_do_not_grow() {
    // Every 48 minutes one ends, and a larger one begins.
    let row = |at: u64| (at / 48..at / 48 + 2).map(|of| (100 + of, 50 + 150 * of)).collect();
    let text = said_of_processes(&(0..240).map(row).collect::<Vec<_>>());
    assert!(text.starts_with("No rule fired") || !text.contains("grew"), "{text}");
}

#[test]
fn a_process_grows_on_under_another_number() {
    // The second of two becomes the first.
    let row = |at: u64| match at {
        0..120 => vec![(100, 50), (200, 100 + 3 * at)],
        _ => vec![(200, 100 + 3 * at)],
    };
    let text = said_of_processes(&(0..240).map(row).collect::<Vec<_>>());
    assert!(text.contains("Private Bytes grew from 100 MiB to 817 MiB in 3 h 59 min"), "{text}");
    assert!(text.contains("200"), "the id: {text}");
}

#[test]
fn top_shows_the_ids_of_a_text() {
    let outputs = Outputs::new();
    let text = concat!(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Process(app)\\% Processor Time\",\"\\\\A\\Process(app#1)\\% Processor Time\",",
        "\"\\\\A\\Process(app)\\ID Process\",\"\\\\A\\Process(app#1)\\ID Process\"\r\n",
        "\"11/21/2026 12:00:00.000\",\"5\",\"7\",\"41\",\"42\"\r\n",
        "\"11/21/2026 12:01:00.000\",\"8\",\" \",\"42\",\" \"\r\n",
    );
    let path = outputs.write("processes.csv", text);
    let table = recount(&["top", &path, "--at", "+60s", "-c", "Processor Time"]).fine();
    let line = |name: &str| table.lines().find(|line| line.split_whitespace().next() == Some(name));
    assert_eq!(
        line("app").map(|line| line.split_whitespace().take(3).collect()),
        Some(vec!["app", "42", "8"]),
        "{table}"
    );
}
