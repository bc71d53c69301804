//! Answers to the page's requests, as they are sent.

mod capture;
mod command;
mod instances;
mod mark;
mod points;
mod preview;
mod query;
mod report;
mod top;

pub(crate) use command::CommandRequest;
pub(crate) use instances::InstancesRequest;
pub(crate) use mark::MarkRequest;
pub(crate) use points::PointsRequest;
pub(crate) use query::{QueryAnswer, QueryRequest};
pub(crate) use top::TopRequest;

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

/// A span of the common axis in the times of a side.
fn span_of(side: &Side, from: f64, to: f64) -> Result<Span, Refusal> {
    let (from, to) = ticks(from)
        .zip(ticks(to))
        .ok_or_else(|| Refusal::bad("`from` and `to` must be times in milliseconds"))?;
    if to < from {
        return Err(Refusal::bad("the span ends before it begins"));
    }
    Ok(Span { from, to }.moved(-side.shift))
}

fn side_of(engine: &Engine, number: usize) -> Result<Arc<Side>, Refusal> {
    engine.side(number).ok_or_else(|| Refusal::bad(format!("there is no side {number}")))
}
