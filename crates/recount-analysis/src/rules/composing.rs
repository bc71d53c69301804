//! Makes a finding of a verdict: where it is, how bad, and in words.

use super::cell::Figure;
use super::finding::{Finding, Shown};
use super::headline::Sentence;
use super::rule::{Aggregate, Quantity, Rule, RuleSet};
use super::verdict::Verdict;
use super::who::who_of;
use crate::roster::Roster;
use crate::shown::{task_id, unit_of};

/// The place of a finding.
pub(super) struct Place {
    pub(super) object: usize,
    pub(super) counter: u32,
    /// If the value belongs to one.
    pub(super) instance: Option<u32>,
    /// The instances over which it was taken, if it is of several.
    pub(super) members: Vec<String>,
    /// Object and counter of each operand.
    pub(super) operands: Vec<(usize, u32)>,
}

pub(super) fn finding(
    roster: &Roster,
    set: (usize, &RuleSet),
    (number, rule): (usize, &Rule),
    subject: &str,
    place: &Place,
    verdict: &Verdict,
) -> Finding {
    let entry = &roster.objects()[place.object];
    let instance = place.instance.and_then(|slot| entry.instances.get(slot as usize));
    let of_counter = entry.counters.get(place.counter as usize);
    let own_unit = of_counter.map_or("", |counter| unit_of(&counter.name, counter.unit));
    let of_values = rule.unit.as_deref().unwrap_or(own_unit);
    let unit = match &rule.aggregate {
        Aggregate::Share(_) => "%",
        Aggregate::Steps { .. } => "steps",
        _ => of_values,
    };
    let series = place.instance.or(entry.instances.first().map(|_| 0));
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
        members: place.members.clone(),
        subject: subject.to_owned(),
        unit: unit.to_owned(),
        aggregate: name_of(&rule.aggregate),
        value: verdict.value,
        threshold: rule.threshold.text.clone(),
        counters: shown(roster, rule, place, verdict),
        num_spans: verdict.num_spans,
        who: None,
        headline: String::new(),
        explanation: rule.explanation.clone(),
        links: rule.links.clone(),
        series: series.map(|slot| (place.object, slot, place.counter)),
        asks_who: who_of(rule, &entry.name, of_counter.map_or("", |counter| &counter.name)),
        order: (set.0, number),
        excess: excess(rule, verdict),
        worst: verdict.worst,
        spans: verdict.spans.clone(),
    };
    let name = of_counter.map_or(subject, |counter| &counter.name);
    let sentence = Sentence { finding: &finding, rule, verdict, counter: name, unit: of_values };
    finding.headline = sentence.text();
    finding
}

/// The quantities that the finding shows, if they have values.
fn shown(roster: &Roster, rule: &Rule, place: &Place, verdict: &Verdict) -> Vec<Shown> {
    let quantities = rule.says.iter().flat_map(|says| &says.quantities);
    let of = |(quantity, figure): (&Quantity, &Figure)| {
        let counter = || {
            let (object, counter) = place.operands.get(*quantity.operands.first()?)?;
            roster.objects().get(*object)?.counters.get(*counter as usize)
        };
        let counter = if quantity.expression.is_counter() { counter() } else { None };
        let own_unit = counter.map_or("", |counter| unit_of(&counter.name, counter.unit));
        let mean = figure.mean();
        Shown {
            name: counter.map_or_else(|| quantity.text.clone(), |counter| counter.name.to_string()),
            unit: quantity.unit.clone().unwrap_or_else(|| own_unit.to_owned()),
            mean,
            min: mean.map(|_| figure.min),
            max: mean.map(|_| figure.max),
        }
    };
    quantities.zip(&verdict.shown).map(of).collect()
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
