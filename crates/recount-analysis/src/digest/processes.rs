//! Who used most.

use recount_tables::processes::is_process;
use serde::Serialize;

use super::series::{Series, rounded};
use crate::attribution::{GroupBy, not_attributed};
use crate::report::Observed;
use crate::shown::short;

/// Who used most of what; `None` if the capture doesn't say.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Processes {
    /// Of the processors' time.
    pub processor: Option<UsedMost>,
    /// Of memory.
    pub memory: Option<UsedMost>,
    /// Of reading and writing.
    pub io: Option<UsedMost>,
}

/// Who used most of something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UsedMost {
    /// What the values are, and of what.
    pub what: &'static str,
    /// Unit of the values.
    pub unit: &'static str,
    /// The largest first.
    pub most: Vec<Used>,
    /// What no process of the capture has used; `None` if it isn't much, or not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_attributed: Option<f64>,
}

/// A process, or the processes of a program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Used {
    /// Its name.
    pub name: String,
    /// How much.
    pub value: f64,
    /// How many processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num: Option<u64>,
}

impl Processes {
    /// At most so many of each.
    pub(super) fn first(&self, most: usize) -> Processes {
        if most == 0 {
            return Processes::default();
        }
        let few = |used: &Option<UsedMost>| {
            let mut used = used.clone()?;
            used.most.truncate(most);
            Some(used)
        };
        Processes { processor: few(&self.processor), memory: few(&self.memory), io: few(&self.io) }
    }
}

/// The processes that used most.
pub(super) fn processes(observed: &Observed, series: &[Series<'_>], most: usize) -> Processes {
    let by_counter = |counter: &str, what, unit, of: fn(&Series<'_>) -> Option<f64>| {
        used_most(observed, series, counter, most, of).map(|most| UsedMost {
            what,
            unit,
            most,
            not_attributed: None,
        })
    };
    let mean = |one: &Series<'_>| one.figures.mean;
    let largest = |one: &Series<'_>| one.figures.max;
    Processes {
        processor: programs(observed, most).or_else(|| {
            by_counter(
                "% Processor Time",
                "mean while it was there, of one processor; in the order of the sum",
                "%",
                mean,
            )
        }),
        memory: by_counter("Working Set", "largest working set; in the order of the sum", "bytes", largest)
            .or_else(|| {
                by_counter("Private Bytes", "most private bytes; in the order of the sum", "bytes", largest)
            }),
        io: by_counter(
            "IO Data Bytes/sec",
            "mean while it was there, of reads and writes; in the order of the sum",
            "bytes/sec",
            mean,
        )
        .or_else(|| {
            by_counter(
                "IO Write Bytes/sec",
                "mean while it was there, of writes; in the order of the sum",
                "bytes/sec",
                mean,
            )
        }),
    }
}

/// The part of the time that the whole time has at least: a first value is about the time after the first sample.
const LEAST_WHOLE: f64 = 0.95;

/// By program, with what has no name.
fn programs(observed: &Observed, most: usize) -> Option<UsedMost> {
    let shares = observed.programs.iter().find(|shares| shares.by == GroupBy::Command)?;
    let percent = |used: &[f64]| 100.0 * shares.mean(used);
    let attributed: f64 = shares.groups.iter().map(|(_, used)| percent(used)).sum();
    let rest = shares.mean_not_attributed.map(|mean| 100.0 * mean);
    let is_whole = shares.part_covered() >= LEAST_WHOLE;
    let all = shares.groups.iter().zip(&shares.processes);
    let used = all.take(most).map(|((name, used), processes)| Used {
        name: short(name),
        value: rounded(percent(used)),
        num: Some(processes.num),
    });
    Some(UsedMost {
        what: if is_whole {
            "mean over the whole time, of all processors, by program"
        } else {
            "mean over the time that has values, of all processors, by program"
        },
        unit: "%",
        most: used.collect(),
        not_attributed: rest.and_then(|rest| not_attributed(attributed + rest, attributed)).map(rounded),
    })
}

/// The processes with the largest sums of a counter. `None` if it isn't there.
fn used_most(
    observed: &Observed,
    series: &[Series<'_>],
    counter: &str,
    most: usize,
    of: fn(&Series<'_>) -> Option<f64>,
) -> Option<Vec<Used>> {
    let is_it = |one: &&Series<'_>| {
        one.named.object == "Process"
            && one.named.counter == counter
            && one.named.instance.is_some_and(is_process)
    };
    let mut all: Vec<(f64, &Series<'_>)> =
        series.iter().filter(is_it).filter_map(|one| Some((of(one)?, one))).collect();
    if all.is_empty() {
        return None;
    }
    all.retain(|(value, _)| *value > 0.0);
    all.sort_by(|a, b| b.1.weight().total_cmp(&a.1.weight()));
    all.truncate(most);
    let is_several = observed.facts.hosts.len() > 1;
    let name = |one: &Series<'_>| {
        let id = one.named.instance.and_then(|instance| instance.id);
        let pid = id.map(|id| format!(" (pid {id})")).unwrap_or_default();
        let host = if is_several { format!(" on {}", short(one.named.host)) } else { String::new() };
        short(one.shown.unwrap_or_default()) + &pid + &host
    };
    Some(all.iter().map(|(value, one)| Used { name: name(one), value: rounded(*value), num: None }).collect())
}
