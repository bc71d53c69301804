//! What was lost while reading, as JSON.

use recount::Health;
use serde_json::{Value, json};

use crate::options::as_arguments;

/// Findings with their places.
pub(crate) fn health_json(health: &Health) -> Value {
    let findings = health.findings().iter().map(|finding| {
        let place = finding.place.as_ref();
        json!({
            "kind": finding.kind.as_str(),
            "capture": finding.capture.as_deref(),
            "offset": place.map(|place| place.ofs),
            "structure": place.and_then(|place| place.structure),
            "field": place.and_then(|place| place.field),
            "what": as_arguments(&finding.what),
        })
    });
    json!({
        "is_complete": health.is_complete(),
        "is_sound": health.is_sound(),
        "total": health.total(),
        "findings": findings.collect::<Vec<_>>(),
    })
}
