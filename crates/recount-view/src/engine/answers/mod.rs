//! Answers to the page's requests, as they are sent.

mod capture;
mod command;
mod instances;
mod mark;
mod moved;
mod points;
mod preview;
mod programs;
mod query;
mod report;
mod top;

pub(super) use points::PointsRequest;
pub(super) use query::QueryAnswer;

use std::sync::Arc;

use recount_compute::Cancelled;

use super::Engine;
use super::side::Side;
use super::time::{Span, ticks};

/// Why a request is refused: an HTTP status and a sentence for users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) error: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, error: impl Into<String>) -> Refusal {
        Refusal { status, error: error.into() }
    }

    /// As it is sent.
    pub(crate) fn json(&self) -> Vec<u8> {
        serde_json::json!({ "error": self.error }).to_string().into_bytes()
    }

    /// The request itself is wrong.
    fn bad(error: impl Into<String>) -> Refusal {
        Refusal::new(400, error)
    }
}

impl From<Cancelled> for Refusal {
    fn from(_: Cancelled) -> Refusal {
        // Nobody reads it.
        Refusal::new(503, "the request was cancelled")
    }
}

/// A span of the common axis in the times of a side. The page's times are doubles: an end that may be a sample's time is that time,
/// so that a span from a sample to a sample has as many samples here as in the command.
fn span_of(side: &Side, from: f64, to: f64) -> Result<Span, Refusal> {
    let (from, to) = ticks(from)
        .zip(ticks(to))
        .ok_or_else(|| Refusal::bad("`from` and `to` must be times in milliseconds"))?;
    if to < from {
        return Err(Refusal::bad("the span ends before it begins"));
    }
    let span = Span { from, to }.moved(-side.shift);
    Ok(Span { from: at_sample(side, span.from), to: at_sample(side, span.to) })
}

/// The time of the sample that a time of the page stands for, if there is one.
fn at_sample(side: &Side, time: i64) -> i64 {
    /// As inexact is what the page writes, in 100 ns ticks.
    const SLACK: i64 = 8;
    let times = &side.facts.times;
    let next = times.partition_point(|one| one.utc.0 < time.saturating_sub(SLACK));
    times
        .get(next)
        .map(|one| one.utc.0)
        .filter(|sample| *sample <= time.saturating_add(SLACK))
        .unwrap_or(time)
}

fn side_of(engine: &Engine, number: usize) -> Result<Arc<Side>, Refusal> {
    engine.side(number).ok_or_else(|| Refusal::bad(format!("there is no side {number}")))
}
