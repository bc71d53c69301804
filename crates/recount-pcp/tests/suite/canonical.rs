//! Equivalent counters with the names of Windows: sums over metrics, in exact integers.

use crate::support;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use recount_compute::{Input, PipelineOptions, run};
use recount_model::{Content, Selection, Source, Status};
use recount_pcp::Archive;

use recount_samples::other_logs::pcp::{ArchiveBytes, COUNTER, INSTANT, NO_DOMAIN, Set};
use support::{Cells, cells, cook};

const START: u64 = 1_700_000_000;
const CPUS: u32 = 60 << 22;
const DISKS: u32 = 60 << 22 | 1;
const PROCESSES: u32 = 3 << 22 | 9;
const MILLIS: u32 = 0x0100_2000;
const COUNT: u32 = 0x0010_0000;
const KBYTES: u32 = 0x1001_0000;
/// The ticks of a second, in ms, by use, in the order of their ids.
const TICKS: [(&str, u32); 8] = [
    ("user", 200),
    ("nice", 50),
    ("sys", 100),
    ("idle", 400),
    ("wait.total", 100),
    ("irq.hard", 30),
    ("irq.soft", 70),
    ("steal", 50),
];
/// The others, by id.
const OTHERS: [(&str, u32, u32, u32); 12] = [
    ("disk.dev.read", DISKS, COUNTER, COUNT),
    ("disk.dev.write", DISKS, COUNTER, COUNT),
    ("disk.dev.read_bytes", DISKS, COUNTER, KBYTES),
    ("disk.dev.read_rawactive", DISKS, COUNTER, MILLIS),
    ("disk.dev.avactive", DISKS, COUNTER, MILLIS),
    ("mem.util.available", NO_DOMAIN, INSTANT, KBYTES),
    ("mem.util.swapTotal", NO_DOMAIN, INSTANT, KBYTES),
    ("mem.util.swapFree", NO_DOMAIN, INSTANT, KBYTES),
    ("mem.vmstat.pgpgin", NO_DOMAIN, COUNTER, COUNT),
    ("proc.psinfo.utime", PROCESSES, COUNTER, MILLIS),
    ("proc.psinfo.stime", PROCESSES, COUNTER, MILLIS),
    ("proc.psinfo.rss", PROCESSES, INSTANT, KBYTES),
];

fn id(name: &str) -> u32 {
    100 + OTHERS.iter().position(|other| other.0 == name).expect(name) as u32
}

fn described() -> ArchiveBytes {
    let mut archive = ArchiveBytes::new(3, "web1", "UTC0");
    for (at, (name, _)) in (0..).zip(TICKS) {
        archive.metric(at, &format!("kernel.all.cpu.{name}"), 1, NO_DOMAIN, COUNTER, MILLIS);
        archive.metric(20 + at, &format!("kernel.percpu.cpu.{name}"), 1, CPUS, COUNTER, MILLIS);
    }
    for (name, domain, semantics, units) in OTHERS {
        archive.metric(id(name), name, 1, domain, semantics, units);
    }
    archive.domain(START, CPUS, &[(0, "cpu0"), (1, "cpu1")]);
    archive.domain(START, DISKS, &[(0, "sda")]);
    archive.domain(START, PROCESSES, &[(17, "000017 (kworker/0:1)"), (4711, "004711 /usr/bin/make -j")]);
    archive
}

/// Cells of a set: instances and values.
type Place = Vec<(i32, u32)>;

/// One record per second, but memory only in every other one, and the metric `without` in none.
fn archive(without: &str) -> Archive {
    let mut archive = described();
    for second in 0..4_u32 {
        let mut sets: Vec<(u32, Place)> = Vec::new();
        for (at, (name, ticks)) in (0..).zip(TICKS) {
            if name != without {
                sets.push((at, vec![(-1, 2 * ticks * second)]));
                // The second CPU idles.
                let idle = if name == "idle" { 1_000 * second } else { 0 };
                sets.push((20 + at, vec![(0, ticks * second), (1, idle)]));
            }
        }
        let mut put = |name: &str, place: &[(i32, u32)]| sets.push((id(name), place.to_vec()));
        put("disk.dev.read", &[(0, 40 * second)]);
        put("disk.dev.write", &[(0, 10 * second)]);
        put("disk.dev.read_bytes", &[(0, 3 * second)]);
        put("disk.dev.read_rawactive", &[(0, 600 * second)]);
        put("disk.dev.avactive", &[(0, 250 * second)]);
        put("mem.vmstat.pgpgin", &[(-1, 7 * second)]);
        put("proc.psinfo.utime", &[(17, 10 * second), (4711, 300 * second)]);
        // The process ended between the two metrics.
        put("proc.psinfo.stime", if second == 3 { &[(4711, 600)] } else { &[(17, 0), (4711, 200)] });
        put("proc.psinfo.rss", &[(17, 5), (4711, 9)]);
        if second % 2 == 0 {
            put("mem.util.available", &[(-1, 2_047)]);
            put("mem.util.swapTotal", &[(-1, 1_000)]);
            put("mem.util.swapFree", &[(-1, 250 * (1 + second))]);
        }
        let sets: Vec<Set<'_>> = sets.iter().map(|(id, place)| Set::Place(*id, place)).collect();
        archive.record(START + u64::from(second), 0, &sets);
    }
    let files: [(&str, &Vec<u8>); 2] = [("a.meta", &archive.meta), ("a.0", &archive.volumes[0])];
    let plain =
        |(name, bytes): (&str, &Vec<u8>)| (name.to_owned(), Arc::new(bytes.clone()) as Arc<dyn Content>);
    Archive::open(files.map(plain).into()).expect("sound")
}

fn canonical(archive: &Archive) -> Cells {
    let source = archive.canonical().expect("names");
    let all = cells(&cook(&source, 1 << 20, &Selection::all()));
    assert_eq!(all, cells(&cook(&source, 1, &Selection::all())), "cutting changes nothing");
    all
}

/// By second.
fn row(cells: &Cells, object: &str, counter: &str, instance: &str) -> BTreeMap<i64, Result<f64, Status>> {
    let of = |(key, value): (&(i64, String, String, String), &Result<f64, Status>)| {
        ((key.1.as_str(), key.2.as_str(), key.3.as_str()) == (object, counter, instance))
            .then_some((key.0 / 1_000_000_000 - START as i64, *value))
    };
    cells.iter().filter_map(of).collect()
}

#[test]
fn sums_are_what_they_are_of() {
    let cells = canonical(&archive(""));
    let second = |object: &str, counter: &str, instance: &str| {
        let row = row(&cells, object, counter, instance);
        *row.get(&2).unwrap_or_else(|| panic!("{object} {counter} {instance}"))
    };
    for (instance, of) in [("_Total", 1.0), ("0", 1.0), ("1", 0.0)] {
        assert_eq!(second("Processor", "% Processor Time", instance), Ok(50.0 * of), "{instance}");
        assert_eq!(second("Processor", "% User Time", instance), Ok(25.0 * of));
        assert_eq!(second("Processor", "% Privileged Time", instance), Ok(20.0 * of));
        assert_eq!(second("Processor", "% Idle Time", instance), Ok(100.0 - 50.0 * of));
    }
    assert_eq!(second("PhysicalDisk", "Disk Transfers/sec", "sda"), Ok(50.0));
    assert_eq!(second("PhysicalDisk", "Disk Read Bytes/sec", "sda"), Ok(3_072.0));
    assert_eq!(second("PhysicalDisk", "Avg. Disk sec/Read", "sda"), Ok(0.015));
    assert_eq!(second("PhysicalDisk", "Avg. Disk Bytes/Read", "sda"), Ok(76.8));
    assert_eq!(second("PhysicalDisk", "Avg. Disk Read Queue Length", "sda"), Ok(0.6));
    assert_eq!(second("PhysicalDisk", "% Idle Time", "sda"), Ok(75.0));
    assert_eq!(second("Memory", "Available Bytes", ""), Ok(2_096_128.0));
    assert_eq!(second("Memory", "Available MBytes", ""), Ok(1.0), "rounded down");
    assert_eq!(second("Memory", "Block Bytes Input/sec", ""), Ok(7_168.0));
    assert_eq!(second("Paging File", "% Usage", "_Total"), Ok(25.0));
    assert_eq!(second("Paging File", "Used Bytes", "_Total"), Ok(256_000.0));
    assert_eq!(second("Process", "% Processor Time", "make"), Ok(30.0));
    assert_eq!(second("Process", "Working Set", "kworker/0:1"), Ok(5_120.0));
    assert_eq!(second("kernel.all.cpu", "user", ""), Ok(0.4), "its own name");
}

#[test]
fn what_is_missing_makes_no_value() {
    let full = archive("");
    let cells = canonical(&full);
    let at = |map: BTreeMap<i64, _>| map.into_keys().collect::<Vec<i64>>();
    assert_eq!(at(row(&cells, "Memory", "Available Bytes", "")), [0, 2], "in every second record");
    assert_eq!(at(row(&cells, "Memory", "Block Bytes Input/sec", "")), [0, 1, 2, 3]);
    assert_eq!(
        at(row(&cells, "Process", "% Processor Time", "kworker/0:1")),
        [0, 1, 2],
        "one of two metrics"
    );
    assert_eq!(at(row(&cells, "Process", "% User Time", "kworker/0:1")), [0, 1, 2, 3]);
    assert_eq!(row(&cells, "Paging File", "Used Bytes", "_Total")[&0], Ok(768_000.0));
    // If one of the uses of ticks is missing, shares aren't known.
    let cells = canonical(&archive("steal"));
    assert!(!cells.keys().any(|key| key.1 == "Processor"), "{:?}", cells.keys().next());
    assert!(cells.keys().any(|key| key.1 == "PhysicalDisk"));
}

#[test]
fn ids_distinguish_processes() {
    let source = archive("").canonical().expect("names");
    let decoded = source.decode(&[0], &Selection::all());
    let run = decoded.runs.iter().find(|run| &*run.object.name == "Process").expect("processes");
    let shown: Vec<(String, Option<u64>)> =
        run.instances.iter().map(|instance| (instance.shown(), instance.id)).collect();
    assert_eq!(shown, [("kworker/0:1".to_owned(), Some(17)), ("make".to_owned(), Some(4711))]);
}

/// Shares of time are the same from an archive in milliseconds to one in microseconds.
#[test]
fn shares_go_on_in_another_unit() {
    const MICROS: u32 = 0x0100_1000;
    let archive = |start: u32, units: u32, per_milli: u32| {
        let mut archive = ArchiveBytes::new(3, "web1", "UTC0");
        for (at, (name, _)) in (0..).zip(TICKS) {
            archive.metric(at, &format!("kernel.all.cpu.{name}"), 1, NO_DOMAIN, COUNTER, units);
        }
        for second in start..start + 2 {
            let place = |ticks: u32| vec![(-1, per_milli * ticks * second)];
            let places: Vec<(u32, Place)> =
                (0..).zip(TICKS).map(|(at, (_, ticks))| (at, place(ticks))).collect();
            let sets: Vec<Set<'_>> = places.iter().map(|(id, place)| Set::Place(*id, place)).collect();
            archive.record(START + u64::from(second), 0, &sets);
        }
        let files: [(&str, &Vec<u8>); 2] = [("a.meta", &archive.meta), ("a.0", &archive.volumes[0])];
        let plain =
            |(name, bytes): (&str, &Vec<u8>)| (name.to_owned(), Arc::new(bytes.clone()) as Arc<dyn Content>);
        Archive::open(files.map(plain).into()).expect("sound").canonical().expect("names")
    };
    let input = |source, continues| Input { continues, ..Input::new(source, vec![0, 1]) };
    let inputs = [input(archive(0, MILLIS, 1), None), input(archive(2, MICROS, 1_000), Some(0))];
    let mut all = Vec::new();
    let done = run(&inputs, &PipelineOptions::default(), |cooked, _| {
        all.extend(cooked);
        Ok::<(), Infallible>(())
    });
    done.expect("nothing refuses");
    let shares =
        cells(&all).into_iter().filter(|(key, _)| key.1 == "Processor" && key.2 == "% Processor Time");
    let shares: Vec<_> = shares.map(|(_, value)| value).collect();
    assert_eq!(shares, [Err(Status::FirstSample), Ok(50.0), Ok(50.0), Ok(50.0)]);
}
