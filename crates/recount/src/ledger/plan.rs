//! Which rows to write and to remove.

use std::collections::{BTreeMap, BTreeSet};

use recount_model::Timestamp;

use super::unit::Unit;
use super::{IN_TABLE, Ledger};

/// Rows of a capture between two of its samples, both inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerStretch {
    /// Time of the first sample.
    pub begin: Timestamp,
    /// Time of the last sample.
    pub end: Timestamp,
    /// The objects whose rows are needed; `None`: all.
    pub units: Option<Vec<Unit>>,
}

/// Rows that a capture adds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rows {
    /// Their `capture_id`.
    pub id: String,
    /// Where they are, in the order of time.
    pub stretches: Vec<LedgerStretch>,
}

/// Rows that the table has no more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// Their `capture_id`.
    pub id: String,
    /// Their object, of a machine whose name is in lower case.
    pub unit: Unit,
    /// Their times, ascending.
    pub times: Vec<Timestamp>,
}

impl Ledger {
    /// The counters of an object in a sample of a part whose rows another part has.
    fn without(&self, part: usize, time: Timestamp, unit: &Unit) -> Option<&BTreeSet<Unit>> {
        if self.without.is_empty() { None } else { self.without.get(&(part, time, unit.clone())) }
    }

    /// The rows to add of each capture, in the order in which they were added here.
    pub fn rows(&self) -> Vec<Option<Rows>> {
        // Per capture: the objects that it has the rows of, by time.
        let mut owned: Vec<BTreeMap<Timestamp, Owned<'_>>> = vec![BTreeMap::new(); self.added.len()];
        for (number, part) in self.parts.iter().enumerate() {
            for (sample, owners) in part.digest.samples.iter().zip(&part.owners) {
                let owned_atoms = sample.atoms.iter().zip(owners).filter(|(_, owner)| **owner != IN_TABLE);
                for (atom, owner) in owned_atoms {
                    let of_sample = owned[*owner as usize].entry(sample.time.utc).or_default();
                    let unit = &part.digest.units[atom.unit as usize];
                    match self.without(number, sample.time.utc, unit) {
                        Some(without) => {
                            let counters = part.digest.totals.counters(unit);
                            of_sample.units.extend(counters.filter(|counter| !without.contains(counter)));
                            of_sample.is_cut = true;
                        }
                        None => drop(of_sample.units.insert(unit)),
                    }
                }
            }
        }
        let rows = self.added.iter().zip(&owned).map(|((digest, part), owned)| {
            let mut stretches: Vec<LedgerStretch> = Vec::new();
            let mut is_next = false;
            for sample in &digest.samples {
                let Some(owned) = owned.get(&sample.time.utc) else {
                    is_next = false;
                    continue;
                };
                let is_all = !owned.is_cut && owned.units.len() == sample.atoms.len();
                let units = (!is_all).then(|| owned.units.iter().copied().cloned().collect());
                let time = sample.time.utc;
                match stretches.last_mut().filter(|last| is_next && last.units == units) {
                    Some(last) => last.end = time,
                    None => stretches.push(LedgerStretch { begin: time, end: time, units }),
                }
                is_next = true;
            }
            part.filter(|_| !stretches.is_empty())
                .map(|part| Rows { id: self.parts[part].id.clone(), stretches })
        });
        rows.collect()
    }

    /// The rows that better ones replace.
    pub fn removed(&self) -> Vec<Removed> {
        let mut all: BTreeMap<(usize, &Unit), Vec<Timestamp>> = BTreeMap::new();
        for (part, unit, time) in &self.removed {
            all.entry((*part, unit)).or_default().push(*time);
        }
        let removed = all.into_iter().map(|((part, unit), mut times)| {
            times.sort_unstable();
            times.dedup();
            Removed { id: self.parts[part].id.clone(), unit: unit.clone(), times }
        });
        removed.collect()
    }
}

/// What a capture has the rows of in a sample.
#[derive(Clone, Default)]
struct Owned<'a> {
    units: BTreeSet<&'a Unit>,
    /// Whether it lacks some counters of an object.
    is_cut: bool,
}
