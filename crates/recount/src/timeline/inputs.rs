//! Makes inputs of the pipeline from captures: which samples are used, and which capture continues which.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;
use recount_compute::{Input, SampleFilter};
use recount_model::{Mark, SampleTime, Source, Timestamp};

use crate::repeats::Repeats;
use crate::timeline::local_time::{Edge, Moment};
use crate::timeline::recording::Recording;
use crate::timeline::seams::Seams;
use crate::timeline::strands::{InputStretch, stretches};
use crate::timeline::thinned::thinned;
use crate::{Capture, Hint};

/// One bound of a span of time, as a user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeBound {
    /// A moment.
    Utc(Timestamp),
    /// A local time of the capture.
    Local(Timestamp),
    /// A local time, as the time since midnight, on the first day on which the captures have it; on the day of the first
    /// sample if they have it on no day. As the end of a span, it isn't before the span's begin.
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

impl Hint for UnknownMark {
    fn hint(&self) -> Option<&'static str> {
        if self.known.is_empty() {
            return Some(
                "marks are set by recount mark and recount record; give a time or an offset instead: +5m",
            );
        }
        Some("recount info FILE shows the marks of a capture; put an offset before the colon: mark+5m:TEXT")
    }
}

impl Hint for SpanError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            SpanError::Mark(error) => error.hint(),
            SpanError::ZoneUnknown { .. } => {
                Some("name its zone: --zone Europe/Moscow; or give its local time: 2015-03-26T22:15")
            }
            SpanError::MixedZones { .. } => Some(
                "use --zone for the captures that don't record their zone: --zone Europe/Moscow, or --zone +03:00",
            ),
        }
    }
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
    /// The span with moments in place of marks. A missing mark, or a moment where the zone is unknown, is an error.
    pub(crate) fn resolve(&self, captures: &[Capture]) -> Result<Span, SpanError> {
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

/// A bound that is no mark as a moment; `None` if it is relative to a sample and there is none.
pub(crate) fn moment(captures: &[Capture], bound: &TimeBound) -> Option<Timestamp> {
    let (first, last) = ends(captures);
    let times = captures.first().map(|capture| capture.source.times()).unwrap_or_default();
    resolve(bound, Edge::At, times, first, last).map(|moment| moment.utc)
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

/// The captures, with what is read of them, as inputs of the pipeline, in the order of their first samples (also of those before the span), and what
/// is put together of several. An input whose samples are all before the span is there if another one continues it. The span has no marks.
pub(crate) fn in_order(
    (captures, sources): (&[Capture], &[Arc<dyn Source>]),
    span: &Span,
    repeats: &[Repeats],
) -> (Vec<Input>, Vec<Arc<Recording>>) {
    let (first, last) = ends(captures);
    let every = if span.every > 1 { span.every } else { 0 };
    let filter = SampleFilter { every, interval: span.interval.map(ticks), ..SampleFilter::default() };
    let bounds: Vec<SampleFilter> =
        captures.iter().map(|capture| bounds(span, capture.source.times(), first, last)).collect();
    // Of samples that are thinned out, the first has none before it.
    let is_thinned = filter != SampleFilter::default();
    let used = |capture: usize| {
        let bounds = bounds[capture];
        let until = SampleFilter { begin: bounds.begin.filter(|_| is_thinned), ..bounds };
        let times = captures[capture].source.times();
        without(times, &repeats[capture].samples, |times| until.select(times, |_| 0))
    };
    let in_order = |mut stretches: Vec<InputStretch>| {
        stretches.sort_by_key(InputStretch::begin);
        stretches
    };
    let stretches = in_order(stretches(sources, repeats, used));
    let seams = Seams::of(captures);
    let mut stretches = in_order(thinned(stretches, &seams, repeats, &filter));
    for later in 1..stretches.len() {
        stretches[later].input.continues = seams.continued(&stretches, later);
    }
    for stretch in &mut stretches {
        stretch.begin_at(bounds[stretch.capture].begin);
    }
    let stretches = needed(stretches);
    let (inputs, wholes): (Vec<Input>, Vec<_>) =
        stretches.into_iter().map(|stretch| (stretch.input, stretch.whole)).unzip();
    (inputs, wholes.into_iter().flatten().collect())
}

/// Stretches of which samples are used, and those that they continue.
fn needed(stretches: Vec<InputStretch>) -> Vec<InputStretch> {
    let mut is_needed: Vec<bool> =
        stretches.iter().map(|stretch| !stretch.input.samples.is_empty()).collect();
    // A stretch only continues an earlier one.
    for later in (0..stretches.len()).rev().filter(|later| is_needed[*later]).collect::<Vec<_>>() {
        let mut at = later;
        while let Some(earlier) = stretches[at].input.continues.filter(|earlier| !is_needed[*earlier]) {
            is_needed[earlier] = true;
            at = earlier;
        }
    }
    let count =
        |num: &mut usize, is_needed: &bool| Some(std::mem::replace(num, *num + usize::from(*is_needed)));
    let numbers: Vec<usize> = is_needed.iter().scan(0, count).collect();
    let numbered = |mut stretch: InputStretch| {
        stretch.input.continues = stretch.input.continues.map(|earlier| numbers[earlier]);
        stretch
    };
    stretches
        .into_iter()
        .zip(&is_needed)
        .filter(|(_, is_needed)| **is_needed)
        .map(|(stretch, _)| numbered(stretch))
        .collect()
}

/// The begin and the end of a span of captures as moments.
pub(crate) fn moments(captures: &[Capture], span: &Span) -> [Option<Moment>; 2] {
    let (first, last) = ends(captures);
    let times = captures.first().map(|capture| capture.source.times()).unwrap_or_default();
    edges(span, times, first, last)
}

/// The span for a capture with these times. `first` and `last` are of all captures.
fn bounds(
    span: &Span,
    times: &[SampleTime],
    first: Option<SampleTime>,
    last: Option<SampleTime>,
) -> SampleFilter {
    let [begin, end] = edges(span, times, first, last).map(|edge| edge.map(|moment| moment.utc));
    SampleFilter { begin, end, ..SampleFilter::default() }
}

/// The begin and the end of a span, for a capture with these times.
fn edges(
    span: &Span,
    times: &[SampleTime],
    first: Option<SampleTime>,
    last: Option<SampleTime>,
) -> [Option<Moment>; 2] {
    let begin = span.begin.as_ref().and_then(|bound| resolve(bound, Edge::Begin, times, first, last));
    let end = match span.end {
        Some(TimeBound::TimeOfDay(since_midnight)) => first.zip(last).and_then(|(first, last)| {
            let local_at = |utc| local_at(utc, times).map_or(first, |(local, _)| local).local().0;
            let begin = begin.map(|begin| begin.local().map_or_else(|| local_at(begin.utc), |local| local.0));
            let local = on_its_day(ticks(since_midnight), begin, first.local().0, last.local().0);
            Moment::of_local(Timestamp(local), Edge::End, times)
        }),
        ref end => end.as_ref().and_then(|bound| resolve(bound, Edge::End, times, first, last)),
    };
    [begin, end]
}

/// Why a bound may not be the moment that was meant. It is no mark.
pub(super) fn doubt_about(captures: &[Capture], bound: &TimeBound) -> Option<String> {
    let (first, last) = ends(captures);
    captures.iter().find_map(|capture| {
        let found = resolve(bound, Edge::At, capture.source.times(), first, last)?;
        found.doubt(capture.source.info().is_zone_unknown)
    })
}

/// Why the ends of a span may not be the moments that were meant. The span has no marks.
pub(crate) fn doubts(captures: &[Capture], span: &Span) -> Vec<String> {
    let (first, last) = ends(captures);
    let of_capture = |capture: &Capture| {
        let is_zone_unknown = capture.source.info().is_zone_unknown;
        let found = edges(span, capture.source.times(), first, last).into_iter().flatten();
        found.filter_map(|moment| moment.doubt(is_zone_unknown)).collect::<Vec<_>>()
    };
    let mut doubts: Vec<String> = captures.iter().flat_map(of_capture).collect();
    let mut known = BTreeSet::new();
    doubts.retain(|doubt| known.insert(doubt.clone()));
    doubts
}

/// A moment with the offset of the sample whose interval holds it, or of the last one; and when that was taken.
pub(super) fn local_at(utc: Timestamp, times: &[SampleTime]) -> Option<(SampleTime, Timestamp)> {
    let near = times.iter().find(|time| time.utc >= utc).or(times.last())?;
    Some((SampleTime { utc, offset_min: near.offset_min }, near.utc))
}

/// Selects among the samples that aren't left out, by their times.
fn without(times: &[SampleTime], left_out: &[u32], select: impl Fn(&[SampleTime]) -> Vec<u32>) -> Vec<u32> {
    if left_out.is_empty() {
        return select(times);
    }
    let kept: Vec<u32> =
        (0..times.len() as u32).filter(|sample| left_out.binary_search(sample).is_err()).collect();
    let of_kept: Vec<SampleTime> = kept.iter().map(|sample| times[*sample as usize]).collect();
    select(&of_kept).into_iter().map(|at| kept[at as usize]).collect()
}

fn ticks(duration: SignedDuration) -> i64 {
    i64::try_from(duration.as_nanos() / 100).unwrap_or(i64::MAX)
}

/// A bound in UTC. Marks have been replaced by moments before.
fn resolve(
    bound: &TimeBound,
    edge: Edge,
    times: &[SampleTime],
    first: Option<SampleTime>,
    last: Option<SampleTime>,
) -> Option<Moment> {
    let certain = |ticks: i64| Some(Moment::certain(Timestamp(ticks)));
    match *bound {
        TimeBound::Utc(time) => certain(time.0),
        TimeBound::Local(local) => Moment::of_local(local, edge, times),
        TimeBound::TimeOfDay(since_midnight) => {
            let local = on_its_day(ticks(since_midnight), None, first?.local().0, last?.local().0);
            Moment::of_local(Timestamp(local), edge, times)
        }
        TimeBound::FromStart(after) => certain(first?.utc.0.saturating_add(ticks(after))),
        TimeBound::FromEnd(before) => certain(last?.utc.0.saturating_sub(ticks(before))),
        TimeBound::Mark { .. } => None,
    }
}

/// A time of the day in local time, on the first day on which it is between the first and the last sample and not before
/// the begin of its span.
fn on_its_day(since_midnight: i64, begin: Option<i64>, first: i64, last: i64) -> i64 {
    const TICKS_PER_DAY: i64 = 86_400 * Timestamp::TICKS_PER_SECOND;
    let from = begin.map_or(first, |begin| begin.max(first));
    let day = from.div_euclid(TICKS_PER_DAY) * TICKS_PER_DAY;
    let (on_first, next_day) = (day.saturating_add(since_midnight), day.saturating_add(TICKS_PER_DAY));
    let on_next = next_day.saturating_add(since_midnight);
    // A span from 22:00 to 02:00 goes on to the next day, even if the captures end at 01:00.
    let is_night = begin.is_some_and(|begin| on_first < begin) && next_day <= last;
    if on_first < from && (on_next <= last || is_night) { on_next } else { on_first }
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
            |bound| resolve(&bound, Edge::Begin, &times, first, last).map(|moment| moment.utc.0 / 10_000_000);
        assert_eq!(seconds(TimeBound::FromStart(SignedDuration::from_secs(3))), Some(100_003));
        assert_eq!(seconds(TimeBound::FromEnd(SignedDuration::from_secs(3))), Some(100_006));
        // 100,000 s after the epoch it is 02:46:40 of the second day in local time.
        let daytime = SignedDuration::from_secs(2 * 3_600 + 46 * 60 + 42);
        assert_eq!(seconds(TimeBound::TimeOfDay(daytime)), Some(100_002));
        let local = Timestamp((100_004 - 3_600) * 10_000_000);
        assert_eq!(seconds(TimeBound::Local(local)), Some(100_004));
    }

    #[test]
    fn a_time_of_day_is_on_the_day_that_has_it() {
        const HOUR: i64 = 3_600 * Timestamp::TICKS_PER_SECOND;
        // From 22:00 for some hours.
        let day = |begin: Option<i64>, hour: i64, hours: i64| {
            let begin = begin.map(|begin| begin * HOUR);
            on_its_day(hour * HOUR, begin, 22 * HOUR, (22 + hours) * HOUR) / HOUR
        };
        assert_eq!(day(None, 9, 12), 33, "the next morning");
        assert_eq!(day(None, 23, 12), 23);
        assert_eq!(day(None, 9, 4), 9, "on no day");
        assert_eq!(day(None, 9, 80), 33, "of several mornings the first");
        assert_eq!(day(Some(33), 10, 80), 34, "the end is on the day of the begin");
        assert_eq!(day(Some(34), 9, 80), 57, "or on the next");
        assert_eq!(day(Some(23), 2, 3), 26, "even if the captures end before");
        assert_eq!(day(Some(23), 22, 1), 22, "but not if they end on the same day");
        assert_eq!(day(Some(0), 9, 80), 33, "a begin before the captures");
    }

    #[test]
    fn a_span_of_a_night_is_in_the_first_night() {
        const HOUR: i64 = 3_600 * Timestamp::TICKS_PER_SECOND;
        // Three days from 08:00 on.
        let times: Vec<SampleTime> =
            (8..72).map(|hour| SampleTime { utc: Timestamp(hour * HOUR), offset_min: 0 }).collect();
        let of_day = |hour: i64| Some(TimeBound::TimeOfDay(SignedDuration::from_hours(hour)));
        let hours = |begin: i64, end: i64| {
            let span = Span { begin: of_day(begin), end: of_day(end), ..Span::default() };
            let filter = bounds(&span, &times, times.first().copied(), times.last().copied());
            (filter.begin.map(|time| time.0 / HOUR), filter.end.map(|time| time.0 / HOUR))
        };
        assert_eq!(hours(3, 4), (Some(27), Some(28)));
        assert_eq!(hours(7, 9), (Some(31), Some(33)));
        assert_eq!(hours(22, 2), (Some(22), Some(26)));
        assert_eq!(hours(9, 10), (Some(9), Some(10)));
    }

    /// From 07:10 to 07:50 of the first day, on which the clock goes from 07:00 to 08:00.
    #[test]
    fn a_span_that_the_clock_skipped_is_in_no_other_day() {
        const MINUTE: i64 = 60 * Timestamp::TICKS_PER_SECOND;
        let time =
            |at: i64| SampleTime { utc: Timestamp(at * MINUTE), offset_min: if at < 360 { 60 } else { 120 } };
        let times: Vec<SampleTime> = (0..2_880).map(time).collect();
        let of_day = |minutes: i64| Some(TimeBound::TimeOfDay(SignedDuration::from_mins(minutes)));
        let span = Span { begin: of_day(430), end: of_day(470), ..Span::default() };
        let filter = bounds(&span, &times, times.first().copied(), times.last().copied());
        assert_eq!((filter.begin, filter.end), (Some(times[360].utc), Some(times[359].utc)));
    }
}
