//! `recount mark` for logs that aren't being written, and marks as bounds of a span.

use std::time::{Duration, SystemTime};

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::run::{Outputs, recount, sample};

/// A closed log of three samples, ten seconds apart: the dumps of `samples/series`.
fn recorded(outputs: &Outputs, name: &str) -> String {
    let path = outputs.path(name);
    let dumps: Vec<String> = (1..=3).map(|number| sample(&format!("series/{number}.bin"))).collect();
    let names = sample("series/Counter 009.txt");
    recount(&["record", "-q", "-o", &path, "--names", &names, "--source", &dumps[0], &dumps[1], &dumps[2]])
        .fine();
    path
}

fn info(path: &str) -> Value {
    let text = recount(&["info", "--json", path]).stdout;
    let all: Value = serde_json::from_str(&text).expect("JSON");
    all[0].clone()
}

/// Texts and times of the marks that `recount info` shows.
pub(crate) fn marks(path: &str) -> Vec<(String, String)> {
    let info = info(path);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let marks = info["marks"].as_array().expect("marks").iter();
    marks.map(|mark| (text(&mark["text"]), text(&mark["time"]))).collect()
}

fn texts(path: &str) -> Vec<String> {
    marks(path).into_iter().map(|(text, _)| text).collect()
}

/// Number of samples that a conversion uses.
fn num_samples(path: &str, span: &[&str]) -> usize {
    let convert = ["convert", path, "-o", "-", "--format", "csv"];
    // A line per sample, and the header.
    recount(&[&convert[..], span].concat()).fine().lines().count() - 1
}

#[test]
fn a_finished_log_is_marked_and_keeps_every_byte() {
    let outputs = Outputs::new();
    let path = recorded(&outputs, "a.rcap");
    let before = std::fs::read(&path).expect("the log");
    let told = recount(&["mark", &path, "deploy v42", "--at", "+10s"]).fine();
    let first = info(&path)["first_sample"].as_str().expect("a time").to_owned();
    assert!(told.starts_with(&format!("{path}: ")) && told.ends_with(" is marked: deploy v42\n"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    let now = recount(&["mark", &path, "späť\u{1b}[31m\nzwei"]).fine();
    assert!(now.contains("sp\u{e4}\u{165}\\u{1b}[31m\\u{a}zwei\n  this is "), "{now}");
    assert!(now.ends_with(" s after the last sample; use --at to choose another time\n"), "{now}");

    let after = std::fs::read(&path).expect("the log");
    assert!(after.starts_with(&before) && after.len() > before.len());
    assert_eq!(outputs.files(), ["a.rcap"], "nothing is left beside it");
    assert!(recount(&["verify", &path]).fine().ends_with("health                sound\n"));
    let found = marks(&path);
    assert_eq!(found.len(), 2);
    let time = |text: &str| text.parse::<jiff::Timestamp>().expect(text);
    assert_eq!(found[0].0, "deploy v42");
    assert_eq!(time(&found[0].1).duration_since(time(&first)), SignedDuration::from_secs(10));
    // Stored unchanged, but displayed so that terminals don't interpret it.
    assert_eq!(found[1].0, "späť\u{1b}[31m\nzwei");
    let text = recount(&["info", &path]).fine();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("mark ")).collect();
    assert!(lines.len() == 2 && lines[0].ends_with("Z  deploy v42"), "{text}");
    assert!(lines[1].ends_with("Z  späť\\u{1b}[31m\\u{a}zwei"), "{text}");
}

#[test]
fn what_is_unpacked_is_the_same() {
    let outputs = Outputs::new();
    let path = recorded(&outputs, "a.rcap");
    let unpack = |to: &str| {
        recount(&["unpack", &path, "-o", &outputs.path(to)]).fine();
        let files = outputs.files().into_iter().filter(|file| file.starts_with(to));
        let bytes = files.map(|file| std::fs::read(outputs.path(&file)).expect("a file"));
        bytes.collect::<Vec<_>>()
    };
    let before = unpack("before");
    assert!(!before.concat().is_empty());
    for text in ["one", "two"] {
        recount(&["mark", "-q", &path, text]).fine();
    }
    assert!(unpack("after") == before);
    assert_eq!(num_samples(&path, &[]), 3);
}

#[test]
fn spans_begin_and_end_at_marks() {
    let outputs = Outputs::new();
    let path = recorded(&outputs, "a.rcap");
    for (text, at) in [("deploy v42", "+10s"), ("deploy v42", "+15s"), ("a:b +5m", "+1s")] {
        recount(&["mark", "-q", &path, text, "--at", at]).fine();
    }
    for (span, expected) in [
        (&["--begin", "mark:deploy v42"][..], 2),
        (&["--begin", "mark+1s:deploy v42"], 1),
        (&["--begin", "mark-10s:deploy v42"], 3),
        // The first of two counts, at both ends.
        (&["--end", "mark:deploy v42"], 2),
        (&["--end", "mark+9.9s:deploy v42"], 2),
        (&["--end", "mark+10s:deploy v42"], 3),
        (&["--begin", "mark:a:b +5m", "--end", "mark:deploy v42"], 1),
        (&["--begin", "mark:deploy v42", "--end", "+10s"], 1),
    ] {
        assert_eq!(num_samples(&path, span), expected, "{span:?}");
    }
    // A mark of another capture of the same command will do, and so will a mark for a mark.
    let other = recorded(&outputs, "b.rcap");
    recount(&["mark", "-q", &path, "later", "--at", "mark+10s:deploy v42"]).fine();
    let show = recount(&["show", &other, "--begin", "mark:later"]);
    assert!(show.failed().contains("no time is marked \"later\"; there are no marks\nhint: "));
    let both = ["convert", &path, &other, "-o", &outputs.path("out.csv"), "--begin", "mark:later"];
    let done = recount(&both);
    // Both logs have the same samples.
    assert!(done.stdout.contains(": 1 samples, "), "{done:?}");
    assert!(done.stderr.contains("b.rcap: odd: 3 of its samples are also in "), "{done:?}");
}

#[test]
fn an_unknown_mark_is_reported_with_those_there_are() {
    let outputs = Outputs::new();
    let path = recorded(&outputs, "a.rcap");
    let convert = |at: &str| recount(&["convert", &path, "-o", &outputs.path("x.csv"), "--end", at]).failed();
    assert!(convert("mark:deploy").starts_with("error: no time is marked \"deploy\"; there are no marks\n"));
    for text in ["two", "one", "two", "esc \u{1b}[2J"] {
        recount(&["mark", "-q", &path, text]).fine();
    }
    let error = convert("mark:deploy+5m");
    assert!(
        error.starts_with(
            "error: no time is marked \"deploy+5m\"; there are \"two\", \"one\", \"esc \\u{1b}[2J\"\nhint: "
        ) && error.ends_with("mark+5m:TEXT\n"),
        "{error}"
    );
    // Not the beginning of a text, nor another case.
    for at in ["mark:tw", "mark:Two", "mark: two"] {
        assert!(convert(at).contains("there are \"two\""), "{at}");
    }
    let error = convert("mark+5:two");
    assert!(error.contains("mark+5:two") && error.contains("expected an offset such as +5m"), "{error}");
    for num in 0..25 {
        recount(&["mark", "-q", &path, &format!("n{num}")]).fine();
    }
    assert!(convert("mark:x").contains("\"n16\", and others\n"));
}

#[test]
fn what_can_not_be_marked() {
    let outputs = Outputs::new();
    let blg = sample("objects.blg");
    let error = recount(&["mark", &blg, "x"]).failed();
    assert!(error.contains("objects.blg: only a capture log (.rcap) can be marked\nhint: "), "{error}");
    let packed = outputs.path("p.rcap");
    recount(&["pack", "-q", &blg, "-o", &packed]).fine();
    let before = std::fs::read(&packed).expect("there");
    let error = recount(&["mark", &packed, "x"]).failed();
    assert!(error.contains("p.rcap: holds a packed file, which has no place for marks\nhint: "), "{error}");
    assert!(std::fs::read(&packed).expect("there") == before);
    let path = recorded(&outputs, "a.rcap");
    let before = std::fs::read(&path).expect("there");
    let long = "ä".repeat(2_049);
    for (text, len) in [("", 0), (long.as_str(), 4_098)] {
        let error = recount(&["mark", &path, text]).failed();
        assert!(error.contains(&format!("1 to 4096 bytes and no NUL; this one has {len} bytes")), "{error}");
    }
    assert!(recount(&["mark", &path, "x", "--at", "yesterday"]).failed().contains("a mark (mark:TEXT"));
    assert!(recount(&["mark", &path, "x", "--at", "mark:y"]).failed().contains("no time is marked \"y\""));
    assert!(recount(&["mark", &outputs.path("no.rcap"), "x"]).failed().contains("hint: check the path"));
    assert!(std::fs::read(&path).expect("there") == before);
    assert_eq!(outputs.files(), ["a.rcap", "p.rcap"]);
    let longest = "ä".repeat(2_048);
    recount(&["mark", "-q", &path, &longest]).fine();
    assert_eq!(texts(&path), [longest]);
}

/// Logs of both kinds of samples, and of the first version: marking doesn't change their samples.
#[test]
fn logs_of_messages_and_of_before() {
    let outputs = Outputs::new();
    let messages = outputs.path("v2.rcap");
    recount(&["record", "-q", "-o", &messages, "--source", &sample("session.pcq")]).fine();
    let old = outputs.write("old.rcap", std::fs::read(sample("rcap-1/closed.rcap")).expect("there"));
    for path in [&messages, &old] {
        let values = recount(&["convert", path, "-o", "-", "--format", "csv"]).stdout;
        recount(&["mark", "-q", path, "here", "--at", "+1s"]).fine();
        recount(&["mark", "-q", path, "there", "--at", "-1s"]).fine();
        let mut found = texts(path);
        found.sort();
        assert_eq!(found, ["here", "there"], "{path}");
        assert_eq!(recount(&["convert", path, "-o", "-", "--format", "csv"]).stdout, values);
        let verified = recount(&["verify", path]);
        assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    }
}

/// If a process is killed while appending a mark, the log reads as before, the mark waits next to it, and a repair adds
/// it.
#[test]
fn a_mark_that_was_torn() {
    let outputs = Outputs::new();
    let path = recorded(&outputs, "a.rcap");
    recount(&["mark", "-q", &path, "before", "--at", "+5s"]).fine();
    let before = std::fs::read(&path).expect("there");
    let values = recount(&["convert", &path, "-o", "-", "--format", "csv"]).fine();
    recount(&["mark", "-q", &path, "torn", "--at", "+7s"]).fine();
    let after = std::fs::read(&path).expect("there");
    // The mark that would still be waiting: taken from next to an unclosed log.
    let unclosed = outputs.write("b.rcap", &after[..after.len() - 1]);
    let told = recount(&["mark", &unclosed, "torn", "--at", "+7s"]).fine();
    assert!(told.contains("b.rcap.marks until the recorder adds it"), "{told}");
    for len in [before.len() + 1, before.len() + 40, after.len() - 100, after.len() - 1] {
        std::fs::write(&path, &after[..len]).expect("written");
        let _ = std::fs::remove_dir_all(outputs.path("a.rcap.marks"));
        copy_directory(&outputs.path("b.rcap.marks"), &outputs.path("a.rcap.marks"));
        assert_eq!(texts(&path), ["before", "torn"], "{len}");
        assert_eq!(recount(&["convert", &path, "-o", "-", "--format", "csv"]).stdout, values, "{len}");
        let file = std::fs::File::options().write(true).open(&path).expect("there");
        file.set_modified(SystemTime::now() - Duration::from_hours(1)).expect("set");
        let repaired = recount(&["repair", &path]);
        assert!(
            repaired.stdout.contains("\n  marks: added 1 mark that waited next to the log\n"),
            "{repaired:?}"
        );
        assert!(!std::path::Path::new(&outputs.path("a.rcap.marks")).exists());
        assert_eq!(texts(&path), ["before", "torn"], "{len}");
        assert_eq!(recount(&["convert", &path, "-o", "-", "--format", "csv"]).stdout, values, "{len}");
        assert_eq!(recount(&["verify", &path]).code, Some(0));
    }
}

fn copy_directory(from: &str, to: &str) {
    std::fs::create_dir(to).expect("made");
    for entry in std::fs::read_dir(from).expect("there") {
        let entry = entry.expect("a file");
        std::fs::copy(entry.path(), std::path::Path::new(to).join(entry.file_name())).expect("copied");
    }
}

/// Marks for another log of the same name are ignored.
#[test]
fn marks_are_for_one_log() {
    let outputs = Outputs::new();
    let path = recorded(&outputs, "a.rcap");
    let bytes = std::fs::read(&path).expect("there");
    std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("written");
    recount(&["mark", "-q", &path, "for the first"]).fine();
    assert_eq!(texts(&path), ["for the first"]);
    recorded_over(&path);
    assert_eq!(texts(&path), [""; 0]);
    recount(&["mark", "-q", &path, "for the second"]).fine();
    assert_eq!(texts(&path), ["for the second"]);
    assert_eq!(info(&path)["num_samples"], json!(3));
}

fn recorded_over(path: &str) {
    let dumps: Vec<String> = (1..=3).map(|number| sample(&format!("series/{number}.bin"))).collect();
    let names = sample("series/Counter 009.txt");
    let record = ["record", "-q", "--force", "-o", path, "--names", &names, "--source"];
    recount(&[&record[..], &[&dumps[0], &dumps[1], &dumps[2]]].concat()).fine();
}
