//! Values that a number in the file makes impossible: samples whose numbers of items are wrong, sums that can't go on,
//! differences below 0.

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_bytes::ByteOrder;
use recount_model::{Source, Status, Timestamp};
use recount_samples::other_logs::sa::{CREATED, Entry, Writer};
use recount_sysstat::{SaSource, dump};
use support::{Cells, cells, cells_of};

const CPU: Entry = (1, 0x8b, 4, true, 80, [10, 0, 0]);
const SWITCHES: Entry = (2, 0x8b, 1, false, 16, [1, 1, 0]);
const DISKS: Entry = (11, 0x8c, 2, true, 80, [3, 3, 8]);
const INTERFACES: Entry = (12, 0x8d, 2, true, 80, [7, 0, 1]);
const FILE_SYSTEMS: Entry = (37, 0x8b, 1, true, 296, [5, 0, 0]);

fn open(bytes: &[u8]) -> Arc<SaSource> {
    Arc::new(SaSource::open(Arc::new(bytes.to_vec())).expect("opens"))
}

#[track_caller]
fn cell(cells: &Cells, object: &str, instance: &str, counter: &str) -> Result<f64, Status> {
    let path = (object.to_owned(), instance.to_owned(), counter.to_owned());
    *cells.get(&path).unwrap_or_else(|| panic!("no {path:?} in {:?}", cells.keys().collect::<Vec<_>>()))
}

/// A sample of three CPUs, two disks and two interfaces; also returns where its numbers of items are.
fn put(writer: &mut Writer, step: u64) -> [usize; 3] {
    let mut at = [0; 3];
    let bytes = writer.record(1, 1_000 * step);
    at[0] = bytes.all.len();
    bytes.put(4_u32);
    for _ in 0..4 {
        bytes.quads(&[400 * step, 0, 100 * step, 500 * step, 0, 0, 0, 0, 0, 0]);
    }
    bytes.quads(&[5_000 * step]).longs(&[20 * step]);
    at[1] = bytes.all.len();
    bytes.put(2_u32);
    for minor in [0, 16] {
        bytes.quads(&[50 * step, 0, 0]).longs(&[400 * step, 800 * step, 0]);
        bytes.words(&[100, 300, 250, 400].map(|ms| ms * step as u32)).words(&[8, minor, 0, 0]);
    }
    at[2] = bytes.all.len();
    bytes.put(2_u32);
    for name in ["eth0", "eth1"] {
        bytes
            .quads(&[10 * step, 20 * step, 1_024 * step, 2_048 * step, 0, 0, 0])
            .put(1_000_u32)
            .text(name, 16)
            .zeros(4);
    }
    at
}

const NUM_SAMPLES: u64 = 7;

/// The file, and where the numbers of items of each sample are.
fn counted(order: ByteOrder) -> (Vec<u8>, Vec<[usize; 3]>) {
    let mut writer = Writer::new(0x2175, order, 8, &[CPU, SWITCHES, DISKS, INTERFACES]);
    let places = (1..=NUM_SAMPLES).map(|step| put(&mut writer, step)).collect();
    (writer.bytes.all, places)
}

/// Whatever number a sample claims, no value is shown that isn't in the sound file.
#[test]
fn wrong_numbers_of_items_cost_their_sample() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let (bytes, places) = counted(order);
        let sound: BTreeMap<Timestamp, Cells> =
            cells(&open(&bytes), 4 << 20).0.into_iter().map(|((_, time), cells)| (time, cells)).collect();
        for (sample, places) in places.iter().enumerate() {
            for (place, wrong) in places.iter().flat_map(|&place| (0..=40).map(move |wrong| (place, wrong))) {
                let mut damaged = bytes.clone();
                let right = damaged[place..place + 4].to_vec();
                let number =
                    if order == ByteOrder::Big { u32::to_be_bytes(wrong) } else { u32::to_le_bytes(wrong) };
                damaged[place..place + 4].copy_from_slice(&number);
                if number[..] == right {
                    continue;
                }
                let source = open(&damaged);
                let what = format!("{order:?} sample {sample} at {place:#x}: {wrong}");
                assert!(!source.health().is_complete(), "{what}");
                let found = cells(&source, 4 << 20).0;
                // A number that is far too high may hide the samples that it takes for items.
                let is_far_off = wrong > 6;
                assert!(
                    found.len() >= NUM_SAMPLES as usize - 2 || is_far_off && !found.is_empty(),
                    "{what}: {} left",
                    found.len()
                );
                for ((_, time), cells) in found {
                    let sound = sound.get(&time).unwrap_or_else(|| panic!("{what}: {time} is none"));
                    assert_eq!(cells.keys().collect::<Vec<_>>(), sound.keys().collect::<Vec<_>>(), "{what}");
                    let is_sound =
                        |(path, value): (&_, &Result<f64, Status>)| value.is_err() || sound[path] == *value;
                    assert!(cells.iter().all(is_sound), "{what}: {time}");
                }
                let mut text = String::new();
                dump(&damaged, usize::MAX, &mut text).expect("a dump");
                assert!(text.contains("\n! "), "{what}");
            }
        }
    }
}

/// A damaged head says nothing against the sample before it.
#[test]
fn a_damaged_head_costs_its_own_sample_only() {
    let (bytes, _) = counted(ByteOrder::Little);
    let len_record = (bytes.len() - records(&bytes)) / NUM_SAMPLES as usize;
    for at in 0..24 {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[records(&bytes) + 3 * len_record + at] ^= 1 << bit;
            let source = open(&damaged);
            let third =
                source.times().iter().any(|time| time.utc.to_string().starts_with("2026-02-01T00:00:30"));
            assert!(third && source.times().len() >= 6, "{at} {bit}: {:?}", source.times());
        }
    }
}

/// Where the first record begins.
fn records(bytes: &[u8]) -> usize {
    const LEN_HEADERS: usize = 76 + 336;
    bytes.len().min(LEN_HEADERS + 4 * 36)
}

/// In the older formats restarts say how many items follow.
#[test]
fn wrong_numbers_after_a_restart_cost_its_samples() {
    for wrong in [1_u32, 2, 4, 5, 9] {
        let mut writer = Writer::new(
            0x2173,
            ByteOrder::Little,
            8,
            &[(1, 0x8a, 3, false, 160, [0; 3]), (2, 0x8a, 1, false, 32, [0; 3])],
        );
        let mut place = 0;
        for step in 1..=6 {
            if step == 4 {
                writer.restart(3_500);
                place = writer.bytes.all.len() - 12;
            }
            let bytes = writer.record(1, 1_000 * step);
            for _ in 0..3 {
                for ticks in [400, 0, 100, 500, 0, 0, 0, 0, 0, 0] {
                    bytes.quads(&[ticks * step, 0]);
                }
            }
            bytes.quads(&[5_000 * step, 0]).longs(&[20 * step, 0]);
        }
        let mut damaged = writer.bytes.all.clone();
        damaged[place..place + 4].copy_from_slice(&wrong.to_le_bytes());
        let found = cells(&open(&damaged), 4 << 20).0;
        assert!(found.len() >= 3, "{wrong}");
        for cells in found.into_values() {
            let value = cell(&cells, "sar.pcsw", "", "cswch/s");
            assert!(value.is_err() || value == Ok(500.0), "{wrong}: {value:?}");
        }
    }
}

/// Bytes that don't belong into a sample move everything behind them: no value of it can be known. RHEL 6 and sysstat 11 and
/// before don't state numbers of items.
#[test]
fn bytes_inserted_into_a_sample_cost_that_sample() {
    let entries = [(1, 0x8a, 3, false, 160, [0; 3]), (2, 0x8a, 1, false, 32, [0; 3])];
    let mut writer = Writer::new(0x2173, ByteOrder::Little, 8, &entries);
    let mut begins = Vec::new();
    for step in 1..=6 {
        let bytes = writer.record(1, 1_000 * step);
        begins.push(bytes.all.len());
        for _ in 0..3 {
            for ticks in [400, 0, 100, 500, 0, 0, 0, 0, 0, 0] {
                bytes.quads(&[ticks * step, 0]);
            }
        }
        bytes.quads(&[5_000 * step, 0]).longs(&[20 * step, 0]);
    }
    let sound = cells(&open(&writer.bytes.all), 4 << 20).0;
    for (num, at) in [(4, 0), (8, 40), (300, 160), (300, 470), (5_000, 80)] {
        let mut damaged = writer.bytes.all.clone();
        let place = begins[2] + at;
        damaged.splice(place..place, std::iter::repeat_n(0x55, num));
        let source = open(&damaged);
        assert!(!source.health().is_complete(), "{num} {at}");
        let found = cells(&source, 4 << 20).0;
        let seconds: Vec<String> = found.keys().map(|(_, time)| time.to_string()).collect();
        assert!(!seconds.iter().any(|time| time.contains(":30")), "{num} {at}: {seconds:?}");
        assert!(found.len() >= 4, "{num} {at}: {seconds:?}");
        for ((_, time), cells) in found {
            let of_sound = sound.iter().find(|((_, sound), _)| *sound == time).map(|(_, cells)| cells);
            let is_sound = |(path, value): (&support::Path, &Result<f64, Status>)| {
                value.is_err() || of_sound.is_some_and(|sound| sound[path] == *value)
            };
            assert!(cells.iter().all(is_sound), "{num} {at}: {time}");
        }
    }
}

/// One reading of 2^64 - 1 costs the values beside it, and none later.
#[test]
fn a_glitch_costs_the_values_beside_it() {
    for speed in [1_u32, 10, 1_000, 100_000] {
        for duplex in [1_u8, 2] {
            let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[CPU, INTERFACES]);
            for step in 1..=8_u64 {
                let glitch = |value: u64| if step == 4 { u64::MAX } else { value };
                let bytes = writer.record(1, 1_000 * step);
                bytes.put(3_u32).quads(&[0; 10]);
                for _ in 0..2 {
                    bytes.quads(&[400 * step, 0, 100 * step, glitch(500 * step), 0, 0, 0, 0, 0, 0]);
                }
                bytes.put(1_u32).quads(&[9, 9, glitch(1_000 * step), 500 * step, 0, 0, 0]).put(speed);
                bytes.text("eth0", 16).put([duplex, 0, 0, 0]);
            }
            let source = open(&writer.bytes.all);
            let samples: Vec<Cells> = cells(&source, 4 << 20).0.into_values().collect();
            assert_eq!(samples.len(), 8);
            let bytes = if duplex == 2 { 1_000.0 } else { 1_500.0 };
            for at in [1, 2, 5, 6, 7] {
                let load = cell(&samples[at], "sar.net_dev", "eth0", "%ifutil").expect("a value");
                let expected = bytes * 8.0 / f64::from(speed) / 1e6 / 10.0 * 100.0;
                assert!((load / expected - 1.0).abs() < 1e-3, "{speed} {duplex} {at}: {load} {expected}");
                for cpu in ["all", "0"] {
                    assert_eq!(cell(&samples[at], "sar.cpu", cpu, "%usr"), Ok(40.0), "{at}");
                    assert_eq!(cell(&samples[at], "sar.cpu", cpu, "%idle"), Ok(50.0), "{at}");
                }
            }
            assert_eq!(cell(&samples[4], "sar.net_dev", "eth0", "%ifutil"), Err(Status::NoPreviousInstance));
            for counter in ["%usr", "%sys", "%idle"] {
                for at in [3, 4] {
                    let found = cell(&samples[at], "sar.cpu", "all", counter);
                    assert!(
                        found.is_err() || at == 4 && found.is_ok_and(|found| found <= 100.0),
                        "{at} {counter}: {found:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn clocks_beyond_64_bits_have_no_value() {
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[INTERFACES]);
    for step in 0..4_u64 {
        // Rates per kilobyte count 1024 times as many ticks.
        let uptime = (1 << 54) - 1_500 + 1_000 * step;
        let bytes = writer.record_at(1, uptime, CREATED + 10 * step);
        bytes
            .put(1_u32)
            .quads(&[10 * step, 0, 10_240 * step, 0, 0, 0, 0])
            .put(1_u32)
            .text("eth0", 16)
            .zeros(4);
    }
    let samples: Vec<Cells> = cells(&open(&writer.bytes.all), 4 << 20).0.into_values().collect();
    let of = |counter: &str| -> Vec<_> {
        samples.iter().map(|cells| cell(cells, "sar.net_dev", "eth0", counter)).collect()
    };
    let (first, none) = (Err(Status::FirstSample), Err(Status::InvalidData));
    assert_eq!(of("rxpck/s"), [first, Ok(1.0), Ok(1.0), Ok(1.0)]);
    assert_eq!(of("rxkB/s"), [first, Ok(1.0), none, none]);
}

/// More blocks are free than there are, or more memory.
#[test]
fn a_difference_below_0_is_invalid() {
    for (format, entry) in [(0x2175, FILE_SYSTEMS), (0x2173, (37, 0x8a, 1, false, 336, [0; 3]))] {
        let mut writer = Writer::new(format, ByteOrder::Little, 8, &[entry]);
        for (step, free) in [60, 130, 100].into_iter().enumerate() {
            let bytes = writer.record(1, 1_000 * step as u64);
            let [blocks, free] = [100, free].map(|blocks| blocks << 20);
            if format == 0x2175 {
                bytes.put(1_u32).quads(&[blocks, free, free, 50, 20]);
            } else {
                bytes.quads(&[blocks, 0, free, 0, free, 0, 50, 0, 20, 0]);
            }
            bytes.text("/dev/sda1", 128).text("/", 128);
        }
        let samples: Vec<Cells> = cells(&open(&writer.bytes.all), 4 << 20).0.into_values().collect();
        let of = |counter: &str| -> Vec<_> {
            samples.iter().map(|cells| cell(cells, "sar.fs", "/dev/sda1", counter)).collect()
        };
        let none = Err(Status::InvalidData);
        assert_eq!(of("MBfsfree"), [Ok(60.0), Ok(130.0), Ok(100.0)], "{format:#x}");
        assert_eq!(of("MBfsused"), [Ok(40.0), none, Ok(0.0)], "{format:#x}");
        assert_eq!(of("%fsused"), [Ok(40.0), none, Ok(0.0)], "{format:#x}");
        assert_eq!(of("%ufsused"), [Ok(40.0), none, Ok(0.0)], "{format:#x}");
        assert_eq!(of("%Iused"), [Ok(60.0); 3], "{format:#x}");
    }
}

/// Under the names of Windows, too, and for inodes; whatever hides it, such as a sum in which both are.
#[test]
fn nobody_knows_how_much_is_used_of_what_has_more_free_than_there_is() {
    const NONE: Result<f64, Status> = Err(Status::InvalidData);
    for format in [0x2175, 0x2173] {
        let entry = if format == 0x2175 { FILE_SYSTEMS } else { (37, 0x8a, 1, false, 336, [0; 3]) };
        let mut writer = Writer::new(format, ByteOrder::Little, 8, &[entry]);
        // Free, available, free inodes; of 100 MiB and 50 inodes.
        let all = [[60, 50, 20], [130, 50, 20], [60, 130, 20], [130, 130, 20], [60, 50, 70]];
        for (step, [free, avail, inodes]) in all.into_iter().enumerate() {
            let bytes = writer.record(1, 1_000 * step as u64);
            let [blocks, free, avail] = [100, free, avail].map(|blocks| blocks << 20);
            if format == 0x2175 {
                bytes.put(1_u32).quads(&[blocks, free, avail, 50, inodes]);
            } else {
                bytes.quads(&[blocks, 0, free, 0, avail, 0, 50, 0, inodes, 0]);
            }
            bytes.text("/dev/sda1", 128).text("/", 128);
        }
        let own = open(&writer.bytes.all);
        let windows = own.canonical().expect("names");
        let of_own: Vec<Cells> = cells(&own, 4 << 20).0.into_values().collect();
        let of_windows: Vec<Cells> = cells_of(&windows).into_values().collect();
        let row = |counter: &str| -> Vec<_> {
            of_windows.iter().map(|cells| cell(cells, "LogicalDisk", "/", counter)).collect()
        };
        let own = |counter: &str| -> Vec<_> {
            of_own.iter().map(|cells| cell(cells, "sar.fs", "/dev/sda1", counter)).collect()
        };
        let (share, mib) = (Ok(50.0 / 90.0 * 100.0), f64::from(1 << 20));
        assert_eq!(row("% Free Space"), [share, NONE, NONE, NONE, share], "{format:#x}");
        assert_eq!(row("Free Megabytes"), [Ok(50.0), Ok(50.0), NONE, NONE, Ok(50.0)]);
        assert_eq!(row("Free Bytes"), [Ok(50.0 * mib), Ok(50.0 * mib), NONE, NONE, Ok(50.0 * mib)]);
        assert_eq!(row("Size Bytes"), [Ok(100.0 * mib); 5]);
        assert_eq!(row("% Free Inodes"), [Ok(40.0), Ok(40.0), Ok(40.0), Ok(40.0), NONE]);
        assert_eq!(own("MBfsused"), [Ok(40.0), NONE, NONE, NONE, Ok(40.0)]);
        assert_eq!(own("%fsused"), [Ok(40.0), NONE, NONE, NONE, Ok(40.0)]);
        assert_eq!(own("%Iused"), [Ok(60.0), Ok(60.0), Ok(60.0), Ok(60.0), NONE]);
        assert_eq!(own("MBfsfree"), [60.0, 130.0, 60.0, 130.0, 60.0].map(Ok));
    }
}
