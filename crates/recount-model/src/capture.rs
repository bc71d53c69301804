//! What a capture says about itself.

use std::sync::Arc;

use jiff::tz::{Offset, TimeZone};

use crate::Timestamp;

/// Facts about a capture as a whole. What the source doesn't say is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct CaptureInfo {
    /// Name of the format, e.g. `Windows performance log (.blg), counter list`.
    pub format: String,
    /// Machines whose counters the capture holds, without leading backslashes.
    pub hosts: Vec<Arc<str>>,
    /// Operating system, version and build.
    pub os: Option<String>,
    /// The zone of the capture's local time.
    pub zone: Option<Zone>,
    /// Whether the time zone is unknown: the capture's times are then local times, not UTC.
    pub is_zone_unknown: bool,
    /// Whether times were made from local times by a zone that the caller named.
    pub is_zone_asked: bool,
    /// When the machine was booted.
    pub boot_time: Option<Timestamp>,
    /// A number that only the captures of one recording share, if the boot time isn't known.
    pub recording: Option<u64>,
    /// When recording began, if the capture states it separately from its samples.
    pub started: Option<Timestamp>,
    /// When recording ended, if the capture states it.
    pub ended: Option<Timestamp>,
    /// Whether the values were computed by the program that wrote the capture. Such a capture has no raw
    /// values.
    pub is_cooked: bool,
    /// How much it says of its values, beside other captures of the same recording.
    pub authority: Authority,
    /// Whether such values are multiplied by their counters' default scales.
    pub is_scaled: bool,
    /// Whether counters may have texts that no definition announces.
    pub has_texts: bool,
    /// Whether an object may have aggregates over its instances ([`Aggregation`](crate::Aggregation)).
    pub has_aggregates: bool,
    /// Times that a user marked, ascending, without duplicates.
    pub marks: Vec<Mark>,
    /// Further facts, named as in the format's documentation.
    pub details: Vec<(String, String)>,
}

impl CaptureInfo {
    /// Whether it may have values of a machine, for which an empty name is any. Case makes no difference.
    pub fn may_be_of(&self, host: &str) -> bool {
        let is_it = |own: &Arc<str>| own.eq_ignore_ascii_case(host);
        self.hosts.is_empty() || host.is_empty() || self.hosts.iter().any(is_it)
    }
}

/// How much a capture says of its values, in ascending order: of several that have the same value, the one that says most about
/// it is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Authority {
    /// Values with the names of their counters only: a blank may be a counter that wasn't there, or a value that is missing for
    /// whatever reason.
    Text,
    /// Values that were computed from another capture, with reasons where there is none.
    Table,
    /// What was recorded.
    #[default]
    Recorded,
}

/// A time that a user marked (`recount mark`): a deployment, the beginning of a test.
///
/// Two marks with the same time and text are the same mark.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The time that is marked, UTC.
    pub time: Timestamp,
    /// The user's text for it. It may contain any characters, including control characters.
    pub text: String,
}

/// The zone of a capture's local time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Name in standard time, e.g. `Pacific Standard Time`.
    pub standard_name: String,
    /// Name in daylight saving time.
    pub daylight_name: String,
    /// UTC minus local standard time, in minutes (480 for the Pacific coast): the sign of Windows and PDH.
    pub bias_min: i32,
    /// The rule as a POSIX TZ string, where the capture gives one.
    pub posix: Option<String>,
}

impl Zone {
    /// The zone with the rules in force in the year of the given time. Standard time is the more western of
    /// the offsets in force in January and in July. The name is the zone's name in the time zone database, or
    /// its abbreviation if it has none.
    pub fn of(rules: &TimeZone, time: Timestamp) -> Zone {
        let year = time.to_jiff().map_or(1970, |time| Offset::UTC.to_datetime(time).year());
        let at = |month| {
            let date = jiff::civil::Date::new(year, month, 15).unwrap_or(jiff::civil::date(1970, month, 15));
            let moment = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
            let info = rules.to_offset_info(moment);
            (info.offset().seconds(), info.abbreviation().to_owned())
        };
        let (january, july) = (at(1), at(7));
        let (standard, daylight) = if january.0 <= july.0 { (january, july) } else { (july, january) };
        let daylight_name = if daylight.0 == standard.0 { String::new() } else { daylight.1 };
        Zone {
            standard_name: rules.iana_name().map_or(standard.1, str::to_owned),
            daylight_name: if rules.iana_name().is_some() { String::new() } else { daylight_name },
            bias_min: -standard.0 / 60,
            posix: None,
        }
    }

    /// The name in force at an offset (local minus UTC, minutes).
    pub fn name_at(&self, offset_min: i16) -> &str {
        if i32::from(offset_min) == -self.bias_min || self.daylight_name.is_empty() {
            &self.standard_name
        } else {
            &self.daylight_name
        }
    }
}
