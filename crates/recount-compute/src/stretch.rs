//! A stretch of the samples of captures, with the values that they have in the whole, to the bit.
//!
//! Most values need the sample of their object before. Usually that is the one before the stretch; an object that is sampled
//! rarely has it further back, and an aggregate with history depends on all earlier samples. Which ones are needed shows only
//! when the stretch is decoded: whenever the first run of an object has none before it, that one is looked for, further and
//! further back. Everything that reads a part of a capture reads it here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use recount_model::{Aggregation, Decoded, Health, ObjectDef, Timestamp};

use crate::aggregate::TakenNames;
use crate::chained::Chains;
use crate::pipeline::{Before, Carried, PipelineOptions, Progress, State, batches_with, feed, run_with};
use crate::rhythm::Rhythm;
use crate::tails::{ObjectKey, key_of};
use crate::{Cooked, Input, chain_of};

/// By how much the search for the run before is widened each time.
const WIDER: usize = 16;

/// What stretches have to know about the whole: the names that aggregates must not use, how often they are sampled, and where objects begin, which
/// is remembered once it was found. It belongs to the inputs with which it is used first.
#[derive(Debug, Default)]
pub struct Landmarks {
    taken: OnceLock<TakenNames>,
    rhythm: OnceLock<Arc<Rhythm>>,
    /// Times of first samples, of objects that aren't in the first samples of their inputs.
    begun: Mutex<HashMap<ObjectKey, Timestamp>>,
}

impl Landmarks {
    /// With names that were found in more captures than these.
    pub fn with_names(taken: TakenNames) -> Landmarks {
        Landmarks { taken: OnceLock::from(taken), ..Landmarks::default() }
    }

    /// With the rhythm of the inputs, where it is known already.
    pub fn in_rhythm(rhythm: Arc<Rhythm>) -> Landmarks {
        Landmarks { rhythm: OnceLock::from(rhythm), ..Landmarks::default() }
    }

    fn taken(&self, whole: &[Input]) -> TakenNames {
        self.taken.get_or_init(|| TakenNames::find(whole)).clone()
    }

    /// How often the inputs are sampled.
    pub fn rhythm(&self, whole: &[Input]) -> Arc<Rhythm> {
        Arc::clone(self.rhythm.get_or_init(|| Arc::new(Rhythm::of(whole))))
    }

    fn is_begin(&self, key: &ObjectKey, time: Timestamp) -> bool {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.get(key) == Some(&time)
    }

    fn note_begin(&self, key: ObjectKey, time: Timestamp) {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert(key, time);
    }
}

/// Some of the samples of inputs, to be read with the values that they have in the whole.
pub struct Stretch<'a> {
    whole: &'a [Input],
    landmarks: &'a Landmarks,
    /// The inputs, reduced to the stretch.
    inputs: Vec<Input>,
    /// Number of samples of each input before the stretch, with those of [`Input::before`].
    starts: Vec<usize>,
    exact_from: Timestamp,
}

/// An object whose run before isn't known yet: its definition in its first run, and the time of that.
type Missing = BTreeMap<ObjectKey, (Arc<ObjectDef>, Timestamp)>;

impl<'a> Stretch<'a> {
    /// A part of the samples of each input, as ranges of its [`Input::samples`].
    pub fn new(whole: &'a [Input], landmarks: &'a Landmarks, parts: &[Range<usize>]) -> Stretch<'a> {
        let cut = |(input, part): (&Input, &Range<usize>)| Input {
            source: Arc::clone(&input.source),
            samples: input.samples.get(part.clone()).unwrap_or_default().to_vec(),
            before: Vec::new(),
            continues: input.continues,
        };
        Stretch {
            whole,
            landmarks,
            inputs: whole.iter().zip(parts).map(cut).collect(),
            starts: whole.iter().zip(parts).map(|(input, part)| input.before.len() + part.start).collect(),
            exact_from: Timestamp(i64::MIN),
        }
    }

    /// All samples.
    pub fn all(whole: &'a [Input], landmarks: &'a Landmarks) -> Stretch<'a> {
        let all: Vec<Range<usize>> = whole.iter().map(|input| 0..input.samples.len()).collect();
        Stretch::new(whole, landmarks, &all)
    }

    /// The samples between two times, both inclusive; `None`: no limit.
    pub fn between(
        whole: &'a [Input],
        landmarks: &'a Landmarks,
        begin: Option<Timestamp>,
        end: Option<Timestamp>,
    ) -> Stretch<'a> {
        let part = |input: &Input| {
            let samples = &input.samples;
            let first = begin.map_or(0, |begin| samples.partition_point(|s| time_of(input, *s) < begin));
            let past =
                end.map_or(samples.len(), |end| samples.partition_point(|s| time_of(input, *s) <= end));
            first..past.max(first)
        };
        Stretch::new(whole, landmarks, &whole.iter().map(part).collect::<Vec<_>>())
    }

    /// Samples of one input, as a range of its [`Input::samples`].
    pub fn of_input(
        whole: &'a [Input],
        landmarks: &'a Landmarks,
        input: usize,
        samples: Range<usize>,
    ) -> Stretch<'a> {
        let chain = chain_of(whole, input);
        let part = |at: usize| match at {
            _ if at == input => samples.clone(),
            _ if at < input && chain_of(whole, at) == chain => {
                let end = whole[at].samples.len();
                end..end
            }
            _ => 0..0,
        };
        Stretch::new(whole, landmarks, &(0..whole.len()).map(part).collect::<Vec<_>>())
    }

    /// Values are needed from this time on only; earlier samples of the stretch show what was there.
    #[must_use]
    pub fn exact_from(self, time: Timestamp) -> Stretch<'a> {
        Stretch { exact_from: time, ..self }
    }

    /// The cooked stretch, batch by batch, on demand, each with what had to be left out of it.
    pub fn batches(
        &'a self,
        options: &'a PipelineOptions,
    ) -> impl Iterator<Item = (Vec<Cooked>, Health)> + 'a {
        batches_with(&self.inputs, options, self.state(options))
    }

    /// Passes the cooked stretch to `consume`, as [`run`](crate::run()) does with the whole.
    pub fn run<E: Send>(
        &self,
        options: &PipelineOptions,
        consume: impl FnMut(Vec<Cooked>, Progress) -> Result<(), E> + Send,
    ) -> Result<Health, E> {
        run_with(&self.inputs, options, self.state(options), consume)
    }

    fn state(&'a self, options: &PipelineOptions) -> State<'a> {
        let carried = Carried::new(self.landmarks.taken(self.whole), &options.cook);
        let rhythm = self.landmarks.rhythm(self.whole);
        State { carried, rhythm, chains: Chains::of(self.whole), before: Some(self) }
    }

    fn find_missing(
        &self,
        chain: usize,
        mut missing: Missing,
        options: &PipelineOptions,
        carried: &mut Carried,
    ) {
        let has_history =
            missing.values().any(|(object, _)| object.aggregation == Aggregation::GlobalHistory);
        let mut num = if has_history { usize::MAX } else { 1 };
        loop {
            let (inputs, is_all) = self.before(chain, num);
            let mut found = Carried::new(self.landmarks.taken(self.whole), &options.cook);
            feed(self.whole, &inputs, options, &mut found, |key| missing.contains_key(key));
            missing.retain(|key, (object, _)| {
                // Only all earlier samples show that another definition was the one before.
                let is_found = found.tails.knows(key, object) || (is_all && found.tails.has(key));
                if is_found {
                    carried.adopt(key, &mut found);
                }
                !is_found
            });
            if is_all || missing.is_empty() {
                break;
            }
            num = num.saturating_mul(WIDER);
        }
        for (key, (_, time)) in missing {
            self.landmarks.note_begin(key, time);
        }
    }

    /// The inputs of a chain that have samples before the stretch.
    fn members(&self, chain: usize) -> impl Iterator<Item = usize> + '_ {
        let starts = self.starts.iter().enumerate().filter(|(_, start)| **start > 0);
        starts.map(|(input, _)| input).filter(move |input| chain_of(self.whole, *input) == chain)
    }

    /// A range of the samples of an input before the stretch.
    fn earlier(&self, input: usize, range: Range<usize>) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let Input { before, samples, .. } = &self.whole[input];
        let (first, past) = (range.start.min(before.len()), range.end.min(before.len()));
        let (from, to) = (range.start - first, range.end - past);
        before[first..past].iter().chain(&samples[from..to]).copied()
    }

    /// The last samples of a chain before the stretch, `num` of them, and whether these are all.
    fn before(&self, chain: usize, num: usize) -> (Vec<Input>, bool) {
        let members: Vec<usize> = self.members(chain).collect();
        let mut from = self.starts.clone();
        let num_all: usize = members.iter().map(|input| self.starts[*input]).sum();
        if num >= num_all {
            for input in &members {
                from[*input] = 0;
            }
        } else if let [only] = members.as_slice() {
            from[*only] -= num;
        } else {
            let last = |input: usize, from: &[usize]| {
                let last = self.earlier(input, 0..from[input]).next_back()?;
                Some(time_of(&self.whole[input], last))
            };
            for _ in 0..num {
                let Some(latest) = members.iter().copied().max_by_key(|input| last(*input, &from)) else {
                    break;
                };
                from[latest] = from[latest].saturating_sub(1);
            }
        }
        let empty = |input: &Input| Input {
            continues: input.continues,
            ..Input::new(Arc::clone(&input.source), Vec::new())
        };
        let mut inputs: Vec<Input> = self.whole.iter().map(empty).collect();
        for input in members {
            inputs[input].samples = self.earlier(input, from[input]..self.starts[input]).collect();
        }
        (inputs, num >= num_all)
    }
}

impl Before for Stretch<'_> {
    fn whole(&self) -> &[Input] {
        self.whole
    }

    fn find_previous(&self, decoded: &[(usize, Decoded)], options: &PipelineOptions, carried: &mut Carried) {
        let mut missing: BTreeMap<usize, Missing> = BTreeMap::new();
        let mut met: HashSet<ObjectKey> = HashSet::new();
        for (input, decoded) in decoded {
            let chain = chain_of(self.whole, *input);
            if self.members(chain).next().is_none() {
                continue;
            }
            for run in &decoded.runs {
                let Some(first) = run.clocks.time.first() else { continue };
                let key = key_of(chain, run);
                // Everything since its first sample counts in the history of an aggregate.
                let is_needed =
                    first.utc >= self.exact_from || run.object.aggregation == Aggregation::GlobalHistory;
                if carried.tails.has(&key)
                    || !met.insert(key.clone())
                    || !is_needed
                    || self.landmarks.is_begin(&key, first.utc)
                {
                    continue;
                }
                missing.entry(chain).or_default().insert(key, (Arc::clone(&run.object), first.utc));
            }
        }
        for (chain, missing) in missing {
            self.find_missing(chain, missing, options, carried);
        }
    }
}

/// The time of a sample of an input.
fn time_of(input: &Input, sample: u32) -> Timestamp {
    input.source.times().get(sample as usize).map_or(Timestamp(i64::MAX), |time| time.utc)
}
