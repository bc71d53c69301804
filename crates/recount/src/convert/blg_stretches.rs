//! The samples of a `.blg` in the order in which they are written.

use recount_compute::Input;
use recount_model::{SampleTime, Source, Timestamp};

use super::{ConvertError, Job};

/// Samples in the order of time.
pub(super) struct SourceStretch<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) samples: &'a [u32],
    /// Whether its values must not be compared with those of the previous stretch, because the clock was set
    /// back.
    pub(super) begins_epoch: bool,
    /// What other captures have at the same times.
    pub(super) beside: Vec<Beside<'a>>,
}

/// Samples of another capture, each at the time of one of a stretch.
pub(super) struct Beside<'a> {
    /// Its number among the others.
    pub(super) number: usize,
    pub(super) source: &'a dyn Source,
    pub(super) samples: Vec<u32>,
}

impl SourceStretch<'_> {
    pub(super) fn times(&self) -> impl Iterator<Item = SampleTime> {
        times(self.source, self.samples)
    }

    pub(super) fn span(&self) -> (Timestamp, Timestamp) {
        let utc = |time: Option<SampleTime>| time.unwrap_or_default().utc;
        (utc(self.times().next()), utc(self.times().last()))
    }
}

fn times(source: &dyn Source, samples: &[u32]) -> impl Iterator<Item = SampleTime> {
    let times = source.times();
    samples.iter().map(|&sample| times.get(sample as usize).copied().unwrap_or_default())
}

/// The samples of the job. A `.blg` is one recording: a reader computes values between any two samples that follow
/// each other in it, unless the clock goes back. The stretches are ordered accordingly.
pub(super) fn stretches<'a>(job: &'a Job<'_>) -> Result<Vec<SourceStretch<'a>>, ConvertError> {
    if let Some(cooked) = job.timeline.captures().iter().find(|capture| capture.source.info().is_cooked) {
        return Err(ConvertError::NotRaw { name: cooked.name() });
    }
    let mut inputs: Vec<(usize, &Input)> = job.timeline.inputs().iter().enumerate().collect();
    inputs.retain(|(_, input)| !input.samples.is_empty());
    let is_one_capture = job.timeline.captures().len() == 1;
    if is_one_capture {
        // Its inputs are its epochs, in the order of recording.
        inputs.sort_by_key(|(_, input)| epoch(input));
    }
    let mut stretches: Vec<SourceStretch<'a>> = Vec::with_capacity(inputs.len());
    let mut others: Vec<&Input> = Vec::new();
    let mut before: Option<usize> = None;
    for (at, input) in inputs {
        let (source, samples) = (&*input.source, &*input.samples);
        let mut stretch = SourceStretch { source, samples, begins_epoch: false, beside: Vec::new() };
        if let (Some(before), Some(last)) = (before, stretches.last()) {
            let goes_back = stretch.span().0 < last.span().1;
            stretch.begins_epoch = is_one_capture && goes_back;
            if !stretch.begins_epoch && is_one_capture {
                return Err(ConvertError::Apart);
            }
            if !is_one_capture && input.continues != Some(before) {
                others.push(input);
                continue;
            }
        }
        stretches.push(stretch);
        before = Some(at);
    }
    for (number, other) in others.into_iter().enumerate() {
        put_beside(&mut stretches, number, other)?;
    }
    Ok(stretches)
}

/// Puts samples of another capture of the same machine beside those of the same times.
fn put_beside<'a>(
    stretches: &mut [SourceStretch<'a>],
    number: usize,
    other: &'a Input,
) -> Result<(), ConvertError> {
    let times: Vec<Timestamp> = times(&*other.source, &other.samples).map(|time| time.utc).collect();
    let is_ascending = times.windows(2).all(|pair| pair[0] < pair[1]);
    let mut num_placed = 0;
    for stretch in stretches {
        if stretch.source.info().hosts != other.source.info().hosts {
            continue;
        }
        let known: Vec<Timestamp> = stretch.times().map(|time| time.utc).collect();
        let is_known = |(time, _): &(&Timestamp, &u32)| known.binary_search(time).is_ok();
        let placed = times.iter().zip(&other.samples).filter(is_known).map(|(_, sample)| *sample);
        let samples: Vec<u32> = placed.collect();
        num_placed += samples.len();
        stretch.beside.push(Beside { number, source: &*other.source, samples });
    }
    if is_ascending && num_placed == times.len() { Ok(()) } else { Err(ConvertError::Apart) }
}

fn epoch(input: &Input) -> u32 {
    input.samples.first().map_or(0, |&first| input.source.epoch(first as usize))
}
