//! A comparison that programs read.

use serde::Serialize;
use serde_json::{Value, json};

use super::changes::{Change, Difference, Figure, Verdict};
use super::html::all_notes;
use super::tolerance::Breach;

#[derive(Serialize)]
struct ChangeJson<'a> {
    path: String,
    object: &'a str,
    instance: Option<&'a str>,
    counter: &'a str,
    unit: &'a str,
    base: FiguresJson,
    new: FiguresJson,
    mean_change: Option<f64>,
    p95_change: Option<f64>,
    probability: Option<f64>,
    effect: f64,
    verdict: &'static str,
}

#[derive(Serialize)]
struct FiguresJson {
    count: u64,
    mean: Option<f64>,
    p50: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
    max: Option<f64>,
}

/// Every counter that both captures have, what matters most first; changes are shares of the base.
pub fn diff_json(difference: &Difference, breaches: &[Breach], notes: &[String]) -> Value {
    let counts: serde_json::Map<String, Value> =
        [Verdict::Regression, Verdict::Improvement, Verdict::Change, Verdict::Unsure, Verdict::Same]
            .into_iter()
            .map(|verdict| (verdict.as_str().to_owned(), difference.count(verdict).into()))
            .collect();
    let breaches: Vec<Value> = breaches
        .iter()
        .map(|breach| {
            json!({
                "set": breach.set, "tolerance": breach.tolerance, "severity": breach.severity, "text": breach.text,
                "path": difference.changes[breach.change].path.to_string(),
            })
        })
        .collect();
    json!({
        "base": difference.base.facts.names,
        "new": difference.new.facts.names,
        "counts": counts,
        "breaches": breaches,
        "notes": all_notes(difference, notes),
        "changes": difference.changes.iter().map(change_json).collect::<Vec<_>>(),
    })
}

fn change_json(change: &Change) -> ChangeJson<'_> {
    let finite = |value: f64| value.is_finite().then_some(value);
    let figures = |of: fn(&Figure) -> f64, count: u64| FiguresJson {
        count,
        mean: finite(of(&change.mean)),
        p50: finite(of(&change.p50)),
        p95: finite(of(&change.p95)),
        p99: finite(of(&change.p99)),
        max: finite(of(&change.max)),
    };
    ChangeJson {
        path: change.path.to_string(),
        object: &change.path.object,
        instance: change.instance.as_deref(),
        counter: &change.path.counter,
        unit: change.unit,
        base: figures(|figure| figure.base, change.base.1.count),
        new: figures(|figure| figure.new, change.new.1.count),
        mean_change: change.mean.relative().and_then(finite),
        p95_change: change.p95.relative().and_then(finite),
        probability: change.probability,
        effect: change.effect,
        verdict: change.verdict.as_str(),
    }
}
