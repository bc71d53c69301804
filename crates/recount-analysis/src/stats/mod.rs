//! Figures of every series: count, mean, spread, percentiles, trend.

mod counter;
mod extent;
mod figures;
mod moments;
mod parts;
mod ranked;
mod row;
mod series;
mod summaries;
mod table;
mod tally;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use recount_compute::{Cancelled, CookOptions, Input, OnProgress, PipelineOptions, run};
use recount_model::{Cooked, Health, Pattern, Selection};
use recount_tables::processes::read_processes;

pub use extent::Extent;
pub use row::{NUM_REASONS, Nulls, StatsRow, reasons};
pub use summaries::{SeriesSummary, Summaries};
pub use table::stats_table;

pub(crate) use figures::Figures;
pub(crate) use moments::Moments;
pub(crate) use ranked::Ranked;
pub(crate) use tally::{SeriesId, Tallied, Tally};

use crate::attribution::{GroupBy, GroupNames};
use crate::roster::{Grouping, InstanceGrouping, Roster};
use crate::shown::task_id;

/// Which figures to compute.
#[derive(Clone, Debug)]
pub struct StatsOptions {
    /// Counters.
    pub selection: Selection,
    /// How series are distinguished.
    pub grouping: Grouping,
    /// What the processes of an instance have in common. Other objects are left out then.
    pub processes: Option<GroupBy>,
    /// Length of the stretches into which the capture is cut, in 100 ns; they begin at multiples of it since
    /// 1970-01-01 UTC. `None` if it isn't cut.
    pub bucket: Option<i64>,
    /// Maximum bytes of values kept for percentiles. If there are more, some series are left for another pass
    /// over the capture. A single series may exceed the limit.
    pub len_kept: usize,
}

/// Half a gigabyte: 64 million distinct values.
const LEN_KEPT: usize = 512 << 20;

impl Default for StatsOptions {
    fn default() -> Self {
        StatsOptions {
            selection: Selection::all(),
            grouping: Grouping { instances: InstanceGrouping::Tasks, ..Grouping::default() },
            processes: None,
            bucket: None,
            len_kept: LEN_KEPT,
        }
    }
}

/// The figures of every selected series, in order of appearance and time. Percentiles are exact.
///
/// Memory: that of the pipeline, `len_kept`, and about 300 bytes per series and row.
pub fn stats(
    inputs: &[Input],
    options: &StatsOptions,
    progress: OnProgress<'_>,
) -> Result<(Vec<StatsRow>, Health), Cancelled> {
    let mut passes = Passes::default();
    if let Some(by) = options.processes {
        passes.groups = Some(GroupNames::of(&read_processes(inputs, progress)?.rows, by));
    }
    let mut health = Health::default();
    loop {
        let (rows, deferred, found) = passes.pass(inputs, options, progress)?;
        if passes.rows.is_empty() {
            health = found;
        }
        passes.rows.extend(rows);
        if deferred.is_empty() {
            passes.rows.sort_by_key(|(place, row)| (*place, row.bucket));
            return Ok((passes.rows.into_iter().map(|(_, row)| row).collect(), health));
        }
        passes.only = Some(deferred);
    }
}

/// What a pass over the captures gives: rows with the places of their series, the series left for another pass, and what could
/// not be read.
type Pass = (Vec<(usize, StatsRow)>, HashSet<SeriesName>, Health);

/// A series by its names, which are the same in all passes.
pub(crate) type SeriesName = (Arc<str>, Arc<str>, Option<InstanceName>, Arc<str>);

/// An instance: the last name under which it was shown, or the name, the id and the occurrence of a process or thread.
pub(crate) type InstanceName = (Arc<str>, Option<(u64, u32)>);

#[derive(Default)]
struct Passes {
    /// In order of appearance, by instance and counter.
    places: HashMap<SeriesName, usize>,
    /// Groups of processes that are instances.
    groups: Option<GroupNames>,
    /// The series of this pass; `None` for all.
    only: Option<HashSet<SeriesName>>,
    rows: Vec<(usize, StatsRow)>,
}

impl Passes {
    fn pass(
        &mut self,
        inputs: &[Input],
        options: &StatsOptions,
        progress: OnProgress<'_>,
    ) -> Result<Pass, Cancelled> {
        let selection = match &self.only {
            None => options.selection.clone(),
            Some(only) => selection_of(only),
        };
        let cook = CookOptions { selection, ..CookOptions::default() };
        let pipeline = PipelineOptions { cook, ..PipelineOptions::default() };
        let (mut roster, mut tally) = (Roster::new(options.grouping), Tally::new(options.bucket));
        let mut deferred: HashSet<SeriesId> = HashSet::new();
        let health = run(inputs, &pipeline, |batch, step| {
            let grouped: Option<Vec<Cooked>> = self
                .groups
                .as_ref()
                .map(|groups| batch.iter().filter_map(|cooked| groups.grouped(cooked)).collect());
            let placed = roster.place(grouped.as_deref().unwrap_or(&batch));
            let keeps = |id: SeriesId| match &self.only {
                None => !deferred.contains(&id),
                Some(only) => only.contains(&name_of(&roster, id)) && !deferred.contains(&id),
            };
            tally.add(&placed, &keeps);
            if tally.len_bytes() > options.len_kept {
                // Well below the limit, so that the next batch doesn't exceed it again.
                deferred.extend(tally.defer(options.len_kept / 4 * 3));
            }
            Cancelled::check(progress(step))
        })?;
        let finished: Vec<(SeriesName, StatsRow)> = tally
            .finish()
            .into_par_iter()
            .filter(|tallied| !deferred.contains(&tallied.id))
            .map(|tallied| (name_of(&roster, tallied.id), row_of(&roster, tallied)))
            .filter(|(name, _)| self.only.as_ref().is_none_or(|only| only.contains(name)))
            .collect();
        let first_pass = self.only.is_none();
        if first_pass {
            for id in in_order(&roster) {
                let place = self.places.len();
                self.places.entry(name_of(&roster, id)).or_insert(place);
            }
        }
        let place = |name: &SeriesName| self.places.get(name).copied().unwrap_or(usize::MAX);
        let rows = finished.into_iter().map(|(name, row)| (place(&name), row)).collect();
        Ok((rows, deferred.iter().map(|id| name_of(&roster, *id)).collect(), health))
    }
}

/// Every possible series, by object, instance and counter.
fn in_order(roster: &Roster) -> impl Iterator<Item = SeriesId> {
    roster.objects().iter().enumerate().flat_map(|(object, entry)| {
        (0..entry.instances.len()).flat_map(move |instance| {
            (0..entry.counters.len()).map(move |counter| SeriesId {
                object: object as u32,
                instance: instance as u32,
                counter: counter as u32,
            })
        })
    })
}

/// Patterns that match the series. They may match others, too, since names may contain asterisks.
pub(crate) fn selection_of(names: &HashSet<SeriesName>) -> Selection {
    let counters = names.iter().flat_map(|(_, object, _, counter)| {
        // A second counter with the same name in a definition was given a number.
        let unnumbered = counter.rsplit_once(" (").filter(|(_, number)| number.ends_with(')'));
        let names = [Some(&**counter), unnumbered.map(|(name, _)| name)];
        names.into_iter().flatten().map(move |name| (&**object, name))
    });
    let counters: BTreeSet<(&str, &str)> = counters.collect();
    let patterns = counters
        .into_iter()
        .map(|(object, counter)| Pattern::Path(recount_model::CounterPath::of("", object, None, counter)));
    patterns.collect()
}

pub(crate) fn name_of(roster: &Roster, id: SeriesId) -> SeriesName {
    let object = &roster.objects()[id.object as usize];
    let entry = object.instances.get(id.instance as usize);
    let task = entry.and_then(|entry| {
        let id = task_id(&object.name, entry.instance.as_ref())?;
        Some((Arc::clone(&entry.instance.as_ref()?.name), Some((id, entry.occurrence))))
    });
    let instance = task.or_else(|| Some((entry?.shown.clone()?, None)));
    let counter = &object.counters[id.counter as usize].name;
    (Arc::clone(&object.host), Arc::clone(&object.name), instance, Arc::clone(counter))
}

fn row_of(roster: &Roster, tallied: Tallied) -> StatsRow {
    let (id, bucket) = (tallied.id, tallied.bucket);
    let (host, object, _, counter) = name_of(roster, id);
    let entry = &roster.objects()[id.object as usize];
    let unit = entry.counters[id.counter as usize].unit;
    let instance = entry.instances.get(id.instance as usize);
    let instance_id = instance.filter(|entry| entry.shown.is_some());
    let instance_id = instance_id.and_then(|entry| task_id(&object, entry.instance.as_ref()));
    let is_shared = instance.is_some_and(|entry| entry.is_shared);
    let instance = instance.and_then(|entry| entry.shown.clone());
    let figures = tallied.figures();
    let [p50, p90, p95, p99] = figures.quantiles;
    StatsRow {
        host: Some(host).filter(|host| !host.is_empty()),
        object,
        instance,
        instance_id,
        is_shared,
        counter,
        unit,
        bucket,
        count: figures.count,
        nulls: figures.nulls,
        min: figures.min,
        mean: figures.mean,
        max: figures.max,
        std: figures.std,
        p50,
        p90,
        p95,
        p99,
        trend_per_hour: figures.trend_per_hour,
        first: figures.first,
        last: figures.last,
    }
}
