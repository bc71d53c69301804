//! Which of several captures of a recording has the rows of each object of each sample (`formats/ledger.md#which-rows-are-kept`).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use recount_model::Timestamp;

use super::compare::Common;
use super::digest::{Atom, Digest, Sample};
use super::nameless::num_lost;
use super::totals::{MOMENT, Totals, nearest};
use super::unit::Unit;
use super::{Added, IN_TABLE, Ledger, Part, Taking};

/// A part of the same recording, and how its units are found.
struct Beside {
    part: usize,
    numbers: HashMap<Unit, u32>,
    /// Its units by machine and object.
    by_object: HashMap<(Arc<str>, Arc<str>), Vec<u32>>,
    is_alike: bool,
    /// Units of the capture that the part has under other names.
    aliases: HashMap<u32, u32>,
    /// Units of which the sound one of the part and the capture counts.
    healed: HashSet<u32>,
}

/// What a part has of the rows of a new unit: the part, the time and the number of the unit there, and the atom.
type Known = (usize, Timestamp, u32, Atom);

/// Who has the rows.
enum Verdict {
    /// The new capture, beside what is known.
    New,
    /// The new capture, in place of what is known.
    Better,
    /// The new capture, in place of one counter of raw values over a longer interval.
    Shorter,
    /// The table has them.
    Copy,
}

impl Ledger {
    /// Decides for each object of each sample who has its rows.
    pub(super) fn merge(
        &mut self,
        one: &[(usize, Common)],
        digest: Digest,
        base: &str,
        number: u32,
        taking: &Taking,
        added: &mut Added,
    ) -> Option<usize> {
        let mut kept = Vec::new();
        let mut shorter: Vec<(Timestamp, Unit, BTreeSet<Unit>)> = Vec::new();
        let mut moved: Vec<(usize, Timestamp, u32)> = Vec::new();
        let numbers: Vec<usize> = one.iter().map(|(part, _)| *part).collect();
        // Raw values and computed ones don't share an id.
        let is_own = |part: &Part| part.base == base && part.digest.is_cooked() == digest.is_cooked();
        let own = numbers.iter().copied().find(|part| is_own(&self.parts[*part]));
        let beside: Vec<Beside> =
            one.iter().map(|(part, common)| self.beside(*part, common, &digest)).collect();
        for sample in &digest.samples {
            let mut atoms = Vec::new();
            let (mut num_known, mut num_better) = (0, 0);
            for atom in &sample.atoms {
                let known = self.known(&beside, sample.time.utc, &digest.units, atom.unit);
                let verdict = self.verdict(&digest, atom, &known, &beside);
                num_known += u64::from(!matches!(verdict, Verdict::New));
                match verdict {
                    Verdict::New => atoms.push(*atom),
                    Verdict::Better => {
                        num_better += 1;
                        let (kept, gone) = self.kept_beside(&digest, (sample.time.utc, atom), &known);
                        if !kept.is_empty() {
                            shorter.push((sample.time.utc, digest.units[atom.unit as usize].clone(), kept));
                        }
                        moved.extend(gone.iter().map(|(part, time, unit, _)| (*part, *time, *unit)));
                        atoms.push(*atom);
                    }
                    Verdict::Shorter => {
                        num_better += 1;
                        self.leave_out(&known, &digest.units[atom.unit as usize]);
                        atoms.push(*atom);
                    }
                    Verdict::Copy => {
                        let other = known.iter().map(|(part, ..)| *part).find(|part| own != Some(*part));
                        if let Some(part) = other {
                            added.copy_of.get_or_insert_with(|| self.parts[part].id.clone());
                        }
                    }
                }
            }
            added.num_better += u64::from(num_better > 0);
            let is_beyond = taking.reached.is_none_or(|reached| sample.time.utc > reached);
            added.num_copies += u64::from(num_known > num_better && is_beyond);
            if !atoms.is_empty() {
                kept.push(Sample { time: sample.time, atoms });
            }
        }
        for (part, time, unit) in moved {
            self.take_away(part, time, unit);
        }
        if added.num_copies > 0 && added.copy_of.is_none() {
            added.copy_of = own.map(|own| self.parts[own].id.clone());
        }
        let part = (!kept.is_empty()).then(|| {
            let part = own.unwrap_or_else(|| self.new_part(&numbers, &digest, base));
            let units = |sample: &Sample| {
                let units = sample.atoms.iter().map(|atom| digest.units[atom.unit as usize].clone());
                (sample.time.utc, units.collect())
            };
            let of_kept = kept.iter().map(units).collect();
            self.parts[part].put(&digest.units, kept, number);
            self.parts[part].digest.totals.absorb(&digest.totals, &of_kept);
            part
        });
        let without = |(time, unit, counters)| Some(((part?, time, unit), counters));
        self.without.extend(shorter.into_iter().filter_map(without));
        self.join(&numbers, part);
        self.added.push((digest, part));
        part
    }

    fn beside(&self, part: usize, common: &Common, digest: &Digest) -> Beside {
        let known = &self.parts[part].digest;
        let mut by_object: HashMap<(Arc<str>, Arc<str>), Vec<u32>> = HashMap::new();
        for (unit, number) in known.units.iter().zip(0..) {
            by_object.entry((unit.host.clone(), unit.object.clone())).or_default().push(number);
        }
        Beside {
            part,
            numbers: known.units.iter().cloned().zip(0..).collect(),
            by_object,
            // Of one recording, raw values and those computed from them have no unit in common.
            is_alike: common.is_alike || known.is_cooked() != digest.is_cooked(),
            aliases: common.aliases.clone(),
            healed: common.healed.clone(),
        }
    }

    /// What parts have of the rows of a new unit.
    fn known(&self, beside: &[Beside], time: Timestamp, units: &[Unit], number: u32) -> Vec<Known> {
        let unit = &units[number as usize];
        let mut own = None;
        let mut found = Vec::new();
        for beside in beside {
            let samples = &self.parts[beside.part].digest.samples;
            let named = beside.numbers.get(unit).or_else(|| beside.aliases.get(&number));
            let exact = samples.binary_search_by_key(&time, |sample| sample.time.utc).ok();
            if let (Some(at), Some(named)) = (exact, named)
                && let Some(atom) = samples[at].atom(*named)
            {
                own = Some((beside.part, time, *named, *atom));
                continue;
            }
            let object = (unit.host.clone(), unit.object.clone());
            let covering = beside.by_object.get(&object).filter(|_| beside.is_alike);
            let (Some(covering), Some(at)) = (covering, nearest(samples, time, |sample| sample.time.utc))
            else {
                continue;
            };
            let known_units = &self.parts[beside.part].digest.units;
            for other in covering {
                let counter = &known_units[*other as usize].counter;
                let is_covering = counter.is_none() || unit.counter.is_none() || *counter == unit.counter;
                if let (true, Some(atom)) = (is_covering, samples[at].atom(*other)) {
                    found.push((beside.part, samples[at].time.utc, *other, *atom));
                }
            }
        }
        // One part has it; parts of another kind may have some of the same.
        if let Some(own) = &own {
            let is_object = |(part, _, number, _): &Known| {
                self.parts[*part].digest.units[*number as usize].counter.is_none()
            };
            found.retain(|known| is_object(known) != is_object(own));
        }
        own.into_iter().chain(found).collect()
    }

    /// Of what is known of an object or counter that a new capture has better: the counters that stay, as their values are over a
    /// shorter interval, and what goes.
    fn kept_beside<'k>(
        &self,
        digest: &Digest,
        (time, atom): (Timestamp, &Atom),
        known: &'k [Known],
    ) -> (BTreeSet<Unit>, Vec<&'k Known>) {
        let is_new_raw = digest.units[atom.unit as usize].counter.is_none();
        let (mut kept, mut gone) = (BTreeSet::new(), Vec::new());
        for known in known {
            let (part, _, number, other) = known;
            let unit = &self.parts[*part].digest.units[*number as usize];
            let is_raw = unit.counter.is_none();
            if is_new_raw && !is_raw && is_over_shorter((unit, other), (time, atom, &digest.totals)) {
                kept.insert(unit.clone());
            } else if self.is_replaced(known, digest) && (is_new_raw || !is_raw) {
                gone.push(known);
            }
        }
        (kept, gone)
    }

    /// Takes a counter out of raw values, as another capture has it over a shorter interval.
    fn leave_out(&mut self, known: &[Known], counter: &Unit) {
        for (part, time, number, _) in known {
            let of_part = &self.parts[*part];
            let unit = of_part.digest.units[*number as usize].clone();
            if unit.counter.is_some() {
                continue;
            }
            let place =
                of_part.digest.samples.binary_search_by_key(time, |sample| sample.time.utc).ok().and_then(
                    |at| {
                        let atoms = &of_part.digest.samples[at].atoms;
                        let place = atoms.binary_search_by_key(number, |atom| atom.unit).ok()?;
                        Some(of_part.owners[at][place])
                    },
                );
            if place == Some(IN_TABLE) {
                self.removed.push((*part, counter.clone(), *time));
            } else {
                self.without.entry((*part, *time, unit)).or_default().insert(counter.clone());
            }
        }
    }

    /// Whether a better capture has what a part has, too: raw values may be of fewer counters than those computed from more.
    fn is_replaced(&self, (part, _, number, _): &Known, digest: &Digest) -> bool {
        let unit = &self.parts[*part].digest.units[*number as usize];
        unit.counter.is_none() || digest.is_cooked() || digest.totals.may_have(unit)
    }

    /// Takes an object of a sample out of a part, as another capture has better rows of it.
    fn take_away(&mut self, number: usize, time: Timestamp, unit: u32) {
        let part = &mut self.parts[number];
        let Ok(at) = part.digest.samples.binary_search_by_key(&time, |sample| sample.time.utc) else {
            return;
        };
        let atoms = &mut part.digest.samples[at].atoms;
        let Ok(place) = atoms.binary_search_by_key(&unit, |atom| atom.unit) else { return };
        atoms.remove(place);
        let unit = part.digest.units[unit as usize].clone();
        part.digest.totals.take_away(time, &unit);
        part.is_changed = true;
        if part.owners[at].remove(place) == IN_TABLE {
            self.removed.push((number, unit, time));
        } else {
            self.without.remove(&(number, time, unit));
        }
    }

    fn verdict(&self, digest: &Digest, atom: &Atom, known: &[Known], beside: &[Beside]) -> Verdict {
        let Some((part, known_time, number, before)) = known.first() else { return Verdict::New };
        let unit = &digest.units[atom.unit as usize];
        let known_digest = &self.parts[*part].digest;
        let known_unit = &known_digest.units[*number as usize];
        let of = |is_better: bool| if is_better { Verdict::Better } else { Verdict::Copy };
        let is_healed = before.is_damaged != atom.is_damaged
            && before.hash != atom.hash
            && before.count > 0
            && atom.count > 0
            && beside.iter().any(|beside| beside.part == *part && beside.healed.contains(&atom.unit));
        match (&known_unit.counter, &unit.counter) {
            // What the capture itself measured is better than what was made of it.
            (Some(_), None) if atom.count > 0 => Verdict::Better,
            (Some(_), None) => Verdict::New,
            (None, Some(_)) if atom.count == 0 => Verdict::Copy,
            (None, Some(_)) if before.count == 0 || !known_digest.totals.may_have(unit) => Verdict::New,
            (None, Some(_)) if is_over_shorter((unit, atom), (*known_time, before, &known_digest.totals)) => {
                Verdict::Shorter
            }
            (None, Some(_)) => Verdict::Copy,
            // Recorders' own computed values, too.
            _ if known_digest.is_cooked() && !digest.is_cooked() => of(atom.count > 0 || before.count == 0),
            _ if !known_digest.is_cooked() && digest.is_cooked() => of(atom.count > 0 && before.count == 0),
            (None, None) if is_healed => of(before.is_damaged),
            _ if num_lost(known_unit) != num_lost(unit) => of(num_lost(known_unit) > num_lost(unit)),
            _ => of(atom.is_better_than(before)),
        }
    }
}

/// Whether a computed value of a counter is over a shorter interval than the one that raw values of its object give, with their
/// time and totals. A first sample gives none of those that need a sample before.
fn is_over_shorter(
    (counter, atom): (&Unit, &Atom),
    (time, raw, totals): (Timestamp, &Atom, &Totals),
) -> bool {
    if atom.count == 0 || atom.step == 0 || !totals.may_have(counter) {
        return false;
    }
    if raw.step == 0 { totals.lacks(time, counter) } else { raw.step > atom.step + MOMENT }
}
