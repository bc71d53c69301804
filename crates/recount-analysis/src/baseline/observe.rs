//! Reads captures once, and learns what is usual.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_compute::{Cancelled, CookOptions, Input, OnProgress, PipelineOptions, run_in_rhythm};
use recount_model::{Health, Selection};

use super::blocks::{Block, Means};
use super::held::Held;
use super::known::{Baseline, Key, KnownBlocks};
use crate::report::CaptureFacts;
use crate::roster::{Grouping, InstanceGrouping, Roster};
use crate::stats::SeriesId;

/// How the means of a baseline and of a capture are distinguished.
pub(super) const GROUPING: Grouping = Grouping { by_host: true, instances: InstanceGrouping::Shown };

/// Reads captures once, and adds what is usual in them to a baseline. What the baseline has already, by machine and time, isn't
/// counted again. Returns what could not be read, and how many hours are new.
///
/// Memory: that of the pipeline, and per series and hour of the week about 100 to 400 bytes.
pub fn learn(
    baseline: &mut Baseline,
    inputs: &[Input],
    facts: &CaptureFacts,
    selection: &Selection,
    progress: OnProgress<'_>,
) -> Result<(Health, f64), Cancelled> {
    let mut learned =
        Learned { known: baseline, series: BTreeMap::new(), covered: BTreeMap::new(), last: None };
    let mut roster = Roster::new(GROUPING);
    let mut means = Means::default();
    let cook = CookOptions { selection: selection.clone(), ..CookOptions::default() };
    let pipeline = PipelineOptions { cook, ..PipelineOptions::default() };
    let health = run_in_rhythm(inputs, &facts.rhythm, &pipeline, |batch, step| {
        let placed = roster.place(&batch);
        means.add(&roster, &placed, &mut |id, block, mean| learned.add(&roster, id, block, mean));
        Cancelled::check(progress(step))
    })?;
    means.finish(&mut |id, block, mean| learned.add(&roster, id, block, mean));
    let (series, covered) = (learned.series, learned.covered);
    let new = Baseline {
        captures: facts.names.len() as u64,
        samples: facts.times.len() as u64,
        machines: covered.into_iter().map(|(host, covered)| (lower(&host), (host, covered))).collect(),
        series: series.into_iter().filter_map(|(id, held)| Some((key(&roster, id)?, held))).collect(),
    };
    let hours = new.hours();
    if hours > 0.0 {
        // What is known is left out, so nothing overlaps.
        let merged = baseline.merge(new);
        debug_assert!(merged.is_ok(), "{merged:?}");
    }
    Ok((health, hours))
}

struct Learned<'a> {
    known: &'a Baseline,
    series: BTreeMap<SeriesId, Held>,
    covered: BTreeMap<Arc<str>, KnownBlocks>,
    /// The last object and block, and whether it is new: all series of an object come at once.
    last: Option<(u32, i64, bool)>,
}

impl Learned<'_> {
    fn add(&mut self, roster: &Roster, id: SeriesId, block: Block, mean: f64) {
        let is_new = match self.last {
            Some((object, number, is_new)) if (object, number) == (id.object, block.number) => is_new,
            _ => self.begin(roster, id.object, block.number),
        };
        if is_new {
            self.series.entry(id).or_default().push(block, mean);
        }
    }

    fn begin(&mut self, roster: &Roster, object: u32, number: i64) -> bool {
        let host = &roster.objects()[object as usize].host;
        let is_known = |(_, known): &(Arc<str>, KnownBlocks)| known.has(number);
        let is_new = !self.known.machines.get(&lower(host)).is_some_and(is_known);
        if is_new {
            self.covered.entry(Arc::clone(host)).or_default().add(number);
        }
        self.last = Some((object, number, is_new));
        is_new
    }
}

/// The name of a machine as baselines know it.
pub(super) fn lower(host: &str) -> Arc<str> {
    host.to_lowercase().into()
}

/// The names of a series.
pub(super) fn key(roster: &Roster, id: SeriesId) -> Option<Key> {
    let entry = roster.objects().get(id.object as usize)?;
    Some(Key {
        host: lower(&entry.host),
        object: Arc::clone(&entry.name),
        instance: entry.instances.get(id.instance as usize)?.shown.clone(),
        counter: Arc::clone(&entry.counters.get(id.counter as usize)?.name),
    })
}
