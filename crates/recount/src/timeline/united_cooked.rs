//! The computed values of files that have different parts of the same samples: each once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recount_compute::CookedMask;
use recount_compute::cells::{Block, Match};
use recount_model::{Cooked, Timestamp};

/// A sample of a stretch of values: the stretch, and its row there.
type Place = (usize, usize);

/// The values of each part as those of one capture. Of values that several parts have, those of the part with most of the sample
/// stay.
pub(super) fn united_cooked(parts: Vec<Vec<Cooked>>) -> Vec<Cooked> {
    let (parts, all): (Vec<usize>, Vec<Cooked>) = parts
        .into_iter()
        .enumerate()
        .flat_map(|(part, all)| all.into_iter().map(move |cooked| (part, cooked)))
        .unzip();
    if parts.iter().all(|part| *part == parts[0]) {
        return all;
    }
    let mut moments: BTreeMap<(Arc<str>, Arc<str>, Timestamp), Vec<Place>> = BTreeMap::new();
    for (at, cooked) in all.iter().enumerate() {
        for (row, time) in cooked.times.iter().enumerate() {
            let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name), time.utc);
            moments.entry(key).or_default().push((at, row));
        }
    }
    let mut united = United {
        parts,
        blocks: all.iter().map(Block::of_cooked).collect(),
        matches: HashMap::new(),
        masks: all.iter().map(|_| None).collect(),
    };
    for places in moments.into_values() {
        if places.iter().any(|(at, _)| united.parts[*at] != united.parts[places[0].0]) {
            united.leave_out(&all, places);
        }
    }
    let masks = united.masks;
    let kept = all.into_iter().zip(masks).flat_map(|(cooked, mask)| match mask {
        Some(mask) => mask.apply(cooked),
        None => vec![cooked],
    });
    kept.collect()
}

struct United<'a> {
    /// The part of each stretch.
    parts: Vec<usize>,
    blocks: Vec<Block<'a>>,
    matches: HashMap<(usize, usize), Match>,
    /// What is left out of each stretch.
    masks: Vec<Option<CookedMask>>,
}

impl United<'_> {
    /// Leaves out what another part has, too, of one object at one time.
    fn leave_out(&mut self, all: &[Cooked], mut places: Vec<Place>) {
        let num_values = |&(at, row): &Place| {
            let cooked = &all[at];
            let num = cooked.instances.len();
            let cells = row * num..(row + 1) * num;
            let of_column = |column: &recount_model::CookedColumn| {
                cells.clone().filter(|cell| column.value_at(*cell).is_some()).count()
            };
            cooked.columns.iter().map(of_column).sum::<usize>()
        };
        places.sort_by_key(|place| (Reverse(num_values(place)), *place));
        for (number, &(at, row)) in places.iter().enumerate() {
            let others: Vec<(usize, Place)> = places.iter().copied().enumerate().collect();
            let others: Vec<(usize, Place)> =
                others.into_iter().filter(|(_, (other, _))| self.parts[*other] != self.parts[at]).collect();
            for (_, (other, _)) in &others {
                let make = || Match::of(&self.blocks[at], &self.blocks[*other]);
                self.matches.entry((at, *other)).or_insert_with(make);
            }
            for (column, of_column) in all[at].columns.iter().enumerate() {
                for instance in 0..all[at].instances.len() {
                    let is_known = others.iter().any(|(rank, place)| {
                        self.is_in((at, row), *place, (of_column.counter, instance), *rank < number)
                    });
                    if is_known {
                        let mask = self.masks[at].get_or_insert_with(|| CookedMask::of(&all[at]));
                        *mask.cell(column, row * all[at].instances.len() + instance) = true;
                    }
                }
            }
        }
    }

    /// Whether a cell isn't needed beside another stretch, which comes first, or not.
    fn is_in(
        &self,
        (at, row): Place,
        (other, other_row): Place,
        (counter, instance): (usize, usize),
        is_first: bool,
    ) -> bool {
        let (own, others) = (&self.blocks[at], &self.blocks[other]);
        let places = &self.matches[&(at, other)];
        let Some((in_other, there)) = places.counters[counter].zip(places.instances[instance]) else {
            return false;
        };
        let has_value = |block: &Block<'_>, row, counter, instance| {
            block.value(row, counter, instance).is_some() || block.text(row, counter, instance).is_some()
        };
        let is_value = has_value(own, row, counter, instance);
        let is_other_value = has_value(others, other_row, in_other, there);
        others.has(in_other, there)
            && if is_value { is_other_value && is_first } else { is_other_value || is_first }
    }
}
