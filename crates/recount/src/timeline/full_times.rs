//! Texts have times of milliseconds, and so has what is made of them. A recording of the same machine has the rest of their digits
//! (`formats/tables.md#several-captures`).

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{Change, Changed, Decoded, Opened, SampleTime, Selection, Source, Timestamp};

use crate::Capture;
use crate::repeats::may_share;

const TICKS_PER_MS: i64 = Timestamp::TICKS_PER_SECOND / 1_000;

/// Gives every sample whose time has milliseconds the time of the one sample of another capture in that millisecond: cut off or rounded, it is
/// written like this.
pub(crate) fn give_full_times(captures: &mut [Capture]) {
    let has_milliseconds: Vec<bool> =
        captures.iter().map(|capture| has_milliseconds(&*capture.source)).collect();
    // What texts may share is decided by their machines, and by whether their zone is known.
    let mut known: HashMap<(Vec<Arc<str>>, bool), Vec<Timestamp>> = HashMap::new();
    for at in 0..captures.len() {
        if !has_milliseconds[at] || !captures[at].source.info().is_cooked {
            continue;
        }
        let info = captures[at].source.info();
        let full = known.entry((info.hosts.clone(), info.is_zone_unknown)).or_insert_with(|| {
            let others = captures.iter().zip(&has_milliseconds);
            let others = others
                .filter(|(other, has_milliseconds)| !**has_milliseconds && may_share(other, &captures[at]));
            let mut full: Vec<Timestamp> =
                others.flat_map(|(other, _)| other.source.times().iter().map(|time| time.utc)).collect();
            full.sort_unstable();
            full.dedup();
            full
        });
        let change = FullTimes::of(captures[at].source.times(), full);
        if !change.0.is_empty() {
            captures[at].source = Changed::of(Arc::clone(&captures[at].source), change);
        }
    }
}

fn has_milliseconds(source: &dyn Source) -> bool {
    source.times().iter().all(|time| time.utc.0 % TICKS_PER_MS == 0)
}

/// The full times, by those in milliseconds.
struct FullTimes(HashMap<Timestamp, Timestamp>);

impl FullTimes {
    /// Both are ascending. Where it isn't certain which sample is which, times stay.
    fn of(times: &[SampleTime], full: &[Timestamp]) -> FullTimes {
        let is_near = |at: usize, other: Option<&SampleTime>| {
            other.is_some_and(|other| other.utc.0.abs_diff(times[at].utc.0) < 2 * TICKS_PER_MS as u64)
        };
        let is_alone = |at: &usize| {
            !is_near(*at, at.checked_sub(1).map(|before| &times[before])) && !is_near(*at, times.get(at + 1))
        };
        let full_time = |at: usize| {
            let time = times[at].utc;
            // Rounded up, or cut off.
            let begin = full.partition_point(|full| full.0 < time.0 - TICKS_PER_MS / 2);
            let mut within = full[begin..].iter().take_while(|full| full.0 < time.0 + TICKS_PER_MS);
            match (within.next(), within.next()) {
                (Some(full), None) if *full != time => Some((time, *full)),
                _ => None,
            }
        };
        FullTimes((0..times.len()).filter(is_alone).filter_map(full_time).collect())
    }

    fn change(&self, time: &mut SampleTime) {
        time.utc = self.0.get(&time.utc).copied().unwrap_or(time.utc);
    }
}

impl Change for FullTimes {
    fn opened(&self, source: &dyn Source) -> Opened {
        let mut opened = source.opened().clone();
        let mut times = opened.times.to_vec();
        for time in &mut times {
            self.change(time);
        }
        opened.times = times.into();
        opened
    }

    fn decoded(&self, mut decoded: Decoded, _: &Selection) -> Decoded {
        decoded.cooked.iter_mut().flat_map(|cooked| &mut cooked.times).for_each(|time| self.change(time));
        decoded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_sample_in_a_millisecond_has_the_time() {
        let full_times = |ms: &[i64], full: &[i64]| {
            let time = |ms: &i64| SampleTime { utc: Timestamp(ms * TICKS_PER_MS), offset_min: 0 };
            let times: Vec<SampleTime> = ms.iter().map(time).collect();
            let full: Vec<Timestamp> = full.iter().map(|ticks| Timestamp(*ticks)).collect();
            let FullTimes(found) = FullTimes::of(&times, &full);
            let mut found: Vec<(i64, i64)> =
                found.into_iter().map(|(time, full)| (time.0 / TICKS_PER_MS, full.0)).collect();
            found.sort_unstable();
            found
        };
        // Cut off, and rounded up.
        assert_eq!(
            full_times(&[10, 20], &[100_000 + 9_999, 200_000 - 5_000]),
            [(10, 109_999), (20, 195_000)]
        );
        assert!(full_times(&[10, 20], &[110_000, 194_999]).is_empty(), "of another millisecond");
        assert!(full_times(&[10], &[100_000, 100_001]).is_empty(), "one of two");
        assert!(full_times(&[10, 11], &[105_000]).is_empty(), "of one of two");
        assert!(full_times(&[10], &[100_000]).is_empty() && full_times(&[], &[7]).is_empty());
    }
}
