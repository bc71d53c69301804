//! The pipeline: from captures to cooked columns, in time order, on all cores, in bounded memory.
//!
//! ```text
//! inputs -> slices of the time line -> decode (parallel) -> runs -> cook (parallel) -> consumer
//! ```
//!
//! Slices are taken in batches of two per thread. While the consumer processes one batch, the next is decoded
//! and cooked. So there are at most two batches in memory at any time. With T threads and slices of L raw
//! bytes, memory is limited to 4·T·L raw bytes plus their decoded and cooked form (about 5 times as much for
//! 4-byte counters with a shared clock), whatever the length of the capture.

use std::sync::Arc;

use rayon::prelude::*;
use recount_model::{Decoded, Health, Run, Selection, Source};

use crate::aggregate::{Aggregator, Plan, TakenNames, is_aggregated};
use crate::chained::Chains;
use crate::ended::take_out_gauges;
use crate::input::captures;
use crate::plain_sum::with_hidden_falls;
use crate::reaped::with_inheritance;
use crate::renewed::without_renewed;
use crate::repeated::{Origin, without_repeated};
use crate::rhythm::Rhythm;
use crate::select::select_cooked;
use crate::sheet::scale_cooked;
use crate::tails::{ObjectKey, Tails, key_of};
use crate::timeline::{Slice, slices};
use crate::{CookOptions, Cooked, Input, chain_of, cook};

/// How to run the pipeline.
#[derive(Clone, Debug)]
pub struct PipelineOptions {
    /// What to cook.
    pub cook: CookOptions,
    /// Raw bytes per slice.
    pub len_slice: usize,
}

impl Default for PipelineOptions {
    fn default() -> Self {
        // Large enough that the cost of cutting is negligible, small enough that 4 T L stays far below 1 GB.
        PipelineOptions { cook: CookOptions::default(), len_slice: 4 << 20 }
    }
}

/// A step of the pipeline, for showing progress: raw bytes and samples consumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the sources.
    pub len_raw: u64,
    /// Samples, over all inputs.
    pub num_samples: u64,
}

/// Cooks inputs of which earlier samples may have been read.
pub(crate) fn run_with<E: Send>(
    inputs: &[Input],
    options: &PipelineOptions,
    mut state: State<'_>,
    mut consume: impl FnMut(Vec<Cooked>, Progress) -> Result<(), E> + Send,
) -> Result<Health, E> {
    let mut health = Health::default();
    let mut slices = slices(inputs, options.len_slice);
    let per_batch = 2 * rayon::current_num_threads();
    let mut ready: Option<(Vec<Cooked>, Progress)> = None;
    loop {
        let batch: Vec<Slice> = slices.by_ref().take(per_batch).collect();
        if batch.is_empty() && ready.is_none() {
            return Ok(health);
        }
        let progress = Progress {
            len_raw: batch.iter().map(|slice| slice.len_raw as u64).sum(),
            num_samples: batch.iter().flat_map(|slice| &slice.parts).map(|(_, part)| part.len() as u64).sum(),
        };
        let taken = ready.take();
        let (consumed, (cooked, found)) = rayon::join(
            || taken.map_or(Ok(()), |(cooked, progress)| consume(cooked, progress)),
            || cook_batch(inputs, options, &batch, &mut state),
        );
        consumed?;
        health.absorb(found);
        if !batch.is_empty() {
            ready = Some((cooked, progress));
        }
    }
}

/// The batches of [`run_with`] as an iterator, cooked on demand, each with what had to be left out of it.
pub(crate) fn batches_with<'a>(
    inputs: &'a [Input],
    options: &'a PipelineOptions,
    mut state: State<'a>,
) -> impl Iterator<Item = (Vec<Cooked>, Health)> + 'a {
    let mut slices = slices(inputs, options.len_slice);
    let per_batch = rayon::current_num_threads();
    std::iter::from_fn(move || {
        let batch: Vec<Slice> = slices.by_ref().take(per_batch).collect();
        (!batch.is_empty()).then(|| cook_batch(inputs, options, &batch, &mut state))
    })
}

/// Decodes all inputs and passes the results to `consume`, slice by slice, without cooking.
pub fn scan(inputs: &[Input], options: &PipelineOptions, consume: impl FnMut(Decoded) + Send) -> Health {
    each_part(inputs, options, options.len_slice, Source::decode, consume)
}

/// Like [`scan`], but the runs only show every object and instance; their samples and values are meaningless
/// ([`Source::survey`](recount_model::Source::survey)): for catalogues.
pub fn survey(inputs: &[Input], options: &PipelineOptions, consume: impl FnMut(Decoded) + Send) -> Health {
    /// Sources that can answer without decoding use their own stretches, which should not be cut.
    const NUM_STRETCHES: usize = 8;
    // Cooked sources read everything requested.
    let is_cooked = inputs.iter().any(|input| input.source.info().is_cooked);
    let num_stretches = if is_cooked { 1 } else { NUM_STRETCHES };
    each_part(inputs, options, options.len_slice * num_stretches, Source::survey, consume)
}

/// [`Source::decode`] or [`Source::survey`].
type Decode<'a> = fn(&'a dyn Source, &[u32], &Selection) -> Decoded;

fn each_part<'a>(
    inputs: &'a [Input],
    options: &PipelineOptions,
    len_slice: usize,
    decode: Decode<'a>,
    mut consume: impl FnMut(Decoded) + Send,
) -> Health {
    let mut health = Health::default();
    let mut slices = slices(inputs, len_slice);
    let per_batch = 2 * rayon::current_num_threads();
    loop {
        let batch: Vec<Slice> = slices.by_ref().take(per_batch).collect();
        if batch.is_empty() {
            return health;
        }
        for (_, mut decoded) in decode_batch(inputs, options, &batch, decode) {
            health.absorb(std::mem::take(&mut decoded.health));
            consume(decoded);
        }
    }
}

/// All parts of the slices, in order, each with its input.
fn decode_batch<'a>(
    inputs: &'a [Input],
    options: &PipelineOptions,
    batch: &[Slice],
    decode: Decode<'a>,
) -> Vec<(usize, Decoded)> {
    let parts: Vec<&(usize, Vec<u32>)> = batch.iter().flat_map(|slice| &slice.parts).collect();
    let decode_part = |&&(input, ref samples): &&(usize, Vec<u32>)| {
        let mut decoded = decode(&*inputs[input].source, samples, &options.cook.selection);
        decoded.runs.iter_mut().for_each(take_out_gauges);
        (input, decoded)
    };
    parts.par_iter().map(decode_part).collect()
}

/// What is carried from batch to batch.
pub(crate) struct Carried {
    pub(crate) tails: Tails,
    aggregator: Aggregator,
}

impl Carried {
    pub(crate) fn new(taken: TakenNames, options: &CookOptions) -> Carried {
        let naming = if options.over_named { options.selection.clone() } else { Selection::all() };
        Carried { tails: Tails::default(), aggregator: Aggregator::new(taken, naming) }
    }

    /// The stream of a run of an input, and the run that it is compared with. `chain` is the first input of its chain.
    fn follow(
        &mut self,
        chain: usize,
        (inputs, input): (&[Input], usize),
        run: &Arc<Run>,
    ) -> (usize, Option<Arc<Run>>) {
        let (stream, previous) = self.tails.replace(chain, run);
        let previous = previous.map(|previous| without_renewed(previous, run));
        let previous = previous.map(|previous| with_inheritance(with_hidden_falls(previous, run), run));
        (stream, previous.or_else(|| began_later(inputs, input, run)))
    }

    /// Moves what is known of an object here.
    pub(crate) fn adopt(&mut self, key: &ObjectKey, from: &mut Carried) {
        for (there, here) in self.tails.adopt(key, &mut from.tails) {
            self.aggregator.adopt(here, &mut from.aggregator, there);
        }
    }
}

/// What is before inputs that are only a part of captures.
pub(crate) trait Before: Sync {
    /// The whole inputs.
    fn whole(&self) -> &[Input];

    /// Finds the runs that come before those decoded, where they aren't known.
    fn find_previous(&self, decoded: &[(usize, Decoded)], options: &PipelineOptions, carried: &mut Carried);
}

/// The state of a pipeline between two batches.
pub(crate) struct State<'a> {
    pub(crate) carried: Carried,
    pub(crate) rhythm: Arc<Rhythm>,
    pub(crate) chains: Chains,
    /// `None` if the inputs are whole.
    pub(crate) before: Option<&'a dyn Before>,
}

impl State<'_> {
    pub(crate) fn of_whole(inputs: &[Input], rhythm: Arc<Rhythm>, options: &PipelineOptions) -> Self {
        let carried = Carried::new(TakenNames::find(inputs), &options.cook);
        State { carried, rhythm, chains: Chains::of(inputs), before: None }
    }
}

/// Reads samples only for what later ones are compared with, of the objects that `is_wanted` names.
pub(crate) fn feed(
    whole: &[Input],
    inputs: &[Input],
    options: &PipelineOptions,
    carried: &mut Carried,
    is_wanted: impl Fn(&ObjectKey) -> bool,
) {
    let unselected = CookOptions { selection: Selection::all(), ..options.cook.clone() };
    let mut slices = slices(inputs, options.len_slice);
    loop {
        let batch: Vec<Slice> = slices.by_ref().take(rayon::current_num_threads()).collect();
        if batch.is_empty() {
            return;
        }
        for (input, decoded) in decode_batch(inputs, options, &batch, Source::decode) {
            let chain = chain_of(whole, input);
            for run in decoded.runs.into_iter().filter(|run| is_wanted(&key_of(chain, run))) {
                let run = Arc::new(run);
                let (stream, previous) = carried.follow(chain, (whole, input), &run);
                if is_aggregated(&run.object) {
                    let cooked = cook(&run, previous.as_deref(), &unselected);
                    carried.aggregator.plan(stream, &run, &cooked);
                }
            }
        }
    }
}

enum Task {
    Cook(Job),
    /// Already cooked; whether to scale it.
    Done(Box<Cooked>, bool),
}

struct Job {
    /// Which runs follow which: see [`Tails`].
    stream: usize,
    run: Arc<Run>,
    previous: Option<Arc<Run>>,
}

fn cook_batch(
    inputs: &[Input],
    options: &PipelineOptions,
    batch: &[Slice],
    state: &mut State<'_>,
) -> (Vec<Cooked>, Health) {
    let mut health = Health::default();
    let (mut tasks, mut origins, mut of_inputs) = (Vec::new(), Vec::new(), Vec::new());
    let captures = captures(inputs);
    let decoded = decode_batch(inputs, options, batch, Source::decode);
    if let Some(before) = state.before {
        before.find_previous(&decoded, options, &mut state.carried);
    }
    let whole = state.before.map_or(inputs, Before::whole);
    for (input, decoded) in decoded {
        health.absorb(decoded.health);
        let chain = chain_of(inputs, input);
        let info = inputs[input].source.info();
        for run in decoded.runs {
            let run = Arc::new(run);
            let (stream, previous) = state.carried.follow(chain, (whole, input), &run);
            origins.push(Origin { capture: captures[input], chain, is_raw: true });
            tasks.push(Task::Cook(Job { stream, run, previous }));
        }
        let scaled = options.cook.scaled && !info.is_scaled;
        let origin = |_| Origin { capture: captures[input], chain, is_raw: false };
        origins.extend(decoded.cooked.iter().map(origin));
        tasks.extend(decoded.cooked.into_iter().map(|cooked| Task::Done(Box::new(cooked), scaled)));
        of_inputs.resize(tasks.len(), input);
    }
    let mut cooked = cook_all(tasks, &options.cook, &mut state.carried.aggregator);
    for (cooked, input) in cooked.iter_mut().zip(of_inputs) {
        state.rhythm.mark(whole, input, cooked);
    }
    if captures.iter().any(|capture| *capture > 0) {
        cooked = without_repeated(whole, cooked, &origins, &state.chains);
    }
    cooked.retain(|cooked| !cooked.columns.is_empty());
    (cooked, health)
}

/// The stream and the run of values to be aggregated.
type Aggregated = (usize, Arc<Run>);

fn cook_all(tasks: Vec<Task>, options: &CookOptions, aggregator: &mut Aggregator) -> Vec<Cooked> {
    // Every instance is part of its object's aggregates, so the selection is applied afterwards.
    let unselected = CookOptions { selection: Selection::all(), ..options.clone() };
    let cook_job = |task: Task| match task {
        Task::Cook(Job { stream, run, previous }) => {
            let is_aggregated = is_aggregated(&run.object);
            let options = if is_aggregated { &unselected } else { options };
            let cooked = cook(&run, previous.as_deref(), options);
            (cooked, is_aggregated.then_some((stream, run)))
        }
        Task::Done(mut cooked, scaled) => {
            if scaled {
                scale_cooked(&mut cooked);
            }
            (*cooked, None)
        }
    };
    let cooked: Vec<(Cooked, Option<Aggregated>)> = tasks.into_par_iter().map(cook_job).collect();
    let planned: Vec<(Cooked, Option<Plan>)> = cooked
        .into_iter()
        .map(|(cooked, aggregated)| {
            let plan = aggregated.map(|(stream, run)| aggregator.plan(stream, &run, &cooked));
            (cooked, plan)
        })
        .collect();
    let finish = |(cooked, plan): (Cooked, Option<Plan>)| match plan {
        Some(plan) => select_cooked(plan.add_to(cooked), &options.selection),
        None => cooked,
    };
    planned.into_par_iter().map(finish).collect()
}

/// For an object that is not in the first sample of its round: an empty predecessor run, since its values
/// lack a previous sample but aren't the first of the capture. PCP archives that continue each other number their rounds alike.
fn began_later(inputs: &[Input], input: usize, run: &Run) -> Option<Arc<Run>> {
    let begin = run.clocks.time.first()?.utc;
    let Input { source, samples, .. } = &inputs[input];
    let time = |sample: &u32| source.times().get(*sample as usize).map(|time| time.utc);
    let num_used = samples.partition_point(|sample| time(sample) < Some(begin));
    let chain = std::iter::successors(Some(input), |later| {
        inputs[*later].continues.filter(|earlier| earlier < later)
    });
    let mut before = chain.flat_map(|at| {
        let Input { source, samples, before, .. } = &inputs[at];
        let num = if at == input { num_used } else { samples.len() };
        before.iter().chain(&samples[..num]).map(move |sample| source.round(*sample as usize))
    });
    let at_once = samples[num_used..].iter().take_while(|sample| time(sample) == Some(begin));
    let mut rounds = at_once.map(|sample| source.round(*sample as usize)).peekable();
    let is_first = match rounds.peek() {
        Some(_) => rounds.any(|round| before.clone().all(|known| known != round)),
        None => before.next().is_none(),
    };
    (!is_first).then(|| Arc::new(run.without_instances()))
}
