//! Inputs that continue each other as one source, which knows when all of their samples are. Its values aren't read.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use recount_model::{Decoded, Opened, SampleTime, Selection, Source, Timestamp};

use crate::{Input, chain_of};

/// Inputs as one source. The samples of those that continue each other are in one epoch.
pub struct Chained {
    opened: Opened,
    epochs: Vec<u32>,
}

impl Chained {
    /// Some of the inputs, by index, of which there is one at least: all samples of the epochs that they are of, used or not.
    pub fn of(inputs: &[Input], members: &[usize]) -> Chained {
        let mut chains: BTreeMap<(Timestamp, usize), SampleTime> = BTreeMap::new();
        let mut known: HashSet<(*const (), u32, usize)> = HashSet::new();
        for &member in members {
            let Input { source, samples, before, .. } = &inputs[member];
            let Some(first) = samples.first().or(before.first()) else { continue };
            let (epoch, chain) = (source.epoch(*first as usize), chain_of(inputs, member));
            // The stretches of a file have one source.
            if !known.insert((Arc::as_ptr(source).cast(), epoch, chain)) {
                continue;
            }
            let times = source.times().iter().enumerate();
            for (_, time) in times.filter(|(sample, _)| source.epoch(*sample) == epoch) {
                chains.insert((time.utc, chain), *time);
            }
        }
        let mut opened =
            members.first().map(|first| inputs[*first].source.opened().clone()).unwrap_or_default();
        opened.times = chains.values().copied().collect();
        Chained { opened, epochs: chains.keys().map(|(_, chain)| *chain as u32).collect() }
    }
}

impl Source for Chained {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.epochs.get(sample).copied().unwrap_or_default()
    }

    fn len_sample(&self, _: usize) -> usize {
        0
    }

    fn decode(&self, _: &[u32], _: &Selection) -> Decoded {
        Decoded::default()
    }
}

/// The chains of some inputs.
pub(crate) struct Chains {
    /// By the first input of each: its inputs.
    members: BTreeMap<usize, Vec<usize>>,
    /// The same, put together when one is first asked for.
    put_together: BTreeMap<usize, OnceLock<Chained>>,
}

impl Chains {
    pub(crate) fn of(inputs: &[Input]) -> Chains {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut first_of: Vec<usize> = Vec::with_capacity(inputs.len());
        for (at, input) in inputs.iter().enumerate() {
            let first = input.continues.and_then(|before| first_of.get(before)).copied().unwrap_or(at);
            first_of.push(first);
            members.entry(first).or_default().push(at);
        }
        let has_several = |members: &[usize]| {
            members.iter().any(|at| !Arc::ptr_eq(&inputs[*at].source, &inputs[members[0]].source))
        };
        let several = members.iter().filter(|(_, members)| has_several(members));
        let put_together = several.map(|(first, _)| (*first, OnceLock::new())).collect();
        Chains { members, put_together }
    }

    /// The inputs of a chain, by the first one.
    pub(crate) fn members(&self, first: usize) -> &[usize] {
        self.members.get(&first).map_or(&[], Vec::as_slice)
    }

    /// The source of a chain: that of its inputs, if they have the same.
    pub(crate) fn source<'a>(&'a self, inputs: &'a [Input], first: usize) -> &'a dyn Source {
        match self.put_together.get(&first) {
            Some(chain) => chain.get_or_init(|| Chained::of(inputs, self.members(first))),
            None => &*inputs[first].source,
        }
    }
}
