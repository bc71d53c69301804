//! The values of `counters-dst.blg`, `circular.blg` and `damaged.blg`.

use std::collections::BTreeSet;

use recount::{Capture, SampleTime, Status};

use crate::cells::{Cells, assert_series, cells, from_second, series};
use crate::places::open_sample;

fn times(captures: &[Capture]) -> &[SampleTime] {
    captures[0].source.times()
}

#[test]
fn the_hour_that_comes_twice_is_distinguished() {
    let captures = open_sample("counters-dst.blg");
    let utc: Vec<String> = times(&captures).iter().map(|time| time.utc.to_string()).collect();
    let expected = [
        "2019-10-26T23:40:00Z",
        "2019-10-27T00:00:00Z",
        "2019-10-27T00:20:00Z",
        "2019-10-27T00:40:00Z",
        "2019-10-27T01:00:00Z",
        "2019-10-27T01:20:00Z",
        "2019-10-27T01:40:00Z",
        "2019-10-27T02:00:00Z",
        "2019-10-27T02:20:00Z",
    ];
    assert_eq!(utc, expected);
    let local: Vec<String> = times(&captures)
        .iter()
        .map(|time| time.civil().expect("civil").to_string()[11..].to_owned())
        .collect();
    let expected = ["01:40", "02:00", "02:20", "02:40", "02:00", "02:20", "02:40", "03:00", "03:20"];
    assert_eq!(local, expected.map(|time| format!("{time}:00")));
}

#[test]
fn values_over_the_end_of_daylight_saving_time() {
    let cells = cells(&open_sample("counters-dst.blg"));
    assert_series(&cells, r"Memory\Available Bytes", |k| Some(Ok(8e9 - 1_048_576.0 * f64::from(k))));
    // 600,000 * (k^2 - (k-1)^2) bytes in 1,200 s.
    assert_series(&cells, r"Network Interface(Ethernet)\Bytes Total/sec", |k| {
        from_second(k, 500.0 * f64::from(2 * k - 1))
    });
    assert_series(&cells, r"Network Interface(Wi-Fi [5 GHz])\Bytes Total/sec", |k| match k {
        ..3 => None,
        3 => Some(Err(Status::NoPreviousInstance)),
        _ => Some(Ok(2.0)),
    });
    // The DWORD wraps between samples 1 and 2; sample 5 failed.
    assert_series(&cells, r"Memory\Pages/sec", |k| match k {
        5 | 6 => Some(Err(Status::InvalidData)),
        k => from_second(k, 1.0),
    });
    assert_series(&cells, r"LogicalDisk(C:)\Avg. Disk Bytes/Read", |k| match k {
        2 => Some(Err(Status::NoOperations)),
        k => from_second(k, 65_536.0),
    });
}

#[test]
fn a_circular_log_is_read_in_order_of_time() {
    let captures = open_sample("circular.blg");
    assert!(captures[0].source.health().is_sound(), "{:?}", captures[0].source.health());
    assert_eq!(times(&captures).len(), 30);
    let seconds =
        times(&captures).windows(2).map(|pair| pair[1].utc.seconds_since(pair[0].utc)).collect::<Vec<_>>();
    assert_eq!(seconds, [1.0; 29]);
    let cells = cells(&captures);
    // 1,000 k + 7 k^2 switches since the first sample.
    assert_series(&cells, r"System\Context Switches/sec", |k| {
        from_second(k, 1_000.0 + 7.0 * f64::from(2 * k - 1))
    });
    for number in [0, 17, 39] {
        assert_series(&cells, &format!(r"Process(process {number})\Handle Count"), |k| {
            Some(Ok(f64::from(100 * number + k)))
        });
    }
}

/// The interval that a cell spans differs where an object of a sample is lost; all other cells are those of the
/// undamaged log.
#[test]
fn damage_costs_what_it_hit_and_nothing_else() {
    let captures = open_sample("damaged.blg");
    assert_eq!(times(&captures).len(), 7, "the last sample is torn");
    let (damaged, whole) = (cells(&captures), cells(&open_sample("objects.blg")));
    let same = |found: &Cells| found.iter().all(|(key, cell)| whole.get(key) == Some(cell));
    let lost: BTreeSet<&(String, String)> =
        whole.keys().filter(|key| !damaged.contains_key(*key) && key.0 != "2013-02-20T10:01:45Z").collect();
    let times: BTreeSet<&String> = lost.iter().map(|(time, _)| time).collect();
    let objects: BTreeSet<&str> = lost.iter().filter_map(|(_, path)| path.split('(').next()).collect();
    assert_eq!((times.len(), objects.into_iter().collect::<Vec<_>>()), (1, vec!["Processor"]));
    assert_eq!(lost.len(), 9, "three counters of three instances");
    let (hit, others): (Cells, Cells) =
        damaged.into_iter().partition(|((_, path), _)| path.starts_with("Processor("));
    assert!(same(&others));
    // The sample after the lost one spans two intervals, still with 50,000,000 interrupts in each.
    let interrupts = series(&hit, r"Processor(0)\Interrupts/sec");
    assert_eq!(interrupts.len(), 6);
    assert_series(&hit, r"Processor(0)\Interrupts/sec", |k| from_second(k, 50_000_000.0 / 15.0));
}
