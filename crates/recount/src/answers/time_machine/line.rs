//! Consecutive samples of one machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use recount_compute::{Input, Landmarks, PipelineOptions, Stretch, TakenNames, chain_of, scan};
use recount_model::{SampleTime, Source, Timestamp, usual_step};

/// The samples of inputs that continue each other. Values are computed within a line, never across lines.
pub(super) struct Line {
    inputs: Vec<Input>,
    landmarks: Landmarks,
    /// Per input: the positions of its samples in the line, ascending.
    positions: Vec<Vec<usize>>,
    /// Per sample: its input.
    of_input: Vec<u32>,
    /// Per input: whether its samples are of several rounds of the recorder.
    has_several_rounds: Vec<bool>,
    /// Per sample, ascending.
    pub(super) times: Vec<SampleTime>,
    /// The usual time between two samples, in 100 ns.
    pub(super) step: i64,
}

/// The lines of the inputs, in the order of their first inputs.
pub(super) fn lines(inputs: &[Input]) -> Vec<Line> {
    let taken = TakenNames::find(inputs);
    let mut by_chain: BTreeMap<usize, Vec<&Input>> = BTreeMap::new();
    for (number, input) in inputs.iter().enumerate() {
        by_chain.entry(chain_of(inputs, number)).or_default().push(input);
    }
    let is_used = |inputs: &Vec<&Input>| inputs.iter().any(|input| !input.samples.is_empty());
    by_chain.into_values().filter(is_used).map(|inputs| Line::of(&inputs, taken.clone())).collect()
}

fn has_several_rounds(Input { source, samples, .. }: &Input) -> bool {
    let round = |sample: &u32| source.round(*sample as usize);
    samples.windows(2).any(|pair| round(&pair[0]) != round(&pair[1]))
}

impl Line {
    fn of(inputs: &[&Input], taken: TakenNames) -> Line {
        let mut all: Vec<(SampleTime, u32)> = Vec::new();
        for (number, input) in (0_u32..).zip(inputs) {
            let times = input.source.times();
            all.extend(input.samples.iter().map(|&sample| (times[sample as usize], number)));
        }
        // Stable: samples with the same time keep their order.
        all.sort_by_key(|(time, _)| time.utc);
        let mut positions: Vec<Vec<usize>> = vec![Vec::new(); inputs.len()];
        for (position, (_, number)) in all.iter().enumerate() {
            positions[*number as usize].push(position);
        }
        let times: Vec<SampleTime> = all.iter().map(|(time, _)| *time).collect();
        let chained =
            |(at, input): (usize, &&Input)| Input { continues: at.checked_sub(1), ..(*input).clone() };
        Line {
            inputs: inputs.iter().enumerate().map(chained).collect(),
            landmarks: Landmarks::with_names(taken),
            positions,
            of_input: all.into_iter().map(|(_, number)| number).collect(),
            has_several_rounds: inputs.iter().map(|input| has_several_rounds(input)).collect(),
            step: usual_step(times.iter().map(|time| time.utc)).unwrap_or(0),
            times,
        }
    }

    /// The last sample at or before a time.
    pub(super) fn at_or_before(&self, time: Timestamp) -> Option<usize> {
        self.times.partition_point(|one| one.utc <= time).checked_sub(1)
    }

    /// The first sample at or after a time.
    pub(super) fn at_or_after(&self, time: Timestamp) -> Option<usize> {
        Some(self.times.partition_point(|one| one.utc < time)).filter(|at| *at < self.times.len())
    }

    /// Per input: the range of its samples that are in a range of the line.
    fn parts(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let before = |positions: &[usize], end: usize| positions.partition_point(|at| *at < end);
        let part = |all: &Vec<usize>| before(all, range.start)..before(all, range.end);
        self.positions.iter().map(part).collect()
    }

    /// Some of the samples, to be read with the values that they have in the whole line.
    pub(super) fn stretch(&self, range: Range<usize>) -> Stretch<'_> {
        Stretch::new(&self.inputs, &self.landmarks, &self.parts(&range))
    }

    /// Some of the samples, to be decoded without values.
    pub(super) fn window(&self, range: Range<usize>) -> Vec<Input> {
        let cut = |(input, part): (&Input, Range<usize>)| Input {
            samples: input.samples[part].to_vec(),
            ..input.clone()
        };
        self.inputs.iter().zip(self.parts(&range)).map(cut).collect()
    }

    /// Size of a sample in its source, in bytes.
    pub(super) fn len_sample(&self, position: usize) -> usize {
        let (source, sample) = self.sample(position);
        source.len_sample(sample)
    }

    fn sample(&self, position: usize) -> (&Arc<dyn Source>, usize) {
        let number = self.of_input[position] as usize;
        let at = self.positions[number].partition_point(|one| *one < position);
        let input = &self.inputs[number];
        (&input.source, input.samples[at] as usize)
    }

    /// Whether each round of the recorder that took a sample at the time of this one also took one before: then what isn't in those has begun.
    pub(super) fn has_rounds_before(&self, position: usize) -> bool {
        let at_time = self.at_time(position);
        self.have_rounds(&at_time, 0..at_time.start)
    }

    /// Whether each also took one after: then what isn't in those has ended.
    pub(super) fn has_rounds_after(&self, position: usize) -> bool {
        let at_time = self.at_time(position);
        self.have_rounds(&at_time, at_time.end..self.times.len())
    }

    /// The samples at the time of one.
    fn at_time(&self, position: usize) -> Range<usize> {
        let time = self.times[position].utc;
        let first = self.times.partition_point(|one| one.utc < time);
        first..self.times.partition_point(|one| one.utc <= time)
    }

    fn have_rounds(&self, wanted: &Range<usize>, mut others: Range<usize>) -> bool {
        // Rounds are numbered by file; a file of one round goes on in others.
        let round = |position: usize| {
            let number = self.of_input[position];
            let (source, sample) = self.sample(position);
            self.has_several_rounds[number as usize].then(|| (number, source.round(sample)))
        };
        let mut missing: BTreeSet<Option<(u32, u32)>> = wanted.clone().map(round).collect();
        while let Some(other) = others.next().filter(|_| !missing.is_empty()) {
            missing.remove(&round(other));
        }
        missing.is_empty()
    }

    fn sources(&self) -> impl Iterator<Item = &Arc<dyn Source>> {
        self.inputs.iter().map(|input| &input.source)
    }

    /// Whether an object is in the first sample, in the last one, or listed by the sources without decoding.
    pub(super) fn has_object(&self, name: &str, options: &PipelineOptions) -> bool {
        let mut has = false;
        for at in [0, self.times.len() - 1] {
            let _ = scan(&self.window(at..at + 1), options, |decoded| {
                has |= decoded.runs.iter().any(|run| *run.object.name == *name);
                has |= decoded.cooked.iter().any(|cooked| *cooked.object.name == *name);
            });
        }
        has || self.sources().any(|source| {
            let known = source.objects();
            known.iter().any(|(_, object)| *object.name == *name)
        })
    }

    /// Whether two lines are epochs of one capture.
    pub(super) fn shares_source(&self, other: &Line) -> bool {
        self.sources().any(|one| other.sources().any(|other| Arc::ptr_eq(one, other)))
    }

    /// Whether two lines may be of one machine.
    pub(super) fn shares_host(&self, other: &Line) -> bool {
        let hosts = |line: &Line| -> Vec<Arc<str>> {
            line.sources().flat_map(|source| source.info().hosts.clone()).collect()
        };
        let (own, others) = (hosts(self), hosts(other));
        own.is_empty() || others.is_empty() || own.iter().any(|host| others.contains(host))
    }
}
