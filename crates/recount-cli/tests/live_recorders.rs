//! One machine, recorded by sadc, atop, pmlogger and ourselves at the same time under a known load: under canonical names all
//! four say the same, and the same rules find the same.
#![cfg(target_os = "linux")]
#![expect(
    clippy::print_stdout,
    reason = "what was compared, and what is undecided, is shown of a test that passes, too"
)]

#[path = "recorders/figures.rs"]
mod figures;
#[expect(dead_code, reason = "when a load ran is for another test")]
#[path = "culprits/loads.rs"]
mod loads;
#[path = "recorders/run.rs"]
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use figures::{Figures, findings};
use loads::{Done, LASTS, Load, start};
use recount_testdata::quiet_machine;
use run::Recorders;

/// Samples before the loads begin, and after they have ended: nothing happens where one recorder is already or still there
/// and another isn't.
const CALM: Duration = Duration::from_secs(9);

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("recorders");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("target/recorders");
    folder
}

/// Counters that each must have; all others that it has in common with our log are compared as well.
const CPU: [&str; 6] =
    ["% Processor Time", "% User Time", "% Privileged Time", "% Idle Time", "% IO Wait Time", "% Nice Time"];
const MEMORY: [&str; 5] = [
    "Physical Bytes",
    "Free & Zero Page List Bytes",
    "Committed Bytes",
    "Slab Bytes",
    "Block Bytes Output/sec",
];
const DISK: [&str; 4] = ["Disk Bytes/sec", "Disk Read Bytes/sec", "Disk Write Bytes/sec", "% Busy Time"];
const NETWORK: [&str; 4] = ["Bytes Total/sec", "Bytes Received/sec", "Bytes Sent/sec", "Packets/sec"];

/// Each recorder looks at moments of its own. If the machine moves between them, logs that are right differ, and the next recording
/// differs elsewhere; a reader that is always wrong differs in the same place in each. One that is often wrong differs in many places.
const MAX_RECORDINGS: usize = 3;
/// How many of a hundred figures may differ in one recording.
const MAX_PERCENT: usize = 5;

#[test]
fn four_recorders_say_the_same() {
    let folder = folder();
    let mut recordings: Vec<BTreeSet<String>> = Vec::new();
    let mut report = String::new();
    while recordings.len() < MAX_RECORDINGS && (recordings.is_empty() || !in_each(&recordings).is_empty()) {
        let number = recordings.len() + 1;
        let differences = one_recording(&folder.join(number.to_string()));
        for (place, how) in &differences {
            report.push_str(&format!("recording {number}: {place} differs: {how}\n"));
        }
        recordings.push(differences.into_keys().collect());
    }
    let faults = in_each(&recordings);
    assert!(faults.is_empty(), "in each of {} recordings:\n{faults:#?}\n{report}", recordings.len());
    println!("{} undecided: not in each recording\n{report}", report.lines().count());
}

/// The places that differ in each recording.
fn in_each(recordings: &[BTreeSet<String>]) -> BTreeSet<String> {
    recordings.iter().cloned().reduce(|one, other| &one & &other).unwrap_or_default()
}

/// Records the load once, and returns in which figures and findings the logs differ, and how: `sar: Memory()\Slab Bytes`.
fn one_recording(folder: &Path) -> BTreeMap<String, String> {
    std::fs::create_dir_all(folder).expect("a folder");
    quiet_machine();
    let lasts = LASTS + 2 * CALM;
    let recorders = Recorders::start(folder, lasts);
    std::thread::sleep(CALM);
    let started = [Load::Burner, Load::Leaker, Load::Spooler, Load::Talker].map(|load| start(load, folder));
    let done = started.map(loads::Started::wait);
    let logs = recorders.wait();

    let own = Figures::of(&logs.own);
    the_load_is_in(&own, &done, lasts);
    let mut differences = BTreeMap::new();
    for (name, log) in [("sar", &logs.sa), ("atop", &logs.atop), ("PCP", &logs.pcp)] {
        let other = Figures::of(log);
        let expected = |object: &str, instance: &str, counters: &[&str]| {
            for counter in counters {
                assert!(
                    other.has(object, instance, counter),
                    "{name} has no {object}({instance})\\{counter}"
                );
            }
        };
        expected("Processor", "_Total", &CPU);
        expected("Processor", "0", &CPU);
        expected("Memory", "", &MEMORY);
        expected("PhysicalDisk", &own.busiest_disk(), &DISK);
        expected("Network Interface", "lo", &NETWORK);
        let (num_compared, differing) = own.compare(&other);
        println!("{name}: {num_compared} figures compared");
        assert!(num_compared > 100, "{name}: {num_compared} figures");
        assert!(differing.len() * 100 <= num_compared * MAX_PERCENT, "{name}: {differing:#?}");
        differences.extend(differing.into_iter().map(|(path, how)| (format!("{name}: {path}"), how)));
    }
    differences.extend(findings_that_differ(&logs, &done));
    differences
}

/// Checks that our own log shows the load, so that the comparison isn't of an idle machine.
fn the_load_is_in(own: &Figures, [burner, _, spooler, talker]: &[Done; 4], lasts: Duration) {
    let seconds = lasts.as_secs_f64();
    let at_least = |object: &str, instance: &str, counter: &str, amount: f64| {
        let mean = own.mean(object, instance, counter);
        assert!(mean > 0.9 * amount / seconds, "{object}({instance})\\{counter} is {mean}, {amount} in all");
    };
    let num_cpus = std::thread::available_parallelism().expect("known").get() as f64;
    at_least("Processor", "_Total", "% Processor Time", 100.0 * burner.amount / num_cpus);
    at_least("PhysicalDisk", &own.busiest_disk(), "Disk Write Bytes/sec", spooler.amount);
    at_least("Network Interface", "lo", "Bytes Received/sec", talker.amount);
}

/// The rules that a log has the counters for find in it what they find in our own.
fn findings_that_differ(logs: &run::Logs, done: &[Done; 4]) -> BTreeMap<String, String> {
    let own = findings(&logs.own);
    let mut differences = BTreeMap::new();
    for (load, rules) in done.iter().zip([
        &["process-burns-cpu", "process-starved"][..],
        &["private-bytes-grow"],
        &["process-writes-heavily"],
    ]) {
        let is_accused = |rule: &&str| {
            own.found.contains(&((*rule).to_owned(), format!("Process({} {})", load.name, load.pid)))
        };
        assert!(rules.iter().any(is_accused), "none of {rules:?} for {load:?}: {own:?}");
    }
    for (name, log) in [("sar", &logs.sa), ("atop", &logs.atop), ("PCP", &logs.pcp)] {
        let other = findings(log);
        // It depends on the threads that want to run at the moment of a sample, which is another for each recorder.
        let starved = |who: &str| ("process-starved".to_owned(), who.to_owned());
        // A process that is starved isn't also reported as burning.
        let is_of_a_moment = |rule: &str, who: &str| {
            let is_starved = own.found.contains(&starved(who)) || other.found.contains(&starved(who));
            rule == "process-starved" || (rule == "process-burns-cpu" && is_starved)
        };
        let is_asked = |(rule, who): &&(String, String)| {
            !other.not_evaluated.contains(rule) && !is_of_a_moment(rule, who)
        };
        let expected: BTreeSet<_> = own.found.iter().filter(is_asked).collect();
        let found: BTreeSet<_> = other.found.iter().filter(is_asked).collect();
        for finding in expected.symmetric_difference(&found) {
            let (rule, who) = finding;
            // The next recording's processes have other ids.
            let is_process = who.starts_with("Process(");
            let named = who.rsplit_once(' ').filter(|_| is_process).map_or(&**who, |(named, _)| named);
            let whose = if expected.contains(finding) { "only ours" } else { "not ours" };
            differences.insert(format!("{name}: finding {rule} of {named}"), format!("{whose}, of {who}"));
        }
        let num_processes = found.iter().filter(|(_, who)| who.starts_with("Process(rc-")).count();
        if name != "sar" && num_processes < 2 {
            differences.insert(format!("{name}: findings of processes"), format!("{found:?}"));
        }
    }
    differences
}
