//! What the zone in a header says about changes of the clock (`formats/pdh-text.md#time`).

mod transitions;

use std::ops::RangeInclusive;

use jiff::tz::{Dst, Offset, TimeZone};
use recount_model::{Timestamp, offset_text, zone_of_windows};

pub(crate) use transitions::{Transition, of_world, of_zone};

/// The rules of a zone, as far as its name says.
#[derive(Clone, Debug)]
pub(crate) enum Rules {
    /// The name means one zone.
    Known(TimeZone),
    /// It may be the name of any zone.
    Unknown,
}

/// Those of Windows with PDH text, and some to come.
pub(crate) const ALL_YEARS: RangeInclusive<i16> = 1995..=2040;

impl Rules {
    /// Of a name: Windows', one of the IANA database, or one of UTC.
    pub(crate) fn of_name(name: &str) -> Rules {
        let lower = name.trim().to_lowercase();
        if is_utc(&lower) {
            return Rules::Known(TimeZone::UTC);
        }
        if let Some(offset) = fixed_offset(&lower) {
            return Rules::Known(TimeZone::fixed(offset));
        }
        // Abbreviations such as `EST` and `CET` are names in the database, too, but not only of its zones.
        let in_database =
            || Some(name.trim()).filter(|name| name.contains('/')).and_then(|name| TimeZone::get(name).ok());
        zone_of_windows(&lower).or_else(in_database).map_or(Rules::Unknown, Rules::Known)
    }

    /// The changes of the clock within a span of local time, ascending. `offset_min` (local minus UTC) is the one in
    /// force: of zones all over the world, only those that have it count.
    pub(crate) fn transitions(&self, first: Timestamp, last: Timestamp) -> Vec<Transition> {
        match self {
            Rules::Known(zone) => of_zone(zone, first, last),
            Rules::Unknown => of_world(first, last),
        }
    }
}

/// Whether a zone had an offset (local minus UTC, in minutes) in some years, in standard time, in daylight saving time, or in
/// either.
pub(crate) fn has_offset(
    zone: &TimeZone,
    offset_min: i16,
    dst: Option<Dst>,
    years: &RangeInclusive<i16>,
) -> bool {
    let begin = |year: i16| {
        jiff::civil::Date::new(year, 1, 1)
            .and_then(|day| day.to_zoned(TimeZone::UTC))
            .map(|at| at.timestamp())
    };
    let (Ok(first), Ok(last)) = (begin(*years.start()), begin(years.end().saturating_add(1))) else {
        return false;
    };
    let is_it = |offset: Offset, of: Dst| minutes(offset) == offset_min && dst.is_none_or(|dst| dst == of);
    let begin = zone.to_offset_info(first);
    is_it(begin.offset(), begin.dst())
        || zone
            .following(first)
            .take_while(|change| change.timestamp() < last)
            .any(|change| is_it(change.offset(), change.dst()))
}

/// An offset in minutes.
pub(crate) fn minutes(offset: Offset) -> i16 {
    (offset.seconds() / 60) as i16
}

/// An offset for people: `UTC +01:00`.
pub(crate) fn shown(offset_min: i16) -> String {
    format!("UTC {}", offset_text(i64::from(offset_min)))
}

/// UTC in the languages of Windows, as far as they have a word that is written to the header.
fn is_utc(name: &str) -> bool {
    const NAMES: [&str; 11] = [
        "utc",
        "z",
        "zulu",
        "universal",
        "etc/utc",
        "coordinated universal time",
        "koordinierte weltzeit",
        "temps universel coordonné",
        "tiempo universal coordinado",
        "tempo coordinato universale",
        "hora universal coordenada",
    ];
    NAMES.contains(&name)
}

/// The offset of names such as `UTC-11`, `UTC+05:30` and `+03`.
fn fixed_offset(name: &str) -> Option<Offset> {
    let rest = name.strip_prefix("utc").unwrap_or(name);
    let (sign, digits) = match rest.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let is_number =
        |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(hours) || !is_number(minutes) {
        return None;
    }
    let seconds = hours.parse::<i32>().ok()? * 3_600 + minutes.parse::<i32>().ok()? * 60;
    Offset::from_seconds(sign * seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> Option<String> {
        match Rules::of_name(name) {
            Rules::Known(zone) => Some(zone.iana_name().map_or_else(|| "fixed".to_owned(), str::to_owned)),
            Rules::Unknown => None,
        }
    }

    #[test]
    fn names_mean_zones() {
        for (name, expected) in [
            ("W. Europe Daylight Time", Some("Europe/Berlin")),
            ("Tokyo Standard Time", Some("Asia/Tokyo")),
            ("America/New_York", Some("America/New_York")),
            ("UTC", Some("UTC")),
            ("Coordinated Universal Time", Some("UTC")),
            ("UTC-11", Some("fixed")),
            ("+03", Some("fixed")),
            ("EST", None),
            ("Mitteleuropäische Sommerzeit", Some("Europe/Berlin")),
            ("Hora estándar romance", Some("Europe/Paris")),
            ("RTZ 2 (зима)", Some("Europe/Moscow")),
            ("RTZ 2 (", None),
            ("No/Where", None),
            ("+", None),
            ("", None),
        ] {
            assert_eq!(zone(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn offsets_belong_to_zones() {
        let berlin = TimeZone::get("Europe/Berlin").expect("a zone");
        let ever = |zone, offset_min, dst| has_offset(zone, offset_min, dst, &ALL_YEARS);
        assert!(ever(&berlin, 60, Some(Dst::No)) && ever(&berlin, 120, Some(Dst::Yes)));
        assert!(!ever(&berlin, 120, Some(Dst::No)) && !ever(&berlin, 0, None));
        // Moscow was at UTC +4 for three years.
        let moscow = TimeZone::get("Europe/Moscow").expect("a zone");
        assert!(ever(&moscow, 240, None) && has_offset(&moscow, 240, None, &(2013..=2013)));
        assert!(!has_offset(&moscow, 240, None, &(2026..=2026)));
        assert_eq!((shown(-210), shown(60)), ("UTC -03:30".to_owned(), "UTC +01:00".to_owned()));
    }
}
