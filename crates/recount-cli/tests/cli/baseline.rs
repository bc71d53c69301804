//! `recount baseline`, and `recount report --baseline`

use serde_json::Value;

use super::run::{Outputs, recount, sample};

/// Days of November 2026 at 60 s: a disk's latency, the processor's time, a counter that stands still, and a process. `busy`: the
/// minutes of the last day in which the disk is slow.
fn capture(
    outputs: &Outputs,
    name: &str,
    host: &str,
    days: std::ops::Range<u32>,
    busy: std::ops::Range<u32>,
) -> String {
    let names = [
        r"PhysicalDisk(_Total)\Avg. Disk sec/Transfer",
        r"Processor(_Total)\% Processor Time",
        r"System\Processes",
        r"Process(app)\% Processor Time",
        r"Process(_Total)\Handle Count",
    ];
    let header = names.map(|name| format!(",\"\\\\{host}\\{name}\""));
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\n", header.concat());
    let mut state = u64::from(days.start) + 7;
    let mut noise = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5
    };
    for day in days.clone() {
        for minute in 0..1440 {
            let is_busy = day + 1 == days.end && busy.contains(&minute);
            let latency = if is_busy { 0.055 } else { 0.004 + 0.002 * noise() };
            let processor = if is_busy { 92.0 } else { 20.0 + 10.0 * noise() };
            let handles = 40_000.0 + 500.0 * noise();
            text.push_str(&format!(
                "\"11/{day:02}/2026 {:02}:{:02}:00.000\",\"{latency}\",\"{processor}\",\"77\",\"{}\",\"{handles}\"\n",
                minute / 60,
                minute % 60,
                50.0 * (noise() + 0.5),
            ));
        }
    }
    outputs.write(name, text)
}

fn done(arguments: &[&str]) -> String {
    let done = recount(arguments);
    assert_eq!(done.code, Some(0), "{arguments:?}: {}{}", done.stdout, done.stderr);
    done.stdout
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&done(&[arguments, &["--json", "-"]].concat())).expect("JSON")
}

#[test]
fn a_report_says_what_is_unusual_and_compared_with_what() {
    let outputs = Outputs::new();
    let known = capture(&outputs, "known.csv", "WEB1", 2..4, 0..0);
    let base = outputs.path("base.parquet");
    let said = done(&["baseline", &known, "-o", &base]);
    assert_eq!(said, "base.parquet: 4 counters from 1 capture of WEB1, 48 hours, 2880 samples\n");
    let today = capture(&outputs, "today.csv", "WEB1", 4..5, 841..876);
    let said = done(&["report", &today, "--rules", "none", "--baseline", &base]);
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with("unusual   From 14:00:00 to 14:35:00 P")
            && lines[0].contains("; in the baseline it is at most ")
            && lines[0].contains("; with it P"),
        "{said}"
    );
    assert_eq!(
        lines[1],
        "baseline  Compared with the baseline, 1 capture of WEB1 (48 hours, 2880 samples), by means of 5 minutes: 2 of 4 counters unusual"
    );
    let answer = json(&["report", &today, "--rules", "none", "--baseline", &base]);
    let unusual = answer["baseline"]["unusual"].as_array().expect("a list");
    assert_eq!((unusual.len(), &answer["baseline"]["num_compared"]), (2, &Value::from(4)));
    let disk = unusual.iter().find(|one| one["object"] == "PhysicalDisk").expect("the disk");
    let (mean, most) = (disk["mean"].as_f64().expect("mean"), disk["usual"]["most"].as_f64().expect("most"));
    assert!((mean - 0.055).abs() < 1e-9 && (0.004..0.005).contains(&most), "{disk}");
    assert_eq!(disk["begin"], "2026-11-04T14:00:00Z");
    let page = done(&["report", &today, "--rules", "none", "--baseline", &base, "-o", "-"]);
    assert!(page.contains("Unusual for this machine") && page.contains("From 14:00:00 to 14:35:00"));
    let text = done(&["report", &today, "--rules", "none", "--baseline", &base, "--markdown", "-"]);
    assert!(text.contains("**Against the baseline:**\n\n- From 14:00:00 to 14:35:00"), "{text}");
}

#[test]
fn a_quiet_day_is_quiet() {
    let outputs = Outputs::new();
    let known = capture(&outputs, "known.csv", "WEB1", 2..4, 0..0);
    let base = outputs.path("base.parquet");
    done(&["baseline", &known, "-o", &base]);
    let today = capture(&outputs, "today.csv", "WEB1", 4..5, 0..0);
    let said = done(&["report", &today, "--rules", "none", "--baseline", &base]);
    assert!(said.starts_with("baseline  ") && said.contains("nothing is unusual in 4 counters\n"), "{said}");
    assert!(!said.contains("note "), "{said}");
}

#[test]
fn other_machines_and_short_baselines_are_said() {
    let outputs = Outputs::new();
    let today = capture(&outputs, "today.csv", "DB1", 4..5, 841..876);
    let known = capture(&outputs, "known.csv", "WEB1", 2..4, 0..0);
    let base = outputs.path("base.parquet");
    done(&["baseline", &known, "-o", &base]);
    let said = done(&["report", &today, "--rules", "none", "--baseline", &base]);
    assert!(
        said.contains("note      the baseline is of another machine, WEB1; the capture is of DB1\n"),
        "{said}"
    );
    assert!(said.contains("2 of 4 counters unusual"), "{said}");
    let said = done(&["report", &known, "--rules", "none", "--baseline", &base]);
    assert!(said.contains("note      100 % of this capture is part of the baseline"), "{said}");
    let short = outputs.path("short.parquet");
    let text = std::fs::read_to_string(&known).expect("a text");
    let hour = text.lines().take(62).fold(String::new(), |text, line| text + line + "\n");
    done(&["baseline", &outputs.write("hour.csv", hour), "-o", &short]);
    let said = done(&["report", &today, "--rules", "none", "--baseline", &short]);
    assert!(
        said.contains("too little to know what is usual") && said.contains("nothing could be judged"),
        "{said}"
    );
    assert!(!said.contains("unusual   "), "{said}");
}

#[test]
fn what_is_too_short_has_nothing_to_learn() {
    let outputs = Outputs::new();
    let base = outputs.path("base.parquet");
    let short = recount(&["baseline", &sample("objects.blg"), "-o", &base]);
    assert_eq!(short.code, Some(2));
    assert!(short.stderr.contains("nothing to learn"), "{}", short.stderr);
    assert!(outputs.files().is_empty());
}

#[test]
fn baselines_are_added_and_nothing_counts_twice() {
    let outputs = Outputs::new();
    let one = capture(&outputs, "one.csv", "WEB1", 2..3, 0..0);
    let other = capture(&outputs, "other.csv", "WEB1", 3..4, 0..0);
    let base = outputs.path("base.parquet");
    done(&["baseline", &one, "-o", &base]);
    let first = std::fs::read(&base).expect("a file");
    let again = recount(&["baseline", &base, &one, "-o", &base, "--force"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stderr.contains("nothing is new"), "{}", again.stderr);
    assert!(std::fs::read(&base).expect("a file") == first);
    let said = done(&["baseline", &base, &other, "-o", &base, "--force"]);
    assert_eq!(said, "base.parquet: 4 counters from 2 captures of WEB1, 48 hours, 2880 samples\n");
    let third = outputs.path("third.parquet");
    let twice = recount(&["baseline", &base, &base, "-o", &third]);
    assert_eq!(twice.code, Some(2));
    assert!(twice.stderr.contains("WEB1 at the same time, which would count twice"), "{}", twice.stderr);
    let wrong = recount(&["report", &one, "--baseline", &one]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("not a baseline of recount") && wrong.stderr.contains("recount baseline DIR"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_broken_file_is_one_error() {
    let outputs = Outputs::new();
    let known = capture(&outputs, "known.csv", "WEB1", 2..4, 0..0);
    let base = outputs.path("base.parquet");
    done(&["baseline", &known, "-o", &base]);
    let bytes = std::fs::read(&base).expect("a baseline");
    let broken = outputs.path("broken.parquet");
    std::fs::write(&broken, &bytes[..bytes.len() / 2]).expect("a file");
    let said = recount(&["baseline", &broken, "-o", &outputs.path("new.parquet")]).failed();
    let error = said.lines().find(|line| line.contains("broken.parquet")).unwrap_or_default();
    assert_eq!(error.matches("broken.parquet").count(), 1, "{said}");
    assert_eq!(error.matches("Corrupt footer").count(), 1, "{said}");
}

/// The same doubt about the dates of four files, in which only the dates differ.
#[test]
fn a_folder_of_logs_has_one_note_about_their_dates() {
    let outputs = Outputs::new();
    // As a spreadsheet saves it: Windows itself always writes the month first.
    let saved = |day: u32| {
        let log = capture(&outputs, &format!("d{day}.csv"), "WEB1", day..day + 1, 0..0);
        let text = std::fs::read_to_string(&log).expect("a log");
        outputs.write(&format!("d{day}.csv"), text.replace(":00.000", ":00"))
    };
    let logs: Vec<String> = (2..6_u32).map(saved).collect();
    let logs: Vec<&str> = logs.iter().map(String::as_str).collect();
    let base = outputs.path("base.parquet");
    let made = recount(&[&["baseline"][..], &logs, &["-o", &base]].concat());
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert_eq!(made.stderr.matches("may have the month or the day first").count(), 1, "{}", made.stderr);
    assert!(made.stderr.contains(" (and 3 more captures alike)"), "{}", made.stderr);
}
