//! `recount repair`

use std::time::{Duration, SystemTime};

use super::run::{Outputs, recount, sample};

/// A log of three samples, with an event before and one after them.
fn recorded(outputs: &Outputs) -> Vec<u8> {
    let log = outputs.path("recorded");
    let dumps: Vec<String> = (1..=3).map(|number| sample(&format!("series/{number}.bin"))).collect();
    let names = sample("series/Counter 009.txt");
    recount(&["record", "-q", "-o", &log, "--names", &names, "--source", &dumps[0], &dumps[1], &dumps[2]])
        .fine();
    let bytes = std::fs::read(&log).expect("the log");
    std::fs::remove_file(log).expect("removed");
    bytes
}

fn without_index(log: &[u8]) -> &[u8] {
    &log[..log.len() - u32::from_le_bytes(*log.last_chunk().expect("a frame")) as usize]
}

/// Writes a log whose last change was an hour ago.
fn write_old(outputs: &Outputs, name: &str, bytes: &[u8]) -> String {
    let path = outputs.write(name, bytes);
    let file = std::fs::File::options().write(true).open(&path).expect("there");
    file.set_modified(SystemTime::now() - Duration::from_hours(1)).expect("set");
    path
}

fn values(path: &str) -> String {
    recount(&["convert", path, "-o", "-", "--format", "csv"]).stdout
}

#[test]
fn a_sound_log_stays_as_it_is() {
    let outputs = Outputs::new();
    let log = outputs.write("a.rcap", recorded(&outputs));
    let before =
        (std::fs::read(&log).expect("there"), std::fs::metadata(&log).expect("there").modified().ok());
    let told = recount(&["repair", &log]).fine();
    assert_eq!(told, format!("{log}: sound and closed; nothing was changed\n"));
    recount(&["repair", &log, "-o", &outputs.path("b.rcap")]).fine();
    let after =
        (std::fs::read(&log).expect("there"), std::fs::metadata(&log).expect("there").modified().ok());
    assert_eq!(before, after);
    assert_eq!(outputs.files(), ["a.rcap"]);
}

#[test]
fn in_place_the_damaged_log_is_kept() {
    let outputs = Outputs::new();
    let whole = recorded(&outputs);
    let torn = without_index(&whole);
    let log = write_old(&outputs, "a.rcap", torn);
    let expected = values(&log);
    let told = recount(&["repair", &log]).fine();
    assert!(told.starts_with(&format!("{log}: 5 records, ")), "{told}");
    assert!(told.contains("\n  closed: it had no valid index\n"), "{told}");
    assert!(told.ends_with(&format!("\n  the log as it was: {log}.bak\n")), "{told}");
    assert!(std::fs::read(format!("{log}.bak")).expect("kept") == torn);
    assert!(recount(&["verify", &log]).fine().ends_with("health                sound\n"));
    assert_eq!(values(&log), expected);
    // A second repair finds nothing, and a later backup doesn't overwrite the first.
    recount(&["repair", &log]).fine();
    write_old(&outputs, "a.rcap", torn);
    let told = recount(&["repair", &log]).fine();
    assert!(told.ends_with(".bak2\n"), "{told}");
    assert_eq!(outputs.files(), ["a.rcap", "a.rcap.bak", "a.rcap.bak2"]);
}

#[test]
fn to_another_file_the_damaged_log_stays() {
    let outputs = Outputs::new();
    let mut damaged = without_index(&recorded(&outputs)).to_vec();
    damaged.truncate(damaged.len() - 5);
    let log = outputs.write("a.rcap", &damaged);
    let out = outputs.path("b.rcap");
    let done = recount(&["repair", &log, "-o", &out]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("\n  dropped: truncated: frame at byte 0x"), "{}", done.stdout);
    assert!(std::fs::read(&log).expect("there") == damaged);
    assert_eq!(recount(&["verify", &out]).code, Some(0));
    let info = recount(&["info", &out]).fine();
    assert!(info.lines().any(|line| line.starts_with("repaired ")), "{info}");
    let error = recount(&["repair", &log, "-o", &out]).failed();
    assert!(error.contains("b.rcap already exists\nhint: "), "{error}");
    assert_eq!(recount(&["repair", &log, "-o", &out, "--force"]).code, Some(1));
}

/// It may be being written. A copy can be repaired all the same.
#[test]
fn a_log_that_was_just_written_to() {
    let outputs = Outputs::new();
    let log = outputs.write("a.rcap", without_index(&recorded(&outputs)));
    let error = recount(&["repair", &log]).failed();
    assert!(error.contains(" s ago and isn't closed: its recorder may still be running\nhint: "), "{error}");
    assert_eq!(outputs.files(), ["a.rcap"]);
    recount(&["repair", &log, "-o", &outputs.path("b.rcap")]).fine();
    recount(&["repair", &log, "--force"]).fine();
    assert_eq!(outputs.files(), ["a.rcap", "a.rcap.bak", "b.rcap"]);
}

/// That some readings failed is normal without root.
#[test]
fn a_log_with_readings_that_failed_is_repaired() {
    let outputs = Outputs::new();
    for name in ["killed", "damaged"] {
        let log = sample(&format!("rcap-1/{name}.rcap"));
        let repaired = outputs.path(&format!("{name}.rcap"));
        // 1: the record being written when the recorder was killed is lost.
        let done = recount(&["repair", &log, "-o", &repaired]);
        assert!(matches!(done.code, Some(0 | 1)), "{}", done.stderr);
        recount(&["verify", &repaired]).fine();
        assert_eq!(values(&repaired), values(&log), "{name}");
    }
}

#[test]
fn only_logs_are_repaired() {
    let error = recount(&["repair", &sample("objects.blg")]).failed();
    assert!(
        error.contains("expected a frame of a capture log") && error.contains("\nhint: only capture logs"),
        "{error}"
    );
    let error = recount(&["repair", "nosuch.rcap"]).failed();
    assert!(
        error.starts_with("error: nosuch.rcap: ") && error.ends_with("path and its permissions\n"),
        "{error}"
    );
}
