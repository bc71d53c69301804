//! Whether two digests are of one recording (`formats/ledger.md#one-recording`).

use std::collections::{BTreeMap, HashMap, HashSet};

use recount_model::SampleTime;

use super::difference::{Difference, DifferenceKind};
use super::digest::{Atom, Digest, Sample};
use super::nameless::aliases;
use super::relation::Relation;
use super::totals::{Likeness, MOMENT};
use super::unit::Unit;

/// What two digests have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Common {
    /// Objects of samples that both have with the same values.
    pub(crate) num_same: u64,
    /// The first sample and object that can't be of one recording.
    pub(crate) differing: Option<Difference>,
    /// The first time that both have with the same values, in each of them.
    pub(crate) first_same: Option<(SampleTime, SampleTime)>,
    /// Whether only their totals agree: one may be made from the other.
    pub(crate) is_alike: bool,
    /// Units of the new one that the known one has under other names, by their numbers.
    pub(crate) aliases: HashMap<u32, u32>,
    /// Units of the new one of which a damaged and a sound capture have the same in most samples: elsewhere, the sound one's count.
    pub(crate) healed: HashSet<u32>,
}

/// Of a unit, what a damaged and a sound capture have at the same times.
#[derive(Default)]
struct Doubt {
    num_same: u64,
    num_other: u64,
    first: Option<Difference>,
}

impl Common {
    /// Whether both are parts of one recording.
    pub(crate) fn is_one(&self) -> bool {
        self.num_same > 0 && self.differing.is_none()
    }
}

/// Compares a digest with what is known, by UTC or, with `by_local`, by the local times of both.
pub(crate) fn compare(known: &Digest, new: &Digest, by_local: bool) -> Common {
    let key = |sample: &Sample| if by_local { sample.time.local().0 } else { sample.time.utc.0 };
    let by_time: HashMap<i64, &Sample> = known.samples.iter().map(|sample| (key(sample), sample)).collect();
    let numbers: HashMap<&Unit, u32> = known.units.iter().zip(0..).collect();
    let aliases = aliases(known, new);
    let by_name: Vec<Option<u32>> = new.units.iter().map(|unit| numbers.get(unit).copied()).collect();
    let known_units = &known.units;
    let mut common = Common { aliases, ..Common::default() };
    let mut doubts: BTreeMap<u32, Doubt> = BTreeMap::new();
    for sample in &new.samples {
        let Some(before) = by_time.get(&key(sample)) else { continue };
        for atom in &sample.atoms {
            let named = by_name[atom.unit as usize];
            let number = named.or_else(|| common.aliases.get(&atom.unit).copied());
            let Some(known) = number.and_then(|number| before.atom(number)) else { continue };
            let unit = &new.units[atom.unit as usize];
            let is_alias = number.is_some_and(|number| known_units[number as usize].object != unit.object);
            let relation = if is_alias {
                Relation::of_alias(known, atom)
            } else {
                Relation::of(known, atom, unit.counter.is_some())
            };
            let is_doubtful =
                known.is_damaged != atom.is_damaged && unit.counter.is_none() && known.count > 0;
            if is_doubtful && atom.count > 0 {
                let doubt = doubts.entry(atom.unit).or_default();
                doubt.num_same += u64::from(relation == Relation::Same);
                doubt.num_other += u64::from(relation != Relation::Same);
                if relation == Relation::Other {
                    let kind = DifferenceKind::Values;
                    doubt.first.get_or_insert(Difference { time: sample.time, unit: unit.clone(), kind });
                    continue;
                }
            }
            if relation == Relation::Same {
                common.num_same += 1;
                common.first_same.get_or_insert((before.time, sample.time));
            }
            let Some(kind) = relation.difference() else { continue };
            let found = Difference { time: sample.time, unit: unit.clone(), kind };
            // Another value says more than a missing one, and one is enough.
            if kind == DifferenceKind::Values {
                common.differing = Some(found);
                return common;
            }
            common.differing.get_or_insert(found);
        }
    }
    for (unit, doubt) in doubts {
        if doubt.num_same > doubt.num_other {
            common.healed.insert(unit);
        } else if let Some(found) = doubt.first {
            common.differing = Some(found);
            return common;
        }
    }
    common
}

/// Compares two captures by their values, or, where these can't be compared one by one, by their totals.
pub(crate) fn relate(known: &Digest, new: &Digest) -> Common {
    let mut common = compare(known, new, false);
    let is_of_other_kind = known.is_cooked() != new.is_cooked();
    // Raw values that are the same are the same one by one, unless the capture that was made from another has its corrections.
    let is_open = is_of_other_kind
        || known.is_corrected != new.is_corrected
        || common.differing.as_ref().is_some_and(|found| {
            found.kind != DifferenceKind::Values || (known.is_cooked() && new.is_cooked())
        });
    if !is_open {
        return common;
    }
    let is_raw = !known.is_cooked() && !new.is_cooked();
    let is_damaged =
        |digest: &Digest| digest.samples.iter().flat_map(|sample| &sample.atoms).any(|atom| atom.is_damaged);
    match known.totals.likeness(&new.totals, is_raw) {
        Likeness::Nothing => {}
        Likeness::Alike => (common.is_alike, common.differing) = (true, None),
        Likeness::Differing(found)
            if found.kind == DifferenceKind::Lacking && (is_damaged(known) || is_damaged(new)) =>
        {
            (common.is_alike, common.differing) = (true, None);
        }
        Likeness::Differing(found) => common.differing = Some(found),
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
        let (own, mut others) = (long(self), long(other));
        if own.abs_diff(others) <= MOMENT.unsigned_abs() {
            others = own;
        }
        let is_worse = own > others
            || self.count < other.count
            || (own == others && self.before < other.before)
            || (self.count == other.count && self.shape != other.shape);
        let is_more = own < others || self.count > other.count || self.before > other.before;
        !is_worse && is_more
    }
}
