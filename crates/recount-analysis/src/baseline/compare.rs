//! Compares a capture with a baseline.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::Cooked;

use super::answer::{Compared, Unusual};
use super::blocks::{BLOCK_S, Block, Means};
use super::judge::{Beyond, Judged};
use super::known::{Baseline, LEAST_HOURS};
use super::observe::{GROUPING, key, lower};
use super::words::{against, headline, notes, sentences};
use crate::moved::{Interval, importance};
use crate::report::CaptureFacts;
use crate::roster::Roster;
use crate::shown::unit_of;
use crate::stats::SeriesId;

/// Less isn't worth a sentence: 4 points of percentages, a quarter of anything else.
const LEAST_SIZE: f64 = 0.2;

/// A capture that is compared with a baseline while it is read.
#[derive(Debug)]
pub struct Comparison<'a> {
    baseline: &'a Baseline,
    roster: Roster,
    means: Means,
    seen: Seen<'a>,
}

/// What was compared so far.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    baseline: &'a Baseline,
    /// By machine, in how many weeks each hour of the week is known.
    weeks: BTreeMap<Arc<str>, Vec<usize>>,
    /// By series: `None` if the baseline doesn't have it.
    series: BTreeMap<SeriesId, Option<Judged>>,
    /// The machine of the baseline that stands for that of the capture.
    other: Option<Arc<str>>,
    /// The last object and block.
    last: Option<(u32, i64)>,
    /// From one sample to the next, in blocks.
    step: i64,
    /// Blocks of objects, and those that are in the baseline.
    num_blocks: u64,
    num_within: u64,
}

impl<'a> Comparison<'a> {
    /// `facts` are those of the capture.
    pub fn new(baseline: &'a Baseline, facts: &CaptureFacts) -> Comparison<'a> {
        let mut hosts = facts.hosts.iter().map(|host| lower(host)).peekable();
        let is_known = match hosts.peek() {
            None => baseline.machines.contains_key(""),
            Some(_) => hosts.any(|host| baseline.machines.contains_key(&host)),
        };
        let mut machines = baseline.machines.keys();
        let first = machines.next().cloned();
        // Of several other machines, nobody knows which one is meant.
        let is_one = machines.next().is_none() && facts.hosts.len() <= 1;
        let other = first.filter(|_| !is_known && is_one);
        let weeks = baseline.machines.iter().map(|(key, (_, covered))| (Arc::clone(key), covered.weeks()));
        let seen = Seen {
            baseline,
            weeks: weeks.collect(),
            series: BTreeMap::new(),
            other,
            last: None,
            step: facts.interval_s.map_or(1, |seconds| (seconds / BLOCK_S as f64).ceil().max(1.0) as i64),
            num_blocks: 0,
            num_within: 0,
        };
        Comparison { baseline, roster: Roster::new(GROUPING), means: Means::default(), seen }
    }

    /// Adds a batch, in order of time.
    pub fn add(&mut self, batch: &[Cooked]) {
        let placed = self.roster.place(batch);
        let (roster, seen) = (&self.roster, &mut self.seen);
        self.means.add(roster, &placed, &mut |id, block, mean| seen.add(roster, id, block, mean));
    }

    /// What is unusual.
    pub fn finish(mut self, facts: &CaptureFacts) -> Compared {
        let (roster, seen) = (&self.roster, &mut self.seen);
        self.means.finish(&mut |id, block, mean| seen.add(roster, id, block, mean));
        let (mut num_compared, mut num_few, mut num_unknown) = (0, 0, 0);
        let mut unusual = Vec::new();
        let is_enough = self.baseline.hours() >= LEAST_HOURS;
        for (id, judged) in std::mem::take(&mut seen.series) {
            match judged {
                None => num_unknown += 1,
                Some(judged) if !is_enough || !judged.is_known() => num_few += 1,
                Some(judged) => {
                    num_compared += 1;
                    unusual.extend(of_series(roster, id, judged, facts));
                }
            }
        }
        unusual.sort_by(|a: &Unusual, b| {
            b.score.total_cmp(&a.score).then_with(|| a.time.begin.cmp(&b.time.begin))
        });
        let (captures, samples) = self.baseline.counts();
        let mut compared = Compared {
            hosts: self.baseline.hosts(),
            captures,
            samples,
            hours: self.baseline.hours(),
            num_compared,
            num_unknown,
            num_few,
            sentences: sentences(&unusual),
            unusual,
            against: String::new(),
            notes: Vec::new(),
        };
        compared.against = against(&compared);
        let share_within = (seen.num_blocks > 0).then(|| seen.num_within as f64 / seen.num_blocks as f64);
        compared.notes = notes(&compared, seen.other.is_some(), share_within, facts);
        compared
    }
}

impl Seen<'_> {
    fn add(&mut self, roster: &Roster, id: SeriesId, block: Block, mean: f64) {
        let entry = &roster.objects()[id.object as usize];
        let counter = &entry.counters[id.counter as usize];
        if self.last != Some((id.object, block.number)) {
            self.last = Some((id.object, block.number));
            self.num_blocks += 1;
            let known = self.baseline.machines.get(&lower(&entry.host));
            self.num_within += u64::from(known.is_some_and(|(_, covered)| covered.has(block.number)));
        }
        let judged = self.series.entry(id).or_insert_with(|| {
            let mut key = key(roster, id)?;
            if let Some(other) = &self.other {
                key.host = Arc::clone(other);
            }
            let weeks = self.weeks.get(&key.host)?;
            let held = self.baseline.series.get(&key)?;
            let judged = Judged::new(held, weeks, unit_of(&counter.name, counter.unit));
            Some(judged.with_step(self.step))
        });
        if let Some(judged) = judged {
            judged.add(block, mean, &counter.name);
        }
    }
}

/// What is unusual in a series.
fn of_series(roster: &Roster, id: SeriesId, mut judged: Judged, facts: &CaptureFacts) -> Option<Unusual> {
    let entry = roster.objects().get(id.object as usize)?;
    let counter = &entry.counters.get(id.counter as usize)?.name;
    let instance = entry.instances.get(id.instance as usize)?.shown.as_deref();
    judged.close(counter);
    let unit = judged.unit;
    let found = judged.found?;
    let size = found.size(unit, counter);
    if size < LEAST_SIZE {
        return None;
    }
    // A value is about all of the time since the one before it.
    let interval = facts.interval_s.unwrap_or(0.0).max(BLOCK_S as f64);
    let mut unusual = Unusual {
        headline: String::new(),
        score: size * importance::weight(&entry.name, counter, instance),
        host: entry.host.to_string(),
        object: entry.name.to_string(),
        instance: instance.map(str::to_owned),
        counter: counter.to_string(),
        unit,
        time: Interval { begin: found.first.end().minus_seconds(interval), end: found.last.end() },
        is_up: found.is_up,
        mean: found.mean(),
        extreme: found.extreme,
        times_further: times_further(&found),
        usual: found.usual,
    };
    unusual.headline = headline(&unusual, facts);
    Some(unusual)
}

fn times_further(found: &Beyond) -> Option<f64> {
    let usual = &found.usual;
    let furthest = if found.is_up { usual.most } else { usual.least };
    Some((found.extreme - usual.p50) / (furthest - usual.p50)).filter(|times| times.is_finite())
}
