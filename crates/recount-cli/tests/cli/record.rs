//! `recount record`

use std::fs::File;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use recount::Timestamp;
use recount_capture::{CaptureError, Log, RecordKind};

#[cfg(target_os = "linux")]
use super::run::terminal;
use super::run::{Outputs, command, recount};

/// A log as the tests look at it.
pub(crate) struct Read {
    pub(crate) log: Log,
    pub(crate) blocks: Vec<(Timestamp, Vec<u8>)>,
    /// Kind of the event, and its bytes as text.
    pub(crate) events: Vec<(u16, String)>,
}

#[cfg(feature = "live-tests")]
const BEGIN: u16 = 1;
const END: u16 = 2;

/// Reads a log, which has to be sound and closed.
pub(crate) fn read(path: impl AsRef<Path>) -> Read {
    let path = path.as_ref();
    let log = Log::open(Box::new(File::open(path).expect("the log"))).expect("a log");
    assert!(log.is_closed() && log.health().is_sound(), "{}: {:?}", path.display(), log.health());
    let (mut blocks, mut events) = (Vec::new(), Vec::new());
    let done = log.for_each_record::<CaptureError>(|index, bytes| {
        let (time, kind) = log.record_info(index).expect("a record");
        let bytes = bytes.expect("a sound record");
        match kind {
            RecordKind::BLOCK => blocks.push((time, bytes.to_vec())),
            RecordKind::EVENT => {
                let number = u16::from_le_bytes([bytes[0], bytes[1]]);
                events.push((number, String::from_utf8_lossy(bytes).into_owned()));
            }
            // Those have tests of their own.
            RecordKind::PROCESSES | RecordKind::ENDED_PROCESSES => {}
            other => panic!("{other}"),
        }
        Ok(())
    });
    done.expect("a sound log");
    Read { log, blocks, events }
}

/// Waits until something is so. If it never is, the test runner ends the test.
#[expect(clippy::print_stderr, reason = "shown if the test is ended")]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let mut num_looks = 0_u32;
    while !is_so() {
        num_looks += 1;
        if num_looks.is_multiple_of(3_000) {
            eprintln!("waiting for {what}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn len_of(path: &str) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// A recording that continues until it is asked to end.
pub(crate) fn started(arguments: &[&str]) -> Child {
    started_every("20ms", arguments)
}

/// The same, at another pace.
pub(crate) fn started_every(interval: &str, arguments: &[&str]) -> Child {
    command()
        .args(["record", "--interval", interval, "-c", r"\System"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("running recount")
}

pub(crate) fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().expect("sh").success());
}

/// Exit code, standard output and standard error.
pub(crate) fn ended(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().expect("an end");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_number_of_samples() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    recount(&[
        "record",
        "-q",
        "-o",
        &path,
        "-c",
        r"\System",
        "--count",
        "4",
        "--interval",
        "10ms",
        "--sync",
        "each",
    ])
    .fine();
    assert_eq!(read(&path).blocks.len(), 4);
}

/// Before and after, whatever the interval; and the status is the command's.
#[test]
fn a_command() {
    let outputs = Outputs::new();
    for (number, (script, code)) in
        [("true", 0), ("false", 1), ("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)]
            .into_iter()
            .enumerate()
    {
        let path = outputs.path(&format!("{number}.rcap"));
        let script = format!("echo from the command; {script}");
        let words = ["record", "-o", &path, "-c", r"\System", "--interval", "10m", "--", "sh", "-c", &script];
        let done = recount(&words);
        assert_eq!(done.code, Some(code), "{script}: {}", done.stderr);
        assert_eq!(done.stdout, "from the command\n");
        assert!(done.stderr.starts_with(&format!("{path}: 2 samples, ")), "{}", done.stderr);
        let read = read(&path);
        assert_eq!(read.blocks.len(), 2);
        assert_eq!(read.log.facts()["command"], format!("sh -c {script}"));
        let [.., (END, end)] = &read.events[..] else { panic!("{:?}", read.events) };
        assert!(end.contains("the command ended: "), "{end}");
    }
}

/// As in shells; and nothing blocks the next attempt.
#[test]
fn a_command_that_can_not_be_run() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let done = recount(&["record", "-o", &path, "-c", r"\System", "--", "no-such-command-of-ours"]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(127), ""));
    assert!(done.stderr.starts_with("error: can't run no-such-command-of-ours: "), "{}", done.stderr);
    let directory = outputs.path("");
    assert_eq!(recount(&["record", "-o", &path, "-c", r"\System", "--", &directory]).code, Some(126));
    assert_eq!(outputs.files(), Vec::<String>::new());
}

#[test]
fn signals_end_it_cleanly() {
    for (name, reason) in [("TERM", "SIGTERM"), ("INT", "SIGINT")] {
        let outputs = Outputs::new();
        let path = outputs.path("a.rcap");
        let child = started(&["-o", &path]);
        let mut len = 0;
        until("a sample", || {
            // Growing: the head is written.
            let before = std::mem::replace(&mut len, len_of(&path));
            before > 0 && len > before
        });
        signal(&child, name);
        let (code, stdout, stderr) = ended(child);
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        let read = read(&path);
        assert!(stdout.starts_with(&format!("{path}: {} sample", read.blocks.len())), "{stdout}");
        let [.., (END, end)] = &read.events[..] else { panic!("{:?}", read.events) };
        assert!(end.ends_with(reason), "{end}");
    }
}

/// `SIGTERM` is meant for the command, too; `SIGINT` is its own affair.
#[test]
fn signals_while_a_command_runs() {
    let outputs = Outputs::new();
    let (path, mark) = (outputs.path("a.rcap"), outputs.path("mark"));
    let script = format!("trap 'exit 9' TERM; touch {mark}; while :; do sleep 0.05; done");
    let child = started(&["-o", &path, "--", "sh", "-c", &script]);
    until("the command runs", || Path::new(&mark).exists());
    for _ in 0..2 {
        signal(&child, "INT");
        std::thread::sleep(Duration::from_millis(50));
    }
    signal(&child, "TERM");
    assert_eq!(ended(child).0, Some(9));
    assert!(read(&path).blocks.len() >= 2);
}

/// Closing a terminal ends the recording started from it; otherwise it would continue unseen forever.
/// Other systems have no `setsid --ctty`.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_terminal_ends_it() {
    let (terminal, screen) = terminal();
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    // A test that was started by nohup ignores the signal, and so would its child.
    let mut child = std::process::Command::new("env")
        .args([
            "--default-signal=HUP",
            "setsid",
            "--ctty",
            env!("CARGO_BIN_EXE_recount"),
            "record",
            "--interval",
            "20ms",
            "-c",
            r"\System",
            "-o",
            &path,
        ])
        .stdin(screen)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("env");
    until("a sample", || len_of(&path) > 0);
    // Requested manually, it is still a new log.
    signal(&child, "HUP");
    until("a second log", || outputs.files().len() == 2);
    drop(terminal);
    let mut status = None;
    until("the end", || {
        status = child.try_wait().expect("a child");
        status.is_some()
    });
    assert_eq!(status.and_then(|status| status.code()), Some(0));
    let files = outputs.files();
    assert_eq!(files.len(), 2, "{files:?}");
    let last = files.iter().find(|file| *file != "a.rcap").expect("the second log");
    let read = read(outputs.path(last));
    let [.., (END, end)] = &read.events[..] else { panic!("{:?}", read.events) };
    assert!(end.ends_with("the terminal was closed (SIGHUP)"), "{end}");
}

#[test]
fn a_name_is_made_up() {
    let outputs = Outputs::new();
    let directory = outputs.path("");
    recount(&["record", "-o", &directory, "-c", r"\System", "--count", "1"]).fine();
    let files = outputs.files();
    let [file] = &files[..] else { panic!("{files:?}") };
    let log = read(outputs.path(file)).log;
    let host = &log.facts()["host"];
    assert!(file.starts_with(&format!("{host}-20")) && file.ends_with("Z.rcap"), "{file}");
}

#[test]
fn an_output_that_exists() {
    let outputs = Outputs::new();
    let path = outputs.write("a.rcap", "precious");
    let error = recount(&["record", "-o", &path, "--count", "1"]).failed();
    assert_eq!(
        error,
        format!("error: {path} already exists\nhint: choose another name, or --force to replace it\n")
    );
    assert_eq!(std::fs::read(&path).expect("the file"), b"precious");
    recount(&["record", "-o", &path, "-c", r"\System", "--count", "1", "--force"]).fine();
    assert_eq!(read(&path).blocks.len(), 1);
    let nowhere = outputs.path("none/a.rcap");
    let error = recount(&["record", "-o", &nowhere, "--count", "1"]).failed();
    assert!(error.starts_with(&format!("error: {nowhere}: the directory ")), "{error}");
    assert!(error.ends_with("\nhint: create it first, or choose another place\n"), "{error}");
}

#[test]
fn arguments_that_make_no_sense() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let letter = outputs.write("letter.txt", "Dear reader");
    for (arguments, told) in [
        (vec!["--profile", "everything"], "there are: default, minimal, processes, full"),
        (vec!["--interval", "9ms"], "the interval must be at least 10ms"),
        (vec!["--interval", "soon"], "expected a duration such as 15s, 5m or 1h30m"),
        (vec!["--count", "0"], "invalid value '0' for '--count <N>'"),
        (vec!["--keep", "0"], "invalid value '0' for '--keep <N>'"),
        (vec!["--max-size", "big"], "write a size like 500kB, 100MB or 1GiB"),
        (vec!["--sync", "never"], "write each, none, or seconds: 5 or 500ms"),
        (vec!["--for", "1s", "--", "true"], "cannot be used with"),
        (vec!["--source", "x.bin", "-c", "x"], "cannot be used with"),
        (vec!["-c", r"\No Such Object"], "no object matches what was asked for; there are: "),
        (vec!["--names", &letter], "--names is for --source"),
        (vec!["--source", "nosuch.bin"], "nosuch.bin: "),
        (vec!["--source", &letter], "letter.txt: not a capture that recount reads: "),
    ] {
        let error = recount(&[&["record", "-o", &path][..], &arguments].concat()).failed();
        assert!(error.starts_with("error: ") && error.contains(told), "{arguments:?}: {error}");
    }
    assert_eq!(outputs.files(), ["letter.txt"]);
}

/// A full disk: what was written is safe, and the message says so.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_may_not_grow() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    // The shell limits the size of files in blocks of 512 or 1024 bytes, and ignores the signal for exceeding it.
    let script = format!(
        "trap '' XFSZ; ulimit -f 64; exec {} record -o {path} --interval 10ms --for 1h -c '\\System'",
        env!("CARGO_BIN_EXE_recount")
    );
    let output = std::process::Command::new("sh").args(["-c", &script]).output().expect("sh");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.starts_with("error: writing failed: ") && error.contains(" written, the last of "),
        "{error}"
    );
    let log = Log::open(Box::new(File::open(&path).expect("the log"))).expect("a log");
    let num_blocks = (0..log.num_records())
        .filter(|index| log.record_info(*index).is_some_and(|(_, kind)| kind == RecordKind::BLOCK))
        .count();
    let told = if num_blocks == 1 {
        "the sample of".to_owned()
    } else {
        format!("; {num_blocks} samples are written")
    };
    assert!(error.contains(&told), "{num_blocks}: {error}");
}

#[test]
fn what_is_to_be_replaced_stays_until_something_is_in_its_place() {
    let outputs = Outputs::new();
    let log = outputs.write("kept.rcap", "an older log");
    let done = recount(&["record", "-q", "-o", &log, "-c", r"\System", "--force", "--", "/no/such/command"]);
    assert_eq!(done.code, Some(127), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(&log).expect("still there"), "an older log");
    recount(&["record", "-q", "-o", &log, "--force", "--count", "1", "-c", r"\System\*"]).fine();
    assert_eq!(read(&log).blocks.len(), 1);
    let others = std::fs::read_dir(Path::new(&log).parent().expect("directory")).expect("listed").count();
    assert_eq!(others, 1, "nothing is left beside it");
}

#[cfg(unix)]
#[test]
fn a_log_that_is_being_written_is_neither_replaced_nor_repaired() {
    let outputs = Outputs::new();
    let log = outputs.path("now.rcap");
    let recorder = started(&["-o", &log]);
    until("a log", || len_of(&log) > 0);
    let error = recount(&["record", "-o", &log, "--force", "--count", "1"]).failed();
    assert!(error.contains("now.rcap is not replaced: another recorder is writing it"), "{error}");
    let error = recount(&["repair", &log, "--force"]).failed();
    assert!(error.contains("now.rcap: a recorder is writing it"), "{error}");
    signal(&recorder, "INT");
    assert_eq!(ended(recorder).0, Some(0));
    assert!(!read(&log).blocks.is_empty());
    recount(&["record", "-q", "-o", &log, "-c", r"\System", "--force", "--count", "1"]).fine();
}

#[test]
fn only_an_ordinary_file_can_be_written() {
    for (output, told) in [("-", "-: a log can only be"), ("/dev/null", "/dev/null is not a regular file")] {
        let error = recount(&["record", "-o", output, "--force", "--count", "1"]).failed();
        assert!(error.contains(told), "{error}");
    }
}

mod stored {
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_replay_of_the_real_dump() {
        let outputs = Outputs::new();
        let dump =
            recount_testdata::shared_path("perf-data-block/process-165-instances.bin").display().to_string();
        let (path, names) = (outputs.path("a.rcap"), outputs.write("names.txt", "230\nProcess\n"));
        let told = recount(&["record", "--source", &dump, "--names", &names, "-o", &path]).fine();
        let read = read(&path);
        assert!(told.starts_with(&format!("{path}: {} sample", read.blocks.len())), "{told}");
        let bytes = recount_testdata::shared("perf-data-block/process-165-instances.bin");
        let all: Vec<u8> = read.blocks.iter().flat_map(|(_, block)| block.clone()).collect();
        assert!(!all.is_empty() && bytes.starts_with(&all));
        let perf_time = i64::from_le_bytes(bytes[72..80].try_into().expect("8 bytes"));
        assert_eq!(read.blocks[0].0, Timestamp(perf_time));
        assert_eq!(read.log.texts()["009"].get(230), Some("Process"));
        assert!(read.log.facts()["source"].ends_with(&dump));
        assert!(!read.log.facts().contains_key("interval"));
    }
}

/// These record this machine.
#[cfg(feature = "live-tests")]
mod live {
    use super::*;

    #[test]
    fn for_a_second() {
        let outputs = Outputs::new();
        let path = outputs.path("a.rcap");
        let told = recount(&["record", "-o", &path, "--for", "1s", "--interval", "100ms"]).fine();
        let read = read(&path);
        assert!(told.starts_with(&format!("{path}: {} samples, ", read.blocks.len())), "{told}");
        // A machine under load misses some, and says so.
        assert!((3..=11).contains(&read.blocks.len()), "{}", read.blocks.len());
        assert!(read.blocks.len() == 11 || told.contains("missed"), "{told}");
        let span = read.blocks.last().expect("a sample").0.seconds_since(read.blocks[0].0);
        assert!((0.95..30.0).contains(&span), "{span}");
        assert!(read.blocks.iter().all(|(_, block)| block.starts_with(b"P\0E\0R\0F\0")));
        assert_eq!(
            (read.events.first().map(|e| e.0), read.events.last().map(|e| e.0)),
            (Some(BEGIN), Some(END))
        );
        let facts = read.log.facts();
        assert_eq!(facts["recorder"], format!("recount {}", env!("CARGO_PKG_VERSION")));
        assert_eq!(facts["interval"], "100ms");
        assert_eq!(facts["settings"], "profile default, sync every 5s, for 1s");
        assert!(!facts["host"].is_empty());
        assert!(read.log.texts().contains_key("009"));
    }

    #[test]
    fn a_command_is_recorded_while_it_runs() {
        let outputs = Outputs::new();
        let path = outputs.path("a.rcap");
        let done = recount(&["record", "-o", &path, "--interval", "20ms", "--", "sleep", "0.5"]);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let blocks = read(&path).blocks;
        assert!(blocks.len() > 3, "{}", blocks.len());
        assert!(blocks.last().expect("a sample").0.seconds_since(blocks[0].0) >= 0.5);
    }

    #[test]
    fn hanging_up_begins_the_next_log() {
        let outputs = Outputs::new();
        let path = outputs.path("web1.rcap");
        let child = started(&["-o", &path]);
        for num_logs in 1..=3 {
            until("a log", || {
                outputs.files().len() == num_logs
                    && outputs.files().iter().all(|f| len_of(&outputs.path(f)) > 0)
            });
            std::thread::sleep(Duration::from_millis(100));
            if num_logs < 3 {
                signal(&child, "HUP");
            }
        }
        signal(&child, "TERM");
        let (code, stdout, stderr) = ended(child);
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        assert!(stdout.contains(" (3 logs): "), "{stdout}");
        let files = outputs.files();
        assert!(files.contains(&"web1.rcap".to_owned()), "{files:?}");
        // Each is a whole log, and together they are one time line.
        let logs: Vec<Read> = files.iter().map(|file| read(outputs.path(file))).collect();
        let mut spans: Vec<_> =
            logs.iter().map(|log| (log.blocks[0].0, log.blocks.last().expect("a sample").0)).collect();
        spans.sort();
        assert!(spans.is_sorted_by(|one, next| one.1 < next.0), "{spans:?}");
        assert!(logs.iter().all(|log| log.log.facts()["host"] == logs[0].log.facts()["host"]));
    }

    /// The newest are kept, and other files aren't touched.
    #[test]
    fn rotation_keeps_the_newest() {
        let outputs = Outputs::new();
        for other in ["web1-old.rcap", "web12-20200101T000000Z.rcap", "web1.rcap"] {
            outputs.write(other, "other");
        }
        outputs.write("web1-20200101T000000Z.rcap", "not a log");
        let path = outputs.path("web1.rcap");
        let arguments = ["--rotate", "40ms", "--keep", "3", "--count", "12", "--interval", "20ms"];
        let told = recount(&[&["record", "-o", &path][..], &arguments].concat()).fine();
        let number = |before: &str, behind: &str| -> Option<u32> {
            let text = told.split_once(before)?.1.split_once(behind)?.0;
            text.rsplit(' ').next()?.parse().ok()
        };
        let (kept, deleted) = (number(" (3 logs): ", " samples, "), number(", ", " deleted with older logs"));
        assert_eq!(kept.zip(deleted).map(|(kept, deleted)| kept + deleted), Some(12), "{told}");
        let files = outputs.files();
        let (ours, others): (Vec<&String>, Vec<&String>) =
            files.iter().partition(|file| file.starts_with("web1-2") && !file.starts_with("web1-2020"));
        assert_eq!(others.len(), 4, "{others:?}");
        assert_eq!(ours.len(), 3);
        // Two, and one more in a log whose first sample was late: its age is counted from there.
        for file in ours {
            let num_samples = read(outputs.path(file)).blocks.len();
            assert!((1..=3).contains(&num_samples), "{file} has {num_samples} samples");
        }
    }

    /// Read together, the logs of a recording are one time line: only its very first sample has no sample before it.
    #[test]
    fn the_logs_of_a_series_continue_each_other() {
        let outputs = Outputs::new();
        let arguments = ["--rotate", "60ms", "--count", "12", "--interval", "20ms", "-c", r"\System"];
        recount(&[&["record", "-o", &outputs.path("web1.rcap")][..], &arguments].concat()).fine();
        assert!(outputs.files().len() >= 3, "{:?}", outputs.files());
        // On a busy machine samples are missed, and the log reports it.
        let done = recount(&["show", "--json", &outputs.path(""), r"\System\Context Switches/sec"]);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let told = done.stdout;
        let series: serde_json::Value = serde_json::from_str(&told).expect("JSON");
        assert_eq!((&series[0]["num_values"], &series[0]["num_nulls"]), (&11.into(), &1.into()), "{told}");
    }

    #[test]
    fn a_word_chooses_objects_by_their_names() {
        let outputs = Outputs::new();
        let log = outputs.path("memory.rcap");
        recount(&["record", "-q", "-o", &log, "-c", "memory", "-c", r"\Thread(*)\*", "--count", "2"]).fine();
        let listed = recount(&["list", &log, r"\Thread(*)\ID Thread"]);
        // Threads bring their processes, whose names precede theirs even if only threads are requested.
        assert!(listed.stdout.contains(r"\Thread(recount/0)\ID Thread"), "{}", listed.stdout);
        let objects = recount(&["info", &log]).stdout;
        assert!(objects.contains("object              Memory: "), "{objects}");
        assert!(!objects.contains("object              Processor"), "{objects}");
        let none = recount(&["record", "-o", &outputs.path("none.rcap"), "-c", "zzzz"]).failed();
        assert!(none.contains("no object matches what was asked for"), "{none}");
    }

    #[test]
    fn as_countersets() {
        let outputs = Outputs::new();
        let log = outputs.path("live.rcap");
        let arguments = [
            "record",
            "--as",
            "v2",
            "-o",
            &log,
            "--count",
            "3",
            "--interval",
            "50ms",
            "-c",
            "processor",
            "-c",
            "memory",
        ];
        let text = recount(&arguments).fine();
        assert!(text.contains("3 samples"), "{text}");
        let info = recount(&["info", &log]).fine();
        assert!(info.contains("as countersets") && info.contains("Processor: 10 counters"), "{info}");
        assert!(!info.contains("Process:"), "{info}");
        let show = recount(&["show", &log, r"\Memory\Physical Bytes"]);
        assert!(matches!(show.code, Some(0 | 1)), "{show:?}");
        // The names are those of the classic form.
        let classic = outputs.path("classic.rcap");
        recount(&["record", "-o", &classic, "--count", "1", "-c", "processor", "-c", "memory"]).fine();
        let sorted = |log: &str| {
            let list = recount(&["list", log]).fine();
            let mut lines: Vec<String> = list.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&log), sorted(&classic));
    }
}
