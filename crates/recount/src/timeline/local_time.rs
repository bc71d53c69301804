//! Local times of a capture as moments. A clock that is set on skips some, and shows some twice when it is set back.

use recount_model::{SampleTime, Timestamp, offset_text};

/// Whether a bound is the begin or the end of a span, or a moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    At,
    Begin,
    End,
}

/// The moment of a local time, and why it may not be the one that was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) utc: Timestamp,
    pub(super) doubt: Option<String>,
}

impl Moment {
    pub(super) fn certain(utc: Timestamp) -> Moment {
        Moment { utc, doubt: None }
    }

    /// A local time, with the offset of the samples around it. In an hour that is there twice, a span begins in the first pass and ends in the second.
    /// A time that the clock skipped lies between the samples before and after that. `None` without samples.
    pub(super) fn of_local(local: Timestamp, edge: Edge, times: &[SampleTime]) -> Option<Moment> {
        let utc = |of: &SampleTime| local.plus_minutes(-i64::from(of.offset_min));
        let from = times.iter().position(|time| time.local() >= local);
        let until = times.iter().rposition(|time| time.local() <= local);
        let (Some((from, first)), Some((until, last))) =
            (from.map(|at| (at, &times[at])), until.map(|at| (at, &times[at])))
        else {
            return from.or(until).map(|at| Moment::certain(utc(&times[at])));
        };
        let is_twice = from < until && first.offset_min > last.offset_min;
        let is_skipped = until < from
            && first.offset_min > last.offset_min
            && (utc(first) < last.utc || utc(last) > first.utc);
        let utc = match edge {
            Edge::At if is_skipped => first.utc,
            Edge::Begin if is_skipped => utc(first).max(Timestamp(last.utc.0 + 1)),
            Edge::End if is_skipped => utc(last).min(Timestamp(first.utc.0 - 1)),
            Edge::At | Edge::Begin => utc(first),
            Edge::End => utc(last),
        };
        let shown = SampleTime { utc: local, offset_min: 0 }.stated();
        let shown = shown.trim_end_matches('Z');
        let twice = || {
            let offsets = [first, last].map(|time| offset_text(i64::from(time.offset_min)));
            let meant = match edge {
                Edge::At => "the first one is taken",
                Edge::Begin => "the span begins with the first one",
                Edge::End => "the span ends with the second one",
            };
            let [earlier, later] = &offsets;
            format!(
                "the clock showed {shown} twice, as {earlier} and as {later}: {meant}; to choose, add the offset: {shown}{later}"
            )
        };
        let skipped = || {
            let meant = match edge {
                Edge::At => "the sample after that is taken",
                Edge::Begin => "the span begins with the sample after that",
                Edge::End => "the span ends with the sample before that",
            };
            let [before, after] = [last, first].map(|time| time.stated());
            format!("the clock never showed {shown}: it was set on between {before} and {after}; {meant}")
        };
        let doubt = is_twice.then(twice).or_else(|| is_skipped.then(skipped));
        Some(Moment { utc, doubt })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 10 minutes for four hours; the offset changes after two.
    fn times(before: i16, after: i16) -> Vec<SampleTime> {
        let time = |at: i64| SampleTime {
            utc: Timestamp(at * 600 * Timestamp::TICKS_PER_SECOND),
            offset_min: if at < 12 { before } else { after },
        };
        (0..24).map(time).collect()
    }

    #[test]
    fn a_repeated_hour_is_within_the_span() {
        let times = times(120, 60);
        // 03:30 is the tenth sample in the first pass, the sixteenth in the second.
        let local = times[9].local();
        assert_eq!(times[15].local(), local);
        for (edge, at) in [(Edge::Begin, 9), (Edge::At, 9), (Edge::End, 15)] {
            let moment = Moment::of_local(local, edge, &times).expect("a moment");
            assert_eq!(moment.utc, times[at].utc);
            assert!(moment.doubt.is_some_and(|doubt| doubt.contains("twice, as +02:00 and as +01:00")));
        }
    }

    #[test]
    fn a_skipped_time_widens_no_span() {
        let times = times(60, 120);
        // 02:50 is followed by 04:00.
        for minutes in [1, 30, 59] {
            let local = times[12].local().plus_minutes(minutes - 60);
            for edge in [Edge::Begin, Edge::At, Edge::End] {
                let moment = Moment::of_local(local, edge, &times).expect("a moment");
                let is_right = match edge {
                    Edge::At => moment.utc == times[12].utc,
                    _ => times[11].utc < moment.utc && moment.utc < times[12].utc,
                };
                assert!(is_right, "{minutes} {moment:?}");
                assert!(moment.doubt.is_some_and(|doubt| doubt.contains("never showed")));
            }
        }
    }

    #[test]
    fn other_times_are_certain() {
        for times in [times(120, 60), times(60, 120), times(60, 60)] {
            for at in (0..6).chain(18..24) {
                for edge in [Edge::At, Edge::Begin, Edge::End] {
                    let moment = Moment::of_local(times[at].local(), edge, &times);
                    assert_eq!(moment, Some(Moment::certain(times[at].utc)));
                }
            }
        }
    }
}
