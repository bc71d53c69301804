//! What a log says about itself.

use jiff::tz::TimeZone;
use recount_model::{CaptureInfo, Facts, Timestamp, Zone};

/// Facts that have their own fields in [`CaptureInfo`].
const TOLD_APART: [&str; 4] = ["host", "os", "boot-time", "time-zone-posix"];

/// The facts as a capture's information, and the rule of its local time.
pub(crate) fn capture_info(facts: &Facts) -> (CaptureInfo, Option<TimeZone>) {
    let fact = |name: &str| facts.get(name).filter(|value| !value.is_empty());
    let time = |text: &String| text.parse::<jiff::Timestamp>().ok().map(Timestamp::from_jiff);
    let rule = fact("time-zone-posix").and_then(|rule| TimeZone::posix(rule).ok());
    let zone = rule.as_ref().map(|rule| zone(rule, fact("time-zone-posix"), fact("time-zone")));
    let details = facts
        .iter()
        .filter(|(name, value)| !TOLD_APART.contains(&name.as_str()) && !value.is_empty())
        .map(|(name, value)| (name.clone(), value.clone()));
    let info = CaptureInfo {
        format: "recount capture log (.rcap)".into(),
        hosts: fact("host").map(|host| host.as_str().into()).into_iter().collect(),
        os: fact("os").cloned(),
        zone,
        boot_time: fact("boot-time").and_then(time),
        details: details.collect(),
        ..CaptureInfo::default()
    };
    (info, rule)
}

/// Names and standard offset of a zone: those in force in January and in July of a year, of which the one further west
/// is standard time.
fn zone(rule: &TimeZone, posix: Option<&String>, name: Option<&String>) -> Zone {
    let at = |month| {
        let date = jiff::civil::date(2026, month, 15).to_zoned(TimeZone::UTC);
        let time = date.map_or(jiff::Timestamp::UNIX_EPOCH, |date| date.timestamp());
        let info = rule.to_offset_info(time);
        (info.offset().seconds(), info.abbreviation().to_owned())
    };
    let (january, july) = (at(1), at(7));
    let (standard, daylight) = if january.0 <= july.0 { (january, july) } else { (july, january) };
    let daylight_name = if daylight.0 == standard.0 { String::new() } else { daylight.1 };
    Zone {
        standard_name: name.cloned().unwrap_or(standard.1),
        daylight_name,
        bias_min: -standard.0 / 60,
        posix: posix.cloned(),
    }
}
