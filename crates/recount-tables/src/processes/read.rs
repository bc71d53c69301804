//! The processes of captures, in one pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_compute::{
    Cancelled, CookOptions, Cooked, CookedColumn, Covered, Input, OnProgress, PipelineOptions, Progress, run,
};
use recount_model::{Health, Pattern, Selection, Timestamp};

use super::described::Descriptions;
use super::row::ProcessRow;
use super::rows::{PROCESS_COUNTERS, ProcessRows};

/// Processors have two names in Windows, of which a capture may have either: large machines have them in groups.
pub const PROCESSORS: [&str; 2] = ["Processor", "Processor Information"];
const PROCESSOR_TIME: &str = "% Processor Time";
/// What Linux counts of processes and threads, and its object.
const STARTED: (&str, &str) = ("System", "Threads Created/sec");
/// The name of what no process is known to have used.
pub const NOT_ATTRIBUTED: &str = "not attributed";

/// The processes of captures, and what the processors did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Processes {
    /// A row for each, by machine and start.
    pub rows: Vec<ProcessRow>,
    /// The time in seconds that the processors worked; `None` if the captures don't say.
    pub busy_s: Option<f64>,
    /// What the processors did and no process has used: a row of 0 processes for each machine of which that is known. It isn't where
    /// processors and processes were sampled at different times.
    pub not_attributed: Vec<ProcessRow>,
    /// How many processes and threads were started, as the system counted; `None` if the captures don't say.
    pub num_started: Option<f64>,
    /// How many processes of the captures were started meanwhile.
    pub num_started_seen: u64,
    /// What was found while reading.
    pub health: Health,
}

impl Processes {
    /// The processor time in seconds that has a name.
    pub fn used_s(&self) -> f64 {
        self.rows.iter().filter_map(|row| row.cpu_s[0]).sum()
    }
}

/// Reads the processes of captures, under the names of counters that Windows and our own recorder use. Memory: a row per process.
pub fn read_processes(inputs: &[Input], progress: OnProgress<'_>) -> Result<Processes, Cancelled> {
    read_processes_with(inputs, |step| Cancelled::check(progress(step)))
}

/// As [`read_processes`], for work that fails in its own way: `step` is called after each batch.
pub fn read_processes_with<E: Send>(
    inputs: &[Input],
    mut step: impl FnMut(Progress) -> Result<(), E> + Send,
) -> Result<Processes, E> {
    let canonical = |input: &Input| {
        let source = input.source.canonical().unwrap_or_else(|| Arc::clone(&input.source));
        Input { source, ..input.clone() }
    };
    let inputs: Vec<Input> = inputs.iter().map(canonical).collect();
    let times = || {
        let of_input = |input: &Input| {
            let times = input.source.times();
            let time = |sample: &u32| times.get(*sample as usize).map(|time| time.utc);
            input.samples.first().and_then(time).into_iter().chain(input.samples.last().and_then(time))
        };
        inputs.iter().flat_map(of_input).collect::<Vec<Timestamp>>()
    };
    let (Some(begin), Some(end)) = (times().into_iter().min(), times().into_iter().max()) else {
        return Ok(Processes::default());
    };
    let known = Descriptions::of(inputs.iter().map(|input| &input.source), (begin, end));
    let mut rows = ProcessRows::default();
    let mut num_started = None;
    let mut busy_s: BTreeMap<Arc<str>, [Option<f64>; PROCESSORS.len()]> = BTreeMap::new();
    let mut covered: BTreeMap<Arc<str>, Times> = BTreeMap::new();
    let options = PipelineOptions {
        cook: CookOptions { selection: selection(), ..CookOptions::default() },
        ..PipelineOptions::default()
    };
    let mut health = run(&inputs, &options, |batch, progress| {
        for cooked in &batch {
            rows.add(cooked);
            covered.entry(Arc::clone(&cooked.host)).or_default().add(cooked);
            if cooked.object.name.eq_ignore_ascii_case(STARTED.0) {
                num_started = [num_started, sum(cooked)].into_iter().flatten().reduce(|a, b| a + b);
            }
            if let Some(at) = PROCESSORS.iter().position(|name| cooked.object.name.eq_ignore_ascii_case(name))
            {
                let sum = &mut busy_s.entry(Arc::clone(&cooked.host)).or_default()[at];
                *sum = [*sum, self::sum(cooked).map(|share| share / 100.0)]
                    .into_iter()
                    .flatten()
                    .reduce(|a, b| a + b);
            }
        }
        step(progress)
    })?;
    health.absorb(known.health().clone());
    let rows = rows.finish(&known, begin);
    let of_hosts =
        busy_s.into_iter().filter_map(|(host, busy)| Some((host, busy.into_iter().flatten().next()?)));
    let of_hosts: Vec<(Arc<str>, f64)> = of_hosts.collect();
    let busy_s = of_hosts.iter().map(|(_, busy)| *busy).reduce(|a, b| a + b);
    let is_comparable = |(host, _): &(Arc<str>, f64)| covered.get(host).is_some_and(Times::are_alike);
    let rest = |(host, busy)| not_attributed(&rows, host, busy, (begin, end));
    let not_attributed = of_hosts.into_iter().filter(is_comparable).filter_map(rest).collect();
    let is_new = |row: &&ProcessRow| row.count > 1 || row.start.is_some_and(|start| start > begin);
    let num_started_seen = rows.iter().filter(is_new).map(|row| row.count).sum();
    Ok(Processes { rows, busy_s, not_attributed, num_started, num_started_seen, health })
}

/// The times of which there are values of a machine's processors, and of its processes.
#[derive(Default)]
struct Times {
    processors: Covered,
    processes: Covered,
}

impl Times {
    fn add(&mut self, cooked: &Cooked) {
        let is_process = cooked.object.name.eq_ignore_ascii_case("Process");
        let is_processor = || PROCESSORS.iter().any(|name| cooked.object.name.eq_ignore_ascii_case(name));
        let covered = if is_process {
            &mut self.processes
        } else if is_processor() {
            &mut self.processors
        } else {
            return;
        };
        let is_time = |column: &&CookedColumn| {
            cooked.object.counters[column.counter].name.eq_ignore_ascii_case(PROCESSOR_TIME)
        };
        for column in cooked.columns.iter().filter(is_time) {
            covered.add_values(cooked, column, |_| true);
        }
    }

    fn are_alike(&self) -> bool {
        self.processors.is_like(&self.processes)
    }
}

/// What no process of a machine has used.
fn not_attributed(
    rows: &[ProcessRow],
    host: Arc<str>,
    busy: f64,
    seen: (Timestamp, Timestamp),
) -> Option<ProcessRow> {
    let mut of_host = rows.iter().filter(|row| row.host == host).peekable();
    of_host.peek()?;
    let rest = busy - of_host.filter_map(|row| row.cpu_s[0]).sum::<f64>();
    let cpu_s = [Some(rest), None, None];
    (rest > 0.0).then(|| ProcessRow {
        host,
        name: NOT_ATTRIBUTED.into(),
        seen,
        cpu_s,
        ..ProcessRow::default()
    })
}

fn selection() -> Selection {
    let of_processes = PROCESS_COUNTERS.iter().chain([&recount_model::ENDED_PROCESSES]);
    let of_processes = of_processes.map(|counter| format!(r"\Process(*)\{counter}"));
    let of_processors = PROCESSORS.iter().map(|object| format!(r"\{object}(*)\{PROCESSOR_TIME}"));
    let started = format!(r"\{}\{}", STARTED.0, STARTED.1);
    of_processes
        .chain(of_processors)
        .chain([started])
        .filter_map(|pattern| pattern.parse::<Pattern>().ok())
        .collect()
}

/// Values times seconds, of all instances but totals.
fn sum(cooked: &Cooked) -> Option<f64> {
    let mut sum = None;
    for column in &cooked.columns {
        for (at, _) in cooked.instances.iter().enumerate().filter(|(_, instance)| !instance.is_total()) {
            for sample in (0..cooked.num_samples()).filter(|_| column.covers(at)) {
                let value = column.value_at(sample * cooked.instances.len() + at);
                if let (Some(value), Some(seconds)) = (value, cooked.interval_of(sample, at)) {
                    *sum.get_or_insert(0.0) += value * seconds;
                }
            }
        }
    }
    sum
}
