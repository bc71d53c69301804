//! Names that are lost by damage: objects are called by their numbers, and the machine has no name
//! (`formats/ledger.md#lost-names`).

use std::collections::HashMap;
use std::sync::Arc;

use super::digest::Digest;
use super::relation::Relation;
use super::unit::Unit;

/// How many of its names a unit lacks: that of the machine, and that of the object.
pub(super) fn num_lost(unit: &Unit) -> u32 {
    u32::from(unit.host.is_empty()) + u32::from(is_number(unit))
}

/// Whether an object is called by its number.
fn is_number(unit: &Unit) -> bool {
    !unit.object.is_empty() && unit.object.bytes().all(|byte| byte.is_ascii_digit())
}

/// Which units of a new digest are units of a known one that has them under other names, as names are lost in one of them: they
/// have the same values in every sample that both have. By their numbers.
pub(super) fn aliases(known: &Digest, new: &Digest) -> HashMap<u32, u32> {
    if !is_host_lost(known, new) {
        return of_lost_objects(known, new, false);
    }
    let of_objects = of_lost_objects(known, new, true);
    match of_lost_host(known, new) {
        Some((pairs, has_same)) if has_same || !of_objects.is_empty() => {
            let mut pairs = pairs;
            pairs.extend(of_objects);
            pairs
        }
        _ => HashMap::new(),
    }
}

/// Whether one of two digests of raw values names no machine, as that is lost by damage.
fn is_host_lost(known: &Digest, new: &Digest) -> bool {
    let host = |digest: &Digest| {
        let first = digest.units.first()?;
        digest.units.iter().all(|unit| unit.host == first.host).then(|| Arc::clone(&first.host))
    };
    let (Some(of_known), Some(of_new)) = (host(known), host(new)) else { return false };
    let lost = match (&*of_known, &*of_new) {
        ("", "") => return false,
        ("", _) => known,
        (_, "") => new,
        _ => return false,
    };
    let is_damaged = lost.samples.iter().flat_map(|sample| &sample.atoms).any(|atom| atom.is_damaged);
    is_damaged && !lost.is_cooked()
}

/// The units of the same objects of two digests, one of which names no machine, and whether a sample of both has the same values; `None`
/// if one has other values.
fn of_lost_host(known: &Digest, new: &Digest) -> Option<(HashMap<u32, u32>, bool)> {
    let name = |unit: &Unit| (Arc::clone(&unit.object), unit.counter.clone());
    let numbers: HashMap<_, u32> = known.units.iter().map(name).zip(0..).collect();
    let units = new.units.iter().zip(0_u32..);
    let pairs: HashMap<u32, u32> =
        units.filter_map(|(unit, number)| Some((number, *numbers.get(&name(unit))?))).collect();
    let mut has_same = false;
    for sample in &new.samples {
        let Ok(at) = known.samples.binary_search_by_key(&sample.time.utc, |known| known.time.utc) else {
            continue;
        };
        for atom in &sample.atoms {
            let before = pairs.get(&atom.unit).and_then(|number| known.samples[at].atom(*number));
            let is_cooked = new.units[atom.unit as usize].counter.is_some();
            match before.map_or(Relation::Unclear, |before| Relation::of(before, atom, is_cooked)) {
                Relation::Same => has_same = true,
                Relation::Unclear => {}
                Relation::Lacking | Relation::OverAnother | Relation::Other => return None,
            }
        }
    }
    Some((pairs, has_same))
}

/// The units of objects that are called by their numbers in one digest, and by their names in the other.
fn of_lost_objects(known: &Digest, new: &Digest, is_host_lost: bool) -> HashMap<u32, u32> {
    let lost = |digest: &Digest| -> Vec<bool> { digest.units.iter().map(is_number).collect() };
    let (of_known, of_new) = (lost(known), lost(new));
    if of_known.iter().all(|lost| !lost) && of_new.iter().all(|lost| !lost) {
        return HashMap::new();
    }
    // Pairs that agreed so far; a new unit is asked about once it has a value.
    let mut pairs: HashMap<u32, Vec<u32>> = HashMap::new();
    for sample in &new.samples {
        let Ok(at) = known.samples.binary_search_by_key(&sample.time.utc, |known| known.time.utc) else {
            continue;
        };
        for atom in sample.atoms.iter().filter(|atom| atom.count > 0 && atom.plain != 0) {
            let unit = &new.units[atom.unit as usize];
            let is_pair = |other: u32| {
                let known = &known.units[other as usize];
                of_known[other as usize] != of_new[atom.unit as usize]
                    && (is_host_lost || known.host == unit.host)
                    && known.counter.is_some() == unit.counter.is_some()
            };
            let same = known.samples[at].atoms.iter().filter(|other| {
                other.count == atom.count && other.plain == atom.plain && is_pair(other.unit)
            });
            let same: Vec<u32> = same.map(|other| other.unit).collect();
            match pairs.get_mut(&atom.unit) {
                None => drop(pairs.insert(atom.unit, same)),
                // What a damaged copy lacks says nothing.
                Some(before)
                    if same.is_empty()
                        && known.samples[at].atoms.iter().all(|one| !before.contains(&one.unit)) => {}
                Some(before) => before.retain(|other| same.contains(other)),
            }
        }
    }
    // Objects with equal values are distinguished by their order: each is taken once.
    let mut taken = std::collections::HashSet::new();
    let mut ascending: Vec<(u32, Vec<u32>)> = pairs.into_iter().collect();
    ascending.sort_unstable_by_key(|(unit, others)| (others.len(), *unit));
    let once = ascending.into_iter().filter_map(|(unit, others)| {
        let other = others.into_iter().find(|other| taken.insert(*other))?;
        Some((unit, other))
    });
    once.collect()
}
