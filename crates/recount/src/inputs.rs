//! Makes inputs of the pipeline from captures: which samples are used, and which capture continues which.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;
use recount_compute::{Input, SampleFilter};
use recount_model::{Mark, SampleTime, Source, Timestamp};

use crate::Capture;
use crate::repeats::{Repeats, repeats};

/// One bound of a span of time, as a user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeBound {
    /// A moment.
    Utc(Timestamp),
    /// A local time of the capture.
    Local(Timestamp),
    /// A local time on the day of the first sample, as the time since midnight.
    TimeOfDay(SignedDuration),
    /// A time after the first sample.
    FromStart(SignedDuration),
    /// A time before the last sample.
    FromEnd(SignedDuration),
    /// A time after a mark, or before it if `offset` is negative.
    Mark {
        /// The mark's text; of several such marks the first is used, for either bound.
        text: String,
        /// Time from the mark.
        offset: SignedDuration,
    },
}

/// A time refers to a mark that no capture has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no time is marked \"{text}\"; {}", known_marks(known))]
pub struct UnknownMark {
    /// The requested text.
    pub text: String,
    /// The texts of the existing marks, each once.
    pub known: Vec<String>,
}

/// Why a span has no meaning in these captures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpanError {
    /// No capture has the mark.
    #[error(transparent)]
    Mark(#[from] UnknownMark),
    /// A moment was given, and the capture's zone is unknown.
    #[error(
        "{name}: its times are local times of an unknown zone, which can't be compared with a time in UTC or with an offset"
    )]
    ZoneUnknown {
        /// The capture.
        name: String,
    },
    /// Captures with an unknown zone are mixed with others.
    #[error(
        "{unknown}: its times are local times of an unknown zone, and can't be put in one time line with those of {known}"
    )]
    MixedZones {
        /// The first capture with an unknown zone.
        unknown: String,
        /// The first capture with a known zone.
        known: String,
    },
}

/// Which samples of the captures to use. The default: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First time, inclusive; `None`: from the beginning.
    pub begin: Option<TimeBound>,
    /// Last time, inclusive; `None`: to the end.
    pub end: Option<TimeBound>,
    /// Only every n-th sample; 0 and 1: all. Values then span n intervals.
    pub every: u32,
    /// Only one sample per interval of this length; values then span it.
    pub interval: Option<SignedDuration>,
}

/// Maximum number of marks listed when a requested one doesn't exist.
const MAX_LISTED: usize = 20;

impl Span {
    /// The span with moments in place of marks. A missing mark, or a moment where the zone is unknown, is an error;
    /// [`inputs`] then selects no sample.
    pub fn resolve(&self, captures: &[Capture]) -> Result<Span, SpanError> {
        let with_zone = |is_known: bool| {
            let is_of = |capture: &&Capture| capture.source.info().is_zone_unknown != is_known;
            captures
                .iter()
                .filter(|capture| !capture.source.times().is_empty())
                .find(is_of)
                .map(Capture::name)
        };
        let is_moment = |bound: &Option<TimeBound>| matches!(bound, Some(TimeBound::Utc(_)));
        match (with_zone(false), with_zone(true)) {
            (Some(unknown), Some(known)) => return Err(SpanError::MixedZones { unknown, known }),
            (Some(name), None) if is_moment(&self.begin) || is_moment(&self.end) => {
                return Err(SpanError::ZoneUnknown { name });
            }
            _ => {}
        }
        Ok(self.with_moments(captures)?)
    }

    /// The span with moments in place of marks.
    fn with_moments(&self, captures: &[Capture]) -> Result<Span, UnknownMark> {
        let resolve = |bound: &Option<TimeBound>| match bound {
            Some(TimeBound::Mark { text, offset }) => {
                let time = marked(captures, text, *offset).ok_or_else(|| unknown(captures, text))?;
                Ok(Some(TimeBound::Utc(time)))
            }
            other => Ok(other.clone()),
        };
        Ok(Span { begin: resolve(&self.begin)?, end: resolve(&self.end)?, ..self.clone() })
    }
}

/// A bound as a moment; `None` if it is relative to a sample and there is none.
pub(crate) fn moment(captures: &[Capture], bound: &TimeBound) -> Result<Option<Timestamp>, UnknownMark> {
    let span = Span { begin: Some(bound.clone()), ..Span::default() }.with_moments(captures)?;
    let (first, last) = ends(captures);
    let times = captures.first().map(|capture| capture.source.times()).unwrap_or_default();
    Ok(span.begin.and_then(|bound| resolve(&bound, End::Begin, times, first, last)))
}

/// The time of the first mark with this text, plus an offset.
fn marked(captures: &[Capture], text: &str, offset: SignedDuration) -> Option<Timestamp> {
    let marks = captures.iter().flat_map(Capture::marks);
    let time = marks.filter(|mark| mark.text == text).map(|mark| mark.time).min()?;
    Some(Timestamp(time.0.saturating_add(ticks(offset))))
}

fn unknown(captures: &[Capture], text: &str) -> UnknownMark {
    let mut marks: Vec<&Mark> = captures.iter().flat_map(Capture::marks).collect();
    marks.sort();
    let mut known: Vec<String> = Vec::new();
    for mark in marks {
        if !known.contains(&mark.text) {
            known.push(mark.text.clone());
        }
        if known.len() > MAX_LISTED {
            break;
        }
    }
    UnknownMark { text: text.to_owned(), known }
}

fn known_marks(known: &[String]) -> String {
    if known.is_empty() {
        return "there are no marks".to_owned();
    }
    let listed: Vec<String> = known.iter().take(MAX_LISTED).map(|text| format!("\"{text}\"")).collect();
    let more = if known.len() > MAX_LISTED { ", and others" } else { "" };
    format!("there are {}{more}", listed.join(", "))
}

/// The first and the last sample of all captures.
fn ends(captures: &[Capture]) -> (Option<SampleTime>, Option<SampleTime>) {
    let first = captures.iter().filter_map(|capture| capture.source.times().first()).min().copied();
    let last = captures.iter().filter_map(|capture| capture.source.times().last()).max().copied();
    (first, last)
}

/// The captures as inputs of the pipeline of `recount-compute`, in order of their first samples: for callers that need
/// cooked columns rather than [`Batches`](crate::Batches). If [`Span::resolve`] fails, they have no samples.
pub fn inputs(captures: &[Capture], span: &Span) -> Vec<Input> {
    let nothing = || Span { begin: Some(TimeBound::Utc(Timestamp(i64::MAX))), ..span.clone() };
    in_order(captures, &span.resolve(captures).unwrap_or_else(|_| nothing()))
}

/// The captures as inputs of the pipeline, even if their times can't be compared: for uses where times don't matter.
/// The span has no marks.
pub(crate) fn in_order(captures: &[Capture], span: &Span) -> Vec<Input> {
    let (first, last) = ends(captures);
    let repeats = if captures.len() > 1 { repeats(captures) } else { vec![Repeats::default()] };
    // Each with the index of its capture.
    let mut inputs: Vec<(usize, Input)> = Vec::with_capacity(captures.len());
    for (number, capture) in captures.iter().enumerate() {
        let times = capture.source.times();
        let filter = SampleFilter {
            begin: span.begin.as_ref().and_then(|bound| resolve(bound, End::Begin, times, first, last)),
            end: span.end.as_ref().and_then(|bound| resolve(bound, End::End, times, first, last)),
            every: span.every,
            interval: span.interval.map(ticks),
        };
        let mut samples = filter.select(times, |sample| capture.source.round(sample));
        if let Some(Repeats { samples: repeated, .. }) = repeats.get(number) {
            samples.retain(|sample| repeated.binary_search(sample).is_err());
        }
        for samples in by_epoch(&*capture.source, samples) {
            inputs.push((number, Input { source: Arc::clone(&capture.source), samples, continues: None }));
        }
    }
    inputs.sort_by_key(|(_, input)| span_of(input).map(|(first, _)| first));
    for later in 1..inputs.len() {
        let (capture, begun) = &inputs[later];
        let same = |one: &Capture, other: &Capture| {
            one.format == other.format && one.source.info().hosts == other.source.info().hosts
        };
        let is_before = |earlier: &usize| {
            let (of, input) = &inputs[*earlier];
            same(&captures[*of], &captures[*capture]) && ends_before(input, begun)
        };
        // Only the last one can be continued: what happened between it and earlier ones is unknown.
        let end = |earlier: &usize| span_of(&inputs[*earlier].1).map(|(_, last)| last);
        let last = (0..later).filter(is_before).max_by_key(end);
        // Epochs of one capture are separate because its clock jumped between them.
        let is_continued = |last: &usize| inputs[*last].0 != *capture && continues(&inputs[*last].1, begun);
        inputs[later].1.continues = last.filter(is_continued);
    }
    inputs.into_iter().map(|(_, input)| input).collect()
}

/// Splits samples by epoch: only those of one epoch may be compared.
fn by_epoch(source: &dyn Source, samples: Vec<u32>) -> Vec<Vec<u32>> {
    let mut epochs: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for sample in samples {
        epochs.entry(source.epoch(sample as usize)).or_default().push(sample);
    }
    epochs.into_values().collect()
}

fn ticks(duration: SignedDuration) -> i64 {
    i64::try_from(duration.as_nanos() / 100).unwrap_or(i64::MAX)
}

/// Whether a bound is the begin or the end of a span.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Begin,
    End,
}

/// A bound in UTC. Marks have been replaced by moments before.
fn resolve(
    bound: &TimeBound,
    end: End,
    times: &[SampleTime],
    first: Option<SampleTime>,
    last: Option<SampleTime>,
) -> Option<Timestamp> {
    match *bound {
        TimeBound::Utc(time) => Some(time),
        TimeBound::Local(local) => to_utc(local, end, times),
        TimeBound::TimeOfDay(since_midnight) => {
            const TICKS_PER_DAY: i64 = 86_400 * Timestamp::TICKS_PER_SECOND;
            let midnight = first?.local().0.div_euclid(TICKS_PER_DAY) * TICKS_PER_DAY;
            to_utc(Timestamp(midnight.saturating_add(ticks(since_midnight))), end, times)
        }
        TimeBound::FromStart(after) => Some(Timestamp(first?.utc.0.saturating_add(ticks(after)))),
        TimeBound::FromEnd(before) => Some(Timestamp(last?.utc.0.saturating_sub(ticks(before)))),
        TimeBound::Mark { .. } => None,
    }
}

/// A local time in UTC, with the offset of the samples around it. In the hour that is repeated when summer time ends, a
/// span begins in the first pass and ends in the second.
fn to_utc(local: Timestamp, end: End, times: &[SampleTime]) -> Option<Timestamp> {
    let near = match end {
        End::Begin => times.iter().find(|time| time.local() >= local).or(times.last()),
        End::End => times.iter().rfind(|time| time.local() <= local).or(times.first()),
    }?;
    Some(local.plus_minutes(-i64::from(near.offset_min)))
}

fn span_of(input: &Input) -> Option<(Timestamp, Timestamp)> {
    let time = |sample: &u32| input.source.times().get(*sample as usize).map(|time| time.utc);
    Some((time(input.samples.first()?)?, time(input.samples.last()?)?))
}

fn ends_before(earlier: &Input, later: &Input) -> bool {
    matches!((span_of(earlier), span_of(later)), (Some((_, end)), Some((begin, _))) if end < begin)
}

/// Whether counters kept counting from one capture to the next: the same machine, without a restart in between. If in
/// doubt, the later capture starts afresh, with first samples.
fn continues(earlier: &Input, later: &Input) -> bool {
    let since = |input: &Input, sample: Option<&u32>| {
        sample.map(|sample| input.source.counts_since(*sample as usize)).unwrap_or_default()
    };
    earlier.source.info().hosts.len() == 1
        && since(earlier, earlier.samples.last()).is_same(since(later, later.samples.first()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_become_moments() {
        let time = |s: i64| SampleTime { utc: Timestamp(s * 10_000_000), offset_min: -60 };
        let times: Vec<SampleTime> = (100_000..100_010).map(time).collect();
        let (first, last) = (times.first().copied(), times.last().copied());
        let seconds =
            |bound| resolve(&bound, End::Begin, &times, first, last).map(|time| time.0 / 10_000_000);
        assert_eq!(seconds(TimeBound::FromStart(SignedDuration::from_secs(3))), Some(100_003));
        assert_eq!(seconds(TimeBound::FromEnd(SignedDuration::from_secs(3))), Some(100_006));
        // 100,000 s after the epoch it is 02:46:40 of the second day in local time.
        let daytime = SignedDuration::from_secs(2 * 3_600 + 46 * 60 + 42);
        assert_eq!(seconds(TimeBound::TimeOfDay(daytime)), Some(100_002));
        let local = Timestamp((100_004 - 3_600) * 10_000_000);
        assert_eq!(seconds(TimeBound::Local(local)), Some(100_004));
    }

    #[test]
    fn a_repeated_hour_is_within_the_span() {
        // Every 10 minutes for four hours; summer time ends after two.
        let time = |i: i64| SampleTime {
            utc: Timestamp(i * 600 * Timestamp::TICKS_PER_SECOND),
            offset_min: if i < 12 { 120 } else { 60 },
        };
        let times: Vec<SampleTime> = (0..24).map(time).collect();
        // 03:30 is the tenth sample in the first pass, the sixteenth in the second.
        let local = times[9].local();
        assert_eq!(times[15].local(), local);
        assert_eq!(to_utc(local, End::Begin, &times), Some(times[9].utc));
        assert_eq!(to_utc(local, End::End, &times), Some(times[15].utc));
    }
}
