//! Consecutive samples of one machine.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use recount_compute::{Input, PipelineOptions, chain_of, scan};
use recount_model::{SampleTime, Source, Timestamp};

/// The samples of inputs that continue each other. Values are computed within a line, never across lines.
pub(super) struct Line {
    sources: Vec<Arc<dyn Source>>,
    /// Per sample: its source, and its index there.
    samples: Vec<(u32, u32)>,
    /// Per sample, ascending.
    pub(super) times: Vec<SampleTime>,
    /// The usual time between two samples, in 100 ns.
    pub(super) step: i64,
}

/// The lines of the inputs, in the order of their first inputs.
pub(super) fn lines(inputs: &[Input]) -> Vec<Line> {
    let mut by_chain: BTreeMap<usize, Vec<&Input>> = BTreeMap::new();
    for (number, input) in inputs.iter().enumerate().filter(|(_, input)| !input.samples.is_empty()) {
        by_chain.entry(chain_of(inputs, number)).or_default().push(input);
    }
    by_chain.into_values().map(|inputs| Line::of(&inputs)).collect()
}

impl Line {
    fn of(inputs: &[&Input]) -> Line {
        let mut all: Vec<(SampleTime, u32, u32)> = Vec::new();
        for (number, input) in (0_u32..).zip(inputs) {
            let times = input.source.times();
            let samples = input.samples.iter();
            all.extend(samples.filter_map(|&sample| Some((*times.get(sample as usize)?, number, sample))));
        }
        // Stable: samples with the same time keep their order.
        all.sort_by_key(|(time, ..)| time.utc);
        let times: Vec<SampleTime> = all.iter().map(|(time, ..)| *time).collect();
        Line {
            sources: inputs.iter().map(|input| Arc::clone(&input.source)).collect(),
            samples: all.into_iter().map(|(_, source, sample)| (source, sample)).collect(),
            step: usual_step(&times),
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

    /// Some of the samples, as inputs that continue each other.
    pub(super) fn window(&self, range: Range<usize>) -> Vec<Input> {
        let mut of_source: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (source, sample) in self.samples.get(range).unwrap_or_default() {
            of_source.entry(*source).or_default().push(*sample);
        }
        let mut inputs = Vec::with_capacity(of_source.len());
        for (source, samples) in of_source {
            let source = Arc::clone(&self.sources[source as usize]);
            inputs.push(Input { source, samples, continues: (!inputs.is_empty()).then_some(0) });
        }
        inputs
    }

    /// Size of a sample in its source, in bytes.
    pub(super) fn len_sample(&self, position: usize) -> usize {
        let (source, sample) = self.samples[position];
        self.sources[source as usize].len_sample(sample as usize)
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
        has || self.sources.iter().any(|source| {
            let known = source.objects();
            known.iter().any(|(_, object)| *object.name == *name)
        })
    }

    /// Whether two lines are epochs of one capture.
    pub(super) fn shares_source(&self, other: &Line) -> bool {
        self.sources.iter().any(|one| other.sources.iter().any(|other| Arc::ptr_eq(one, other)))
    }

    /// Whether two lines may be of one machine.
    pub(super) fn shares_host(&self, other: &Line) -> bool {
        let hosts = |line: &Line| -> Vec<Arc<str>> {
            line.sources.iter().flat_map(|source| source.info().hosts.clone()).collect()
        };
        let (own, others) = (hosts(self), hosts(other));
        own.is_empty() || others.is_empty() || own.iter().any(|host| others.contains(host))
    }
}

/// The median of the times between samples; 0 if there is one sample.
fn usual_step(times: &[SampleTime]) -> i64 {
    let mut steps: Vec<i64> =
        times.windows(2).map(|pair| pair[1].utc.0.saturating_sub(pair[0].utc.0)).collect();
    if steps.is_empty() {
        return 0;
    }
    // Of two middle ones the smaller: the larger may be a gap.
    let middle = (steps.len() - 1) / 2;
    *steps.select_nth_unstable(middle).1
}
