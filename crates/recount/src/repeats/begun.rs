//! What one capture knows of a restart, or of a clock that was set, holds for the others of its recording.

use std::collections::BTreeMap;

use super::{ComparedPair, Repeats, is_sound, times};
use crate::Capture;

/// Notes at which samples of either capture the other one begins an epoch, for another reason than a loss. What a damaged capture says of a
/// sound one isn't taken for granted.
pub(super) fn add_epochs_begun(captures: &[Capture], pair: &ComparedPair, all: &mut [Repeats]) {
    let compared = &pair.compared;
    if compared.joined.len() < 2 || !pair.is_raw(captures) || compared.first_difference.is_some() {
        return;
    }
    let joined = compared.joined.iter().copied();
    let turned: Vec<(u32, u32)> =
        joined.clone().map(|(of_earlier, of_later)| (of_later, of_earlier)).collect();
    let joined: Vec<(u32, u32)> = joined.collect();
    for (knowing, other, joined) in [(pair.earlier, pair.later, joined), (pair.later, pair.earlier, turned)] {
        if is_sound(&captures[knowing]) || !is_sound(&captures[other]) {
            all[other].begun.extend(epochs_begun(&captures[knowing], &captures[other], &joined));
        }
    }
}

/// Samples of a capture with which another one begins an epoch. `joined` has the pairs of epochs, of that one and of this one, with a common sample.
fn epochs_begun(knowing: &Capture, other: &Capture, joined: &[(u32, u32)]) -> Vec<u32> {
    let (of_knowing, of_other) = (samples_by_epoch(knowing), samples_by_epoch(other));
    let mut within: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (epoch, epoch_of_other) in joined {
        within.entry(*epoch_of_other).or_default().push(*epoch);
    }
    let mut begun = Vec::new();
    for (epoch, mut inside) in within {
        let Some(samples) = of_other.get(&epoch) else { continue };
        inside.retain(|epoch| of_knowing.contains_key(epoch));
        let begin = |epoch: &u32| times(knowing)[of_knowing[epoch][0]].utc;
        let last = |epoch: &u32| of_knowing[epoch].last().map(|last| times(knowing)[*last].utc);
        let despite_losses = |epoch: &u32| knowing.source.epoch_despite_losses(of_knowing[epoch][0]);
        inside.sort_by_key(begin);
        for pair in inside.windows(2) {
            let since = begin(&pair[1]);
            let first = samples.partition_point(|sample| times(other)[*sample].utc < since);
            let is_end = despite_losses(&pair[0]) != despite_losses(&pair[1]) && last(&pair[0]) < Some(since);
            if is_end && first > 0 {
                begun.extend(samples.get(first).map(|sample| *sample as u32));
            }
        }
    }
    begun
}

/// Ascending, as their times are within an epoch.
fn samples_by_epoch(capture: &Capture) -> BTreeMap<u32, Vec<usize>> {
    let mut samples: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for sample in 0..times(capture).len() {
        samples.entry(capture.source.epoch(sample)).or_default().push(sample);
    }
    samples
}
