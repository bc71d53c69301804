//! Finds where daylight saving time begins or ends within a file, whose header has only one bias
//! (`formats/pdh-text.md#time`).

use recount_model::{SampleTime, Timestamp};

use super::date_order::median;

const TICKS_PER_MINUTE: i64 = 60 * Timestamp::TICKS_PER_SECOND;
const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;
const TICKS_PER_DAY: i64 = 24 * TICKS_PER_HOUR;

/// Clocks are put forward at night: no skipped hour begins later.
const LAST_HOUR_SKIPPED: i64 = 3;

/// A change of the offset between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The first row with the new offset.
    pub(crate) row: usize,
    /// Minutes that the offset (local minus UTC) changes by: −60 in autumn, 60 in spring.
    pub(crate) minutes: i16,
}

/// The changes among rows of these local times, in the order of the file.
///
/// The end of daylight saving is a step back of an hour minus the usual step. Its beginning looks like a gap;
/// it is recognised only if exactly one whole clock hour is missing, at night on a Sunday, between rows that
/// are otherwise evenly spaced there.
pub(crate) fn changes(local: &[Timestamp]) -> Vec<Change> {
    let steps: Vec<i64> = local.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).collect();
    let forward: Vec<i64> = steps.iter().copied().filter(|&step| step > 0).collect();
    let Some(usual) = median(forward) else { return Vec::new() };
    let mut changes = Vec::new();
    for (before, &step) in steps.iter().enumerate() {
        let minutes = if is_fold(step, usual) {
            -60
        } else if is_skip(local[before], step, usual) {
            60
        } else {
            continue;
        };
        changes.push(Change { row: before + 1, minutes });
    }
    changes
}

/// Whether a reader of rows with these local times, ascending in UTC, gets their UTC times from the offset of the first: the
/// header of a text has no other.
pub fn leads_back(times: &[SampleTime]) -> bool {
    let local: Vec<Timestamp> = times.iter().map(|time| time.local()).collect();
    let mut changes = changes(&local).into_iter().peekable();
    let mut offset_min = times.first().map_or(0, |time| time.offset_min);
    times.iter().enumerate().all(|(at, time)| {
        if let Some(change) = changes.next_if(|change| change.row == at) {
            offset_min = offset_min.saturating_add(change.minutes);
        }
        time.offset_min == offset_min
    })
}

/// An hour back. A logger may be late by a few minutes or half its step; a clock put back for other reasons
/// differs by more.
fn is_fold(step: i64, usual: i64) -> bool {
    let real = step.saturating_add(TICKS_PER_HOUR);
    step < 0 && real > 0 && real <= (usual + usual / 2).max(5 * TICKS_PER_MINUTE)
}

fn is_skip(before: Timestamp, step: i64, usual: i64) -> bool {
    let real = step - TICKS_PER_HOUR;
    let is_usual = (real - usual).abs() <= usual / 2 && usual < TICKS_PER_HOUR;
    let after = before.0.saturating_add(step);
    let hour_before = before.0.div_euclid(TICKS_PER_HOUR);
    let hour_after = after.div_euclid(TICKS_PER_HOUR);
    // 1601-01-01 was a Monday.
    let is_sunday = after.div_euclid(TICKS_PER_DAY).rem_euclid(7) == 6;
    let hour_skipped = (hour_after - 1).rem_euclid(24);
    is_usual && is_sunday && hour_after - hour_before == 2 && hour_skipped <= LAST_HOUR_SKIPPED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::stamp::{DateOrder, Stamp};

    fn found(times: &[&str]) -> Vec<Change> {
        let local: Vec<Timestamp> = times
            .iter()
            .map(|time| {
                let stamp = Stamp::parse(format!("2012-{time}").as_bytes()).expect("a stamp");
                stamp.local(DateOrder::MonthFirst).expect("a time")
            })
            .collect();
        changes(&local)
    }

    #[test]
    fn autumn_folds() {
        let fold = ["11-04 01:59:30", "11-04 01:59:45", "11-04 01:00:00", "11-04 01:00:15"];
        assert_eq!(found(&fold), [Change { row: 2, minutes: -60 }]);
        // Every half hour.
        let fold = ["11-04 00:45", "11-04 01:15", "11-04 01:45", "11-04 01:15", "11-04 01:45"];
        assert_eq!(found(&fold), [Change { row: 3, minutes: -60 }]);
    }

    #[test]
    fn clocks_put_back_are_no_fold() {
        assert!(found(&["06-01 12:00:00", "06-01 12:00:01", "06-01 11:59:57", "06-01 11:59:58"]).is_empty());
        assert!(found(&["06-01 12:00:00", "06-01 12:00:01", "06-01 10:00:02"]).is_empty());
        assert!(found(&["06-01 12:00", "06-01 12:30", "06-01 12:25", "06-01 12:55"]).is_empty());
    }

    #[test]
    fn spring_skips() {
        // Sunday, 11 March 2012.
        let skip = ["03-11 01:59:30", "03-11 01:59:45", "03-11 03:00:00", "03-11 03:00:15"];
        assert_eq!(found(&skip), [Change { row: 2, minutes: 60 }]);
        // A Monday, and a logger that slept an hour from half past to half past.
        assert!(
            found(&skip.map(|time| time.replace("11 ", "12 ")).each_ref().map(String::as_str)).is_empty()
        );
        assert!(found(&["03-11 01:30:00", "03-11 01:30:15", "03-11 02:30:30", "03-11 02:30:45"]).is_empty());
    }

    #[test]
    fn an_offset_leads_back_where_a_reader_follows() {
        let times = |step_min: i64, offsets: &[i16]| -> Vec<SampleTime> {
            // From 2012-11-04T05:30:00Z, half an hour before the clocks of New York were put back.
            let begin = Timestamp(129_964_806_000_000_000);
            let at = |(row, offset_min): (usize, &i16)| SampleTime {
                utc: begin.plus_minutes(step_min * row as i64),
                offset_min: *offset_min,
            };
            offsets.iter().enumerate().map(at).collect()
        };
        assert!(leads_back(&times(15, &[-240, -240, -300, -300])));
        assert!(leads_back(&times(60, &[-240; 4])) && leads_back(&[]));
        // Rows an hour apart don't step back, and another machine may be in another zone.
        assert!(!leads_back(&times(60, &[-240, -300, -300, -300])));
        assert!(!leads_back(&times(15, &[-300, -480, -300, -480])));
    }
}
