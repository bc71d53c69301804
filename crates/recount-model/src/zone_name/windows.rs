//! The zones of Windows by their names: a table of the English ones, and a look-up in all languages.

use jiff::tz::TimeZone;

use super::languages;

/// Name without `Standard Time` or `Daylight Time`, in lower case, ascending; and the zone of the IANA database with the same
/// rules.
const ZONES: [(&str, &str); 148] = [
    ("afghanistan", "Asia/Kabul"),
    ("alaskan", "America/Anchorage"),
    ("aleutian", "America/Adak"),
    ("altai", "Asia/Barnaul"),
    ("arab", "Asia/Riyadh"),
    ("arabian", "Asia/Dubai"),
    ("arabic", "Asia/Baghdad"),
    ("argentina", "America/Argentina/Buenos_Aires"),
    ("astrakhan", "Europe/Astrakhan"),
    ("atlantic", "America/Halifax"),
    ("aus central", "Australia/Darwin"),
    ("aus central w.", "Australia/Eucla"),
    ("aus eastern", "Australia/Sydney"),
    ("azerbaijan", "Asia/Baku"),
    ("azores", "Atlantic/Azores"),
    ("bahia", "America/Bahia"),
    ("bangladesh", "Asia/Dhaka"),
    ("belarus", "Europe/Minsk"),
    ("bougainville", "Pacific/Bougainville"),
    ("canada central", "America/Regina"),
    ("cape verde", "Atlantic/Cape_Verde"),
    ("caucasus", "Asia/Yerevan"),
    ("cen. australia", "Australia/Adelaide"),
    ("central", "America/Chicago"),
    ("central (mexico)", "America/Mexico_City"),
    ("central america", "America/Guatemala"),
    ("central asia", "Asia/Bishkek"),
    ("central brazilian", "America/Cuiaba"),
    ("central europe", "Europe/Budapest"),
    ("central european", "Europe/Warsaw"),
    ("central pacific", "Pacific/Guadalcanal"),
    ("chatham islands", "Pacific/Chatham"),
    ("china", "Asia/Shanghai"),
    ("cuba", "America/Havana"),
    ("dateline", "Etc/GMT+12"),
    ("e. africa", "Africa/Nairobi"),
    ("e. australia", "Australia/Brisbane"),
    ("e. europe", "Europe/Chisinau"),
    ("e. south america", "America/Sao_Paulo"),
    ("easter island", "Pacific/Easter"),
    ("eastern", "America/New_York"),
    ("eastern (mexico)", "America/Cancun"),
    ("egypt", "Africa/Cairo"),
    ("ekaterinburg", "Asia/Yekaterinburg"),
    ("fiji", "Pacific/Fiji"),
    ("fle", "Europe/Kyiv"),
    ("georgian", "Asia/Tbilisi"),
    ("gmt", "Europe/London"),
    ("greenland", "America/Nuuk"),
    ("greenwich", "Atlantic/Reykjavik"),
    ("gtb", "Europe/Bucharest"),
    ("haiti", "America/Port-au-Prince"),
    ("hawaiian", "Pacific/Honolulu"),
    ("india", "Asia/Kolkata"),
    ("iran", "Asia/Tehran"),
    ("israel", "Asia/Jerusalem"),
    ("jerusalem", "Asia/Jerusalem"),
    ("jordan", "Asia/Amman"),
    ("kaliningrad", "Europe/Kaliningrad"),
    ("kamchatka", "Asia/Kamchatka"),
    ("korea", "Asia/Seoul"),
    ("libya", "Africa/Tripoli"),
    ("line islands", "Pacific/Kiritimati"),
    ("lord howe", "Australia/Lord_Howe"),
    ("magadan", "Asia/Magadan"),
    ("magallanes", "America/Punta_Arenas"),
    ("malay peninsula", "Asia/Singapore"),
    ("marquesas", "Pacific/Marquesas"),
    ("mauritius", "Indian/Mauritius"),
    ("middle east", "Asia/Beirut"),
    ("montevideo", "America/Montevideo"),
    ("morocco", "Africa/Casablanca"),
    ("mountain", "America/Denver"),
    ("mountain (mexico)", "America/Mazatlan"),
    ("myanmar", "Asia/Yangon"),
    ("n. central asia", "Asia/Novosibirsk"),
    ("namibia", "Africa/Windhoek"),
    ("nepal", "Asia/Kathmandu"),
    ("new zealand", "Pacific/Auckland"),
    ("newfoundland", "America/St_Johns"),
    ("norfolk", "Pacific/Norfolk"),
    ("north asia", "Asia/Krasnoyarsk"),
    ("north asia east", "Asia/Irkutsk"),
    ("north korea", "Asia/Pyongyang"),
    ("novosibirsk", "Asia/Novosibirsk"),
    ("omsk", "Asia/Omsk"),
    ("pacific", "America/Los_Angeles"),
    ("pacific (mexico)", "America/Tijuana"),
    ("pacific sa", "America/Santiago"),
    ("pakistan", "Asia/Karachi"),
    ("paraguay", "America/Asuncion"),
    ("qyzylorda", "Asia/Qyzylorda"),
    ("romance", "Europe/Paris"),
    ("russia time zone 10", "Asia/Srednekolymsk"),
    ("russia time zone 11", "Asia/Kamchatka"),
    ("russia time zone 3", "Europe/Samara"),
    ("russia tz 1", "Europe/Kaliningrad"),
    ("russia tz 10", "Asia/Srednekolymsk"),
    ("russia tz 11", "Asia/Kamchatka"),
    ("russia tz 2", "Europe/Moscow"),
    ("russia tz 3", "Europe/Samara"),
    ("russia tz 4", "Asia/Yekaterinburg"),
    ("russia tz 5", "Asia/Novosibirsk"),
    ("russia tz 6", "Asia/Krasnoyarsk"),
    ("russia tz 7", "Asia/Irkutsk"),
    ("russia tz 8", "Asia/Yakutsk"),
    ("russia tz 9", "Asia/Vladivostok"),
    ("russian", "Europe/Moscow"),
    ("sa eastern", "America/Cayenne"),
    ("sa pacific", "America/Bogota"),
    ("sa western", "America/La_Paz"),
    ("saint pierre", "America/Miquelon"),
    ("sakhalin", "Asia/Sakhalin"),
    ("samoa", "Pacific/Apia"),
    ("sao tome", "Africa/Sao_Tome"),
    ("saratov", "Europe/Saratov"),
    ("se asia", "Asia/Bangkok"),
    ("singapore", "Asia/Singapore"),
    ("south africa", "Africa/Johannesburg"),
    ("south sudan", "Africa/Juba"),
    ("sri lanka", "Asia/Colombo"),
    ("sudan", "Africa/Khartoum"),
    ("syria", "Asia/Damascus"),
    ("taipei", "Asia/Taipei"),
    ("tasmania", "Australia/Hobart"),
    ("tocantins", "America/Araguaina"),
    ("tokyo", "Asia/Tokyo"),
    ("tomsk", "Asia/Tomsk"),
    ("tonga", "Pacific/Tongatapu"),
    ("transbaikal", "Asia/Chita"),
    ("turkey", "Europe/Istanbul"),
    ("turks and caicos", "America/Grand_Turk"),
    ("ulaanbaatar", "Asia/Ulaanbaatar"),
    ("us eastern", "America/Indiana/Indianapolis"),
    ("us mountain", "America/Phoenix"),
    ("venezuela", "America/Caracas"),
    ("vladivostok", "Asia/Vladivostok"),
    ("volgograd", "Europe/Volgograd"),
    ("w. australia", "Australia/Perth"),
    ("w. central africa", "Africa/Lagos"),
    ("w. europe", "Europe/Berlin"),
    ("w. mongolia", "Asia/Hovd"),
    ("west asia", "Asia/Tashkent"),
    ("west bank", "Asia/Hebron"),
    ("west bank gaza", "Asia/Hebron"),
    ("west pacific", "Pacific/Port_Moresby"),
    ("yakutsk", "Asia/Yakutsk"),
    ("yukon", "America/Whitehorse"),
];

/// The zone that Windows names so, such as `W. Europe Daylight Time` or `Mitteleuropäische Sommerzeit`.
pub fn zone_of_windows(name: &str) -> Option<TimeZone> {
    iana_name(&name.to_lowercase()).and_then(|name| TimeZone::get(name).ok())
}

/// The zone in the IANA database of a name in lower case.
pub(super) fn iana_name(name: &str) -> Option<&'static str> {
    let base = name.replacen(" standard time", "", 1).replacen(" daylight time", "", 1);
    if base.len() == name.len() {
        return languages::ZONES.iter().find(|(known, _)| *known == name).map(|(_, zone)| *zone);
    }
    ZONES.binary_search_by_key(&base.as_str(), |(base, _)| base).ok().map(|at| ZONES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_zone_exists_and_is_found() {
        assert!(ZONES.is_sorted_by(|one, other| one.0 < other.0));
        for (base, zone) in ZONES {
            assert!(TimeZone::get(zone).is_ok(), "{zone}");
            assert_eq!(iana_name(&format!("{base} standard time")), Some(zone));
        }
        assert_eq!(iana_name("central daylight time (mexico)"), Some("America/Mexico_City"));
        assert_eq!((iana_name("tokyo"), iana_name("moon standard time")), (None, None));
    }
}
