//! Several captures as one time line, cut into slices of bounded size.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use recount_model::Timestamp;

use crate::Input;

/// Stretches of samples, at most one per input, between the same two points in time. The slices of a time
/// line are in order and don't overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    /// Per input that has samples here: its index, and the samples.
    pub(crate) parts: Vec<(usize, Vec<u32>)>,
    /// Their total size in the sources, in bytes.
    pub(crate) len_raw: usize,
}

/// More samples in one slice have no benefit.
const MAX_SAMPLES: usize = 16_384;

/// Cuts the samples of all inputs, in time order, into slices of about `len_slice` bytes. A sample is never
/// cut, so a slice may be as long as its largest sample.
pub(crate) fn slices(inputs: &[Input], len_slice: usize) -> impl Iterator<Item = Slice> {
    let mut taken = vec![0_usize; inputs.len()];
    let mut heads: BinaryHeap<Reverse<Head>> =
        (0..inputs.len()).filter_map(|input| head(inputs, input, 0)).map(Reverse).collect();
    std::iter::from_fn(move || {
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); inputs.len()];
        let (mut len_raw, mut num_samples) = (0_usize, 0_usize);
        let mut until: Option<Timestamp> = None;
        while let Some(&Reverse((time, input))) = heads.peek() {
            // Samples with equal times stay together: a row of a table may need all of them.
            let is_full = len_raw >= len_slice || num_samples >= MAX_SAMPLES;
            if is_full && until.is_some_and(|until| time > until) {
                break;
            }
            heads.pop();
            until = Some(time);
            let sample = inputs[input].samples[taken[input]];
            len_raw += inputs[input].source.len_sample(sample as usize);
            num_samples += 1;
            parts[input].push(sample);
            taken[input] += 1;
            heads.extend(head(inputs, input, taken[input]).map(Reverse));
        }
        let parts: Vec<_> =
            parts.into_iter().enumerate().filter(|(_, samples)| !samples.is_empty()).collect();
        (!parts.is_empty()).then_some(Slice { parts, len_raw })
    })
}

/// The next sample of an input: its time, and the input.
type Head = (Timestamp, usize);

fn head(inputs: &[Input], input: usize, taken: usize) -> Option<Head> {
    let sample = *inputs[input].samples.get(taken)?;
    Some((inputs[input].source.times().get(sample as usize)?.utc, input))
}
