//! The samples of a `.blg` in the order in which they are written.

use recount_compute::Input;
use recount_model::{SampleTime, Source, Timestamp};

use super::{ConvertError, Job};

/// Samples in the order of time.
pub(super) struct Stretch<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) samples: &'a [u32],
    /// Whether its values must not be compared with those of the previous stretch, because the clock was set
    /// back.
    pub(super) begins_epoch: bool,
}

impl Stretch<'_> {
    pub(super) fn times(&self) -> impl Iterator<Item = SampleTime> {
        let times = self.source.times();
        self.samples.iter().map(|&sample| times.get(sample as usize).copied().unwrap_or_default())
    }

    pub(super) fn span(&self) -> (Timestamp, Timestamp) {
        let utc = |time: Option<SampleTime>| time.unwrap_or_default().utc;
        (utc(self.times().next()), utc(self.times().last()))
    }
}

/// The samples of the job. A `.blg` is one recording: a reader computes values between any two samples that follow
/// each other in it, unless the clock goes back. The stretches are ordered accordingly.
pub(super) fn stretches<'a>(job: &'a Job<'_>) -> Result<Vec<Stretch<'a>>, ConvertError> {
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
    let mut stretches: Vec<Stretch<'a>> = Vec::with_capacity(inputs.len());
    let mut before: Option<usize> = None;
    for (at, input) in inputs {
        let mut stretch = Stretch { source: &*input.source, samples: &input.samples, begins_epoch: false };
        if let (Some(before), Some(last)) = (before, stretches.last()) {
            let goes_back = stretch.span().0 < last.span().1;
            stretch.begins_epoch = is_one_capture && goes_back;
            if !stretch.begins_epoch && (is_one_capture || input.continues != Some(before)) {
                return Err(ConvertError::Apart);
            }
        }
        stretches.push(stretch);
        before = Some(at);
    }
    Ok(stretches)
}

fn epoch(input: &Input) -> u32 {
    input.samples.first().map_or(0, |&first| input.source.epoch(first as usize))
}
