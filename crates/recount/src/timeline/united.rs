//! The runs of files that have different parts of the same samples, put together: of each sample everything that one of
//! the files has, once.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use recount_compute::cells::{Block, Match};
use recount_model::{CellFault, Clocks, Column, Instance, Multi, ObjectDef, Run, Second, Texts, Timestamp};

/// Host, object, and which of its lists of counters.
type Key = (Arc<str>, Arc<str>, u32);

/// A sample of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SampleRow {
    time: Timestamp,
    part: usize,
    run: usize,
    sample: usize,
}

/// The runs of each part as the runs of one capture.
pub(super) fn united(parts: Vec<Vec<Run>>) -> Vec<Run> {
    let mut numbers: HashMap<Key, usize> = HashMap::new();
    let mut objects: Vec<Vec<(usize, Run)>> = Vec::new();
    for (part, runs) in parts.into_iter().enumerate() {
        for run in runs {
            let key = (Arc::clone(&run.host), Arc::clone(&run.object.name), run.object.stream);
            let number = *numbers.entry(key).or_insert(objects.len());
            if number == objects.len() {
                objects.push(Vec::new());
            }
            objects[number].push((part, run));
        }
    }
    objects.into_iter().flat_map(of_object).collect()
}

/// The runs of one object, each with its part.
fn of_object(runs: Vec<(usize, Run)>) -> Vec<Run> {
    if runs.iter().all(|(part, _)| *part == runs[0].0) {
        return runs.into_iter().map(|(_, run)| run).collect();
    }
    let mut rows: Vec<SampleRow> = Vec::new();
    for (number, (part, run)) in runs.iter().enumerate() {
        let of_run = |(row, time): (usize, &recount_model::SampleTime)| SampleRow {
            time: time.utc,
            part: *part,
            run: number,
            sample: row,
        };
        rows.extend(run.clocks.time.iter().enumerate().map(of_run));
    }
    rows.sort_unstable();
    let mut pieces = Pieces { runs: &runs, part: None, open: Vec::new(), made: Vec::new() };
    for moment in rows.chunk_by(|one, other| one.time == other.time) {
        if moment.iter().all(|row| row.part == moment[0].part) {
            for row in moment {
                pieces.add(*row);
            }
        } else {
            pieces.close();
            pieces.made.extend(of_moment(&runs, moment));
        }
    }
    pieces.close();
    pieces.made
}

/// Stretches of runs between which no other part has a sample.
struct Pieces<'a> {
    runs: &'a [(usize, Run)],
    part: Option<usize>,
    /// Runs and their rows.
    open: Vec<(usize, Range<usize>)>,
    made: Vec<Run>,
}

impl Pieces<'_> {
    fn add(&mut self, row: SampleRow) {
        if self.part != Some(row.part) {
            self.close();
            self.part = Some(row.part);
        }
        let continued = self.open.iter_mut().find(|(run, rows)| *run == row.run && rows.end == row.sample);
        match continued {
            Some((_, rows)) => rows.end += 1,
            None => self.open.push((row.run, row.sample..row.sample + 1)),
        }
    }

    fn close(&mut self) {
        let runs = self.runs;
        self.made.extend(self.open.drain(..).map(|(run, rows)| {
            let run = &runs[run].1;
            if rows == (0..run.num_samples()) { run.clone() } else { run.part(rows) }
        }));
        self.part = None;
    }
}

/// What several parts have at one time. The part that has most is completed with what the others have besides.
fn of_moment(runs: &[(usize, Run)], rows: &[SampleRow]) -> Vec<Run> {
    let mut parts: Vec<Vec<Run>> = Vec::new();
    for of_part in rows.chunk_by(|one, other| one.part == other.part) {
        parts.push(of_part.iter().map(|row| runs[row.run].1.part(row.sample..row.sample + 1)).collect());
    }
    parts.sort_by_cached_key(|runs| std::cmp::Reverse(runs.iter().map(num_values).sum::<usize>()));
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    for other in parts.flatten() {
        complete(&mut all, &other);
    }
    all
}

fn num_values(run: &Run) -> usize {
    let covered = |column: &Column| {
        column.covers.as_ref().map_or(run.instances.len(), |all| all.iter().filter(|covers| **covers).count())
    };
    run.columns.iter().map(covered).sum::<usize>().saturating_sub(run.faults.len())
}

/// Adds what `other` has and none of `all` does to the one that is most like it.
fn complete(all: &mut [Run], other: &Run) {
    let of_other = Block::of_run(other);
    let blocks: Vec<(Block<'_>, Match)> = all
        .iter()
        .map(|run| {
            let block = Block::of_run(run);
            let places = Match::of(&of_other, &block);
            (block, places)
        })
        .collect();
    let num_instances = other.instances.len();
    let mut is_added = vec![false; other.columns.len() * num_instances];
    for counter in 0..other.columns.len() {
        for instance in (0..num_instances).filter(|instance| of_other.has(counter, *instance)) {
            let is_value = of_other.value(0, counter, instance).is_some();
            let is_known = blocks.iter().any(|(block, places)| {
                let place = places.counters[counter].zip(places.instances[instance]);
                place.is_some_and(|(counter, instance)| {
                    block.value(0, counter, instance).is_some() || (!is_value && block.has(counter, instance))
                })
            });
            is_added[counter * num_instances + instance] = !is_known;
        }
    }
    if !is_added.contains(&true) {
        return;
    }
    let num_alike = |at: &usize| blocks[*at].1.counters.iter().flatten().count();
    let Some(most) = (0..blocks.len()).rev().max_by_key(num_alike) else { return };
    let union = Union::of(&all[most], other, &blocks[most].1, &is_added).run();
    drop(blocks);
    all[most] = union;
}

/// One sample of a run, and what another has besides.
struct Union<'a> {
    base: &'a Run,
    other: &'a Run,
    base_faults: BTreeSet<CellFault>,
    other_faults: BTreeSet<CellFault>,
    /// Which cells of the other one are taken.
    is_added: &'a [bool],
    /// Per counter and per instance, its place in the one and in the other.
    counters: Vec<[Option<usize>; 2]>,
    instances: Vec<[Option<usize>; 2]>,
}

/// A cell of one of the two.
#[derive(Clone, Copy)]
struct Taken<'a> {
    run: &'a Run,
    column: &'a Column,
    instance: usize,
    is_fault: bool,
}

impl<'a> Union<'a> {
    fn of(base: &'a Run, other: &'a Run, places: &Match, is_added: &'a [bool]) -> Union<'a> {
        let num = other.instances.len();
        let pairs = |num_base: usize, places: &[Option<usize>], is_needed: &dyn Fn(usize) -> bool| {
            let mut pairs: Vec<[Option<usize>; 2]> = (0..num_base).map(|at| [Some(at), None]).collect();
            for (at, place) in places.iter().enumerate() {
                match place {
                    Some(place) => pairs[*place][1] = Some(at),
                    None if is_needed(at) => pairs.push([None, Some(at)]),
                    None => {}
                }
            }
            pairs
        };
        let is_instance_needed =
            |instance: usize| (0..other.columns.len()).any(|at| is_added[at * num + instance]);
        let is_counter_needed = |counter: usize| is_added[counter * num..(counter + 1) * num].contains(&true);
        // A counter may be divided by any of the others.
        let is_any_needed = (0..other.columns.len())
            .any(|counter| places.counters[counter].is_none() && is_counter_needed(counter));
        Union {
            base,
            other,
            base_faults: base.faults.iter().copied().collect(),
            other_faults: other.faults.iter().copied().collect(),
            is_added,
            counters: pairs(base.columns.len(), &places.counters, &|_| is_any_needed),
            instances: pairs(base.instances.len(), &places.instances, &is_instance_needed),
        }
    }

    fn run(&self) -> Run {
        let clocks = self.clocks();
        let mut faults = Vec::new();
        let columns = (0..self.counters.len()).map(|at| self.column(at, &clocks, &mut faults)).collect();
        let instance = |[base, other]: &[Option<usize>; 2]| match (base, other) {
            (Some(at), _) => self.base.instances[*at].clone(),
            (None, Some(at)) => self.other.instances[*at].clone(),
            (None, None) => Instance::default(),
        };
        Run {
            host: Arc::clone(&self.base.host),
            object: self.object(),
            instances: self.instances.iter().map(instance).collect(),
            clocks,
            columns,
            faults,
        }
    }

    fn object(&self) -> Arc<ObjectDef> {
        let added: Vec<usize> =
            self.counters.iter().filter(|[base, _]| base.is_none()).filter_map(|[_, other]| *other).collect();
        if added.is_empty() {
            return Arc::clone(&self.base.object);
        }
        let mut object = ObjectDef::clone(&self.base.object);
        object.counters.extend(added.into_iter().map(|at| self.other.object.counters[at].clone()));
        Arc::new(object)
    }

    /// The clocks of the one, and those that only the other has.
    fn clocks(&self) -> Clocks {
        let (base, other) = (&self.base.clocks, &self.other.clocks);
        let either = |base: &Vec<u64>, other: &Vec<u64>| if base.is_empty() { other } else { base }.clone();
        Clocks {
            time: base.time.clone(),
            perf_time: either(&base.perf_time, &other.perf_time),
            perf_freq: either(&base.perf_freq, &other.perf_freq),
            time_100ns: either(&base.time_100ns, &other.time_100ns),
            object_time: either(&base.object_time, &other.object_time),
            object_freq: either(&base.object_freq, &other.object_freq),
        }
    }

    /// The cell that is used; `None` if neither has it.
    fn taken(&self, counter: usize, instance: usize) -> Option<Taken<'a>> {
        let ([base, other], [in_base, in_other]) = (self.counters[counter], self.instances[instance]);
        let of_other =
            other.zip(in_other).filter(|(at, of)| self.is_added[at * self.other.instances.len() + of]);
        let (run, faults, (at, of)) = match (of_other, base.zip(in_base)) {
            (Some(place), _) => (self.other, &self.other_faults, place),
            (None, Some(place)) => (self.base, &self.base_faults, place),
            (None, None) => return None,
        };
        let column = &run.columns[at];
        let is_fault = faults.contains(&CellFault { sample: 0, counter: at as u32, instance: of as u32 });
        column.covers(of).then_some(Taken { run, column, instance: of, is_fault })
    }

    /// Where a counter of the other one is.
    fn place_of(&self, of_other: usize) -> Option<usize> {
        self.counters.iter().position(|[_, other]| *other == Some(of_other))
    }

    fn column(&self, counter: usize, clocks: &Clocks, faults: &mut Vec<CellFault>) -> Column {
        let cells: Vec<Option<Taken<'a>>> =
            (0..self.instances.len()).map(|instance| self.taken(counter, instance)).collect();
        let second = self.second(counter, clocks, &cells);
        let is_fault = |cell: &Option<Taken<'_>>| {
            let lacks_second = |cell: &Taken<'_>| second.is_none() && cell.column.second == Second::None;
            cell.as_ref().is_some_and(|cell| cell.is_fault || lacks_second(cell))
        };
        for (instance, _) in cells.iter().enumerate().filter(|(_, cell)| is_fault(cell)) {
            faults.push(CellFault { sample: 0, counter: counter as u32, instance: instance as u32 });
        }
        let value = |of: fn(&Taken<'a>) -> u64| -> Vec<u64> {
            cells.iter().map(|cell| cell.as_ref().map_or(0, of)).collect()
        };
        let texts = |cell: &Option<Taken<'_>>| {
            let cell = cell.as_ref()?;
            cell.column.texts.as_ref()?.get(cell.instance)?.clone()
        };
        let has_texts = cells.iter().flatten().any(|cell| cell.column.texts.is_some());
        Column {
            first: value(Taken::first),
            second: second.unwrap_or_else(|| Second::Own(value(Taken::second))),
            multi: self.multi(counter, &cells).unwrap_or_else(|| Multi::Own(value(Taken::multi))),
            frequency: self.frequency(counter),
            covers: cells.iter().any(Option::is_none).then(|| cells.iter().map(Option::is_some).collect()),
            texts: has_texts.then(|| cells.iter().map(texts).collect::<Texts>()),
        }
    }

    /// Where all second values come from; `None` if they come from different places.
    fn second(&self, counter: usize, clocks: &Clocks, cells: &[Option<Taken<'a>>]) -> Option<Second> {
        let of = |cell: &Taken<'a>| -> Option<Second> {
            match &cell.column.second {
                Second::None => Some(Second::None),
                Second::Clock(timer) => {
                    let is_shared = cell.run.clocks.ticks(*timer) == clocks.ticks(*timer);
                    is_shared.then_some(Second::Clock(*timer))
                }
                Second::Base(at) => Some(Second::Base(self.place_in_union(cell, *at)?)),
                Second::Own(_) => None,
            }
        };
        let mut found = cells.iter().flatten().map(of);
        match found.next() {
            None => {
                Some(self.columns_of(counter).next().map_or(Second::None, |column| match column.second {
                    Second::Own(_) | Second::Base(_) => Second::None,
                    ref other => other.clone(),
                }))
            }
            Some(first) => found.all(|other| other == first).then_some(first).flatten(),
        }
    }

    /// Where all instance counts come from; `None` if they come from different places.
    fn multi(&self, counter: usize, cells: &[Option<Taken<'a>>]) -> Option<Multi> {
        let of = |cell: &Taken<'a>| -> Option<Multi> {
            match &cell.column.multi {
                Multi::None => Some(Multi::None),
                Multi::Base(at) => Some(Multi::Base(self.place_in_union(cell, *at)?)),
                Multi::Own(_) => None,
            }
        };
        let mut found = cells.iter().flatten().map(of);
        match found.next() {
            None => self.columns_of(counter).next().map(|_| Multi::None),
            Some(first) => found.all(|other| other == first).then_some(first).flatten(),
        }
    }

    fn place_in_union(&self, cell: &Taken<'a>, at: usize) -> Option<usize> {
        // The counters of the base come first, in the same order.
        if std::ptr::eq(cell.run, self.base) { Some(at) } else { self.place_of(at) }
    }

    fn frequency(&self, counter: usize) -> Option<usize> {
        match self.counters[counter] {
            [Some(at), _] => self.base.columns[at].frequency,
            [None, Some(at)] => self.other.columns[at].frequency.and_then(|at| self.place_of(at)),
            [None, None] => None,
        }
    }

    /// The columns of a counter in the one and in the other.
    fn columns_of(&self, counter: usize) -> impl Iterator<Item = &'a Column> {
        let [base, other] = self.counters[counter];
        let base = base.map(|at| &self.base.columns[at]);
        base.into_iter().chain(other.map(|at| &self.other.columns[at]))
    }
}

impl Taken<'_> {
    fn first(&self) -> u64 {
        self.column.first.get(self.instance).copied().unwrap_or_default()
    }

    fn second(&self) -> u64 {
        let of_column =
            |at: usize| self.run.columns.get(at).and_then(|column| column.first.get(self.instance));
        let second = match &self.column.second {
            Second::None => None,
            Second::Clock(timer) => self.run.clocks.ticks(*timer).first(),
            Second::Base(at) => of_column(*at),
            Second::Own(values) => values.get(self.instance),
        };
        second.copied().unwrap_or_default()
    }

    fn multi(&self) -> u64 {
        let of_column =
            |at: usize| self.run.columns.get(at).and_then(|column| column.first.get(self.instance));
        let count = match &self.column.multi {
            Multi::None => None,
            Multi::Base(at) => of_column(*at),
            Multi::Own(values) => values.get(self.instance),
        };
        count.copied().unwrap_or_default()
    }
}
