//! Values that two captures have: of one time, counter and instance, the same value counts once.
//!
//! Whole samples that another capture has never get here (`recount/src/repeats/`). What is left are captures that share some
//! of their counters, and texts beside the logs that they were made from.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use recount_model::{Cooked, CookedColumn, Run, Second, Timestamp, places_among};

/// Cooked values, the number of the capture that they are from, and their raw values if it has them.
pub(crate) struct Origin {
    pub(crate) capture: usize,
    pub(crate) run: Option<Arc<Run>>,
}

/// Leaves out the values that another capture has, too. Different values stay. Of the same counts compared with different
/// earlier samples, the value over the shorter interval stays.
pub(crate) fn without_repeated(all: Vec<Cooked>, origins: &[Origin]) -> Vec<Cooked> {
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
        compare(&all, origins, members, &mut left_out);
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

/// What each column is known by. A base often has the name of the counter that it serves.
fn keys(cooked: &Cooked) -> Vec<Option<(&str, bool, u32)>> {
    let mut known: HashMap<(&str, bool), u32> = HashMap::new();
    let key = |column: &CookedColumn| {
        let counter = cooked.object.counters.get(column.counter)?;
        let (name, is_base) = (&*counter.name, counter.is_base());
        let num = known.entry((name, is_base)).or_default();
        *num += 1;
        Some((name, is_base, *num))
    };
    cooked.columns.iter().map(key).collect()
}

impl Places {
    fn of((one, of_one): (&Cooked, &Origin), (other, of_other): (&Cooked, &Origin)) -> Places {
        let columns: HashMap<_, usize> =
            keys(other).into_iter().enumerate().map(|(at, key)| (key, at)).collect();
        // A selection leaves out instances, and aggregates are added.
        let raw = |cooked: &Cooked, origin: &Origin| {
            origin.run.as_ref().map_or_else(Vec::new, |run| places_among(&cooked.instances, &run.instances))
        };
        Places {
            columns: keys(one).iter().map(|key| columns.get(key).copied()).collect(),
            instances: places_among(&one.instances, &other.instances),
            raw: [raw(other, of_other), raw(one, of_one)],
        }
    }
}

/// Compares the stretches of one object with each other at the times that several captures have.
fn compare(all: &[Cooked], origins: &[Origin], members: &[usize], left_out: &mut [Option<Mask>]) {
    let mut known: HashMap<Timestamp, Vec<(usize, usize)>> = HashMap::new();
    let mut places: HashMap<(usize, usize), Places> = HashMap::new();
    for &at in members {
        for (sample, time) in all[at].times.iter().enumerate() {
            let others = known.entry(time.utc).or_default();
            for &(other, of_other) in others.iter() {
                if origins[other].capture == origins[at].capture {
                    continue;
                }
                let places = places
                    .entry((at, other))
                    .or_insert_with(|| Places::of((&all[at], &origins[at]), (&all[other], &origins[other])));
                let pair = [(other, of_other), (at, sample)];
                compare_samples(all, origins, pair, places, left_out);
            }
            others.push((at, sample));
        }
    }
}

fn compare_samples(
    all: &[Cooked],
    origins: &[Origin],
    [(other, of_other), (at, sample)]: [(usize, usize); 2],
    places: &Places,
    left_out: &mut [Option<Mask>],
) {
    let (one, two) = (&all[other], &all[at]);
    for (column, of_one) in places.columns.iter().enumerate() {
        let Some(of_one) = *of_one else { continue };
        for (instance, place) in places.instances.iter().enumerate() {
            let Some(place) = *place else { continue };
            let cells = (of_other * one.instances.len() + place, sample * two.instances.len() + instance);
            let columns = (&one.columns[of_one], &two.columns[column]);
            if !columns.0.covers(place) || !columns.1.covers(instance) {
                continue;
            }
            let is_later_shorter = || {
                let long = |interval: Option<f64>| interval.unwrap_or(f64::INFINITY);
                long(two.interval_of(sample, instance)) < long(one.interval_of(of_other, place))
            };
            let is_one_dropped = match (columns.0.value_at(cells.0), columns.1.value_at(cells.1)) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(a), Some(b)) if a.to_bits() == b.to_bits() => is_later_shorter(),
                (Some(_), Some(_)) => {
                    let raw = |number: usize, at: usize, sample, counter, instance: usize| {
                        let instance = places.raw[number].get(instance).copied().flatten()?;
                        raw(origins[at].run.as_deref()?, sample, counter, instance)
                    };
                    let count = raw(0, other, of_other, columns.0.counter, place);
                    if count.is_none() || count != raw(1, at, sample, columns.1.counter, instance) {
                        continue;
                    }
                    is_later_shorter()
                }
            };
            let (stretch, column, cell) =
                if is_one_dropped { (other, of_one, cells.0) } else { (at, column, cells.1) };
            *left_out[stretch].get_or_insert_with(|| Mask::of(&all[stretch])).cell(column, cell) = true;
        }
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
