//! The clock of a machine: from its local times, in the order of the file, to UTC (`formats/pdh-text.md#time`).

use std::ops::RangeInclusive;

use jiff::tz::{Dst, TimeZone};
use recount_model::{SampleTime, Timestamp, Zone};

use super::daylight::{self, Change};
use super::zone;
use crate::header::HeaderZone;
use crate::zones::{ALL_YEARS, Rules, has_offset, shown};

/// What is known about a clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock<'a> {
    /// The zone that the header names, with the bias in force at the first row.
    pub(crate) header: Option<&'a HeaderZone>,
    /// The zone that the caller names.
    pub(crate) asked: Option<&'a TimeZone>,
}

/// Times in UTC, and what to say about them.
#[derive(Debug, Default)]
pub(crate) struct ClockTimes {
    pub(crate) times: Vec<SampleTime>,
    /// What is doubtful about the header's zone.
    pub(crate) doubts: Vec<String>,
    /// Rows at which the clock was changed, where this was inferred.
    pub(crate) changes: Vec<Change>,
    /// Whether the zone that the caller names is the one that counts.
    pub(crate) is_asked: bool,
}

impl Clock<'_> {
    /// Converts local times in the order of the file.
    pub(crate) fn to_utc(self, local: &[Timestamp]) -> ClockTimes {
        let Some(&first) = local.first() else { return ClockTimes::default() };
        // A bias without a name is overruled by a name.
        let named = self.header.filter(|header| self.asked.is_none() || !header.name.is_empty());
        let Some(header) = named else {
            return match self.asked {
                Some(zone) => ClockTimes {
                    times: zone::to_utc(local, zone, None),
                    doubts: self
                        .header
                        .map(|header| header.nameless(zone, first))
                        .into_iter()
                        .flatten()
                        .collect(),
                    is_asked: true,
                    ..ClockTimes::default()
                },
                None => inferred(local, 0, None, &Rules::Unknown),
            };
        };
        let offset_min = header.offset_min();
        let rules = Rules::of_name(&header.name);
        let doubt = doubt(header, &rules, first);
        if let Some(zone) = self.asked {
            let agrees = zone::has_offset_at(zone, first, offset_min);
            let doubt =
                doubt.clone().or_else(|| header.not_in_force(&rules, zone, first).filter(|_| !agrees));
            if agrees || doubt.is_some() {
                let times = zone::to_utc(local, zone, agrees.then_some(offset_min));
                let doubts = doubt.into_iter().map(|doubt| doubt + ": the zone asked for is used").collect();
                return ClockTimes { times, doubts, is_asked: true, ..ClockTimes::default() };
            }
        }
        let doubt = doubt.map(|doubt| doubt + ": the bias is used, and --zone names another zone");
        let known = match &rules {
            Rules::Known(zone) if zone::has_offset_at(zone, first, offset_min) => Some(zone),
            _ => None,
        };
        let followed = known.and_then(|zone| zone::followed(local, zone, offset_min));
        let mut found = if let Some(times) = followed {
            ClockTimes { changes: changes_of(&times), times, ..ClockTimes::default() }
        } else {
            let mut found = inferred(local, offset_min, Some(offset_min), &rules);
            let is_unchanged = known.is_some() && found.changes.is_empty();
            found.doubts.extend(is_unchanged.then(|| header.unchanged()));
            found
        };
        found.doubts.extend(doubt);
        found
    }
}

impl HeaderZone {
    /// What to say about a bias without a name, where the zone that the caller names has another one.
    fn nameless(&self, asked: &TimeZone, first: Timestamp) -> Option<String> {
        let agrees = zone::has_offset_at(asked, first, self.offset_min());
        (!agrees).then(|| {
            format!("the header has the bias {} and no name: the zone asked for is used", self.bias_min)
        })
    }

    /// What to say about rows whose clock isn't changed where that of their zone is.
    fn unchanged(&self) -> String {
        format!(
            "the clock of `{}` was set within this time, but the rows go on as if it weren't: the header's bias is used for \
             all of them; --zone names a zone whose rules are used",
            self.name
        )
    }

    /// What to say about a bias that isn't in force at the first row, by the zone that the caller names: that has it at another time of the
    /// year, or has the offset then that the header's zone has by its rules.
    fn not_in_force(&self, rules: &Rules, asked: &TimeZone, first: Timestamp) -> Option<String> {
        let offset_min = self.offset_min();
        let Rules::Known(zone) = rules else { return None };
        let is_it = |time: &SampleTime| zone::has_offset_at(asked, first, time.offset_min);
        let is_wrong = !zone::has_offset_at(zone, first, offset_min)
            && (zone::to_utc(&[first], zone, None).iter().any(is_it)
                || has_offset(asked, offset_min, None, &year_of(first)));
        is_wrong.then(|| {
            format!(
                "the bias {} of the header means {}, which isn't in force at the first row",
                self.bias_min,
                shown(offset_min)
            )
        })
    }

    /// The zone, for display. The bias in force may be that of daylight saving time; that of standard time is an hour larger.
    pub(crate) fn zone(&self) -> Zone {
        let bias_min = i32::from(self.bias_min);
        let was = |zone: &TimeZone, dst| has_offset(zone, self.offset_min(), Some(dst), &ALL_YEARS);
        let is_daylight = match Rules::of_name(&self.name) {
            Rules::Known(zone) if was(&zone, Dst::No) => false,
            Rules::Known(zone) if was(&zone, Dst::Yes) => true,
            _ => self.is_daylight(),
        };
        if is_daylight {
            let daylight_name = self.name.clone();
            Zone { standard_name: String::new(), daylight_name, bias_min: bias_min + 60, posix: None }
        } else {
            let standard_name = self.name.clone();
            Zone { standard_name, daylight_name: String::new(), bias_min, posix: None }
        }
    }
}

/// By the offset of the first row, and the changes that the rows show.
fn inferred(local: &[Timestamp], offset_first: i16, known: Option<i16>, rules: &Rules) -> ClockTimes {
    let changes = daylight::changes(local, known, rules);
    let mut ahead = changes.iter().peekable();
    let mut offset_min = offset_first;
    let times = local.iter().enumerate().map(|(row, &local)| {
        if let Some(change) = ahead.next_if(|change| change.row == row) {
            // A file would need hundreds of changes in one direction to come near the limits.
            offset_min = offset_min.saturating_add(change.minutes);
        }
        SampleTime { utc: local.plus_minutes(-i64::from(offset_min)), offset_min }
    });
    ClockTimes { times: times.collect(), changes: changes.clone(), ..ClockTimes::default() }
}

fn changes_of(times: &[SampleTime]) -> Vec<Change> {
    let pairs = times.windows(2).enumerate();
    let changes =
        pairs.map(|(at, pair)| Change { row: at + 1, minutes: pair[1].offset_min - pair[0].offset_min });
    changes.filter(|change| change.minutes != 0).collect()
}

/// The year of a local time.
fn year_of(local: Timestamp) -> RangeInclusive<i16> {
    match local.to_jiff() {
        Some(local) => {
            let year = local.to_zoned(TimeZone::UTC).year();
            year..=year
        }
        None => ALL_YEARS,
    }
}

/// In what a header's zone and bias disagree. A bias that is in force at the first row is right, whether the name is that of standard time or of
/// daylight saving time. Another one is accepted only if it is the zone's standard time in that year and the name is that of standard time, too:
/// some machines are set not to change their clocks, but none keeps daylight saving time in winter.
fn doubt(header: &HeaderZone, rules: &Rules, first: Timestamp) -> Option<String> {
    let Rules::Known(zone) = rules else { return None };
    let offset_min = header.offset_min();
    if zone::has_offset_at(zone, first, offset_min) {
        return None;
    }
    let half = if header.name.contains('/') {
        None
    } else if header.is_daylight() {
        Some(Dst::Yes)
    } else {
        Some(Dst::No)
    };
    let (name, bias_min) = (&header.name, header.bias_min);
    let years = year_of(first);
    if has_offset(zone, offset_min, half, &years) {
        return (half != Some(Dst::No)).then(|| {
            format!(
                "zone and bias of the header disagree with the rows: `{name}` isn't {} at the time of the first, which the bias \
                 {bias_min} means",
                shown(offset_min)
            )
        });
    }
    let sign = if offset_min != 0 && has_offset(zone, -offset_min, None, &years) {
        "; its sign may be wrong"
    } else {
        ""
    };
    Some(format!(
        "zone and bias of the header disagree: the bias {bias_min} means {}, which `{name}` never was in {}{sign}",
        shown(offset_min),
        years.start()
    ))
}
