//! Change points: `recount stats --changes`, and what a report says of them. A second capture beside the first, and what moves with
//! a counter.

use serde_json::Value;

use super::run::{Outputs, recount, sample};

/// Two hours at 10 s: reads take 40 % longer from minute 65 on, the processor is busier in between, free memory falls steadily, and a last
/// counter, of no known name, is noise.
fn capture(outputs: &Outputs, name: &str, hour: usize) -> String {
    let names = [
        r"PhysicalDisk(_Total)\Avg. Disk sec/Transfer",
        r"Processor(_Total)\% Processor Time",
        r"Memory\Available MBytes",
        r"Foo(bar)\Baz",
    ];
    let header = names.map(|name| format!(",\"\\\\A\\{name}\""));
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\n", header.concat());
    let mut state = 9_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5
    };
    for at in 0..580_usize {
        let latency = if at >= 390 { 0.014 } else { 0.010 } + 0.001 * noise();
        let processor = if (120..200).contains(&at) { 70.0 } else { 15.0 } + 6.0 * noise();
        let memory = 8_000.0 - at as f64 + 20.0 * noise();
        let second = at * 10;
        let (hours, minutes, seconds) = (hour + second / 3_600, second / 60 % 60, second % 60);
        text.push_str(&format!("\"11/21/2026 {hours:02}:{minutes:02}:{seconds:02}.000\""));
        for value in [latency, processor, memory, noise()] {
            text.push_str(&format!(",\"{value}\""));
        }
        text.push('\n');
    }
    outputs.write(name, text)
}

fn changes(arguments: &[&str]) -> Vec<Value> {
    let text = recount(&[&["stats"][..], arguments, &["--changes", "--format", "json"]].concat()).fine();
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn steps_are_said_with_time_and_size() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 10);
    let text = recount(&["stats", &path, "--changes"]).fine();
    let has = |wanted: &str| text.lines().any(|line| line.contains(wanted));
    assert!(has("PhysicalDisk Avg. Disk sec/Transfer"), "{text}");
    assert!(text.contains("is 40 % higher: 14 ms instead of 10 ms"), "{text}");
    assert!(text.contains("was higher: 70 % instead of 15") || text.contains("was higher: 7"), "{text}");
    let found = changes(&[&path]);
    let times: Vec<&str> = found.iter().filter_map(|change| change["time"].as_str()).collect();
    assert_eq!(found.len(), 3, "a steady fall is no change, and noise neither: {text}");
    for expected in ["11:04:50", "10:19:50", "10:33:10"] {
        assert!(times.iter().any(|time| time.contains(expected)), "{expected} of {times:?}");
    }
    assert!(found.iter().all(|change| change["probability"].as_f64().is_some_and(|found| found < 0.01)));
}

#[test]
fn counters_are_looked_at_on_request() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 10);
    assert_eq!(changes(&[&path, "-c", r"\Foo(*)\*"]).len(), 0);
    assert_eq!(changes(&[&path, "-c", r"\PhysicalDisk(*)\*"]).len(), 1);
    let failed = recount(&["stats", &path, "--changes", "--by", "5m"]).failed();
    assert!(failed.contains("--by"), "{failed}");
    let csv = recount(&["stats", &path, "--changes", "--format", "csv"]).fine();
    assert!(csv.starts_with("time,earliest,latest,until,host,object,"), "{csv}");
}

/// A disk that loses 1 % an hour.
#[test]
fn what_will_be_full_is_said_with_an_interval() {
    let outputs = Outputs::new();
    let mut text = String::from("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\LogicalDisk(C:)\\% Free Space\"\n");
    for at in 0..300_usize {
        let free = 40.0 - at as f64 / 60.0 + [0.0, 0.02, -0.01][at % 3];
        text.push_str(&format!("\"11/21/2026 {:02}:{:02}:00.000\",\"{free}\"\n", at / 60, at % 60));
    }
    let said = recount(&["report", &outputs.write("disk.csv", text)]).fine();
    assert!(
        said.contains(
            "\nfills     LogicalDisk(C:) is full in about 35 h, if it goes on as it has since 00:00:00"
        ),
        "{said}"
    );
    assert!(said.contains(": 35 % free, 1 point less per hour"), "{said}");
}

/// 20 GB a day, of 100 GB.
#[test]
fn a_commit_limit_may_be_a_counter() {
    let outputs = Outputs::new();
    let capture = |limit: fn(usize) -> f64| {
        let mut text = String::from(
            "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Memory\\Committed Bytes\",\"\\\\A\\Memory\\Commit Limit\"\n",
        );
        for at in 0..1_440_usize {
            let committed = 50e9 + 20e9 * at as f64 / 1_440.0 + [0.0, 1e7, -1e7][at % 3];
            let (hour, minute) = (at / 60, at % 60);
            text.push_str(&format!(
                "\"11/21/2026 {hour:02}:{minute:02}:00.000\",\"{committed}\",\"{}\"\n",
                limit(at)
            ));
        }
        recount(&["report", &outputs.write("commit.csv", text)]).fine()
    };
    let said = capture(|_| 100e9);
    assert!(said.contains("fills     The commit limit is reached in about 36 h"), "{said}");
    assert!(said.contains(" committed, 795 MiB more per hour"), "{said}");
    let said = capture(|at| if at < 700 { 90e9 } else { 100e9 });
    assert!(!said.contains("fills "), "a limit that grows may grow again: {said}");
}

/// The last three values are back: too few for a change, but it isn't so since then.
#[test]
fn what_came_back_at_the_end_was() {
    let outputs = Outputs::new();
    let mut text =
        String::from("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\PhysicalDisk(_Total)\\Disk Transfers/sec\"\n");
    let mut state = 9_u64;
    for at in 0..303_usize {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let noise = (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5;
        let value = if (200..300).contains(&at) { 900.0 } else { 100.0 } + 40.0 * noise;
        text.push_str(&format!("\"11/21/2026 10:{:02}:{:02}.000\",\"{value}\"\n", at / 60, at % 60));
    }
    let said = recount(&["stats", &outputs.write("back.csv", text), "--changes"]).fine();
    assert!(said.contains("From 10:03:19 to 10:04:59 ") && said.contains(" times as high"), "{said}");
}

/// Ten values between 50 and 130,000 have no level.
#[test]
fn few_values_far_apart_are_no_level() {
    let outputs = Outputs::new();
    let mut text =
        String::from("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\PhysicalDisk(_Total)\\Disk Transfers/sec\"\n");
    let idle = [42.0, 60.0, 101.0, 102.0, 127_681.0, 81_007.0, 42.0, 49_697.0, 54_365.0, 51.0];
    for at in 0..300_usize {
        let busy = 240_000.0 + [0.0, 20_000.0, -15_000.0, 7_000.0][at % 4];
        let value = idle.get(at).copied().unwrap_or(busy);
        text.push_str(&format!("\"11/21/2026 10:{:02}:{:02}.000\",\"{value}\"\n", at / 60, at % 60));
    }
    let said = recount(&["stats", &outputs.write("idle.csv", text), "--changes"]).fine();
    assert!(said.contains("is higher: 24") && said.contains(" instead of between 42 and 127,681"), "{said}");
}

/// Before, it was between 0 and 659 MiB/s: the new level is among these.
#[test]
fn a_level_among_those_before_is_told_by_medians() {
    let said = recount(&["report", &sample("moved/disk-writer.rcap")]).fine();
    let lower = "Disk Write Bytes/sec is lower: a median of 642 KiB/s instead of 347 MiB/s";
    assert!(said.contains(lower), "{said}");
}

/// 188.1 and 188.4 are both written as 188.
#[test]
fn values_that_are_written_alike_are_no_row() {
    let outputs = Outputs::new();
    let mut text =
        String::from("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\System\\Threads\",\"\\\\A\\System\\Processes\"\n");
    for at in 0..300_usize {
        let wobble = [0.0, 0.02, -0.01, 0.01][at % 4];
        let (threads, processes) = if at < 150 { (188.1, 188.1) } else { (188.4, 196.4) };
        let (threads, processes) = (threads + wobble, processes + wobble);
        let row =
            format!("\"11/21/2026 10:{:02}:{:02}.000\",\"{threads}\",\"{processes}\"\n", at / 60, at % 60);
        text.push_str(&row);
    }
    let said = recount(&["stats", &outputs.write("alike.csv", text), "--changes"]).fine();
    assert!(said.contains("is 4 % higher: 196 instead of 188"), "{said}");
    assert!(!said.contains("Threads"), "{said}");
}

/// No rule fires for such a latency: what changed comes first.
#[test]
fn a_report_without_findings_begins_with_what_changed() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 10);
    let text = recount(&["report", &path]).fine();
    let said =
        "changed   Since 11:04:50 PhysicalDisk Avg. Disk sec/Transfer is 40 % higher: 14 ms instead of 10 ms";
    assert!(text.lines().any(|line| line.starts_with(said)), "{text}");
    let alone = recount(&["report", &path, "-c", r"\PhysicalDisk(*)\*"]).fine();
    assert!(alone.starts_with(said), "{alone}");
    let (json, markdown) = (outputs.path("r.json"), outputs.path("r.md"));
    let page = outputs.path("r.html");
    let done = recount(&["report", &path, "--json", &json, "--markdown", &markdown, "-o", &page]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let json: Value = serde_json::from_slice(&std::fs::read(json).expect("JSON")).expect("JSON");
    assert!(json["changed"].as_array().is_some_and(|all| !all.is_empty()), "{json}");
    assert!(std::fs::read_to_string(markdown).expect("Markdown").contains("Since 11:04:50"));
    assert!(std::fs::read_to_string(page).expect("a page").contains("id=\"changed\""));
}

/// The clock of the second was an hour behind: with a shift its step is where it was.
#[test]
fn a_second_capture_is_laid_beside_the_first() {
    let outputs = Outputs::new();
    let first = capture(&outputs, "first.csv", 10);
    let text = std::fs::read_to_string(capture(&outputs, "second.csv", 9)).expect("a text");
    let second = outputs.write("other.csv", text.replace("\\\\A\\", "\\\\B\\"));
    let span = "2026-11-21T10:20:00Z..2026-11-21T10:33:00Z";
    let moved = |more: &[&str]| {
        let done = recount(&[&["moved", &first, "--span", span, "--top", "9"][..], more].concat());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        (done.stdout, done.stderr)
    };
    let (alone, _) = moved(&["--with", &second]);
    let busy = |host: &str| format!("{host}: Between 10:19:50 and 10:20:00 Processor % Processor Time rose");
    assert!(alone.contains(&busy("A")) && !alone.contains(&busy("B")), "{alone}");
    let (shifted, said) = moved(&["--with", &second, "--shift", "1h"]);
    assert!(shifted.contains(&busy("A")) && shifted.contains(&busy("B")), "{shifted}");
    assert!(said.contains("1h later than it says"), "{said}");
    // Each of the two says that the other one moved, too.
    for (one, other) in [("A", "B"), ("B", "A")] {
        let begin = busy(one);
        let line = shifted.lines().find(|line| line.contains(&begin)).unwrap_or_default();
        assert!(
            line.contains(&format!("; at the same time as Processor % Processor Time of {other}")),
            "{shifted}"
        );
    }
    assert!(!alone.contains("at the same time as"), "{alone}");
    // Both have the same processor, which says it, too.
    let (found, said) = moved(&["--with", &second, "--shift", "auto"]);
    assert!(found.contains(&busy("A")) && found.contains(&busy("B")), "{found}");
    assert!(said.contains("later than it says, by ") && said.contains(" in both (± "), "{said}");
    let other = outputs
        .write("b.csv", text.replace("\\\\A\\", "\\\\B\\").replace("Processor", "X").replace("Memory", "Y"));
    let unknown = recount(&["moved", &first, "--span", span, "--with", &other, "--shift", "auto"]).failed();
    assert!(
        unknown.contains("no counter in common") && unknown.contains("hint: say by how much"),
        "{unknown}"
    );
    let alone = recount(&["moved", &first, "--span", span, "--shift", "1h"]).failed();
    assert!(alone.contains("--with"), "{alone}");
}

/// An hour at 1 s, more than is kept of all counters at first. Of the same noise each has a part, some seconds later or earlier.
#[test]
fn delays_of_long_captures_are_those_of_their_samples() {
    let outputs = Outputs::new();
    let lags = [1_i64, 3, 5, -2, 0];
    let header: Vec<String> =
        (0..lags.len()).map(|of| format!(",\"\\\\A\\Db(d{of})\\Queries/sec\"")).collect();
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Web\\Requests/sec\"{}\n", header.concat());
    let mut state = 5_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5
    };
    let requests: Vec<f64> = (0..3_600).map(|_| 100.0 + 50.0 * noise()).collect();
    for at in 0..3_600_i64 {
        let (minutes, seconds) = (at / 60, at % 60);
        text.push_str(&format!(
            "\"11/21/2026 10:{minutes:02}:{seconds:02}.000\",\"{}\"",
            requests[at as usize]
        ));
        for lag in lags {
            let value = 3.0 * requests[(at - lag).clamp(0, 3_599) as usize] + 40.0 * noise();
            text.push_str(&format!(",\"{value}\""));
        }
        text.push('\n');
    }
    let path = outputs.write("long.csv", text);
    let said = recount(&["moved", &path, "--target", r"\Web\Requests/sec"]).fine();
    for expected in [
        "Db(d0) Queries/sec moves with it, 1 s later (",
        "Db(d1) Queries/sec moves with it, 3 s later (",
        "Db(d2) Queries/sec moves with it, 5 s later (",
        "Db(d3) Queries/sec moves with it, 2 s earlier (",
        "Db(d4) Queries/sec moves with it, at the same time (",
    ] {
        assert!(said.lines().any(|line| line.starts_with(expected)), "{expected}: {said}");
    }
    assert!(!said.contains("means of"), "{said}");
}

#[test]
fn what_moves_with_a_counter_is_said_with_its_delay() {
    let outputs = Outputs::new();
    let names = [r"Web\Requests/sec", r"Db\Queries/sec", r"Other\Thing", r"Trend\One"];
    let header = names.map(|name| format!(",\"\\\\A\\{name}\""));
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\n", header.concat());
    let mut state = 5_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5
    };
    let mut requests = vec![0.0; 400];
    for at in 0..400_usize {
        requests[at] = 100.0 + at as f64 + 50.0 * noise();
        let queries = 3.0 * requests[at.saturating_sub(2)] + 4.0 * noise();
        let (minutes, seconds) = (at / 60, at % 60);
        text.push_str(&format!("\"11/21/2026 10:{minutes:02}:{seconds:02}.000\""));
        for value in [requests[at], queries, noise(), 5.0 * at as f64 + noise()] {
            text.push_str(&format!(",\"{value}\""));
        }
        text.push('\n');
    }
    let path = outputs.write("t.csv", text);
    let said = recount(&["moved", &path, "--target", r"\Web\Requests/sec"]).fine();
    let first = said.lines().next().unwrap_or_default();
    assert!(first.starts_with("Db Queries/sec moves with it, 2 s later (rank correlation "), "{said}");
    assert!(said.contains("1 of 3 other counters move with it"), "a common trend is no company: {said}");
    assert!(said.contains("note: this is association"), "{said}");
    let failed = recount(&["moved", &path, "--target", r"\No\Such"]).failed();
    assert!(failed.contains(r"no counter matches \No\Such"), "{failed}");
    let failed = recount(&["moved", &path, "--target", r"\Web\Request/sec"]).failed();
    assert!(failed.contains("Web has a counter Requests/sec"), "{failed}");
    let failed = recount(&["moved", &path, "--target", r"\*\*"]).failed();
    assert!(failed.contains("the target has to be one counter, and 4 match: "), "{failed}");
    let failed = recount(&["moved", &path]).failed();
    assert!(failed.contains("--span"), "{failed}");
}
