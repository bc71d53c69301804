//! What one capture knows of a restart holds for the others of its recording.

use std::collections::BTreeMap;

use recount_model::Timestamp;

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
    let mut known: Vec<Epoch> =
        of_knowing.values().filter_map(|samples| Epoch::of(knowing, samples)).collect();
    known.sort_by_key(|epoch| epoch.begin);
    let mut within: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (epoch, epoch_of_other) in joined {
        within.entry(*epoch_of_other).or_default().push(*epoch);
    }
    let mut begun = Vec::new();
    for (epoch, joined) in within.iter().filter(|(_, joined)| joined.len() > 1) {
        let Some(samples) = of_other.get(epoch) else { continue };
        // One without a sample that the other capture has may be in between.
        let is_joined = |known: &Epoch| joined.contains(&known.number);
        let (Some(first), Some(last)) = (known.iter().position(is_joined), known.iter().rposition(is_joined))
        else {
            continue;
        };
        for pair in known[first..=last].windows(2) {
            let since = pair[1].begin;
            let first = samples.partition_point(|sample| times(other)[*sample].utc < since);
            if pair[0].despite_losses != pair[1].despite_losses && pair[0].end < since && first > 0 {
                begun.extend(samples.get(first).map(|sample| *sample as u32));
            }
        }
    }
    begun
}

/// An epoch of a capture.
struct Epoch {
    number: u32,
    despite_losses: u32,
    begin: Timestamp,
    end: Timestamp,
}

impl Epoch {
    fn of(capture: &Capture, samples: &[usize]) -> Option<Epoch> {
        let (&first, &last) = (samples.first()?, samples.last()?);
        Some(Epoch {
            number: capture.source.epoch(first),
            despite_losses: capture.source.epoch_despite_losses(first),
            begin: times(capture)[first].utc,
            end: times(capture)[last].utc,
        })
    }
}

/// Ascending, as their times are within an epoch.
fn samples_by_epoch(capture: &Capture) -> BTreeMap<u32, Vec<usize>> {
    let mut samples: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for sample in 0..times(capture).len() {
        samples.entry(capture.source.epoch(sample)).or_default().push(sample);
    }
    samples
}
