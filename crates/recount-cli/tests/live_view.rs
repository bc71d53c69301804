//! `recount view` in a real browser, driven like by a user through all its functions, with values compared with
//! `stats`, `show` and `convert`.
//!
//! `tests/view/drive.mjs` has the steps. Screenshots go to target/browser/view.
#![cfg(target_os = "linux")]

#[path = "browser/chromium.rs"]
mod chromium;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use chromium::{Chromium, run};
use recount_testdata::shared_path;
use serde_json::{Value, json};

/// A folder for a test's output, which is kept for inspection.
fn folder(name: &str) -> PathBuf {
    // CARGO_TARGET_TMPDIR is target/tmp.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("browser").join("view").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("target/browser/view");
    folder
}

/// Drives the viewer through checks.
fn drive(folder: &Path, inputs: &[&Path], checks: &[&str], more: &Value) {
    let mut given = json!({
        "command": env!("CARGO_BIN_EXE_recount"), "folder": folder, "inputs": inputs, "checks": checks,
    });
    let given_map = given.as_object_mut().expect("an object");
    given_map.extend(more.as_object().expect("an object").clone());
    let path = folder.join("checks.json");
    std::fs::write(&path, given.to_string()).expect("what is to be checked");
    let said = Chromium::install().node("../view/drive.mjs", [path]);
    assert!(!said.contains("FAILED"), "{said}");
}

/// With the checks that need SQL, where this was built with it.
fn with_sql<'a>(checks: &[&'a str]) -> Vec<&'a str> {
    checks.iter().copied().filter(|check| *check != "sql" || cfg!(feature = "sql")).collect()
}

#[test]
fn a_windows_log_through_all_points() {
    let folder = folder("windows-log");
    let checks = with_sql(&[
        "opened",
        "finder",
        "typedTimes",
        "address",
        "top",
        "machine",
        "sql",
        "commands",
        "savedView",
        "windows",
        "paper",
        "form",
        "stopped",
    ]);
    let more = json!({
        "object": "Processor", "counter": "% Processor Time",
        "wanted": {
            "words": "proc 2 time", "path": "\\Processor(2)\\% Processor Time", "second": "processor 3 time",
            "dragged": "avg disk bytes/write",
        },
    });
    drive(&folder, &[&shared_path("blg/tx-basic.blg")], &checks, &more);
}

/// A text with findings and a few more samples than minutes.
fn busy_text(folder: &Path) -> PathBuf {
    let capture = folder.join("busy.csv");
    let mut table = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
    for path in
        [r"Process(burner)\% Processor Time", r"Process(idler)\% Processor Time", r"Memory\Available Bytes"]
    {
        write!(table, r#","\\web1\{path}""#).expect("room");
    }
    for sample in 0..120 {
        let (minute, second) = (sample / 6, sample % 6 * 10);
        let busy = if (30..90).contains(&sample) { 97.0 } else { 3.0 };
        write!(
            table,
            "\n\"11/20/2026 10:{minute:02}:{second:02}.000\",\"{busy}\",\"{}\",\"{}\"",
            sample % 7,
            4_000_000_000_u64 + sample * 1_000_000
        )
        .expect("room");
    }
    std::fs::write(&capture, table + "\n").expect("a capture");
    capture
}

#[test]
fn wheel_and_keys_do_what_people_expect() {
    let folder = folder("steering");
    let capture = busy_text(&folder);
    drive(
        &folder,
        &[&capture],
        &["steering", "happened", "narrow", "rows", "form"],
        &json!({ "object": "Process" }),
    );
}

/// The first steps of a user, in the other browser engine.
#[test]
fn a_windows_log_in_firefox() {
    let folder = folder("firefox");
    let more = json!({
        "browser": "firefox", "object": "Processor", "counter": "% Processor Time",
        "wanted": {
            "words": "proc 2 time", "path": "\\Processor(2)\\% Processor Time", "second": "processor 3 time",
        },
    });
    drive(&folder, &[&shared_path("blg/tx-basic.blg")], &["opened", "found", "top", "machine"], &more);
}

#[test]
fn a_linux_log_through_all_points() {
    let folder = folder("linux-log");
    let log = folder.join("disk-writer.rcap");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/moved/disk-writer.rcap");
    std::fs::copy(sample, &log).expect("a copy");
    let checks = with_sql(&[
        "opened",
        "finder",
        "address",
        "top",
        "programs",
        "machine",
        "sql",
        "commands",
        "savedView",
        "marks",
        "form",
    ]);
    let more = json!({
        "object": "Process", "counter": "% Processor Time",
        "wanted": {
            "words": "memory available bytes", "path": "\\Memory\\Available Bytes", "second": "memory cache bytes",
            "dragged": "system processes",
        },
    });
    drive(&folder, &[&log], &checks, &more);
}

#[test]
fn a_log_that_grows_is_followed() {
    let folder = folder("growing");
    let log = folder.join("live.rcap");
    let mut recorder = Recorder::start(&log);
    drive(&folder, &[&log], &["growing"], &json!({ "isGrowing": true }));
    recorder.stop();
}

struct Recorder(Child);

impl Recorder {
    fn start(log: &Path) -> Recorder {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recount"));
        command.args(["record", "--quiet", "--interval", "250ms", "-o"]).arg(log);
        let mut recorder = Recorder(command.spawn().expect("running recount record"));
        let len = || log.metadata().map_or(0, |metadata| metadata.len());
        // A sample, and another one: charts need an interval.
        for _ in 0..2 {
            let before = len();
            while len() <= before {
                assert_eq!(recorder.0.try_wait().expect("a child"), None, "recording ended");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        recorder
    }

    fn stop(&mut self) {
        run(Command::new("kill").args(["-INT", &self.0.id().to_string()]));
        assert!(self.0.wait().expect("its end").success());
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn two_captures_on_one_time_line() {
    let folder = folder("two");
    let log = shared_path("blg/tx-basic.blg");
    let [first, second] = ["first.csv", "second.csv"].map(|name| folder.join(name));
    let convert = |more: &[&str], output: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recount"));
        run(command.args(["convert", "--quiet"]).arg(&log).args(more).arg("-o").arg(output));
    };
    convert(&["--end", "+5m"], &first);
    convert(&["--begin", "+5m"], &second);
    let more = json!({ "compare": second, "wanted": { "words": "processor _total time" } });
    drive(&folder, &[&first], &["compared", "form"], &more);
}

/// Everything that is drawn is exact at any zoom: many samples, of waves, noise, single peaks, and with values missing.
#[test]
fn a_thousand_zooms_are_exact() {
    const NUM_SERIES: usize = 6;
    const NUM_SAMPLES: usize = 30_000;
    let folder = folder("zooms");
    let capture = folder.join("many.csv");
    let mut table = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
    for series in 0..NUM_SERIES {
        write!(table, r#","\\web1\Processor({series})\% Processor Time""#).expect("room");
    }
    for sample in 0..NUM_SAMPLES {
        let (hour, minute, second) = (sample / 3600, sample / 60 % 60, sample % 60);
        write!(table, "\n\"11/20/2026 {hour:02}:{minute:02}:{second:02}.{:03}\"", sample * 37 % 500)
            .expect("room");
        for series in 0..NUM_SERIES {
            let wave = (sample * (1 + series)) as f64 / 900.0;
            let noise = (sample * 7919 + series * 104_729) % 1009;
            let peak = if (sample * 31 + series) % 4001 == 0 { 60.0 } else { 0.0 };
            let value = 15.0 * (1.0 + wave.sin()) + noise as f64 / 211.0 + peak;
            let is_missing = (sample + series * 500) % 3000 < 40;
            write!(table, ",\"{}\"", if is_missing { " ".to_owned() } else { value.to_string() })
                .expect("room");
        }
    }
    std::fs::write(&capture, table + "\n").expect("a capture");
    drive(&folder, &[&capture], &["zooms"], &json!({ "num": 1_000 }));
}
