//! The values of the raw dumps and of the text captures.

use recount::{Status, open_all};

use crate::cells::{assert_series, cells, from_second};
use crate::places::{open_sample, series, series_names};

#[test]
fn a_series_of_dumps_has_rates() {
    let captures = open_all(&series(), &series_names()).expect("dumps");
    assert_eq!(captures.len(), 1);
    let cells = cells(&captures);
    assert_series(&cells, r"System\Context Switches/sec", |k| from_second(k, 12_345.0 / 10.0));
    assert_series(&cells, r"System\Processor Queue Length", |k| Some(Ok(f64::from(2 * k))));
    assert_series(&cells, r"System\System Up Time", |k| Some(Ok(f64::from(3_600 + 10 * k))));
    let path = |counter: &str| format!(r"Network Interface(Intel[R] 82574L)\{counter}");
    assert_series(&cells, &path("Bytes Total/sec"), |k| from_second(k, 250_000.0 / 10.0));
    assert_series(&cells, &path("Current Bandwidth"), |_| Some(Ok(1e9)));
}

#[test]
fn a_big_endian_block_has_the_values_of_its_machine() {
    let captures = open_sample("big-endian.bin");
    assert_eq!(captures[0].source.times()[0].utc.to_string(), "1998-07-01T12:00:00Z");
    let cells = cells(&captures);
    assert_series(&cells, r"2\146", |_| Some(Err(Status::FirstSample)));
    assert_series(&cells, r"2\44", |_| Some(Ok(3.0)));
    assert_series(&cells, r"2\674", |_| Some(Ok(1_234.0)));
    assert_series(&cells, r"510(tr0)\388", |_| Some(Err(Status::FirstSample)));
    assert_series(&cells, r"510(tr0)\520", |_| Some(Ok(16e6)));
}

#[test]
fn german_text_is_read_with_its_comma_and_its_dates() {
    let captures = open_sample("relog-german.csv");
    let times: Vec<String> = captures[0].source.times().iter().map(|time| time.utc.to_string()).collect();
    let expected = [
        "2019-03-05T22:59:30.125Z",
        "2019-03-05T22:59:45.125Z",
        "2019-03-05T23:00:00.125Z",
        "2019-03-05T23:00:15.125Z",
    ];
    assert_eq!(times, expected);
    let cells = cells(&captures);
    let none = Some(Err(Status::InvalidData));
    let at =
        |values: [Option<f64>; 4]| move |k: i32| values[k as usize].map_or(none, |value| Some(Ok(value)));
    assert_series(
        &cells,
        r"Prozessor(_Total)\Prozessorzeit (%)",
        at([None, Some(12.5), Some(7.8125), Some(100.0)]),
    );
    assert_series(&cells, r"Arbeitsspeicher\Verfügbare Bytes", |k| {
        Some(Ok(4_294_967_296.0 - 4_096.0 * f64::from(k)))
    });
    assert_series(
        &cells,
        r"Physischer Datenträger(0 C:)\Mittlere Sek./Lesevorgänge",
        at([None, Some(0.004_25), None, Some(1.5e-5)]),
    );
}

#[test]
fn typeperf_text_has_times_of_an_unknown_zone() {
    let captures = open_sample("typeperf.tsv");
    assert!(captures[0].source.info().is_zone_unknown);
    assert_eq!(captures[0].source.times()[0].utc.to_string(), "2026-11-20T09:15:01.25Z");
    assert_eq!(captures[0].health().count(recount::FindingKind::Time), 1);
    let cells = cells(&captures);
    let at = |values: [f64; 3]| move |k: i32| Some(Ok(values[k as usize]));
    assert_series(&cells, r"System\Processes", at([181.0, 182.0, 180.0]));
    // typeperf writes -1 for missing values; in a file this can't be distinguished from the number.
    assert_series(&cells, r"Processor(0)\% Idle Time", at([-1.0, 93.75, 87.5]));
}
