//! A log of several machines: the times of its records are those of their machines' clocks, which differ from the logging
//! machine's.

use crate::support;

use std::sync::Arc;

use recount_blg::{BlgSource, Entry, RecordBuf};
use recount_model::{FindingKind, Source, Timestamp};
use support::{counter, header, time, writer};

const NUM_MACHINES: u32 = 26;
const NUM_SAMPLES: i64 = 6;
const INTERVAL: i64 = 600 * Timestamp::TICKS_PER_SECOND;
const NO_MACHINE: u32 = 0x8000_07D0;

/// When samples were taken, in local time on the Pacific coast in winter.
fn local(sample: i64) -> Timestamp {
    Timestamp(time("2026-01-13T14:20:12").0 + sample * INTERVAL)
}

/// How far the clock of a machine is off, in ticks: that of the first by `first_ms`, and by some jitter.
fn off(first_ms: i64, machine: u32, sample: i64) -> i64 {
    let jitter_ms = (7 * i64::from(machine) + 13 * sample) % 40;
    (first_ms + 1_000 * i64::from(machine) + jitter_ms) * 10_000
}

/// Each machine has a counter with a UTC clock. The first doesn't answer in the samples `silent`.
fn log(first_ms: i64, silent: &[i64]) -> Vec<u8> {
    const TIMER_100NS: u32 = 0x2051_0500;
    let mut log = writer(header("2026-01-13T22:20:12"));
    let entry = |machine: u32| Entry {
        host: format!("M{machine:02}"),
        ..counter("Processor", Some("_Total"), "% Processor Time", TIMER_100NS, 10_000_000)
    };
    let entries: Vec<Entry> = (0..NUM_MACHINES).map(entry).collect();
    log.counter_list(Timestamp(local(0).0 - 10), &entries).expect("list");
    for sample in 0..NUM_SAMPLES {
        let record = |machine: u32| {
            let utc = local(sample).plus_minutes(480).0 + off(first_ms, machine, sample);
            let status = if machine == 0 && silent.contains(&sample) { NO_MACHINE } else { 0 };
            RecordBuf::Single { status, first: 1_000 * sample as u64, second: utc as u64, multi: 1 }
        };
        log.data_block(local(sample), &(0..NUM_MACHINES).map(record).collect::<Vec<_>>()).expect("block");
    }
    let mut bytes = log.finish(time("2026-01-14T00:00:00")).expect("written").into_inner();
    for sample in 0..NUM_SAMPLES {
        let stamp = local(sample).0.to_le_bytes();
        // The event's own comes first; the catalog isn't written.
        let found: Vec<usize> = (0..bytes.len() - 8).filter(|at| bytes[*at..at + 8] == stamp).collect();
        assert_eq!(found.len(), 1 + NUM_MACHINES as usize);
        for (machine, at) in (0..).zip(&found[1..]) {
            let record = local(sample).0 + off(first_ms, machine, sample);
            bytes[*at..at + 8].copy_from_slice(&record.to_le_bytes());
        }
    }
    bytes
}

fn open(bytes: Vec<u8>) -> BlgSource {
    BlgSource::open(Arc::new(bytes)).expect("a performance log")
}

fn times(source: &BlgSource) -> Vec<Timestamp> {
    source.times().iter().map(|time| time.utc).collect()
}

fn expected() -> Vec<Timestamp> {
    (0..NUM_SAMPLES).map(|sample| local(sample).plus_minutes(480)).collect()
}

/// Also clocks that are so far off that they look like another zone.
#[test]
fn a_constant_distance_is_the_clock_of_another_machine() {
    for first_ms in [86_600, -86_600, 3_000, -700_000, 610_000, 3_600_000 * 5] {
        for silent in [&[][..], &[0], &[1], &[1, 3], &[4]] {
            let source = open(log(first_ms, silent));
            assert!(source.health().is_sound(), "{first_ms} {silent:?}: {:?}", source.health());
            assert_eq!(times(&source), expected(), "{first_ms} {silent:?}");
        }
    }
}

/// A damaged stamp of an event is still replaced, by that of the record without the distance.
#[test]
fn a_damaged_event_in_such_a_log_is_reported() {
    for sample in 0..NUM_SAMPLES {
        let mut bytes = log(86_600, &[]);
        let stamp = local(sample).0.to_le_bytes();
        let at = (0..bytes.len() - 8).find(|at| bytes[*at..at + 8] == stamp).expect("the event");
        bytes[at + 5] ^= 1;
        let source = open(bytes);
        assert_eq!(source.health().count(FindingKind::Damaged), 1, "{sample}: {:?}", source.health());
        for (found, expected) in times(&source).iter().zip(expected()) {
            assert!(found.0.abs_diff(expected.0) < Timestamp::TICKS_PER_SECOND as u64, "{sample}: {found}");
        }
    }
}
