//! A report for programs.

use serde_json::{Value, json};

use super::facts::CaptureFacts;
use super::health::health;
use super::observe::Observed;
use crate::rules::Finding;

/// Findings and health of a capture. Names are as in the capture; times are UTC, or local times without `Z` if
/// `is_zone_unknown`; values are in the units named, trends per hour. Rules that were not evaluated are listed with the
/// reason. `baseline` is there if the capture was compared with one.
pub fn json(observed: &Observed) -> Value {
    let facts = &observed.facts;
    let (begin, end) = facts.span().unzip();
    let text = |time: Option<recount_model::SampleTime>| time.map(|time| facts.stated(time.utc));
    let marks = facts.marks.iter().map(|mark| json!({ "time": facts.stated(mark.time), "text": mark.text }));
    let findings: Vec<Value> = observed.findings.iter().map(|found| finding(found, facts)).collect();
    let changed = observed
        .changed
        .iter()
        .map(|noted| json!({ "time": facts.stated(noted.time), "kind": noted.kind, "text": noted.text }));
    let mut value = json!({
        "capture": {
            "names": facts.names,
            "hosts": facts.hosts,
            "os": facts.os,
            "begin": text(begin),
            "end": text(end),
            "is_zone_unknown": facts.is_zone_unknown,
            "num_samples": facts.times.len(),
            "interval_s": facts.interval_s,
            "num_series": observed.num_series(),
            "marks": marks.collect::<Vec<_>>(),
        },
        "findings": findings,
        "changed": changed.collect::<Vec<_>>(),
        "rules": {
            "sets": observed.sets.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "num_rules": observed.num_rules(),
            "num_evaluated": observed.num_evaluated(),
            "not_evaluated": observed.unanswered,
            "unchecked": observed.unchecked,
        },
        "health": health(observed),
    });
    if let Some(days) = &observed.days {
        value["days"] = json!(days);
    }
    if let Some(baseline) = &observed.baseline {
        value["baseline"] = baseline.json.clone();
    }
    value
}

fn finding(finding: &Finding, facts: &CaptureFacts) -> Value {
    let mut value = json!(finding);
    for (stated, span) in value["spans"].as_array_mut().into_iter().flatten().zip(&finding.spans) {
        (stated["begin"], stated["end"]) = (facts.stated(span.begin).into(), facts.stated(span.end).into());
    }
    let worst = &finding.worst;
    (value["worst"]["begin"], value["worst"]["end"]) =
        (facts.stated(worst.begin).into(), facts.stated(worst.end).into());
    value
}
