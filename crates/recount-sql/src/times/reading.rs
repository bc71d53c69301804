//! Texts of times.

use jiff::civil::Time;
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::TimeZone;

/// Seconds: no offset is as long.
const DAY: i32 = 86_400;

/// Whether a text says more than a local time.
pub(super) fn states_zone(text: &str) -> bool {
    let (time, zone) = without_zone(text.trim());
    let has_offset = |time: &str| Pieces::parse(time).is_ok_and(|pieces| pieces.offset().is_some());
    // An offset may stand apart.
    zone.is_some()
        || has_offset(time)
        || time.rsplit_once(' ').is_some_and(|(_, end)| end.starts_with(['+', '-']))
}

/// Reads a date, or a date and a time, with an offset, the name of a zone (also as in RFC 9557: `...[Europe/Berlin]`),
/// both if they agree, or nothing, which means UTC.
pub(super) fn nanoseconds(text: &str) -> Result<i64, String> {
    let unreadable = || {
        format!(
            "expected a time such as '2026-11-25 14:00:33', '2026-11-25T14:00:33Z', '2026-11-25 15:00:33+01:00' or \
             '2026-11-25 15:00:33 Europe/Berlin', found '{text}'"
        )
    };
    let (time, zone_name) = without_zone(text.trim());
    // An offset may stand apart.
    let time = match time.rsplit_once(' ') {
        Some((time, offset)) if offset.starts_with(['+', '-']) => format!("{}{offset}", time.trim_end()),
        _ => time.to_owned(),
    };
    let pieces = Pieces::parse(&time).map_err(|_| unreadable())?;
    if pieces.time_zone_annotation().is_some() {
        return Err(unreadable());
    }
    let zone = match zone_name {
        None => None,
        Some(name) => Some(zone_of(name).ok_or_else(|| {
            format!("expected a zone such as UTC or Europe/Berlin after the time, found '{name}' in '{text}'")
        })?),
    };
    let local = pieces.date().to_datetime(pieces.time().unwrap_or(Time::midnight()));
    let timestamp = match (pieces.offset(), zone) {
        (None, None) => TimeZone::UTC.to_timestamp(local).map_err(|_| unreadable())?,
        (None, Some(zone)) => zone.to_ambiguous_timestamp(local).unambiguous().map_err(|_| {
            format!("'{text}': clocks of this zone show the time twice or never: write an offset instead, such as +01:00")
        })?,
        (Some(offset), zone) => {
            let (known, is_stated) = match offset {
                PiecesOffset::Numeric(number) => (number.offset(), true),
                // `Z` states the time in UTC, and nothing of the zone's offset.
                _ => (jiff::tz::Offset::UTC, false),
            };
            if known.seconds().abs() >= DAY {
                return Err(unreadable());
            }
            let timestamp = known.to_timestamp(local).map_err(|_| unreadable())?;
            if is_stated && zone.is_some_and(|zone| zone.to_offset(timestamp) != known) {
                return Err(format!("'{text}': the zone has another offset at this time; leave one of them out"));
            }
            timestamp
        }
    };
    i64::try_from(timestamp.as_nanosecond())
        .map_err(|_| format!("expected a time between the years 1678 and 2261, found '{text}'"))
}

/// A time, and the zone behind it: `T Europe/Berlin`, `T[Europe/Berlin]`, `T[!+01:00]`.
fn without_zone(text: &str) -> (&str, Option<&str>) {
    if let Some((time, zone)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        return (time.trim_end(), Some(zone.strip_prefix('!').unwrap_or(zone)));
    }
    match text.rsplit_once(' ') {
        Some((time, zone)) if zone.starts_with(|c: char| c.is_alphabetic()) => (time.trim_end(), Some(zone)),
        _ => (text, None),
    }
}

/// A zone by its name or offset.
fn zone_of(name: &str) -> Option<TimeZone> {
    if name.starts_with(['+', '-']) {
        let text = format!("2000-01-01T00:00{name}");
        let offset = Pieces::parse(&text).ok()?.to_numeric_offset()?;
        return (offset.seconds().abs() < DAY).then(|| TimeZone::fixed(offset));
    }
    TimeZone::get(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-25T14:00:33Z.
    const NANOS: i64 = 1_795_615_233_000_000_000;

    #[test]
    fn times_are_read_with_offsets_and_zones() {
        for text in [
            "2026-11-25 14:00:33",
            "2026-11-25T14:00:33",
            "2026-11-25T14:00:33Z",
            "2026-11-25 14:00:33 UTC",
            "2026-11-25 15:00:33+01:00",
            "2026-11-25 15:00:33 +01:00",
            "2026-11-25T09:00:33.000-05",
            " 2026-11-25 15:00:33 Europe/Berlin ",
            "2026-11-25T19:30:33 asia/kolkata",
            "2026-11-25T15:00:33[Europe/Berlin]",
            "2026-11-25T15:00:33+01:00[Europe/Berlin]",
            "2026-11-25T15:00:33+01:00[!Europe/Berlin]",
            "2026-11-25T14:00:33Z[Europe/Berlin]",
            "2026-11-25 15:00:33[+01:00]",
            "2026-11-25 15:00:33 +01:00 Europe/Berlin",
            "2026-11-25 15:00:33+01:00 Europe/Berlin",
            "2026-11-26T13:59:33+23:59",
        ] {
            assert_eq!(nanoseconds(text), Ok(NANOS), "{text}");
        }
        assert_eq!(nanoseconds("2026-11-25"), Ok(1_795_564_800_000_000_000));
        assert_eq!(nanoseconds("2026-11-25 14:00"), Ok(NANOS - 33_000_000_000));
        assert_eq!(nanoseconds("1969-12-31 23:59:59.5"), Ok(-500_000_000));
        for (text, part) in [
            ("yesterday", "expected a time such as"),
            ("", "expected a time such as"),
            ("25.11.2026", "expected a time such as"),
            ("2026-11-25 15:00:33 Europe/Nowhere", "found 'Europe/Nowhere'"),
            ("2026-10-25 02:30:00 Europe/Berlin", "twice or never"),
            ("2026-03-29 02:30:00 Europe/Berlin", "twice or never"),
            ("2026-10-25T02:30:00[Europe/Berlin]", "twice or never"),
            ("2026-11-25T15:00:33+05:00[Europe/Berlin]", "another offset"),
            ("2026-11-25 15:00:33+05:00 Europe/Berlin", "another offset"),
            ("2026-11-25 15:00:33+01:00[+02:00]", "another offset"),
            ("2026-11-25T15:00:33[Europe/Nowhere]", "found 'Europe/Nowhere'"),
            ("2026-11-25T15:00:33[Europe/Berlin][u-ca=hebrew]", "expected a time such as"),
            ("2026-11-25T15:00:33+25:00", "expected a time such as"),
            ("2026-11-25T15:00:33 -24:00", "expected a time such as"),
            ("2026-11-25T15:00:33[+25:00]", "found '+25:00'"),
            ("9000-01-01", "between the years"),
        ] {
            let said = nanoseconds(text).expect_err(text);
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
