//! Who did it? Of a machine on which one process burns a processor, another leaks memory and a third writes to disk, the
//! report names all three, when and how much, on its first screen. Of a quiet machine it has nothing to say.
#![cfg(target_os = "linux")]

#[path = "culprits/accused.rs"]
mod accused;
#[path = "browser/chromium.rs"]
mod chromium;
#[path = "culprits/loads.rs"]
mod loads;

use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use accused::{Accused, of_process};
use chromium::{Chromium, run};
use loads::{LASTS, Load, start};

/// Recordings of a live machine are made one at a time: each would appear in the other.
static MACHINE: Mutex<()> = Mutex::new(());
/// Samples before the loads begin, and after they have ended.
const CALM: Duration = Duration::from_secs(4);

fn recount() -> Command {
    Command::new(env!("CARGO_BIN_EXE_recount"))
}

fn record(log: &Path) -> Child {
    let lasts = (LASTS + 2 * CALM).as_secs().to_string();
    let arguments = ["record", "--quiet", "--for", &format!("{lasts}s"), "-o"];
    recount().args(arguments).arg(log).spawn().expect("running recount")
}

/// The report of a capture as JSON, with a page next to it.
fn report_of(capture: &Path, options: &[&str]) -> Value {
    let (page, json) = (capture.with_extension("html"), capture.with_extension("json"));
    run(recount().arg("report").arg(capture).args(options).arg("-fo").arg(page).arg("--json").arg(&json));
    serde_json::from_slice(&std::fs::read(json).expect("the report")).expect("JSON")
}

/// A folder on a disk, which /tmp may not be; the report and the log stay there to be looked at.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("culprits").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("target/culprits");
    folder
}

#[test]
fn three_culprits_are_named_on_the_first_screen() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    recount_testdata::quiet_machine();
    let folder = folder("three");
    let log = folder.join("three.rcap");
    let mut recorder = record(&log);
    std::thread::sleep(CALM);
    let started =
        [Load::Burner, Load::Leaker, Load::Spooler, Load::Bystander].map(|load| start(load, &folder));
    let [burner, leaker, spooler, bystander] = started.map(loads::Started::wait);
    assert!(recorder.wait().expect("an end").success());
    let report = report_of(&log, &[]);

    let burns = Accused::of(&report, &burner, &["process-burns-cpu", "process-starved"]);
    burns.overlaps(&burner, 0.6);
    let of_one = 100.0 * burner.amount / burner.seconds;
    match burns.rule() {
        // A mean over a span of whole samples, so not to the percent.
        "process-burns-cpu" => burns.is_near("mean", of_one, 0.15),
        // On a machine with other work: its share is what it would take alone.
        _ => assert!(burns.number("value") > 80.0, "{burns:?}, {of_one} % of a processor"),
    }
    let leaks = Accused::of(&report, &leaker, &["private-bytes-grow"]);
    leaks.overlaps(&leaker, 0.85);
    leaks.is_near("value", 3600.0 * leaker.amount / leaker.seconds, 0.1);
    let writes = Accused::of(&report, &spooler, &["process-writes-heavily"]);
    writes.overlaps(&spooler, 0.4);
    // Of the times above the threshold only; so hardly less than the mean over all.
    let rate = spooler.amount / spooler.seconds;
    let mean = writes.longest("mean");
    assert!(mean > 0.7 * rate && mean < 3.0 * rate, "{writes:?}: {mean} bytes/s of {rate}");
    assert_eq!(of_process(&report, bystander.pid), Vec::<&Value>::new());

    let page = log.with_extension("html");
    let screen = Chromium::install().node("first_screen.mjs", [&page, &log.with_extension("png")]);
    for accused in [burns, leaks, writes] {
        accused.is_told_in(&screen);
    }
}

/// Others may be at work on this machine, so all that can be promised is of our own.
#[test]
fn processes_that_wait_are_no_culprits() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = folder("quiet");
    let log = folder.join("quiet.rcap");
    let mut recorder = record(&log);
    let mut pids = vec![recorder.id(), std::process::id()];
    let sleepers = [Load::Sleeper, Load::Sleeper, Load::Bystander].map(|load| start(load, &folder));
    for sleeper in sleepers {
        pids.push(sleeper.wait().pid);
    }
    assert!(recorder.wait().expect("an end").success());
    let report = report_of(&log, &[]);
    assert!(report["capture"]["num_samples"].as_u64() > Some(LASTS.as_secs()), "{report}");
    for pid in pids {
        assert_eq!(of_process(&report, pid), Vec::<&Value>::new());
    }
}

/// The kernel adds everything that a child wrote to the shell that waited for it.
#[test]
fn a_waiting_shell_is_not_taken_for_its_child() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let log = folder("waiting").join("waiting.rcap");
    let arguments = ["record", "--quiet", "--interval", "1s", "--for", "12s", "-o"];
    let mut recorder = recount().args(arguments).arg(&log).spawn().expect("running recount");
    std::thread::sleep(Duration::from_secs(2));
    let script = "timeout 6 dd if=/dev/zero of=/dev/null bs=64k; sleep 3; true";
    assert!(Command::new("sh").args(["-c", script]).output().expect("a shell").status.success());
    assert!(recorder.wait().expect("an end").success());
    let most = |name: &str| {
        let path = format!(r"\Process({name})\IO Write Bytes/sec");
        let shown = recount().arg("show").arg(&log).args([path.as_str(), "--json"]).output().expect("shown");
        let all: Value = serde_json::from_slice(&shown.stdout).expect("JSON");
        let values = all.as_array().expect("all").iter().filter_map(|one| one["max"].as_f64());
        values.fold(0.0, f64::max)
    };
    let (child, shell, between) = (most("dd"), most("sh*"), most("timeout"));
    assert!(child > 1e8, "{child}");
    // What it wrote after the last sample that has it: one interval at most.
    assert!(shell < 1.3 * child && between < 1.3 * child, "{child} {shell} {between}");
}
