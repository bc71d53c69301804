//! `recount mark` of logs that are being written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use recount_capture::{Log, verify};

use super::mark::marks;
use super::record::{ended, signal, started, started_every, until};
use super::run::{Outputs, command, recount};

fn texts(path: &str) -> Vec<String> {
    marks(path).into_iter().map(|(text, _)| text).collect()
}

fn open(path: &str) -> Log {
    Log::open(Box::new(std::fs::File::open(path).expect("the log"))).expect("a log")
}

fn has_sample(path: &str) -> bool {
    let file = std::fs::File::open(path);
    file.is_ok_and(|file| Log::open(Box::new(file)).is_ok_and(|log| log.num_records() > 1))
}

#[test]
fn the_recorder_takes_it_in_under_the_time_that_it_was_made_at() {
    for form in ["blocks", "v2"] {
        let outputs = Outputs::new();
        let path = outputs.path("a.rcap");
        let child = started(&["-o", &path, "--as", form]);
        until("a sample", || has_sample(&path));
        let before = recount::Timestamp::from_jiff(jiff::Timestamp::now());
        let told = recount(&["mark", &path, "deploy v42"]).fine();
        let after = recount::Timestamp::from_jiff(jiff::Timestamp::now());
        assert!(told.contains("a.rcap.marks until the recorder adds it"), "{told}");
        until("it is in the log", || open(&path).marks().is_ok_and(|marks| marks.len() == 1));
        let mark = open(&path).marks().expect("read").remove(0);
        assert!(mark.text == "deploy v42" && mark.time >= before && mark.time <= after, "{mark:?}");
        until("nothing waits", || !Path::new(&outputs.path("a.rcap.marks")).exists());
        signal(&child, "TERM");
        assert_eq!(ended(child).0, Some(0));
        assert_eq!(texts(&path), ["deploy v42"]);
        let found = verify(Box::new(std::fs::read(&path).expect("there"))).expect("a log");
        assert!(found.is_closed && found.health.is_sound(), "{:?}", found.health);
    }
}

/// Following a log from a mark on shows nothing until the mark exists.
#[test]
fn a_log_is_followed_from_a_mark_that_is_yet_to_come() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let recorder = started(&["-o", &path]);
    until("a sample", || has_sample(&path));
    let follower = command()
        .args(["show", "-f", &path, r"\System\Processes", "--begin", "mark:go"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("running recount");
    std::thread::sleep(Duration::from_millis(500));
    recount(&["mark", "-q", &path, "go"]).fine();
    std::thread::sleep(Duration::from_millis(500));
    signal(&recorder, "TERM");
    ended(recorder);
    let (code, stdout, _) = ended(follower);
    let time = |text: &str| text.parse::<jiff::Timestamp>().expect(text);
    let mark = time(&marks(&path)[0].1);
    let times: Vec<_> = stdout.lines().map(|line| time(line.split('\t').next().expect("a time"))).collect();
    assert_eq!(code, Some(0));
    assert!(!times.is_empty() && times.iter().all(|time| *time >= mark), "{mark}: {stdout}");
}

/// The mark is visible immediately even if no sample is taken for a long time; a recorder that ends adds it.
#[test]
fn it_counts_before_it_is_taken_in() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let child = started_every("10m", &["-o", &path]);
    until("a sample", || has_sample(&path));
    recount(&["mark", "-q", &path, "waits"]).fine();
    recount(&["mark", "-q", &path, "waits, too", "--at", "-1s"]).fine();
    assert!(open(&path).marks().expect("read").is_empty());
    assert_eq!(texts(&path), ["waits, too", "waits"]);
    let show = recount(&["show", "--json", &path, "--end", "mark:waits", r"\System\*"]);
    assert_eq!(show.code, Some(0), "{}", show.stderr);
    signal(&child, "TERM");
    assert_eq!(ended(child).0, Some(0));
    assert_eq!(open(&path).marks().expect("read").len(), 2);
    assert_eq!(outputs.files(), ["a.rcap"]);
}

/// A mark that a killed recorder didn't add keeps waiting: it is read, and a repair adds it. One that was written but
/// not yet deleted counts once.
#[test]
fn a_killed_recorder() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    let mut child = started_every("10m", &["-o", &path]);
    until("a sample", || has_sample(&path));
    recount(&["mark", "-q", &path, "one"]).fine();
    child.kill().expect("killed");
    child.wait().expect("ended");
    let values = || recount(&["show", "--json", &path]).stdout;
    let before = values();
    recount(&["mark", "-q", &path, "two"]).fine();
    assert_eq!(texts(&path), ["one", "two"]);
    assert_eq!(outputs.files().len(), 3);
    let waiting = outputs.files().into_iter().find(|file| file.starts_with("a.rcap.marks/")).expect("a mark");
    let request = std::fs::read(outputs.path(&waiting)).expect("there");

    let error = recount(&["repair", &path]).failed();
    assert!(error.contains("its recorder may still be running"), "{error}");
    let elsewhere = outputs.path("b.rcap");
    let told = recount(&["repair", &path, "-o", &elsewhere]).fine();
    assert!(told.contains("\n  marks: added 2 marks that waited next to the log\n"), "{told}");
    assert_eq!((texts(&elsewhere), texts(&path)), (vec!["one".into(), "two".into()], texts(&elsewhere)));
    assert_eq!(outputs.files().len(), 4, "they still wait for the log itself");

    let file = std::fs::File::options().write(true).open(&path).expect("there");
    file.set_modified(SystemTime::now() - Duration::from_hours(1)).expect("set");
    assert!(recount(&["repair", &path]).fine().contains("\n  marks: added 2 marks that waited"));
    assert_eq!(outputs.files(), ["a.rcap", "a.rcap.bak", "b.rcap"]);
    assert_eq!((texts(&path), values()), (vec!["one".into(), "two".into()], before));
    assert_eq!(recount(&["verify", &path]).code, Some(0));

    // As if it had been killed between the two.
    std::fs::create_dir(outputs.path("a.rcap.marks")).expect("made");
    outputs.write(&waiting, request);
    assert_eq!(texts(&path), ["one", "two"]);
    recount(&["mark", "-q", &path, "three"]).fine();
    assert_eq!(texts(&path), ["one", "two", "three"]);
    assert_eq!(open(&path).marks().expect("read").len(), 3);
    assert_eq!(open(&path).num_records(), open(&elsewhere).num_records() + 1);
    assert_eq!(outputs.files(), ["a.rcap", "a.rcap.bak", "b.rcap"]);
}

/// A sound log with marks waiting next to it, as an older recorder leaves it.
#[test]
fn a_repair_takes_marks_into_a_sound_log() {
    let outputs = Outputs::new();
    let path = outputs.path("a.rcap");
    recount(&["record", "-q", "-o", &path, "--count", "2", "--interval", "10ms"]).fine();
    let closed = std::fs::read(&path).expect("there");
    std::fs::write(&path, &closed[..closed.len() - 1]).expect("written");
    recount(&["mark", "-q", &path, "left"]).fine();
    std::fs::write(&path, &closed).expect("written");
    let told = recount(&["repair", &path]).fine();
    assert_eq!(told, format!("{path}: sound and closed; added 1 mark that waited next to it\n"));
    assert_eq!(open(&path).marks().expect("read").len(), 1);
    assert!(std::fs::read(&path).expect("there").starts_with(&closed));
    assert_eq!(outputs.files(), ["a.rcap"]);
}

/// The mark goes to the log that is being written, whichever name of it is given.
#[test]
fn a_series() {
    let outputs = Outputs::new();
    let path = outputs.path("web1.rcap");
    let child = started(&["-o", &path]);
    until("a sample", || has_sample(&path));
    signal(&child, "HUP");
    until("the next log", || outputs.files().len() == 2);
    let newest = outputs.files().into_iter().find(|file| file != "web1.rcap").expect("a log");
    let newest = outputs.path(&newest);
    until("a sample", || has_sample(&newest));
    let first = marks(&path).len();
    let told = recount(&["mark", &path, "now"]).fine();
    assert!(told.starts_with(&format!("{newest}: ")), "{told}");
    // Of another time it is the log's own affair.
    recount(&["mark", "-q", &path, "then", "--at", "+0s"]).fine();
    std::fs::rename(&path, outputs.path("elsewhere.rcap")).expect("renamed");
    let told = recount(&["mark", &path, "by the name of the series"]).fine();
    assert!(told.starts_with(&format!("{newest}: ")), "{told}");
    signal(&child, "TERM");
    ended(child);
    assert_eq!(first, 0);
    assert_eq!(texts(&outputs.path("elsewhere.rcap")), ["then"]);
    assert_eq!(texts(&newest), ["now", "by the name of the series"]);
    // It is no longer being written, but it is the last one.
    recount(&["mark", "-q", &path, "after the end"]).fine();
    assert_eq!(texts(&newest).len(), 3);
    assert_eq!(outputs.files().len(), 2);
}

/// Killed at any moment, with marks waiting, partly added or being made: each finished mark is there exactly once,
/// before and after the repair.
#[test]
fn killed_at_any_moment() {
    let (mut num_waiting, mut num_taken) = (0, 0);
    for attempt in 0..12_u64 {
        let outputs = Outputs::new();
        let path = outputs.path("a.rcap");
        let mut child = started_every("10ms", &["-o", &path]);
        until("a sample", || has_sample(&path));
        let mut made = Vec::new();
        let marking = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                for number in 0..15 {
                    recount::mark(Path::new(&path), &format!("{number:02}"), None).expect("marked");
                    made.push(format!("{number:02}"));
                    std::thread::sleep(Duration::from_millis(3));
                }
            });
            std::thread::sleep(Duration::from_micros(attempt * 6_131 % 50_000));
            child.kill().expect("killed");
            child.wait().expect("ended");
            thread.join()
        });
        marking.expect("no panic");
        let in_log = open(&path).marks().expect("read").len();
        num_taken += in_log;
        num_waiting += made.len() - in_log;
        assert_eq!(texts(&path), made, "{attempt}");
        let done = recount(&["repair", "--force", &path]);
        assert!(done.code.is_some_and(|code| code < 2), "{}", done.stderr);
        let mut in_log: Vec<String> =
            open(&path).marks().expect("read").into_iter().map(|mark| mark.text).collect();
        in_log.sort();
        assert_eq!(in_log, made, "{attempt}");
        assert_eq!(outputs.files(), ["a.rcap", "a.rcap.bak"]);
        assert_eq!(recount(&["verify", &path]).code, Some(0));
    }
    // Or the kills were no test of anything.
    assert!(num_waiting > 2 && num_taken > 2, "{num_waiting} waiting, {num_taken} taken in");
}

/// Marks from several sides while logs are begun and closed all the time: each ends up in one log, once.
#[test]
fn no_mark_is_lost_however_it_falls() {
    const NUM_THREADS: usize = 3;
    const NUM_MARKS: usize = 60;
    let outputs = Outputs::new();
    let path = outputs.path("web1.rcap");
    let child = started_every("10ms", &["-o", &path, "--rotate", "30ms"]);
    until("a log", || !outputs.files().is_empty());
    std::thread::scope(|scope| {
        for thread in 0..NUM_THREADS {
            let path = PathBuf::from(&path);
            scope.spawn(move || {
                for number in 0..NUM_MARKS {
                    let text = format!("{thread} {number}");
                    recount::mark(&path, &text, None).expect("marked");
                    std::thread::sleep(Duration::from_millis(7));
                }
            });
        }
        scope.spawn(|| {
            // The last marks find no writer.
            std::thread::sleep(Duration::from_millis(7) * NUM_MARKS as u32);
            signal(&child, "TERM");
        });
    });
    assert_eq!(ended(child).0, Some(0));
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let files = outputs.files();
    assert!(files.len() > 5 && files.iter().all(|file| file.ends_with("Z.rcap") || file.contains("Z_")));
    for file in &files {
        let bytes = std::fs::read(outputs.path(file)).expect("a log");
        let log = Log::open(Box::new(bytes.clone())).expect("a log");
        for mark in log.marks().expect("read") {
            *found.entry(mark.text).or_default() += 1;
        }
        let verified = verify(Box::new(bytes)).expect("a log");
        assert!(verified.is_closed && verified.health.is_sound(), "{file}: {:?}", verified.health);
    }
    let expected = (0..NUM_THREADS).flat_map(|thread| (0..NUM_MARKS).map(move |at| format!("{thread} {at}")));
    assert_eq!(found, expected.map(|text| (text, 1)).collect());
}
