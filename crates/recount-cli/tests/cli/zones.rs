//! Captures of several zones, and of unknown ones: times of an unknown zone aren't passed off as UTC.

use serde_json::{Value, json};

use super::run::{Done, Outputs, recount, sample};

/// PDH text with one row a minute.
fn text(zone: &str, host: &str, times: &[&str]) -> String {
    let rows =
        times.iter().enumerate().map(|(at, time)| format!("\"03/26/2015 {time}:00.000\",\"{at}\"\r\n"));
    format!("\"(PDH-CSV 4.0){zone}\",\"\\\\{host}\\Memory\\Pages/sec\"\r\n{}", rows.collect::<String>())
}

/// An unknown zone, with a gap.
fn unknown(outputs: &Outputs) -> String {
    outputs.write("unknown.csv", text(" (RTZ 2 (", "H", &["22:00", "22:01", "22:02", "22:12"]))
}

fn csv(arguments: &[&str]) -> Done {
    recount(&[&["convert", "-o", "-", "--format", "csv"], arguments].concat())
}

#[test]
fn rows_of_several_zones_keep_to_the_first_ones_bias() {
    let outputs = Outputs::new();
    let eastern = outputs.write("e.csv", text(" (Eastern Standard Time)(300)", "E", &["10:00", "10:01"]));
    let pacific = outputs.write("p.csv", text(" (Pacific Standard Time)(480)", "P", &["07:00", "07:05"]));
    let both = outputs.write("both.csv", csv(&[&eastern, &pacific]).fine());
    let lines: Vec<String> =
        std::fs::read_to_string(&both).expect("written").lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with("\"(PDH-CSV 4.0) (Eastern Standard Time)(300)\",\"\\\\E\\"), "{lines:?}");
    let rows = [
        r#""03/26/2015 10:00:00.000","0","0""#,
        r#""03/26/2015 10:01:00.000","1"," ""#,
        r#""03/26/2015 10:05:00.000"," ","1""#,
    ];
    assert_eq!(lines[1..], rows);
    let info: Value = serde_json::from_str(&recount(&["info", "--json", &both]).fine()).expect("JSON");
    assert_eq!(info[0]["last_sample"], json!("2015-03-26T15:05:00Z"));
}

#[test]
fn an_unknown_zone_is_not_mixed_with_known_ones() {
    let outputs = Outputs::new();
    let unknown = unknown(&outputs);
    let known = outputs.write("known.csv", text(" (UTC)(0)", "K", &["19:00", "19:01"]));
    let out = outputs.path("out.parquet");
    let commands: [&[&str]; 4] =
        [&["convert", "-o", &out], &["stats"], &["report"], &["stats", "--by", "10m", "--format", "csv"]];
    for command in commands {
        let error = recount(&[command, &[unknown.as_str(), known.as_str()]].concat()).failed();
        assert!(error.contains("unknown.csv: its times are local times of an unknown zone"), "{error}");
        assert!(error.contains("with those of") && error.contains("known.csv\nhint: "), "{error}");
        assert!(error.contains("--zone Europe/Moscow"), "{error}");
    }
    let inside = outputs.path("");
    let error = recount(&["diff", &inside, &known]).failed();
    assert!(error.contains("one time line"), "{error}");
    assert_eq!(recount(&["list", &inside]).fine().lines().count(), 3, "paths have no times");
    // The zone is that of the unknown one only.
    let done = csv(&[&known, &unknown, "--zone", "Europe/Moscow"]);
    assert_eq!(done.stderr.matches("note:").count(), 1, "{}", done.stderr);
    assert!(done.stderr.contains("time: the zone asked for isn't used: the capture names its own, UTC"));
    let rows: Vec<&str> = done.stdout.lines().collect();
    assert!(rows[0].starts_with("\"(PDH-CSV 4.0) (UTC)(0)\""), "{rows:?}");
    assert_eq!(rows[1..3], [r#""03/26/2015 19:00:00.000","0","0""#, r#""03/26/2015 19:01:00.000","1","1""#]);
}

#[test]
fn times_of_an_unknown_zone_are_shown_as_local_ones() {
    let outputs = Outputs::new();
    let unknown = unknown(&outputs);
    let rules = outputs.write(
        "rules.toml",
        "[set]\nname = \"s\"\ntitle = \"S\"\nversion = 1\n\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\n\
         severity = \"info\"\ncounter = '\\Memory\\Pages/sec'\nthreshold = \">= 0\"\nexplanation = \"e\"\n",
    );
    let report = |zone: &[&str], name: &str| -> (Done, Value) {
        let json = outputs.path(name);
        let done =
            recount(&[&["report", unknown.as_str(), "--rules", &rules, "--json", &json], zone].concat());
        (done, serde_json::from_slice(&std::fs::read(json).expect("written")).expect("JSON"))
    };
    let (done, found) = report(&[], "local.json");
    // The gap before the highest value ends the other span.
    assert!(done.stdout.contains(" 2015-03-26T22:12:00; also 22:00:00 to 22:02:00\n"), "{}", done.stdout);
    assert!(
        done.stderr.contains("note: ")
            && done.stderr.contains("no time zone recorded: times are local, not UTC. Set it with --zone")
    );
    assert_eq!(found["capture"]["is_zone_unknown"], json!(true));
    assert_eq!(found["capture"]["begin"], json!("2015-03-26T22:00:00"));
    let span = &found["findings"][0]["spans"][0];
    assert_eq!(
        (&span["begin"], &span["end"]),
        (&json!("2015-03-26T22:00:00"), &json!("2015-03-26T22:02:00"))
    );
    let (done, found) = report(&["--zone", "+03:00"], "utc.json");
    assert_eq!(done.stderr, "");
    assert_eq!(found["capture"]["is_zone_unknown"], json!(false));
    assert_eq!(found["findings"][0]["spans"][0]["begin"], json!("2015-03-26T19:00:00Z"));

    let stats = |format: &str| {
        let done = recount(&["stats", &unknown, "--by", "10m", "--format", format]);
        assert_eq!(done.stderr.matches("no time zone recorded").count(), 1, "{}", done.stderr);
        done.stdout
    };
    let table = stats("csv");
    assert!(table.lines().nth(2).expect("a second stretch").contains(",2015-03-26T22:10:00,1,"), "{table}");
    let table = stats("table");
    assert!(
        table.contains("from (local)") && table.contains(" 2015-03-26T22:10:00 ") && !table.contains('Z'),
        "{table}"
    );
    let rows: Value = serde_json::from_str(&stats("json")).expect("JSON");
    assert_eq!(rows[1]["bucket"], json!("2015-03-26T22:10:00"));
    assert_eq!(rows[1]["is_zone_unknown"], json!(true));

    let info: Value = serde_json::from_str(&recount(&["info", "--json", &unknown]).fine()).expect("JSON");
    assert_eq!(info[0]["gaps"], json!([{ "after": "2015-03-26T22:02:00", "seconds": 600.0 }]));
}

#[test]
fn moments_need_a_known_zone() {
    let outputs = Outputs::new();
    let unknown = unknown(&outputs);
    for moment in ["2015-03-26T22:01:00Z", "2015-03-26T22:01:00+03:00"] {
        for end in ["--begin", "--end"] {
            let error = csv(&[&unknown, end, moment]).failed();
            assert!(error.contains("unknown.csv: its times are local times of an unknown zone"), "{error}");
            assert!(error.contains("--zone Europe/Moscow; or give its local time"), "{error}");
        }
    }
    let num_rows =
        |arguments: &[&str]| csv(&[&[unknown.as_str()], arguments].concat()).stdout.lines().count() - 1;
    assert_eq!(num_rows(&["--begin", "2015-03-26T22:01"]), 3);
    assert_eq!(num_rows(&["--begin", "22:01", "--end", "+2m"]), 2);
    assert_eq!(num_rows(&["--zone", "+03:00", "--begin", "2015-03-26T19:02:00Z"]), 2);
}

#[test]
fn parquet_of_an_unknown_zone_takes_one() {
    let outputs = Outputs::new();
    let unknown = unknown(&outputs);
    let tables = outputs.path("unknown.parquet");
    assert_eq!(recount(&["convert", &unknown, "-o", &tables]).code, Some(0));
    let info = |options: &[&str]| -> Value {
        let json = recount(&[&["info", "--json", &tables], options].concat()).fine();
        serde_json::from_str::<Value>(&json).expect("JSON")[0].take()
    };
    let found = info(&[]);
    assert_eq!((&found["is_zone_unknown"], &found["first_sample"]), (&json!(true), &Value::Null));
    let found = info(&["--zone", "Europe/Moscow"]);
    assert_eq!((&found["is_zone_unknown"], &found["num_findings"]), (&json!(false), &json!(0)));
    assert_eq!(found["first_sample"], json!("2015-03-26T19:00:00Z"));
    assert_eq!(found["first_sample_local"], json!("2015-03-26T22:00:00"));
    let rows = csv(&[&tables, "--zone", "Europe/Moscow"]).fine();
    assert!(rows.starts_with("\"(PDH-CSV 4.0) (Europe/Moscow)(-180)\""), "{rows}");
    assert_eq!(rows.lines().nth(4), Some(r#""03/26/2015 22:12:00.000","3""#));
}

#[test]
fn a_zone_that_does_not_fit_is_refused_or_noted() {
    let outputs = Outputs::new();
    let error = recount(&["info", "--zone=+25:00", &unknown(&outputs)]).failed();
    assert!(error.contains("at most 16 hours"), "{error}");
    let known = outputs.write("known.csv", text(" (Pacific Standard Time)(480)", "K", &["10:00"]));
    let note = |zone: &str| csv(&["--zone", zone, &known]).stderr;
    let expected =
        "known.csv: time: the zone asked for isn't used: the capture names its own, Pacific Standard Time\n";
    assert!(note("Europe/Moscow").ends_with(expected), "{}", note("Europe/Moscow"));
    assert_eq!(note("-08:00"), "");
}

#[test]
fn notes_about_times_are_reported_where_times_matter() {
    let outputs = Outputs::new();
    let rows = text(" (RTZ 2 (", "H", &["22:00", "22:19", "22:15"]);
    let unknown = outputs.write("unknown.csv", rows);
    for command in ["list", "show", "stats"] {
        recount(&[command, &unknown]).fine();
    }
    let commands: [&[&str]; 3] =
        [&["show", "--begin=22:10"], &["convert", "-o-", "--format=csv"], &["stats", "--by=1h"]];
    for arguments in commands {
        let done = recount(&[arguments, &[unknown.as_str()]].concat());
        assert_eq!(done.stderr.matches("note: ").count(), 2, "{arguments:?} {}", done.stderr);
        let back = "time goes back from 2015-03-26T22:19:00 to 2015-03-26T22:15:00: rows are put in order\n";
        assert!(done.stderr.contains(back), "{}", done.stderr);
    }
    let info = recount(&["info", &unknown]).fine();
    assert!(info.contains("finding             time: "), "{info}");
}

#[test]
fn a_file_of_names_is_no_stranger() {
    let (series, names) = (sample("series"), sample("series/Counter 009.txt"));
    assert!(recount(&["list", &series]).stderr.contains("skipped: "));
    recount(&["list", &series, "--names", &names]).fine();
}

#[test]
fn a_text_without_samples_says_why() {
    let outputs = Outputs::new();
    let error = |line_end: &str, rows: &str| {
        let header = "(PDH-CSV 4.0) (UTC)(0),\\\\H\\M\\x,\\\\H\\M\\y";
        recount(&["info", &outputs.write("a.csv", format!("{header}{line_end}{rows}"))]).failed()
    };
    for (rows, expected) in [
        ("", ["the file ends after its header", "hint: nothing was recorded"]),
        (
            "3/26/2015 22:42,1,5,2,5\r\n",
            [
                "number of values: expected 2, found 4",
                "hint: the header may have lost columns, or values with decimal commas",
            ],
        ),
        (
            "3/26/15 22:42,1,2\r\n",
            ["expected a year with four digits, found `3/26/15 22:42,1,2`", "yyyy-mm-dd"],
        ),
        (
            "3/26/2015 22:42,1,2\r3/26/2015 22:43,1,2\r",
            ["carriage returns", "hint: give all lines the same end"],
        ),
        ("\"03/26/2015 22:4", ["expected a date and a time, found `\"03/26", "hint: the file is cut off"]),
        (
            "42089.9,1,2\r\n",
            ["expected a date and a time", "hint: the first column has to be a date and a time"],
        ),
        ("2/30/2015 22:42,1,2\r\n", ["expected a date with the month first", "hint: the first column"]),
        ("42:15.1,1,2\r\n", ["expected a date before the time", "hint: a spreadsheet may have saved times"]),
    ] {
        let told = error("\r\n", rows);
        assert!(expected.iter().all(|part| told.contains(part)), "{rows}: {told}");
        assert_eq!(told.contains("spreadsheet"), rows.starts_with("42:"), "{told}");
    }
}

#[test]
fn messages_show_texts_as_they_are() {
    let outputs = Outputs::new();
    let header = r#""(PDH-CSV 4.0) (UTC)(0)","\\esx\Group Cpu(1:system)\","\\H\M\x""#;
    let rows =
        "\"03/26/2015 22:42:00\",\"1\",\"2\r\n\"03/26/2015 22:43:00\",\"1\",\"3\"\r\n\"x\",\"1\",\"2\"\r\n";
    let csv = outputs.write("a.csv", format!("{header}\r\n{rows}"));
    let info = recount(&["info", &csv]).stdout;
    assert!(info.contains(r"the first is column 2, `\\esx\Group Cpu(1:system)\`"), "{info}");
    assert!(info.contains(r#"expected a date and a time, found `"x","1","2"`: row left out"#), "{info}");
    assert!(
        info.contains("expected a quote after the value in column 3, found none after `2`: it is null"),
        "{info}"
    );
    let error = recount(&["info", &csv, "--encoding", "850"]).failed();
    assert!(
        error.contains("`850` is not a supported code page") && error.contains("28591 to 28606"),
        "{error}"
    );
    assert!(recount(&["info", &csv, "--encoding", "28605"]).stdout.contains("ISO-8859-15 (as given)"));
    let mut bytes = text(" (RTZ 2 (", "H", &["22:00"]).into_bytes();
    let at = bytes.windows(6).position(|part| part == b"Memory").expect("the object");
    bytes.splice(at..at + 6, *b"\xCF\xE0\xEC\xFF\xF2\xFC");
    let done = recount(&["list", &outputs.write("ru.csv", &bytes)]);
    assert!(done.stdout.contains(r"\\H\Память\Pages/sec"), "{}", done.stdout);
    let note = format!(
        "PDH text header.name at byte {at:#x}: not UTF-8; detected windows-1251. Override with --encoding"
    );
    assert!(done.stderr.contains(&note), "{}", done.stderr);
}
