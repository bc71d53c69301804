//! Makes a finding of a verdict: where it is, how bad, and in words.

use std::sync::Arc;

use recount_model::CounterPath;

use super::cell::Figure;
use super::expression::is_named;
use super::finding::{Finding, Shown};
use super::headline::Sentence;
use super::rule::{Aggregate, Quantity, Rule, RuleSet, Subject, is_of_processes};
use super::suspects::shown_group;
use super::verdict::{Span, Verdict};
use super::who::who_of;
use crate::attribution::GroupNames;
use crate::roster::Roster;
use crate::shown::{task_id, unit_of};

/// The place of a finding.
pub(super) struct Place<'a> {
    pub(super) object: usize,
    pub(super) counter: u32,
    /// If the value belongs to one.
    pub(super) instance: Option<u32>,
    /// The instances over which it was taken, if it is of several.
    pub(super) members: Vec<String>,
    /// Object and counter of each operand.
    pub(super) operands: Vec<(usize, u32)>,
    /// The groups that were judged, if it is about some.
    pub(super) groups: Option<&'a GroupNames>,
}

impl Place<'_> {
    /// A group of processes, as people know it: `ci.service (12 processes)`.
    fn group(&self, roster: &Roster, worst: &Span) -> Option<String> {
        let entry = &roster.objects()[self.object];
        let groups = self.groups.filter(|_| is_of_processes(&entry.name))?;
        let name = entry.instances.get(self.instance? as usize)?.shown.as_deref()?;
        let num = groups.num_processes(&entry.host, name, (worst.begin, worst.end));
        Some(shown_group(name, num, None))
    }
}

pub(super) fn finding(
    roster: &Roster,
    set: (usize, &RuleSet),
    (number, rule): (usize, &Rule),
    subject: &Subject,
    place: &Place<'_>,
    verdict: &Verdict,
) -> Finding {
    let entry = &roster.objects()[place.object];
    let instance = place.instance.and_then(|slot| entry.instances.get(slot as usize));
    let of_counter = entry.counters.get(place.counter as usize);
    let units: Vec<&str> = place.operands.iter().map(|operand| unit_at(roster, *operand)).collect();
    let of_values = rule.unit.as_deref().unwrap_or_else(|| subject.expression.unit(&units));
    let unit = match &rule.aggregate {
        Aggregate::Share(_) => "%",
        Aggregate::Steps { .. } => "steps",
        _ => of_values,
    };
    // Charts know nothing of groups.
    let series = place.instance.or(entry.instances.first().map(|_| 0)).filter(|_| place.groups.is_none());
    let mut finding = Finding {
        set: set.1.name.clone(),
        rule: rule.id.clone(),
        title: rule.title.clone(),
        group: rule.group.clone(),
        severity: rule.severity,
        host: entry.host.to_string(),
        object: entry.name.to_string(),
        instance: instance.and_then(|entry| entry.shown.as_deref().map(str::to_owned)),
        instance_id: instance.and_then(|known| task_id(&entry.name, known.instance.as_ref())),
        described: place.group(roster, &verdict.worst),
        group_by: rule.group_by,
        members: place.members.clone(),
        subject: subject.text.clone(),
        unit: unit.to_owned(),
        aggregate: name_of(&rule.aggregate),
        value: verdict.value,
        threshold: rule.threshold.text.clone(),
        until: rule.until.as_ref().map(|until| until.text.clone()),
        counters: shown(roster, rule, place, verdict, &units),
        num_spans: verdict.num_spans,
        with: Vec::new(),
        time: verdict.time.clone(),
        who: None,
        headline: String::new(),
        explanation: rule.explanation.clone(),
        links: rule.links.clone(),
        series: series.map(|slot| (place.object, slot, place.counter)),
        asks_who: who_of(rule, &entry.name, of_counter.map_or("", |counter| &counter.name)),
        order: (set.0, number),
        excess: excess(rule, verdict),
        limit: rule.threshold.number,
        worst: verdict.worst,
        spans: verdict.spans.clone(),
    };
    let name = of_counter.map_or(subject.text.as_str(), |counter| &counter.name);
    let sentence = Sentence { finding: &finding, rule, verdict, counter: name, unit: of_values };
    finding.headline = sentence.text();
    finding
}

fn unit_at(roster: &Roster, (object, counter): (usize, u32)) -> &'static str {
    let counter = roster.objects().get(object).and_then(|entry| entry.counters.get(counter as usize));
    counter.map_or("", |counter| unit_of(&counter.name, counter.unit))
}

/// The quantities that the finding shows, if they have values.
fn shown(
    roster: &Roster,
    rule: &Rule,
    place: &Place<'_>,
    verdict: &Verdict,
    units: &[&'static str],
) -> Vec<Shown> {
    let quantities = || rule.says.iter().flat_map(|says| &says.quantities);
    let names: Vec<Option<Arc<str>>> =
        quantities().map(|quantity| counter_of(roster, place, quantity)).collect();
    let of = |(at, (quantity, figure)): (usize, (&Quantity, &Figure))| {
        let of_operands: Vec<&str> = quantity.operands.iter().map(|operand| units[*operand]).collect();
        let name = names[at].as_deref().map(|name| {
            let is_one_of_several = names.iter().flatten().filter(|other| ***other == *name).count() > 1;
            let is_here = !is_one_of_several && is_at(roster, place, quantity);
            if is_here { name.to_owned() } else { path_of(&quantity.expression.operands[0], name) }
        });
        let mean = figure.mean();
        Shown {
            name: name.unwrap_or_else(|| quantity.text.clone()),
            unit: quantity.unit.clone().unwrap_or_else(|| quantity.expression.unit(&of_operands).to_owned()),
            mean,
            min: mean.map(|_| figure.min),
            max: mean.map(|_| figure.max),
        }
    };
    quantities().zip(&verdict.shown).enumerate().map(of).collect()
}

/// The name of the counter that a quantity is, if it is one.
fn counter_of(roster: &Roster, place: &Place<'_>, quantity: &Quantity) -> Option<Arc<str>> {
    let (object, counter) = place.operands.get(*quantity.operands.first()?)?;
    let counter = roster.objects().get(*object)?.counters.get(*counter as usize)?;
    quantity.expression.is_counter().then(|| Arc::clone(&counter.name))
}

/// Whether a counter is of the object and instance that the sentence is about.
fn is_at(roster: &Roster, place: &Place<'_>, quantity: &Quantity) -> bool {
    let object = quantity.operands.first().and_then(|operand| place.operands.get(*operand));
    let path = &quantity.expression.operands[0];
    let entry = &roster.objects()[place.object];
    let named = path.instance.as_deref().filter(|_| is_named(path));
    let shown = place.instance.and_then(|slot| entry.instances.get(slot as usize)?.shown.as_deref());
    object.is_some_and(|(object, _)| *object == place.object)
        && named.is_none_or(|named| {
            shown.is_none_or(|shown| shown.to_lowercase().ends_with(&named.to_lowercase()))
        })
}

/// `Paging File(_Total)\% Usage`; of any instance, without it.
fn path_of(path: &CounterPath, counter: &str) -> String {
    let is_any = path.instance.as_deref() == Some("*");
    let mut named = CounterPath { host: None, counter: counter.to_owned(), ..path.clone() };
    if is_any {
        named = CounterPath { parent: None, instance: None, index: None, ..named };
    }
    named.to_string().trim_start_matches('\\').to_owned()
}

fn name_of(aggregate: &Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Any => "any",
        Aggregate::Mean => "mean",
        Aggregate::Min => "min",
        Aggregate::Max => "max",
        Aggregate::Percentile(share) if *share < 0.6 => "p50",
        Aggregate::Percentile(share) if *share < 0.92 => "p90",
        Aggregate::Percentile(share) if *share < 0.97 => "p95",
        Aggregate::Percentile(_) => "p99",
        Aggregate::Trend { .. } => "trend",
        Aggregate::Share(_) => "share",
        Aggregate::Steps { .. } => "steps",
    }
}

fn excess(rule: &Rule, verdict: &Verdict) -> f64 {
    let beyond = if rule.threshold.is_upper() { verdict.value } else { -verdict.value };
    match rule.aggregate {
        // Longer is worse; of equally long ones, further beyond the threshold is worse.
        Aggregate::Any => beyond * verdict.total_s,
        _ => beyond,
    }
}
