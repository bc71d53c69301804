//! A report for programs.

use serde_json::{Value, json};

use super::health::health;
use super::observe::Observed;

/// Findings and health of a capture. Names are as in the capture; times are UTC; values are in the units
/// named, trends per hour. Rules that were not evaluated are listed with the reason.
pub fn json(observed: &Observed) -> Value {
    let facts = &observed.facts;
    let (begin, end) = facts.span().unzip();
    let text = |time: Option<recount_model::SampleTime>| time.map(|time| time.utc.to_string());
    let marks = facts.marks.iter().map(|mark| json!({ "time": mark.time.to_string(), "text": mark.text }));
    json!({
        "capture": {
            "names": facts.names,
            "hosts": facts.hosts,
            "os": facts.os,
            "begin": text(begin),
            "end": text(end),
            "num_samples": facts.times.len(),
            "interval_s": facts.interval_s(),
            "num_series": observed.num_series(),
            "marks": marks.collect::<Vec<_>>(),
        },
        "findings": observed.findings,
        "rules": {
            "sets": observed.sets.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "num_rules": observed.num_rules(),
            "num_evaluated": observed.num_rules() - observed.unanswered.len(),
            "not_evaluated": observed.unanswered,
        },
        "health": health(observed),
    })
}
