//! Processes that began between two records.

use crate::support;

use std::sync::Arc;

use recount_model::{Content, Selection, Source, Status, Timestamp};
use recount_pcp::Archive;

use recount_samples::other_logs::pcp::{ArchiveBytes, COUNTER, INSTANT, NO_DOMAIN, Set};
use support::{Cells, cells, cook};

const BEGIN: u64 = 1_700_000_000;
/// When the machine was booted.
const BOOT: u64 = BEGIN - 5_000;
const PROCESSES: u32 = 3 << 22 | 9;
const MILLISECONDS: u32 = 0x0100_2000;
const SECONDS: u32 = 0x0100_3000;
const BYTES: u32 = 0x1000_0000;
const U32: u32 = 1;
const U64: u32 = 3;
const DOUBLE: u32 = 5;
const UPTIME: u32 = 1;
const USER: u32 = 2;
const KERNEL: u32 = 3;
const STARTED: u32 = 4;
const READ: u32 = 5;

/// Number, start in ms after the begin, ms of processor time in user mode and in the kernel, bytes read.
type Process = (i32, i64, u64, u64, u64);

/// How the archive says when the machine was booted.
#[derive(Clone, Copy, PartialEq)]
enum Boot {
    Unknown,
    WholeUptime,
    Uptime,
    Time,
}

/// The names of processes, from a second on.
type Names<'a> = (u64, &'a [(i32, &'a str)]);

const NAMES: Names<'static> =
    (0, &[(1, "000001 init"), (7, "000007 /usr/bin/make all"), (9, "000009 cc1"), (11, "000011 ld")]);

fn archive(boot: Boot, records: &[&[Process]]) -> Archive {
    archive_with(boot, records, &[NAMES])
}

/// A record every 10 s.
fn archive_with(boot: Boot, records: &[&[Process]], names: &[Names<'_>]) -> Archive {
    let mut archive = ArchiveBytes::new(2, "web1", "UTC0");
    match boot {
        Boot::Unknown => {}
        Boot::WholeUptime => archive.metric(UPTIME, "kernel.all.uptime", U32, NO_DOMAIN, INSTANT, SECONDS),
        Boot::Uptime => archive.metric(UPTIME, "kernel.all.uptime", DOUBLE, NO_DOMAIN, INSTANT, SECONDS),
        Boot::Time => archive.metric(UPTIME, "kernel.all.boottime", U32, NO_DOMAIN, INSTANT, SECONDS),
    }
    archive.metric(USER, "proc.psinfo.utime", U64, PROCESSES, COUNTER, MILLISECONDS);
    archive.metric(KERNEL, "proc.psinfo.stime", U64, PROCESSES, COUNTER, MILLISECONDS);
    archive.metric(STARTED, "proc.psinfo.start_time", U64, PROCESSES, INSTANT, MILLISECONDS);
    archive.metric(READ, "proc.io.rchar", U64, PROCESSES, COUNTER, BYTES);
    for (second, names) in names {
        archive.domain(BEGIN + second, PROCESSES, names);
    }
    for (at, processes) in (0_u64..).zip(records) {
        let time = BEGIN + 10 * at;
        let of = |value: &dyn Fn(&Process) -> u64| -> Vec<(i32, Vec<u8>)> {
            processes.iter().map(|process| (process.0, value(process).to_be_bytes().to_vec())).collect()
        };
        let (user, kernel, read) = (of(&|one| one.2), of(&|one| one.3), of(&|one| one.4));
        let started = of(&|one| (5_000_000 + one.1) as u64);
        let whole = [(-1, if boot == Boot::Time { BOOT as u32 } else { (time - BOOT) as u32 })];
        let fraction = [(-1, ((time - BOOT) as f64).to_be_bytes().to_vec())];
        let mut sets = vec![
            Set::Block(USER, U64 as u8, &user),
            Set::Block(KERNEL, U64 as u8, &kernel),
            Set::Block(STARTED, U64 as u8, &started),
            Set::Block(READ, U64 as u8, &read),
        ];
        match boot {
            Boot::Unknown => {}
            Boot::Uptime => sets.push(Set::Block(UPTIME, DOUBLE as u8, &fraction)),
            Boot::WholeUptime | Boot::Time => sets.push(Set::Place(UPTIME, &whole)),
        }
        archive.record(time, 0, &sets);
    }
    let files: [(&str, &Vec<u8>); 2] = [("a.meta", &archive.meta), ("a.0", &archive.volumes[0])];
    let plain =
        |(name, bytes): (&str, &Vec<u8>)| (name.to_owned(), Arc::new(bytes.clone()) as Arc<dyn Content>);
    Archive::open(files.map(plain).into()).expect("sound")
}

const FIRST: &[Process] = &[(1, -5_000_000, 100, 0, 10)];
/// One began 3 s after the first record, one 20 s before it, although that lacks it, and one 0.5 s after it.
const SECOND: &[Process] = &[
    (1, -5_000_000, 200, 0, 10),
    (7, 3_000, 2_000, 1_000, 500),
    (9, -20_000, 7_000, 7_000, 700),
    (11, 500, 1_000, 0, 100),
];

/// Value and status of a counter in the record at these seconds.
fn cell(
    source: &Arc<dyn Source>,
    seconds: i64,
    object: &str,
    counter: &str,
    instance: &str,
) -> (Option<f64>, Status) {
    let all = cook(source, 1 << 20, &Selection::all());
    let mut found = all.iter().filter(|cooked| &*cooked.object.name == object).filter_map(|cooked| {
        let at = cooked.instances.iter().position(|one| one.shown() == instance);
        let column =
            cooked.columns.iter().find(|column| &*cooked.object.counters[column.counter].name == counter);
        let time = |sample: usize| cooked.times[sample].utc.seconds_since(utc(0)).round() as i64;
        let sample = (0..cooked.num_samples()).find(|sample| time(*sample) == seconds);
        at.zip(column).zip(sample).map(|((at, column), sample)| {
            let cell = sample * cooked.instances.len() + at;
            (column.value_at(cell), column.status_at(cell))
        })
    });
    found.next().expect("a cell")
}

fn utc(seconds: i64) -> Timestamp {
    let since_1970 = (BEGIN as i64 + seconds) * Timestamp::TICKS_PER_SECOND;
    Timestamp(Timestamp::UNIX_EPOCH.0 + since_1970)
}

#[test]
fn what_began_since_the_last_record_has_counted_from_zero() {
    for boot in [Boot::Uptime, Boot::WholeUptime, Boot::Time] {
        let own: Arc<dyn Source> = Arc::new(archive(boot, &[FIRST, SECOND]));
        let of = |counter: &str, instance: &str| cell(&own, 10, "proc.psinfo", counter, instance);
        // In ms per 10 s.
        assert_eq!(of("utime", "000007 /usr/bin/make all"), (Some(0.2), Status::SinceStart));
        assert_eq!(of("stime", "000007 /usr/bin/make all"), (Some(0.1), Status::SinceStart));
        assert_eq!(of("utime", "000001 init"), (Some(0.01), Status::Ok));
        // It ran before: what it did in the interval isn't known.
        assert_eq!(of("utime", "000009 cc1"), (None, Status::NoPreviousInstance));
        // Whole seconds don't say whether it began before.
        let is_certain = boot != Boot::WholeUptime;
        let expected =
            if is_certain { (Some(0.1), Status::SinceStart) } else { (None, Status::NoPreviousInstance) };
        assert_eq!(of("utime", "000011 ld"), expected);
        // What another object says of the same processes.
        let read = cell(&own, 10, "proc.io", "rchar", "000007 /usr/bin/make all");
        assert_eq!(read, (Some(50.0), Status::SinceStart));
        let named = own.canonical().expect("names");
        let busy = cell(&named, 10, "Process", "% Processor Time", "make");
        assert_eq!(busy, (Some(30.0), Status::SinceStart));
        let read = cell(&named, 10, "Process", "IO Read Bytes/sec", "make");
        assert_eq!(read, (Some(50.0), Status::SinceStart));
    }
}

#[test]
fn without_the_boot_no_start_is_known() {
    let own: Arc<dyn Source> = Arc::new(archive(Boot::Unknown, &[FIRST, SECOND]));
    let found = cell(&own, 10, "proc.psinfo", "utime", "000007 /usr/bin/make all");
    assert_eq!(found, (None, Status::NoPreviousInstance));
}

/// Another process of the same name and number has counted from zero, and isn't the one before.
#[test]
fn a_number_that_is_used_again() {
    let later: &[Process] = &[(1, -5_000_000, 300, 0, 10), (7, 13_000, 4_000, 0, 900)];
    let own: Arc<dyn Source> = Arc::new(archive(Boot::Uptime, &[FIRST, SECOND, later]));
    let found = cell(&own, 20, "proc.psinfo", "utime", "000007 /usr/bin/make all");
    assert_eq!(found, (Some(0.4), Status::SinceStart));
}

/// It goes on, although it has another name since.
#[test]
fn a_process_that_executes_another_program() {
    let later: &[Process] = &[(1, -5_000_000, 300, 0, 10), (7, 3_000, 4_000, 1_000, 900)];
    let renamed: Names<'_> = (15, &[(1, "000001 init"), (7, "000007 cc1 a.c")]);
    let own: Arc<dyn Source> =
        Arc::new(archive_with(Boot::Uptime, &[FIRST, SECOND, later], &[NAMES, renamed]));
    assert_eq!(cell(&own, 20, "proc.psinfo", "utime", "000007 cc1 a.c"), (Some(0.2), Status::Ok));
}

/// However the records are cut into slices.
#[test]
fn slices_dont_matter() {
    let later: &[Process] =
        &[(1, -5_000_000, 300, 0, 10), (7, 3_000, 4_000, 0, 900), (11, 12_000, 5_000, 0, 1)];
    let source: Arc<dyn Source> = Arc::new(archive(Boot::Uptime, &[FIRST, SECOND, later]));
    let all = |len: usize| -> Cells { cells(&cook(&source, len, &Selection::all())) };
    assert_eq!(all(1), all(1 << 20));
}
