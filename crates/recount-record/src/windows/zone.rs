//! The time zone, as reported by Windows.

use recount_bytes::ZoneRule;

/// `DYNAMIC_TIME_ZONE_INFORMATION`, without the fields that aren't about time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneFields {
    /// `TimeZoneKeyName`: the same in all languages, e.g. `Pacific Standard Time`.
    pub key_name: String,
    /// `StandardName`, in the system's language, for when there is no key name.
    pub standard_name: String,
    /// Biases and dates.
    pub rule: ZoneRule,
}

impl ZoneFields {
    /// The zone's name.
    pub fn name(&self) -> &str {
        if self.key_name.is_empty() { &self.standard_name } else { &self.key_name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_key() {
        let mut zone =
            ZoneFields { standard_name: "Mitteleuropäische Zeit".into(), ..ZoneFields::default() };
        assert_eq!(zone.name(), "Mitteleuropäische Zeit");
        zone.key_name = "W. Europe Standard Time".into();
        assert_eq!(zone.name(), "W. Europe Standard Time");
    }
}
