//! The figures of `recount stats` and `recount report` for a log.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Momentary values that vary so much that those of another moment are unrelated: the recorders all wake up together
/// and see each other.
const OF_A_MOMENT: [(&str, &str); 6] = [
    ("Memory", "Dirty Bytes"),
    ("System", "Runnable Threads"),
    ("System", "Blocked Threads"),
    ("System", "Open Files"),
    ("PhysicalDisk", "Current Disk Queue Length"),
    ("Memory", "Writeback Bytes"),
];

/// Means per operation, not over time: an interval with few transfers weighs as much as one with many.
const MEANS_OF_MEANS: &str = "Avg. Disk ";

#[derive(Clone, Copy, Debug)]
struct Figure {
    num: f64,
    min: f64,
    mean: f64,
    max: f64,
}

/// The mean of every series, and how far it goes, by object, instance and counter.
pub(crate) struct Figures(BTreeMap<(String, String, String), Figure>);

fn recount(arguments: &[&str], log: &Path) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_recount")).args(arguments).arg(log).output().expect("runs");
    // 1: missing values in a log are findings.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}: {output:?}", log.display());
    output.stdout
}

impl Figures {
    pub(crate) fn of(log: &Path) -> Figures {
        let said = recount(&["stats", "--quiet", "--names", "en", "--format", "json"], log);
        let rows: Vec<Value> = serde_json::from_slice(&said).expect("JSON");
        let figure = |row: &Value| {
            let number = |name: &str| row[name].as_f64();
            let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let figure = Figure {
                num: number("count")?,
                min: number("min")?,
                mean: number("mean")?,
                max: number("max")?,
            };
            Some(((text("object"), device(&text("instance")), text("counter")), figure))
        };
        Figures(rows.iter().filter_map(figure).collect())
    }

    fn get(&self, object: &str, instance: &str, counter: &str) -> Option<&Figure> {
        self.0.get(&(object.to_owned(), instance.to_owned(), counter.to_owned()))
    }

    pub(crate) fn has(&self, object: &str, instance: &str, counter: &str) -> bool {
        self.get(object, instance, counter).is_some()
    }

    pub(crate) fn mean(&self, object: &str, instance: &str, counter: &str) -> f64 {
        self.get(object, instance, counter).unwrap_or_else(|| panic!("{object}({instance})\\{counter}")).mean
    }

    pub(crate) fn busiest_disk(&self) -> String {
        let disks = self.0.iter().filter(|((object, disk, counter), _)| {
            object == "PhysicalDisk" && disk != "_Total" && counter == "Disk Write Bytes/sec"
        });
        disks.max_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean)).expect("a disk").0.1.clone()
    }

    /// How far the ticks of a processor are from 100 percent of the time. We divide by the time, the others by the ticks that the
    /// kernel counted, and it misses some where a processor often falls asleep and wakes up.
    fn uncounted(&self, instance: &str) -> f64 {
        const PARTS: [&str; 4] = ["% User Time", "% Privileged Time", "% Idle Time", "% Steal Time"];
        let sum: f64 = PARTS.iter().map(|part| self.mean("Processor", instance, part)).sum();
        assert!((sum - 100.0).abs() < 10.0, "Processor({instance}) has {sum} percent of the time");
        (100.0 - sum).abs()
    }

    /// How many figures both have, and the paths of those that differ by more than the jitter of a sample, with how.
    ///
    /// The recorders look at moments up to a second apart, so what happened in the first and in the last interval may be in
    /// one log and not in the other, and a value of now may be the one before or after: all of it less than the range of the
    /// series, once at each end. Besides, one percent: the resolution of ticks (10 ms) and of rounded clocks.
    pub(crate) fn compare(&self, other: &Figures) -> (usize, BTreeMap<String, String>) {
        let (mut num_compared, mut differences) = (0, BTreeMap::new());
        for ((object, instance, counter), figure) in &self.0 {
            let is_of_a_moment = OF_A_MOMENT.contains(&(object, counter));
            // Processes come and go.
            let is_left_out = object == "Process" && !instance.starts_with("rc-");
            if is_of_a_moment || is_left_out || counter.starts_with(MEANS_OF_MEANS) {
                continue;
            }
            let Some(found) = other.get(object, instance, counter) else { continue };
            let range = figure.max.max(found.max) - figure.min.min(found.min);
            // The kernel counts the pages of a process per processor, and the files of /proc add them up more or less exactly.
            let pages = if counter == "Working Set" { 1024.0 * 1024.0 } else { 0.0 };
            // `% Processor Time` is the complement of idle time: losses of one are added to the other.
            let whole = if counter == "% Processor Time" && object == "Processor" {
                100.0
            } else {
                figure.mean.abs()
            };
            let ticks = if object == "Processor" { self.uncounted(instance) } else { 0.0 };
            let tolerance = 2.0 * range / figure.num + 0.01 * whole + pages + ticks;
            num_compared += 1;
            if (found.mean - figure.mean).abs() > tolerance {
                let how = format!(
                    "{} of {} values, own {} of {}, by more than {tolerance}",
                    found.mean, found.num, figure.mean, figure.num
                );
                differences.insert(format!("{object}({instance})\\{counter}"), how);
            }
        }
        (num_compared, differences)
    }
}

/// `vda` of `dev254-0`: sadc keeps the numbers of a disk alone, which only the machine that it is of can name.
fn device(name: &str) -> String {
    let numbers = name.strip_prefix("dev").and_then(|numbers| numbers.split_once('-'));
    let link =
        numbers.and_then(|(major, minor)| std::fs::read_link(format!("/sys/dev/block/{major}:{minor}")).ok());
    let named = link.and_then(|link| Some(link.file_name()?.to_string_lossy().into_owned()));
    named.unwrap_or_else(|| name.to_owned())
}

/// The findings of the rules.
#[derive(Debug)]
pub(crate) struct Findings {
    /// Rules, and of whom.
    pub(crate) found: BTreeSet<(String, String)>,
    /// Rules for which the log lacks a counter.
    pub(crate) not_evaluated: BTreeSet<String>,
}

pub(crate) fn findings(log: &Path) -> Findings {
    let json = log.with_extension("report.json");
    let json = json.to_str().expect("a path in Unicode");
    let page = log.with_extension("html");
    recount(&["report", "-fo", page.to_str().expect("a path in Unicode"), "--json", json], log);
    let report: Value = serde_json::from_slice(&std::fs::read(json).expect("a report")).expect("JSON");
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let found = |finding: &Value| {
        let (object, instance) = (text(finding, "object"), device(&text(finding, "instance")));
        // The number of a process among those of its name depends on which others are listed; its id doesn't.
        let who = match (&*object, finding["instance_id"].as_u64()) {
            ("Process", Some(id)) => {
                format!("Process({} {id})", instance.split('#').next().unwrap_or_default())
            }
            _ => format!("{object}({instance})"),
        };
        (text(finding, "rule"), who)
    };
    Findings {
        found: report["findings"].as_array().expect("findings").iter().map(found).collect(),
        not_evaluated: report["rules"]["not_evaluated"]
            .as_array()
            .expect("rules")
            .iter()
            .map(|rule| text(rule, "rule"))
            .collect(),
    }
}
