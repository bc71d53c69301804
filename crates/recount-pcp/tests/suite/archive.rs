//! Archives made by the tests, in both versions: their contents, and what is left of them after damage.

use crate::support;

use std::convert::Infallible;
use std::sync::Arc;

use proptest::prelude::*;
use recount_compute::{Input, PipelineOptions, run};
use recount_model::{Content, FindingKind, RawNumber, Selection, Source, Status};
use recount_pcp::{Archive, PcpError};

use recount_samples::other_logs::pcp::{ArchiveBytes, COUNTER, INSTANT, NO_DOMAIN, Set};
use support::{Cells, cells, cook};

const START: u64 = 1_700_000_000;
const DISKS: u32 = 60 << 22 | 1;
const CPU: u32 = 60 << 22 | 0x14;
const READ: u32 = 60 << 22 | 4;
const BYTES: u32 = 60 << 22 | 5;
const TEMPERATURE: u32 = 60 << 22 | 6;
const FREE: u32 = 60 << 22 | 7;

/// CPU time in milliseconds, disks that come and go, memory in KiB; a mark, and a second volume.
fn archive(version: u32) -> ArchiveBytes {
    let mut archive = ArchiveBytes::new(version, "web1", "CET-1CEST");
    archive.metric(CPU, "kernel.all.cpu.user", 3, NO_DOMAIN, COUNTER, 0x0100_2000);
    archive.metric(READ, "disk.dev.read", 1, DISKS, COUNTER, 0x0010_0000);
    archive.metric(BYTES, "disk.dev.read_bytes", 1, DISKS, COUNTER, 0x1001_0000);
    archive.metric(TEMPERATURE, "disk.dev.temperature", 4, DISKS, INSTANT, 0);
    archive.metric(FREE, "mem.freemem", 0, NO_DOMAIN, INSTANT, 0x1001_0000);
    archive.domain(START, DISKS, &[(0, "sda"), (1, "sdb")]);
    if version == 3 {
        archive.delta(START + 30, DISKS, &[(1, None), (2, Some("sdc"))]);
    } else {
        archive.domain(START + 30, DISKS, &[(0, "sda"), (2, "sdc")]);
    }
    record(&mut archive, START, 1_000, &[(0, 100), (1, 200)]);
    record(&mut archive, START + 10, 6_000, &[(0, 110), (1, 260)]);
    archive.volume();
    record(&mut archive, START + 30, 8_000, &[(2, 7), (0, 150)]);
    archive.record(START + 31, 0, &[]);
    record(&mut archive, START + 60, 0, &[(0, 90), (2, 8)]);
    record(&mut archive, START + 70, 10_000, &[(0, 90), (2, 6)]);
    archive
}

fn record(archive: &mut ArchiveBytes, seconds: u64, cpu: u64, disks: &[(i32, u32)]) {
    let temperatures: Vec<(i32, Vec<u8>)> =
        disks.iter().map(|(number, reads)| (*number, (*reads as f32 / 4.0).to_be_bytes().into())).collect();
    let sets = [
        Set::Place(READ, disks),
        Set::Place(BYTES, disks),
        Set::Block(TEMPERATURE, 4, &temperatures),
        Set::Block(CPU, 3, &[(-1, cpu.to_be_bytes().into())]),
        Set::Place(FREE, &[(-1, (-3_i32) as u32)]),
    ];
    archive.record(seconds, 0, &sets);
}

fn open(archive: &ArchiveBytes) -> Result<Archive, PcpError> {
    let mut files: Vec<(String, Arc<dyn Content>)> =
        vec![("a.meta".to_owned(), Arc::new(archive.meta.clone()))];
    for (number, volume) in archive.volumes.iter().enumerate() {
        files.push((format!("a.{number}"), Arc::new(volume.clone())));
    }
    Archive::open(files)
}

fn values(archive: Archive) -> Cells {
    let source: Arc<dyn Source> = Arc::new(archive);
    let all = cells(&cook(&source, 1 << 20, &Selection::all()));
    assert_eq!(all, cells(&cook(&source, 1, &Selection::all())), "cutting changes nothing");
    all
}

fn row(cells: &Cells, counter: &str, instance: &str) -> Vec<(i64, Result<f64, Status>)> {
    let is_it = |key: &(i64, String, String, String)| key.2 == counter && key.3 == instance;
    let of = |(key, value): (&(i64, String, String, String), &Result<f64, Status>)| {
        is_it(key).then_some((key.0 / 1_000_000_000 - START as i64, *value))
    };
    cells.iter().filter_map(of).collect()
}

#[test]
fn both_versions_have_the_same_values() {
    use Status::{CounterReset, FirstSample, NoPreviousInstance};
    for version in [2, 3] {
        let archive = open(&archive(version)).expect("sound");
        assert!(archive.health().is_sound(), "{:?}", archive.health().findings());
        assert_eq!(archive.times().len(), 5);
        assert_eq!(archive.times()[0].offset_min, 60, "a winter's day in CET");
        let cells = values(archive);
        let cpu =
            [(0, Err(FirstSample)), (10, Ok(0.5)), (30, Ok(0.1)), (60, Err(FirstSample)), (70, Ok(1.0))];
        assert_eq!(row(&cells, "user", ""), cpu);
        let sda =
            [(0, Err(FirstSample)), (10, Ok(1.0)), (30, Ok(2.0)), (60, Err(FirstSample)), (70, Ok(0.0))];
        assert_eq!(row(&cells, "read", "sda"), sda);
        let bytes = sda.map(|(time, value)| (time, value.map(|value| value * 1024.0)));
        assert_eq!(row(&cells, "read_bytes", "sda"), bytes);
        assert_eq!(row(&cells, "read", "sdb"), [(0, Err(FirstSample)), (10, Ok(6.0))]);
        let sdc = [(30, Err(NoPreviousInstance)), (60, Err(FirstSample)), (70, Err(CounterReset))];
        assert_eq!(row(&cells, "read", "sdc"), sdc);
        let temperatures = [(0, Ok(50.0)), (10, Ok(65.0))];
        assert_eq!(row(&cells, "temperature", "sdb"), temperatures);
        assert_eq!(row(&cells, "freemem", "")[0], (0, Ok(-3072.0)));
    }
}

#[test]
fn units_and_types_are_reported() {
    let archive = open(&archive(3)).expect("sound");
    let mut told = Vec::new();
    for (host, object) in archive.objects() {
        assert_eq!(&*host, "web1");
        for def in &object.counters {
            told.push((format!("{}.{}", object.name, def.name), def.unit(), def.number, object.instanced));
        }
    }
    told.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [
        ("disk.dev.read", "/sec", RawNumber::Unsigned, true),
        ("disk.dev.read_bytes", "bytes/sec", RawNumber::Unsigned, true),
        ("disk.dev.temperature", "", RawNumber::Float, true),
        ("kernel.all.cpu.user", "", RawNumber::Unsigned, false),
        ("mem.freemem", "bytes", RawNumber::Float, false),
    ];
    assert_eq!(told, expected.map(|(name, unit, number, is)| (name.to_owned(), unit, number, is)));
}

#[test]
fn only_what_is_asked_for_is_decoded() {
    let archive = open(&archive(2)).expect("sound");
    let selection = Selection::from_iter([r"\mem\*".parse().expect("a path")]);
    let decoded = archive.decode(&[1, 3], &selection);
    let names: Vec<&str> = decoded.runs.iter().map(|run| &*run.object.name).collect();
    assert_eq!(names, ["mem", "mem"], "two epochs, one object");
}

/// Metrics of one object that are sampled at different times, with errors in between.
#[test]
fn each_counter_follows_its_own_last_sample() {
    let mut archive = ArchiveBytes::new(2, "web1", "UTC");
    archive.metric(READ, "disk.all.read", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    archive.metric(BYTES, "disk.all.write", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    archive.metric(CPU, "disk.all.total", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    for at in 0..6_u32 {
        let reads = [Set::Place(READ, &[(-1, 10 * at)])];
        let error = [Set::Place(BYTES, &[(-1, 20 * at)]), Set::Error(CPU, -12_350)];
        let both = [Set::Place(BYTES, &[(-1, 20 * at)]), Set::Place(CPU, &[(-1, 30 * at)])];
        archive.record(START + u64::from(at), 0, &reads);
        if at % 2 == 0 {
            archive.record(START + u64::from(at), 500_000_000, if at == 2 { &error } else { &both });
        }
    }
    archive.record(START + 6, 500_000_000, &[Set::Place(BYTES, &[(-1, 120)]), Set::Place(CPU, &[(-1, 180)])]);
    let archive = open(&archive).expect("sound");
    assert_eq!(archive.health().count(FindingKind::Expected), 1, "the error");
    let cells = values(archive);
    let reads: Vec<_> = row(&cells, "read", "").into_iter().map(|(_, value)| value).collect();
    assert_eq!(reads[1..], [Ok(10.0); 5]);
    let writes: Vec<_> = row(&cells, "write", "").into_iter().map(|(_, value)| value).collect();
    assert_eq!(writes[1..], [Ok(20.0), Ok(20.0), Ok(20.0)]);
    let totals: Vec<_> = row(&cells, "total", "").into_iter().map(|(_, value)| value).collect();
    assert_eq!(totals[1..], [Err(Status::InvalidData), Err(Status::InvalidData), Ok(30.0)]);
}

#[test]
fn what_cannot_be_read_says_why() {
    let good = archive(3);
    let mut old = good.clone();
    old.meta[4..8].copy_from_slice(&0x5005_2601_u32.to_be_bytes());
    assert!(open(&old).err().is_some_and(|error| error.to_string().contains("version 1")));
    let mut strange = good.clone();
    strange.meta[28..32].copy_from_slice(&4_u32.to_be_bytes());
    assert!(open(&strange).err().is_some_and(|error| error.to_string().contains("feature bits 0x00000004")));
    let files: Vec<(String, Arc<dyn Content>)> =
        vec![("b/a.0".to_owned(), Arc::new(good.volumes[0].clone()))];
    let error = Archive::open(files).err().expect("no .meta").to_string();
    assert!(error.starts_with("the archive's b/a.meta is missing"), "{error}");
}

#[test]
fn missing_volumes_are_named() {
    let good = archive(2);
    let told = |number: u32| {
        let file = |name: String, bytes: &[u8]| (name, Arc::new(bytes.to_vec()) as Arc<dyn Content>);
        let files = vec![
            file("a.meta".to_owned(), &good.meta),
            file("a.0".to_owned(), &good.volumes[0]),
            file(format!("a.{number}"), &good.volumes[1]),
        ];
        let archive = Archive::open(files).expect("an archive");
        let lost = archive.health().findings().iter().find(|finding| finding.kind == FindingKind::Lost);
        lost.map(|finding| finding.what.clone())
    };
    assert_eq!(told(1), None);
    assert_eq!(told(2).as_deref(), Some("volume a.1 is missing"));
    assert_eq!(told(5).as_deref(), Some("volumes a.1 to a.4 are missing"));
}

#[test]
fn a_zone_needs_no_offset() {
    for (zone, offset_min) in [("UTC", 0), ("GMT", 0), ("AEST-10", 600)] {
        let mut archive = ArchiveBytes::new(2, "web1", zone);
        archive.metric(FREE, "mem.freemem", 0, NO_DOMAIN, INSTANT, 0x1001_0000);
        archive.record(START, 0, &[Set::Place(FREE, &[(-1, 5)])]);
        let archive = open(&archive).expect("an archive");
        assert!(archive.info().zone.is_some(), "{zone}");
        assert_eq!(archive.times()[0].offset_min, offset_min, "{zone}");
    }
}

/// Every record before the damage is read, whatever follows.
#[test]
fn cut_anywhere_what_is_before_stays() {
    for version in [2, 3] {
        let whole = archive(version);
        let all = open(&whole).expect("sound").times().to_vec();
        let len = whole.volumes[1].len();
        let mut last = 0;
        for cut in 0..len {
            let mut cut_off = whole.clone();
            cut_off.volumes[1].truncate(cut);
            let archive = open(&cut_off).expect("the first volume is whole");
            let num = archive.times().len();
            assert!(num >= last && archive.times() == &all[..num], "cut at {cut}");
            last = num;
            values(archive);
        }
        assert_eq!(last, 4, "the last record lacks a byte");
        for cut in 0..whole.meta.len() {
            let mut cut_off = whole.clone();
            cut_off.meta.truncate(cut);
            if let Ok(archive) = open(&cut_off) {
                values(archive);
            }
        }
    }
}

/// If only the contents of a record are damaged, just this record is left out, and nothing is computed across
/// it.
#[test]
fn a_bad_record_is_skipped_alone() {
    let mut archive = archive(2);
    let len = u32::from_be_bytes(archive.volumes[0][132..136].try_into().expect("a word")) as usize;
    // The second record claims a thousand value sets.
    let at = 132 + len + 12;
    archive.volumes[0][at..at + 4].copy_from_slice(&1_000_u32.to_be_bytes());
    let archive = open(&archive).expect("sound for the rest");
    assert_eq!(archive.times().len(), 4);
    let finding = archive.health().findings()[0].to_string();
    assert!(finding.starts_with("damaged: data record.value set at byte 0x"), "{finding}");
    assert_eq!(row(&values(archive), "user", "")[1], (30, Err(Status::FirstSample)));
}

/// Archives are joined by the agent's process id and its sequence number, whatever their types.
#[test]
fn the_agent_is_known_by_values_of_any_type() {
    const PID: u32 = 2 << 22 | 0x17;
    const NUMBER: u32 = 2 << 22 | 0x18;
    let program = |wide: bool, pid: u64, number: u32| {
        let mut archive = ArchiveBytes::new(3, "web1", "UTC");
        archive.metric(PID, "pmcd.pid", if wide { 3 } else { 1 }, NO_DOMAIN, 4, 0);
        archive.metric(NUMBER, "pmcd.seqnum", 1, NO_DOMAIN, 4, 0);
        let number = Set::Place(NUMBER, &[(-1, number)]);
        if wide {
            archive.record(START, 0, &[Set::Block(PID, 3, &[(-1, pid.to_be_bytes().into())]), number]);
        } else {
            archive.record(START, 0, &[Set::Place(PID, &[(-1, pid as u32)]), number]);
        }
        open(&archive).expect("sound").counts_since(0).program
    };
    let known = program(true, 4_711, 3);
    assert!(known.is_some());
    assert_eq!(known, program(false, 4_711, 3));
    assert_ne!(known, program(true, 4_712, 3));
    assert_ne!(known, program(true, 4_711, 4));
    assert_eq!(program(true, 1 << 40, 3), None, "no process id");
}

/// What is sampled in another round than the first record begins with the first of that round.
#[test]
fn each_round_has_a_first_sample() {
    use Status::{FirstSample, NoPreviousInstance};
    let mut archive = ArchiveBytes::new(3, "web1", "UTC");
    archive.domain(START, DISKS, &[(0, "sda"), (1, "sdb")]);
    archive.metric(CPU, "kernel.all.pswitch", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    archive.metric(READ, "disk.dev.read", 1, DISKS, COUNTER, 0x0010_0000);
    for at in 0..4 {
        let time = START + 10 * u64::from(at);
        archive.record(time, 0, &[Set::Place(CPU, &[(-1, 10 * at)])]);
        let disks = [(0, 20 * at), (1, 30 * at)];
        archive.record(time + 1, 0, &[Set::Place(READ, if at == 0 { &disks[..1] } else { &disks })]);
    }
    let cells = values(open(&archive).expect("sound"));
    let ok = |time: i64, value: f64| (time, Ok(value));
    assert_eq!(row(&cells, "pswitch", ""), [(0, Err(FirstSample)), ok(10, 1.0), ok(20, 1.0), ok(30, 1.0)]);
    assert_eq!(row(&cells, "read", "sda"), [(1, Err(FirstSample)), ok(11, 2.0), ok(21, 2.0), ok(31, 2.0)]);
    assert_eq!(row(&cells, "read", "sdb"), [(11, Err(NoPreviousInstance)), ok(21, 3.0), ok(31, 3.0)]);
}

/// The raw values of two archives are compared if they have the same type and unit.
#[test]
fn an_archive_with_other_units_continues_no_counter() {
    const BYTE: u32 = 0x1000_0000;
    const KBYTE: u32 = 0x1001_0000;
    let archive = |start: u64, value_type: u32, units: u32| {
        let mut archive = ArchiveBytes::new(3, "web1", "UTC");
        archive.metric(READ, "disk.all.bytes", value_type, NO_DOMAIN, COUNTER, units);
        for at in [start, start + 10] {
            let value = at - START;
            if value_type == 1 {
                archive.record(at, 0, &[Set::Place(READ, &[(-1, value as u32)])]);
            } else {
                archive.record(at, 0, &[Set::Block(READ, 3, &[(-1, value.to_be_bytes().into())])]);
            }
        }
        Arc::new(open(&archive).expect("sound")) as Arc<dyn Source>
    };
    let between = |one: (u32, u32), other: (u32, u32)| {
        let input =
            |source: Arc<dyn Source>, continues| Input { continues, ..Input::new(source, vec![0, 1]) };
        let inputs = [
            input(archive(START, one.0, one.1), None),
            input(archive(START + 20, other.0, other.1), Some(0)),
        ];
        let mut all = Vec::new();
        let done = run(&inputs, &PipelineOptions::default(), |cooked, _| {
            all.extend(cooked);
            Ok::<(), Infallible>(())
        });
        done.expect("nothing refuses");
        let all = row(&cells(&all), "bytes", "");
        assert_eq!(all.len(), 4);
        assert!(all[3].1.is_ok());
        all[2].1
    };
    let none = Err(Status::NoPreviousInstance);
    assert_eq!(between((3, KBYTE), (3, KBYTE)), Ok(1024.0));
    assert_eq!(between((3, BYTE), (3, KBYTE)), none);
    assert_eq!(between((3, BYTE), (3, 0x0010_0000)), none);
    assert_eq!(between((1, BYTE), (3, BYTE)), none);
}

/// A counter that rises by one per second, in records at these seconds.
fn rising(times: &[u64]) -> ArchiveBytes {
    let mut archive = ArchiveBytes::new(3, "web1", "UTC");
    archive.metric(READ, "disk.all.read", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    for (at, time) in times.iter().enumerate() {
        archive.record(START + time, 0, &[Set::Place(READ, &[(-1, 10 * at as u32)])]);
    }
    archive
}

#[test]
fn every_record_of_a_long_archive_has_its_epoch_and_round() {
    const NUM: u32 = 5_000;
    let mut archive = ArchiveBytes::new(3, "web1", "UTC");
    archive.metric(READ, "disk.all.read", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    archive.metric(FREE, "mem.freemem", 0, NO_DOMAIN, INSTANT, 0x1001_0000);
    let (mut epochs, mut rounds, mut bad) = (Vec::new(), Vec::new(), Vec::new());
    let mut epoch = 0;
    for at in 0..NUM {
        let both = [Set::Place(READ, &[(-1, 10 * at)]), Set::Place(FREE, &[(-1, at)])];
        match at {
            _ if at % 97 == 50 => archive.record(START + u64::from(at), 0, &[]),
            _ if at % 1_000 == 255 => {
                archive.record(START + u64::from(at), 0, &both);
                // It claims more value sets than it has.
                let count = archive.volumes[0].len() - 4 - 2 * 20 - 1;
                archive.volumes[0][count] = 3;
                bad.push(archive.volumes[0].len() as u64 - 4);
            }
            _ => {
                let len = if at < 2_000 { 1 } else { 1 + (at % 2) as usize };
                archive.record(START + u64::from(at), 0, &both[..len]);
                epochs.push(epoch);
                rounds.push(len as u32 - 1);
                continue;
            }
        }
        epoch += 1;
    }
    let archive = open(&archive).expect("sound for the rest");
    let samples = 0..archive.times().len();
    assert_eq!(samples.clone().map(|sample| archive.epoch(sample)).collect::<Vec<_>>(), epochs);
    assert_eq!(samples.map(|sample| archive.round(sample)).collect::<Vec<_>>(), rounds);
    let offsets =
        archive.health().findings().iter().map(|finding| finding.place.as_ref().map(|place| place.ofs));
    assert_eq!(offsets.collect::<Vec<_>>(), bad.iter().map(|ofs| Some(*ofs)).collect::<Vec<_>>());
}

#[test]
fn a_record_with_a_wrong_time_is_compared_with_none() {
    const LEN: u64 = 44;
    let rates = |times: &[u64]| {
        let archive = open(&rising(times)).expect("an archive");
        let findings: Vec<String> = archive.health().findings().iter().map(ToString::to_string).collect();
        let rates: Vec<_> = row(&values(archive), "read", "").into_iter().collect();
        (rates, findings)
    };
    let first = Err(Status::FirstSample);
    let (rate, found) = rates(&[1_000, 1_010, 900, 1_030, 1_040]);
    assert_eq!(rate, [(900, first), (1_000, first), (1_010, Ok(1.0)), (1_030, Ok(1.0)), (1_040, Ok(1.0))]);
    let at = |number: u64| 808 + number * LEN;
    let told = |at: u64, from: &str, to: &str, means: &str| {
        let from_to = format!("a.0: time goes back from 2023-11-14T{from}Z to 2023-11-14T{to}Z; {means}");
        format!("odd: data record at byte {at:#x}: {from_to}")
    };
    let wrong = "the time of this record is wrong: nothing is compared with it";
    assert_eq!(found, [told(at(2), "22:30:10", "22:28:20", wrong)]);
    let (rate, found) = rates(&[1_000, 1_010, 9_000, 1_030, 1_040]);
    assert_eq!(rate, [(1_000, first), (1_010, Ok(1.0)), (1_030, Ok(1.0)), (1_040, Ok(1.0)), (9_000, first)]);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains(&format!("at byte {:#x}: a.0: time goes back from 2023-11-15T00:43:20Z", at(2)))
    );
    // The clock is set back: two stretches, whose times overlap.
    let (rate, found) = rates(&[1_000, 1_010, 1_020, 1_005, 1_015, 1_025]);
    let expected = [(1_000, first), (1_005, first), (1_010, Ok(1.0)), (1_015, Ok(1.0)), (1_020, Ok(1.0))];
    assert_eq!(rate[..5], expected);
    let set = "the clock was set back: nothing is compared across it";
    assert_eq!(found, [told(at(3), "22:30:20", "22:30:05", set)]);
}

/// A time that no table can hold is damage of its record alone.
#[test]
fn a_time_outside_all_tables_is_damage_of_its_record() {
    let far = 9_300_000_000 - START;
    let archive = open(&rising(&[1_000, 1_010, far, 1_030, 1_040])).expect("an archive");
    let findings = archive.health().findings();
    assert_eq!(
        findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [format!(
            "damaged: data record.time at byte {:#x} (structure starts at {:#x}): a.0: expected a time of the years 1970 to 2261, found 9300000000 \
             seconds since 1970 and 0 nanoseconds",
            808 + 2 * 44 + 4,
            808 + 2 * 44
        )]
    );
    let first = Err(Status::FirstSample);
    let expected = [(1_000, first), (1_010, Ok(1.0)), (1_030, first), (1_040, Ok(1.0))];
    assert_eq!(row(&values(archive), "read", ""), expected);
}

/// Disks whose descriptions begin at these offsets in `.meta`: at 0 s, 40 s (numbers have other names), and 80 s. Number 7
/// is never named.
fn renamed(version: u32) -> (ArchiveBytes, [usize; 3]) {
    let mut archive = ArchiveBytes::new(version, "web1", "UTC");
    archive.metric(READ, "disk.dev.read", 1, DISKS, COUNTER, 0x0010_0000);
    let first = archive.meta.len();
    archive.domain(START, DISKS, &[(0, "sda"), (1, "sdb")]);
    let second = archive.meta.len();
    if version == 3 {
        archive.delta(START + 40, DISKS, &[(0, Some("sdz")), (1, Some("sda"))]);
    } else {
        archive.domain(START + 40, DISKS, &[(0, "sdz"), (1, "sda")]);
    }
    let third = archive.meta.len();
    archive.domain(START + 80, DISKS, &[(0, "sda"), (1, "sdb")]);
    for at in 0..12_u32 {
        let cells = [(0, 100 * at), (1, 50 * at), (7, 10 * at)];
        archive.record(START + 10 * u64::from(at), 0, &[Set::Place(READ, &cells)]);
    }
    (archive, [first, second, third])
}

/// The seconds at which an instance has values or a status, and those of them without a value.
fn seconds(cells: &Cells, instance: &str) -> (Vec<i64>, Vec<i64>) {
    let row = row(cells, "read", instance);
    let nulls = row.iter().filter(|(_, value)| value.is_err()).map(|(second, _)| *second).collect();
    (row.into_iter().map(|(second, _)| second).collect(), nulls)
}

fn every_ten(seconds: std::ops::Range<i64>) -> Vec<i64> {
    seconds.step_by(10).collect()
}

type Damage = fn(&mut [u8]);

#[test]
fn names_are_unknown_after_a_lost_description() {
    for version in [2, 3] {
        let (whole, [_, second, third]) = renamed(version);
        let all = values(open(&whole).expect("sound"));
        assert_eq!(seconds(&all, "sdz"), (every_ten(40..80), vec![40]));
        let damages: [(&str, Damage); 5] = [
            ("length after", |record| *record.last_mut().expect("a byte") ^= 0x10),
            ("length", |record| record[3] ^= 0x10),
            ("type", |record| record[7] ^= 0x40),
            ("all", |record| record.fill(0)),
            ("number", |record| record[if record[7] == 6 { 27 } else { 23 }] = 99),
        ];
        for (what, damage) in damages {
            let (mut archive, _) = renamed(version);
            damage(&mut archive.meta[second..third]);
            let archive = open(&archive).expect("an archive");
            let findings = archive.health().findings();
            let told = "; names of instances after 2023-11-14T22:13:20Z are unknown until their domain is described again";
            assert!(findings.len() == 1 && findings[0].what.ends_with(told), "{what}: {findings:?}");
            let place = findings[0].place.as_ref().expect("a place");
            assert!((second as u64..third as u64).contains(&place.ofs), "{what}: {findings:?}");
            let cells = values(archive);
            // Nothing is compared across the beginning and the end of what is unknown.
            assert_eq!(
                seconds(&cells, "sda"),
                ([vec![0], every_ten(80..120)].concat(), vec![0, 80]),
                "{what}"
            );
            assert_eq!(seconds(&cells, "#0"), (every_ten(10..80), vec![10]), "{what}");
            assert_eq!(seconds(&cells, "#1"), (every_ten(10..80), vec![10]), "{what}");
            assert_eq!(seconds(&cells, "#7"), (every_ten(0..120), vec![0, 10, 80]), "{what}");
            assert_eq!(seconds(&cells, "sdz").0, [0; 0], "{what}");
        }
    }
}

#[test]
fn names_are_unknown_from_the_start_or_to_the_end() {
    let (mut archive, [first, second, third]) = renamed(3);
    archive.meta[first + 7] = 0;
    let archive = open(&archive).expect("an archive");
    let what = &archive.health().findings()[0].what;
    assert!(
        what.ends_with("; names of instances are unknown until their domain is described again"),
        "{what}"
    );
    // Changes don't say which names the others have.
    assert_eq!(seconds(&values(archive), "#0"), (every_ten(0..80), vec![0]));

    let (mut archive, _) = renamed(3);
    archive.meta.truncate(third + 6);
    let cells = values(open(&archive).expect("an archive"));
    assert_eq!(seconds(&cells, "sdz"), (vec![40], vec![40]));
    assert_eq!(seconds(&cells, "#0"), (every_ten(50..120), vec![50]));

    // Both of the later ones.
    let (mut archive, _) = renamed(3);
    archive.meta[second..].fill(0);
    let cells = values(open(&archive).expect("an archive"));
    assert_eq!(seconds(&cells, "#0"), (every_ten(10..120), vec![10]));
}

/// The type word of a damaged record says that it isn't about names.
#[test]
fn names_are_known_after_a_damaged_metric() {
    for damage in ["length after", "length", "number of names", "end"] {
        let (mut archive, _) = renamed(3);
        let start = archive.meta.len();
        archive.metric(BYTES, "disk.dev.read_bytes", 1, DISKS, COUNTER, 0x1001_0000);
        let end = archive.meta.len();
        match damage {
            "length after" => archive.meta[end - 1] ^= 0x10,
            "length" => archive.meta[start + 3] ^= 0x10,
            "number of names" => archive.meta[start + 31] = 99,
            _ => archive.meta.truncate(end - 7),
        }
        if damage != "end" {
            archive.domain(START + 100, DISKS, &[(0, "sda"), (1, "sdb")]);
        }
        let archive = open(&archive).expect("an archive");
        let findings = archive.health().findings();
        assert!(
            findings.len() == 1 && !findings[0].what.contains("names of instances"),
            "{damage}: {findings:?}"
        );
        assert_eq!(seconds(&values(archive), "#0").0, [0; 0], "{damage}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_flip_makes_it_panic(version in 2..=3_u32, flips in proptest::collection::vec((0..3_usize, any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut archive = archive(version);
        for (file, at, value) in flips {
            let bytes = if file == 2 { &mut archive.meta } else { &mut archive.volumes[file] };
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(archive) = open(&archive) {
            let text = format!("{:?}", archive.health());
            prop_assert!(text.len() < 100_000);
            let canonical = archive.canonical().expect("names");
            prop_assert!(cells(&cook(&canonical, 1 << 20, &Selection::all())).len() >= values(archive).len());
        }
        let mut text = String::new();
        let _ = recount_pcp::dump("a.meta", &archive.meta, 10, &mut text);
        let _ = recount_pcp::dump("a.0", &archive.volumes[0], 10, &mut text);
    }
}

#[test]
fn dumps_show_every_structure() {
    let archive = archive(3);
    let mut text = String::new();
    recount_pcp::dump("a.meta", &archive.meta, 10, &mut text).expect("a label");
    recount_pcp::dump("a.1", &archive.volumes[1], 10, &mut text).expect("a label");
    for part in [
        "label",
        "host = web1",
        "metric id = 60.0.4",
        "units = 0x10010000 Kbyte",
        "name = disk.dev.read_bytes",
        "instance domain, changes: 60.1 from 2023-11-14T22:13:50Z",
        "1 = gone",
        "2 = sdc",
        "mark at 2023-11-14T22:13:51Z",
        "data record of 2023-11-14T22:14:20Z, 5 value sets",
        "metric 60.0.6: 2 values, format 1",
        "type 4: 41 b4 00 00",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains('!'), "{text}");
}
