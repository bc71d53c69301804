//! What a log says about itself.

use jiff::tz::TimeZone;
use recount_model::{CaptureInfo, Facts, Timestamp, Zone};

/// Facts that have their own fields in [`CaptureInfo`].
const FIELDS: [&str; 5] = ["host", "os", "boot-time", "recording", "time-zone-posix"];

/// A POSIX rule is the same in every year.
const RULES_OF: Timestamp = Timestamp::UNIX_EPOCH;

/// The facts as a capture's information, and the rule of its local time.
pub(crate) fn capture_info(facts: &Facts) -> (CaptureInfo, Option<TimeZone>) {
    let fact = |name: &str| facts.get(name).filter(|value| !value.is_empty());
    let time = |text: &String| text.parse::<jiff::Timestamp>().ok().map(Timestamp::from_jiff);
    let rule = fact("time-zone-posix").and_then(|rule| TimeZone::posix(rule).ok());
    let zone = rule.as_ref().map(|rule| {
        let zone = Zone::of(rule, RULES_OF);
        let standard_name = fact("time-zone").cloned().unwrap_or(zone.standard_name);
        Zone { standard_name, posix: fact("time-zone-posix").cloned(), ..zone }
    });
    let details = facts
        .iter()
        .filter(|(name, value)| !FIELDS.contains(&name.as_str()) && !value.is_empty())
        .map(|(name, value)| (name.clone(), value.clone()));
    let info = CaptureInfo {
        format: "recount capture log (.rcap)".into(),
        hosts: fact("host").map(|host| host.as_str().into()).into_iter().collect(),
        os: fact("os").cloned(),
        zone,
        boot_time: fact("boot-time").and_then(time),
        recording: fact("recording").and_then(|number| u64::from_str_radix(number, 16).ok()),
        details: details.collect(),
        ..CaptureInfo::default()
    };
    (info, rule)
}
