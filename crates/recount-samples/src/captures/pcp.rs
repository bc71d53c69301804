//! `pcp/web1`: an archive as pmlogger writes it since PCP 6.

use crate::other_logs::pcp::{ArchiveBytes, COUNTER, INSTANT, NO_DOMAIN, Set};

/// 2026-02-01T00:00:00Z
const START: u64 = 1_769_904_000;
const INTERVAL_S: u64 = 10;

const U32: u32 = 1;
const U64: u32 = 3;
const FLOAT: u32 = 4;
const STRING: u32 = 6;

const MILLISECONDS: u32 = 0x0100_2000;
const COUNT: u32 = 0x0010_0000;
const KBYTES: u32 = 0x1001_0000;

/// The kernel's agent.
const fn id(cluster: u32, item: u32) -> u32 {
    60 << 22 | cluster << 10 | item
}

const DISKS: u32 = 60 << 22 | 1;
const MINUTES: u32 = 60 << 22 | 2;

/// Milliseconds of two CPUs in 10 s, by what they were spent on.
const TICKS: [(u32, &str, u64); 8] = [
    (20, "user", 5_000),
    (21, "nice", 0),
    (22, "sys", 1_000),
    (23, "idle", 13_500),
    (35, "wait.total", 500),
    (53, "irq.soft", 0),
    (54, "irq.hard", 0),
    (55, "steal", 0),
];
const READS: u32 = id(0, 4);
const WRITES: u32 = id(0, 5);
const READ_BYTES: u32 = id(0, 38);
const WRITTEN_BYTES: u32 = id(0, 39);
const MEMORY: u32 = id(1, 9);
const AVAILABLE: u32 = id(1, 58);
const LOAD: u32 = id(2, 0);
const RELEASE: u32 = id(12, 0);

/// A record every 10 s. After record 2 `sdb` gives way to `sdc`; a mark after record 3 says that pmlogger was restarted.
pub(crate) fn archive() -> Vec<(&'static str, Vec<u8>)> {
    let mut archive = ArchiveBytes::starting_at(START, 3, "web1", "EET-2");
    describe(&mut archive);
    for k in 0..6 {
        put_record(&mut archive, k);
        if k == 3 {
            archive.record(START + INTERVAL_S * k, 1_000_000, &[]);
        }
    }
    let volume = archive.volumes.remove(0);
    vec![("pcp/web1.meta", archive.meta), ("pcp/web1.0", volume)]
}

fn describe(archive: &mut ArchiveBytes) {
    for (item, name, _) in TICKS {
        let name = format!("kernel.all.cpu.{name}");
        archive.metric(id(0, item), &name, U64, NO_DOMAIN, COUNTER, MILLISECONDS);
    }
    archive.metric(READS, "disk.dev.read", U32, DISKS, COUNTER, COUNT);
    archive.metric(WRITES, "disk.dev.write", U32, DISKS, COUNTER, COUNT);
    archive.metric(READ_BYTES, "disk.dev.read_bytes", U64, DISKS, COUNTER, KBYTES);
    archive.metric(WRITTEN_BYTES, "disk.dev.write_bytes", U64, DISKS, COUNTER, KBYTES);
    archive.metric(MEMORY, "mem.physmem", U64, NO_DOMAIN, INSTANT, KBYTES);
    archive.metric(AVAILABLE, "mem.util.available", U64, NO_DOMAIN, INSTANT, KBYTES);
    archive.metric(LOAD, "kernel.all.load", FLOAT, MINUTES, INSTANT, 0);
    archive.metric(RELEASE, "kernel.uname.release", STRING, NO_DOMAIN, INSTANT, 0);
    archive.domain(START, DISKS, &[(0, "sda"), (1, "sdb")]);
    archive.domain(START, MINUTES, &[(1, "1 minute"), (5, "5 minute"), (15, "15 minute")]);
    archive.delta(START + 3 * INTERVAL_S, DISKS, &[(1, None), (2, Some("sdc"))]);
}

fn put_record(archive: &mut ArchiveBytes, k: u64) {
    // Sixteen minutes after booting, and the second disk more idle than the first.
    let step = 100 + k;
    let disks = [(0, 1), (if k < 3 { 1 } else { 2 }, 4)];
    let quad = |value: u64| value.to_be_bytes().to_vec();
    let ticks = TICKS.map(|(item, _, ms)| (id(0, item), [(-1, quad(ms * step))]));
    let operations = |num: u64| disks.map(|(disk, part)| (disk, (num * step / part) as u32));
    let kbytes = |num: u64| disks.map(|(disk, part)| (disk, quad(num * step / part)));
    let (reads, writes) = (operations(40), operations(200));
    let (read, written) = (kbytes(400), kbytes(2_000));
    let load =
        [(1, 1.5), (5, 0.75), (15, 0.25)].map(|(number, load)| (number, f32::to_be_bytes(load).to_vec()));
    let (memory, available) = ([(-1, quad(8_000_000))], [(-1, quad(3_600_000 - 1_000 * k))]);
    let release = [(-1, b"6.1.0\0".to_vec())];
    let mut sets: Vec<Set<'_>> =
        ticks.iter().map(|(metric, cells)| Set::Block(*metric, U64 as u8, cells)).collect();
    sets.extend([
        Set::Place(READS, &reads),
        Set::Place(WRITES, &writes),
        Set::Block(READ_BYTES, U64 as u8, &read),
        Set::Block(WRITTEN_BYTES, U64 as u8, &written),
        Set::Block(MEMORY, U64 as u8, &memory),
        Set::Block(AVAILABLE, U64 as u8, &available),
        Set::Block(LOAD, FLOAT as u8, &load),
    ]);
    if k == 0 {
        sets.push(Set::Block(RELEASE, STRING as u8, &release));
    }
    archive.record(START + INTERVAL_S * k, 0, &sets);
}
