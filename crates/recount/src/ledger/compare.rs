//! Whether two digests are of one recording (`formats/ledger.md#one-recording`).

use std::collections::HashMap;

use recount_model::SampleTime;

use super::digest::{Atom, Digest, Sample, Unit};

/// What two digests have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Common {
    /// Objects of samples that both have with the same values.
    pub(crate) num_same: u64,
    /// The first sample and object that can't be of one recording.
    pub(crate) differing: Option<(SampleTime, Unit)>,
    /// The first time that both have with the same values, in each of them.
    pub(crate) first_same: Option<(SampleTime, SampleTime)>,
}

impl Common {
    /// Whether both are parts of one recording.
    pub(crate) fn is_one(&self) -> bool {
        self.num_same > 0 && self.differing.is_none()
    }
}

/// What two atoms of one time and object say about their recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The same values.
    Same,
    /// Neither for nor against: one has no value, or lacks some as the first sample of a file does, or a damaged one.
    Unclear,
    /// Other values.
    Other,
}

impl Relation {
    pub(crate) fn of(one: &Atom, other: &Atom) -> Relation {
        if one.shape == other.shape && one.count == other.count {
            return match (one.hash == other.hash, one.count) {
                (true, 0) => Relation::Unclear,
                (true, _) => Relation::Same,
                (false, _) => Relation::Other,
            };
        }
        let is_explained = one.count == 0
            || other.count == 0
            || one.step != other.step
            || one.step == 0
            || one.is_damaged
            || other.is_damaged;
        if is_explained { Relation::Unclear } else { Relation::Other }
    }
}

/// Compares a digest with what is known, by UTC or, with `by_local`, by the local times of both.
pub(crate) fn compare(known: &Digest, new: &Digest, by_local: bool) -> Common {
    let key = |sample: &Sample| if by_local { sample.time.local().0 } else { sample.time.utc.0 };
    let by_time: HashMap<i64, &Sample> = known.samples.iter().map(|sample| (key(sample), sample)).collect();
    let numbers: HashMap<&Unit, u32> = known.units.iter().zip(0..).collect();
    let of_known: Vec<Option<u32>> = new.units.iter().map(|unit| numbers.get(unit).copied()).collect();
    let mut common = Common::default();
    for sample in &new.samples {
        let Some(before) = by_time.get(&key(sample)) else { continue };
        for atom in &sample.atoms {
            let Some(known) = of_known[atom.unit as usize].and_then(|unit| before.atom(unit)) else {
                continue;
            };
            match Relation::of(known, atom) {
                Relation::Same => {
                    common.num_same += 1;
                    common.first_same.get_or_insert((before.time, sample.time));
                }
                Relation::Unclear => {}
                Relation::Other => {
                    let unit = new.units[atom.unit as usize].clone();
                    common.differing.get_or_insert((sample.time, unit));
                    // One is enough.
                    return common;
                }
            }
        }
    }
    common
}

impl Sample {
    /// What it has of an object.
    pub(crate) fn atom(&self, unit: u32) -> Option<&Atom> {
        self.atoms.binary_search_by_key(&unit, |atom| atom.unit).ok().map(|at| &self.atoms[at])
    }
}

impl Atom {
    /// Whether its rows are better than those of another of the same recording: not worse in anything, and with more
    /// values, or with values over a shorter time.
    pub(crate) fn is_better_than(&self, other: &Atom) -> bool {
        let long = |atom: &Atom| if atom.step == 0 { i64::MAX } else { atom.step };
        let (own, others) = (long(self), long(other));
        let is_worse = own > others
            || self.count < other.count
            || (own == others && self.before < other.before)
            || (self.count == other.count && self.shape != other.shape);
        let is_more = own < others || self.count > other.count || self.before > other.before;
        !is_worse && is_more
    }
}
