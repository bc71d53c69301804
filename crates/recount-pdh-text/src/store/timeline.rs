//! From the stamps of all rows to sample times: date order, daylight saving, and rows out of order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use jiff::tz::TimeZone;
use recount_model::{FindingKind, Health, SampleTime, Timestamp};

use super::clock::{Clock, ClockTimes};
use super::copies::Copies;
use super::date_order::{self, Decision};
use super::parts::FileParts;
use super::rows::{ScannedRow, TimedRow};
use crate::structure::stamp::{DateOrder, Precision, Stamp};
use crate::text::Text;

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
    /// The part of each sample; empty if the file has only one.
    parts: Vec<u32>,
    /// The section of each part.
    sections: Vec<u32>,
    /// The sample before each with the same section, or [`NONE`]; empty if all have one section.
    previous: Vec<u32>,
    pub(crate) zone: ZoneUsed,
}

/// The zone of the times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ZoneUsed {
    /// The header's.
    #[default]
    Header,
    /// They are local times of an unknown zone.
    Unknown,
    /// The caller's; nothing in the header contradicts it.
    Asked,
    /// The caller's, since the header's can't be right.
    AskedAgainstHeader,
}

/// No sample before.
const NONE: u32 = u32::MAX;

/// Samples of one time that are compared with each other: bounds the work.
const MAX_AT_ONCE: usize = 16;

impl Timeline {
    /// Puts rows in order. `asked` is the zone that the caller names.
    pub(crate) fn of(
        rows: &[ScannedRow],
        parts: &FileParts,
        asked: Option<&TimeZone>,
        text: &Text,
        health: &mut Health,
    ) -> Timeline {
        let stamps: Vec<Stamp> = rows.iter().map(|row| row.stamp).collect();
        let Decision { order, doubt } = date_order::decide(&stamps);
        if let (Some(doubt), Some(first)) = (doubt, rows.first()) {
            health.note(FindingKind::Time, text.row_place(first.ofs, "time"), doubt);
        }
        let mut timed = timed_rows(rows, order.unwrap_or(DateOrder::MonthFirst), text, health);
        if parts.all.len() == 1 && is_newest_first(&timed) {
            let what = "the rows are from the newest to the oldest: they are read in the order of time";
            health.note(FindingKind::Time, text.row_place(timed[0].ofs, "time"), what);
            reverse(&mut timed);
        }
        let mut clocks =
            Clocks { parts, asked, is_unknown: false, is_asked: false, is_wrong: false, text, health };
        clocks.decide_zone(&mut timed);
        timed.chunk_by_mut(|one, next| one.part == next.part).for_each(|rows| clocks.set(rows));
        let zone = match clocks {
            Clocks { is_unknown: true, .. } => ZoneUsed::Unknown,
            Clocks { is_asked: true, is_wrong: true, .. } => ZoneUsed::AskedAgainstHeader,
            Clocks { is_asked: true, .. } => ZoneUsed::Asked,
            _ => ZoneUsed::Header,
        };
        let copies = Copies::leave_out(&mut timed, parts, text, health);
        let numbers = sort(&mut timed, copies.as_ref(), text, health);
        let previous = previous(&timed, parts);
        let unknown_intervals = unknown_intervals(&timed, &previous, &numbers, copies.as_ref());
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
            parts: if parts.all.len() > 1 { timed.iter().map(|row| row.part).collect() } else { Vec::new() },
            sections: parts.all.iter().map(|part| part.section as u32).collect(),
            previous,
            zone,
        }
    }

    /// Index of the section of a sample.
    pub(crate) fn section(&self, sample: usize) -> usize {
        let part = self.parts.get(sample).copied().unwrap_or_default();
        self.sections.get(part as usize).map_or(0, |section| *section as usize)
    }

    /// The sample before with the same columns.
    pub(crate) fn previous(&self, sample: usize) -> Option<usize> {
        match self.previous.get(sample) {
            Some(&before) => (before != NONE).then_some(before as usize),
            None => sample.checked_sub(1),
        }
    }

    /// Seconds since the previous sample with the same columns, if that is the previous row.
    pub(crate) fn interval_s(&self, sample: usize) -> Option<f64> {
        if self.is_coarse || self.unknown_intervals.binary_search(&sample).is_ok() {
            return None;
        }
        let before = self.times[self.previous(sample)?];
        Some(self.times[sample].utc.seconds_since(before.utc))
    }

    /// The samples of the time of a sample, of which some are of other parts; `None` if there are no others, or too many.
    pub(crate) fn shared(&self, sample: usize) -> Option<Range<usize>> {
        let part = *self.parts.get(sample).filter(|_| !self.is_coarse)?;
        let time = self.times[sample].utc;
        let is_at_once = |other: &usize| self.times[*other].utc == time;
        let num_before = (sample.saturating_sub(MAX_AT_ONCE)..sample).rev().take_while(is_at_once).count();
        let end = self.times.len().min(sample + MAX_AT_ONCE);
        let range = sample - num_before..sample + (sample..end).take_while(is_at_once).count();
        let has_other = self.parts[range.clone()].iter().any(|other| *other != part);
        (has_other && range.len() <= MAX_AT_ONCE).then_some(range)
    }

    /// The part of a sample.
    pub(crate) fn part(&self, sample: usize) -> u32 {
        self.parts.get(sample).copied().unwrap_or_default()
    }
}

/// Whether times are too coarse to distinguish rows.
fn is_coarse(rows: &[ScannedRow], timed: &[TimedRow]) -> bool {
    let shares_time = |pair: &[TimedRow]| pair[0].time.utc == pair[1].time.utc;
    rows.iter().any(|row| row.stamp.precision == Precision::Minutes) && timed.windows(2).any(shares_time)
}

/// Whether each row is older than the one before, as spreadsheets sort them.
fn is_newest_first(rows: &[TimedRow]) -> bool {
    rows.len() > 2 && rows.windows(2).all(|pair| pair[1].time.utc < pair[0].time.utc)
}

/// Puts rows in the opposite order. Whether something is missing between two of them stays the same.
fn reverse(rows: &mut [TimedRow]) {
    let follows: Vec<bool> = rows.iter().map(|row| row.follows).collect();
    rows.reverse();
    let (Some((first, later)), Some((_, between))) = (rows.split_first_mut(), follows.split_first()) else {
        return;
    };
    first.follows = true;
    later.iter_mut().zip(between.iter().rev()).for_each(|(row, follows)| row.follows = *follows);
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
        let follows_here = follows && row.follows;
        let Stamp { offset_min, precision, .. } = row.stamp;
        let (ofs, part) = (row.ofs, row.part);
        timed.push(TimedRow { ofs, time, follows: follows_here, part, precision, offset_min });
        follows = true;
    }
    timed
}

/// Converts the rows of each part to UTC.
struct Clocks<'a> {
    parts: &'a FileParts,
    asked: Option<&'a TimeZone>,
    is_unknown: bool,
    is_asked: bool,
    is_wrong: bool,
    text: &'a Text,
    health: &'a mut Health,
}

impl Clocks<'_> {
    /// Whether the zone is unknown: one time line has either times of known zones or local ones. Rows without a zone don't fit
    /// to rows that say their offset, and are left out.
    fn decide_zone(&mut self, rows: &mut Vec<TimedRow>) {
        let zone_of = |row: &TimedRow| self.parts.all[row.part as usize].zone.as_ref();
        let lacks_zone =
            |row: &TimedRow| self.asked.is_none() && row.offset_min.is_none() && zone_of(row).is_none();
        let Some(first) = rows.iter().find(|row| lacks_zone(row)).map(|row| row.ofs) else { return };
        let place = self.text.row_place(first, "time");
        if rows.iter().any(|row| row.offset_min.is_some()) {
            let num = rows.len();
            rows.retain(|row| !lacks_zone(row));
            let num = num - rows.len();
            let what = format!("{num} rows have no offset from UTC, as others do, and no zone: left out");
            self.health.note(FindingKind::Dropped, place, what);
            return;
        }
        if rows.iter().any(|row| zone_of(row).is_some()) {
            let what = "some headers have a zone, and this one hasn't: all times are taken for local times of an unknown zone";
            self.health.note(FindingKind::Time, place, what);
        }
        self.is_unknown = true;
    }

    /// Sets the times of the rows of a part.
    fn set(&mut self, rows: &mut [TimedRow]) {
        let Some(part) = rows.first().map(|row| &self.parts.all[row.part as usize]) else { return };
        let header = part.zone.as_ref().filter(|_| !self.is_unknown);
        let local: Vec<Timestamp> =
            rows.iter().filter(|row| row.offset_min.is_none()).map(|row| row.time.utc).collect();
        let ClockTimes { times, doubts, changes, is_asked } =
            Clock { header, asked: self.asked }.to_utc(&local);
        self.is_asked |= is_asked;
        self.is_wrong |= is_asked && !doubts.is_empty();
        for doubt in doubts {
            self.health.note(FindingKind::Time, self.text.header_place(part.ofs, Some("zone")), doubt);
        }
        let (mut times, mut changes) = (times.into_iter().enumerate(), changes.into_iter().peekable());
        for row in rows {
            if let Some(offset_min) = row.offset_min {
                row.time = SampleTime { utc: row.time.utc.plus_minutes(-i64::from(offset_min)), offset_min };
                continue;
            }
            let Some((at, time)) = times.next() else { return };
            row.time = time;
            if let Some(change) = changes.next_if(|change| change.row == at) {
                let step = at.checked_sub(1).map_or(0, |before| local[at].0.saturating_sub(local[before].0));
                let what = change.what(step);
                self.health.note(FindingKind::Time, self.text.row_place(row.ofs, "time"), what);
            }
        }
    }
}

/// Sorts by time; returns the number that each row has in the file, copies included.
fn sort(rows: &mut Vec<TimedRow>, copies: Option<&Copies>, text: &Text, health: &mut Health) -> Vec<usize> {
    let number = |at: usize| copies.map_or(at, |copies| copies.number(at));
    if rows.is_sorted_by_key(|row| row.time.utc) {
        return (0..rows.len()).map(number).collect();
    }
    let is_of_half_days =
        rows.iter().all(|row| hour_of(row.time).is_some_and(|hour| (1..=12).contains(&hour)));
    for pair in rows.windows(2).filter(|pair| pair[1].time.utc < pair[0].time.utc) {
        // Local, as in the file, unless the two are of different zones.
        let is_one_zone = pair[0].time.offset_min == pair[1].time.offset_min;
        let local = |row: TimedRow| row.time.civil().map(|civil| civil.to_string()).unwrap_or_default();
        let shown = |row: TimedRow| if is_one_zone { local(row) } else { row.time.utc.to_string() };
        let (from, to) = (shown(pair[0]), shown(pair[1]));
        let mut what = format!("time goes back from {from} to {to}: rows are put in order");
        if is_of_half_days && is_next_half_day(pair[0].time, pair[1].time) {
            what.push_str(
                "; the clock seems to have 12 hours, without AM and PM, which nobody can tell apart",
            );
        }
        health.note(FindingKind::Time, text.row_place(pair[1].ofs, "time"), what);
    }
    let mut numbered: Vec<(usize, TimedRow)> =
        rows.drain(..).enumerate().map(|(at, row)| (number(at), row)).collect();
    numbered.sort_by_key(|(_, row)| row.time.utc);
    let (numbers, sorted): (Vec<usize>, Vec<TimedRow>) = numbered.into_iter().unzip();
    rows.extend(sorted);
    numbers
}

/// Local, as in the file.
fn hour_of(time: SampleTime) -> Option<i8> {
    time.civil().map(jiff::civil::DateTime::hour)
}

/// Whether a time follows another one on a clock of 12 hours: from 12:59 to 1:00.
fn is_next_half_day(from: SampleTime, to: SampleTime) -> bool {
    (hour_of(from), hour_of(to)) == (Some(12), Some(1)) && from.utc.seconds_since(to.utc) < 43_200.0
}

/// Per row, the one before with the same columns; empty if all have the same.
fn previous(rows: &[TimedRow], parts: &FileParts) -> Vec<u32> {
    if parts.sections.len() < 2 {
        return Vec::new();
    }
    let mut last: HashMap<usize, u32> = HashMap::new();
    let section = |row: &TimedRow| parts.all[row.part as usize].section;
    rows.iter().zip(0..).map(|(row, at)| last.insert(section(row), at).unwrap_or(NONE)).collect()
}

/// The samples with an unknown interval: the row before in the file isn't the sample before with the same columns.
fn unknown_intervals(
    rows: &[TimedRow],
    previous: &[u32],
    numbers: &[usize],
    copies: Option<&Copies>,
) -> Vec<usize> {
    let is_unknown = |at: &usize| {
        let before = match previous.get(*at) {
            Some(&before) => (before != NONE).then_some(before as usize),
            None => at.checked_sub(1),
        };
        let in_file = numbers[*at].checked_sub(1);
        let in_file = in_file.map(|number| copies.map_or(number, |copies| copies.kept(number)));
        !rows[*at].follows || before.is_some_and(|before| Some(numbers[before]) != in_file)
    };
    (0..rows.len()).filter(is_unknown).collect()
}
