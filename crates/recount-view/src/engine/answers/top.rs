//! The top instances of an object by a counter, in a span and in the preceding one: `POST api/top`.

mod presence;
mod totals;
mod unattributed;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use recount_analysis::roster::InstanceGrouping;
use recount_analysis::shown::{task_id, unit_of};
use recount_model::{Instance, Timestamp};
use recount_tables::processes::is_process;
use serde::{Deserialize, Serialize};

use super::{Refusal, side_of, span_of};
use crate::engine::Engine;
use crate::engine::cancel::Cancel;
use crate::engine::index::{End, Total};
use crate::engine::name::{Place, SeriesName};
use crate::engine::side::{Side, read};
use crate::engine::time::{Span, ms};
use presence::Presence;
use recount_compute::Cancelled;
use totals::{Found, Totals, decoded, grouping, totals};
use unattributed::unattributed;

#[derive(Debug, Deserialize)]
pub(crate) struct TopRequest {
    #[serde(default)]
    side: usize,
    object: String,
    counter: String,
    from: f64,
    to: f64,
    #[serde(default)]
    by: By,
    #[serde(default = "default_limit")]
    limit: usize,
}

fn default_limit() -> usize {
    20
}

/// The figure by which instances are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    /// The mean over the whole span: an instance that existed only briefly ranks low.
    #[default]
    Share,
    /// The mean over the time in which the instance existed.
    Mean,
    Max,
    Growth,
}

/// Maximum number of rows in an answer.
const MAX_ROWS: usize = 1_000;

#[derive(Debug, Serialize)]
pub(crate) struct TopAnswer {
    unit: &'static str,
    rows: Vec<Row>,
    /// Instances with values in the span.
    num_instances: usize,
    /// Of the processors' time: what no process has used.
    unattributed: Option<f64>,
    before: SpanText,
}

#[derive(Debug, Serialize)]
struct SpanText {
    from: f64,
    to: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    instance: String,
    /// `None` where several had the name.
    id: Option<String>,
    several: bool,
    /// The process as people know it, if the capture says who it is: `python3 train.py (pid 1224, ml.service)`.
    described: Option<String>,
    host: Option<String>,
    path: String,
    /// The part of the span in which it existed, from 0 to 1.
    presence: f64,
    /// Mean, times presence.
    share: Option<f64>,
    mean: Option<f64>,
    max: Option<f64>,
    last: Option<f64>,
    growth: Option<f64>,
    before: Option<Before>,
}

#[derive(Debug, Serialize)]
struct Before {
    mean: Option<f64>,
    max: Option<f64>,
}

impl Engine {
    pub(crate) fn top(&self, request: &TopRequest, cancel: &Cancel) -> Result<TopAnswer, Refusal> {
        let side = side_of(self, request.side)?;
        let span = span_of(&side, request.from, request.to)?;
        let before = Span { from: span.from.saturating_sub(span.len()), to: span.from.saturating_sub(1) };
        let names = names(&side, request)?;
        let presence = &Presence::new(&side, span);
        let found = self.answer(|| {
            let grouping = grouping(&side, span);
            let now = totals(&side, &names, request, (span, grouping), cancel)?;
            let earlier = totals(&side, &names, request, (before, grouping), cancel)?;
            let mut ends = Ends { side: &side, request, cancel, presence, known: HashMap::new() };
            let (chosen, num_instances) = ends.choose(&now)?;
            let rest = unattributed(&side, request, &now, (span, grouping, presence), cancel)?;
            let row = |one: Chosen<'_>| row(&side, &names, &one, presence, &earlier);
            Ok::<_, Cancelled>((chosen.into_iter().map(row).collect(), num_instances, rest))
        });
        let (rows, num_instances, unattributed) = found?;
        Ok(TopAnswer {
            unit: names.first().map_or("", |known| known.unit),
            rows,
            num_instances,
            unattributed,
            before: SpanText {
                from: ms(before.from.saturating_add(side.shift)),
                to: ms(span.from.saturating_add(side.shift)),
            },
        })
    }
}

fn row(side: &Side, names: &[Known], one: &Chosen<'_>, presence: &Presence, earlier: &Totals) -> Row {
    let Found { name, instance, total } = one.found;
    // Several processes may have had the same name; the counting found out for which names.
    let known = names.iter().find(|known| known.name == *name);
    let id = match instance {
        Some(instance) => task_id(&name.object, Some(instance)),
        None => known.and_then(|known| known.id),
    };
    Row {
        instance: name.instance.as_deref().unwrap_or_default().to_owned(),
        id: id.map(|id| id.to_string()),
        described: described(side, name, instance.as_ref().or(known.and_then(|known| known.one.as_ref()))),
        several: instance.is_none() && known.is_some_and(|known| known.is_shared),
        host: (side.facts.hosts.len() > 1).then(|| name.host.to_string()),
        path: name.path(),
        presence: presence.of(one.found),
        share: total.extent.mean().map(|mean| mean * presence.of(one.found)),
        mean: total.extent.mean(),
        max: total.extent.has_values().then_some(total.extent.max),
        last: one.last,
        growth: one.growth(),
        before: earlier
            .get(name, instance.as_ref())
            .filter(|total| total.extent.has_values())
            .map(|total| Before { mean: total.extent.mean(), max: Some(total.extent.max) }),
    }
}

/// Who a process is, if that is known.
fn described(side: &Side, name: &SeriesName, instance: Option<&Instance>) -> Option<String> {
    let instance = instance.filter(|_| name.object.eq_ignore_ascii_case("Process"))?;
    let known = side.timeline.descriptions();
    let at = Timestamp(i64::MAX);
    known.find(&name.host, instance, at).map(|_| known.shown(&name.host, instance, at))
}

/// A series that may be among the top.
struct Known {
    name: SeriesName,
    place: Place,
    /// The id, if only one instance had the name.
    id: Option<u64>,
    /// That instance.
    one: Option<Instance>,
    is_shared: bool,
    unit: &'static str,
}

fn names(side: &Side, request: &TopRequest) -> Result<Vec<Known>, Refusal> {
    let counted = read(side);
    let mut names = Vec::new();
    let mut has_counter = false;
    for (object, entry) in counted.roster.objects().iter().enumerate() {
        if *entry.name != *request.object {
            continue;
        }
        let Some(counter) = entry.counters.iter().position(|known| *known.name == *request.counter) else {
            continue;
        };
        has_counter = true;
        let unit = unit_of(&entry.counters[counter].name, entry.counters[counter].unit);
        for (instance, of) in entry.instances.iter().enumerate() {
            let is_wanted = of.instance.as_ref().is_none_or(is_process);
            let is_shared = of.is_shared;
            let one = of.instance.clone().filter(|_| !is_shared);
            let id = task_id(&entry.name, one.as_ref());
            let place = Place { object, instance, counter };
            if let Some(name) = SeriesName::at(&counted.roster, place).filter(|_| is_wanted) {
                names.push(Known { name, place, id, one, is_shared, unit });
            }
        }
    }
    if !has_counter {
        let what = format!("there is no counter {:?} of an object {:?}", request.counter, request.object);
        return Err(Refusal::new(404, what));
    }
    Ok(names)
}

/// One of the top instances, with its first and its last value.
struct Chosen<'a> {
    found: &'a Found,
    first: Option<f64>,
    last: Option<f64>,
}

impl Chosen<'_> {
    fn growth(&self) -> Option<f64> {
        self.last.zip(self.first).map(|(last, first)| last - first)
    }
}

/// First and last values. They are decoded if only the stretch that contains them is known.
struct Ends<'a> {
    side: &'a Side,
    request: &'a TopRequest,
    cancel: &'a Cancel,
    presence: &'a Presence,
    /// By the start of the stretch.
    known: HashMap<i64, Totals>,
}

impl Ends<'_> {
    /// The top instances in order, and the number of all instances.
    fn choose<'k>(&mut self, now: &'k Totals) -> Result<(Vec<Chosen<'k>>, usize), Cancelled> {
        let limit = self.request.limit.min(MAX_ROWS);
        let by = self.request.by;
        let presence = self.presence;
        let mut found: Vec<(f64, &Found)> = now
            .all()
            .filter(|found| found.total.extent.has_values())
            .map(|found| (most(found, by, presence), found))
            .collect();
        found.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.name.cmp(&other.name)));
        let num_found = found.len();
        let mut chosen: Vec<Chosen<'k>> = Vec::new();
        for (most, found) in found {
            if chosen.len() >= limit {
                // All following ones have grown less than the last one listed.
                let least = chosen.last().and_then(Chosen::growth).unwrap_or(f64::INFINITY);
                if by != By::Growth || most <= least {
                    break;
                }
            }
            let first = self.value(found.total.first, found, |total| total.first)?;
            let last = self.value(found.total.last, found, |total| total.last)?;
            let one = Chosen { found, first, last };
            if by == By::Growth {
                let growth = one.growth().unwrap_or(f64::NEG_INFINITY);
                let place =
                    chosen.partition_point(|other| other.growth().unwrap_or(f64::NEG_INFINITY) >= growth);
                chosen.insert(place, one);
                chosen.truncate(limit);
            } else {
                chosen.push(one);
            }
        }
        Ok((chosen, num_found))
    }

    fn value(
        &mut self,
        end: Option<End>,
        found: &Found,
        of: impl Fn(&Total) -> Option<End>,
    ) -> Result<Option<f64>, Cancelled> {
        let Some(end) = end else { return Ok(None) };
        let End::Within { span, min, max } = end else { return Ok(Some(end.bounds().0)) };
        if min >= max {
            return Ok(Some(min));
        }
        let totals = match self.known.entry(span.from) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(slot) => {
                // Stretches only exist for series known by shown names.
                let span = (span, InstanceGrouping::Shown);
                slot.insert(decoded(self.side, self.request, span, self.cancel)?)
            }
        };
        Ok(totals.get(&found.name, None).and_then(of).map(|end| end.bounds().0))
    }
}

/// The figure by which an instance is sorted; for growth, its upper bound.
fn most(found: &Found, by: By, presence: &Presence) -> f64 {
    let total = &found.total;
    match by {
        By::Share => total.extent.mean().map_or(f64::NEG_INFINITY, |mean| mean * presence.of(found)),
        By::Mean => total.extent.mean().unwrap_or(f64::NEG_INFINITY),
        By::Max => total.extent.max,
        By::Growth => total
            .last
            .zip(total.first)
            .map_or(f64::NEG_INFINITY, |(last, first)| last.bounds().1 - first.bounds().0),
    }
}
