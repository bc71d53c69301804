//! Small files of the formats before 0x2171, in both variants: sysstat's own, and that of RHEL 6.

use crate::support;

use std::sync::Arc;

use recount_bytes::ByteOrder;
use recount_model::{FindingKind, Source, Status};
use recount_samples::other_logs::sa::{Entry, Writer};
use recount_sysstat::{SaSource, dump};
use support::{Cells, cells, cells_of};

const CPU: Entry = (1, 0, 2, false, 144, [0; 3]);
const LATER: Entry = (77, 0, 1, false, 8, [0; 3]);
const INTERFACES: Entry = (12, 0, 3, false, 72, [0; 3]);
const LINES: Entry = (10, 0, 2, false, 28, [0; 3]);
const DISKS: Entry = (11, 0, 3, false, 80, [0; 3]);

const fn sums(len: u32) -> Entry {
    (6, 0, 1, false, len, [0; 3])
}

const fn memory(len: u32) -> Entry {
    (7, 0, 1, false, len, [0; 3])
}

/// What a disk counted: transfers, sectors read, sectors written, then milliseconds of reading, writing, being busy, waiting.
type Disk = [u64; 7];

fn disk(step: u64) -> Disk {
    // Reading passes 2^32 ms.
    [50 * step, 400 * step, 1_200 * step, (1 << 32) - 150 + 100 * step, 300 * step, 250 * step, 500 * step]
}

/// Where a big-endian machine of RHEL 6 left the ticks in their slots.
#[derive(Clone, Copy)]
enum Half {
    Upper,
    Lower,
}

fn put_disk(writer: &mut Writer, disk: Disk, is_vendors: bool, half: Half) {
    let [transfers, read, written, ticks @ ..] = disk;
    let ticks = ticks.map(|ticks| ticks & 0xffff_ffff);
    let bytes = &mut writer.bytes;
    bytes.quads(&[read, 0, written, 0]);
    match (is_vendors, half) {
        (true, Half::Lower) => bytes.quads(&[transfers]).quads(&ticks),
        (true, Half::Upper) => bytes.quads(&[transfers]).quads(&ticks.map(|ticks| ticks << 32)),
        (false, _) => bytes.longs(&ticks).longs(&[transfers]),
    };
}

fn put(writer: &mut Writer, step: u64, is_vendors: bool, half: Half) {
    let bytes = writer.record(1, 1_000 * step);
    for _ in 0..2 {
        for ticks in [400, 0, 100, 450, 50, 0, 0, 0, 0] {
            bytes.quads(&[ticks * step, 0]);
        }
    }
    bytes.quads(&[7]);
    // Beyond 32 bits from step 2 on.
    let read = 0xffff_ffff - 600 + 400 * step;
    if is_vendors {
        bytes.quads(&[60 * step, 0, 20 * step, 0, 40 * step, 0, read, 0, 1_200 * step, 0]);
    } else {
        bytes.words(&[60 * step, 20 * step, 40 * step, read, 1_200 * step].map(|value| value as u32));
    }
    bytes.longs(&[2_000, 100, 300, 4_000, 900, 1_000, 40, 600]);
    bytes.words(&[10, 20, 0, 0, 0, 0, 0]).words(&[30 * step as u32, 0, 0, 0, 0, 0, 3]);
    // Free slots are before, between and behind the others.
    bytes.zeros(80);
    put_disk(writer, disk(step), is_vendors, half);
    writer.bytes.words(&[8, 16]).zeros(80);
    writer
        .bytes
        .zeros(72)
        .longs(&[10 * step, 0, 10_240 * step, 0, 0, 0, 0])
        .text("eth0", 16)
        .longs(&[9; 7])
        .text("?", 16);
}

fn writer(format: u16, order: ByteOrder, len_long: u8, is_vendors: bool, half: Half) -> Writer {
    let entries = [CPU, LATER, sums(if is_vendors { 80 } else { 20 }), memory(64), LINES, DISKS, INTERFACES];
    let mut writer = Writer::new(format, order, len_long, &entries);
    for step in 1..=3 {
        put(&mut writer, step, is_vendors, half);
    }
    writer
}

fn open(writer: &Writer) -> Arc<SaSource> {
    Arc::new(SaSource::open(Arc::new(writer.bytes.all.clone())).expect("opens"))
}

#[track_caller]
fn cell(cells: &Cells, object: &str, instance: &str, counter: &str) -> Result<f64, Status> {
    let path = (object.to_owned(), instance.to_owned(), counter.to_owned());
    *cells.get(&path).unwrap_or_else(|| panic!("no {path:?} in {:?}", cells.keys().collect::<Vec<_>>()))
}

#[test]
fn both_variants_have_the_same_values() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for (len_long, format, is_vendors, half) in [
            (8, 0x1170, true, Half::Lower),
            (8, 0x2170, true, Half::Lower),
            (8, 0x2170, true, Half::Upper),
            (8, 0x2170, false, Half::Lower),
            (4, 0x2170, false, Half::Lower),
            (4, 0x1170, true, Half::Lower),
        ] {
            let half = if order == ByteOrder::Big { half } else { Half::Lower };
            let source = open(&writer(format, order, len_long, is_vendors, half));
            let place = format!("{order:?} {len_long} {format:#x} {is_vendors}");
            let found: Vec<String> = source.health().findings().iter().map(ToString::to_string).collect();
            assert_eq!(found.len(), 1, "{place} {found:?}");
            assert!(found[0].contains("unknown activity, number 77"), "{found:?}");
            let samples: Vec<Cells> = cells(&source, 4 << 20).0.into_values().collect();
            assert_eq!(samples.len(), 3, "{place}");
            for sample in &samples[1..] {
                let is = |object, instance, counter| cell(sample, object, instance, counter);
                assert_eq!(is("sar.cpu", "all", "%usr"), Ok(40.0), "{place}");
                assert_eq!(is("sar.cpu", "0", "%iowait"), Ok(5.0), "{place}");
                assert_eq!(is("sar.io", "", "tps"), Ok(6.0), "{place}");
                assert_eq!(is("sar.memory", "", "kbmemused"), Ok(1_600.0), "{place}");
                assert_eq!(is("sar.serial", "2", "xmtin/s"), Ok(0.0), "{place}");
                assert_eq!(is("sar.serial", "2", "rcvin/s"), Ok(3.0), "{place}");
                assert_eq!(is("sar.disk", "dev8-16", "tps"), Ok(5.0), "{place}");
                assert_eq!(is("sar.disk", "dev8-16", "rkB/s"), Ok(20.0), "{place}");
                assert_eq!(is("sar.disk", "dev8-16", "areq-sz"), Ok(16.0), "{place}");
                // A counter of 32 bits in a slot of 64.
                assert_eq!(is("sar.disk", "dev8-16", "await"), Ok(8.0), "{place}");
                assert_eq!(is("sar.disk", "dev8-16", "%util"), Ok(2.5), "{place}");
                assert_eq!(is("sar.disk", "dev8-16", "aqu-sz"), Ok(0.05), "{place}");
                assert_eq!(is("sar.net_dev", "eth0", "rxkB/s"), Ok(1.0), "{place}");
                let has = |name: &str| {
                    sample
                        .keys()
                        .any(|(_, instance, counter)| [instance, counter].contains(&&name.to_owned()))
                };
                for absent in ["%gnice", "kbavail", "kbslab", "%ifutil", "?", "dev0-0", "4294967295"] {
                    assert!(!has(absent), "{place} {absent}");
                }
            }
            // The sums of the variant with 32 bits fall when they pass 2^32, as those over devices do.
            let expected = if is_vendors { Ok(40.0) } else { Err(Status::CounterReset) };
            assert_eq!(cell(&samples[1], "sar.io", "", "bread/s"), expected, "{place}");
        }
    }
}

#[test]
fn the_variant_is_known_by_the_sums_or_by_the_release() {
    let about = |format, len_sums: Option<u32>, release: &str| {
        let entries: Vec<Entry> = [Some(CPU), len_sums.map(sums)].into_iter().flatten().collect();
        let mut bytes = Writer::new(format, ByteOrder::Little, 8, &entries).bytes.all;
        bytes[154..154 + release.len()].copy_from_slice(release.as_bytes());
        SaSource::open(Arc::new(bytes)).expect("opens").info().format.clone()
    };
    let (el6, other) = ("2.6.32-279.el6.x86_64", "2.6.32-5-amd64");
    let base = "sysstat daily data (sa), format";
    let vendors = format!("{base} 0x2170, vendor's variant (RHEL 6)");
    assert_eq!(about(0x1170, Some(80), el6), format!("{base} 0x1170 (RHEL 6)"));
    assert_eq!(about(0x2170, Some(80), other), vendors);
    assert_eq!(about(0x2170, Some(20), el6), format!("{base} 0x2170"));
    assert_eq!(about(0x2170, None, el6), vendors);
    assert_eq!(about(0x2170, None, other), format!("{base} 0x2170"));
}

#[test]
fn unknown_lengths_and_activities_are_skipped() {
    let entries = [CPU, sums(84), (31, 0, 1, false, 36, [0; 3]), (34, 0, 1, false, 16, [0; 3])];
    let mut writer = Writer::new(0x1170, ByteOrder::Little, 8, &entries);
    writer.record(1, 0).zeros(2 * 144 + 84 + 36 + 16);
    let source = open(&writer);
    let found: Vec<String> = source.health().findings().iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].contains("A_IO, number 6 in the unknown layout of 84 bytes: skipped"), "{found:?}");
    assert_eq!(source.health().count(FindingKind::Odd), 3);
    assert_eq!(source.times().len(), 1);
    let mut text = String::new();
    dump(&writer.bytes.all.clone(), 1, &mut text).expect("a dump");
    assert!(text.contains("A_HUGE: 16 bytes skipped"), "{text}");
}

/// A kernel for one CPU lists no other; its clock is the time of all CPUs.
#[test]
fn a_kernel_for_one_cpu() {
    let mut writer = Writer::new(
        0x2170,
        ByteOrder::Little,
        4,
        &[(1, 0, 1, false, 144, [0; 3]), (2, 0, 1, false, 32, [0; 3])],
    );
    for step in 0..3 {
        let bytes = writer.record(1, 500 * step);
        for ticks in [300, 0, 100, 600, 0, 0, 0, 0, 0] {
            bytes.quads(&[ticks * step, 0]);
        }
        bytes.quads(&[5_000 * step, 0]).longs(&[10 * step, 0]);
    }
    let source = open(&writer);
    let samples: Vec<Cells> = cells(&source, 4 << 20).0.into_values().collect();
    assert_eq!(cell(&samples[2], "sar.cpu", "all", "%usr"), Ok(30.0));
    // The first clock of a record advances twice as fast as the second one of the writer.
    assert_eq!(cell(&samples[2], "sar.pcsw", "", "cswch/s"), Ok(500.0));
}

#[test]
fn the_names_of_windows_too() {
    let source = open(&writer(0x1170, ByteOrder::Little, 8, true, Half::Lower)).canonical().expect("names");
    let samples: Vec<Cells> = cells_of(&source).into_values().collect();
    let is = |object, instance, counter| cell(&samples[1], object, instance, counter);
    assert_eq!(is("Processor", "_Total", "% Processor Time"), Ok(50.0));
    assert_eq!(is("PhysicalDisk", "dev8-16", "Disk Read Bytes/sec"), Ok(20_480.0));
    assert_eq!(is("PhysicalDisk", "dev8-16", "% Idle Time"), Ok(97.5));
    assert_eq!(is("Network Interface", "eth0", "Bytes Received/sec"), Ok(1_024.0));
}
