//! In which zone and form times are written, so that a reader gets the same ones (`formats/pdh-text.md#time`).

use recount_model::SampleTime;

use crate::store::{WrittenForm, reads_back};

/// How the times of rows are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTimes {
    /// Name of the zone, and UTC minus local time at the first row, in minutes; `None` if the zone is unknown.
    pub zone: Option<(String, i32)>,
    /// Local time minus UTC of all rows, in minutes; `None` if each row has its own.
    pub offset_min: Option<i16>,
    /// Whether dates are written with the year first, instead of as Windows does.
    pub is_year_first: bool,
    /// What the caller should know, if the times aren't written as local times in Windows' form.
    pub note: Option<&'static str>,
}

impl WrittenTimes {
    /// The first form that reads back as the same times: local times as they are; local times by the offset of the first row;
    /// UTC. `zone` is the name of the zone in force at the first row, and its local time minus UTC, in minutes; `None` if it is
    /// unknown, and `times` are local.
    pub fn of(zone: Option<(&str, i16)>, times: &[SampleTime]) -> WrittenTimes {
        let first = zone
            .map_or_else(|| times.first().map_or(0, |time| time.offset_min), |(_, offset_min)| offset_min);
        let of_zone = |zone: &str, offset_min: i16| Some((zone.to_owned(), -i32::from(offset_min)));
        let forms = match zone {
            Some((zone, _)) => vec![
                (of_zone(zone, first), None, None),
                (of_zone(zone, first), Some(first), None),
                (of_zone("UTC", 0), Some(0), Some(IN_UTC)),
            ],
            None => vec![(None, None, None), (None, Some(first), None)],
        };
        for is_year_first in [false, true] {
            for (zone, offset_min, note) in &forms {
                let at_offset: Vec<SampleTime>;
                let written = match *offset_min {
                    Some(offset_min) => {
                        at_offset = times.iter().map(|time| SampleTime { offset_min, ..*time }).collect();
                        &at_offset
                    }
                    None => times,
                };
                let named = zone.as_ref().map(|(name, bias_min)| (name.as_str(), *bias_min));
                if reads_back(WrittenForm { zone: named, is_year_first }, written) {
                    let note = if is_year_first { Some(YEAR_FIRST) } else { *note };
                    return WrittenTimes { zone: zone.clone(), offset_min: *offset_min, is_year_first, note };
                }
            }
        }
        let (zone, offset_min, _) = forms[0].clone();
        WrittenTimes { zone, offset_min, is_year_first: false, note: Some(NOT_BACK) }
    }
}

const IN_UTC: &str =
    "the rows are written in UTC, as a reader couldn't tell from local times when the clock was changed";
const YEAR_FIRST: &str =
    "the dates are written as yyyy-mm-dd, as a reader would take those of relog for dates with the day first";
const NOT_BACK: &str = "a reader may take a gap between these local times for a change of the clock: the zone isn't known, so they can't be \
     written in UTC";
