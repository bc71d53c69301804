//! The findings of rules.

use serde::Serialize;

use super::headline::Sentence;
use super::judge::{Span, Verdict};
use super::rule::{Aggregate, Quantity, Rule, RuleSet, Severity, Who};
use super::spell::Figure;
use super::who::{Culprits, who_of};
use crate::roster::Roster;
use crate::shown::{short, task_id, unit_of};

/// A rule that fired for one series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Name of the rule's set.
    pub set: String,
    /// Id of the rule.
    pub rule: String,
    /// What the rule finds.
    pub title: String,
    /// What it is about.
    pub group: String,
    /// How bad it is.
    pub severity: Severity,
    /// Machine; empty if unknown.
    pub host: String,
    /// Performance object.
    pub object: String,
    /// Instance, with its last shown name; `None` for objects without instances, and for values over all
    /// instances.
    pub instance: Option<String>,
    /// Process or thread id of the instance.
    pub instance_id: Option<u64>,
    /// Counter or expression, as in the rule.
    pub subject: String,
    /// Unit of the value; may be empty.
    pub unit: String,
    /// Which aggregate of the series was compared: `any`, `mean`, `trend`.
    pub aggregate: &'static str,
    /// The value that was compared; for `any`, the mean of the worst span. Trends are per hour, shares in %; of
    /// steps, their number.
    pub value: f64,
    /// The limit, as in the rule.
    pub threshold: String,
    /// The counters of an expression, as they were.
    pub counters: Vec<Shown>,
    /// The span in which it was worst.
    pub worst: Span,
    /// The longest spans and the worst, in order of their begin.
    pub spans: Vec<Span>,
    /// How many spans there were.
    pub num_spans: u64,
    /// The processes that it names.
    pub who: Option<Culprits>,
    /// One sentence.
    pub headline: String,
    /// What it means, as in the rule.
    #[serde(skip)]
    pub explanation: String,
    /// Links to further reading.
    #[serde(skip)]
    pub links: Vec<String>,
    /// The evidence, by numbers of the roster: object, instance, counter.
    #[serde(skip)]
    pub(crate) series: Option<(usize, u32, u32)>,
    /// By what processes may be named.
    #[serde(skip)]
    pub(super) asks_who: Option<Who>,
    /// Sort keys: set and rule, in order, and how far beyond the threshold.
    #[serde(skip)]
    order: (usize, usize),
    #[serde(skip)]
    excess: f64,
}

/// A quantity that an expression is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// Counter, or an expression.
    pub name: String,
    /// Unit of its values; may be empty.
    pub unit: String,
    /// Mean over the worst span.
    pub mean: Option<f64>,
    /// Least value in any of the spans.
    pub min: Option<f64>,
    /// Greatest value in any of the spans.
    pub max: Option<f64>,
}

/// A rule that wasn't evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unanswered {
    /// Name of its set.
    pub set: String,
    /// Its id.
    pub rule: String,
    /// What it would find.
    pub title: String,
    /// Why, as a word.
    pub why: Why,
    /// Why, in words: usually the counters that it needs.
    pub reason: String,
}

/// Why a rule wasn't evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The capture lacks its counters, or those in `needs`.
    NoCounters,
    /// Its counters have no values.
    NoValues,
    /// `exclude` excludes all instances.
    Excluded,
    /// The values cover less time than `for`.
    TooShort,
    /// The capture has a counter in `unless`.
    Unless,
}

impl Why {
    /// In words, for counting: `12 lacking counters`.
    pub fn as_str(self) -> &'static str {
        match self {
            Why::NoCounters => "lacking counters",
            Why::NoValues => "lacking values",
            Why::Excluded => "with all instances excluded",
            Why::TooShort => "needing a longer capture",
            Why::Unless => "excluded by `unless`",
        }
    }
}

impl Unanswered {
    pub(super) fn new(set: &RuleSet, rule: &Rule, (why, reason): (Why, &str)) -> Unanswered {
        Unanswered {
            set: set.name.clone(),
            rule: rule.id.clone(),
            title: rule.title.clone(),
            why,
            reason: short(reason),
        }
    }
}

impl Finding {
    /// Its subject, in the usual words: `python3 (pid 4711)`, `PhysicalDisk sda`, `Memory`.
    pub fn place(&self) -> String {
        let object = short(&self.object);
        match (&self.instance, self.instance_id) {
            (None, _) => object,
            (Some(instance), Some(id)) if self.object == "Process" => {
                format!("{} (pid {id})", short(instance))
            }
            (Some(instance), _) => format!("{object} {}", short(instance)),
        }
    }
}

/// The place of a finding.
pub(super) struct Place {
    pub(super) object: usize,
    pub(super) counter: u32,
    /// If the value belongs to one.
    pub(super) instance: Option<u32>,
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
    let own_unit = of_counter.map_or("", |counter| unit_in_words(&counter.name, counter.unit));
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
        let own_unit = counter.map_or("", |counter| unit_in_words(&counter.name, counter.unit));
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

/// The unit of a counter in a sentence: also that of `Available MBytes`, whose type has none.
fn unit_in_words(counter: &str, unit: &'static str) -> &'static str {
    let has_word = |word: &str| counter.split(' ').any(|other| other == word);
    match unit_of(counter, unit) {
        "" if has_word("MBytes") => "MiB",
        "" if has_word("KBytes") => "KiB",
        unit => unit,
    }
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

/// The worst first.
pub(super) fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        let by_rule = (b.severity, a.order).cmp(&(a.severity, b.order));
        by_rule.then(b.excess.total_cmp(&a.excess)).then_with(|| a.headline.cmp(&b.headline))
    });
    findings
}

/// Without findings that say less than another about the same thing, and those beyond the number that a rule allows
/// per machine: the last one that is left counts them.
pub(super) fn condensed(findings: &[Finding], sets: &[RuleSet]) -> Vec<Finding> {
    let rule_of = |finding: &Finding| &sets[finding.order.0].rules[finding.order.1];
    let is_told_by = |finding: &Finding, other: &Finding, id: &str| {
        other.rule == id && other.order.0 == finding.order.0 && other.host == finding.host
    };
    let is_needed = |finding: &&Finding| {
        let more = rule_of(finding).yields_to.as_deref();
        more.is_none_or(|id| !findings.iter().any(|other| is_told_by(finding, other, id)))
    };
    let mut kept: Vec<Finding> = Vec::new();
    let mut left_out: Vec<(usize, u64)> = Vec::new();
    for finding in findings.iter().filter(is_needed) {
        let is_alike = |other: &Finding| other.order == finding.order && other.host == finding.host;
        let num = kept.iter().filter(|other| is_alike(other)).count() as u64;
        if rule_of(finding).most.is_none_or(|most| num < most) {
            kept.push(finding.clone());
        } else if let Some(last) = kept.iter().rposition(is_alike) {
            match left_out.iter_mut().find(|(at, _)| *at == last) {
                Some((_, count)) => *count += 1,
                None => left_out.push((last, 1)),
            }
        }
    }
    for (at, count) in left_out {
        kept[at].headline.push_str(&format!(" ({count} more like it)"));
    }
    kept
}
