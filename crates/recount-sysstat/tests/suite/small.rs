//! Small files of every format, byte order and word size.

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_bytes::ByteOrder;
use recount_model::{Basis, FindingKind, Pattern, Run, Selection, Source, Status};
use recount_samples::other_logs::sa::{CREATED, Entry, Writer};
use recount_sysstat::{SaError, SaSource, dump};
use support::{Cells, cells, cells_in_slices, cells_of};

const CPU: Entry = (1, 0x8b, 3, true, 80, [10, 0, 0]);
const PCSW: Entry = (2, 0x8b, 1, false, 16, [1, 1, 0]);
const MEMORY: Entry = (7, 0x8b, 1, false, 136, [17, 0, 0]);
const DISK: Entry = (11, 0x8c, 1, true, 80, [3, 3, 8]);
const NET: Entry = (12, 0x8d, 1, true, 80, [7, 0, 1]);
const TEMPERATURE: Entry = (32, 0x8a, 1, true, 44, [3, 0, 0]);
const UNKNOWN: Entry = (250, 0x8a, 1, true, 5, [0, 0, 1]);

/// User, system and idle ticks.
type Ticks = [u64; 3];

/// What a sample holds.
#[derive(Clone)]
struct Values {
    cpus: Vec<Ticks>,
    switches: u64,
    processes: u64,
    /// Transfers, sectors read, sectors written, milliseconds of reading, of being busy.
    disk: [u64; 5],
    /// Packets and bytes received.
    eth0: [u64; 2],
    celsius: f64,
}

impl Values {
    fn at(step: u64) -> Values {
        Values {
            cpus: vec![[1000 + 25 * step, 500 + 10 * step, 9000 + 65 * step], [50 * step + 1, 7, 50 * step]],
            switches: 1 << 33 | (10_000 * step),
            processes: 0xFFFF_FFF0 + 20 * step,
            disk: [100 + 4 * step, 64 * step, 32, 0xFFFF_FFFE + 6 * step, 500 * step],
            eth0: [7 + 3 * step, 2048 * step],
            celsius: -3.5,
        }
    }
}

fn current(order: ByteOrder, len_long: u8) -> Writer {
    Writer::new(0x2175, order, len_long, &[CPU, UNKNOWN, PCSW, MEMORY, DISK, NET, TEMPERATURE])
}

fn put(writer: &mut Writer, after_cs: u64, values: &Values) {
    put_at(writer, 100_000 + after_cs, CREATED + after_cs / 100, values);
}

fn put_at(writer: &mut Writer, uptime_cs: u64, time: u64, values: &Values) {
    let bytes = writer.record_at(1, uptime_cs, time);
    bytes.put(values.cpus.len() as u32 + 1).quads(&[0; 10]);
    for [user, system, idle] in &values.cpus {
        bytes.quads(&[*user, 0, *system, *idle, 0, 0, 0, 0, 0, 0]);
    }
    bytes.put(1_u32).put([9_u8; 5]);
    bytes.quads(&[values.switches]).longs(&[values.processes]);
    bytes.quads(&[2000, 100, 300, 4000, 50, 100, 0, 600, 1, 2, 3, 4, 100, 5, 6, 7, 2500]);
    let [transfers, read, written, reading, busy] = values.disk;
    bytes.put(1_u32).quads(&[transfers, 0, 0]).longs(&[read, written, 0]);
    bytes.words(&[reading as u32, 0, busy as u32, 1000 * after(busy), 8, 16, 0, 0]);
    let [packets, received] = values.eth0;
    bytes.put(1_u32).quads(&[packets, 0, received, 0, 0, 0, 0]).put(1000_u32).text("eth0", 16).text("", 4);
    bytes.put(1_u32);
    bytes.quads(&[values.celsius, -10.0, 3.0].map(f64::to_bits)).text("coretemp", 20);
}

/// Two requests are in flight at a time.
fn after(busy: u64) -> u32 {
    (busy / 500) as u32
}

fn open(writer: &Writer) -> Arc<SaSource> {
    Arc::new(SaSource::open(Arc::new(writer.bytes.all.clone())).expect("opens"))
}

/// The cells of each sample.
fn read(source: &Arc<SaSource>) -> Vec<Cells> {
    cells(source, 4 << 20).0.into_values().collect()
}

#[track_caller]
fn cell(cells: &Cells, object: &str, instance: &str, counter: &str) -> Result<f64, Status> {
    let path = (object.to_owned(), instance.to_owned(), counter.to_owned());
    *cells.get(&path).unwrap_or_else(|| panic!("no {path:?} in {:?}", cells.keys().collect::<Vec<_>>()))
}

#[test]
fn every_order_and_word_size_has_the_same_values() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for len_long in [4, 8] {
            let mut writer = current(order, len_long);
            (0..3).for_each(|step| put(&mut writer, 500 * step, &Values::at(step)));
            let source = open(&writer);
            let samples = read(&source);
            assert_eq!(samples.len(), 3);
            let is = |object, instance, counter| cell(&samples[1], object, instance, counter);
            assert_eq!(is("sar.cpu", "0", "%usr"), Ok(25.0));
            assert_eq!(is("sar.cpu", "1", "%idle"), Ok(50.0));
            assert_eq!(is("sar.cpu", "all", "%sys"), Ok(5.0));
            assert_eq!(is("sar.pcsw", "", "cswch/s"), Ok(2000.0));
            // A long of 4 bytes wraps around.
            assert_eq!(is("sar.pcsw", "", "proc/s"), Ok(4.0), "{order:?} {len_long}");
            assert_eq!(is("sar.memory", "", "kbmemused"), Ok(4000.0 - 2000.0 - 100.0 - 300.0 - 100.0));
            assert_eq!(is("sar.memory", "", "%commit"), Ok(600.0 / 4100.0 * 100.0));
            assert_eq!(is("sar.disk", "dev8-16", "rkB/s"), Ok(6.4));
            assert_eq!(is("sar.disk", "dev8-16", "areq-sz"), Ok(8.0));
            assert_eq!(is("sar.disk", "dev8-16", "await"), Ok(1.5), "reading wraps around");
            assert_eq!(is("sar.disk", "dev8-16", "%util"), Ok(10.0));
            assert_eq!(is("sar.disk", "dev8-16", "aqu-sz"), Ok(0.2));
            assert_eq!(is("sar.net_dev", "eth0", "rxkB/s"), Ok(0.4));
            // 2 KiB in 5 s at 1 Gbit/s; it isn't known whether the line is full-duplex.
            let busy = is("sar.net_dev", "eth0", "%ifutil").expect("a value");
            assert!((busy - 2048.0 / 5.0 * 800.0 / 1e9).abs() < 1e-12, "{busy}");
            assert_eq!(is("sar.pwr_temp", "1 coretemp", "degC"), Ok(-3.5));
            assert_eq!(is("sar.pwr_temp", "1 coretemp", "%temp"), Ok(50.0));
            assert_eq!(cell(&samples[0], "sar.cpu", "0", "%usr"), Err(Status::FirstSample));
            assert_eq!(cell(&samples[0], "sar.memory", "", "kbmemfree"), Ok(2000.0));
            let odd: Vec<String> = source.health().findings().iter().map(ToString::to_string).collect();
            let place = "odd: file_activity.magic at byte 0x1c0: unknown activity";
            assert!(odd.len() == 1 && odd[0].starts_with(place), "{odd:?}");
        }
    }
}

#[test]
fn the_older_formats_have_fixed_lists() {
    for format in [0x1170, 0x2170, 0x2171, 0x2173] {
        for (order, len_long) in [(ByteOrder::Little, 8), (ByteOrder::Big, 4)] {
            let entries = [(1, 0x8a, 3, false, 160, [0; 3]), (12, 0x8a, 2, false, 72, [0; 3])];
            let mut writer = Writer::new(format, order, len_long, &entries);
            for step in 0..10 {
                if step == 5 {
                    writer.restart(1000 * step - 500);
                }
                let bytes = writer.record(1, 1000 * step);
                for ticks in [[0; 3], [700 * step, 1, 300 * step], [0; 3]] {
                    let [user, system, idle] = ticks;
                    bytes.quads(&[user, 0, 0, 0, system, 0, idle, 0]).quads(&[0; 12]);
                }
                bytes.longs(&[1, 2, 10_240 * step, 3, 0, 0, 0]).text("eth0", 16);
                bytes.longs(&[0; 7]).text("", 16);
            }
            let source = open(&writer);
            assert_eq!(source.health().total(), 0, "{:?}", source.health().findings());
            let samples = read(&source);
            assert_eq!(samples.len(), 10);
            for (number, cells) in samples.iter().enumerate() {
                let is_first = matches!(number, 0 | 5);
                let expected = |value| if is_first { Err(Status::FirstSample) } else { Ok(value) };
                assert_eq!(cell(cells, "sar.cpu", "0", "%usr"), expected(70.0), "{number}");
                assert_eq!(cell(cells, "sar.net_dev", "eth0", "rxkB/s"), expected(1.0), "{number}");
                let instances = cells.keys().filter(|(object, _, counter)| {
                    (object == "sar.cpu" && counter == "%usr")
                        || (object == "sar.net_dev" && counter == "rxkB/s")
                });
                assert_eq!(instances.count(), 3, "a CPU that is off and an unused slot are none");
            }
        }
    }
}

#[test]
fn restarts_comments_and_zones() {
    let mut writer = current(ByteOrder::Little, 8);
    put(&mut writer, 0, &Values::at(1));
    writer.comment(200, "deployed \x1b[31m");
    put(&mut writer, 500, &Values::at(2));
    writer.restart(700);
    put(&mut writer, 1000, &Values::at(3));
    // Uptime falls without a restart, then the clock is set back.
    put_at(&mut writer, 90_000, CREATED + 20, &Values::at(4));
    put_at(&mut writer, 90_004, CREATED + 20, &Values::at(5));
    put_at(&mut writer, 90_500, CREATED + 15, &Values::at(6));
    let source = open(&writer);
    let times: Vec<String> =
        source.times().iter().map(|time| time.utc.to_string()[11..].to_owned()).collect();
    assert_eq!(times, ["00:00:00Z", "00:00:05Z", "00:00:10Z", "00:00:15Z", "00:00:20Z", "00:00:20.04Z"]);
    let epochs: Vec<u32> = (0..6).map(|sample| source.epoch(sample)).collect();
    assert_eq!(epochs, [0, 0, 1, 3, 2, 2]);
    assert!(source.times().iter().all(|time| time.offset_min == 120));
    let info = source.info();
    assert_eq!(info.marks.len(), 1);
    assert_eq!(
        (info.marks[0].time.to_string().as_str(), &*info.marks[0].text),
        ("2026-02-01T00:00:02Z", "deployed \x1b[31m")
    );
    assert_eq!((&*info.hosts[0], info.boot_time), ("web1", None));
    assert_eq!(info.zone.as_ref().map(|zone| (&*zone.standard_name, zone.bias_min)), Some(("EET", -120)));
    assert_eq!(source.health().count(FindingKind::Odd), 3, "{:?}", source.health().findings());
    let all = cells(&source, 4 << 20).0;
    let firsts = all.values().filter(|cells| cell(cells, "sar.cpu", "0", "%usr") == Err(Status::FirstSample));
    assert_eq!(firsts.count(), 4);
}

#[test]
fn an_impossible_time_costs_its_sample_only() {
    for format in [0x1170, 0x2170, 0x2171, 0x2173, 0x2175] {
        // The last possible second is one, and the next isn't.
        let beyond = "0 to 9214646399 seconds since 1970, a time up to the year 2261";
        let early =
            format!("at least {} seconds since 1970, a day before the file was created", CREATED - 86_400);
        let far = "less than a year from the records before and after it";
        let times =
            [9_214_646_400, 0x7fff_ffff_ffff_ffff, u64::MAX, 0, CREATED - 86_401, CREATED + 40_000_000];
        for (wrong, expected) in times.into_iter().zip([beyond, beyond, beyond, &early, &early, far]) {
            let entries = match format {
                0x2175 => [(2, 0x8b, 1, false, 16, [1, 1, 0])],
                _ => [(2, 0x8a, 1, false, 32, [0; 3])],
            };
            let mut writer = Writer::new(format, ByteOrder::Little, 8, &entries);
            let mut ofs = 0;
            for step in 0..5 {
                ofs = if step == 2 { writer.bytes.all.len() } else { ofs };
                let time = if step == 2 { wrong } else { CREATED + 10 * step };
                let bytes = writer.record_at(1, 100_000 + 1000 * step, time);
                match format {
                    0x2175 => bytes.quads(&[70 * step]).longs(&[20 * step]),
                    _ => bytes.quads(&[70 * step, 0]).longs(&[20 * step, 0]),
                };
            }
            let source = open(&writer);
            let found: Vec<String> = source.health().findings().iter().map(ToString::to_string).collect();
            let ofs_time = ofs + if format == 0x2175 { 8 } else { 32 };
            assert_eq!(
                found,
                [format!(
                    "damaged: record_header.ust_time at byte {ofs_time:#x}: expected {expected}, \
                     found {wrong}: the sample is left out"
                )]
            );
            let samples = read(&source);
            let switches = |number: usize| cell(&samples[number], "sar.pcsw", "", "cswch/s");
            let first = Err(Status::FirstSample);
            assert_eq!([0, 1, 2, 3].map(switches), [first, Ok(7.0), first, Ok(7.0)], "{format:#x}");
            assert!(source.times().iter().all(|time| time.utc.unix_nanos().is_some()));
            let mut text = String::new();
            dump(&writer.bytes.all.clone(), usize::MAX, &mut text).expect("a dump");
            assert_eq!(text.matches("! ").count(), 1, "{text}");
        }
    }
}

#[test]
fn nothing_is_computed_between_two_things() {
    let mut writer = current(ByteOrder::Little, 8);
    let mut values: Vec<Values> = (0..6).map(Values::at).collect();
    // A disk and an interface that start afresh; a decrease in 32 bits would otherwise look like a
    // wrap-around.
    for (step, later) in (2..6).zip(&mut values[2..]) {
        later.disk = [step, step, 0, 10 * step, 5 * step];
        later.eth0 = [1000 + step, step];
        later.switches = 5 * step;
    }
    values[3].cpus[1] = [0; 3];
    values.iter().enumerate().for_each(|(step, values)| put(&mut writer, 500 * step as u64, values));
    let samples = read(&open(&writer));
    for counter in ["tps", "rkB/s", "await", "%util"] {
        assert_eq!(
            cell(&samples[2], "sar.disk", "dev8-16", counter),
            Err(Status::NoPreviousInstance),
            "{counter}"
        );
    }
    assert_eq!(cell(&samples[3], "sar.disk", "dev8-16", "%util"), Ok(0.1));
    for counter in ["rxpck/s", "rxkB/s", "txpck/s"] {
        assert_eq!(
            cell(&samples[2], "sar.net_dev", "eth0", counter),
            Err(Status::NoPreviousInstance),
            "{counter}"
        );
    }
    assert_eq!(cell(&samples[2], "sar.pcsw", "", "cswch/s"), Err(Status::CounterReset));
    assert!(
        !samples[3].keys().any(|(object, instance, _)| object == "sar.cpu" && instance == "1"),
        "it is off"
    );
    assert_eq!(cell(&samples[4], "sar.cpu", "1", "%usr"), Err(Status::NoPreviousInstance));
    assert_eq!(cell(&samples[3], "sar.cpu", "all", "%usr"), Ok(25.0), "of the CPU that is on");
    // Once back, it continues from its old values: 100 of 200 ticks of its own, 25 of 100 of the other's.
    let all = cell(&samples[4], "sar.cpu", "all", "%usr").expect("a value");
    assert!((all - 125.0 / 300.0 * 100.0).abs() < 1e-9, "{all}");
    assert_eq!(cell(&samples[5], "sar.cpu", "1", "%usr"), Ok(50.0));
}

#[test]
fn waiting_that_falls_takes_nothing_from_the_rest() {
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[CPU]);
    for (step, [user, idle, waiting]) in [[0, 100, 50], [30, 200, 30], [60, 270, 30]].into_iter().enumerate()
    {
        let bytes = writer.record(1, 100 * step as u64);
        bytes.put(3_u32).quads(&[0; 10]);
        bytes.quads(&[user, 0, 0, idle, waiting, 0, 0, 0, 0, 0]).quads(&[0; 10]);
    }
    let source = open(&writer);
    let samples = read(&source);
    for instance in ["0", "all"] {
        let percent = cell(&samples[1], "sar.cpu", instance, "%usr").expect("a value");
        assert!((percent - 30.0 / 130.0 * 100.0).abs() < 1e-9, "{percent}");
        assert_eq!(cell(&samples[2], "sar.cpu", instance, "%idle"), Ok(70.0));
    }
    assert_eq!(cell(&samples[1], "sar.cpu", "0", "%iowait"), Err(Status::CounterReset));
    // Corrected counters aren't compared with those of another file, which have other corrections.
    let decoded = source.decode(&[2], &Selection::all());
    let instances = &decoded.runs[0].instances;
    assert!(instances.iter().all(|instance| instance.basis != Basis::default() && instance.id.is_none()));
}

/// A file that is still being written says of its samples what it says of them later.
#[test]
fn a_younger_copy_has_the_same_samples() {
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[CPU]);
    let mut lens = Vec::new();
    // CPU 1 goes off after the second sample, and comes back in the sixth; CPU 0 waits less and less from the fourth on.
    for step in 0..8_u64 {
        let (second, waiting) = (u64::from(!(2..5).contains(&step)), 90 - 10 * step.max(3));
        let bytes = writer.record(1, 100 * step);
        bytes.put(3_u32).quads(&[0; 10]);
        bytes.quads(&[30 * step, 0, 0, 100 + 70 * step, waiting, 0, 0, 0, 0, 0]);
        bytes.quads(&[10 * (step + 1) * second, 0, 0, 40 * second, 0, 0, 0, 0, 0, 0]);
        lens.push(writer.bytes.all.len());
    }
    let whole = writer.bytes.all.clone();
    let decoded = |len: usize, samples: &[u32]| {
        let source = SaSource::open(Arc::new(whole[..len].to_vec())).expect("opens");
        let decoded = source.decode(samples, &Selection::all());
        let first = |run: &Run| run.columns.iter().map(|column| column.first.clone()).collect::<Vec<_>>();
        decoded.runs.iter().map(|run| (run.instances.clone(), first(run))).collect::<Vec<_>>()
    };
    for (copied, len) in lens.iter().enumerate() {
        let samples: Vec<u32> = (0..=copied as u32).collect();
        assert_eq!(decoded(*len, &samples), decoded(whole.len(), &samples), "{copied}");
    }
}

#[test]
fn the_same_things_have_the_names_of_windows() {
    for len_long in [4, 8] {
        let mut writer = current(ByteOrder::Little, len_long);
        (0..2).for_each(|step| put(&mut writer, 500 * step, &Values::at(step)));
        let source = open(&writer).canonical().expect("names");
        let samples: Vec<Cells> = cells_of(&source).into_values().collect();
        let is = |object, instance, counter| cell(&samples[1], object, instance, counter);
        assert_eq!(is("Processor", "_Total", "% Processor Time"), Ok(42.5));
        assert_eq!(is("Processor", "0", "% Privileged Time"), Ok(10.0));
        assert_eq!(is("System", "", "Context Switches/sec"), Ok(2000.0));
        assert_eq!(is("Memory", "", "Available Bytes"), Ok(2500.0 * 1024.0));
        assert_eq!(is("Paging File", "_Total", "% Usage"), Ok(50.0));
        assert_eq!(is("PhysicalDisk", "dev8-16", "% Idle Time"), Ok(90.0));
        assert_eq!(is("Network Interface", "eth0", "Bytes Received/sec"), Ok(409.6));
        assert_eq!(is("Network Adapter", "eth0", "Current Bandwidth"), Ok(1e9));
        // Sectors that wrap around at 2^32 can't be given in bytes.
        let path = ("PhysicalDisk".to_owned(), "dev8-16".to_owned(), "Disk Read Bytes/sec".to_owned());
        assert_eq!(samples[1].get(&path), if len_long == 4 { None } else { Some(&Ok(6553.6)) });
        assert_eq!(is("sar.pwr_temp", "1 coretemp", "degC"), Ok(-3.5), "its own name");
    }
}

#[test]
fn any_cut_into_slices_gives_the_same_values() {
    let mut writer = current(ByteOrder::Big, 4);
    (0..20).for_each(|step| put(&mut writer, 500 * step, &Values::at(step)));
    writer.restart(9999);
    (20..30).for_each(|step| put(&mut writer, 500 * step, &Values::at(step)));
    let source = open(&writer);
    let whole = cells(&source, 4 << 20).0;
    assert_eq!(whole.len(), 30);
    for len_slice in [1, 700, 5000] {
        assert_eq!(cells(&source, len_slice).0, whole, "{len_slice}");
        let source = source.canonical().expect("names");
        assert_eq!(cells_in_slices(&source, len_slice).0, cells_of(&source), "{len_slice}");
    }
}

#[test]
fn only_what_is_asked_for_is_decoded() {
    let mut writer = current(ByteOrder::Little, 8);
    (0..3).for_each(|step| put(&mut writer, 500 * step, &Values::at(step)));
    let source = open(&writer);
    let pattern: Pattern = r"\sar.pcsw\*".parse().expect("a pattern");
    let decoded = source.decode(&[0, 2], &Selection::from_iter([pattern]));
    let found: Vec<_> = decoded.runs.iter().map(|run| (&*run.object.name, run.num_samples())).collect();
    assert_eq!(found, [("sar.pcsw", 2)]);
    assert!(decoded.cooked.is_empty());
}

/// Reads a file, however damaged; returns the number of its samples.
fn exercise(bytes: &[u8]) -> Result<usize, SaError> {
    let mut text = String::new();
    let dumped = dump(&bytes.to_vec(), usize::MAX, &mut text);
    let source = SaSource::open(Arc::new(bytes.to_vec()));
    assert_eq!(dumped.is_err(), source.is_err());
    let source = Arc::new(source?);
    let (cells, _) = cells(&source, 4 << 20);
    assert!(cells.len() <= source.times().len());
    let has_findings = source.health().total() > source.health().count(FindingKind::Odd);
    assert!(
        text.contains("\n! ") || text.starts_with("! ") || !has_findings,
        "{:?}",
        source.health().findings()
    );
    Ok(source.times().len())
}

fn samples_of_every_format() -> Vec<Writer> {
    let mut first = current(ByteOrder::Little, 8);
    let mut second = current(ByteOrder::Big, 4);
    for writer in [&mut first, &mut second] {
        put(writer, 0, &Values::at(0));
        writer.comment(100, "begin");
        put(writer, 500, &Values::at(1));
        writer.restart(700);
        put(writer, 1000, &Values::at(2));
    }
    let old = [0x1170, 0x2170, 0x2171, 0x2173].map(|format| {
        let mut writer = Writer::new(format, ByteOrder::Little, 8, &[(12, 0x8a, 2, false, 72, [0; 3])]);
        for step in 0..3 {
            if step == 1 {
                writer.restart(100);
            }
            let bytes = writer.record(1, 1000 * step);
            bytes.longs(&[1, 2, 10_240 * step, 3, 0, 0, 0]).text("eth0", 16).longs(&[0; 7]).text("", 16);
        }
        writer
    });
    [first, second].into_iter().chain(old).collect()
}

#[test]
fn truncated_anywhere_keeps_what_is_before() {
    for writer in samples_of_every_format() {
        let bytes = &writer.bytes.all;
        assert_eq!(exercise(bytes), Ok(3));
        let mut before = 0;
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for len in 0..bytes.len() {
            if let Ok(count) = exercise(&bytes[..len]) {
                assert!(count >= before, "{len}");
                before = count;
                *counts.entry(count).or_default() += 1;
            }
        }
        assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [0, 1, 2]);
    }
}

#[test]
fn flipped_bits_harm_nobody() {
    for writer in samples_of_every_format() {
        let mut bytes = writer.bytes.all;
        for at in 0..bytes.len() {
            for bit in [0, at % 7 + 1] {
                bytes[at] ^= 1 << bit;
                let _ = exercise(&bytes);
                bytes[at] ^= 1 << bit;
            }
        }
    }
}

#[test]
fn damage_has_a_place() {
    let mut writer = current(ByteOrder::Little, 8);
    put(&mut writer, 0, &Values::at(0));
    let end = writer.bytes.all.len();
    let finding = |tail: &[u8]| {
        let mut bytes = writer.bytes.all.clone();
        bytes.extend(tail);
        let source = SaSource::open(Arc::new(bytes)).expect("opens");
        assert_eq!(source.times().len(), 1);
        source.health().findings()[1].to_string()
    };
    assert_eq!(
        finding(&[0; 100]),
        format!(
            "damaged: record_header at byte {end:#x}: expected a record, found nothing but zeros up to the end, 100 bytes: \
             the sample before it is kept"
        )
    );
    assert!(
        finding(&[1; 10])
            .starts_with(&format!("truncated: record_header at byte {end:#x}: the bytes end inside"))
    );
    let mut hostile = [0_u8; 28];
    hostile[20] = 1;
    hostile[24..].copy_from_slice(&0x0020_0000_u32.to_le_bytes());
    let what = finding(&hostile);
    assert!(
        what.contains("number of items.nr") && what.contains("expected 0 to 8193 items of A_CPU"),
        "{what}"
    );
    hostile[20..24].copy_from_slice(&[9, 77, 0, 0]);
    assert!(finding(&hostile).contains("record_header.hour"), "{}", finding(&hostile));
}

#[test]
fn errors_say_what_other_files_are() {
    let open =
        |bytes: &[u8]| SaSource::open(Arc::new(bytes.to_vec())).map(|_| ()).expect_err("refused").to_string();
    let sar = b"Linux 6.1.0-18-amd64 (web1) \t11/22/26 \t_x86_64_\t(2 CPU)\n\n01:36:32 CPU\n";
    assert!(
        SaSource::recognise(sar) && open(sar).contains("text that sar, iostat, mpstat or pidstat prints")
    );
    assert!(
        !SaSource::recognise(b"Linux is a kernel\n")
            && !SaSource::recognise(&[])
            && !SaSource::recognise(&[0x96])
    );
    let old = [0x96, 0xd5, 0x6f, 0x21, 8, 1, 2, 0];
    assert!(SaSource::recognise(&old));
    assert_eq!(
        open(&old),
        "file_magic.format at byte 0x2: format 0x216f of sysstat 8.1.2 is older than 8.1.3: it is not supported, and \
         sysstat's own converter (sadf -c) refuses it, too"
    );
    assert!(open(&[0xd5, 0x96, 0x21, 0x79, 13, 1, 0, 0]).contains("found 0x2179, written by sysstat 13.1.0"));
    assert!(open(b"not sa").contains("found 6e 6f 74"));
}
