//! A zone in Windows' form.

use recount_bytes::SystemTime;
use recount_model::Zone;

use crate::ZoneRecord;

impl ZoneRecord {
    /// The record of a zone; `None` if its rule can't be expressed.
    pub fn from_zone(zone: &Zone) -> Option<ZoneRecord> {
        let mut record = ZoneRecord {
            bias: zone.bias_min,
            standard_name: zone.standard_name.as_str().into(),
            daylight_name: zone.daylight_name.as_str().into(),
            ..ZoneRecord::default()
        };
        let Some(rule) = &zone.posix else { return Some(record) };
        let rest = skip_name(rule)?;
        let (standard, rest) = offset(rest)?;
        record.bias = standard;
        if rest.is_empty() {
            return Some(record);
        }
        let rest = skip_name(rest)?;
        let (daylight, rest) = if rest.starts_with(',') { (standard - 60, rest) } else { offset(rest)? };
        record.daylight_bias = daylight - standard;
        let (begin, end) = rest.strip_prefix(',')?.split_once(',')?;
        record.daylight_date = date(begin)?;
        record.standard_date = date(end)?;
        Some(record)
    }
}

/// Skips `<+01>` or `CET`.
fn skip_name(rule: &str) -> Option<&str> {
    if let Some(quoted) = rule.strip_prefix('<') {
        return quoted.split_once('>').map(|(_, rest)| rest);
    }
    let len = rule.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rule.len());
    (len >= 3).then(|| &rule[len..])
}

/// `[+-]hh[:mm[:ss]]`, UTC minus local in minutes.
fn offset(rule: &str) -> Option<(i32, &str)> {
    let len = rule.find(|c: char| !matches!(c, '+' | '-' | ':' | '0'..='9')).unwrap_or(rule.len());
    let (text, rest) = rule.split_at(len);
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1, text),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let seconds = i32::try_from(clock(text)?).ok()?;
    (seconds % 60 == 0).then_some((sign * seconds / 60, rest))
}

/// `hh[:mm[:ss]]`, in seconds.
fn clock(text: &str) -> Option<u32> {
    let mut parts = text.split(':').map(|part| part.parse::<u32>().ok().filter(|&part| part < 1_000));
    let hours = parts.next()??;
    let minutes = parts.next().unwrap_or(Some(0))?;
    let seconds = parts.next().unwrap_or(Some(0))?;
    (parts.next().is_none() && minutes < 60 && seconds < 60).then_some(hours * 3_600 + minutes * 60 + seconds)
}

/// `Mm.w.d[/time]` or `Jn[/time]`.
fn date(rule: &str) -> Option<SystemTime> {
    let (day, time) = rule.split_once('/').unwrap_or((rule, "2"));
    let seconds = clock(time)?;
    let mut date = match seconds {
        // The end of a day is stored as its last millisecond.
        86_400 => SystemTime { hour: 23, minute: 59, second: 59, milliseconds: 999, ..SystemTime::default() },
        0..86_400 => SystemTime {
            hour: u16::try_from(seconds / 3_600).ok()?,
            minute: u16::try_from(seconds / 60 % 60).ok()?,
            second: u16::try_from(seconds % 60).ok()?,
            ..SystemTime::default()
        },
        _ => return None,
    };
    if let Some(number) = day.strip_prefix('J') {
        // Without 29 February, as in a common year.
        let number: i16 = number.parse().ok().filter(|number| (1..=365).contains(number))?;
        let of_year = jiff::civil::date(2001, 1, 1).with().day_of_year(number).build().ok()?;
        date.year = 2001;
        date.month = u16::try_from(of_year.month()).ok()?;
        date.day = u16::try_from(of_year.day()).ok()?;
        return Some(date);
    }
    let mut parts = day.strip_prefix('M')?.split('.').map(|part| part.parse::<u16>().ok());
    (date.month, date.day, date.day_of_week) = (parts.next()??, parts.next()??, parts.next()??);
    let is_sane = (1..=12).contains(&date.month) && (1..=5).contains(&date.day) && date.day_of_week <= 6;
    (parts.next().is_none() && is_sane).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_time::model_zone;

    fn record(rule: &str) -> Option<ZoneRecord> {
        ZoneRecord::from_zone(&Zone {
            standard_name: "S".into(),
            daylight_name: "D".into(),
            bias_min: 7,
            posix: Some(rule.to_owned()),
        })
    }

    /// Rules as written by other systems, and how the reader of the record interprets them.
    #[test]
    fn rules_come_back() {
        for (rule, read) in [
            ("CET-1CEST,M3.5.0,M10.5.0/3", "<STD>-01:00<DST>-02:00,M3.5.0/02:00,M10.5.0/03:00"),
            ("PST8PDT,M3.2.0,M11.1.0", "<STD>08:00<DST>07:00,M3.2.0/02:00,M11.1.0/02:00"),
            ("<+0330>-3:30", "<STD>-03:30"),
            ("<-03>3<-02>,M3.5.0/24,M10.5.0/0", "<STD>03:00<DST>02:00,M3.5.0/24:00,M10.5.0/00:00"),
            ("AAA1BBB,J60/1:30,J300", "<STD>01:00<DST>00:00,J60/01:30,J300/02:00"),
        ] {
            let record = record(rule).unwrap_or_else(|| panic!("{rule}"));
            assert_eq!(model_zone(&record).posix.as_deref(), Some(read), "{rule}");
        }
        let utc = ZoneRecord::from_zone(&Zone {
            standard_name: "UTC".into(),
            daylight_name: String::new(),
            bias_min: 0,
            posix: None,
        });
        assert_eq!(utc.map(|record| (record.bias, record.standard_name)), Some((0, "UTC".into())));
    }

    #[test]
    fn what_windows_cannot_say_has_no_record() {
        for rule in [
            "",
            "CET",
            "CET-1CEST",
            "X1",
            "AAA1BBB,59,J300",
            "AAA1BBB,M3.5.0/-1,M10.5.0",
            "AAA0:00:30",
            "AAA1BBB,M13.1.0,M1.1.0",
        ] {
            assert_eq!(record(rule), None, "{rule}");
        }
    }
}
