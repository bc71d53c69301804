//! Which stretch of samples another one continues, so that its first values are compared with the last ones of that.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use recount_compute::Input;
use recount_model::Timestamp;

use super::strands::InputStretch;
use crate::Capture;

/// What is asked of the captures where one stretch ends and another begins.
pub(super) struct Seams<'a> {
    captures: &'a [Capture],
    /// Per capture, by number. Most captures are never asked.
    epochs: Vec<OnceCell<BTreeMap<u32, Epoch>>>,
}

/// The samples of one epoch of a capture.
struct Epoch {
    first: usize,
    last: usize,
    /// Its earliest time.
    begin: Timestamp,
}

impl<'a> Seams<'a> {
    pub(super) fn of(captures: &'a [Capture]) -> Seams<'a> {
        Seams { captures, epochs: captures.iter().map(|_| OnceCell::new()).collect() }
    }

    /// The stretch whose samples a later one continues.
    pub(super) fn continued(&self, stretches: &[InputStretch], later: usize) -> Option<usize> {
        let begun = &stretches[later];
        let of_recording =
            |earlier: &usize| begun.recording.is_some() && stretches[*earlier].recording == begun.recording;
        if let Some(last) = (0..later).rev().find(of_recording) {
            return Some(last);
        }
        let begin = begun.begin();
        let is_before = |earlier: &usize| {
            let stretch = &stretches[*earlier];
            self.is_same_recorder(stretch, begun) && stretch.end().is_some_and(|end| Some(end) < begin)
        };
        // Only the last one can be continued: what happened between it and earlier ones is unknown. If a clock was set back, the last one by
        // the order of its capture isn't the last one by time.
        let end = |earlier: &usize| stretches[*earlier].end();
        let is_ended = |earlier: &usize| self.is_ended(&stretches[*earlier], begin);
        let newest = (0..later).filter(is_before).max_by_key(end);
        // Epochs of one capture are separate because its clock jumped between them.
        let newest = newest.filter(|newest| stretches[*newest].capture != begun.capture);
        let last = newest.filter(|newest| !is_ended(newest)).or_else(|| {
            let capture = stretches[newest?].capture;
            let of_capture = |earlier: &usize| stretches[*earlier].capture == capture;
            (0..later)
                .filter(|earlier| of_capture(earlier) && is_before(earlier) && !is_ended(earlier))
                .max_by_key(end)
        });
        let is_continued = |last: &usize| goes_on(&stretches[*last], begun) && !self.is_begun_anew(begun);
        last.filter(is_continued)
    }

    /// Whether both may be of one recorder: format and machine are the same.
    fn is_same_recorder(&self, one: &InputStretch, other: &InputStretch) -> bool {
        let (one, other) = (&self.captures[one.capture], &self.captures[other.capture]);
        one.format == other.format && one.source.info().hosts == other.source.info().hosts
    }

    /// Whether a capture of which the first sample of a stretch is has an earlier epoch, and none of this one's samples before it: it has a
    /// restart, or a clock that was set, in between. Its own samples before that may be in another capture, too, and were left out.
    fn is_begun_anew(&self, begun: &InputStretch) -> bool {
        begun.places(0).any(|(capture, sample)| {
            let epochs = self.epochs(capture);
            let own = self.captures[capture].source.epoch_despite_losses(sample);
            epochs.range(..own).next().is_some() && epochs.get(&own).is_some_and(|own| own.first == sample)
        })
    }

    /// Whether a capture of which the last sample of a stretch is has a later epoch that begins by some time, and none of this one's samples
    /// after it.
    fn is_ended(&self, stretch: &InputStretch, by: Option<Timestamp>) -> bool {
        let last = stretch.input.samples.len().checked_sub(1);
        last.into_iter().flat_map(|last| stretch.places(last)).any(|(capture, sample)| {
            let epochs = self.epochs(capture);
            let own = self.captures[capture].source.epoch_despite_losses(sample);
            let mut later = epochs.range(own.saturating_add(1)..);
            later.any(|(_, later)| Some(later.begin) <= by)
                && epochs.get(&own).is_some_and(|own| own.last == sample)
        })
    }

    fn epochs(&self, capture: usize) -> &BTreeMap<u32, Epoch> {
        self.epochs[capture].get_or_init(|| {
            let source = &*self.captures[capture].source;
            let mut epochs: BTreeMap<u32, Epoch> = BTreeMap::new();
            for (sample, time) in source.times().iter().enumerate() {
                let number = source.epoch_despite_losses(sample);
                let epoch =
                    epochs.entry(number).or_insert(Epoch { first: sample, last: sample, begin: time.utc });
                epoch.last = sample;
                epoch.begin = epoch.begin.min(time.utc);
            }
            epochs
        })
    }
}

/// Whether counters kept counting from one stretch to the next: the same machine, without a restart in between. If in
/// doubt, the later one starts afresh, with first samples.
fn goes_on(earlier: &InputStretch, later: &InputStretch) -> bool {
    let since = |input: &Input, sample: Option<&u32>| {
        sample.map(|sample| input.source.counts_since(*sample as usize)).unwrap_or_default()
    };
    let Some(end) = earlier.end() else { return false };
    let (earlier, later) = (&earlier.input, &later.input);
    earlier.source.info().hosts.len() == 1
        && since(earlier, earlier.samples.last()).goes_on(end, since(later, later.samples.first()))
}
