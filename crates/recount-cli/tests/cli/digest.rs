//! `recount digest`

use serde_json::Value;

use super::run::{Outputs, command, recount, sample};

fn json(arguments: &[&str]) -> Value {
    let done = recount(&[&["-q", "digest", "--json"][..], arguments].concat());
    assert!(done.code < Some(2), "{}", done.stderr);
    serde_json::from_str(&done.stdout).expect("JSON")
}

/// One hour at 10 s in UTC, with these columns; values by row number, NaN for none.
fn capture(outputs: &Outputs, paths: &[&str], value: impl Fn(usize, usize) -> f64) -> String {
    let header: String = paths.iter().flat_map(|path| [",\"\\\\A\\", path, "\""]).collect();
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{header}\n");
    for row in 0..360 {
        let (minute, second) = (row * 10 / 60, row * 10 % 60);
        text.push_str(&format!("\"11/21/2026 10:{minute:02}:{second:02}.600\""));
        for value in (0..paths.len()).map(|column| value(row, column)) {
            text.push_str(&if value.is_nan() { ",\" \"".to_owned() } else { format!(",\"{value}\"") });
        }
        text.push('\n');
    }
    outputs.write("it's.csv", text)
}

#[test]
fn it_says_who_and_when_and_what_to_ask_next() {
    let path = sample("moved/disk-writer.rcap");
    let text = recount(&["digest", &path]).fine();
    assert_eq!(text, recount(&["digest", &path]).fine());
    assert!(text.len() <= 4_400, "{}", text.len());
    for said in [
        "warning   Processor _Total: % Processor Time was 100 %",
        "(linux-system/cpu-saturated), 2026-11-26T06:13:14Z to 2026-11-26T06:15:45Z",
        "processors | % Processor Time ",
        "top cpu   rustc (47 processes) ",
        "health    sound",
        "nightly backup",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
}

/// What other commands say of the same.
#[test]
fn its_figures_are_those_of_the_other_commands() {
    let outputs = Outputs::new();
    let paths = [
        r"Processor(_Total)\% Processor Time",
        r"PhysicalDisk(0 C:)\% Idle Time",
        r"Memory\Available MBytes",
    ];
    let path = capture(&outputs, &paths, |row, column| match column {
        0 => 40.0 + (row % 7) as f64,
        1 => 100.0 - (row % 50) as f64,
        _ => 4_000.0 - row as f64,
    });
    let found = json(&[&path]);
    let resource = |at: usize, measure: &str| found["resources"][at][measure].clone();
    assert_eq!(found["resources"][0]["resource"], "processors");
    assert_eq!(resource(0, "utilisation")["worst"], 46.0);
    assert_eq!(resource(1, "utilisation")["worst"], 3_641.0);
    assert_eq!(resource(1, "utilisation")["worst_is"], "min");
    let busy = resource(2, "utilisation");
    assert_eq!((&busy["counter"], &busy["worst"]), (&"100 - % Idle Time".into(), &49.0.into()));
    assert_eq!(resource(2, "errors"), Value::Null);

    let load = &found["load"];
    let by = load["by"].as_str().expect("a length");
    let stats = ["stats", &path, "-c", r"\Processor(_Total)\*", "--by", by, "--format", "json"];
    let stats: Value = serde_json::from_str(&recount(&stats).fine()).expect("JSON");
    let stretches = stats.as_array().expect("rows");
    assert_eq!(load["rows"].as_array().map(Vec::len), Some(stretches.len()));
    for (row, stretch) in load["rows"].as_array().expect("rows").iter().zip(stretches) {
        let begin = stretch["bucket"].as_str().expect("a time");
        assert_eq!(row[0].as_str(), Some(&*begin.replace(".0000000Z", "Z")));
        let [mean, known] = [&row[1], &stretch["mean"]].map(|value| value.as_f64().expect("a mean"));
        assert!((mean - known).abs() < 0.01, "{row} {stretch}");
        assert_eq!(row[2], stretch["max"]);
    }
}

/// The totals of sockets are parts of the machine.
#[test]
fn totals_of_sockets_are_not_the_machine() {
    let sockets = [
        r"Processor Information(0,_Total)\% Processor Time",
        r"Processor Information(1,_Total)\% Processor Time",
    ];
    let machine = [sockets[0], sockets[1], r"Processor Information(_Total)\% Processor Time"];
    let value = |_, column| [60.0, 20.0, 40.0][column];
    let figures = |paths: &[&str]| {
        let outputs = Outputs::new();
        let found = json(&[&capture(&outputs, paths, value)]);
        let all = found["resources"].as_array().expect("resources").clone();
        let of = |all: &[Value]| {
            all.iter()
                .find(|one| one["resource"] == "processors")
                .map(|one| one["utilisation"]["mean"].clone())
        };
        (of(&all), found["load"]["rows"][0][1].clone())
    };
    assert_eq!(figures(&machine), (Some(40.0.into()), 40.0.into()));
    assert_eq!(figures(&sockets[..1]), (Some(60.0.into()), 60.0.into()));
    assert_eq!(figures(&sockets), (None, Value::Null));
}

/// Every disk is full, and there are many.
#[test]
fn no_critical_finding_is_left_out() {
    let outputs = Outputs::new();
    let share: Vec<String> = (0..30).map(|at| format!(r"LogicalDisk(/d{at})\% Free Space")).collect();
    let free: Vec<String> = (0..30).map(|at| format!(r"LogicalDisk(/d{at})\Free Megabytes")).collect();
    let paths: Vec<&str> = share.iter().chain(&free).map(String::as_str).collect();
    let path = capture(&outputs, &paths, |_, column| if column < 30 { 1.0 } else { 300.0 });
    recount(&["-q", "report", &path, "--json", &outputs.path("r.json")]);
    let report = std::fs::read(outputs.path("r.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let critical = |found: &Value, rule: fn(&Value) -> String| -> Vec<String> {
        let all = found["findings"].as_array().expect("findings").iter();
        all.filter(|finding| finding["severity"] == "critical").map(rule).collect()
    };
    let wanted =
        critical(&report, |finding| format!("{}/{}", finding["set"], finding["rule"]).replace('"', ""));
    assert!(!wanted.is_empty());
    for max_bytes in ["2000", "3000", "100000"] {
        let found = json(&[&path, "--max-bytes", max_bytes]);
        let rules = critical(&found, |finding| finding["rule"].as_str().unwrap_or_default().to_owned());
        assert_eq!(rules, wanted, "{max_bytes}");
    }
}

#[test]
fn its_length_is_bounded_and_it_says_what_it_leaves_out() {
    let path = sample("moved/disk-writer.rcap");
    for max_bytes in [2_000, 3_000, 100_000] {
        for is_json in [true, false] {
            let mut arguments = vec!["digest", &path, "--max-bytes"];
            let text = max_bytes.to_string();
            arguments.push(&text);
            arguments.extend(is_json.then_some("--json"));
            let answer = recount(&arguments).fine();
            assert!(answer.len() <= max_bytes, "{} of {max_bytes}\n{answer}", answer.len());
            assert!(answer.contains("linux-system/cpu-saturated"));
        }
    }
    let short = json(&[&path, "--max-bytes", "2000"]);
    assert!(short["left_out"].as_array().is_some_and(|left| !left.is_empty()), "{short}");
    let failed = recount(&["digest", &path, "--max-bytes", "100"]).failed();
    assert!(failed.contains("at least 2000 bytes"), "{failed}");
}

/// A part that is too long costs the others nothing.
#[test]
fn what_has_room_is_there() {
    let path = sample("moved/disk-writer.rcap");
    for max_bytes in (2_200..=4_200).step_by(200) {
        let number = max_bytes.to_string();
        let found = json(&[&path, "--max-bytes", &number]);
        let is_whole = found["left_out"].as_array().is_some_and(Vec::is_empty);
        let len = found.to_string().len();
        assert!(len < max_bytes && (is_whole || len + 400 > max_bytes), "{len} of {max_bytes}: {found}");
    }
}

/// The processes have values in the last half hour alone.
#[test]
fn gaps_do_not_count_as_zero() {
    let outputs = Outputs::new();
    let paths = [
        r"Processor(0)\% Processor Time",
        r"Processor(1)\% Processor Time",
        r"Process(java)\% Processor Time",
        r"Process(sh)\% Processor Time",
    ];
    let path = capture(&outputs, &paths, |row, column| match column {
        0 | 1 => 50.0,
        _ if row < 180 => f64::NAN,
        2 => 60.0,
        _ => 20.0,
    });
    let found = json(&[&path]);
    let used = &found["processes"]["processor"];
    let said: Vec<(&Value, &Value)> =
        used["most"].as_array().into_iter().flatten().map(|one| (&one["name"], &one["value"])).collect();
    assert_eq!(said, [(&"java".into(), &30.0.into()), (&"sh".into(), &10.0.into())], "{used}");
    assert_eq!(used["not_attributed"], 10.0, "{used}");
    assert!(used["what"].as_str().is_some_and(|what| what.contains("the time that has values")), "{used}");
}

#[test]
fn spans_of_findings_have_all_their_samples() {
    let outputs = Outputs::new();
    let paths = [r"Processor(_Total)\% Processor Time", r"Memory\Available MBytes"];
    let is_bad = |row: usize| (200..260).contains(&row);
    let path = capture(&outputs, &paths, |row, column| match (column, is_bad(row)) {
        (0, bad) => {
            if bad {
                100.0
            } else {
                5.0
            }
        }
        (_, bad) => {
            if bad {
                20.0
            } else {
                4_000.0
            }
        }
    });
    let found = json(&[&path]);
    // The last sample is that of 10:43:10.600.
    let end = "2026-11-21T10:43:11Z";
    let ends: Vec<&Value> =
        found["findings"].as_array().into_iter().flatten().map(|finding| &finding["end"]).collect();
    assert!(ends.iter().any(|found| **found == end), "{end}: {ends:?}");
    let moved = found["next"][0]["command"].as_str().expect("a command");
    assert!(moved.contains(&format!("..{end}")), "{moved}");
}

#[test]
fn names_begin_no_cell() {
    let outputs = Outputs::new();
    let paths = [r"PhysicalDisk(0 | 100 % | critical)\% Idle Time"];
    let path = capture(&outputs, &paths, |_, _| 10.0);
    let text = recount(&["digest", &path]).stdout;
    let disk = text.lines().find(|line| line.contains("disk 0")).expect("a disk");
    assert!(disk.contains(r"disk 0 \u{7c} 100 % \u{7c} critical | 100 - % Idle Time 90 %"), "{disk}");
}

/// A name of a script that takes a token a byte.
#[test]
fn digests_of_rare_scripts_are_shorter() {
    let outputs = Outputs::new();
    let names: Vec<String> = (0..40)
        .map(|at| format!("PhysicalDisk({at} {})\\% Idle Time", "\u{13a0}\u{13b4}".repeat(20)))
        .collect();
    let paths: Vec<&str> = names.iter().map(String::as_str).collect();
    let path = capture(&outputs, &paths, |_, _| 10.0);
    let text = recount(&["digest", &path]).stdout;
    let rare = text.len() - text.chars().filter(char::is_ascii).count();
    assert!(text.len() - rare + rare * 9 / 4 <= 4_400 && rare > 0, "{rare} of {}", text.len());
}

/// They are commands for a shell, about the same span.
#[test]
#[cfg(unix)]
fn the_next_questions_have_answers() {
    let outputs = Outputs::new();
    let paths = [r"Processor(_Total)\% Processor Time", r"Memory\Available MBytes"];
    let path = capture(&outputs, &paths, |row, column| match column {
        0 => {
            if (200..260).contains(&row) {
                100.0
            } else {
                5.0
            }
        }
        _ => {
            if (200..260).contains(&row) {
                20.0
            } else {
                4_000.0
            }
        }
    });
    let found = json(&[&path, "--begin", "+1m", "--end", "-1m"]);
    let next = found["next"].as_array().expect("questions");
    assert!(
        next.iter().any(|one| one["command"].as_str().is_some_and(|text| text.contains(" moved "))),
        "{found}"
    );
    let recount = std::path::Path::new(env!("CARGO_BIN_EXE_recount"));
    for question in next {
        let text = question["command"].as_str().expect("a command");
        let done = std::process::Command::new("sh")
            .args(["-c", text])
            .env("PATH", format!("{}:/usr/bin:/bin", recount.parent().expect("a folder").display()))
            .current_dir(outputs.path(""))
            .output()
            .expect("a shell");
        assert_eq!(done.status.code(), Some(0), "{text}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

/// Also for a file whose name would do something in a terminal, or in a shell.
#[test]
#[cfg(unix)]
fn commands_name_hostile_files_for_a_shell() {
    let outputs = Outputs::new();
    let path = capture(&outputs, &[r"Memory\Available MBytes"], |row, _| row as f64);
    let hostile = outputs.path("fi\u{202e}le\nname \u{1b}[1m$(id)'.csv");
    std::fs::rename(path, &hostile).expect("another name");
    let found = json(&[&hostile]);
    let next = found["next"].as_array().expect("questions");
    assert!(!next.is_empty());
    for command in next.iter().filter_map(|question| question["command"].as_str()) {
        assert!(!command.contains(['\u{202e}', '\n', '\u{1b}']), "{command}");
        let script = format!("recount() {{ shift; printf '%s' \"$1\"; }}; {command}");
        let done = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&done.stdout), hostile, "{command}");
    }
    let text = recount(&["digest", &hostile]).fine();
    assert!(text.contains(r"fi\u{202e}le\u{a}name \u{1b}[1m$(id)'.csv"), "{text}");
    assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
}

/// Foreign names can't begin a line of the answer.
#[test]
fn foreign_names_begin_no_line() {
    let outputs = Outputs::new();
    let paths = ["Process(a\u{202e}b\u{7}c)\\% Processor Time", r"Processor(_Total)\% Processor Time"];
    let path = capture(&outputs, &paths, |row, _| (row % 90) as f64);
    let text = recount(&["digest", &path]).fine();
    assert!(text.contains(r"a\u{202e}b\u{7}c") && !text.contains(['\u{202e}', '\u{7}']), "{text}");
}

#[test]
fn an_empty_span_is_an_error() {
    let path = sample("objects.blg");
    let done = command()
        .args(["digest", &path, "--begin", "2030-01-01T00:00:00Z"])
        .output()
        .expect("running recount");
    assert_eq!(done.status.code(), Some(2));
}
