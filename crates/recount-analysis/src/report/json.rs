//! A report that programs read.

use recount_model::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::health::{HealthText, health};
use super::observe::Observed;
use crate::rules::{Finding, Severity};

#[derive(Serialize)]
struct ReportJson<'a> {
    capture: CaptureJson<'a>,
    findings: Vec<FindingJson<'a>>,
    rules: RulesJson<'a>,
    health: HealthText,
}

#[derive(Serialize)]
struct CaptureJson<'a> {
    names: &'a [String],
    hosts: &'a [String],
    os: Option<&'a str>,
    begin: Option<String>,
    end: Option<String>,
    num_samples: usize,
    interval_s: Option<f64>,
    num_series: usize,
    marks: Vec<MarkJson<'a>>,
}

#[derive(Serialize)]
struct MarkJson<'a> {
    time: String,
    text: &'a str,
}

#[derive(Serialize)]
struct RulesJson<'a> {
    sets: Vec<&'a str>,
    num_rules: usize,
    without_counters: Vec<Unanswered<'a>>,
}

#[derive(Serialize)]
struct Unanswered<'a> {
    set: &'a str,
    rule: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    set: &'a str,
    rule: &'a str,
    title: &'a str,
    group: &'a str,
    severity: Severity,
    host: &'a str,
    object: &'a str,
    instance: Option<&'a str>,
    instance_id: Option<u64>,
    subject: &'a str,
    unit: &'a str,
    aggregate: &'a str,
    value: f64,
    threshold: &'a str,
    headline: &'a str,
    spans: Vec<SpanJson>,
    num_spans: u64,
}

/// Times in UTC.
#[derive(Serialize)]
struct SpanJson {
    begin: String,
    end: String,
    seconds: f64,
    mean: f64,
    peak: f64,
}

/// Findings and health of a capture. Names are as in the capture; times are UTC; values are in the units named, trends per
/// hour.
pub fn json(observed: &Observed) -> Value {
    let facts = &observed.facts;
    let time = |time: Timestamp| time.to_string();
    let unanswered = observed.unanswered.iter();
    let report = ReportJson {
        capture: CaptureJson {
            names: &facts.names,
            hosts: &facts.hosts,
            os: facts.os.as_deref(),
            begin: facts.span().map(|(begin, _)| time(begin.utc)),
            end: facts.span().map(|(_, end)| time(end.utc)),
            num_samples: facts.times.len(),
            interval_s: facts.interval_s(),
            num_series: observed.figures.len(),
            marks: facts
                .marks
                .iter()
                .map(|mark| MarkJson { time: time(mark.time), text: &mark.text })
                .collect(),
        },
        findings: observed.findings.iter().map(finding).collect(),
        rules: RulesJson {
            sets: observed.sets.iter().map(|(name, _)| name.as_str()).collect(),
            num_rules: observed.num_rules(),
            without_counters: unanswered
                .map(|rule| Unanswered { set: &rule.set, rule: &rule.rule, reason: &rule.reason })
                .collect(),
        },
        health: health(observed),
    };
    serde_json::to_value(report).unwrap_or_default()
}

fn finding(finding: &Finding) -> FindingJson<'_> {
    let span = |span: &crate::rules::Span| SpanJson {
        begin: span.begin.to_string(),
        end: span.end.to_string(),
        seconds: span.seconds,
        mean: span.mean,
        peak: span.peak,
    };
    FindingJson {
        set: &finding.set,
        rule: &finding.rule,
        title: &finding.title,
        group: &finding.group,
        severity: finding.severity,
        host: &finding.host,
        object: &finding.object,
        instance: finding.instance.as_deref(),
        instance_id: finding.instance_id,
        subject: &finding.subject,
        unit: &finding.unit,
        aggregate: finding.aggregate,
        value: finding.value,
        threshold: &finding.threshold,
        headline: &finding.headline,
        spans: finding.spans.iter().map(span).collect(),
        num_spans: finding.num_spans,
    }
}
