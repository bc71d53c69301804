//! Values that two captures have: of one time, counter and instance, the same value counts once.
//!
//! Whole samples that another capture has never get here (`recount/src/repeats/`). What is left are captures that share some
//! of their counters, and texts beside the logs that they were made from.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use recount_model::{Cooked, CookedColumn, CounterDef, Run, Second, Timestamp, places_among};

use crate::{Input, covers};

/// Cooked values, the number of the capture that they are from, which is that of its first input, and their raw values if
/// it has them.
pub(crate) struct Origin {
    pub(crate) capture: usize,
    pub(crate) run: Option<Arc<Run>>,
}

/// Leaves out the values that another capture has, too. Different values stay. Of the same counts compared with different
/// earlier samples, and where a capture has all of the interval of a thinned table's value, the value over the shorter
/// interval stays.
pub(crate) fn without_repeated(inputs: &[Input], all: Vec<Cooked>, origins: &[Origin]) -> Vec<Cooked> {
    let mut by_object: BTreeMap<(Arc<str>, Arc<str>), Vec<usize>> = BTreeMap::new();
    for (at, cooked) in all.iter().enumerate() {
        let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name));
        by_object.entry(key).or_default().push(at);
    }
    let is_shared = |members: &[usize]| {
        members.windows(2).any(|pair| origins[pair[0]].capture != origins[pair[1]].capture)
    };
    let mut left_out: Vec<Option<Mask>> = all.iter().map(|_| None).collect();
    for members in by_object.values().filter(|members| is_shared(members)) {
        Stretches { inputs, all: &all, origins }.compare(members, &mut left_out);
    }
    let kept = all.into_iter().zip(left_out).flat_map(|(cooked, mask)| match mask {
        Some(mask) => mask.apply(cooked),
        None => vec![cooked],
    });
    kept.collect()
}

/// Per cell of all columns: whether it is left out.
struct Mask {
    num_cells: usize,
    cells: Vec<bool>,
}

impl Mask {
    fn of(cooked: &Cooked) -> Mask {
        let num_cells = cooked.num_cells();
        Mask { num_cells, cells: vec![false; num_cells * cooked.columns.len()] }
    }

    fn cell(&mut self, column: usize, cell: usize) -> &mut bool {
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
    fn apply(&self, cooked: Cooked) -> Vec<Cooked> {
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
        interval_s: cooked.interval_s[samples.clone()].to_vec(),
        // From the second sample on, every instance is in the one before.
        continued: if samples.start == 0 { cooked.continued.clone() } else { vec![true; num] },
        columns: cooked.columns.iter().enumerate().filter_map(column).collect(),
        raw: cooked.raw.as_ref().map(|raw| Arc::new(raw.part(samples))),
    }
}

/// The places of one stretch's columns and instances in another, and of both stretches' instances in their runs.
struct Places {
    columns: Vec<Option<usize>>,
    instances: Vec<Option<usize>>,
    raw: [Vec<Option<usize>>; 2],
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
    fn of((one, of_one): (&Cooked, &Origin), (other, of_other): (&Cooked, &Origin)) -> Places {
        let has_base = |cooked: &Cooked| cooked.object.counters.iter().any(CounterDef::is_base);
        let knows_bases = has_base(one) && has_base(other);
        let columns: HashMap<_, usize> =
            keys(other, knows_bases).into_iter().enumerate().map(|(at, key)| (key, at)).collect();
        // A selection leaves out instances, and aggregates are added.
        let raw = |cooked: &Cooked, origin: &Origin| {
            origin.run.as_ref().map_or_else(Vec::new, |run| places_among(&cooked.instances, &run.instances))
        };
        Places {
            columns: keys(one, knows_bases).iter().map(|key| columns.get(key).copied()).collect(),
            instances: places_among(&one.instances, &other.instances),
            raw: [raw(other, of_other), raw(one, of_one)],
        }
    }
}

/// Stretches of values, and where they are from.
struct Stretches<'a> {
    inputs: &'a [Input],
    all: &'a [Cooked],
    origins: &'a [Origin],
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
    fn compare(&self, members: &[usize], left_out: &mut [Option<Mask>]) {
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
                    let make = || Places::of((&all[at], &origins[at]), (&all[other], &origins[other]));
                    let places = places.entry((at, other)).or_insert_with(make);
                    self.compare_samples([(other, of_other), (at, sample)], places, left_out);
                }
                others.push((at, sample));
            }
        }
    }

    fn compare_samples(
        &self,
        [(other, of_other), (at, sample)]: [(usize, usize); 2],
        places: &Places,
        left_out: &mut [Option<Mask>],
    ) {
        for (column, of_one) in places.columns.iter().enumerate() {
            let Some(of_one) = *of_one else { continue };
            for (instance, place) in places.instances.iter().enumerate() {
                let Some(place) = *place else { continue };
                let one = Cell { stretch: other, sample: of_other, column: of_one, instance: place };
                let two = Cell { stretch: at, sample, column, instance };
                let covered = [one, two].map(|cell| self.column(cell).covers(cell.instance));
                let Some(dropped) = (covered == [true; 2]).then(|| self.worse(one, two, places)).flatten()
                else {
                    continue;
                };
                let stretch = &self.all[dropped.stretch];
                let cell = self.number(dropped);
                *left_out[dropped.stretch]
                    .get_or_insert_with(|| Mask::of(stretch))
                    .cell(dropped.column, cell) = true;
            }
        }
    }

    /// Which of two values of one time isn't needed beside the other; `None` if both are.
    fn worse(&self, one: Cell, two: Cell, places: &Places) -> Option<Cell> {
        let is_two_shorter = || {
            let long = |cell: Cell| self.interval_s(cell).unwrap_or(f64::INFINITY);
            long(two) < long(one)
        };
        // A missing value contradicts nothing, but it says what a value over a longer interval mustn't replace.
        let missing = |missing: Cell, there: Cell| if self.covers(missing, there) { there } else { missing };
        match (self.value(one), self.value(two)) {
            (None, None) => Some(two),
            (Some(_), None) => Some(missing(two, one)),
            (None, Some(_)) => Some(missing(one, two)),
            (Some(a), Some(b)) if a.to_bits() == b.to_bits() || self.is_same_count(one, two, places) => {
                Some(if is_two_shorter() { one } else { two })
            }
            (Some(_), Some(_)) => {
                let pairs = [(one, two), (two, one)];
                pairs.into_iter().find(|(short, long)| self.covers(*short, *long)).map(|(_, long)| long)
            }
        }
    }

    /// Whether both are made from the same counts, compared with different earlier samples.
    fn is_same_count(&self, one: Cell, two: Cell, places: &Places) -> bool {
        let raw = |cell: Cell, instances: &[Option<usize>]| {
            let instance = instances.get(cell.instance).copied().flatten()?;
            let run = self.origins[cell.stretch].run.as_deref()?;
            raw(run, cell.sample, self.column(cell).counter, instance)
        };
        let count = raw(one, &places.raw[0]);
        count.is_some() && count == raw(two, &places.raw[1])
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
        origin(long).run.is_none()
            && covers(&*self.inputs[origin(short).capture].source, time, short_s, long_s)
    }

    fn column(&self, cell: Cell) -> &CookedColumn {
        &self.all[cell.stretch].columns[cell.column]
    }

    fn number(&self, cell: Cell) -> usize {
        cell.sample * self.all[cell.stretch].instances.len() + cell.instance
    }

    fn value(&self, cell: Cell) -> Option<f64> {
        self.column(cell).value_at(self.number(cell))
    }

    fn interval_s(&self, cell: Cell) -> Option<f64> {
        self.all[cell.stretch].interval_of(cell.sample, cell.instance)
    }
}

/// The raw values of a cell: the first, and the second if there is one.
fn raw(run: &Run, sample: usize, counter: usize, instance: usize) -> Option<(u64, Option<u64>)> {
    let cell = sample * run.instances.len() + instance;
    let column = run.columns.get(counter)?;
    let first = *column.first.get(cell)?;
    let second = match &column.second {
        Second::None => None,
        Second::Clock(timer) => run.clocks.ticks(*timer).get(sample).copied(),
        Second::Base(base) => run.columns.get(*base)?.first.get(cell).copied(),
        Second::Own(values) => values.get(cell).copied(),
    };
    Some((first, second))
}
