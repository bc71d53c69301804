//! Daylight saving time: where it is inferred, where it isn't, and what is written reads back.

use jiff::tz::TimeZone;
use proptest::prelude::*;
use recount_model::{SampleTime, Timestamp};

use super::*;
use crate::WrittenTimes;

/// A text of one counter with these times in a zone.
fn text(zone: &str, times: &[impl AsRef<str>]) -> String {
    let mut text = format!("\"(PDH-CSV 4.0){zone}\",\"\\\\H\\Memory\\Pages\"\r\n");
    for (row, time) in times.iter().enumerate() {
        writeln!(text, "\"{}\",\"{row}\"\r", time.as_ref()).expect("a String");
    }
    text
}

fn asked(text: &str, zone: &str) -> PdhText {
    let zone = Some(TimeZone::get(zone).expect(zone));
    let options = PdhTextOptions { zone, ..PdhTextOptions::default() };
    PdhText::open(Arc::new(text.as_bytes().to_vec()), &options).expect("PDH text")
}

/// The offsets of the rows, in hours.
fn hours(text: &PdhText) -> Vec<i16> {
    text.times().iter().map(|time| time.offset_min / 60).collect()
}

fn whats(text: &PdhText) -> Vec<&str> {
    text.health().findings().iter().map(|finding| finding.what.as_str()).collect()
}

/// An hour is missing at night on a Sunday, as where clocks are put forward.
fn with_gap(date: &str) -> [String; 4] {
    ["01:58:00", "01:59:00", "03:00:00", "03:01:00"].map(|time| format!("{date} {time}.000"))
}

/// Rows that are further apart than the clock is put back don't show it: each phase, in a zone that is known.
#[test]
fn rare_rows_go_on_by_their_step_when_summer_time_ends() {
    let zone = TimeZone::get("Europe/Berlin").expect("a zone");
    let start: jiff::Timestamp = "2025-10-24T00:00:00Z".parse().expect("a time");
    for step_min in [90_i64, 120, 180, 240, 360, 720, 1_440] {
        for phase_min in (0..step_min).step_by(30) {
            let num = (4 * 24 * 60 / step_min).max(8);
            let moments =
                (0..num).map(|row| start + jiff::SignedDuration::from_mins(phase_min + row * step_min));
            let shown: Vec<String> = moments
                .map(|moment| moment.to_zoned(zone.clone()).strftime("%m/%d/%Y %H:%M:%S.000").to_string())
                .collect();
            let text = open(text(" (W. Europe Daylight Time)(-120)", &shown));
            let steps = text
                .times()
                .windows(2)
                .map(|pair| (pair[1].utc.0 - pair[0].utc.0) / (60 * Timestamp::TICKS_PER_SECOND));
            let wrong: Vec<i64> = steps.filter(|minutes| *minutes != step_min).collect();
            assert!(wrong.is_empty(), "{step_min} {phase_min}: {wrong:?}");
            let whats = whats(&text);
            assert!(
                !whats.iter().any(|what| what.contains("goes back")),
                "{step_min} {phase_min}: {whats:?}"
            );
            let is_reported =
                whats.iter().any(|what| what.contains("the clock is put back by an hour between"));
            assert!(is_reported, "{step_min} {phase_min}: {whats:?}");
        }
    }
}

#[test]
fn a_gap_is_only_a_change_where_the_clock_is_changed() {
    let (american, european) = ("03/12/2023", "03/26/2023");
    for (zone, date, expected) in [
        (" (Eastern Standard Time)(300)", american, [-5, -5, -4, -4]),
        (" (Eastern Standard Time)(300)", european, [-5; 4]),
        (" (Eastern Standard Time)(300)", "01/15/2023", [-5; 4]),
        (" (W. Europe Standard Time)(-60)", european, [1, 1, 2, 2]),
        (" (W. Europe Standard Time)(-60)", american, [1; 4]),
        (" (Mitteleuropäische Zeit)(-60)", european, [1, 1, 2, 2]),
        (" (Mitteleuropäische Zeit)(-60)", american, [1; 4]),
        (" (UTC)(0)", american, [0; 4]),
        (" (Coordinated Universal Time)(0)", european, [0; 4]),
        (" (Koordinierte Weltzeit)(0)", european, [0; 4]),
        (" (UTC-05)(300)", american, [-5; 4]),
        (" (Tokyo Standard Time)(-540)", american, [9; 4]),
        (" (US Mountain Standard Time)(420)", american, [-7; 4]),
        (" (Russian Standard Time)(-180)", european, [3; 4]),
        // Since 2022 there is none.
        (" (Iran Standard Time)(-210)", american, [-3 + 6; 4]),
    ] {
        let text = open(text(zone, &with_gap(date)));
        assert_eq!(hours(&text), expected, "{zone} {date}");
        let num_changes =
            text.health().findings().iter().filter(|finding| finding.what.contains("daylight")).count();
        assert_eq!(num_changes, usize::from(expected[0] != expected[3]), "{zone} {date}: {:?}", whats(&text));
    }
}

#[test]
fn a_step_back_is_only_a_change_where_the_clock_is_changed() {
    let rows = |date: &str| {
        ["01:58:00", "01:59:00", "01:00:00", "01:01:00"].map(|time| format!("{date}/2023 {time}"))
    };
    assert_eq!(hours(&open(text(" (Eastern Daylight Time)(240)", &rows("11/05")))), [-4, -4, -5, -5]);
    for (zone, date) in [
        (" (Eastern Daylight Time)(240)", "10/29"),
        (" (UTC)(0)", "11/05"),
        (" (Tokyo Standard Time)(-540)", "11/05"),
        (" (Eastern Standard Time)(300)", "01/15"),
    ] {
        let text = open(text(zone, &rows(date)));
        assert_eq!(hours(&text).windows(2).filter(|pair| pair[0] != pair[1]).count(), 0, "{zone} {date}");
        assert_eq!(
            whats(&text).iter().filter(|what| what.contains("time goes back")).count(),
            1,
            "{zone} {date}"
        );
    }
}

const HOURLY: [&str; 5] =
    ["10/29/2023 01:00", "10/29/2023 02:00", "10/29/2023 02:00", "10/29/2023 03:00", "10/29/2023 04:00"];

#[test]
fn hourly_rows_across_october_keep_their_times() {
    let header = text(" (W. Europe Daylight Time)(-120)", &HOURLY);
    let expected =
        ["2023-10-28T23:00:00Z", "2023-10-29T00:00:00Z", "2023-10-29T01:00:00Z", "2023-10-29T02:00:00Z"];
    let found = |text: &PdhText| times(text).into_iter().map(|(time, _)| time).take(4).collect::<Vec<_>>();
    // By the name, by the zone of the caller, and by both.
    assert_eq!(found(&open(header.clone())), expected);
    let both = asked(&header, "Europe/Berlin");
    assert_eq!(found(&both), expected);
    assert!(both.health().is_sound(), "{:?}", both.health());
    assert_eq!(both.info().zone.as_ref().map(|zone| zone.name_at(120)), Some("W. Europe Daylight Time"));
    let local = HOURLY.map(|time| format!("{time}:00"));
    assert_eq!(found(&asked(&text(" (", &local), "Europe/Berlin")), expected);
    let summer = text(" (Mitteleuropäische Sommerzeit)(-120)", &HOURLY);
    assert_eq!(found(&asked(&summer, "Europe/Berlin")), expected);
    // Another zone doesn't count.
    assert_eq!(found(&asked(&header, "America/New_York")), expected);
    // In spring, by the rules of the zone.
    let spring = ["03/26/2023 00:00", "03/26/2023 01:00", "03/26/2023 03:00", "03/26/2023 04:00"];
    assert_eq!(hours(&open(text(" (W. Europe Standard Time)(-60)", &spring))), [1, 1, 2, 2]);
    // Once a day, at the same local time.
    let daily = ["10/27/2023 12:00", "10/28/2023 12:00", "10/29/2023 12:00", "10/30/2023 12:00"];
    assert_eq!(hours(&open(text(" (W. Europe Daylight Time)(-120)", &daily))), [2, 2, 1, 1]);
}

#[test]
fn a_clock_that_is_not_changed_is_left_alone() {
    // A machine may have been told so: rows are in the skipped hour, or pass the repeated one.
    let spring = ["03/26/2023 01:45", "03/26/2023 02:00", "03/26/2023 02:15", "03/26/2023 03:15"];
    let autumn = ["10/29/2023 02:30", "10/29/2023 02:45", "10/29/2023 03:00", "10/29/2023 03:15"];
    for (zone, rows, hour) in
        [(" (W. Europe Standard Time)(-60)", spring, 1), (" (W. Europe Daylight Time)(-120)", autumn, 2)]
    {
        let text = open(text(zone, &rows));
        assert_eq!(hours(&text), [hour; 4], "{zone}");
        assert!(whats(&text)[0].contains("the rows go on as if it weren't"), "{:?}", whats(&text));
    }
    let july = open(text(" (W. Europe Standard Time)(-60)", &["07/20/2023 12:00", "07/20/2023 13:00"]));
    assert_eq!((hours(&july), july.health().total()), (vec![1, 1], 0));
}

#[test]
fn a_file_may_begin_in_the_second_pass() {
    let rows = ["10/29/2023 02:30", "10/29/2023 02:45", "10/29/2023 03:00"];
    let second = ["2023-10-29T01:30:00Z", "2023-10-29T01:45:00Z", "2023-10-29T02:00:00Z"];
    let found = |text: PdhText| times(&text).into_iter().map(|(time, _)| time).collect::<Vec<_>>();
    assert_eq!(found(open(text(" (W. Europe Standard Time)(-60)", &rows))), second);
    assert_eq!(found(asked(&text(" (W. Europe Standard Time)(-60)", &rows), "Europe/Berlin")), second);
    // Without a header's zone, by the rows: they leave the hour without a step back.
    assert_eq!(found(asked(&text("", &rows), "Europe/Berlin")), second);
    let first = ["10/29/2023 02:30", "10/29/2023 02:45", "10/29/2023 02:00", "10/29/2023 02:15"];
    assert_eq!(hours(&asked(&text("", &first), "Europe/Berlin")), [2, 2, 1, 1]);
    // Two samples of one second are no step.
    let twice = ["10/29/2023 02:30:00", "10/29/2023 02:30:00", "10/29/2023 02:30:01", "10/29/2023 02:30:01"];
    assert_eq!(hours(&asked(&text(" (W. Europe Daylight Time)(-120)", &twice), "Europe/Berlin")), [2; 4]);
}

#[test]
fn zone_and_bias_have_to_agree() {
    let rows = ["01/15/2026 10:00:00", "01/15/2026 10:00:01"];
    for (zone, expected) in [
        (
            " (Tokyo Standard Time)(540)",
            Some(
                "the bias 540 means UTC -09:00, which `Tokyo Standard Time` never was in 2026; its sign may be wrong",
            ),
        ),
        (
            " (W. Europe Standard Time)(0)",
            Some("the bias 0 means UTC +00:00, which `W. Europe Standard Time` never was in 2026: "),
        ),
        (" (W. Europe Standard Time)(-120)", Some("means UTC +02:00, which")),
        (" (UTC)(60)", Some("means UTC -01:00, which")),
        (
            " (Mitteleuropäische Zeit)(60)",
            Some("UTC -01:00, which `Mitteleuropäische Zeit` never was in 2026; its sign may be wrong"),
        ),
        (
            " (Mitteleuropäische Zeit)(0)",
            Some("means UTC +00:00, which `Mitteleuropäische Zeit` never was in 2026"),
        ),
        (" (Russian Standard Time)(-240)", Some("means UTC +04:00, which")),
        (" (RTZ 2 (зима))(-240)", Some("means UTC +04:00, which")),
        // The name is that of the other half of the year, and the bias is right.
        (" (GMT Daylight Time)(0)", None),
        (" (Eastern Daylight Time)(300)", None),
        (" (RTZ 2 (зима))(-180)", None),
        (" (Tokyo Standard Time)(-540)", None),
        (" (W. Europe Standard Time)(-60)", None),
        (" (GMT Standard Time)(0)", None),
        (" (Unbekannte Zeit)(0)", None),
        (" (EDT)(240)", None),
    ] {
        let text = open(text(zone, &rows));
        let found = text.health().findings().iter().find(|finding| finding.what.contains("disagree"));
        assert_eq!(found.is_some(), expected.is_some(), "{zone}: {:?}", whats(&text));
        assert!(found.is_none_or(
            |found| found.kind == FindingKind::Time && found.what.contains(expected.expect("text"))
        ));
        assert_eq!(text.times()[0].utc.to_string().len(), 20);
    }
    // Daylight saving time in winter, and standard time in summer, which is a clock that isn't changed.
    let summer = ["07/15/2026 10:00:00", "07/15/2026 10:00:01"];
    for (zone, rows, expected) in [
        (" (W. Europe Daylight Time)(-120)", &rows, Some("isn't UTC +02:00 at the time of the first")),
        (" (Eastern Daylight Time)(240)", &rows, Some("isn't UTC -04:00 at the time of the first")),
        (" (America/New_York)(300)", &summer, Some("isn't UTC -05:00 at the time of the first")),
        (" (AUS Eastern Daylight Time)(-660)", &summer, Some("isn't UTC +11:00 at the time of the first")),
        (" (AUS Eastern Daylight Time)(-660)", &rows, None),
        (" (W. Europe Daylight Time)(-120)", &summer, None),
        (" (W. Europe Standard Time)(-60)", &summer, None),
        (" (America/New_York)(240)", &summer, None),
        (" (GMT Standard Time)(-60)", &summer, None),
    ] {
        let text = open(text(zone, rows));
        let found = text.health().findings().iter().find(|finding| finding.what.contains("disagree"));
        assert_eq!(found.is_some(), expected.is_some(), "{zone}: {:?}", whats(&text));
        assert!(found.is_none_or(|found| found.what.contains(expected.expect("text"))), "{:?}", whats(&text));
    }
    // A recorder may write the bias of standard time in summer: the zone of the caller says so.
    for (zone, name) in [
        (" (Eastern Standard Time)(300)", "America/New_York"),
        (" (Eastern Standard Time)(300)", "America/Toronto"),
        (" (Eastern Standard Time)(300)", "Etc/GMT+4"),
        (" (W. Europe Standard Time)(-60)", "Europe/Berlin"),
    ] {
        let text = asked(&text(zone, &summer), name);
        let expected = if name.starts_with("Europe") { 120 } else { -240 };
        assert_eq!(
            (text.times()[0].offset_min, whats(&text).len()),
            (expected, 1),
            "{zone}: {:?}",
            whats(&text)
        );
        assert!(
            whats(&text)[0].contains("isn't in force at the first row: the zone asked for is used"),
            "{zone}"
        );
    }
    // It says nothing against a zone that may be right.
    for (zone, offset_min) in [
        (" (UTC)(0)", 0),
        (" (Eastern Standard Time)(300)", -300),
        (" (Tokyo Standard Time)(-540)", 540),
        (" (Unbekannte Zeit)(-300)", 300),
        (" (Unbekannte Zeit)(-60)", 60),
    ] {
        assert_eq!(asked(&text(zone, &summer), "Europe/Berlin").times()[0].offset_min, offset_min, "{zone}");
    }
    let berlin = asked(&text(" (W. Europe Daylight Time)(-120)", &rows), "Europe/Berlin");
    assert_eq!((berlin.times()[0].offset_min, berlin.health().total()), (60, 1));
    // The zone of the caller decides where the header contradicts itself.
    let tokyo = asked(&text(" (Tokyo Standard Time)(540)", &rows), "Asia/Tokyo");
    assert_eq!((hours(&tokyo), tokyo.health().total()), (vec![9, 9], 1));
    assert_eq!(tokyo.info().zone.as_ref().map(|zone| zone.name_at(540)), Some("Asia/Tokyo"));
}

#[test]
fn iso_times_say_their_offset() {
    let rows = ["2026-01-15T10:00:00.123Z", "2026-01-15T10:00:01.123Z"];
    for zone in ["", " (GMT Standard Time)(0)", " (Tokyo Standard Time)(-540)"] {
        let text = open(text(zone, &rows));
        assert_eq!(times(&text)[1], ("2026-01-15T10:00:01.123Z".to_owned(), 0), "{zone}");
        assert!(!text.info().is_zone_unknown && text.health().is_sound());
    }
    let offsets = open(text("", &["2026-03-29T01:59:59+01:00", "2026-03-29T03:00:00+0200"]));
    assert_eq!(times(&offsets)[1], ("2026-03-29T01:00:00Z".to_owned(), 120));
    assert_eq!(decode(&offsets).cooked[0].interval_s[1], Some(1.0));
    let mixed = open(text("", &["2026-01-15T10:00:00Z", "2026-01-15T10:00:01"]));
    assert_eq!((mixed.times().len(), mixed.health().count(FindingKind::Dropped)), (1, 1));
}

/// What a writer makes of times, read back.
fn read_back(zone: Option<&str>, times: &[SampleTime]) -> (PdhText, WrittenTimes) {
    let form = WrittenTimes::of(zone.map(|zone| (zone, times[0].offset_min)), times);
    let shown: Vec<String> = times
        .iter()
        .map(|time| {
            let time = SampleTime { offset_min: form.offset_min.unwrap_or(time.offset_min), ..*time };
            let civil = time.civil().expect("a time");
            let pattern = if form.is_year_first { "%Y-%m-%d %H:%M:%S%.3f" } else { "%m/%d/%Y %H:%M:%S%.3f" };
            civil.strftime(pattern).to_string()
        })
        .collect();
    let header =
        form.zone.as_ref().map(|(name, bias_min)| format!(" ({name})({bias_min})")).unwrap_or_default();
    (open(text(&header, &shown)), form)
}

fn at_noon(zone: &TimeZone, year: i16, month: i8, day: i8) -> Timestamp {
    let civil = jiff::civil::date(year, month, day).at(12, 0, 0, 0);
    Timestamp::from_jiff(civil.to_zoned(zone.clone()).expect("a time").timestamp())
}

fn in_zone(zone: &TimeZone, utc: Timestamp) -> SampleTime {
    let offset = zone.to_offset(utc.to_jiff().expect("a time"));
    SampleTime { utc, offset_min: (offset.seconds() / 60) as i16 }
}

#[test]
fn what_would_not_read_back_is_written_in_another_way() {
    let berlin = TimeZone::get("Europe/Berlin").expect("a zone");
    let begin = at_noon(&berlin, 2023, 3, 25);
    // Every minute, without the hour in which the clock is changed, by a clock that isn't.
    let minutes = (0..840).chain(900..960).map(|minute| begin.plus_minutes(minute));
    let times: Vec<SampleTime> = minutes.map(|utc| SampleTime { utc, offset_min: 60 }).collect();
    let (text, form) = read_back(Some("W. Europe Standard Time"), &times);
    assert!(form.note.is_some_and(|note| note.contains("in UTC")), "{form:?}");
    assert!(text.times().iter().zip(&times).all(|(read, time)| read.utc == time.utc));
    // Once a month, on the second: with the day first, these would be once a day.
    let monthly =
        (1..=5).map(|month| SampleTime { utc: at_noon(&TimeZone::UTC, 2023, month, 2), offset_min: 0 });
    let monthly: Vec<SampleTime> = monthly.collect();
    let (text, form) = read_back(Some("UTC"), &monthly);
    assert!(form.is_year_first && form.note.is_some(), "{form:?}");
    assert_eq!(text.times(), monthly);
}

const ZONES: [(&str, &str); 9] = [
    ("Europe/Berlin", "W. Europe Standard Time"),
    ("America/New_York", "Eastern Standard Time"),
    ("Europe/Berlin", "Mitteleuropäische Zeit"),
    ("America/New_York", "America/New_York"),
    ("Australia/Sydney", "AUS Eastern Standard Time"),
    ("Australia/Lord_Howe", "Lord Howe Standard Time"),
    ("Asia/Tokyo", "Tokyo Standard Time"),
    ("UTC", "UTC"),
    ("Europe/London", "GMT Standard Time"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever the zone, the gaps and the time of the year.
    #[test]
    fn times_read_back(
        zone in prop::sample::select(ZONES.to_vec()),
        year in 2008_i16..2030,
        (month, day) in prop::sample::select(vec![(3, 7), (3, 25), (4, 1), (7, 2), (10, 3), (10, 24), (10, 31), (1, 1)]),
        begin_min in 0_i64..14 * 24 * 60,
        step_s in prop::sample::select(vec![1_i64, 15, 60, 600, 1800, 3600, 7200, 86_400]),
        gaps in prop::collection::vec((0..60_usize, 1..200_i64), 0..4),
        num in 2..60_usize,
        keeps_offset: bool,
    ) {
        let rules = TimeZone::get(zone.0).expect(zone.0);
        let mut utc = at_noon(&rules, year, month, day).plus_minutes(begin_min);
        let mut times: Vec<SampleTime> = Vec::new();
        for row in 0..num {
            times.push(in_zone(&rules, utc));
            let gap = gaps.iter().find(|(at, _)| *at == row).map_or(0, |(_, steps)| *steps);
            utc = Timestamp(utc.0 + step_s * (1 + gap) * Timestamp::TICKS_PER_SECOND);
        }
        if keeps_offset {
            let first = times[0].offset_min;
            for time in &mut times {
                time.offset_min = first;
            }
        }
        let (text, form) = read_back(Some(zone.1), &times);
        let read: Vec<Timestamp> = text.times().iter().map(|time| time.utc).collect();
        let written: Vec<Timestamp> = times.iter().map(|time| time.utc).collect();
        prop_assert_eq!(read, written, "{:?}", form);
    }
}

/// The UTC times of rows at local times.
fn utc_of(zone: &str, local: &[&str]) -> Vec<String> {
    let rows = local.iter().map(|time| format!("\"{time}:00.000\",\"1\"\r\n")).collect::<Vec<_>>().concat();
    let text = open(format!("\"(PDH-CSV 4.0) {zone}\",\"\\\\A\\Memory\\Pages\"\r\n{rows}"));
    text.times().iter().map(|time| time.utc.to_string()[11..16].to_owned()).collect()
}

#[test]
fn rows_as_far_apart_as_the_clock_is_put_back_need_not_step_back() {
    // Half an hour less, every hour: 02:00 is 01:30 again.
    let local =
        ["04/02/2023 00:00", "04/02/2023 01:00", "04/02/2023 01:30", "04/02/2023 02:30", "04/02/2023 03:30"];
    assert_eq!(
        utc_of("(Lord Howe Daylight Time)(-660)", &local),
        ["13:00", "14:00", "15:00", "16:00", "17:00"]
    );
    // The first pass.
    let local =
        ["04/01/2023 23:45", "04/02/2023 00:45", "04/02/2023 01:45", "04/02/2023 02:15", "04/02/2023 03:15"];
    assert_eq!(
        utc_of("(Lord Howe Daylight Time)(-660)", &local),
        ["12:45", "13:45", "14:45", "15:45", "16:45"]
    );
    // Its beginning.
    let local = ["10/01/2023 00:00", "10/01/2023 01:00", "10/01/2023 02:30", "10/01/2023 03:30"];
    assert_eq!(utc_of("(Lord Howe Standard Time)(-630)", &local), ["13:30", "14:30", "15:30", "16:30"]);
    // An hour less, every two.
    let local =
        ["10/28/2023 23:00", "10/29/2023 01:00", "10/29/2023 02:00", "10/29/2023 04:00", "10/29/2023 06:00"];
    assert_eq!(
        utc_of("(W. Europe Daylight Time)(-120)", &local),
        ["21:00", "23:00", "01:00", "03:00", "05:00"]
    );
    // A clock that isn't put back.
    let local =
        ["04/02/2023 00:30", "04/02/2023 01:00", "04/02/2023 01:30", "04/02/2023 02:00", "04/02/2023 02:30"];
    assert_eq!(
        utc_of("(Lord Howe Daylight Time)(-660)", &local),
        ["13:30", "14:00", "14:30", "15:00", "15:30"]
    );
}
