//! `recount top`, and the sparklines of `recount show`, in a real terminal: tmux.
#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use recount::analysis::shown::quantity;
use serde_json::Value;

const RECOUNT: &str = env!("CARGO_BIN_EXE_recount");
const PATIENCE: Duration = Duration::from_mins(1);

/// A separate terminal, which is closed when this is dropped.
struct Terminal {
    directory: tempfile::TempDir,
}

impl Terminal {
    /// Runs a command of the shell in a terminal of some columns and 40 lines.
    fn run(command: &str, columns: u16, locale: &str) -> Terminal {
        let terminal = Terminal { directory: tempfile::tempdir().expect("a directory") };
        let script = format!("export LC_ALL={locale}; {command}; echo \"ended $?\"; sleep 600");
        let columns = columns.to_string();
        let arguments = ["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", "40", &script];
        terminal.tmux(&arguments);
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .arg("-S")
            .arg(self.directory.path().join("socket"))
            // UTF-8, whatever the locale of the tests is.
            .arg("-u")
            .args(arguments)
            .env_remove("TMUX")
            .output()
            .expect("tmux, which .ci/run installs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    fn screen(&self) -> Vec<String> {
        self.tmux(&["capture-pane", "-p"]).lines().map(|line| line.trim_end().to_owned()).collect()
    }

    /// The screen, once it is as wanted.
    fn until(&self, what: &str, is_so: impl Fn(&[String]) -> bool) -> Vec<String> {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "{what}: {screen:#?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn until_text(&self, text: &str) -> Vec<String> {
        self.until(text, |screen| screen.iter().any(|line| line.contains(text)))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let socket = self.directory.path().join("socket");
        // It is gone already if nothing runs in it.
        let _ = Command::new("tmux").arg("-S").arg(socket).arg("kill-server").stderr(Stdio::null()).status();
    }
}

fn tx_basic() -> String {
    recount_testdata::shared_path("blg/tx-basic.blg").display().to_string()
}

/// Number of the sample that is shown, and how many there are.
fn sample(screen: &[String]) -> Option<(usize, usize)> {
    let (_, numbers) = screen.first()?.rsplit_once("sample ")?;
    let (number, of) = numbers.split_once(" of ")?;
    Some((number.parse().ok()?, of.parse().ok()?))
}

/// The newest values that `show` has up to a time, by instance and id.
fn shown(file: &str, object: &str, counter: &str, end: &str) -> Vec<(String, Option<u64>, Option<f64>)> {
    let pattern = format!(r"\{object}(*)\{counter}");
    let output = Command::new(RECOUNT)
        .args(["show", "--json", file, &pattern, "--end", end])
        .output()
        .expect("running recount");
    let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let name = |path: &str| {
        let (_, rest) = path.split_once('(').expect("an instance");
        rest.split_once(&format!(r")\{counter}")).expect("a counter").0.to_owned()
    };
    let all = all.as_array().expect("all").iter();
    let row = |one: &Value| {
        let instance = name(one["path"].as_str().expect("a path"));
        (instance, one["instance_id"].as_u64(), one["newest"].as_f64())
    };
    all.map(row).collect()
}

/// The time of sample `number` (from 1), in UTC.
fn time_of(file: &str, number: usize) -> String {
    let capture = recount::open(file).expect("a capture");
    capture.source.times()[number - 1].utc.to_string()
}

/// Asserts that the screen has the values of `show`, for each instance in its first words, and of processes of one name by their
/// ids.
fn assert_values(screen: &[String], file: &str, object: &str, counter: &str, unit: &str) {
    let (number, _) = sample(screen).expect("a sample");
    let mut num_compared = 0;
    for (instance, id, value) in shown(file, object, counter, &time_of(file, number)) {
        let is_of = |line: &&String| {
            let words = line[1..].trim_start().strip_prefix(&format!("{instance} "));
            let first = words.and_then(|words| words.split_whitespace().next());
            first.is_some() && id.is_none_or(|id| first == Some(&id.to_string()))
        };
        let line = screen.iter().skip(3).find(is_of);
        let (Some(line), Some(value)) = (line, value) else { continue };
        let text = quantity(value, unit);
        assert!(line.contains(&format!(" {text}")), "{instance}: {text}: {line}\n{screen:#?}");
        num_compared += 1;
    }
    assert!(num_compared >= 2, "{screen:#?}");
}

#[test]
fn samples_of_a_windows_log_are_those_of_show() {
    let file = tx_basic();
    let terminal =
        Terminal::run(&format!("{RECOUNT} top {file} --object Processor --at +5m"), 160, "C.UTF-8");
    let screen = terminal.until("a table", |screen| sample(screen).is_some());
    let (first, of) = sample(&screen).expect("a sample");
    assert!(screen[0].starts_with("Processor ") && first > 1 && of > first, "{screen:#?}");
    for (key, expected) in
        [("t", first + 1), ("t", first + 2), ("T", first + 1), ("Home", 1), ("t", 2), ("End", of)]
    {
        terminal.press(&[key]);
        let screen = terminal.until("a step", |screen| sample(screen) == Some((expected, of)));
        if expected > 1 {
            assert_values(&screen, &file, "Processor", "% Processor Time", "%");
        }
    }
    terminal.press(&["b", "+5m", "Enter"]);
    terminal.until("a jump", |screen| sample(screen) == Some((first, of)));
    terminal.press(&["o", "disk", "Enter"]);
    let screen = terminal.until("another object", |screen| screen[0].starts_with("PhysicalDisk "));
    assert_eq!(sample(&screen), Some((first, of)));
    terminal.press(&["?"]);
    terminal.until_text("Any key goes back.");
    terminal.press(&["x", "q"]);
    terminal.until_text("ended 0");
}

fn record(path: &str, seconds: u32) -> Child {
    let length = format!("{seconds}s");
    Command::new(RECOUNT)
        .args(["record", "-q", "-o", path, "--for", &length])
        .stdout(Stdio::null())
        .spawn()
        .expect("a recorder")
}

#[test]
fn a_log_that_grows_is_followed() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.rcap").display().to_string();
    let mut recorder = record(&path, 25);
    let begun = Instant::now();
    while recount::open(&path).map_or(0, |capture| capture.source.times().len()) < 3 {
        assert!(begun.elapsed() < PATIENCE, "no samples");
        std::thread::sleep(Duration::from_millis(100));
    }
    let terminal = Terminal::run(&format!("{RECOUNT} top {path}"), 160, "C.UTF-8");
    let newest = |screen: &[String]| sample(screen).is_some_and(|(number, of)| number == of);
    let before = terminal.until("the newest", newest);
    let (_, of_before) = sample(&before).expect("a sample");
    terminal.until("it goes along", |screen| newest(screen) && sample(screen) > Some((of_before + 1, 0)));
    // In the past, it keeps its place, but notices new samples.
    terminal.press(&["T", "T"]);
    let back =
        terminal.until("two steps back", |screen| sample(screen).is_some_and(|(number, of)| number < of));
    let (number, of) = sample(&back).expect("a sample");
    let later = terminal.until("more came", |screen| sample(screen).is_some_and(|(_, now)| now > of + 1));
    let (still, _) = sample(&later).expect("a sample");
    assert!(still == number || still + 1 == number, "{number} {still}");
    assert!(recorder.wait().expect("an end").success());
    terminal.press(&["End"]);
    let whole = recount::open(&path).expect("a log").source.times().len();
    let screen = terminal.until("the last", |screen| sample(screen) == Some((whole, whole)));
    assert_values(&screen, &path, "Process", "Working Set", "bytes");
    terminal.press(&["q"]);
    terminal.until_text("ended 0");
}

/// However it ends, what was on the terminal before is there again, and it echoes what is typed.
#[test]
fn the_terminal_is_left_as_it_was() {
    let file = tx_basic();
    for (end, code) in [("q", "ended 0"), ("C-c", "ended 0"), ("TERM", "ended 143")] {
        let directory = tempfile::tempdir().expect("a directory");
        let id = directory.path().join("id");
        let command = format!(
            "echo before; sh -c 'echo $$ > {}; exec {RECOUNT} top {file}'; echo \"ended $?\"; stty -a",
            id.display()
        );
        let terminal = Terminal::run(&command, 120, "C.UTF-8");
        terminal.until("a table", |screen| sample(screen).is_some());
        assert!(!terminal.screen().iter().any(|line| line == "before"));
        if end == "TERM" {
            let id = std::fs::read_to_string(&id).expect("an id");
            assert!(Command::new("kill").args(["-TERM", id.trim()]).status().expect("kill").success());
        } else {
            terminal.press(&[end]);
        }
        let screen = terminal.until_text(code);
        assert_eq!(screen.first().map(String::as_str), Some("before"), "{end}: {screen:#?}");
        let screen = terminal.until_text("icanon");
        let words: Vec<&str> = screen.iter().flat_map(|line| line.split_whitespace()).collect();
        assert!(
            words.contains(&"echo") && words.contains(&"icanon") && words.contains(&"isig"),
            "{screen:#?}"
        );
    }
}

#[test]
fn a_terminal_that_is_too_small_says_so_until_it_is_larger() {
    let file = tx_basic();
    let terminal = Terminal::run(&format!("{RECOUNT} top {file}"), 30, "C.UTF-8");
    terminal.until_text("recount top needs");
    terminal.tmux(&["resize-window", "-x", "100", "-y", "20"]);
    terminal.until("a table", |screen| sample(screen).is_some());
}

/// A block per part of the time, where there is room, and where the terminal can show it.
#[test]
fn show_has_sparklines_on_terminals() {
    let file = tx_basic();
    let command = format!("{RECOUNT} show {file} '\\Processor(*)\\% Processor Time'");
    let terminal = Terminal::run(&command, 180, "C.UTF-8");
    let screen = terminal.until_text("ended 0");
    assert!(screen[0].ends_with("  over time"), "{screen:#?}");
    let blocks = |line: &str| line.chars().filter(|c| ('▁'..='█').contains(c)).count();
    let rows = screen.iter().filter(|line| line.starts_with(r"\\")).collect::<Vec<_>>();
    assert!(rows.len() >= 2 && rows.iter().all(|line| (16..=32).contains(&blocks(line))), "{screen:#?}");
    assert!(rows.iter().all(|line| line.contains('█')), "the largest value is the highest block");
    for (columns, locale) in [(100, "C.UTF-8"), (180, "C")] {
        let terminal = Terminal::run(&command, columns, locale);
        let screen = terminal.until_text("ended 0").concat();
        assert_eq!(blocks(&screen), 0, "{columns} {locale}: {screen}");
    }
}

#[test]
fn a_locale_without_utf8_gets_ascii() {
    let file = tx_basic();
    let terminal = Terminal::run(&format!("{RECOUNT} top {file} --object Processor"), 120, "C");
    let screen = terminal.until("a sparkline", |screen| {
        screen.get(2).is_some_and(|line| line.contains('#')) && sample(screen).is_some()
    });
    assert!(screen.concat().is_ascii(), "{screen:#?}");
    terminal.press(&["?"]);
    let screen = terminal.until_text("Any key goes back.");
    assert!(screen.concat().is_ascii(), "{screen:#?}");
    terminal.press(&["x", "q"]);
    terminal.until_text("ended 0");
}
