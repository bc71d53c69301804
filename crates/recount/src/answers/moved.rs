//! What moved in a span of time: for `recount moved`.

use recount_analysis::moved::{Bounds, Interval, Moved};
use recount_analysis::report::CaptureFacts;
use recount_compute::{Cancelled, OnProgress};
use recount_model::{SampleTime, Selection, Timestamp};

use super::report::facts;
use crate::timeline::inputs::{doubts, moments};
use crate::{Hint, NoSamples, Span, SpanError, Timeline};

/// Which times [`moved`] compares.
#[derive(Clone, Debug, Default)]
pub struct MovedOptions {
    /// The counters; by default all.
    pub selection: Selection,
    /// The span that is asked about.
    pub span: Span,
    /// The time it is compared with. `None`: the time before the span, four times its length; if that has hardly any samples,
    /// the time after it.
    pub against: Option<Span>,
}

/// Why two spans can't be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MovedError {
    /// A span has no meaning in these captures.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// There are no samples in a span.
    #[error("{span}: {error}")]
    NoSamples {
        /// Which.
        span: &'static str,
        /// Why.
        error: NoSamples,
    },
    /// The spans have a time in common.
    #[error("the span and the time to compare it with overlap")]
    Overlap,
    /// Nothing is outside of the span.
    #[error("there are fewer than {LEAST_SAMPLES} samples before the span, and after it, to compare it with")]
    NothingBefore,
    /// The caller gave up.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Hint for MovedError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            MovedError::Span(error) => error.hint(),
            MovedError::NoSamples { error, .. } => error.hint(),
            MovedError::Overlap => Some("a time can't be compared with itself: choose two that are apart"),
            MovedError::NothingBefore => {
                Some("choose a shorter span, or name the other one: --against 13:00..13:30")
            }
            MovedError::Cancelled(_) => None,
        }
    }
}

/// The time before a span is this many times as long.
const TIMES_BEFORE: i64 = 4;
/// With fewer samples before the span, those after it are used.
const LEAST_SAMPLES: usize = 3;
/// So do they if the time before is less than this share of the span, and shorter than that after it,
const LEAST_SHARE: f64 = 0.25;
/// unless it has so many.
const ENOUGH_SAMPLES: usize = 60;

/// Which counters changed most in a span of time, in groups that moved together. Only the samples of both spans are read, and those between.
///
/// ```
/// use recount::{MovedOptions, moved, unwatched};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
/// let capture = recount::open(path)?;
/// let options = MovedOptions { span: "+1m..+90s".parse()?, ..MovedOptions::default() };
/// let found = moved(&capture.timeline(), &options, &unwatched)?;
/// assert!(found.counts.series > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn moved(
    timeline: &Timeline,
    options: &MovedOptions,
    progress: OnProgress<'_>,
) -> Result<Moved, MovedError> {
    let span = interval(timeline, &options.span, "the span")?;
    let mut after_instead = false;
    let against = if let Some(against) = &options.against {
        let against = interval(timeline, against, "the time to compare with")?;
        if against.begin < span.end && span.begin < against.end {
            return Err(MovedError::Overlap);
        }
        against
    } else {
        let (against, is_after) = around(timeline, span)?;
        after_instead = is_after;
        against
    };
    let whole = timeline.span_between(span.begin.min(against.begin), span.end.max(against.end));
    let read = timeline.with_span(&whole)?;
    let bounds = Bounds { span, against };
    let mut found =
        recount_analysis::moved::moved(read.inputs(), facts(&read), &bounds, &options.selection, progress)?;
    if after_instead {
        found.notes.insert(
            0,
            "hardly anything was recorded before the span: it is compared with the time after it".to_owned(),
        );
    }
    for asked in std::iter::once(&options.span).chain(&options.against) {
        found.notes.extend(doubts(timeline.captures(), &asked.resolve(timeline.captures())?));
    }
    found.notes.extend(partly_recorded(&found.facts, span, "the span"));
    found.notes.extend(partly_recorded(&found.facts, against, "the time it is compared with"));
    read.add_health(&mut found.health);
    Ok(found)
}

/// A note about a time that was asked for, if there are samples of a part of it only.
fn partly_recorded(facts: &CaptureFacts, asked: Interval, what: &str) -> Option<String> {
    /// Of the usual time between samples.
    const SLACK: f64 = 2.5;
    let slack = SLACK * facts.interval_s?;
    let mut within =
        facts.times.iter().map(|time| time.utc).filter(|time| asked.begin <= *time && *time <= asked.end);
    let first = within.next()?;
    let last = within.next_back().unwrap_or(first);
    let is_whole = first.seconds_since(asked.begin) <= slack && asked.end.seconds_since(last) <= slack;
    (!is_whole).then(|| {
        format!("of {what} there are samples from {} to {} only", facts.shown(first), facts.shown(last))
    })
}

/// The moments of a span. An open end is the first or the last sample.
fn interval(timeline: &Timeline, span: &Span, what: &'static str) -> Result<Interval, MovedError> {
    let part = timeline.with_span(span)?;
    if let Some(error) = part.no_samples() {
        return Err(MovedError::NoSamples { span: what, error });
    }
    let times = part.times();
    let ends = times.first().zip(times.last()).map(|(first, last)| (first.utc, last.utc)).unwrap_or_default();
    let [begin, end] = moments(timeline.captures(), part.span()).map(|edge| edge.map(|moment| moment.utc));
    let all = timeline.times();
    let of_sample = |time| of_sample(&all, time);
    Ok(Interval { begin: begin.map_or(ends.0, of_sample), end: end.map_or(ends.1, of_sample) })
}

/// The time of the sample that is meant by a time in whole seconds: one in this second, whose fraction people don't write, if that is
/// little beside the time between samples.
fn of_sample(times: &[SampleTime], time: Timestamp) -> Timestamp {
    const MOST: i64 = Timestamp::TICKS_PER_SECOND;
    /// Of the time since the sample before.
    const SHARE: i64 = 10;
    let at = times.partition_point(|sample| sample.utc < time);
    let Some(sample) = times.get(at) else { return time };
    let by = sample.utc.0.saturating_sub(time.0);
    let between =
        at.checked_sub(1).map_or(i64::MAX, |before| sample.utc.0.saturating_sub(times[before].utc.0));
    let is_of_second = time.0 % MOST == 0 && by < MOST;
    if is_of_second && by <= between / SHARE { sample.utc } else { time }
}

/// The time before a span; or that after it, if there are hardly any samples before it.
fn around(timeline: &Timeline, span: Interval) -> Result<(Interval, bool), MovedError> {
    let times = timeline.times();
    let ends = times.first().zip(times.last()).map(|(first, last)| (first.utc, last.utc)).unwrap_or_default();
    let long = TIMES_BEFORE.saturating_mul(span.end.0.saturating_sub(span.begin.0).max(1));
    let before =
        Interval { begin: Timestamp(span.begin.0.saturating_sub(long)).max(ends.0), end: span.begin };
    let after = Interval { begin: span.end, end: Timestamp(span.end.0.saturating_add(long)).min(ends.1) };
    let num_before = times.iter().filter(|time| before.begin <= time.utc && time.utc <= before.end).count();
    let num_after = times.iter().filter(|time| after.begin < time.utc && time.utc <= after.end).count();
    let seconds = |interval: Interval| interval.end.seconds_since(interval.begin);
    let is_long = |interval: Interval| seconds(interval) >= LEAST_SHARE * seconds(span);
    let is_enough = num_before >= ENOUGH_SAMPLES || is_long(before) || seconds(before) >= seconds(after);
    let is_before = num_before >= LEAST_SAMPLES && is_enough;
    match (is_before, num_after >= LEAST_SAMPLES) {
        (true, _) => Ok((before, false)),
        (false, true) => Ok((after, true)),
        (false, false) if num_before >= LEAST_SAMPLES => Ok((before, false)),
        (false, false) => Err(MovedError::NothingBefore),
    }
}
