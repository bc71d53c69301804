//! `recount record` when other programs touch its log, when the disk is full, and what it keeps to itself.

#![cfg(unix)]

use std::path::Path;

use super::record::{ended, len_of, read, signal, started, until};
use super::run::{Outputs, command, recount, sample};

const BEGIN: u16 = 1;

/// Why the log was begun.
fn begin_of(path: &str) -> String {
    let events = read(path).events;
    let (kind, text) = events.into_iter().next().expect("an event");
    assert_eq!(kind, BEGIN);
    text
}

fn grown(path: &str) {
    until("a sample", || len_of(path) > 0);
    let len = len_of(path);
    until("another sample", || len_of(path) > len);
}

/// As logrotate does it: with `nocreate`, and with `create`, which leaves an empty file in the log's place.
#[test]
fn a_log_that_is_renamed_before_sighup_is_closed_and_the_next_has_its_name() {
    for creates in [false, true] {
        let outputs = Outputs::new();
        let (log, old) = (outputs.path("a.rcap"), outputs.path("a.1.rcap"));
        let child = started(&["-q", "-o", &log]);
        grown(&log);
        std::fs::rename(&log, &old).expect("renamed");
        if creates {
            std::fs::write(&log, "").expect("created");
        }
        // Until the signal, samples go to the renamed log.
        grown(&old);
        assert_eq!(len_of(&log), 0);
        signal(&child, "HUP");
        grown(&log);
        let num_first = read(&old).blocks.len();
        assert!(num_first >= 2);
        signal(&child, "INT");
        let (code, _, stderr) = ended(child);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "creates: {creates}");
        assert!(begin_of(&log).contains("continues the previous log: a new log was requested"));
        assert!(read(&log).blocks.len() > 1);
        assert_eq!(outputs.files(), ["a.1.rcap", "a.rcap"]);
    }
}

/// A renamed log is written to its end, and a mark that is left under the new name gets into it.
#[cfg(target_os = "linux")]
#[test]
fn a_log_that_is_renamed_has_everything() {
    let outputs = Outputs::new();
    let (log, new) = (outputs.path("a.rcap"), outputs.path("b.rcap"));
    let child = started(&["-o", &log]);
    grown(&log);
    std::fs::rename(&log, &new).expect("renamed");
    grown(&new);
    recount(&["mark", &new, "deployed"]).fine();
    grown(&new);
    signal(&child, "INT");
    let (code, stdout, stderr) = ended(child);
    assert_eq!(code, Some(0), "{stderr}");
    let read = read(&new);
    assert!(stdout.starts_with(&format!("{new}: {} samples, ", read.blocks.len())), "{stdout}");
    assert!(read.events.iter().any(|(_, text)| text.ends_with("deployed")), "{:?}", read.events);
    assert_eq!(outputs.files(), ["b.rcap"]);
}

#[test]
fn a_log_that_is_removed_or_emptied_is_followed_by_another_and_that_is_said() {
    for (what, act) in [
        ("was removed", (|log: &str| std::fs::remove_file(log)) as fn(&str) -> std::io::Result<()>),
        ("was emptied", |log| std::fs::write(log, "")),
        ("was cut short", |log| std::fs::File::options().write(true).open(log)?.set_len(200)),
    ] {
        let outputs = Outputs::new();
        let log = outputs.path("a.rcap");
        let child = started(&["-o", &log]);
        grown(&log);
        act(&log).expect("done");
        // What is left of a log that was cut stays as it is, under its name.
        let is_cut = what == "was cut short";
        until("another log", || {
            let files = outputs.files();
            if is_cut { files.len() == 2 } else { len_of(&log) > 0 }
        });
        let files = outputs.files();
        let next = outputs.path(files.iter().find(|file| !is_cut || *file != "a.rcap").expect("the next"));
        grown(&next);
        signal(&child, "INT");
        let (code, stdout, stderr) = ended(child);
        assert_eq!(code, Some(1), "{what}: {stderr}");
        let warned = "warning: another program removed, emptied or cut the log short, and ";
        assert!(stderr.starts_with(warned), "{what}: {stderr}");
        let read = read(&next);
        let why = format!("{log} {what} by another program: ");
        assert!(begin_of(&next).contains(&format!("continues the previous log, which {why}")), "{what}");
        assert!(stdout.contains(&format!("\n  {why}")) && stdout.contains(" gone with a log\n"), "{stdout}");
        assert!(read.blocks.len() > 1, "{what}");
    }
}

/// Two recorders in one directory.
#[test]
fn only_closed_logs_are_deleted() {
    let outputs = Outputs::new();
    let earlier = ["a-20200102T000000Z.rcap", "a-20200103T000000Z.rcap"].map(|name| outputs.path(name));
    for log in &earlier {
        recount(&["record", "-o", log, "--count", "1", "-c", r"\System"]).fine();
    }
    // A recorder holds the lock of its log.
    let other = std::fs::File::open(&earlier[1]).expect("there");
    other.lock().expect("locked");
    let rotated = ["--rotate", "40ms", "--keep", "1", "--count", "6", "--interval", "20ms"];
    recount(&[&["record", "-o", &outputs.path("a.rcap"), "-c", r"\System"][..], &rotated].concat()).fine();
    let files = outputs.files();
    assert_eq!((files.len(), files[0].as_str()), (2, "a-20200103T000000Z.rcap"), "{files:?}");
    drop(other);
}

/// When nothing can be begun anymore, that is the end, at once.
#[test]
fn without_its_directory_the_recording_ends() {
    let outputs = Outputs::new();
    let directory = outputs.path("logs");
    std::fs::create_dir(&directory).expect("made");
    let log = format!("{directory}/a.rcap");
    let child = started(&["-o", &log]);
    grown(&log);
    std::fs::remove_dir_all(&directory).expect("removed");
    let (code, _, stderr) = ended(child);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(
        stderr.contains("can't begin a log: ") && stderr.contains(" can't be read anymore: "),
        "{stderr}"
    );
}

#[test]
fn rotation_by_size() {
    let outputs = Outputs::new();
    let path = outputs.path("web1.rcap");
    let arguments = ["--max-size", "20kB", "--count", "60", "--interval", "10ms"];
    let objects = ["record", "-o", &path, "-c", r"\System", "-c", r"\Memory"];
    recount(&[&objects[..], &arguments].concat()).fine();
    let files = outputs.files();
    let lens: Vec<u64> =
        files.iter().map(|file| std::fs::metadata(outputs.path(file)).expect("it").len()).collect();
    let (_, full) = lens.split_last().expect("logs");
    assert!(!full.is_empty() && full.iter().all(|len| (16_000..=20_000).contains(len)), "{lens:?}");
    assert_eq!(files.iter().map(|file| read(outputs.path(file)).blocks.len()).sum::<usize>(), 60);
}

#[test]
fn a_size_that_cannot_hold_two_samples_is_refused() {
    let outputs = Outputs::new();
    let error =
        recount(&["record", "-o", &outputs.path("a.rcap"), "-c", r"\System", "--max-size", "1kB"]).failed();
    assert!(
        error.starts_with("error: a log of 1000 bytes can't hold two samples of this source: they take "),
        "{error}"
    );
    assert!(error.contains("\nhint: give a larger --max-size"), "{error}");
    assert!(outputs.files().is_empty());
}

/// What a command lost of its recording matters only if it went well itself.
#[test]
fn a_lost_log_of_a_command_is_in_the_exit_code() {
    for (status, code) in [("0", 1), ("7", 7)] {
        let outputs = Outputs::new();
        let log = outputs.path("a.rcap");
        // It waits for the log, and for the one that follows it.
        let there = format!("until [ -s '{log}' ]; do sleep 0.05; done");
        let script = format!("{there}; rm '{log}'; {there}; exit {status}");
        let words = ["record", "-o", &log, "--interval", "20ms", "-c", r"\System", "--", "sh", "-c", &script];
        let done = recount(&words);
        assert_eq!(done.code, Some(code), "{}", done.stderr);
        assert!(done.stderr.contains(" gone with a log\n"), "{}", done.stderr);
    }
}

/// The log is the output. Whoever can't read the summary still has it.
#[cfg(target_os = "linux")]
#[test]
fn a_summary_that_cannot_be_written_is_no_failure() {
    let outputs = Outputs::new();
    let log = outputs.path("a.rcap");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let words = ["record", "-o", &log, "--count", "2", "--interval", "10ms", "-c", r"\System"];
    let done = command().args(words).stdout(full).output().expect("running recount");
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{stderr}");
    assert!(stderr.starts_with("warning: can't write the summary to standard output: "), "{stderr}");
    assert_eq!(read(&log).blocks.len(), 2);
}

#[test]
fn the_summary_counts_what_is_still_there() {
    let outputs = Outputs::new();
    let rotated = ["--rotate", "40ms", "--keep", "2", "--count", "20", "--interval", "20ms"];
    let done =
        recount(&[&["record", "-o", &outputs.path("a.rcap"), "-c", r"\System"][..], &rotated].concat());
    let stdout = done.fine();
    let files = outputs.files();
    let num_kept: usize = files.iter().map(|file| read(outputs.path(file)).blocks.len()).sum();
    let num_deleted = 20 - num_kept;
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(stdout.contains(&format!(" (2 logs): {num_kept} samples, ")), "{stdout}");
    assert!(stdout.contains(&format!(", {num_deleted} deleted with older logs (--keep)\n")), "{stdout}");
}

#[test]
fn passwords_of_a_command_are_not_in_its_log() {
    let outputs = Outputs::new();
    let log = outputs.path("a.rcap");
    let words = ["env", "PGPASSWORD=hunter2", "true", "--password", "hunter3", "https://eve:hunter4@host/"];
    recount(&[&["record", "-q", "-o", &log, "-c", r"\System", "--"], &words[..]].concat()).fine();
    let facts = read(&log).log.facts().clone();
    assert_eq!(facts["command"], "env PGPASSWORD=*** true --password *** https://eve:***@host/");
    let bytes = std::fs::read(&log).expect("the log");
    assert!(!bytes.windows(6).any(|part| part == b"hunter"), "not anywhere in it");
}

/// One line for all that was late, and none with `--quiet`; `info` has each.
#[test]
fn many_late_samples_are_one_note() {
    let outputs = Outputs::new();
    let log = outputs.path("a.rcap");
    let child = started(&["-q", "-o", &log]);
    for _ in 0..4 {
        grown(&log);
        signal(&child, "STOP");
        std::thread::sleep(std::time::Duration::from_millis(100));
        signal(&child, "CONT");
    }
    grown(&log);
    signal(&child, "INT");
    assert_eq!(ended(child).0, Some(0));
    let done = recount(&["stats", &log]);
    let notes: Vec<&str> = done.stderr.lines().filter(|line| line.contains("not taken")).collect();
    let [note] = &notes[..] else { panic!("{}", done.stderr) };
    assert!(note.contains("samples not taken, at ") && note.contains(", the worst "), "{note}");
    assert_eq!(recount(&["stats", "-q", &log]).stderr, "");
    let info = recount(&["info", &log]).stdout;
    assert!(info.lines().filter(|line| line.contains("not taken in ")).count() >= 4, "{info}");
}

#[cfg(target_os = "linux")]
#[test]
fn unfinished_outputs_of_killed_runs_go_with_the_next_run() {
    let outputs = Outputs::new();
    let log = outputs.path("a.rcap");
    std::fs::copy(sample("rcap-1/closed.rcap"), &log).expect("copied");
    // Of a process that can't exist.
    outputs.write(".recount-4194311-abc.partial", "half");
    recount(&["convert", "-q", &log, "-o", &outputs.path("a.csv")]).fine();
    assert_eq!(outputs.files(), ["a.csv", "a.rcap"]);
}

/// The page's key is nowhere in the arguments of the program that opens the browser.
#[cfg(target_os = "linux")]
#[test]
fn the_key_of_view_is_not_an_argument() {
    use std::os::unix::fs::PermissionsExt;

    let outputs = Outputs::new();
    let log = sample("rcap-1/closed.rcap");
    let opener = outputs.write("xdg-open", "#!/bin/sh\necho \"$@\" > \"$(dirname \"$0\")/arguments\"\n");
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).expect("set");
    let directory = outputs.path("");
    let child = command()
        .args(["view", &log])
        .env("PATH", format!("{directory}:/usr/bin:/bin"))
        .env("XDG_RUNTIME_DIR", &directory)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("runs");
    let arguments = outputs.path("arguments");
    until("the opener", || len_of(&arguments) > 0);
    let file = std::fs::read_to_string(&arguments).expect("read");
    let file = file.trim();
    let page = std::fs::read_to_string(file).expect("the redirect");
    assert_eq!(Path::new(file).metadata().expect("there").permissions().mode() & 0o777, 0o600);
    signal(&child, "INT");
    let (code, url, _) = ended(child);
    assert_eq!(code, Some(0));
    assert!(page.contains(url.trim()), "{page}");
    let key = url.trim().rsplit('/').find(|part| !part.is_empty()).expect("a key");
    assert!(key.len() > 16 && !file.contains(key), "{file}");
    assert!(!Path::new(file).exists(), "removed at the end");
}

/// Live: these need a file system of their own, and so root.
#[cfg(all(target_os = "linux", feature = "live-tests"))]
mod live_disk {
    use super::*;

    /// A mounted file system of some kilobytes.
    struct Small(String);

    impl Small {
        fn mount(outputs: &Outputs, kib: u32) -> Small {
            let place = outputs.path("full");
            std::fs::create_dir(&place).expect("made");
            let size = format!("size={kib}k");
            let mounted = std::process::Command::new("mount")
                .args(["-t", "tmpfs", "-o", &size, "tmpfs", &place])
                .status()
                .expect("mount");
            assert!(mounted.success(), "a file system can only be mounted by root");
            Small(place)
        }
    }

    impl Drop for Small {
        fn drop(&mut self) {
            let _ = std::process::Command::new("umount").arg(&self.0).status();
        }
    }

    #[test]
    fn a_full_disk_is_sealed_and_recording_goes_on() {
        let outputs = Outputs::new();
        let small = Small::mount(&outputs, 600);
        let log = format!("{}/a.rcap", small.0);
        let done = recount(&["record", "-o", &log, "-i", "50ms", "--count", "60"]);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let read = read(&log);
        assert_eq!(read.blocks.len(), 60);
        let len_raw: usize = read.blocks.iter().map(|(_, block)| block.len()).sum();
        assert!(len_raw > 1 << 20, "{len_raw}");
    }

    #[test]
    fn nothing_is_left_where_nothing_fits() {
        let outputs = Outputs::new();
        let small = Small::mount(&outputs, 64);
        std::fs::write(format!("{}/pad", small.0), vec![0; 60 << 10]).expect("written");
        let log = format!("{}/a.rcap", small.0);
        let error = recount(&["record", "-o", &log, "--count", "2"]).failed();
        assert!(error.contains("\nhint: make room on the disk, or keep fewer logs"), "{error}");
        assert_eq!(std::fs::read_dir(&small.0).expect("listed").count(), 1, "only the padding");
    }
}
