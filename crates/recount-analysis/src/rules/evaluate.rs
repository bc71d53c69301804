//! All rules over a capture, batch by batch.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use recount_model::{CounterPath, Instance, Pattern, Timestamp};

use super::expression::{Aligned, Value, is_named};
use super::finding::{Finding, Unanswered, finding};
use super::judge::{Judge, Stretch};
use super::rule::{Rule, RuleSet, Subject};
use crate::roster::{ObjectEntry, Placed, Roster};

/// All rules, and what they know so far. The roster has to tell instances apart by identity.
#[derive(Debug)]
pub struct Evaluation<'a> {
    sets: &'a [RuleSet],
    /// Per rule, in order: per subject.
    tasks: Vec<Task<'a>>,
    origin: Option<Timestamp>,
}

/// A subject of a rule.
#[derive(Debug)]
struct Task<'a> {
    rule: &'a Rule,
    subject: &'a Subject,
    patterns: Vec<Pattern>,
    exclude: Vec<Pattern>,
    units: Vec<Unit>,
    /// Objects and counters that were looked at for units.
    known: Vec<usize>,
}

/// A subject in one object of one machine.
#[derive(Debug)]
struct Unit {
    operands: Vec<Operand>,
    judges: BTreeMap<Place, Judge>,
}

/// Object and instance that a value is of; `None`: a value without one.
type Place = Option<(usize, u32)>;

/// Stretches by object.
type Batch<'a> = HashMap<usize, Vec<&'a Placed<'a>>>;

/// A counter of the roster.
#[derive(Debug)]
struct Operand {
    object: usize,
    counter: u32,
    is_named: bool,
    /// Per instance of the roster: whether the path, and no exclusion, takes it in.
    takes: Vec<bool>,
}

impl<'a> Evaluation<'a> {
    /// Nothing is known yet.
    pub fn new(sets: &'a [RuleSet]) -> Evaluation<'a> {
        let tasks = sets.iter().flat_map(|set| {
            set.rules.iter().flat_map(|rule| rule.subjects.iter().map(|subject| Task::new(rule, subject)))
        });
        Evaluation { sets, tasks: tasks.collect(), origin: None }
    }

    /// Adds a batch, in parallel over rules.
    pub fn add(&mut self, roster: &Roster, batch: &[Placed<'_>]) {
        let earliest = batch.iter().filter_map(|placed| placed.cooked.times.first()).min();
        let Some(origin) = self.origin.or(earliest.map(|time| time.utc)) else { return };
        self.origin = Some(origin);
        let mut of_object: HashMap<usize, Vec<&Placed<'_>>> = HashMap::new();
        for placed in batch {
            of_object.entry(placed.object).or_default().push(placed);
        }
        self.tasks.par_iter_mut().for_each(|task| task.add(roster, &of_object, origin));
    }

    /// What the rules found, the worst first; and rules that had nothing to look at.
    pub fn finish(self, roster: &Roster) -> (Vec<Finding>, Vec<Unanswered>) {
        let mut findings: Vec<Finding> = Vec::new();
        let mut unanswered = Vec::new();
        let mut tasks = self.tasks.into_iter();
        for (set_number, set) in self.sets.iter().enumerate() {
            for (number, rule) in set.rules.iter().enumerate() {
                let of_rule: Vec<Task<'_>> = tasks.by_ref().take(rule.subjects.len()).collect();
                // The first that the capture has.
                if let Some(reason) = not_asked(roster, rule) {
                    unanswered.push(Unanswered::new(set, rule, &reason));
                    continue;
                }
                let has_values = |task: &Task<'_>| task.units.iter().any(|unit| !unit.judges.is_empty());
                let Some(task) = of_rule.into_iter().find(has_values) else {
                    unanswered.push(Unanswered::without_values(set, rule));
                    continue;
                };
                for unit in task.units {
                    let subject = task.subject;
                    let Some(driver) = unit.operands.first() else { continue };
                    findings.extend(unit.judges.into_iter().filter_map(|(place, judge)| {
                        let verdict = judge.verdict(rule)?;
                        let counter_of = |object: usize| {
                            unit.operands
                                .iter()
                                .find(|operand| operand.object == object)
                                .map(|operand| operand.counter)
                        };
                        let (object, instance) = place
                            .map_or((driver.object, None), |(object, instance)| (object, Some(instance)));
                        let place = (object, counter_of(object).unwrap_or(driver.counter), instance);
                        Some(finding(
                            roster,
                            (set_number, set),
                            (number, rule),
                            &subject.text,
                            place,
                            verdict,
                        ))
                    }));
                }
            }
        }
        (super::finding::sorted(findings), unanswered)
    }
}

/// Why a rule isn't for this capture.
fn not_asked(roster: &Roster, rule: &Rule) -> Option<String> {
    let missing = rule.needs.iter().find(|path| !has(roster, path));
    let missing = missing.map(|path| format!("the capture has no {path}"));
    missing.or_else(|| {
        rule.unless.iter().find(|path| has(roster, path)).map(|path| format!("the capture has {path}"))
    })
}

/// Whether a capture has a counter.
fn has(roster: &Roster, path: &CounterPath) -> bool {
    let pattern = Pattern::Path(path.clone());
    roster.objects().iter().any(|object| {
        object.counters.iter().any(|counter| {
            object.instances.iter().any(|entry| {
                takes(&pattern, &object.host, &object.name, entry.instance.as_ref(), &counter.name)
            })
        })
    })
}

impl<'a> Task<'a> {
    fn new(rule: &'a Rule, subject: &'a Subject) -> Task<'a> {
        let patterns = subject.expression.operands.iter().cloned().map(Pattern::Path).collect();
        let exclude = rule.exclude.iter().cloned().map(Pattern::Path).collect();
        Task { rule, subject, patterns, exclude, units: Vec::new(), known: Vec::new() }
    }

    fn add(&mut self, roster: &Roster, batch: &Batch<'_>, origin: Timestamp) {
        self.find_units(roster);
        for unit in &mut self.units {
            unit.learn(roster, &self.patterns, &self.exclude);
            unit.add(roster, self.rule, self.subject, batch, origin);
        }
    }

    /// Units of objects and counters that are new.
    fn find_units(&mut self, roster: &Roster) {
        let Some(driver) = self.patterns.first() else { return };
        self.known.resize(roster.objects().len(), 0);
        for (object, entry) in roster.objects().iter().enumerate() {
            let first_new = std::mem::replace(&mut self.known[object], entry.counters.len());
            for (counter, of_counter) in entry.counters.iter().enumerate().skip(first_new) {
                if !matches_counter(driver, &entry.host, &entry.name, &of_counter.name) {
                    continue;
                }
                let others = self.patterns.iter().skip(1);
                let others: Option<Vec<(usize, u32)>> =
                    others.map(|pattern| counterpart(roster, object, driver, pattern)).collect();
                if let Some(others) = others {
                    let places = std::iter::once((object, counter as u32)).chain(others);
                    let operands =
                        places.zip(&self.subject.expression.operands).map(|((object, counter), path)| {
                            Operand { object, counter, is_named: is_named(path), takes: Vec::new() }
                        });
                    self.units.push(Unit { operands: operands.collect(), judges: BTreeMap::new() });
                } else {
                    // The other counters may come with a later batch.
                    self.known[object] = first_new.min(counter);
                    break;
                }
            }
        }
    }
}

/// Whether a path takes in a counter of an object, whatever its instances.
fn matches_counter(pattern: &Pattern, host: &str, object: &str, counter: &str) -> bool {
    let Pattern::Path(path) = pattern else { return false };
    let any_instance = CounterPath { parent: None, instance: None, index: None, ..path.clone() };
    Pattern::Path(any_instance).matches(host, object, None, counter)
}

/// The counter that an operand means beside the driver's: of the same object if its path is of the same, else of another on
/// the same machine. A wildcard in the names of both objects stands for the same text (`MSSQL$*:Buffer Manager`).
fn counterpart(roster: &Roster, driver: usize, first: &Pattern, pattern: &Pattern) -> Option<(usize, u32)> {
    let (Pattern::Path(first), Pattern::Path(path)) = (first, pattern) else { return None };
    let driving = roster.objects().get(driver)?;
    let same_object = first.object.eq_ignore_ascii_case(&path.object);
    let meant = star_of(&first.object, &driving.name).map(|star| path.object.replacen('*', &star, 1));
    roster.objects().iter().enumerate().find_map(|(object, entry)| {
        let is_other = |meant: &String| !entry.name.eq_ignore_ascii_case(meant);
        let is_apart = same_object && object != driver;
        if entry.host != driving.host || is_apart || (!same_object && meant.as_ref().is_some_and(is_other)) {
            return None;
        }
        let is_meant = |name: &str| matches_counter(pattern, &entry.host, &entry.name, name);
        let counter = entry.counters.iter().position(|counter| is_meant(&counter.name))?;
        Some((object, counter as u32))
    })
}

/// What the wildcard in the name of an object stands for.
fn star_of(pattern: &str, name: &str) -> Option<String> {
    let (before, behind) = pattern.split_once('*')?;
    let star = name.get(before.len()..name.len().checked_sub(behind.len())?)?;
    Some(star.to_owned())
}

impl Unit {
    /// Looks at instances that are new.
    fn learn(&mut self, roster: &Roster, patterns: &[Pattern], exclude: &[Pattern]) {
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
            }
        }
    }

    fn add(&mut self, roster: &Roster, rule: &Rule, subject: &Subject, batch: &Batch<'_>, origin: Timestamp) {
        let times = self.times(batch);
        if times.is_empty() {
            return;
        }
        let is_aligned = self.operands.len() > 1;
        let parts: Vec<Part> =
            self.operands.iter().map(|operand| operand.part(batch, &times, is_aligned)).collect();
        let has_star =
            parts.iter().zip(&self.operands).any(|(part, operand)| part.is_instanced && !operand.is_named);
        let named_object =
            self.operands.iter().find(|operand| operand.is_named).map(|operand| operand.object);
        let values: Vec<Value> = parts
            .iter()
            .zip(&self.operands)
            .map(|(part, operand)| {
                let is_single = operand.is_named && (has_star || Some(operand.object) != named_object);
                if is_single || !part.is_instanced {
                    return Value::Single(merged(&part.cells, times.len()));
                }
                let cells = part.cells.iter().map(|(slot, values)| (*slot, values.clone())).collect();
                Value::PerInstance { object: operand.object, cells }
            })
            .collect();
        let cells: Vec<(Place, Vec<f64>)> = match subject.expression.evaluate(&values, &Names(roster)) {
            Value::Number(_) => return,
            Value::Single(values) => vec![(None, values)],
            Value::PerInstance { object, cells } => {
                cells.into_iter().map(|(instance, values)| (Some((object, instance)), values)).collect()
            }
        };
        // What isn't there in this batch is interrupted.
        for (place, judge) in &mut self.judges {
            if cells.binary_search_by_key(place, |(place, _)| *place).is_err() {
                judge.interrupt(rule);
            }
        }
        for (place, values) in cells {
            if values.iter().all(|value| value.is_nan()) && !self.judges.contains_key(&place) {
                continue;
            }
            let intervals = self.intervals(&parts, place, times.len());
            let judge = self.judges.entry(place).or_insert_with(|| Judge::new(rule));
            judge.feed(rule, &Stretch { times: &times, intervals: &intervals, values: &values, origin });
        }
    }

    /// The times of the batch. Those of a single counter are taken as they come; those of several are joined.
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

    /// Seconds up to each time: of the instance, or else of whatever has a value then.
    fn intervals(&self, parts: &[Part], place: Place, num_times: usize) -> Vec<f64> {
        if let Some((object, instance)) = place {
            let mut of_object =
                parts.iter().zip(&self.operands).filter(|(_, operand)| operand.object == object);
            let found = of_object.find_map(|(part, _)| part.intervals.get(&instance));
            return found.cloned().unwrap_or_else(|| vec![f64::NAN; num_times]);
        }
        let mut intervals = vec![f64::NAN; num_times];
        for part in parts {
            for (known, other) in intervals.iter_mut().zip(merged(&part.intervals, num_times)) {
                if known.is_nan() {
                    *known = other;
                }
            }
        }
        intervals
    }
}

/// What an operand has to say of a batch.
struct Part {
    is_instanced: bool,
    /// By number of instance: a value per time.
    cells: BTreeMap<u32, Vec<f64>>,
    /// Seconds up to each time.
    intervals: BTreeMap<u32, Vec<f64>>,
}

/// At each time, of the first instance that has one.
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
    /// Its values at the given times. Those of a single counter are one after the other; those of several are found by time.
    fn part(&self, batch: &Batch<'_>, times: &[Timestamp], is_aligned: bool) -> Part {
        let mut part = Part { is_instanced: false, cells: BTreeMap::new(), intervals: BTreeMap::new() };
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
                for (sample, row) in rows.iter().enumerate() {
                    let Some(row) = *row else { continue };
                    if let Some(value) = column.value_at(sample * placed.slots.len() + at) {
                        values[row] = value;
                    }
                    intervals[row] = cooked.interval_of(sample, at).unwrap_or(f64::NAN);
                }
            }
        }
        part
    }
}

/// Whether a path takes in a counter of an instance. A path without parentheses is of an object without instances.
fn takes(pattern: &Pattern, host: &str, object: &str, instance: Option<&Instance>, counter: &str) -> bool {
    let is_of_kind = match pattern {
        Pattern::Path(path) => path.instance.is_some() || instance.is_none(),
        Pattern::Contains(_) => false,
    };
    is_of_kind && pattern.matches(host, object, instance, counter)
}

/// Whether an instance is excluded: by its name as it is shown, with its parent.
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
        // The latest of a name: earlier ones are gone.
        let found = objects.get(object)?.instances.iter().rposition(|entry| {
            entry.shown.as_deref().is_some_and(|other| other.eq_ignore_ascii_case(name))
        })?;
        Some(found as u32)
    }

    fn is_total(&self, instance: u32, object: usize) -> bool {
        let entry = self.0.objects().get(object).and_then(|entry| entry.instances.get(instance as usize));
        entry
            .and_then(|entry| entry.instance.as_ref())
            .is_some_and(|instance| instance.name.eq_ignore_ascii_case("_Total"))
    }
}
