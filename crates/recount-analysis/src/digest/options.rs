//! What a digest is asked for, and how it states times.

use recount_model::Timestamp;

use crate::report::CaptureFacts;

/// What a digest is about.
#[derive(Clone, Debug)]
pub struct DigestOptions {
    /// How commands name the captures: words of a command line.
    pub inputs: Vec<String>,
    /// How they name the span, such as `--begin` and a time.
    pub span: Vec<String>,
    /// How long it may be, in bytes.
    pub max_bytes: usize,
}

/// The end of a span to the second, rounded up: a span that is made of it has all samples.
pub(super) fn stated_end(facts: &CaptureFacts, time: Timestamp) -> String {
    stated(facts, Timestamp(time.0.saturating_add(Timestamp::TICKS_PER_SECOND - 1)))
}

/// A time to the second: UTC, or local without `Z` if the zone is unknown.
pub(super) fn stated(facts: &CaptureFacts, time: Timestamp) -> String {
    let ticks = Timestamp::TICKS_PER_SECOND;
    facts.stated(Timestamp(time.0.div_euclid(ticks).saturating_mul(ticks)))
}
