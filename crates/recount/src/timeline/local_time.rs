//! Local times of a capture as moments. A clock that is set on skips some, and shows some twice when it is set back.

use recount_model::{SampleTime, Timestamp, offset_text};

/// Whether a bound is the begin or the end of a span, or a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    At,
    Begin,
    End,
}

/// The moment that a bound stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) utc: Timestamp,
    /// The local time that was asked for.
    pub(super) local: Option<Timestamp>,
    /// Whether it is that of the sample next to a time that the clock may have skipped.
    pub(crate) is_of_sample: bool,
    /// Why it may not be the one that was meant.
    pub(super) doubt: Option<Doubt>,
}

/// A local time that is no single moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    local: Timestamp,
    edge: Edge,
    kind: DoubtKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DoubtKind {
    /// The clock showed it twice, with these offsets from UTC (minutes): certainly, or perhaps, as nobody sampled when it was set back.
    Twice { offsets: [i16; 2], is_certain: bool },
    /// The clock was set on between these samples.
    Never { before: SampleTime, after: SampleTime },
}

/// Samples in a row with the same offset from UTC.
struct SameOffset {
    offset_min: i16,
    first: usize,
    last: usize,
}

impl Moment {
    pub(super) fn certain(utc: Timestamp) -> Moment {
        Moment { utc, local: None, is_of_sample: false, doubt: None }
    }

    /// A local time by the offsets of the samples. A span begins with the first and ends with the second of the moments at which the clock showed it. If it
    /// never did, it is the sample next to it. `None` without samples.
    pub(super) fn of_local(local: Timestamp, edge: Edge, times: &[SampleTime]) -> Option<Moment> {
        if let Some(skipped) = skipped(local, edge, times) {
            return Some(skipped);
        }
        let same = same_offsets(times);
        let utc = |of: &SameOffset| local.plus_minutes(-i64::from(of.offset_min));
        // The clock was set some time between two samples, so that either offset may hold there.
        let may_hold = |of: &&SameOffset| {
            let is_after = of.first.checked_sub(1).is_none_or(|before| times[before].utc < utc(of));
            is_after && times.get(of.last + 1).is_none_or(|next| utc(of) < next.utc)
        };
        let holds = |of: &SameOffset| times[of.first].utc <= utc(of) && utc(of) <= times[of.last].utc;
        let found: Vec<&SameOffset> = same.iter().filter(may_hold).collect();
        let first = found.iter().min_by_key(|of| utc(of));
        let Some((first, last)) = first.zip(found.iter().max_by_key(|of| utc(of))) else {
            // Machines in several zones: by the sample whose clock was nearest.
            let near = times.iter().min_by_key(|time| time.local().0.abs_diff(local.0))?;
            let certain = Moment::certain(local.plus_minutes(-i64::from(near.offset_min)));
            return Some(Moment { local: Some(local), ..certain });
        };
        let utc_of_edge = if edge == Edge::End { utc(last) } else { utc(first) };
        let twice = (first.last < last.first).then(|| DoubtKind::Twice {
            offsets: [first.offset_min, last.offset_min],
            is_certain: holds(first) && holds(last),
        });
        Some(Moment {
            utc: utc_of_edge,
            local: Some(local),
            is_of_sample: false,
            doubt: twice.map(|kind| Doubt { local, edge, kind }),
        })
    }
}

/// The sample next to a local time between two samples, if the clock was set on between them and may have skipped it.
fn skipped(local: Timestamp, edge: Edge, times: &[SampleTime]) -> Option<Moment> {
    let utc = |of: SampleTime| local.plus_minutes(-i64::from(of.offset_min));
    let is_between = |pair: &&[SampleTime]| {
        let (before, after) = (pair[0], pair[1]);
        before.offset_min < after.offset_min && before.utc < utc(before) && utc(after) < after.utc
    };
    let pair = times.windows(2).find(is_between)?;
    let (before, after) = (pair[0], pair[1]);
    // Within a longer time without samples, it may have been before or after that.
    let is_never = after.utc <= utc(before) && utc(after) <= before.utc;
    let doubt = is_never.then_some(Doubt { local, edge, kind: DoubtKind::Never { before, after } });
    let utc = if edge == Edge::End { before.utc } else { after.utc };
    Some(Moment { utc, local: Some(local), is_of_sample: true, doubt })
}

fn same_offsets(times: &[SampleTime]) -> Vec<SameOffset> {
    let mut same: Vec<SameOffset> = Vec::new();
    for (at, time) in times.iter().enumerate() {
        match same.last_mut().filter(|same| same.offset_min == time.offset_min) {
            Some(same) => same.last = at,
            None => same.push(SameOffset { offset_min: time.offset_min, first: at, last: at }),
        }
    }
    same
}

impl Doubt {
    /// In a sentence. Where the zone is unknown, offsets say only by how much the clock was set.
    pub(super) fn words(&self, is_zone_unknown: bool) -> String {
        let without_zone = |time: Timestamp| time.to_string().trim_end_matches('Z').to_owned();
        let shown = without_zone(self.local);
        match self.kind {
            DoubtKind::Twice { offsets, is_certain } => {
                let showed = if is_certain { "showed" } else { "may have shown" };
                let meant = match self.edge {
                    Edge::At => "the first one is taken",
                    Edge::Begin => "the span begins with the first one",
                    Edge::End => "the span ends with the second one",
                };
                if is_zone_unknown {
                    return format!("the clock {showed} {shown} twice: {meant}");
                }
                let [earlier, later] = offsets.map(|offset| offset_text(i64::from(offset)));
                format!(
                    "the clock {showed} {shown} twice, as {earlier} and as {later}: {meant}; to choose, add the offset: {shown}{later}"
                )
            }
            DoubtKind::Never { before, after } => {
                let meant = match self.edge {
                    Edge::At => "the sample after that is taken",
                    Edge::Begin => "the span begins with the sample after that",
                    Edge::End => "the span ends with the sample before that",
                };
                let stated = |time: SampleTime| {
                    if is_zone_unknown { without_zone(time.local()) } else { time.stated() }
                };
                let [before, after] = [before, after].map(stated);
                format!("the clock never showed {shown}: it was set on between {before} and {after}; {meant}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every so many minutes for twelve hours from midnight UTC; the offset changes after six.
    fn times(step: i64, before: i16, after: i16) -> Vec<SampleTime> {
        let time = |at: i64| SampleTime {
            utc: Timestamp(at * step * 60 * Timestamp::TICKS_PER_SECOND),
            offset_min: if at * step < 360 { before } else { after },
        };
        (0..720 / step).map(time).collect()
    }

    fn minute(utc_or_local: i64) -> Timestamp {
        Timestamp(utc_or_local * 60 * Timestamp::TICKS_PER_SECOND)
    }

    /// The hour from 07:00 to 08:00 is there twice, however often it is sampled.
    #[test]
    fn a_repeated_hour_is_within_the_span() {
        for step in [1, 10, 30, 60, 120] {
            let times = times(step, 120, 60);
            for local in [421, 450, 479] {
                for (edge, utc) in
                    [(Edge::Begin, local - 120), (Edge::At, local - 120), (Edge::End, local - 60)]
                {
                    let moment = Moment::of_local(minute(local), edge, &times).expect("a moment");
                    assert_eq!(moment.utc, minute(utc), "{step} {local} {edge:?}");
                    let words = moment.doubt.expect("a doubt").words(false);
                    assert!(words.contains("twice, as +02:00 and as +01:00"), "{words}");
                    assert_eq!(words.contains(" showed "), local - 120 <= 360 - step, "{step} {words}");
                    assert!(!moment.doubt.expect("a doubt").words(true).contains('+'));
                }
            }
        }
    }

    /// From 07:00 to 08:00, which is between two samples.
    #[test]
    fn a_skipped_time_widens_no_span() {
        for (step, locals) in [(1, &[420, 450, 479][..]), (10, &[420, 450, 470])] {
            let times = times(step, 60, 120);
            let first = times.iter().position(|time| time.offset_min == 120).expect("a sample");
            for local in locals {
                for (edge, at) in [(Edge::Begin, first), (Edge::At, first), (Edge::End, first - 1)] {
                    let moment = Moment::of_local(minute(*local), edge, &times).expect("a moment");
                    assert!(moment.doubt.is_some_and(|doubt| doubt.words(false).contains("never showed")));
                    assert_eq!(moment.utc, times[at].utc, "{step} {local}");
                }
            }
        }
        // When it was set on isn't known so well, so this may be before or after that.
        let hourly = times(60, 60, 120);
        for local in [419, 430, 470, 479] {
            for (edge, utc) in [(Edge::Begin, 360), (Edge::End, 300)] {
                let moment = Moment::of_local(minute(local), edge, &hourly).expect("a moment");
                let expected =
                    Moment { is_of_sample: true, local: Some(minute(local)), ..Moment::certain(minute(utc)) };
                assert_eq!(moment, expected);
            }
        }
    }

    #[test]
    fn other_times_are_certain() {
        for (before, after) in [(120, 60), (60, 120), (60, 60)] {
            let times = times(10, before, after);
            for time in times[..20].iter().chain(&times[50..]) {
                for edge in [Edge::At, Edge::Begin, Edge::End] {
                    let moment = Moment::of_local(time.local(), edge, &times);
                    let expected = Moment { local: Some(time.local()), ..Moment::certain(time.utc) };
                    assert_eq!(moment, Some(expected));
                }
            }
        }
    }
}
