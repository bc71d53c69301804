//! A comparison for programs.

use serde_json::{Value, json};

use super::changes::{Change, Difference, Figure, Verdict};
use super::html::all_notes;
use super::tolerance::Breach;

/// Every counter that both captures have, the most important first; changes are relative to the base.
pub fn diff_json(difference: &Difference, breaches: &[Breach], notes: &[String]) -> Value {
    let counts = Verdict::ALL.map(|verdict| (verdict.as_str().to_owned(), difference.count(verdict).into()));
    let breach = |breach: &Breach| {
        json!({
            "set": breach.set, "tolerance": breach.tolerance, "severity": breach.severity, "text": breach.text,
            "path": difference.changes[breach.change].path.to_string(),
        })
    };
    json!({
        "base": difference.base.facts.names,
        "further_bases": difference.further_bases().collect::<Vec<_>>(),
        "new": difference.new.facts.names,
        "counts": Value::Object(counts.into_iter().collect()),
        "breaches": breaches.iter().map(breach).collect::<Vec<_>>(),
        "notes": all_notes(difference, notes),
        "changes": difference.changes.iter().map(|change| change_json(difference, change)).collect::<Vec<_>>(),
    })
}

/// NaN (no value) becomes null.
fn change_json(difference: &Difference, change: &Change) -> Value {
    let same_as = change.same_as.map(|at| difference.changes[at].path.to_string());
    let figures = |of: fn(&Figure) -> f64, count: u64| {
        json!({
            "count": count, "mean": of(&change.mean), "p50": of(&change.p50), "p95": of(&change.p95),
            "p99": of(&change.p99), "max": of(&change.max),
        })
    };
    json!({
        "path": change.path.to_string(),
        "object": change.path.object,
        "instance": change.instance,
        "counter": change.path.counter,
        "unit": change.unit,
        "base": figures(|figure| figure.base, change.base.1.count),
        "new": figures(|figure| figure.new, change.new.1.count),
        "mean_change": change.mean.relative(),
        "p95_change": change.p95.relative(),
        "probability": change.probability,
        "effect": change.effect,
        "verdict": change.verdict.as_str(),
        "same_as": same_as,
    })
}
