//! One machine, recorded by sadc, atop, pmlogger and ourselves at the same time under a known load: under canonical names all
//! four say the same, and the same rules find the same.
#![cfg(target_os = "linux")]

#[path = "recorders/figures.rs"]
mod figures;
#[expect(dead_code, reason = "when a load ran is for another test")]
#[path = "culprits/loads.rs"]
mod loads;
#[path = "recorders/run.rs"]
mod run;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use figures::{Figures, findings};
use loads::{Done, LASTS, Load, start};
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

#[test]
fn four_recorders_say_the_same() {
    let folder = folder();
    let lasts = LASTS + 2 * CALM;
    let recorders = Recorders::start(&folder, lasts);
    std::thread::sleep(CALM);
    let started = [Load::Burner, Load::Leaker, Load::Spooler, Load::Talker].map(|load| start(load, &folder));
    let done = started.map(loads::Started::wait);
    let logs = recorders.wait();

    let own = Figures::of(&logs.own);
    the_load_is_in(&own, &done, lasts);
    let others = [("sar", &logs.sa), ("atop", &logs.atop), ("PCP", &logs.pcp)];
    let mut told = String::new();
    for (name, log) in others {
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
        let (num_compared, differences) = own.compare(&other);
        told.push_str(&format!("{name}: {num_compared} figures compared\n"));
        for difference in &differences {
            told.push_str(&format!("  {difference}\n"));
        }
        assert!(num_compared > 100, "{told}");
    }
    assert!(!told.contains("differs"), "{told}");
    the_same_is_found(&logs, &done);
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
fn the_same_is_found(logs: &run::Logs, done: &[Done; 4]) {
    let own = findings(&logs.own);
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
        assert_eq!(found, expected, "{name}: {:?}", other.not_evaluated);
        let num_processes = found.iter().filter(|(_, who)| who.starts_with("Process(rc-")).count();
        assert!(name == "sar" || num_processes >= 2, "{name}: {found:?}");
    }
}
