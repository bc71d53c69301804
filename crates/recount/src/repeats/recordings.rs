//! Which captures are parts of one recording.

use std::collections::{BTreeMap, HashSet};

use super::{ComparedPair, Repeats};
use crate::Capture;

/// An epoch of a capture. Only the samples of one may be compared.
type Part = (usize, u32);

/// The parts of recordings. Parts of one have samples in common, directly or by way of others.
pub(super) struct Recordings {
    /// The recording of each part: the number of one of its parts.
    of_part: BTreeMap<Part, usize>,
}

impl Recordings {
    /// Two epochs of a capture are parts of one recording only if nothing but a loss is between them, and captures with raw values
    /// that contradict each other never are: rates would be computed between the samples of two machines.
    pub(super) fn of<'a>(
        captures: &[Capture],
        pairs: impl Iterator<Item = &'a ComparedPair> + Clone,
    ) -> Recordings {
        let apart: HashSet<(usize, usize)> = pairs
            .clone()
            .filter(|pair| pair.compared.first_difference.is_some())
            .filter(|pair| pair.is_raw(captures))
            .flat_map(|pair| [(pair.earlier, pair.later), (pair.later, pair.earlier)])
            .collect();
        let mut epochs: Vec<BTreeMap<u32, u32>> = captures.iter().map(epochs_despite_losses).collect();
        for (capture, sample) in pairs.clone().flat_map(ComparedPair::samples_with_false_times) {
            join_around(&mut epochs[capture], &captures[capture], sample);
        }
        let is_one_epoch =
            |one: &Part, other: &Part| epochs[one.0].get(&one.1) == epochs[other.0].get(&other.1);
        let mut of_part: BTreeMap<Part, usize> = BTreeMap::new();
        let mut members: Vec<Vec<Part>> = Vec::new();
        for pair in pairs {
            for (of_earlier, of_later) in &pair.compared.joined {
                let [one, other] = [(pair.earlier, *of_earlier), (pair.later, *of_later)].map(|part| {
                    *of_part.entry(part).or_insert_with(|| {
                        members.push(vec![part]);
                        members.len() - 1
                    })
                });
                let (to, from) = (one.min(other), one.max(other));
                let may_join = |one: &Part, other: &Part| {
                    if one.0 == other.0 {
                        is_one_epoch(one, other)
                    } else {
                        !apart.contains(&(one.0, other.0))
                    }
                };
                let is_joined = from != to
                    && members[from].iter().all(|one| members[to].iter().all(|other| may_join(one, other)));
                if is_joined {
                    let moved = std::mem::take(&mut members[from]);
                    of_part.extend(moved.iter().map(|part| (*part, to)));
                    members[to].extend(moved);
                }
            }
        }
        Recordings { of_part }
    }

    pub(super) fn write_to(self, all: &mut [Repeats]) {
        for ((capture, epoch), recording) in self.of_part {
            all[capture].recordings.insert(epoch, recording);
        }
    }
}

/// For each epoch of a capture, the one that it is a part of if losses end none.
fn epochs_despite_losses(capture: &Capture) -> BTreeMap<u32, u32> {
    let source = &*capture.source;
    let samples = 0..source.times().len();
    samples.map(|sample| (source.epoch(sample), source.epoch_despite_losses(sample))).collect()
}

/// A sample with a false time looks as if a clock had been set: the epochs before and after it are one.
fn join_around(epochs: &mut BTreeMap<u32, u32>, capture: &Capture, sample: u32) {
    let num = capture.source.times().len();
    let near = (sample as usize).saturating_sub(1)..(sample as usize + 2).min(num);
    let joined: Vec<u32> =
        near.filter_map(|sample| epochs.get(&capture.source.epoch(sample)).copied()).collect();
    let Some(to) = joined.iter().min().copied() else { return };
    for epoch in epochs.values_mut().filter(|epoch| joined.contains(epoch)) {
        *epoch = to;
    }
}
