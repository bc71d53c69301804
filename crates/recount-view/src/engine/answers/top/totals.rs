//! The values of all instances in a span.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recount_analysis::roster::{Grouping, InstanceGrouping, Roster, is_one};
use recount_compute::{CookOptions, Cooked};
use recount_model::{CounterPath, Instance, Pattern, Selection};
use recount_tables::processes::is_process;

use super::{Known, TopRequest};
use crate::engine::cancel::Cancel;
use crate::engine::counted::Counted;
use crate::engine::index::{End, Total};
use crate::engine::load::load_span;
use crate::engine::name::{Place, SeriesName};
use crate::engine::side::Side;
use crate::engine::side::read;
use crate::engine::time::Span;
use recount_compute::Cancelled;

/// Up to this many samples are decoded rather than taken from the index.
const FEW_SAMPLES: usize = 1_500;

/// The values of an instance.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The name under which it was last shown.
    pub(super) name: SeriesName,
    /// `None` if several instances had the name in succession.
    pub(super) instance: Option<Instance>,
    pub(super) total: Total,
}

/// Values of the instances: by process if everything is decoded, otherwise by the shown names of processes.
#[derive(Debug)]
pub(super) struct Totals {
    grouping: InstanceGrouping,
    by_key: HashMap<Key, Vec<Found>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Shown(SeriesName),
    Identity { host: Arc<str>, name: Arc<str>, parent: Option<Arc<str>>, id: Option<u64>, ordinal: u32 },
}

impl Totals {
    fn new(grouping: InstanceGrouping) -> Totals {
        Totals { grouping, by_key: HashMap::new() }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Found> {
        self.by_key.values().flatten()
    }

    /// The identity of an instance, except for the start of a process.
    fn key(&self, name: &SeriesName, instance: Option<&Instance>) -> Key {
        match instance {
            Some(instance) if self.grouping == InstanceGrouping::Identity => {
                let (_, _, id, ordinal) = instance.key();
                let (host, parent) = (Arc::clone(&name.host), instance.parent.clone());
                Key::Identity { host, name: Arc::clone(&instance.name), parent, id, ordinal }
            }
            _ => Key::Shown(name.clone()),
        }
    }

    fn is_same(&self, one: Option<&Instance>, other: Option<&Instance>) -> bool {
        self.grouping != InstanceGrouping::Identity
            || one.zip(other).is_none_or(|(one, other)| is_one(one, other))
    }

    /// The values of the same instance.
    pub(super) fn get(&self, name: &SeriesName, instance: Option<&Instance>) -> Option<&Total> {
        let found = self.by_key.get(&self.key(name, instance))?;
        let is_it = |found: &&Found| self.is_same(found.instance.as_ref(), instance);
        found.iter().find(is_it).map(|found| &found.total)
    }

    /// Adds later values of an instance.
    fn join(&mut self, later: Found) {
        let key = self.key(&later.name, later.instance.as_ref());
        let grouping = self.grouping;
        let known = self.by_key.entry(key).or_default();
        let is_it = |found: &&mut Found| {
            grouping != InstanceGrouping::Identity
                || found.instance.as_ref().zip(later.instance.as_ref()).is_none_or(|(a, b)| is_one(a, b))
        };
        match known.iter_mut().find(is_it) {
            Some(found) => {
                found.total.join(&later.total);
                found.name = later.name;
            }
            None => known.push(later),
        }
    }
}

/// How instances in a span are distinguished. For a long span that was counted, whole stretches are known by shown
/// names; all others are decoded.
pub(super) fn grouping(side: &Side, span: Span) -> InstanceGrouping {
    if inside(side, &read(side), span).is_some() {
        InstanceGrouping::Shown
    } else {
        InstanceGrouping::Identity
    }
}

fn inside(side: &Side, counted: &Counted, span: Span) -> Option<Span> {
    let num_samples: usize = (0..side.inputs().len()).map(|input| side.samples_in(input, span).len()).sum();
    let end = side.span().map_or(i64::MAX, |whole| whole.to.min(span.to));
    let is_covered = counted.index.covered().is_some_and(|covered| covered >= end);
    counted.index.inside(span).filter(|_| num_samples > FEW_SAMPLES && is_covered)
}

/// The values in a span. Whole stretches of a long span are known from the counting, so only its edges are decoded.
pub(super) fn totals(
    side: &Side,
    names: &[Known],
    request: &TopRequest,
    (span, grouping): (Span, InstanceGrouping),
    cancel: &Cancel,
) -> Result<Totals, Cancelled> {
    let counted = read(side);
    let by_shown = grouping == InstanceGrouping::Shown;
    let Some(inside) = inside(side, &counted, span).filter(|_| by_shown) else {
        drop(counted);
        return decoded(side, request, (span, grouping), cancel);
    };
    let middle: Vec<Total> = names.iter().map(|known| counted.index.total(known.place, inside)).collect();
    // Decoding takes longer, and counting shouldn't wait for it.
    drop(counted);
    // A stretch includes its end, but not its start, except for the very first.
    let begin = side.span().map_or(0, |whole| whole.from);
    let first = if inside.from == begin { begin - 1 } else { inside.from };
    let edge = |from: i64, to: i64| decoded(side, request, (Span { from, to }, grouping), cancel);
    let mut totals = edge(span.from, first)?;
    let behind = edge(inside.to.saturating_add(1), span.to)?;
    for (known, total) in names.iter().zip(middle).filter(|(_, total)| total.extent.has_values()) {
        totals.join(Found { name: known.name.clone(), instance: None, total });
    }
    for found in behind.by_key.into_values().flatten() {
        totals.join(found);
    }
    for found in totals.by_key.values_mut().flatten() {
        found.instance = None;
    }
    Ok(totals)
}

impl Total {
    fn join(&mut self, later: &Total) {
        self.extent.join(&later.extent);
        self.first = self.first.or(later.first);
        self.last = later.last.or(self.last);
    }
}

/// The values of all instances in a span, decoded.
pub(super) fn decoded(
    side: &Side,
    request: &TopRequest,
    (span, instances): (Span, InstanceGrouping),
    cancel: &Cancel,
) -> Result<Totals, Cancelled> {
    let unnumbered = request.counter.rsplit_once(" (").filter(|(_, number)| number.ends_with(')'));
    let counters = [Some(&*request.counter), unnumbered.map(|(counter, _)| counter)];
    let path = |counter: &str| Pattern::Path(CounterPath::of("", &request.object, None, counter));
    let selection: Selection = counters.into_iter().flatten().map(path).collect();
    let cook = CookOptions { selection, ..CookOptions::default() };
    let mut all = Totals::new(instances);
    let mut roster = Roster::new(Grouping { by_host: true, instances });
    let mut found = BTreeMap::new();
    load_span(side, span, &cook, cancel, |batch| add(&mut roster, &mut found, &batch))?;
    for (place, total) in found {
        let instance = roster.objects()[place.object].instances[place.instance].instance.clone();
        let is_wanted = instance.as_ref().is_none_or(is_process);
        let name = SeriesName::at(&roster, place).filter(|name| *name.counter == *request.counter);
        if let Some(name) = name.filter(|_| is_wanted) {
            all.join(Found { name, instance, total });
        }
    }
    Ok(all)
}

fn add(roster: &mut Roster, found: &mut BTreeMap<Place, Total>, batch: &[Cooked]) {
    for placed in roster.place(batch) {
        let cooked = placed.cooked;
        for (column, counter) in cooked.columns.iter().zip(&placed.counters) {
            for (at, slot) in placed.slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                let place =
                    Place { object: placed.object, instance: *slot as usize, counter: *counter as usize };
                let total = found.entry(place).or_default();
                for sample in 0..cooked.num_samples() {
                    let cell = sample * cooked.instances.len() + at;
                    if column.status_at(cell).has_value() {
                        let value = column.values[cell];
                        total.extent.add(value, cooked.weight_of(sample, at));
                        total.first = total.first.or(Some(End::Value(value)));
                        total.last = Some(End::Value(value));
                    }
                }
            }
        }
    }
}
