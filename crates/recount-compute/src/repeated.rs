//! Values that two captures have: of one time, counter and instance, the same value counts once.
//!
//! Whole samples that another capture of their recording has never get here (`recount/src/repeats/`). What is left are computed
//! values of captures that share some of their counters, tables and texts beside the logs that they were made from, and raw
//! recordings that contradict each other. The order of the captures decides only between those that say the same.

mod blanks;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use recount_model::{
    Authority, Cooked, CookedColumn, CounterDef, Selection, Status, Timestamp, places_among,
};

use crate::{Input, covers, tolerance_s};

/// Where cooked values are from.
pub(crate) struct Origin {
    /// The number of the capture, which is that of its first input.
    pub(crate) capture: usize,
    /// Whether they were made from its raw values.
    pub(crate) is_raw: bool,
    /// How much the capture says of them.
    pub(crate) authority: Authority,
}

impl Origin {
    fn rank(&self) -> (bool, Authority) {
        (self.is_raw, self.authority)
    }
}

/// Leaves out the values that another capture has, too. Different values stay. Of captures with raw values, which are
/// different recordings, only what is the same in every respect is left out: each has the values that it has alone. Where a
/// capture has all of the interval of another's value in shorter steps, because that one was thinned out or has lost samples,
/// the value over the shorter interval stays.
pub(crate) fn without_repeated(inputs: &[Input], all: Vec<Cooked>, origins: &[Origin]) -> Vec<Cooked> {
    let mut by_object: BTreeMap<(Arc<str>, Arc<str>), Vec<usize>> = BTreeMap::new();
    for (at, cooked) in all.iter().enumerate() {
        let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name));
        by_object.entry(key).or_default().push(at);
    }
    let is_shared = |members: &[usize]| {
        members.windows(2).any(|pair| origins[pair[0]].capture != origins[pair[1]].capture)
    };
    let mut left_out: Vec<Option<CookedMask>> = all.iter().map(|_| None).collect();
    let stretches = Stretches { inputs, all: &all, origins, unread: RefCell::default() };
    for members in by_object.values().filter(|members| is_shared(members)) {
        stretches.compare(members, &mut left_out);
    }
    blanks::leave_out_of_absent_objects(inputs, (&all, origins), &mut left_out);
    let kept = all.into_iter().zip(left_out).flat_map(|(cooked, mask)| match mask {
        Some(mask) => mask.apply(cooked),
        None => vec![cooked],
    });
    kept.collect()
}

/// Per cell of all columns of a stretch of values: whether it is left out.
pub struct CookedMask {
    num_cells: usize,
    cells: Vec<bool>,
}

impl CookedMask {
    /// Nothing is left out.
    pub fn of(cooked: &Cooked) -> CookedMask {
        let num_cells = cooked.num_cells();
        CookedMask { num_cells, cells: vec![false; num_cells * cooked.columns.len()] }
    }

    /// A cell of a column, by its index there.
    pub fn cell(&mut self, column: usize, cell: usize) -> &mut bool {
        &mut self.cells[column * self.num_cells + cell]
    }

    /// Which cells of a sample are left out, column by column.
    fn of_sample(&self, cooked: &Cooked, sample: usize) -> Vec<bool> {
        let num = cooked.instances.len();
        let of = |column: usize| {
            let start = column * self.num_cells + sample * num;
            &self.cells[start..start + num]
        };
        (0..cooked.columns.len()).flat_map(of).copied().collect()
    }

    /// The rest, cut where something else is left out.
    pub fn apply(&self, cooked: Cooked) -> Vec<Cooked> {
        let mut pieces: Vec<(Range<usize>, Vec<bool>)> = Vec::new();
        for sample in 0..cooked.num_samples() {
            let mask = self.of_sample(&cooked, sample);
            match pieces.last_mut() {
                Some((range, same)) if *same == mask => range.end = sample + 1,
                _ => pieces.push((sample..sample + 1, mask)),
            }
        }
        if let [(_, mask)] = pieces.as_slice()
            && !mask.contains(&true)
        {
            return vec![cooked];
        }
        let made = pieces.iter().map(|(range, mask)| piece(&cooked, range.clone(), mask));
        made.filter(|piece| !piece.columns.is_empty()).collect()
    }
}

/// Some samples, without the cells of a mask.
fn piece(cooked: &Cooked, samples: Range<usize>, mask: &[bool]) -> Cooked {
    let num = cooked.instances.len();
    let cells = samples.start * num..samples.end * num;
    let column = |(at, column): (usize, &CookedColumn)| {
        let mask = &mask[at * num..(at + 1) * num];
        let covers: Vec<bool> = (0..num).map(|at| column.covers(at) && !mask[at]).collect();
        covers.contains(&true).then(|| CookedColumn {
            counter: column.counter,
            values: column.values[cells.clone()].to_vec(),
            status: column.status.as_ref().map(|all| all[cells.clone()].to_vec()),
            covers: if mask.contains(&true) { Some(covers.into()) } else { column.covers.clone() },
            texts: column.texts.as_ref().map(|all| all[cells.clone()].to_vec()),
        })
    };
    Cooked {
        host: Arc::clone(&cooked.host),
        object: Arc::clone(&cooked.object),
        instances: Arc::clone(&cooked.instances),
        times: cooked.times[samples.clone()].to_vec(),
        gaps: of_piece(&cooked.gaps, &samples),
        first_s: cooked.first_s.get(samples.clone()).unwrap_or_default().to_vec(),
        interval_s: cooked.interval_s[samples.clone()].to_vec(),
        // From the second sample on, every instance is in the one before.
        continued: if samples.start == 0 { cooked.continued.clone() } else { vec![true; num] },
        columns: cooked.columns.iter().enumerate().filter_map(column).collect(),
        raw: cooked.raw.as_ref().map(|raw| Arc::new(raw.part(samples))),
    }
}

/// The numbers of some samples, counted from the first one of a range.
fn of_piece(samples: &[u32], range: &Range<usize>) -> Vec<u32> {
    let inside = samples.iter().filter(|sample| range.contains(&(**sample as usize)));
    inside.map(|sample| sample - range.start as u32).collect()
}

/// The places of one stretch's columns and instances in another.
struct Places {
    columns: Vec<Option<usize>>,
    instances: Vec<Option<usize>>,
}

/// What each column is known by. A base often has the name of the counter that it serves; a table doesn't say which of its
/// columns are bases.
fn keys(cooked: &Cooked, knows_bases: bool) -> Vec<Option<(&str, bool, u32)>> {
    let mut known: HashMap<(&str, bool), u32> = HashMap::new();
    let key = |column: &CookedColumn| {
        let counter = cooked.object.counters.get(column.counter)?;
        let (name, is_base) = (&*counter.name, knows_bases && counter.is_base());
        let num = known.entry((name, is_base)).or_default();
        *num += 1;
        Some((name, is_base, *num))
    };
    cooked.columns.iter().map(key).collect()
}

impl Places {
    /// Rows of raw values are compared as they are shown: each capture has its own idea of who is who.
    fn of(one: &Cooked, other: &Cooked, is_shown: bool) -> Places {
        let has_base = |cooked: &Cooked| cooked.object.counters.iter().any(CounterDef::is_base);
        let knows_bases = has_base(one) && has_base(other);
        let columns: HashMap<_, usize> =
            keys(other, knows_bases).into_iter().enumerate().map(|(at, key)| (key, at)).collect();
        Places {
            columns: keys(one, knows_bases).iter().map(|key| columns.get(key).copied()).collect(),
            instances: if is_shown {
                places_of_shown(one, other)
            } else {
                places_among(&one.instances, &other.instances)
            },
        }
    }
}

/// The places of instances that are shown alike.
fn places_of_shown(one: &Cooked, other: &Cooked) -> Vec<Option<usize>> {
    let shown: HashMap<String, usize> =
        other.instances.iter().enumerate().map(|(at, instance)| (instance.shown(), at)).collect();
    one.instances.iter().map(|instance| shown.get(&instance.shown()).copied()).collect()
}

/// Stretches of values, and where they are from.
struct Stretches<'a> {
    inputs: &'a [Input],
    all: &'a [Cooked],
    origins: &'a [Origin],
    /// Per capture and sample: whether it can't be read.
    unread: RefCell<HashMap<(usize, usize), bool>>,
}

/// Why a value is missing, in the order of how much that says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// A blank in a text.
    None,
    /// The capture begins there: another may have what was before.
    First,
    /// It isn't known what was counted, there or before.
    Unread,
    /// The counts say that there is no value.
    Known,
}

/// A value: its stretch, sample, column and instance.
#[derive(Clone, Copy)]
struct Cell {
    stretch: usize,
    sample: usize,
    column: usize,
    instance: usize,
}

impl Stretches<'_> {
    /// Compares the stretches of one object with each other at the times that several captures have.
    fn compare(&self, members: &[usize], left_out: &mut [Option<CookedMask>]) {
        let Stretches { all, origins, .. } = *self;
        let mut known: HashMap<Timestamp, Vec<(usize, usize)>> = HashMap::new();
        let mut places: HashMap<(usize, usize), Places> = HashMap::new();
        for &at in members {
            for (sample, time) in all[at].times.iter().enumerate() {
                let others = known.entry(time.utc).or_default();
                for &(other, of_other) in others.iter() {
                    if origins[other].capture == origins[at].capture {
                        continue;
                    }
                    let is_raw = origins[at].is_raw && origins[other].is_raw;
                    let make = || Places::of(&all[at], &all[other], is_raw);
                    let places = places.entry((at, other)).or_insert_with(make);
                    self.compare_samples([(other, of_other), (at, sample)], places, left_out);
                    self.leave_out_blanks([(other, of_other), (at, sample)], places, left_out);
                }
                others.push((at, sample));
            }
        }
    }

    fn compare_samples(
        &self,
        [(other, of_other), (at, sample)]: [(usize, usize); 2],
        places: &Places,
        left_out: &mut [Option<CookedMask>],
    ) {
        for (column, of_one) in places.columns.iter().enumerate() {
            let Some(of_one) = *of_one else { continue };
            for (instance, place) in places.instances.iter().enumerate() {
                let Some(place) = *place else { continue };
                let one = Cell { stretch: other, sample: of_other, column: of_one, instance: place };
                let two = Cell { stretch: at, sample, column, instance };
                let covered = [one, two].map(|cell| self.column(cell).covers(cell.instance));
                let Some(dropped) = (covered == [true; 2]).then(|| self.worse(one, two)).flatten() else {
                    continue;
                };
                self.leave_out(dropped, left_out);
            }
        }
    }

    fn leave_out(&self, cell: Cell, left_out: &mut [Option<CookedMask>]) {
        let mask = left_out[cell.stretch].get_or_insert_with(|| CookedMask::of(&self.all[cell.stretch]));
        *mask.cell(cell.column, self.number(cell)) = true;
    }

    /// A text has a cell for each of its counters at each time. It says nothing if it is blank and a capture that knows better
    /// has no such instance.
    fn leave_out_blanks(
        &self,
        [(other, of_other), (at, sample)]: [(usize, usize); 2],
        places: &Places,
        left_out: &mut [Option<CookedMask>],
    ) {
        let (stretch, sample, known) = if self.origins[at].rank() < self.origins[other].rank() {
            (at, sample, places.instances.iter().map(Option::is_some).collect())
        } else {
            let mut known = vec![false; self.all[other].instances.len()];
            places.instances.iter().flatten().for_each(|place| known[*place] = true);
            (other, of_other, known)
        };
        let is_text = self.origins[stretch].authority == Authority::Text;
        if !is_text || self.origins[at].rank() == self.origins[other].rank() {
            return;
        }
        for instance in (0..known.len()).filter(|instance| !known[*instance]) {
            for column in 0..self.all[stretch].columns.len() {
                let cell = Cell { stretch, sample, column, instance };
                if self.column(cell).covers(instance) && self.status(cell) == Status::InvalidData {
                    self.leave_out(cell, left_out);
                }
            }
        }
    }

    /// Which of two values of one time isn't needed beside the other; `None` if both are.
    fn worse(&self, one: Cell, two: Cell) -> Option<Cell> {
        if [one, two].iter().all(|cell| self.origins[cell.stretch].is_raw) {
            return self.is_same_row(one, two).then_some(two);
        }
        match (self.value(one), self.value(two)) {
            (None, None) => Some(if self.says_more(two, one) { one } else { two }),
            (Some(_), None) => Some(self.worse_of_missing(two, one)),
            (None, Some(_)) => Some(self.worse_of_missing(one, two)),
            (Some(a), Some(b)) if a.to_bits() == b.to_bits() => {
                Some(if self.is_better(two, one) { one } else { two })
            }
            (Some(_), Some(_)) => {
                let pairs = [(one, two), (two, one)];
                pairs.into_iter().find(|(short, long)| self.covers(*short, *long)).map(|(_, long)| long)
            }
        }
    }

    /// Of a missing value and one that is there. A missing one contradicts nothing, unless its capture knows why there can be
    /// none; and it says what a value over a longer interval mustn't replace.
    fn worse_of_missing(&self, missing: Cell, there: Cell) -> Cell {
        let rank = |cell: Cell| self.origins[cell.stretch].rank();
        let is_known_why = self.reason(missing) == Reason::Known
            && rank(missing) > rank(there)
            // Without an interval, the sample alone says it.
            && (self.interval_s(missing).is_none() || !self.is_shorter(there, missing));
        if is_known_why || self.covers(missing, there) { there } else { missing }
    }

    /// Whether the first of two equal values says more: it is over a shorter interval, or from a capture that knows more.
    fn is_better(&self, one: Cell, other: Cell) -> bool {
        let is_lacking = |cell: Cell| self.interval_s(cell).is_none() && self.lacks_sample_before(cell);
        match (self.interval_s(one), self.interval_s(other)) {
            (Some(_), Some(_)) if self.is_shorter(one, other) => true,
            (Some(_), Some(_)) if self.is_shorter(other, one) => false,
            (Some(_), None) if is_lacking(other) => true,
            (None, Some(_)) if is_lacking(one) => false,
            (one_s, other_s) => {
                let long = |seconds: Option<f64>| seconds.unwrap_or(f64::INFINITY);
                let knowledge = self.knowledge(one).cmp(&self.knowledge(other));
                knowledge.then(long(other_s).total_cmp(&long(one_s))).is_gt()
            }
        }
    }

    /// Whether a capture doesn't know what was before a value: it begins there, or again after a loss, which may have taken the first
    /// samples after a restart, too, or the sample before can't be read. Elsewhere it knows that there was nothing, such as after a restart.
    fn lacks_sample_before(&self, cell: Cell) -> bool {
        let capture = self.origins[cell.stretch].capture;
        let source = &self.inputs[capture].source;
        let time = self.all[cell.stretch].times[cell.sample].utc;
        let sample = source.times().partition_point(|sample| sample.utc < time);
        let (epoch, round) = (source.epoch(sample), source.round(sample));
        for before in (0..sample).rev() {
            if source.epoch(before) != epoch {
                let num_ends =
                    source.epoch_despite_losses(before).abs_diff(source.epoch_despite_losses(sample));
                return source.epoch(before).abs_diff(epoch) > num_ends;
            }
            if source.round(before) == round {
                return self.is_unread(capture, before);
            }
        }
        true
    }

    fn is_unread(&self, capture: usize, sample: usize) -> bool {
        let decode = || {
            let decoded = self.inputs[capture].source.decode(&[sample as u32], &Selection::all());
            decoded.runs.is_empty() && decoded.cooked.is_empty()
        };
        *self.unread.borrow_mut().entry((capture, sample)).or_insert_with(decode)
    }

    /// Whether a value is over a shorter interval than another, by more than clocks and digits differ.
    fn is_shorter(&self, one: Cell, other: Cell) -> bool {
        let long = |cell: Cell| self.interval_s(cell).unwrap_or(f64::INFINITY);
        long(one) < long(other) - tolerance_s(long(one))
    }

    /// How much is known of a value, to be compared.
    fn knowledge(&self, cell: Cell) -> (bool, Authority, bool, bool) {
        let stretch = &self.all[cell.stretch];
        let counter = stretch.object.counters.get(self.column(cell).counter);
        let (is_raw, authority) = self.origins[cell.stretch].rank();
        let has_unit =
            counter.is_some_and(|counter| counter.counter_type.is_some() || counter.unit.is_some());
        (is_raw, authority, stretch.instances[cell.instance].id.is_some(), has_unit)
    }

    /// Whether the first of two missing values says more than the other.
    fn says_more(&self, one: Cell, other: Cell) -> bool {
        let rank = |cell: Cell| self.origins[cell.stretch].rank();
        let by_reason = self.reason(one).cmp(&self.reason(other));
        let by_interval = self.is_shorter(one, other).cmp(&self.is_shorter(other, one));
        by_reason.then(by_interval).then(rank(one).cmp(&rank(other))).is_gt()
    }

    fn reason(&self, cell: Cell) -> Reason {
        match self.status(cell) {
            Status::InvalidData if self.origins[cell.stretch].authority == Authority::Text => Reason::None,
            Status::FirstSample => Reason::First,
            status if status.rules_out_value() => Reason::Known,
            _ => Reason::Unread,
        }
    }

    /// Whether two values are the same row of a table.
    fn is_same_row(&self, one: Cell, two: Cell) -> bool {
        let of = |cell: Cell| {
            let (column, at) = (self.column(cell), self.number(cell));
            let bits = [self.value(cell), self.interval_s(cell)].map(|value| value.map(f64::to_bits));
            (bits, column.status_at(at), column.text_at(at))
        };
        of(one) == of(two)
    }

    /// Whether a capture has the values of which a computed one is the sum or the mean.
    fn covers(&self, short: Cell, long: Cell) -> bool {
        let origin = |cell: Cell| &self.origins[cell.stretch];
        let (short_s, Some(long_s)) = (self.interval_s(short), self.interval_s(long)) else { return false };
        // The interval of a value is known, or its reason to be missing.
        if short_s.is_none() && self.value(short).is_some() {
            return false;
        }
        let time = self.all[long.stretch].times[long.sample].utc;
        let capture = origin(short).capture;
        covers(&*self.inputs[capture].source, time, short_s, long_s)
            && (!origin(long).is_raw || self.uses_all(capture, time, long_s))
    }

    /// Whether all samples that a capture has within an interval, after its begin, are used. If they are thinned out, so are those
    /// of raw values, which then are over longer intervals as they should be.
    fn uses_all(&self, capture: usize, end: Timestamp, long_s: f64) -> bool {
        let source = &self.inputs[capture].source;
        let begin = end.minus_seconds(long_s - tolerance_s(long_s));
        let times = source.times();
        let first = times.partition_point(|sample| sample.utc < begin) as u32;
        let past = times.partition_point(|sample| sample.utc <= end) as u32;
        let of_capture = self.inputs.iter().filter(|input| Arc::ptr_eq(&input.source, source));
        let num_used = of_capture.map(|input| {
            let before = |limit: u32| input.samples.partition_point(|sample| *sample < limit);
            before(past) - before(first)
        });
        num_used.sum::<usize>() == (past - first) as usize
    }

    fn column(&self, cell: Cell) -> &CookedColumn {
        &self.all[cell.stretch].columns[cell.column]
    }

    fn number(&self, cell: Cell) -> usize {
        cell.sample * self.all[cell.stretch].instances.len() + cell.instance
    }

    fn status(&self, cell: Cell) -> Status {
        self.column(cell).status_at(self.number(cell))
    }

    fn value(&self, cell: Cell) -> Option<f64> {
        self.column(cell).value_at(self.number(cell))
    }

    fn interval_s(&self, cell: Cell) -> Option<f64> {
        self.all[cell.stretch].interval_of(cell.sample, cell.instance)
    }
}
