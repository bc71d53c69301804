//! `recount top --by`: who used the processors, in groups.

use super::run::{Outputs, recount, sample};

/// A minute at 10 s of two processors that were busy for 96 %, and of processes of two programs.
fn busy(outputs: &Outputs) -> String {
    let paths = [
        r"Processor(0)\% Processor Time",
        r"Processor(1)\% Processor Time",
        r"Processor(_Total)\% Processor Time",
        r"Process(cc1plus)\% Processor Time",
        r"Process(cc1plus#1)\% Processor Time",
        r"Process(java)\% Processor Time",
        r"Process(Idle)\% Processor Time",
        r"Process(_Total)\% Processor Time",
    ];
    let mut text = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
    text.extend(paths.iter().map(|path| format!(",\"\\\\A\\{path}\"")));
    for second in (0..=50).step_by(10) {
        text.push_str(&format!("\n\"11/21/2026 12:00:{second:02}.000\",98,94,96,60,40,50,8,158"));
    }
    outputs.write("busy.csv", text + "\n")
}

#[test]
fn programs_with_their_processes_and_what_has_no_name() {
    let outputs = Outputs::new();
    let shown = recount(&["top", &busy(&outputs), "--by", "command"]).fine();
    let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][..5], ["command", "processes", "with", "CPU", "CPU"]);
    // 50 s: 96 s of the two processors, 50 s and 25 s of processes.
    assert_eq!(lines[1], ["cc1plus", "2", "2", "50", "s", "52.1", "%"], "{shown}");
    assert_eq!(lines[2], ["java", "1", "1", "25", "s", "26", "%"], "{shown}");
    assert_eq!(lines[3], ["not", "attributed", "21", "s", "21.9", "%"], "{shown}");
    assert_eq!(lines.len(), 4, "{shown}");
}

#[test]
fn statistics_have_a_row_per_group() {
    let outputs = Outputs::new();
    let busy = busy(&outputs);
    let counter = r"\Process(*)\% Processor Time";
    let shown =
        recount(&["stats", &busy, "-c", counter, "--group-by", "host,command", "--format", "csv"]).fine();
    let has = |start: &str| shown.lines().any(|line| line.contains(start));
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert!(has("cc1plus") && has("java"), "{shown}");
    assert!(shown.lines().any(|line| line.contains("cc1plus") && line.contains(",100,")), "{shown}");
    let failed = recount(&["stats", &busy, "--group-by", "instance,unit"]);
    assert!(failed.stderr.contains("one of instance, user, unit"), "{}", failed.stderr);
}

#[test]
fn what_is_not_known_is_one_group() {
    let outputs = Outputs::new();
    let shown = recount(&["top", &busy(&outputs), "--by", "unit"]).fine();
    assert!(
        shown.lines().nth(1).is_some_and(|line| line.starts_with('-') && line.contains("75 s")),
        "{shown}"
    );
}

/// It has no names of users, and knows what they read and wrote of storage only.
#[test]
fn users_of_atop_are_numbers() {
    let shown = recount(&["top", &sample("atop.raw"), "--by", "user"]).fine();
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].contains("read from storage  written to storage"), "{shown}");
    let row: Vec<&str> = lines[1].split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(row, ["uid 0", "3", "2", "18 s", "100 %", "120 KiB", "600 KiB", "12.7 MiB"]);
}

#[test]
fn a_capture_without_processes_says_so() {
    let outputs = Outputs::new();
    let text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Memory\\x\"\n\"11/21/2026 12:00:00.000\",1\n\"11/21/2026 12:00:10.000\",1\n";
    let failed = recount(&["top", &outputs.write("none.csv", text), "--by", "tree"]);
    assert!(
        failed.stderr.contains("none.csv: no processes") && failed.stdout.is_empty(),
        "{}",
        failed.stderr
    );
}

/// The page has the picture of it.
#[test]
fn programs_are_drawn_up_to_all_that_the_machine_has() {
    let outputs = Outputs::new();
    let page = outputs.path("busy.html");
    recount(&["report", &busy(&outputs), "-o", &page]).fine();
    let page = std::fs::read_to_string(page).expect("written");
    assert!(page.contains("Processor time by program"));
    for line in [
        "cc1plus <b>50 %</b>",
        "java <b>25 %</b>",
        "not attributed <b>21 %</b>",
        "text-anchor=\"middle\">cc1plus</text>",
        "url(#not-attributed-command)",
    ] {
        assert!(page.contains(line), "{line}");
    }
    // A click away: the processes, and what started them.
    assert!(
        page.contains("<summary>cc1plus <b>50 %</b>, 2 processes</summary><ul><li>cc1plus: 30 s</li>"),
        "{page}"
    );
    assert!(page.contains("What started them</summary><ul><li>cc1plus: 2 processes, 50 s</li>"), "{page}");
}
