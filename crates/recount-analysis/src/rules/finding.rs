//! The findings of rules.

use serde::Serialize;

use super::judge::{Span, Verdict};
use super::rule::{Aggregate, Rule, RuleSet, Severity};
use crate::roster::Roster;
use crate::shown::{duration, quantity, short, unit_of};

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
    /// Id of the instance; for a process, its process id.
    pub instance_id: Option<u64>,
    /// Counter or expression, as in the rule.
    pub subject: String,
    /// Unit of the value; may be empty.
    pub unit: String,
    /// Which aggregate of the series was compared: `any`, `mean`, `trend`.
    pub aggregate: &'static str,
    /// The value that was compared; for `any`, the mean of the longest span. Trends are per hour, shares in %.
    pub value: f64,
    /// The limit, as in the rule.
    pub threshold: String,
    /// The longest spans, in order of their begin.
    pub spans: Vec<Span>,
    /// How many spans there were.
    pub num_spans: u64,
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
    /// Sort keys: set and rule, in order, and how far beyond the threshold.
    #[serde(skip)]
    order: (usize, usize),
    #[serde(skip)]
    excess: f64,
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

    /// The longest span.
    pub fn longest(&self) -> Option<&Span> {
        self.spans.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// Total length of the kept spans, in seconds.
    pub fn seconds(&self) -> f64 {
        self.spans.iter().map(|span| span.seconds).sum()
    }
}

/// The place of a finding: object, counter and, if the value belongs to one, instance.
type Place = (usize, u32, Option<u32>);

pub(super) fn finding(
    roster: &Roster,
    set: (usize, &RuleSet),
    (number, rule): (usize, &Rule),
    subject: &str,
    (object, counter, slot): Place,
    verdict: Verdict,
) -> Finding {
    let entry = &roster.objects()[object];
    let instance = slot.and_then(|slot| entry.instances.get(slot as usize));
    let of_counter = entry.counters.get(counter as usize);
    let own_unit = of_counter.map_or("", |counter| unit_of(&counter.name, counter.unit));
    let unit = match &rule.aggregate {
        Aggregate::Share(_) => "%",
        _ => rule.unit.as_deref().unwrap_or(own_unit),
    };
    let mut finding = Finding {
        set: set.1.name.clone(),
        rule: rule.id.clone(),
        title: rule.title.clone(),
        group: rule.group.clone(),
        severity: rule.severity,
        host: entry.host.to_string(),
        object: entry.name.to_string(),
        instance: instance.and_then(|entry| entry.shown.as_deref().map(str::to_owned)),
        instance_id: instance.and_then(|entry| entry.instance.as_ref()?.id),
        subject: subject.to_owned(),
        unit: unit.to_owned(),
        aggregate: name_of(&rule.aggregate),
        value: verdict.value,
        threshold: rule.threshold.text.clone(),
        num_spans: verdict.num_spans,
        headline: String::new(),
        explanation: rule.explanation.clone(),
        links: rule.links.clone(),
        series: slot.or(entry.instances.first().map(|_| 0)).map(|slot| (object, slot, counter)),
        order: (set.0, number),
        excess: excess(rule, &verdict),
        spans: verdict.spans,
    };
    let counter = of_counter.map_or(subject, |counter| &counter.name);
    // A formula isn't a name; without `measure`, the title says what it means.
    let is_formula = rule.subjects.iter().any(|subject| subject.expression.operands.len() > 1);
    let measured = match &rule.measure {
        Some(measure) => short(measure),
        None if is_formula => String::new(),
        None => short(counter),
    };
    let of_values = rule.unit.as_deref().unwrap_or(own_unit);
    finding.headline = match &rule.aggregate {
        Aggregate::Share(_) => share_headline(&finding, &measured, of_values),
        _ => headline(&finding, rule, &measured, unit),
    };
    finding
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
    }
}

fn excess(rule: &Rule, verdict: &Verdict) -> f64 {
    let seconds: f64 = verdict.spans.iter().map(|span| span.seconds).sum();
    let beyond = if rule.threshold.is_upper() { verdict.value } else { -verdict.value };
    match rule.aggregate {
        // Longer is worse; of equally long ones, further beyond the threshold is worse.
        Aggregate::Any => beyond * seconds,
        _ => beyond,
    }
}

/// `counter` is empty if a formula without a name was measured: the title says what it is.
fn headline(finding: &Finding, rule: &Rule, counter: &str, unit: &str) -> String {
    let place = finding.place();
    let was = if counter.is_empty() { String::new() } else { format!("{counter} was ") };
    let counter = if counter.is_empty() { "it" } else { counter };
    let Some(longest) = finding.longest() else {
        return format!("{place}: {counter} {}", quantity(finding.value, unit));
    };
    let (lasted, peak) = (duration(longest.seconds), quantity(longest.peak, unit));
    match &rule.aggregate {
        Aggregate::Any => {
            let mean = quantity(longest.mean, unit);
            let again = match finding.num_spans {
                1 => String::new(),
                2 => ", and once more".to_owned(),
                more => format!(", and {} more times", more - 1),
            };
            let bound = if rule.threshold.is_upper() { "at most" } else { "at least" };
            format!("{place}: {was}{mean} on average for {lasted}, {bound} {peak}{again}")
        }
        Aggregate::Trend { .. } => {
            let (per_hour, seconds) = (finding.value, longest.seconds);
            let (rate, rise) =
                (quantity(per_hour.abs(), unit), quantity((per_hour * seconds / 3600.0).abs(), unit));
            let verb = if per_hour >= 0.0 { "grew" } else { "fell" };
            format!("{place}: {counter} {verb} by {rise} in {lasted}, {rate} an hour, to {peak}")
        }
        Aggregate::Mean => {
            format!("{place}: {was}{} on average over {lasted}", quantity(finding.value, unit))
        }
        Aggregate::Min | Aggregate::Max | Aggregate::Percentile(_) | Aggregate::Share(_) => {
            format!(
                "{place}: {} of {counter} was {} over {lasted}",
                finding.aggregate,
                quantity(finding.value, unit)
            )
        }
    }
}

/// How often it was beyond the threshold, and the values at those times.
fn share_headline(finding: &Finding, counter: &str, unit: &str) -> String {
    let (place, threshold) = (finding.place(), &finding.threshold);
    let share = quantity(finding.value, "%");
    let counter = if counter.is_empty() { "it" } else { counter };
    let text = format!("{place}: {counter} was {threshold} in {share} of the time");
    let Some(longest) = finding.longest() else { return text };
    let mean = finding.spans.iter().map(|span| span.mean * span.seconds).sum::<f64>() / finding.seconds();
    let extreme = finding.spans.iter().map(|span| span.peak);
    let (bound, extreme) = if longest.peak >= longest.mean {
        ("at most", extreme.fold(f64::NEG_INFINITY, f64::max))
    } else {
        ("at least", extreme.fold(f64::INFINITY, f64::min))
    };
    format!("{text}: {} on average then, {bound} {}", quantity(mean, unit), quantity(extreme, unit))
}

/// The worst first.
pub(super) fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        let by_rule = (b.severity, a.order).cmp(&(a.severity, b.order));
        by_rule.then(b.excess.total_cmp(&a.excess)).then_with(|| a.headline.cmp(&b.headline))
    });
    findings
}
