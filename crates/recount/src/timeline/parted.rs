//! Captures that begin an epoch where another one of their recording begins one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recount_model::{Change, Changed, Decoded, Selection, Source};

use crate::Capture;
use crate::repeats::{Repeats, repeats};

/// What each capture shares with the others, which then agree about where an epoch begins.
pub(super) fn repeats_of_parted(captures: &mut [Capture]) -> Vec<Repeats> {
    loop {
        let found = repeats(captures);
        if found.iter().all(|repeats| repeats.begun.is_empty()) {
            return found;
        }
        for (capture, repeats) in
            captures.iter_mut().zip(found).filter(|(_, repeats)| !repeats.begun.is_empty())
        {
            let parted = Parted::of(&*capture.source, &repeats.begun.into_iter().collect());
            capture.source = Changed::of(Arc::clone(&capture.source), parted);
            capture.is_parted = true;
        }
    }
}

/// The epochs of a source's samples.
struct Parted {
    epochs: Vec<u32>,
    despite_losses: Vec<u32>,
}

impl Parted {
    /// With more epochs: the rest of an epoch from each of these samples on.
    fn of(source: &dyn Source, begun: &BTreeSet<u32>) -> Parted {
        let parted = |epoch: &dyn Fn(usize) -> u32| {
            let mut num_begun: BTreeMap<u32, u32> = BTreeMap::new();
            let key = |sample: usize| {
                let epoch = epoch(sample);
                let num = num_begun.entry(epoch).or_default();
                *num += u32::from(begun.contains(&(sample as u32)));
                (epoch, *num)
            };
            let keys: Vec<(u32, u32)> = (0..source.times().len()).map(key).collect();
            let known: Vec<&(u32, u32)> = keys.iter().collect::<BTreeSet<_>>().into_iter().collect();
            let number = |key: &(u32, u32)| known.partition_point(|known| *known < key) as u32;
            keys.iter().map(number).collect::<Vec<u32>>()
        };
        Parted {
            epochs: parted(&|sample| source.epoch(sample)),
            despite_losses: parted(&|sample| source.epoch_despite_losses(sample)),
        }
    }
}

impl Change for Parted {
    fn epoch(&self, _: &dyn Source, sample: usize) -> u32 {
        self.epochs.get(sample).copied().unwrap_or_default()
    }

    fn epoch_despite_losses(&self, _: &dyn Source, sample: usize) -> u32 {
        self.despite_losses.get(sample).copied().unwrap_or_default()
    }

    fn decoded(&self, decoded: Decoded, _: &Selection) -> Decoded {
        decoded
    }
}
