//! How much of a span the values of an instance cover.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::Timestamp;

use super::totals::Found;
use crate::engine::side::Side;
use crate::engine::time::Span;

/// How much of a span was observed.
#[derive(Debug)]
pub(super) struct Presence {
    /// Seconds, by machine.
    observed_s: HashMap<Arc<str>, f64>,
}

impl Presence {
    pub(super) fn new(side: &Side, span: Span) -> Presence {
        let rhythm = side.landmarks.rhythm(side.inputs());
        let span = (Timestamp(span.from), Timestamp(span.to));
        let of_host = |host: &str| (Arc::from(host), rhythm.observed_s(side.inputs(), host, span));
        let hosts = side.facts.hosts.iter().map(String::as_str).chain([""]);
        Presence { observed_s: hosts.map(of_host).collect() }
    }

    /// The part of the observed time in which it was there, from 0 to 1.
    pub(super) fn of(&self, found: &Found) -> f64 {
        let there_s = found.total.extent.weight;
        let observed_s = self.observed_s.get(&found.name.host).or_else(|| self.observed_s.get(""));
        observed_s.filter(|seconds| **seconds > 0.0).map_or(1.0, |seconds| (there_s / seconds).min(1.0))
    }
}
