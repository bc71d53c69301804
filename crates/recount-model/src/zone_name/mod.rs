//! Time zones as people and Windows name them.

mod languages;
mod windows;

use std::fmt;
use std::str::FromStr;

use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::{Offset, TimeZone};

pub use windows::zone_of_windows;

use crate::clock::offset_text;

/// A time zone as people name it: by its name in the IANA database, by that of Windows, or by its offset from UTC.
///
/// ```
/// use recount_model::ZoneName;
///
/// let zone: ZoneName = "+03:00".parse()?;
/// assert_eq!(zone.to_string(), "+03:00");
/// assert_eq!("europe/moscow".parse::<ZoneName>()?.to_string(), "Europe/Moscow");
/// assert_eq!("Russian Standard Time".parse::<ZoneName>()?.to_string(), "Europe/Moscow");
/// # Ok::<(), recount_model::ZoneNameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneName(TimeZone);

/// Why a text names no zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ZoneNameError {
    /// Neither a name nor an offset.
    #[error(
        "no such time zone: write a name of the IANA database, such as Europe/Moscow, one of Windows, such as Russian Standard Time, or an offset, such as +03:00"
    )]
    Unknown,
    /// An offset that no zone has.
    #[error("an offset has whole minutes, and at most 16 hours")]
    Offset,
}

/// The largest offset that a header of PDH text may have (`formats/pdh-text.md`, "Header"); real ones end at 14 hours.
const MAX_OFFSET_S: i32 = 16 * 3_600;

impl ZoneName {
    /// Its offsets over time.
    pub fn rules(&self) -> &TimeZone {
        &self.0
    }

    /// The offset, if it is named by that.
    fn offset(&self) -> Option<Offset> {
        self.0.to_fixed_offset().ok().filter(|_| self.0.iana_name().is_none())
    }
}

impl FromStr for ZoneName {
    type Err = ZoneNameError;

    fn from_str(text: &str) -> Result<ZoneName, ZoneNameError> {
        if let Some(zone) = TimeZone::get(text).ok().or_else(|| zone_of_windows(text)) {
            return Ok(ZoneName(zone));
        }
        let offset =
            DateTimeParser::new().parse_time_zone(text).ok().filter(|_| text.starts_with(['+', '-']));
        let offset = offset.and_then(|zone| zone.to_fixed_offset().ok()).ok_or(ZoneNameError::Unknown)?;
        let seconds = offset.seconds();
        if seconds.abs() > MAX_OFFSET_S || seconds % 60 != 0 {
            return Err(ZoneNameError::Offset);
        }
        Ok(ZoneName(TimeZone::fixed(offset)))
    }
}

impl fmt::Display for ZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.offset(), self.0.iana_name()) {
            (Some(offset), _) => f.write_str(&offset_text(i64::from(offset.seconds() / 60))),
            (None, name) => f.write_str(name.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_names_or_offsets() {
        for (text, seconds, shown) in [
            ("Europe/Moscow", 10_800, "Europe/Moscow"),
            ("europe/moscow", 10_800, "Europe/Moscow"),
            ("russian standard time", 10_800, "Europe/Moscow"),
            ("Mitteleuropäische Zeit", 7_200, "Europe/Berlin"),
            ("UTC", 0, "UTC"),
            ("+05:30", 19_800, "+05:30"),
            ("-08:00", -28_800, "-08:00"),
            ("-00:30", -1_800, "-00:30"),
            ("+00:00", 0, "UTC"),
            ("+14", 50_400, "+14:00"),
            ("-1600", -57_600, "-16:00"),
        ] {
            let zone: ZoneName = text.parse().expect(text);
            let time = "2020-07-01T00:00:00Z".parse().expect("a time");
            assert_eq!(zone.rules().to_offset(time).seconds(), seconds, "{text}");
            assert_eq!(zone.to_string(), shown);
            assert_eq!(shown.parse(), Ok(zone));
        }
        for bad in ["", "Moscow", "Moon Standard Time", "+99:00", "+x", "03:00"] {
            assert_eq!(bad.parse::<ZoneName>(), Err(ZoneNameError::Unknown), "{bad}");
        }
        for bad in ["+25:00", "-16:01", "+03:00:30", "+23:00"] {
            assert_eq!(bad.parse::<ZoneName>(), Err(ZoneNameError::Offset), "{bad}");
        }
    }
}
