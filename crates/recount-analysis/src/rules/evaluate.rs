//! Evaluates all rules over a capture, batch by batch.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use recount_compute::Covered;
use recount_model::{CounterPath, Pattern, Timestamp};

use super::composing::{Place, finding};
use super::expression::is_named;
use super::finding::{Finding, Unanswered, Why, condensed};
use super::judge::Judge;
use super::rule::{Rule, RuleSet, Subject};
use super::stacked::without_stacked;
use super::unit::{Batch, LenOfHost, Operand, Unit, takes};
use super::view::GroupView;
use crate::attribution::GroupNames;
use crate::roster::{Placed, Roster};
use crate::shown::duration;

/// All rules, and their state so far. The roster must distinguish instances by identity.
#[derive(Debug)]
pub struct Evaluation<'a> {
    sets: &'a [RuleSet],
    /// Per rule, in order: per subject.
    tasks: Vec<Task<'a>>,
    /// What rules about groups judge.
    views: Vec<GroupView<'a>>,
    /// The origin of times.
    origin: Option<Timestamp>,
}

/// A subject of a rule.
#[derive(Debug)]
struct Task<'a> {
    rule: &'a Rule,
    subject: &'a Subject,
    /// Where its values are; `None`: in the capture as it is.
    view: Option<usize>,
    patterns: Vec<Pattern>,
    exclude: Vec<Pattern>,
    units: Vec<Unit>,
    /// Objects and counters already checked for units.
    known: Vec<usize>,
}

impl<'a> Evaluation<'a> {
    /// The state before the first batch. `groups` are those that the rules ask for.
    pub fn new(sets: &'a [RuleSet], groups: &'a [GroupNames]) -> Evaluation<'a> {
        let rules: Vec<&Rule> = sets.iter().flat_map(|set| &set.rules).collect();
        let views: Vec<GroupView<'_>> = groups.iter().map(|groups| GroupView::new(groups, &rules)).collect();
        let tasks = rules.into_iter().flat_map(|rule| {
            let is_judged = |view: &GroupView<'_>| Some(view.groups.by()) == rule.judges_groups();
            let view = views.iter().position(is_judged);
            rule.subjects.iter().map(move |subject| Task::new(rule, subject, view))
        });
        Evaluation { sets, tasks: tasks.collect(), views, origin: None }
    }

    /// Adds a batch, in parallel over rules.
    pub fn add(&mut self, roster: &Roster, batch: &[Placed<'_>]) {
        let earliest = batch.iter().filter_map(|placed| placed.cooked.times.first()).min();
        let Some(origin) = self.origin.or(earliest.map(|time| time.utc)) else { return };
        self.origin = Some(origin);
        let mut add = |view: Option<usize>, roster: &Roster, batch: &[Placed<'_>]| {
            let mut of_object: HashMap<usize, Vec<&Placed<'_>>> = HashMap::new();
            for placed in batch {
                of_object.entry(placed.object).or_default().push(placed);
            }
            let tasks = self.tasks.par_iter_mut().filter(|task| task.view == view);
            tasks.for_each(|task| task.add(roster, &of_object, origin));
        };
        add(None, roster, batch);
        for (at, view) in self.views.iter_mut().enumerate() {
            let values = view.values(batch);
            let placed = view.roster.place(&values);
            add(Some(at), &view.roster, &placed);
        }
    }

    /// The findings, the worst first, and the rules that weren't evaluated. `len_s`: from the first to the last sample of a machine, in seconds.
    pub fn finish(self, roster: &Roster, len_s: LenOfHost<'_>) -> (Vec<Finding>, Vec<Unanswered>) {
        let views = self.views;
        let roster_of = |view: Option<usize>| view.map_or(roster, |view| &views[view].roster);
        let mut findings: Vec<Finding> = Vec::new();
        let mut unanswered = Vec::new();
        let mut judged: Vec<Judged<'_>> = Vec::new();
        let mut tasks = self.tasks.into_iter();
        for (set_number, set) in self.sets.iter().enumerate() {
            for (number, rule) in set.rules.iter().enumerate() {
                let of_rule: Vec<Task<'_>> = tasks.by_ref().take(rule.subjects.len()).collect();
                let not_evaluated = not_asked(roster, rule)
                    .or_else(|| not_judged((roster, &roster_of), rule, &of_rule, len_s));
                if let Some((why, reason)) = not_evaluated {
                    unanswered.push(Unanswered::new(set, rule, (why, &reason)));
                    continue;
                }
                // The first that the capture has.
                let Some(task) = of_rule.into_iter().find(Task::has_values) else { continue };
                let (place, hosts) = ((set_number, number), task.hosts(roster_of(task.view)));
                judged.push(Judged { rule, place, hosts, task });
            }
        }
        // By id: the machines of which a rule can be judged.
        let mut known: HashMap<&str, BTreeSet<Arc<str>>> = HashMap::new();
        for Judged { rule, hosts, .. } in &judged {
            known.entry(rule.id.as_str()).or_default().extend(hosts.iter().cloned());
        }
        let mut ready: Vec<Judged<'_>> = Vec::new();
        for mut judged in judged {
            let Judged { rule, place: (set_number, _), hosts, .. } = &judged;
            let better = |id: &&String| known.get(id.as_str()).is_some_and(|of| hosts.is_subset(of));
            if let Some(id) = rule.instead_of.iter().find(better) {
                let reason = format!("the rule {id} says more, and could be judged");
                unanswered.push(Unanswered::new(&self.sets[*set_number], rule, (Why::Unless, &reason)));
                continue;
            }
            let has_better = |host: &Arc<str>| {
                rule.instead_of.iter().any(|id| known.get(id.as_str()).is_some_and(|of| of.contains(host)))
            };
            let of_task = roster_of(judged.task.view);
            judged.task.units.retain(|unit| unit.host(of_task).is_none_or(|host| !has_better(host)));
            ready.push(judged);
        }
        // First those that don't yield, then those that yield to them.
        ready.sort_by_cached_key(|judged| yields_to(self.sets, judged.rule).len());
        let mut reported: HashMap<(&str, Option<usize>, Site), Covered> = HashMap::new();
        for Judged { rule, place: (set_number, number), task, .. } in ready {
            let (set, view) = (&self.sets[set_number], task.view);
            let stronger = yields_to(self.sets, rule);
            let reported_at = |site: Site| {
                let mut time = Covered::default();
                for of_rule in stronger.iter().filter_map(|id| reported.get(&(*id, view, site))) {
                    time.join(of_rule);
                }
                time
            };
            let place = (roster_of(view), view.map(|view| views[view].groups));
            let found = task.findings(place, (set_number, set), number, (len_s, &reported_at));
            for (site, finding) in found {
                reported.entry((rule.id.as_str(), view, site)).or_default().join(&finding.time);
                findings.push(finding);
            }
        }
        let findings = without_stacked(super::finding::sorted(findings));
        (condensed(&findings, self.sets), unanswered)
    }
}

/// What a finding is about: an object and an instance of the roster.
type Site = (usize, Option<u32>);

/// The ids of the rules to which one yields, of those to which these yield, and so on.
fn yields_to<'r>(sets: &'r [RuleSet], rule: &'r Rule) -> Vec<&'r str> {
    let mut ids: Vec<&str> = rule.yields_to.iter().map(String::as_str).collect();
    let mut at = 0;
    while let Some(id) = ids.get(at).copied() {
        let of_id = sets.iter().flat_map(|set| &set.rules).filter(|rule| rule.id == id);
        let next = of_id.flat_map(|rule| &rule.yields_to).map(String::as_str);
        // Two may yield to each other.
        let new: Vec<&str> = next.filter(|id| !ids.contains(id)).collect();
        ids.extend(new);
        at += 1;
    }
    ids
}

/// A rule that can be judged: its set and number, the machines, and what was observed.
struct Judged<'a> {
    rule: &'a Rule,
    place: (usize, usize),
    hosts: BTreeSet<Arc<str>>,
    task: Task<'a>,
}

/// Why a rule doesn't apply to this capture.
fn not_asked(roster: &Roster, rule: &Rule) -> Option<(Why, String)> {
    let missing = rule.needs.iter().find(|path| !has(roster, path));
    let missing = missing.map(|path| (Why::NoCounters, format!("the capture has no {path}")));
    missing.or_else(|| {
        let found = rule.unless.iter().find(|path| has(roster, path));
        found.map(|path| (Why::Unless, format!("the rule is for captures without {path}")))
    })
}

/// Why a rule had nothing to judge.
fn not_judged<'r>(
    (roster, roster_of): (&Roster, &dyn Fn(Option<usize>) -> &'r Roster),
    rule: &Rule,
    tasks: &[Task<'_>],
    len_s: LenOfHost<'_>,
) -> Option<(Why, String)> {
    let Some(task) = tasks.iter().find(|task| task.has_values()) else {
        let own = || rule.subjects.iter().filter(|subject| !subject.is_alias);
        let wanted = own().map(|subject| subject.text.as_str());
        let wanted = wanted.collect::<Vec<_>>().join(", or ");
        let units = || tasks.iter().flat_map(|task| &task.units);
        return Some(if units().any(Unit::is_all_excluded) {
            (Why::Excluded, format!("the rule excludes all instances of {wanted}"))
        } else if units().next().is_some() {
            (Why::NoValues, format!("no values of {wanted}"))
        } else {
            // Of an expression, what is missing.
            let paths = own().flat_map(|subject| &subject.expression.operands);
            let is_formula = own().any(|subject| !subject.expression.is_counter());
            let missing = paths.filter(|_| is_formula).find(|path| !has(roster, path));
            let wanted = missing.map_or(wanted, ToString::to_string);
            (Why::NoCounters, format!("the capture has no {wanted}"))
        });
    };
    let longest_of = |unit: &Unit| unit.judges.values().map(Judge::observed_s).fold(0.0, f64::max);
    let of_task = roster_of(task.view);
    let longest = task.units.iter().map(longest_of).fold(0.0, f64::max);
    let capture_s = task.units.iter().map(|unit| unit.len_s(of_task, len_s)).fold(0.0, f64::max);
    let is_whole = |unit: &Unit| rule.is_covered_wholly(longest_of(unit), unit.len_s(of_task, len_s));
    let is_covered = rule.is_covered(longest) || task.units.iter().any(is_whole);
    (!is_covered).then(|| {
        let least_s = rule.least_whole_s.filter(|_| !rule.is_covered(capture_s)).unwrap_or(rule.least_s);
        let (covered, least) = (duration(longest), duration(least_s));
        (Why::TooShort, format!("the values cover {covered}, and the rule needs {least}"))
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
    /// What fired, in any object and instance; and what stronger rules have reported of each.
    fn findings(
        self,
        (roster, groups): (&Roster, Option<&GroupNames>),
        set: (usize, &RuleSet),
        number: usize,
        (len_s, reported_at): (LenOfHost<'_>, &dyn Fn(Site) -> Covered),
    ) -> Vec<(Site, Finding)> {
        let (rule, subject) = (self.rule, self.subject);
        let mut findings = Vec::new();
        for unit in self.units {
            let Some(driver) = unit.operands.first() else { continue };
            let members = unit.members(roster);
            let capture_s = unit.len_s(roster, len_s);
            findings.extend(unit.judges.into_iter().filter_map(|(place, judge)| {
                let counter_of = |object: usize| {
                    unit.operands
                        .iter()
                        .find(|operand| operand.object == object)
                        .map(|operand| operand.counter)
                };
                let (object, instance) =
                    place.map_or((driver.object, None), |(object, instance)| (object, Some(instance)));
                let site = (object, instance);
                let verdict = judge.verdict(rule, capture_s, &reported_at(site))?;
                let counters =
                    unit.operands.iter().map(|operand| (operand.object, operand.counter)).collect();
                let members = if instance.is_none() { members.clone() } else { Vec::new() };
                let place = Place {
                    object,
                    counter: counter_of(object).unwrap_or(driver.counter),
                    instance,
                    members,
                    operands: counters,
                    groups,
                };
                Some((site, finding(roster, set, (number, rule), subject, &place, &verdict)))
            }));
        }
        findings
    }

    /// The machines of which it has values.
    fn hosts(&self, roster: &Roster) -> BTreeSet<Arc<str>> {
        let units = self.units.iter().filter(|unit| !unit.judges.is_empty());
        units.filter_map(|unit| unit.host(roster)).cloned().collect()
    }

    fn has_values(&self) -> bool {
        self.units.iter().any(|unit| !unit.judges.is_empty())
    }

    fn new(rule: &'a Rule, subject: &'a Subject, view: Option<usize>) -> Task<'a> {
        let patterns = subject.expression.operands.iter().cloned().map(Pattern::Path).collect();
        let exclude = rule.exclude.iter().cloned().map(Pattern::Path).collect();
        Task { rule, subject, view, patterns, exclude, units: Vec::new(), known: Vec::new() }
    }

    fn add(&mut self, roster: &Roster, batch: &Batch<'_>, origin: Timestamp) {
        self.find_units(roster);
        for unit in &mut self.units {
            unit.learn(roster, &self.patterns, &self.exclude);
            unit.add(roster, self.rule, self.subject, batch, origin);
        }
    }

    /// Units for new objects and counters.
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
                            Operand {
                                object,
                                counter,
                                is_named: is_named(path),
                                takes: Vec::new(),
                                excludes_some: false,
                            }
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

/// Whether a path matches a counter of an object, for any instance.
fn matches_counter(pattern: &Pattern, host: &str, object: &str, counter: &str) -> bool {
    let Pattern::Path(path) = pattern else { return false };
    let any_instance = CounterPath { parent: None, instance: None, index: None, ..path.clone() };
    Pattern::Path(any_instance).matches(host, object, None, counter)
}

/// The counter of an operand that goes with the driver's counter: of the same object if both paths name the
/// same object, otherwise of another object on the same machine. A wildcard in the names of both objects
/// stands for the same text (`MSSQL$*:Buffer Manager`).
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

/// The text for which the wildcard in an object's name stands.
fn star_of(pattern: &str, name: &str) -> Option<String> {
    let (before, behind) = pattern.split_once('*')?;
    let star = name.get(before.len()..name.len().checked_sub(behind.len())?)?;
    Some(star.to_owned())
}
