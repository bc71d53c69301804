//! Cooking the generated samples, class by class, compared with the simplest loop over the same arrays.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use recount_bench::generate::sample_blocks;
use recount_compute::{CookOptions, cook};
use recount_model::{Formula, Multi, ObjectDef, Run, Second};

use crate::SEED;
use crate::blocks::{runs_of, slices};
use crate::measured::Measured;

/// Samples generated at a time.
const NUM_BATCH: usize = 512;

/// Name of the row of all classes together.
pub(crate) const ALL: &str = "all";

pub(crate) fn run(log: &Path) -> Result<Measured> {
    let len_log = fs::metadata(log)?.len() as usize;
    let (names, mut samples) = sample_blocks(SEED);
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut previous: Vec<Option<Arc<Run>>> = Vec::new();
    let mut len_raw = 0;
    while len_raw < len_log {
        let batch = samples.by_ref().take(NUM_BATCH).collect::<Result<Vec<_>>>()?;
        len_raw += batch.iter().flat_map(|sample| &sample.blocks).map(Vec::len).sum::<usize>();
        for slice in slices(&batch) {
            let objects = runs_of(slice, &names, |_| ())?;
            previous.resize(objects.len(), None);
            for (runs, previous) in objects.into_iter().zip(&mut previous) {
                for run in runs {
                    let run = Arc::new(run);
                    tally_run(&run, previous.as_deref(), &mut tallies);
                    *previous = Some(run);
                }
            }
        }
    }
    let mut measured = Measured::default();
    measured.set("raw bytes", len_raw as f64);
    for (class, tally) in &tallies {
        measured.set_time(&format!("cook {class}"), tally.cook);
        measured.set_time(&format!("plain {class}"), tally.plain);
        measured.set(&format!("values {class}"), tally.num_values as f64);
    }
    measured.set_time("seconds", tallies.get(ALL).map_or(Duration::ZERO, |tally| tally.cook));
    Ok(measured)
}

#[derive(Default)]
struct Tally {
    cook: Duration,
    plain: Duration,
    num_values: u64,
}

/// Measures a run as a whole, and every class of it by itself.
fn tally_run(run: &Arc<Run>, previous: Option<&Run>, tallies: &mut BTreeMap<String, Tally>) {
    let all: Vec<usize> = (0..run.columns.len()).filter(|at| !is_base(run, *at)).collect();
    let mut classes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &counter in &all {
        if let Some(formula) = formula(run, counter) {
            classes.entry(format!("{formula:?}")).or_default().push(counter);
        }
    }
    tallies.entry(ALL.into()).or_default().add(run, previous, &all);
    for (class, counters) in classes {
        let part = Arc::new(with_counters(run, &counters));
        let previous = previous.filter(|previous| previous.object == run.object);
        let previous = previous.map(|previous| with_counters(previous, &counters));
        let own: Vec<usize> = (0..part.columns.len()).filter(|at| !is_base(&part, *at)).collect();
        tallies.entry(class).or_default().add(&part, previous.as_ref(), &own);
    }
}

impl Tally {
    fn add(&mut self, run: &Arc<Run>, previous: Option<&Run>, counters: &[usize]) {
        let options = CookOptions::default();
        let begun = Instant::now();
        black_box(cook(run, previous, &options));
        self.cook += begun.elapsed();
        self.num_values += (counters.len() * run.num_cells()) as u64;
        for &counter in counters {
            self.plain += plain(run, counter);
        }
    }
}

/// The plain loop over the arrays of a counter: of every sample and the one before, the first with itself.
fn plain(run: &Run, counter: usize) -> Duration {
    let num_instances = run.instances.len();
    let as_f64 = |cells: &[u64]| cells.iter().map(|cell| *cell as f64).collect::<Vec<f64>>();
    let n = as_f64(&run.columns[counter].first);
    let d = match &run.columns[counter].second {
        Second::Base(base) => as_f64(&run.columns[*base].first),
        Second::Own(cells) => as_f64(cells),
        Second::Clock(timer) => per_cell(run.clocks.ticks(*timer), num_instances),
        Second::None => per_cell(&run.clocks.perf_time, num_instances),
    };
    let earlier = |cells: &[f64]| [&cells[..num_instances], &cells[..cells.len() - num_instances]].concat();
    let (n0, d0) = (earlier(&n), earlier(&d));
    let begun = Instant::now();
    let cells = black_box(&n0).iter().zip(black_box(&n)).zip(black_box(&d0).iter().zip(black_box(&d)));
    black_box(cells.map(|((n0, n1), (d0, d1))| (n1 - n0) / (d1 - d0)).collect::<Vec<f64>>());
    begun.elapsed()
}

fn per_cell(clock: &[u64], num_instances: usize) -> Vec<f64> {
    clock.iter().flat_map(|reading| std::iter::repeat_n(*reading as f64, num_instances)).collect()
}

fn is_base(run: &Run, counter: usize) -> bool {
    run.object.counters[counter].is_base()
}

fn formula(run: &Run, counter: usize) -> Option<Formula> {
    let counter = &run.object.counters[counter];
    Some(counter.counter_type?.recipe(counter.len_value).formula)
}

/// The run with only some counters and their bases.
fn with_counters(run: &Run, counters: &[usize]) -> Run {
    let (mut definitions, mut columns) = (Vec::new(), Vec::new());
    for &counter in counters {
        let mut column = run.columns[counter].clone();
        let base = match (&column.second, &column.multi) {
            (Second::Base(base), _) | (_, Multi::Base(base)) => Some(*base),
            _ => None,
        };
        definitions.push(run.object.counters[counter].clone());
        if let Second::Base(base) = &mut column.second {
            *base = definitions.len();
        }
        if let Multi::Base(base) = &mut column.multi {
            *base = definitions.len();
        }
        columns.push(column);
        if let Some(base) = base {
            definitions.push(run.object.counters[base].clone());
            columns.push(run.columns[base].clone());
        }
    }
    let object = Arc::new(ObjectDef { counters: definitions, ..(*run.object).clone() });
    Run { object, columns, ..run.clone() }
}
