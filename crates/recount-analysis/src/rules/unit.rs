//! A rule's subject in one object of one machine, evaluated batch by batch.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recount_model::{CounterPath, Instance, Pattern, Timestamp};

use super::expression::{Aligned, Value, in_place_of};
use super::judge::{Judge, JudgedStretch};
use super::rule::{Rule, Subject};
use crate::roster::{ObjectEntry, Placed, Roster};

/// From the first to the last sample of a machine, in seconds.
pub(super) type LenOfHost<'a> = &'a dyn Fn(&str) -> f64;

/// A subject in one object of one machine.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) operands: Vec<Operand>,
    pub(super) judges: BTreeMap<Place, Judge>,
}

/// Object and instance of a value; `None` for a value without them.
pub(super) type Place = Option<(usize, u32)>;

/// Stretches by object.
pub(super) type Batch<'a> = HashMap<usize, Vec<&'a Placed<'a>>>;

/// A counter of the roster.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) object: usize,
    pub(super) counter: u32,
    pub(super) is_named: bool,
    /// Per instance of the roster: whether the path matches it and no exclusion does.
    pub(super) takes: Vec<bool>,
    /// Whether an exclusion, and nothing else, keeps an instance out.
    pub(super) excludes_some: bool,
}

impl Unit {
    /// The machine that it is about.
    pub(super) fn host<'r>(&self, roster: &'r Roster) -> Option<&'r Arc<str>> {
        roster.objects().get(self.operands.first()?.object).map(|object| &object.host)
    }

    /// From the first to the last sample of its machine, in seconds.
    pub(super) fn len_s(&self, roster: &Roster, of_host: LenOfHost<'_>) -> f64 {
        self.host(roster).map_or(0.0, |host| of_host(host))
    }

    /// The instances of the first operand that are taken together, without their total.
    pub(super) fn members(&self, roster: &Roster) -> Vec<String> {
        let Some(operand) = self.operands.first() else { return Vec::new() };
        let Some(object) = roster.objects().get(operand.object) else { return Vec::new() };
        let taken = object.instances.iter().zip(&operand.takes).filter(|(_, takes)| **takes);
        let named = taken.filter_map(|(entry, _)| Some((entry.instance.as_ref()?, entry.shown.as_deref()?)));
        let (totals, others): (Vec<_>, Vec<_>) = named.partition(|(instance, _)| instance.is_total());
        let members = if others.is_empty() { totals } else { others };
        members.into_iter().map(|(_, shown)| shown.to_owned()).collect()
    }

    /// Matches new instances.
    pub(super) fn learn(&mut self, roster: &Roster, patterns: &[Pattern], exclude: &[Pattern]) {
        for (operand, pattern) in self.operands.iter_mut().zip(patterns) {
            let Some(object) = roster.objects().get(operand.object) else { continue };
            let Some(counter) = object.counters.get(operand.counter as usize) else { continue };
            for entry in object.instances.iter().skip(operand.takes.len()) {
                let instance = entry.instance.as_ref();
                let is_excluded = instance.is_some_and(|instance| {
                    !operand.is_named
                        && exclude.iter().any(|pattern| excludes(pattern, object, instance, &counter.name))
                });
                let is_taken = takes(pattern, &object.host, &object.name, instance, &counter.name);
                operand.takes.push(is_taken && !is_excluded);
                operand.excludes_some |= is_taken && is_excluded;
            }
        }
    }

    /// Whether exclusions leave no instance of a counter.
    pub(super) fn is_all_excluded(&self) -> bool {
        self.operands.iter().any(|operand| operand.excludes_some && !operand.takes.contains(&true))
    }

    pub(super) fn add(
        &mut self,
        roster: &Roster,
        rule: &Rule,
        subject: &Subject,
        batch: &Batch<'_>,
        origin: Timestamp,
    ) {
        let times = self.times(batch);
        if times.is_empty() {
            return;
        }
        let is_aligned = self.operands.len() > 1;
        let parts: Vec<OperandValues> =
            self.operands.iter().map(|operand| operand.part(batch, &times, is_aligned)).collect();
        let has_star =
            parts.iter().zip(&self.operands).any(|(part, operand)| part.is_instanced && !operand.is_named);
        // Of several named instances, the first one's is the place of the result.
        let paths = || self.operands.iter().zip(&subject.expression.operands);
        let first_named = paths().find(|(operand, _)| operand.is_named);
        let is_of_first = |operand: &Operand, path: &CounterPath| {
            first_named.is_some_and(|(first, first_path)| {
                first.object == operand.object && is_same_instance(first_path, path)
            })
        };
        let values: Vec<Value> = parts
            .iter()
            .zip(paths())
            .map(|(part, (operand, path))| {
                let is_single = operand.is_named && (has_star || !is_of_first(operand, path));
                if is_single || !part.is_instanced {
                    return Value::Single(merged(&part.cells, times.len()));
                }
                let cells = part.cells.iter().map(|(slot, values)| (*slot, values.clone())).collect();
                Value::PerInstance { object: operand.object, cells }
            })
            .collect();
        let names = Names(roster);
        let result = subject.expression.evaluate(&values, &names);
        let quantities = rule.says.iter().flat_map(|says| &says.quantities);
        let shown: Vec<Value> = quantities
            .map(|quantity| {
                let operands = quantity.operands.iter().map(|operand| values[*operand].clone());
                let value = quantity.expression.evaluate(&operands.collect::<Vec<_>>(), &names);
                in_place_of(value, &result, &names)
            })
            .collect();
        let cells: Vec<(Place, Vec<f64>)> = match result {
            Value::Number(_) => return,
            Value::Single(values) => vec![(None, values)],
            Value::PerInstance { object, cells } => {
                cells.into_iter().map(|(instance, values)| (Some((object, instance)), values)).collect()
            }
        };
        let nothing = vec![f64::NAN; times.len()];
        for (place, values) in cells {
            if values.iter().all(|value| value.is_nan()) && !self.judges.contains_key(&place) {
                continue;
            }
            let intervals = self.along(&parts, place, times.len(), |part| &part.intervals);
            let weights = self.along(&parts, place, times.len(), |part| &part.weights);
            let shown: Vec<&[f64]> = shown.iter().map(|shown| shown.at(place).unwrap_or(&nothing)).collect();
            let judge = self.judges.entry(place).or_insert_with(|| Judge::new(rule));
            let stretch = JudgedStretch {
                times: &times,
                intervals: &intervals,
                weights: &weights,
                values: &values,
                shown: &shown,
                origin,
            };
            judge.feed(rule, &stretch);
        }
    }

    /// The times of the batch. The times of a single counter are used as they are; those of several are
    /// merged.
    fn times(&self, batch: &Batch<'_>) -> Vec<Timestamp> {
        let of_operand = |operand: &Operand| {
            let stretches = batch.get(&operand.object).into_iter().flatten();
            stretches.flat_map(|placed| placed.cooked.times.iter().map(|time| time.utc)).collect::<Vec<_>>()
        };
        let mut times: Vec<Timestamp> = self.operands.iter().flat_map(of_operand).collect();
        if self.operands.len() > 1 {
            times.sort_unstable();
            times.dedup();
        }
        times
    }

    /// Intervals or weights of a result, one for each time: those of the instance, or otherwise those of anything with a value at
    /// that time.
    fn along(
        &self,
        parts: &[OperandValues],
        place: Place,
        num_times: usize,
        of: impl Fn(&OperandValues) -> &BTreeMap<u32, Vec<f64>>,
    ) -> Vec<f64> {
        if let Some((object, instance)) = place {
            let mut of_object =
                parts.iter().zip(&self.operands).filter(|(_, operand)| operand.object == object);
            let found = of_object.find_map(|(part, _)| of(part).get(&instance));
            return found.cloned().unwrap_or_else(|| vec![f64::NAN; num_times]);
        }
        let mut all = vec![f64::NAN; num_times];
        for part in parts {
            for (known, other) in all.iter_mut().zip(merged(of(part), num_times)) {
                if known.is_nan() {
                    *known = other;
                }
            }
        }
        all
    }
}

/// The values of an operand in a batch.
struct OperandValues {
    is_instanced: bool,
    /// By instance number: one value per time.
    cells: BTreeMap<u32, Vec<f64>>,
    /// Length of the interval before each time, in seconds; infinite for a gap.
    intervals: BTreeMap<u32, Vec<f64>>,
    /// How much a value at each time counts in a mean, in seconds.
    weights: BTreeMap<u32, Vec<f64>>,
}

/// For each time, that of the first instance that has one.
fn merged(all: &BTreeMap<u32, Vec<f64>>, num_times: usize) -> Vec<f64> {
    let mut merged = vec![f64::NAN; num_times];
    for values in all.values() {
        for (known, value) in merged.iter_mut().zip(values) {
            if known.is_nan() {
                *known = *value;
            }
        }
    }
    merged
}

impl Operand {
    /// Its values at the given times. Values of a single counter are consecutive; those of several are looked
    /// up by time.
    fn part(&self, batch: &Batch<'_>, times: &[Timestamp], is_aligned: bool) -> OperandValues {
        let mut part = OperandValues {
            is_instanced: false,
            cells: BTreeMap::new(),
            intervals: BTreeMap::new(),
            weights: BTreeMap::new(),
        };
        let mut begin = 0;
        let nothing = || vec![f64::NAN; times.len()];
        for placed in batch.get(&self.object).into_iter().flatten() {
            let cooked = placed.cooked;
            part.is_instanced |= cooked.object.instanced;
            let row_of = |sample: usize| {
                if is_aligned {
                    times.binary_search(&cooked.times[sample].utc).ok()
                } else {
                    Some(begin + sample)
                }
            };
            let rows: Vec<Option<usize>> = (0..cooked.num_samples()).map(row_of).collect();
            begin += cooked.num_samples();
            let Some(column) = placed.counters.iter().position(|counter| *counter == self.counter) else {
                continue;
            };
            let column = &cooked.columns[column];
            for (at, slot) in placed.slots.iter().enumerate() {
                if !self.takes.get(*slot as usize).is_some_and(|taken| *taken) || !column.covers(at) {
                    continue;
                }
                let values = part.cells.entry(*slot).or_insert_with(nothing);
                let intervals = part.intervals.entry(*slot).or_insert_with(nothing);
                let weights = part.weights.entry(*slot).or_insert_with(nothing);
                for (sample, row) in rows.iter().enumerate() {
                    let Some(row) = *row else { continue };
                    if let Some(value) = column.value_at(sample * placed.slots.len() + at) {
                        values[row] = value;
                    }
                    weights[row] = cooked.weight_of(sample, at);
                    intervals[row] = match cooked.interval_of(sample, at) {
                        Some(_) if cooked.is_gap(sample) => f64::INFINITY,
                        interval => interval.unwrap_or(f64::NAN),
                    };
                }
            }
        }
        part
    }
}

/// Whether two paths name the same instance.
fn is_same_instance(one: &CounterPath, other: &CounterPath) -> bool {
    let lower = |text: &Option<String>| text.as_ref().map(|text| text.to_lowercase());
    one.index == other.index
        && lower(&one.instance) == lower(&other.instance)
        && lower(&one.parent) == lower(&other.parent)
}

/// Whether a path matches a counter of an instance. A path without parentheses is for objects without
/// instances.
pub(super) fn takes(
    pattern: &Pattern,
    host: &str,
    object: &str,
    instance: Option<&Instance>,
    counter: &str,
) -> bool {
    let is_of_kind = match pattern {
        Pattern::Path(path) => path.instance.is_some() || instance.is_none(),
        Pattern::Contains(_) => false,
    };
    is_of_kind && pattern.matches(host, object, instance, counter)
}

/// Whether an instance is excluded by its shown name, including its parent.
fn excludes(pattern: &Pattern, object: &ObjectEntry, instance: &Instance, counter: &str) -> bool {
    let Pattern::Path(path) = pattern else { return false };
    let begins_anywhere = path.instance.as_deref().is_some_and(|name| name.starts_with('*'));
    let is_whole = path.parent.is_some() || instance.parent.is_none() || begins_anywhere;
    is_whole && pattern.matches(&object.host, &object.name, Some(instance), counter)
}

struct Names<'a>(&'a Roster);

impl Aligned for Names<'_> {
    fn counterpart(&self, instance: u32, of: usize, object: usize) -> Option<u32> {
        let objects = self.0.objects();
        let name = objects.get(of)?.instances.get(instance as usize)?.shown.as_deref()?;
        // The latest instance of a name: earlier ones have ended.
        let found = objects.get(object)?.instances.iter().rposition(|entry| {
            entry.shown.as_deref().is_some_and(|other| other.eq_ignore_ascii_case(name))
        })?;
        Some(found as u32)
    }

    fn is_total(&self, instance: u32, object: usize) -> bool {
        let entry = self.0.objects().get(object).and_then(|entry| entry.instances.get(instance as usize));
        entry.and_then(|entry| entry.instance.as_ref()).is_some_and(Instance::is_total)
    }
}
