//! The cells of decoded samples, found by time, and compared with those of another capture.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use recount_compute::cells::{Block, Cell, Match};
use recount_model::{Aggregation, Authority, Decoded, ObjectDef, Source, Timestamp};

/// Decoded samples, by time.
pub(super) struct Rows<'a> {
    source: &'a dyn Source,
    pub(super) blocks: Vec<Block<'a>>,
    /// The blocks that have a time, each with its row.
    pub(super) by_time: HashMap<Timestamp, Vec<(usize, usize)>>,
    /// The blocks whose object is defined otherwise in most rows.
    unusual: OnceCell<HashSet<usize>>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(source: &'a dyn Source, decoded: &'a Decoded) -> Rows<'a> {
        let runs = decoded.runs.iter().map(Block::of_run);
        let blocks: Vec<Block<'_>> = runs.chain(decoded.cooked.iter().map(Block::of_cooked)).collect();
        let mut by_time: HashMap<Timestamp, Vec<(usize, usize)>> = HashMap::new();
        for (number, block) in blocks.iter().enumerate() {
            for (row, time) in block.times().iter().enumerate() {
                by_time.entry(time.utc).or_default().push((number, row));
            }
        }
        Rows { source, blocks, by_time, unusual: OnceCell::new() }
    }

    /// Whether an object of a time is defined otherwise at most of these times.
    pub(super) fn is_unusual(&self, time: Timestamp) -> bool {
        let unusual = self.unusual.get_or_init(|| with_unusual_definitions(&self.blocks));
        let of_time = self.by_time.get(&time).map_or(&[][..], Vec::as_slice);
        of_time.iter().any(|(number, _)| unusual.contains(number))
    }

    /// Compares what was counted, whichever time it was: clocks are often the sample's time.
    pub(super) fn without_clocks(self) -> Rows<'a> {
        let blocks = self.blocks.into_iter().map(Block::without_clocks).collect();
        Rows { blocks, ..self }
    }
}

fn with_unusual_definitions(blocks: &[Block<'_>]) -> HashSet<usize> {
    /// With more definitions of one object, none is usual: bounds the work.
    const MAX_DEFINITIONS: usize = 16;
    let mut by_object: HashMap<(&str, &str), Vec<(&ObjectDef, usize)>> = HashMap::new();
    let mut definition_of: Vec<Option<usize>> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let known = by_object.entry((block.host, &block.object.name)).or_default();
        let is_same = |(object, _): &(&ObjectDef, usize)| {
            std::ptr::eq(*object, block.object) || *object == block.object
        };
        let mut found = known.iter().position(is_same);
        if found.is_none() && known.len() < MAX_DEFINITIONS {
            known.push((block.object, 0));
            found = Some(known.len() - 1);
        }
        if let Some(found) = found {
            known[found].1 += block.times().len();
        }
        definition_of.push(found);
    }
    let is_unusual = |at: &usize| {
        let known = &by_object[&(blocks[*at].host, &*blocks[*at].object.name)];
        let num = definition_of[*at].map_or(0, |found| known[found].1);
        known.len() < MAX_DEFINITIONS && 2 * num < known.iter().map(|(_, num)| num).sum()
    };
    (0..blocks.len()).filter(is_unusual).collect()
}

/// How many values of one capture another has, too.
#[derive(Debug, Default)]
pub(super) struct Share {
    /// Values, and counters without a value that the other doesn't have.
    pub(super) num_known: usize,
    /// Values that the other has, too.
    pub(super) num_same: usize,
    /// Whether the other has one of them over a longer or unknown interval.
    pub(super) is_longer: bool,
    /// Whether it has values over a longer interval of which this capture has the parts.
    pub(super) has_parts: bool,
    /// Whether it has the parts of values that this capture has over a longer interval.
    pub(super) is_of_parts: bool,
    /// Whether it has another value somewhere, and which counter's.
    pub(super) differing: Option<String>,
    /// A counter of an instance that the other lacks, of an object whose aggregates are computed over all instances.
    pub(super) own_member: Option<String>,
}

/// The samples of two captures, compared.
pub(super) struct Pair<'a> {
    pub(super) of: Rows<'a>,
    pub(super) others: Rows<'a>,
    pub(super) matches: HashMap<(usize, usize), Match>,
    ignores_hosts: bool,
    is_one_format: bool,
}

impl<'a> Pair<'a> {
    pub(super) fn new(of: Rows<'a>, others: Rows<'a>) -> Pair<'a> {
        Pair { of, others, matches: HashMap::new(), ignores_hosts: false, is_one_format: false }
    }

    /// Compares files of one format: what one of them knows of an instance, the other one knows, too.
    pub(super) fn of_one_format(self) -> Pair<'a> {
        Pair { is_one_format: true, ..self }
    }

    /// Compares what machines of different names have.
    pub(super) fn of_any_hosts(of: Rows<'a>, others: Rows<'a>) -> Pair<'a> {
        Pair { ignores_hosts: true, ..Pair::new(of, others) }
    }

    /// How much of what one capture has at a time the other has, too.
    pub(super) fn share(&mut self, time: Timestamp) -> Share {
        self.share_of(time, time)
    }

    /// The same, if the other capture has it at another time.
    pub(super) fn share_of(&mut self, time: Timestamp, time_of_other: Timestamp) -> Share {
        let mut share = Share::default();
        let Some(of) = self.of.by_time.get(&time) else { return share };
        // A text has a cell for each of its counters at each time: one that is blank says nothing to a capture that knows more.
        let authority = |rows: &Rows<'_>| rows.source.info().authority;
        let knows_more = authority(&self.of) == Authority::Text && authority(&self.others) > Authority::Text;
        // What couldn't be read of the other capture isn't there.
        let others = self.others.by_time.get(&time_of_other).map_or(&[][..], Vec::as_slice);
        for &(number, row) in of {
            let block = &self.of.blocks[number];
            let is_same = |(other, _): &&(usize, usize)| {
                let other = &self.others.blocks[*other];
                (self.ignores_hosts || other.host == block.host) && other.object.name == block.object.name
            };
            let others: Vec<(usize, usize)> = others.iter().filter(is_same).copied().collect();
            for (other, _) in &others {
                let make = || {
                    let of = if self.is_one_format { Match::of_one_format } else { Match::of };
                    of(block, &self.others.blocks[*other])
                };
                self.matches.entry((number, *other)).or_insert_with(make);
            }
            for counter in 0..block.object.counters.len() {
                let has_counter = |(other, _): &(usize, usize)| {
                    let places = self.matches.get(&(number, *other));
                    places.is_some_and(|places| places.counters[counter].is_some())
                };
                let is_blank = knows_more && others.iter().any(has_counter);
                for instance in 0..block.instances.len() {
                    let places = others.iter().filter_map(|(other, row)| {
                        let places = self.matches.get(&(number, *other))?;
                        let (counter, instance) = (places.counters[counter]?, places.instances[instance]?);
                        let (source, block) = (self.others.source, &self.others.blocks[*other]);
                        Some(Cell { source, block, row: *row, counter, instance, is_raw: false })
                    });
                    let own = Cell { source: self.of.source, block, row, counter, instance, is_raw: false };
                    if !is_blank || own.value().is_some() {
                        share.add(&own, places);
                    }
                }
            }
            let matches = &self.matches;
            let of_others = || others.iter().filter_map(move |(other, _)| matches.get(&(number, *other)));
            let is_own = |instance: &usize| of_others().all(|places| places.instances[*instance].is_none());
            let is_renumbered = |instance: &usize| {
                is_own(instance) && of_others().any(|places| places.is_renumbered[*instance])
            };
            if block.is_raw() && block.object.aggregation != Aggregation::None && !others.is_empty() {
                let own = (0..block.instances.len()).find(is_own);
                share.own_member = share.own_member.or_else(|| own.map(|instance| path(block, 0, instance)));
            }
            let renumbered = (0..block.instances.len()).find(is_renumbered);
            if let Some(instance) = renumbered {
                share.differing.get_or_insert_with(|| path(block, 0, instance));
            }
        }
        share
    }
}

impl Share {
    /// Whether the other capture has everything. A sample without any value is known, too.
    pub(super) fn is_all(&self) -> bool {
        self.num_same == self.num_known
    }

    /// Adds a cell, and where the other capture has it.
    fn add<'a: 'b, 'b>(&mut self, own: &Cell<'a, 'b>, mut others: impl Iterator<Item = Cell<'a, 'b>>) {
        let Some(value) = own.value() else {
            // Another capture without the counter doesn't say that there is no value.
            let is_there = !own.is_there() || others.any(|other| other.is_there());
            self.num_known += usize::from(!is_there);
            return;
        };
        let mut is_ruled_out = false;
        let mut shortest: Option<Cell<'_, '_>> = None;
        let mut has_other = false;
        for other in others {
            let Some(found) = other.value() else {
                is_ruled_out |= other.rules_out(own);
                continue;
            };
            if found == value && own.is_same_type(&other) {
                let is_shorter = |known: &Cell<'_, '_>| other.len_s() < known.len_s();
                if shortest.as_ref().is_none_or(is_shorter) {
                    shortest = Some(other);
                }
            } else if found.is_raw() == value.is_raw() {
                let (has_parts, is_of_parts) = (own.covers(&other), other.covers(own));
                self.has_parts |= has_parts;
                self.is_of_parts |= is_of_parts;
                has_other |= !has_parts && !is_of_parts;
            }
        }
        if shortest.is_none() && is_ruled_out {
            return;
        }
        self.num_known += 1;
        if let Some(shortest) = shortest {
            self.num_same += 1;
            self.is_longer |= shortest.is_longer(own);
        } else if has_other {
            self.differing.get_or_insert_with(|| path(own.block, own.counter, own.instance));
        }
    }
}

pub(super) fn path(block: &Block<'_>, counter: usize, instance: usize) -> String {
    let instance = block.instances[instance].shown();
    let instance = if instance.is_empty() { instance } else { format!("({instance})") };
    let counter = block.object.counters.get(counter).map_or("", |counter| &*counter.name);
    format!("\\{}{instance}\\{counter}", block.object.name)
}
