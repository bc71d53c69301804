//! Inputs that are read together: captures of one machine that have samples of the same time may have the same values.

use std::ops::Range;

use recount_compute::Input;

use super::time::Span;

/// Samples per chunk. Logs are read in stretches of about a hundred, so little is decoded in vain.
const LEN_CHUNK: usize = 256;

/// Inputs whose spans overlap, and the times of all their samples in 100 ns, ascending. They are cut into chunks of some samples; those
/// of one time stay together.
pub(crate) struct Together {
    pub(crate) inputs: Vec<usize>,
    times: Vec<i64>,
}

impl Together {
    /// All inputs, in the order of time.
    pub(crate) fn all(inputs: &[Input]) -> Vec<Together> {
        let mut order: Vec<usize> = (0..inputs.len()).filter(|at| !inputs[*at].samples.is_empty()).collect();
        order.sort_by_key(|at| times(&inputs[*at]).next());
        let mut all: Vec<Together> = Vec::new();
        // Those that may not have ended yet, with their ends.
        let mut open: Vec<(usize, i64)> = Vec::new();
        for at in order {
            let (Some(begin), Some(end)) = (times(&inputs[at]).next(), times(&inputs[at]).next_back()) else {
                continue;
            };
            open.retain(|(_, end)| *end >= begin);
            let is_with =
                |place: usize| all[place].inputs.iter().any(|other| may_share(&inputs[at], &inputs[*other]));
            let (with, apart): (Vec<_>, Vec<_>) = open.into_iter().partition(|(place, _)| is_with(*place));
            open = apart;
            let place = with.first().map_or(all.len(), |(place, _)| *place);
            if place == all.len() {
                all.push(Together { inputs: Vec::new(), times: Vec::new() });
            }
            // This one may connect some that weren't.
            for (other, _) in with.iter().skip(1) {
                let other = std::mem::take(&mut all[*other].inputs);
                all[place].inputs.extend(other);
            }
            all[place].inputs.push(at);
            open.push((place, with.iter().map(|(_, end)| *end).fold(end, i64::max)));
        }
        all.retain(|together| !together.inputs.is_empty());
        for together in &mut all {
            together.times = together.inputs.iter().flat_map(|at| times(&inputs[*at])).collect();
            together.times.sort_unstable();
        }
        all
    }

    /// The chunks that a span touches.
    pub(crate) fn chunks_in(&self, span: Span) -> Range<usize> {
        let from = self.times.partition_point(|time| *time < span.from);
        let to = self.times.partition_point(|time| *time <= span.to);
        if from >= to {
            return 0..0;
        }
        let chunk_of = |at: usize| {
            let chunk = at / LEN_CHUNK;
            if at < self.border(chunk) { chunk - 1 } else { chunk }
        };
        chunk_of(from)..chunk_of(to - 1) + 1
    }

    /// The times of a chunk's samples.
    pub(crate) fn times_of(&self, chunk: usize) -> &[i64] {
        &self.times[self.border(chunk)..self.border(chunk + 1)]
    }

    /// The first sample of a chunk.
    fn border(&self, chunk: usize) -> usize {
        let mut at = (chunk * LEN_CHUNK).min(self.times.len());
        while at > 0 && at < self.times.len() && self.times[at] == self.times[at - 1] {
            at += 1;
        }
        at
    }

    /// From the first to the last sample of some chunks; `None` if they have none.
    pub(crate) fn span_of(&self, chunks: &Range<usize>) -> Option<Span> {
        let times = &self.times[self.border(chunks.start)..self.border(chunks.end)];
        Some(Span { from: *times.first()?, to: *times.last()? })
    }
}

/// The times of an input's samples.
fn times(input: &Input) -> impl DoubleEndedIterator<Item = i64> + '_ {
    let all = input.source.times();
    input.samples.iter().map(|sample| all[*sample as usize].utc.0)
}

/// Whether both may have values of one machine.
fn may_share(one: &Input, other: &Input) -> bool {
    let hosts = &one.source.info().hosts;
    hosts.is_empty() || hosts.iter().any(|host| other.source.info().may_be_of(host))
}
