//! The findings of rules, and the rules that weren't evaluated.

use recount_compute::Covered;
use recount_model::Timestamp;
use serde::Serialize;

use super::rule::{Rule, RuleSet, Severity, Who};
use super::verdict::Span;
use crate::attribution::GroupBy;
use crate::shown::{is_of_clr, short};

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
    /// The process as people know it, if the capture says more of it than name and id: `python3 train.py (pid 1224, ml.service)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub described: Option<String>,
    /// What the processes that it is about, or that it names together, have in common, if the rule says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<GroupBy>,
    /// Counter or expression, as in the rule.
    pub subject: String,
    /// Unit of the value; may be empty.
    pub unit: String,
    /// Which aggregate of the series was compared: `any`, `mean`, `trend`.
    pub aggregate: &'static str,
    /// The value that was compared; for `any`, the mean of the worst span, in which values may be on the other side of the threshold if the
    /// rule has a weaker limit for going on. Trends are per hour, shares in %; of
    /// steps, their number.
    pub value: f64,
    /// The limit, as in the rule.
    pub threshold: String,
    /// The weaker limit for going on, as in the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The counters of an expression, as they were.
    pub counters: Vec<Shown>,
    /// The span in which it was worst.
    pub worst: Span,
    /// The longest spans and the worst, in order of their begin.
    pub spans: Vec<Span>,
    /// How many spans there were.
    pub num_spans: u64,
    /// Other devices to which the same happened at the same times, and which may lie on this one or below it, by their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// The time of all spans, as [`Span::stretch`] has it.
    #[serde(skip)]
    pub(super) time: Covered,
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
    /// The instances over which the value was taken, if it belongs to no single one.
    #[serde(skip)]
    pub(super) members: Vec<String>,
    /// Sort keys: set and rule, in order, and how far beyond the threshold.
    #[serde(skip)]
    pub(super) order: (usize, usize),
    #[serde(skip)]
    pub(super) excess: f64,
    /// The number of the threshold.
    #[serde(skip)]
    pub(crate) limit: f64,
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

/// The processes that a finding names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Culprits {
    /// The counters by whose sum they were chosen.
    pub counters: &'static [&'static str],
    /// Unit of the values.
    pub unit: &'static str,
    /// Whether the values are by how much these counters grew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_growth: bool,
    /// The largest first.
    pub processes: Vec<Culprit>,
    /// What no process of the capture has used of the processors' time; `None` if it isn't much, or not known.
    pub unattributed: Option<f64>,
}

/// A process that a finding names, or several that have something in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Culprit {
    /// Its name, without a number; of several processes, their program, unit or other group.
    pub name: String,
    /// Its process id, if the capture has it; of several processes none.
    pub pid: Option<u64>,
    /// As people know it: `python3 train.py (pid 1224, ml.service)`, `rustc (12 processes)`.
    pub shown: String,
    /// How many processes it stands for: all that were there in the span, with values above zero or not.
    pub num: u64,
    /// Mean over the finding's worst span; the sum of several processes.
    pub value: f64,
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
    /// What it is about.
    pub group: String,
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
    /// In words, for counting: `12 need counters that this capture lacks`.
    pub fn in_words(self, count: usize) -> String {
        let is_one = count == 1;
        let need = if is_one { "needs" } else { "need" };
        match self {
            Why::NoCounters => format!("{count} {need} counters that this capture lacks"),
            Why::NoValues => format!("{count} {need} values that it lacks"),
            Why::TooShort => format!("{count} {need} a longer capture"),
            Why::Excluded => {
                let exclude = if is_one { "excludes" } else { "exclude" };
                format!("{count} {exclude} all instances that it has")
            }
            Why::Unless => format!("{count} {} for other captures", if is_one { "is" } else { "are" }),
        }
    }
}

impl Unanswered {
    pub(super) fn new(set: &RuleSet, rule: &Rule, (why, reason): (Why, &str)) -> Unanswered {
        Unanswered {
            set: set.name.clone(),
            rule: rule.id.clone(),
            title: rule.title.clone(),
            group: rule.group.clone(),
            why,
            reason: short(reason),
        }
    }
}

impl Finding {
    /// Its subject, in the usual words: `python3 (pid 4711)`, `PhysicalDisk sda`, `Memory`.
    pub fn place(&self) -> String {
        /// More than these are counted.
        const MAX_NAMED: usize = 3;
        if let Some(described) = &self.described {
            return described.clone();
        }
        let object = short(&self.object);
        match (&self.instance, self.instance_id) {
            (None, _) if self.members.is_empty() => object,
            (None, _) if self.members.len() > MAX_NAMED => {
                format!("{object} ({} instances)", self.members.len())
            }
            (None, _) => format!("{object} {}", short(&self.members.join(", "))),
            (Some(instance), Some(id)) if self.object == "Process" => {
                format!("{} (pid {id})", short(instance))
            }
            (Some(instance), Some(id)) if is_of_clr(&self.object) => {
                format!("{object} {} (pid {id})", short(instance))
            }
            (Some(instance), _) => format!("{object} {}", short(instance)),
        }
    }

    /// From when to when it was, but for the spans that begin at these times; `None` if there are no others.
    pub fn bounds_without(&self, begins: &[Timestamp]) -> Option<(Timestamp, Timestamp)> {
        let mut others = self.time.stretches().iter().filter(|(begin, _)| !begins.contains(begin));
        let first = others.next()?;
        let last = others.next_back().unwrap_or(first);
        Some((first.0, Timestamp(last.1.0.saturating_sub(1))))
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

/// Without findings beyond the number that a rule allows per machine: the last one that is left counts them.
pub(super) fn condensed(findings: &[Finding], sets: &[RuleSet]) -> Vec<Finding> {
    let rule_of = |finding: &Finding| &sets[finding.order.0].rules[finding.order.1];
    let mut kept: Vec<Finding> = Vec::new();
    let mut left_out: Vec<(usize, u64)> = Vec::new();
    for finding in findings {
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
