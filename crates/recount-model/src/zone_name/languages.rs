//! The zones of Windows by their names in languages other than English. Of each language, only zones where many people speak it are listed.

/// Name in lower case, and the zone of the IANA database with the same rules.
pub(super) const ZONES: [(&str, &str); 39] = [
    ("mitteleuropäische zeit", "Europe/Berlin"),
    ("mitteleuropäische sommerzeit", "Europe/Berlin"),
    ("paris, madrid", "Europe/Paris"),
    ("paris, madrid (heure d\u{2019}été)", "Europe/Paris"),
    ("paris, madrid (heure d'été)", "Europe/Paris"),
    ("europe de l\u{2019}ouest", "Europe/Berlin"),
    ("europe de l'ouest", "Europe/Berlin"),
    ("europe de l\u{2019}ouest (heure d\u{2019}été)", "Europe/Berlin"),
    ("europe de l'ouest (heure d'été)", "Europe/Berlin"),
    ("hora estándar romance", "Europe/Paris"),
    ("hora de verano romance", "Europe/Paris"),
    ("hora estándar central (méxico)", "America/Mexico_City"),
    ("ora solare europa occidentale", "Europe/Berlin"),
    ("ora legale europa occidentale", "Europe/Berlin"),
    ("west-europa (standaardtijd)", "Europe/Berlin"),
    ("west-europa (zomertijd)", "Europe/Berlin"),
    ("västeuropa, normaltid", "Europe/Berlin"),
    ("västeuropa, sommartid", "Europe/Berlin"),
    ("střední evropa (běžný čas)", "Europe/Budapest"),
    ("střední evropa (letní čas)", "Europe/Budapest"),
    ("środkowoeuropejski czas stand.", "Europe/Warsaw"),
    ("środkowoeuropejski czas letni", "Europe/Warsaw"),
    ("hora oficial do brasil", "America/Sao_Paulo"),
    ("türkiye standart saati", "Europe/Istanbul"),
    ("московское время (зима)", "Europe/Moscow"),
    ("rtz 1 (зима)", "Europe/Kaliningrad"),
    ("rtz 2 (зима)", "Europe/Moscow"),
    ("rtz 3 (зима)", "Europe/Samara"),
    ("rtz 4 (зима)", "Asia/Yekaterinburg"),
    ("rtz 6 (зима)", "Asia/Krasnoyarsk"),
    ("rtz 7 (зима)", "Asia/Irkutsk"),
    ("rtz 8 (зима)", "Asia/Yakutsk"),
    ("rtz 9 (зима)", "Asia/Vladivostok"),
    ("rtz 10 (зима)", "Asia/Srednekolymsk"),
    ("rtz 11 (зима)", "Asia/Kamchatka"),
    ("東京 (標準時)", "Asia/Tokyo"),
    ("中国标准时间", "Asia/Shanghai"),
    ("台北標準時間", "Asia/Taipei"),
    ("대한민국 표준시", "Asia/Seoul"),
];

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::zone_name::windows::iana_name;

    #[test]
    fn every_zone_exists_and_is_found() {
        for (name, zone) in ZONES {
            assert!(TimeZone::get(zone).is_ok() && name.to_lowercase() == name, "{name}: {zone}");
            assert_eq!(iana_name(name), Some(zone));
        }
    }
}
