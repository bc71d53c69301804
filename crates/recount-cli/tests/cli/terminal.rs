//! Output to terminals and pipes.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use super::logs::log;
#[cfg(target_os = "linux")]
use super::run::terminal;
use super::run::{Outputs, command, recount, sample};

const BOOT: &str = "2023-12-31T00:00:00Z";
const EVIL: &str = "evil\u{1b}[31m\u{7}name";

#[test]
fn pipes_get_no_escape_codes() {
    let (log, damaged) = (sample("objects.blg"), sample("damaged.blg"));
    for arguments in [
        vec!["--help"],
        vec!["convert", "--help"],
        vec!["info", &damaged],
        vec!["list", &damaged],
        vec!["show", &damaged, "Memory"],
        vec!["show", &log],
        vec!["top", &log],
        vec!["convert", "nosuch", "-o", "x.csv"],
        vec!["frobnicate"],
    ] {
        for no_color in [None, Some("1")] {
            let output = command().args(&arguments).envs(no_color.map(|value| ("NO_COLOR", value))).output();
            let output = output.expect("running recount");
            assert!(!output.stdout.contains(&0x1B) && !output.stderr.contains(&0x1B), "{arguments:?}");
            assert!(!output.stdout.is_empty() || !output.stderr.is_empty(), "{arguments:?}");
        }
    }
}

/// A name from a capture is foreign text, and must not be able to command a terminal.
#[test]
fn control_characters_in_names_are_shown_as_such() {
    let outputs = Outputs::new();
    let path = outputs.write("evil.blg", log("HOST", BOOT, &["good", EVIL], 0..3));
    for arguments in [
        vec!["info", &path],
        vec!["list", &path],
        vec!["list", "--json", &path],
        vec!["show", &path],
        vec!["show", "--json", &path],
        vec!["top", &path],
        vec!["dump", &path],
        vec!["convert", &path, "-o", "-", "--format", "csv"],
        vec!["convert", &path, "-o", "-", "--format", "tsv"],
    ] {
        let text = recount(&arguments).fine();
        let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        assert_eq!(text.find(is_control), None, "{arguments:?}");
    }
    let text = recount(&["list", &path]).fine();
    assert!(text.contains("Job(evil\\u{1b}[31m\\u{7}name)"), "{text}");
}

/// A file name with a line feed begins no line of its own.
#[test]
#[cfg(unix)]
fn notes_about_files_have_a_line_each() {
    let outputs = Outputs::new();
    let text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\h\\Process(a\nb)\\% Processor Time\"\n\
        \"02/20/2013 10:00:00.000\",\"1\"\n\"02/20/2013 10:00:01.000\",\"2\"\n";
    let path = outputs.write("a\u{202e}\nerror: b.csv", text);
    for command in ["list", "stats", "digest"] {
        let said = recount(&[command, &path]).stderr;
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.starts_with("note: ") && said.contains(r"a\u{202e}\u{a}error: b.csv: odd: "), "{said}");
    }
}

/// Nor must a file name, in an error.
#[test]
fn control_characters_in_file_names_are_shown_as_such() {
    let error = recount(&["info", "no\u{1b}[31msuch"]).failed();
    assert!(error.starts_with("error: no\\u{1b}[31msuch: "), "{error:?}");
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let log = sample("objects.blg");
    for arguments in [
        vec!["dump", log.as_str()],
        vec!["convert", &log, "-o", "-", "--format", "csv"],
        vec!["convert", &log, "-o", "-", "--format", "parquet"],
        vec!["convert", &log, "-o", "-", "--format", "arrow"],
    ] {
        let mut child = command()
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("running recount");
        let mut reader = BufReader::with_capacity(16, child.stdout.take().expect("a pipe"));
        reader.fill_buf().expect("some output");
        drop(reader);
        let mut errors = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("UTF-8");
        let code = child.wait().expect("an end").code();
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

/// Short output, to a pipe that is closed before it is written.
#[test]
fn a_reader_that_was_never_there_is_no_error() {
    let log = sample("objects.blg");
    for name in ["info", "list", "show", "top", "dump", "man"] {
        let arguments = if name == "man" { vec![name] } else { vec![name, &log] };
        let mut child = command()
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("running recount");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("an end");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), errors.as_ref()), (Some(0), ""), "{name}");
    }
}

/// What a command writes on a terminal of 80 columns. Other systems have no `setsid --ctty`.
#[cfg(target_os = "linux")]
fn on_terminal(arguments: &[&str]) -> String {
    let (mut terminal, screen) = terminal();
    let other = || screen.try_clone().expect("its other end");
    let mut child = std::process::Command::new("env")
        .args(["setsid", "--ctty", "--wait", "sh", "-c", "stty cols 80 rows 24 -onlcr; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_recount"))
        .args(arguments)
        .stdin(other())
        .stdout(other())
        .stderr(Stdio::null())
        .spawn()
        .expect("setsid");
    drop(screen);
    let mut written = Vec::new();
    // Where the other end is closed, reading fails.
    let _ended = terminal.read_to_end(&mut written);
    assert!(child.wait().expect("a child").success());
    String::from_utf8(written).expect("UTF-8")
}

/// A report fits into a terminal and a ticket: who and when, then sentences of whole words.
#[cfg(target_os = "linux")]
#[test]
fn a_report_fits_into_a_terminal() {
    let outputs = Outputs::new();
    let rows = (0..60)
        .map(|at| {
            format!("\"11/21/2026 12:{:02}:{:02}.000\",\"{}\"\n", at / 2, at % 2 * 30, [3, 91][at / 12 % 2])
        })
        .collect::<Vec<_>>()
        .concat();
    let path = outputs.write(
        "c.csv",
        format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEB1\\Processor(_Total)\\% Processor Time\"\n{rows}"),
    );
    let shown = on_terminal(&["-q", "report", &path]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "WEB1, 2026-11-21T12:00:00Z to 12:29:30", "{shown}");
    assert_eq!(
        lines[1], "info      Processor _Total: % Processor Time was 91 % on average for 6 min, the",
        "{shown}"
    );
    assert_eq!(lines[2], "          worst of 2 times (12 min in all), at most 91 %", "{shown}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(shown.contains("2026-11-21T12:05:30Z to"), "{shown}");
    // Elsewhere a finding is a line, without a heading.
    let text = recount(&["-q", "report", &path]).fine();
    assert!(text.starts_with("info      Processor _Total: % Processor Time was 91 % on average for 6 min, the worst of 2 times (12 min in all), at most 91 %"), "{text}");
}
