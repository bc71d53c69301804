//! From the stamps of all rows to sample times: date order, daylight saving, and rows out of order.

use std::sync::Arc;

use jiff::tz::TimeZone;
use recount_model::{FindingKind, Health, SampleTime, Timestamp};

use super::date_order::{self, Decision};
use super::daylight::{self, Change};
use super::zone;
use crate::structure::stamp::{DateOrder, Stamp};
use crate::text::Text;

/// A row found by the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScannedRow {
    /// Offset in the text.
    pub(crate) ofs: usize,
    pub(crate) stamp: Stamp,
    /// Whether the previous row in the file is also a sample, or this is the first.
    pub(crate) follows: bool,
}

/// The samples of a file, ascending by time.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) times: Arc<[SampleTime]>,
    /// Offset in the text of each sample's row.
    pub(crate) ofs_rows: Vec<usize>,
    /// Samples, ascending, with an unknown interval: the previous row was left out or is elsewhere in time.
    unknown_intervals: Vec<usize>,
    /// Whether no interval is known, because times are truncated to minutes.
    is_coarse: bool,
    pub(crate) order: Option<DateOrder>,
}

/// A row whose time is known.
#[derive(Clone, Copy)]
struct TimedRow {
    ofs: usize,
    time: SampleTime,
    follows: bool,
}

/// How local time is converted to UTC.
#[derive(Clone, Debug)]
pub(crate) enum LocalClock {
    /// By UTC minus local time at the first row, in minutes; later daylight saving changes are found in the
    /// rows.
    Bias(i16),
    /// By the rules of a zone.
    Zone(TimeZone),
}

impl Timeline {
    /// Puts rows in order.
    pub(crate) fn of(rows: &[ScannedRow], clock: &LocalClock, text: &Text, health: &mut Health) -> Timeline {
        let stamps: Vec<Stamp> = rows.iter().map(|row| row.stamp).collect();
        let Decision { order, doubt } = date_order::decide(&stamps);
        if let (Some(doubt), Some(first)) = (doubt, rows.first()) {
            health.note(FindingKind::Time, text.row_place(first.ofs, "time"), doubt);
        }
        let mut timed = timed_rows(rows, order.unwrap_or(DateOrder::MonthFirst), text, health);
        match clock {
            LocalClock::Bias(bias_min) => to_utc(&mut timed, -bias_min, text, health),
            LocalClock::Zone(zone) => {
                let local: Vec<Timestamp> = timed.iter().map(|row| row.time.utc).collect();
                for (row, time) in timed.iter_mut().zip(zone::to_utc(local.into_iter(), zone)) {
                    row.time = time;
                }
            }
        }
        let unknown_intervals = sort(&mut timed, text, health);
        let is_coarse = is_coarse(rows, &timed);
        if let (true, Some(first)) = (is_coarse, rows.first()) {
            let what =
                "times have no seconds, and several rows share one: the intervals between rows aren't known";
            health.note(FindingKind::Odd, text.row_place(first.ofs, "time"), what);
        }
        Timeline {
            times: timed.iter().map(|row| row.time).collect(),
            ofs_rows: timed.iter().map(|row| row.ofs).collect(),
            unknown_intervals,
            is_coarse,
            order,
        }
    }

    /// Seconds since the previous sample, if that is the previous row.
    pub(crate) fn interval_s(&self, sample: usize) -> Option<f64> {
        if self.is_coarse || self.unknown_intervals.binary_search(&sample).is_ok() {
            return None;
        }
        let before = self.times[sample.checked_sub(1)?];
        Some(self.times[sample].utc.seconds_since(before.utc))
    }
}

/// Whether times are too coarse to distinguish rows.
fn is_coarse(rows: &[ScannedRow], timed: &[TimedRow]) -> bool {
    let shares_time = |pair: &[TimedRow]| pair[0].time.utc == pair[1].time.utc;
    rows.iter().any(|row| !row.stamp.has_seconds) && timed.windows(2).any(shares_time)
}

/// Rows with their local times, temporarily stored in `utc`.
fn timed_rows(rows: &[ScannedRow], order: DateOrder, text: &Text, health: &mut Health) -> Vec<TimedRow> {
    let mut timed = Vec::with_capacity(rows.len());
    let mut follows = true;
    for row in rows {
        let Some(local) = row.stamp.local(order) else {
            let [first, second, third] = row.stamp.date;
            let what = format!(
                "expected a date with the {}, found {first}, {second}, {third}: row left out",
                order.as_str()
            );
            health.note(FindingKind::Dropped, text.row_place(row.ofs, "time"), what);
            follows = false;
            continue;
        };
        let time = SampleTime { utc: local, offset_min: 0 };
        timed.push(TimedRow { ofs: row.ofs, time, follows: follows && row.follows });
        follows = true;
    }
    timed
}

/// Converts local times to UTC, following daylight saving from the offset of the first row.
fn to_utc(rows: &mut [TimedRow], offset_first: i16, text: &Text, health: &mut Health) {
    let local: Vec<Timestamp> = rows.iter().map(|row| row.time.utc).collect();
    let changes = daylight::changes(&local);
    for &Change { row, minutes } in &changes {
        let what = format!(
            "local time goes {} by an hour: taken for the {} of daylight saving time, and UTC goes on",
            if minutes < 0 { "back" } else { "forward" },
            if minutes < 0 { "end" } else { "beginning" },
        );
        health.note(FindingKind::Time, text.row_place(rows[row].ofs, "time"), what);
    }
    let mut changes = changes.into_iter().peekable();
    let mut offset_min = offset_first;
    for (at, row) in rows.iter_mut().enumerate() {
        if let Some(change) = changes.next_if(|change| change.row == at) {
            // A file would need hundreds of changes in one direction to come near the limits.
            offset_min = offset_min.saturating_add(change.minutes);
        }
        row.time = SampleTime { utc: row.time.utc.plus_minutes(-i64::from(offset_min)), offset_min };
    }
}

/// Sorts by time; returns the samples with an unknown interval.
fn sort(rows: &mut Vec<TimedRow>, text: &Text, health: &mut Health) -> Vec<usize> {
    let is_sorted = rows.is_sorted_by_key(|row| row.time.utc);
    if is_sorted {
        return (0..rows.len()).filter(|&at| !rows[at].follows).collect();
    }
    for pair in rows.windows(2).filter(|pair| pair[1].time.utc < pair[0].time.utc) {
        // Local, as in the file.
        let shown = |row: TimedRow| row.time.civil().map(|civil| civil.to_string()).unwrap_or_default();
        let (from, to) = (shown(pair[0]), shown(pair[1]));
        let what = format!("time goes back from {from} to {to}: rows are put in order");
        health.note(FindingKind::Time, text.row_place(pair[1].ofs, "time"), what);
    }
    let mut numbered: Vec<(usize, TimedRow)> = rows.drain(..).enumerate().collect();
    numbered.sort_by_key(|(_, row)| row.time.utc);
    let unknown = (0..numbered.len()).filter(|&at| {
        let (number, row) = numbered[at];
        let before = at.checked_sub(1).map(|before| numbered[before].0);
        !row.follows || before.is_some_and(|before| before + 1 != number)
    });
    let unknown = unknown.collect();
    rows.extend(numbered.into_iter().map(|(_, row)| row));
    unknown
}
