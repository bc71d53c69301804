//! Whether rows that are written lead a reader to their times (`formats/pdh-text.md#time`).

use recount_model::{SampleTime, Timestamp};

use super::clock::Clock;
use super::date_order;
use crate::header::read_zone;
use crate::structure::mark::Dialect;
use crate::structure::stamp::{DateOrder, Precision, Stamp};

/// The zone of a header, and how the dates of its rows are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenForm<'a> {
    /// Name and bias; `None` if the zone is unknown.
    pub(crate) zone: Option<(&'a str, i32)>,
    pub(crate) is_year_first: bool,
}

/// Whether a reader of rows with these times, ascending, gets the same ones from what is written: local times of which the
/// header has only the first offset.
pub(crate) fn reads_back(form: WrittenForm<'_>, times: &[SampleTime]) -> bool {
    if !form.is_year_first && !is_month_first(times) {
        return false;
    }
    let header = match form.zone {
        Some((name, bias_min)) => {
            let first = format!("{} ({name})({bias_min})", Dialect::Csv.tag());
            // In the header's text, these would be something else.
            let read =
                read_zone(&first).filter(|_| !name.contains(['\\', '"']) && !name.contains(char::is_control));
            let Some(zone) = read.filter(|zone| zone.name == name.trim()) else { return false };
            Some(zone)
        }
        None => None,
    };
    let local: Vec<Timestamp> = times.iter().map(|time| written(time.local())).collect();
    let read = Clock { header: header.as_ref(), asked: None }.to_utc(&local).times;
    let is_same = |(read, time): (&SampleTime, &SampleTime)| read.offset_min == time.offset_min;
    read.len() == times.len() && read.iter().zip(times).all(is_same)
}

/// A time as it is written: truncated to milliseconds.
fn written(local: Timestamp) -> Timestamp {
    const TICKS_PER_MS: i64 = 10_000;
    Timestamp(local.0.div_euclid(TICKS_PER_MS) * TICKS_PER_MS)
}

/// Whether a reader takes the first number of the dates for the month.
fn is_month_first(times: &[SampleTime]) -> bool {
    let stamps: Option<Vec<Stamp>> = times.iter().map(|time| stamp(*time)).collect();
    stamps.is_some_and(|stamps| {
        stamps.is_empty() || date_order::decide(&stamps).order == Some(DateOrder::MonthFirst)
    })
}

fn stamp(time: SampleTime) -> Option<Stamp> {
    const TICKS_PER_DAY: i64 = 86_400 * Timestamp::TICKS_PER_SECOND;
    let civil = time.civil()?;
    let part = |number: i16| u16::try_from(number).ok();
    Some(Stamp {
        date: [part(civil.month().into())?, part(civil.day().into())?, part(civil.year())?],
        date_separator: b'/',
        year_first: false,
        is_of_pdh: true,
        ticks_of_day: written(time.local()).0.rem_euclid(TICKS_PER_DAY),
        precision: Precision::Fractions,
        offset_min: None,
    })
}
