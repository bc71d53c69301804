//! Local times of a known zone as UTC.

use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use recount_model::{SampleTime, Timestamp, usual_step};

use super::daylight::{longest_step, span};
use crate::zones::{minutes, of_zone};

const TICKS_PER_MINUTE: i64 = 60 * Timestamp::TICKS_PER_SECOND;

/// The UTC times of local times in the order of the file. `offset_first` is the offset of the first (local minus UTC, in
/// minutes), if it is known: it decides where a file begins in the hour that comes twice.
///
/// The order of the rows decides which of two equal hours is meant: time only progresses, so the second begins where the
/// rows step back, or where they stand still although they are minutes apart. Rows that come to this hour from a gap, and
/// leave it by a usual step, without a step back, are in the second. A time skipped by daylight saving is interpreted as if
/// the clock had not been put forward yet.
pub(crate) fn to_utc(local: &[Timestamp], zone: &TimeZone, offset_first: Option<i16>) -> Vec<SampleTime> {
    let Some((earliest, latest)) = span(local) else { return Vec::new() };
    if of_zone(zone, earliest, latest).is_empty() {
        let offset = earliest.to_jiff().map_or(Offset::UTC, |moment| zone.to_offset(moment));
        return local.iter().map(|&local| at(local, offset)).collect();
    }
    let usual = usual_step(local.iter().copied()).unwrap_or_default();
    let mut pass = Pass { local, zone, usual, offset_first, is_second: false };
    let mut times: Vec<SampleTime> = Vec::with_capacity(local.len());
    for (row, &time) in local.iter().enumerate() {
        let offset = match ambiguous(time, zone) {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } => before,
            AmbiguousOffset::Fold { before: first, after: second } => {
                if pass.is_second_at(row, first, second, times.last().copied()) { second } else { first }
            }
        };
        times.push(at(time, offset));
    }
    times
}

/// The same by the rules that a header's zone has, if nothing in the rows contradicts them: `None` if the offset of the
/// first row isn't the zone's, if a row is in an hour that the clock skips, or if rows pass the end of daylight saving as if
/// the clock weren't changed.
pub(crate) fn followed(local: &[Timestamp], zone: &TimeZone, offset_first: i16) -> Option<Vec<SampleTime>> {
    let (earliest, latest) = span(local)?;
    if !has_offset_at(zone, *local.first()?, offset_first) {
        return None;
    }
    let transitions = of_zone(zone, earliest, latest);
    let is_skipped = |time: &Timestamp| {
        let before = transitions.partition_point(|transition| transition.wall <= *time).checked_sub(1);
        before.is_some_and(|before| {
            let transition = transitions[before];
            *time < transition.wall.plus_minutes(i64::from(transition.minutes))
        })
    };
    if !transitions.is_empty() && local.iter().any(is_skipped) {
        return None;
    }
    let times = to_utc(local, zone, Some(offset_first));
    let usual = usual_step(local.iter().copied()).unwrap_or_default();
    let passes = |pair: &[SampleTime]| {
        let step = pair[1].local().0.saturating_sub(pair[0].local().0);
        let off = |step: i64| step.saturating_sub(usual).saturating_abs();
        let is_usual = off(step) < off(pair[1].utc.0.saturating_sub(pair[0].utc.0));
        pair[1].offset_min < pair[0].offset_min && step > 0 && step <= longest_step(usual) && is_usual
    };
    let is_dense = usual <= 60 * TICKS_PER_MINUTE;
    (!is_dense || !times.windows(2).any(passes)).then_some(times)
}

/// Whether a zone has an offset (local minus UTC, in minutes) at a local time. In an hour that comes twice, or that is
/// skipped, it has two.
pub(crate) fn has_offset_at(zone: &TimeZone, local: Timestamp, offset_min: i16) -> bool {
    match ambiguous(local, zone) {
        AmbiguousOffset::Unambiguous { offset } => minutes(offset) == offset_min,
        AmbiguousOffset::Gap { before, after } | AmbiguousOffset::Fold { before, after } => {
            minutes(before) == offset_min || minutes(after) == offset_min
        }
    }
}

/// Which of two equal hours the rows are in.
struct Pass<'a> {
    local: &'a [Timestamp],
    zone: &'a TimeZone,
    /// The usual step, in ticks.
    usual: i64,
    offset_first: Option<i16>,
    is_second: bool,
}

impl Pass<'_> {
    /// Whether a row within an hour that comes twice is in its second pass.
    fn is_second_at(
        &mut self,
        row: usize,
        first: Offset,
        second: Offset,
        before: Option<SampleTime>,
    ) -> bool {
        let is_inside =
            row > 0 && self.is_in(row - 1, first, second) && self.step(row).abs() < 60 * TICKS_PER_MINUTE;
        self.is_second = match before {
            Some(before) if is_inside => {
                self.is_second || self.is_step_back(row) || self.is_rare_second(row, first, second, before)
            }
            Some(before) => self.enters_second(row, first, second, before),
            None => match self.offset_first {
                Some(offset_min) => offset_min == minutes(second),
                None => self.leaves_usually(row, first, second),
            },
        };
        self.is_second
    }

    fn enters_second(&self, row: usize, first: Offset, second: Offset, before: SampleTime) -> bool {
        let of_first = self.since(row, first, before);
        // Time only progresses.
        of_first < 0
            || self.is_rare_second(row, first, second, before)
            || of_first > longest_step(self.usual) && self.leaves_usually(row, first, second)
    }

    /// Rows that are further apart than the clock is put back needn't step back: whether a row comes after the usual step if it
    /// is in the second pass.
    fn is_rare_second(&self, row: usize, first: Offset, second: Offset, before: SampleTime) -> bool {
        let (of_first, of_second) = (self.since(row, first, before), self.since(row, second, before));
        let is_rare = self.usual >= of_second.saturating_sub(of_first);
        let off = |since: i64| since.saturating_sub(self.usual).saturating_abs();
        is_rare && off(of_second) < off(of_first) && off(of_second) <= self.usual / 4
    }

    /// Time since the row before, in ticks, if a row has this offset.
    fn since(&self, row: usize, offset: Offset, before: SampleTime) -> i64 {
        at(self.local[row], offset).utc.0.saturating_sub(before.utc.0)
    }

    /// Whether the rows leave the hour by a usual step, without having stepped back.
    fn leaves_usually(&self, row: usize, first: Offset, second: Offset) -> bool {
        let end = (row + 1..self.local.len())
            .find(|&next| self.is_step_back(next) || !self.is_in(next, first, second));
        end.is_some_and(|end| !self.is_step_back(end) && self.step(end) <= longest_step(self.usual))
    }

    fn is_in(&self, row: usize, first: Offset, second: Offset) -> bool {
        ambiguous(self.local[row], self.zone) == AmbiguousOffset::Fold { before: first, after: second }
    }

    fn step(&self, row: usize) -> i64 {
        self.local[row].0.saturating_sub(self.local[row - 1].0)
    }

    /// Rows with equal times are samples of the same second or minute, unless samples are minutes apart.
    fn is_step_back(&self, row: usize) -> bool {
        let step = self.step(row);
        step < 0 || (step == 0 && self.usual >= 5 * TICKS_PER_MINUTE)
    }
}

fn ambiguous(local: Timestamp, zone: &TimeZone) -> AmbiguousOffset {
    match local.to_jiff() {
        Some(local) => zone.to_ambiguous_timestamp(Offset::UTC.to_datetime(local)).offset(),
        None => AmbiguousOffset::Unambiguous { offset: Offset::UTC },
    }
}

fn at(local: Timestamp, offset: Offset) -> SampleTime {
    let offset_min = minutes(offset);
    SampleTime { utc: local.plus_minutes(-i64::from(offset_min)), offset_min }
}
