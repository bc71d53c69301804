//! Values that two captures have at the same time under different names: in one of them, a name or a number of the definitions is
//! damaged.

use std::collections::{HashMap, HashSet};

use recount_compute::cells::{Block, CellValue, Match};
use recount_model::Timestamp;

use super::rows::{Pair, path};

/// What a capture has at a time under names that the other doesn't have, if the other has all of these values under
/// names that this one doesn't have.
#[derive(Debug)]
pub(super) struct Renamed {
    /// Values, and counters without a value.
    pub(super) num_known: usize,
    /// Whether the other capture has no more values under names of its own than these.
    pub(super) is_one_to_one: bool,
    /// A counter of this capture, and the one with its value in the other. `None` if all values are 0, which any counter may be.
    pub(super) example: Option<(String, String)>,
    /// The same of two that are 0, if their names are alike.
    pub(super) of_zeros: Option<(String, String)>,
}

/// A block, a counter and an instance.
type Place = (usize, usize, usize);

impl Pair<'_> {
    /// The values at a time that are there under other names. `None` if the other lacks one of them.
    pub(super) fn renamed(&self, time: Timestamp) -> Option<Renamed> {
        let [of, others] =
            [&self.of, &self.others].map(|rows| rows.by_time.get(&time).map_or(&[][..], Vec::as_slice));
        let known: Vec<(usize, usize, &Match)> = of
            .iter()
            .flat_map(|(one, _)| others.iter().map(move |(other, _)| (*one, *other)))
            .filter_map(|pair| Some((pair.0, pair.1, self.matches.get(&pair)?)))
            .collect();
        let mut is_known_here: HashSet<Place> = HashSet::new();
        let mut is_known_there: HashSet<Place> = HashSet::new();
        for (one, other, places) in known {
            for (counter, found) in places.counters.iter().enumerate() {
                for (instance, of_other) in places.instances.iter().enumerate() {
                    let (Some(found), Some(of_other)) = (found, of_other) else { continue };
                    is_known_here.insert((one, counter, instance));
                    is_known_there.insert((other, *found, *of_other));
                }
            }
        }
        let mut there: HashMap<u64, Vec<Place>> = HashMap::new();
        let mut num_there = 0;
        let others = others.iter().flat_map(|at| cells(&self.others.blocks, *at, &is_known_there));
        for (place, cell) in others.filter_map(|(place, cell)| Some((place, cell?))) {
            there.entry(cell.first()).or_default().push(place);
            num_there += 1;
        }
        let (mut num_known, mut num_values, mut example, mut of_zeros) = (0, 0, None, None);
        for (place, cell) in of.iter().flat_map(|at| cells(&self.of.blocks, *at, &is_known_here)) {
            num_known += 1;
            let Some(cell) = cell else { continue };
            let found = there.get_mut(&cell.first())?.pop()?;
            num_values += 1;
            let place_known = if cell.is_zero() { &mut of_zeros } else { &mut example };
            place_known.get_or_insert((place, found));
        }
        let name =
            |blocks: &[Block<'_>], (block, counter, instance): Place| path(&blocks[block], counter, instance);
        let names = |(own, found)| (name(&self.of.blocks, own), name(&self.others.blocks, found));
        let of_zeros = of_zeros.map(names).filter(|(own, found)| is_alike(own, found));
        let is_one_to_one = num_values == num_there;
        Some(Renamed { num_known, is_one_to_one, example: example.map(names), of_zeros })
    }
}

/// Whether two names differ in a few characters.
fn is_alike(one: &str, other: &str) -> bool {
    const MAX_DIFFERING: usize = 4;
    one.chars().count() == other.chars().count()
        && one.chars().zip(other.chars()).filter(|(one, other)| one != other).count() <= MAX_DIFFERING
}

/// The cells of a row, with or without a value, but those that both captures have.
fn cells<'b>(
    blocks: &'b [Block<'b>],
    (number, row): (usize, usize),
    is_known: &'b HashSet<Place>,
) -> impl Iterator<Item = (Place, Option<CellValue>)> + 'b {
    let block = &blocks[number];
    let places = (0..block.object.counters.len())
        .flat_map(move |counter| (0..block.instances.len()).map(move |instance| (counter, instance)));
    places
        .map(move |(counter, instance)| (number, counter, instance))
        .filter(|place| !is_known.contains(place))
        .filter(move |(_, counter, instance)| block.has(*counter, *instance))
        .map(move |place| (place, block.value(row, place.1, place.2)))
}
