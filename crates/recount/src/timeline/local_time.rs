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
    /// If it was asked for by its local time.
    local: Option<LocalTime>,
}

/// A local time that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LocalTime {
    time: Timestamp,
    edge: Edge,
    shown: Shown,
}

/// How often the clock showed a local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Once,
    /// With these offsets from UTC (minutes): certainly, or perhaps, as nobody sampled when it was set back.
    Twice {
        offsets: [i16; 2],
        is_certain: bool,
    },
    /// The clock was set on between these samples: never, certainly, or perhaps.
    Never {
        before: SampleTime,
        after: SampleTime,
        is_certain: bool,
    },
}

/// Samples in a row with the same offset from UTC.
struct SameOffset {
    offset_min: i16,
    first: usize,
    last: usize,
}

impl Moment {
    pub(super) fn certain(utc: Timestamp) -> Moment {
        Moment { utc, local: None }
    }

    /// A local time by the offsets of the samples. A span begins with the first and ends with the second of the moments at which the clock showed it. If it
    /// never did, it is the sample next to it. `None` without samples.
    pub(super) fn of_local(time: Timestamp, edge: Edge, times: &[SampleTime]) -> Option<Moment> {
        let moment = |utc, shown| Some(Moment { utc, local: Some(LocalTime { time, edge, shown }) });
        let same = same_offsets(times);
        let utc_with = |offset_min: i16| time.plus_minutes(-i64::from(offset_min));
        // Between samples between which the clock was set on, it may have been skipped.
        let is_skipped = |pair: &&[SameOffset]| {
            let (before, after) = (times[pair[0].last], times[pair[1].first]);
            before.offset_min < after.offset_min
                && before.utc < utc_with(before.offset_min)
                && utc_with(after.offset_min) < after.utc
        };
        if let Some(pair) = same.windows(2).find(is_skipped) {
            let (before, after) = (times[pair[0].last], times[pair[1].first]);
            // Within a longer time without samples, it may have been before or after that.
            let is_certain =
                after.utc <= utc_with(before.offset_min) && utc_with(after.offset_min) <= before.utc;
            let utc = if edge == Edge::End { before.utc } else { after.utc };
            return moment(utc, Shown::Never { before, after, is_certain });
        }
        let utc = |of: &SameOffset| utc_with(of.offset_min);
        // The clock was set some time between two samples, so that either offset may hold there.
        let may_hold = |of: &&SameOffset| {
            let is_after = of.first.checked_sub(1).is_none_or(|before| times[before].utc < utc(of));
            is_after && times.get(of.last + 1).is_none_or(|next| utc(of) < next.utc)
        };
        let holds = |of: &SameOffset| times[of.first].utc <= utc(of) && utc(of) <= times[of.last].utc;
        let found: Vec<&SameOffset> = same.iter().filter(may_hold).collect();
        let first = found.iter().min_by_key(|of| utc(of));
        let Some((first, last)) = first.zip(found.iter().max_by_key(|of| utc(of))) else {
            // The clock was set by more than a zone's change: by the sample whose clock was nearest.
            let near = times.iter().min_by_key(|near| near.local().0.abs_diff(time.0))?;
            return moment(utc_with(near.offset_min), Shown::Once);
        };
        if first.last >= last.first {
            return moment(utc(first), Shown::Once);
        }
        let offsets = [first.offset_min, last.offset_min];
        let utc = if edge == Edge::End { utc(last) } else { utc(first) };
        moment(utc, Shown::Twice { offsets, is_certain: holds(first) && holds(last) })
    }

    /// The local time that was asked for, if it was one.
    pub(super) fn local(&self) -> Option<Timestamp> {
        self.local.map(|local| local.time)
    }

    /// Whether it is that of the sample next to a local time that the clock may have skipped.
    pub(crate) fn is_of_sample(&self) -> bool {
        self.local.is_some_and(|local| matches!(local.shown, Shown::Never { .. }))
    }

    /// Why it may not be the moment that was meant. Where the zone is unknown, offsets say only by how much the clock was set.
    pub(super) fn doubt(&self, is_zone_unknown: bool) -> Option<String> {
        let LocalTime { time, edge, shown } = self.local?;
        let time = time.without_zone();
        match shown {
            Shown::Once | Shown::Never { is_certain: false, .. } => None,
            Shown::Twice { offsets, is_certain } => {
                let showed = if is_certain { "showed" } else { "may have shown" };
                let meant = match edge {
                    Edge::At => "the first one is taken",
                    Edge::Begin => "the span begins with the first one",
                    Edge::End => "the span ends with the second one",
                };
                if is_zone_unknown {
                    return Some(format!("the clock {showed} {time} twice: {meant}"));
                }
                let [earlier, later] = offsets.map(|offset| offset_text(i64::from(offset)));
                Some(format!(
                    "the clock {showed} {time} twice, as {earlier} and as {later}: {meant}; to choose, add the offset: {time}{later}"
                ))
            }
            Shown::Never { before, after, is_certain: true } => {
                let meant = match edge {
                    Edge::At => "the sample after that is taken",
                    Edge::Begin => "the span begins with the sample after that",
                    Edge::End => "the span ends with the sample before that",
                };
                let stated = |time: SampleTime| {
                    if is_zone_unknown { time.local().without_zone() } else { time.stated() }
                };
                let [before, after] = [before, after].map(stated);
                Some(format!(
                    "the clock never showed {time}: it was set on between {before} and {after}; {meant}"
                ))
            }
        }
    }
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
                    let words = moment.doubt(false).expect("a doubt");
                    assert!(words.contains("twice, as +02:00 and as +01:00"), "{words}");
                    assert_eq!(words.contains(" showed "), local - 120 <= 360 - step, "{step} {words}");
                    assert!(!moment.doubt(true).expect("a doubt").contains('+'));
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
                    assert!(moment.doubt(false).is_some_and(|doubt| doubt.contains("never showed")));
                    assert_eq!(moment.utc, times[at].utc, "{step} {local}");
                }
            }
        }
        // When it was set on isn't known so well, so this may be before or after that.
        let hourly = times(60, 60, 120);
        for local in [419, 430, 470, 479] {
            for (edge, utc) in [(Edge::Begin, 360), (Edge::End, 300)] {
                let moment = Moment::of_local(minute(local), edge, &hourly).expect("a moment");
                assert_eq!((moment.utc, moment.is_of_sample()), (minute(utc), true));
                assert_eq!(moment.doubt(false), None);
            }
        }
    }

    #[test]
    fn other_times_are_certain() {
        for (before, after) in [(120, 60), (60, 120), (60, 60)] {
            let times = times(10, before, after);
            for time in times[..20].iter().chain(&times[50..]) {
                for edge in [Edge::At, Edge::Begin, Edge::End] {
                    let moment = Moment::of_local(time.local(), edge, &times).expect("a moment");
                    assert_eq!((moment.utc, moment.local()), (time.utc, Some(time.local())));
                    assert_eq!((moment.is_of_sample(), moment.doubt(false)), (false, None));
                }
            }
        }
    }
}
