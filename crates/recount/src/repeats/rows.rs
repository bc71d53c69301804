//! The cells of decoded samples, found by time, and compared with those of another capture.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use recount_compute::{covers, tolerance_s};
use recount_model::{
    Aggregation, Authority, CellFault, Cooked, Decoded, Instance, ObjectDef, Run, SampleTime, Second, Source,
    Timestamp, places_among,
};

/// A value as its capture has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// First and second value.
    Raw(u64, u64),
    /// The bits of a computed value.
    Cooked(u64),
}

impl Cell {
    /// Counts and computed values can't be compared.
    fn is_raw(self) -> bool {
        matches!(self, Cell::Raw(..))
    }

    /// What was counted, without the base or the time, or the bits of the computed value.
    pub(super) fn first(self) -> u64 {
        match self {
            Cell::Raw(first, _) | Cell::Cooked(first) => first,
        }
    }

    /// Whether nothing was counted.
    pub(super) fn is_zero(self) -> bool {
        match self {
            Cell::Raw(first, _) => first == 0,
            // Of either sign.
            Cell::Cooked(bits) => bits << 1 == 0,
        }
    }
}

enum Values<'a> {
    Run(&'a Run, BTreeSet<CellFault>),
    /// With the column of each counter.
    Cooked(&'a Cooked, HashMap<usize, usize>),
}

/// A run or a stretch of cooked values.
pub(crate) struct Block<'a> {
    pub(crate) host: &'a str,
    pub(crate) object: &'a ObjectDef,
    pub(crate) instances: &'a [Instance],
    values: Values<'a>,
    ignores_clocks: bool,
}

impl<'a> Block<'a> {
    pub(crate) fn of_run(run: &'a Run) -> Block<'a> {
        let values = Values::Run(run, run.faults.iter().copied().collect());
        Block {
            host: &run.host,
            object: &run.object,
            instances: &run.instances,
            values,
            ignores_clocks: false,
        }
    }

    pub(crate) fn of_cooked(cooked: &'a Cooked) -> Block<'a> {
        let columns = cooked.columns.iter().enumerate().map(|(at, column)| (column.counter, at)).collect();
        let values = Values::Cooked(cooked, columns);
        let instances = &cooked.instances;
        Block { host: &cooked.host, object: &cooked.object, instances, values, ignores_clocks: false }
    }

    pub(crate) fn times(&self) -> &'a [SampleTime] {
        match &self.values {
            Values::Run(run, _) => &run.clocks.time,
            Values::Cooked(cooked, _) => &cooked.times,
        }
    }

    /// Whether an instance has a counter, with or without a value.
    pub(crate) fn has(&self, counter: usize, instance: usize) -> bool {
        match &self.values {
            Values::Run(run, _) => run.columns.get(counter).is_some_and(|column| column.covers(instance)),
            Values::Cooked(cooked, columns) => {
                columns.get(&counter).is_some_and(|at| cooked.columns[*at].covers(instance))
            }
        }
    }

    /// The text of a cell, if there is one.
    pub(crate) fn text(&self, row: usize, counter: usize, instance: usize) -> Option<&str> {
        let at = row * self.instances.len() + instance;
        match &self.values {
            Values::Run(run, _) => run.columns.get(counter)?.texts.as_ref()?.get(at)?.as_deref(),
            Values::Cooked(cooked, columns) => {
                cooked.columns[*columns.get(&counter)?].text_at(at).map(|text| &**text)
            }
        }
    }

    /// The value of a cell, if there is one.
    pub(crate) fn cell(&self, row: usize, counter: usize, instance: usize) -> Option<Cell> {
        let at = row * self.instances.len() + instance;
        match &self.values {
            Values::Run(run, faults) => {
                let column = run.columns.get(counter).filter(|column| column.covers(instance))?;
                let fault =
                    CellFault { sample: row as u32, counter: counter as u32, instance: instance as u32 };
                let second = match &column.second {
                    Second::None => 0,
                    Second::Clock(_) if self.ignores_clocks => 0,
                    Second::Clock(timer) => run.clocks.ticks(*timer).get(row).copied().unwrap_or_default(),
                    Second::Base(base) => *run.columns.get(*base)?.first.get(at).unwrap_or(&0),
                    Second::Own(values) => values.get(at).copied().unwrap_or_default(),
                };
                let first = *column.first.get(at)?;
                (faults.is_empty() || !faults.contains(&fault)).then_some(Cell::Raw(first, second))
            }
            Values::Cooked(cooked, columns) => {
                let column = &cooked.columns[*columns.get(&counter)?];
                let value = column.value_at(at).filter(|_| column.covers(instance))?;
                Some(Cell::Cooked(value.to_bits()))
            }
        }
    }
}

impl Block<'_> {
    fn is_raw(&self) -> bool {
        matches!(self.values, Values::Run(..))
    }

    /// Whether a computed value is known to be missing for a reason.
    fn rules_out_value(&self, row: usize, counter: usize, instance: usize) -> bool {
        let Values::Cooked(cooked, columns) = &self.values else { return false };
        let column = columns.get(&counter).map(|at| &cooked.columns[*at]);
        let at = row * self.instances.len() + instance;
        column.is_some_and(|column| column.covers(instance) && column.status_at(at).rules_out_value())
    }

    /// Ticks per second of the clocks of a sample; 0 if it has none.
    fn frequencies(&self, row: usize) -> [u64; 2] {
        let Values::Run(run, _) = &self.values else { return [0; 2] };
        [&run.clocks.perf_freq, &run.clocks.object_freq].map(|all| all.get(row).copied().unwrap_or_default())
    }

    /// Seconds that a computed value covers; infinite if unknown. Counts cover none.
    fn interval_s(&self, row: usize, instance: usize) -> f64 {
        match &self.values {
            Values::Run(..) => 0.0,
            Values::Cooked(cooked, _) => cooked.interval_of(row, instance).unwrap_or(f64::INFINITY),
        }
    }
}

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
    pub(super) fn without_clocks(mut self) -> Rows<'a> {
        self.blocks.iter_mut().for_each(|block| block.ignores_clocks = true);
        self
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

/// For a block of one capture and one of the other: which instance and counter is which.
pub(crate) struct Match {
    pub(crate) instances: Vec<Option<usize>>,
    pub(crate) counters: Vec<Option<usize>>,
    /// Instances that the other block has otherwise: under another number, as one of several of the same name, or with another id. One of the two
    /// is wrong.
    is_renumbered: Vec<bool>,
}

impl Match {
    pub(crate) fn of(one: &Block<'_>, other: &Block<'_>) -> Match {
        Match::new(one, other, false)
    }

    fn new(one: &Block<'_>, other: &Block<'_>, is_one_format: bool) -> Match {
        let (keys_of_one, keys_of_other) = (keys(one.object), keys(other.object));
        let counters: HashMap<_, usize> =
            keys_of_other.iter().enumerate().map(|(at, key)| (key, at)).collect();
        let counters: Vec<Option<usize>> = keys_of_one.iter().map(|key| counters.get(key).copied()).collect();
        let mut instances = places_among(one.instances, other.instances);
        let is_raw = one.is_raw() && other.is_raw();
        let has_all = keys_of_one.len() == keys_of_other.len() && counters.iter().all(Option::is_some);
        if is_raw && is_one_format && has_all {
            // Both know ids, or neither does: an id that only one of them has is damage.
            for (instance, place) in one.instances.iter().zip(&mut instances) {
                *place = place.filter(|place| other.instances[*place].id == instance.id);
            }
        }
        let mut is_renumbered = vec![false; instances.len()];
        if is_raw && instances.iter().any(Option::is_none) {
            let taken: HashSet<usize> = instances.iter().copied().flatten().collect();
            let free = || other.instances.iter().enumerate().filter(|(at, _)| !taken.contains(at));
            let shown: HashSet<String> = free().map(|(_, instance)| instance.shown()).collect();
            let identity = |instance: &Instance| {
                Some((Arc::clone(&instance.name), instance.parent.clone(), instance.id?))
            };
            let known: HashSet<_> = free().filter_map(|(_, instance)| identity(instance)).collect();
            for (at, instance) in one.instances.iter().enumerate().filter(|(at, _)| instances[*at].is_none())
            {
                is_renumbered[at] = shown.contains(&instance.shown())
                    || identity(instance).is_some_and(|identity| known.contains(&identity));
            }
        }
        Match { instances, counters, is_renumbered }
    }
}

/// What each counter of an object is known by. A base often has the name of the counter that it serves.
pub(crate) fn keys(object: &ObjectDef) -> Vec<(&str, bool, u32)> {
    let mut known: HashMap<(&str, bool), u32> = HashMap::new();
    let mut keys = Vec::with_capacity(object.counters.len());
    for counter in &object.counters {
        let (name, is_base) = (&*counter.name, counter.is_base());
        let num = known.entry((name, is_base)).or_default();
        keys.push((name, is_base, *num));
        *num += 1;
    }
    keys
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
                let make = || Match::new(block, &self.others.blocks[*other], self.is_one_format);
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
                        Some(CellPlace { source, block, row: *row, counter, instance })
                    });
                    let own = CellPlace { source: self.of.source, block, row, counter, instance };
                    if !is_blank || own.cell().is_some() {
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

/// Where a cell is.
struct CellPlace<'a, 'b> {
    source: &'b dyn Source,
    block: &'b Block<'a>,
    row: usize,
    counter: usize,
    instance: usize,
}

impl CellPlace<'_, '_> {
    fn cell(&self) -> Option<Cell> {
        self.block.cell(self.row, self.counter, self.instance)
    }

    fn interval_s(&self) -> f64 {
        self.block.interval_s(self.row, self.instance)
    }

    /// Whether the same counts mean the same in both: the type, and how fast the clocks go.
    fn is_same_type(&self, other: &CellPlace<'_, '_>) -> bool {
        let type_of = |place: &CellPlace<'_, '_>| place.block.object.counters[place.counter].counter_type;
        let is_same_rate = || {
            let [one, other] = [self, other].map(|place| place.block.frequencies(place.row));
            one.into_iter().zip(other).all(|(one, other)| one == other || one == 0 || other == 0)
        };
        let is_raw = self.block.is_raw() && other.block.is_raw();
        !is_raw || (type_of(self) == type_of(other) && is_same_rate())
    }

    /// Whether it is known why there is no value, and by a capture that knows more.
    fn rules_out(&self, other: &CellPlace<'_, '_>) -> bool {
        self.source.info().authority > other.source.info().authority
            && self.block.rules_out_value(self.row, self.counter, self.instance)
            && (self.interval_s().is_infinite() || !is_longer(self.interval_s(), other.interval_s()))
    }

    /// Whether its capture has the values of which the other is the sum or the mean: the other is of a thinned table.
    fn covers(&self, other: &CellPlace<'_, '_>) -> bool {
        let (short_s, long_s) = (self.interval_s(), other.interval_s());
        let time = other.block.times()[other.row].utc;
        short_s > 0.0 && long_s.is_finite() && covers(self.source, time, Some(short_s), long_s)
    }
}

impl Share {
    /// Adds a cell, and where the other capture has it.
    fn add<'a: 'b, 'b>(
        &mut self,
        own: &CellPlace<'a, 'b>,
        mut others: impl Iterator<Item = CellPlace<'a, 'b>>,
    ) {
        let Some(cell) = own.cell() else {
            // Another capture without the counter doesn't say that there is no value.
            let is_there = !own.block.has(own.counter, own.instance)
                || others.any(|other| other.block.has(other.counter, other.instance));
            self.num_known += usize::from(!is_there);
            return;
        };
        let mut is_ruled_out = false;
        let mut shortest: Option<f64> = None;
        let mut has_other = false;
        for other in others {
            let Some(found) = other.cell() else {
                is_ruled_out |= other.rules_out(own);
                continue;
            };
            if found == cell && own.is_same_type(&other) {
                shortest = Some(shortest.map_or(other.interval_s(), |known| known.min(other.interval_s())));
            } else if found.is_raw() == cell.is_raw() {
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
            self.is_longer |= is_longer(shortest, own.interval_s());
        } else if has_other {
            self.differing.get_or_insert_with(|| path(own.block, own.counter, own.instance));
        }
    }
}

/// Whether an interval is longer than another, by more than clocks and digits differ.
fn is_longer(one_s: f64, other_s: f64) -> bool {
    one_s > other_s + tolerance_s(other_s)
}

pub(super) fn path(block: &Block<'_>, counter: usize, instance: usize) -> String {
    let instance = block.instances[instance].shown();
    let instance = if instance.is_empty() { instance } else { format!("({instance})") };
    let counter = block.object.counters.get(counter).map_or("", |counter| &*counter.name);
    format!("\\{}{instance}\\{counter}", block.object.name)
}
