//! Boots that left no record, in every format: nothing is computed across them, for any counter.

use crate::support;

use std::sync::Arc;

use recount_bytes::ByteOrder;
use recount_model::{Source, Status};
use recount_samples::other_logs::sa::{CREATED, Entry, Writer};
use recount_sysstat::SaSource;
use support::{Cells, cells};

const FORMATS: [u16; 5] = [0x1170, 0x2170, 0x2171, 0x2173, 0x2175];

/// What the kernel counted.
#[derive(Clone, Copy)]
struct Totals {
    /// User, system and idle ticks of two CPUs.
    cpus: [[u64; 3]; 2],
    switches: u64,
    processes: u64,
    /// Kilobytes in and out, and faults.
    pages: [u64; 3],
    /// Transfers of all disks.
    transfers: u64,
    received: u64,
}

impl Totals {
    fn at(step: u64) -> Totals {
        Totals {
            cpus: [[40 * step, 10 * step, 50 * step]; 2],
            switches: 10_000 * step,
            processes: 20 * step,
            pages: [300 * step, 200 * step, 900 * step],
            transfers: 60 * step,
            received: 1_024 * step,
        }
    }
}

fn writer(format: u16, order: ByteOrder, len_long: u8) -> Writer {
    let entries: [Entry; 5] = match format {
        0x2175 => [
            (1, 0x8b, 3, true, 80, [10, 0, 0]),
            (2, 0x8b, 1, false, 16, [1, 1, 0]),
            (5, 0x8a, 1, false, 64, [0, 8, 0]),
            (6, 0x8b, 1, false, 40, [5, 0, 0]),
            (12, 0x8d, 1, true, 80, [7, 0, 1]),
        ],
        _ => [
            (1, 0x8a, 3, false, 160, [0; 3]),
            (2, 0x8a, 1, false, 32, [0; 3]),
            (5, 0x8a, 1, false, 64, [0; 3]),
            (6, 0x8a, 1, false, 20, [0; 3]),
            (12, 0x8a, 1, false, 72, [0; 3]),
        ],
    };
    Writer::new(format, order, len_long, &entries)
}

/// A sample, 10 s after the one before, of a machine that is up for a while.
fn put(writer: &mut Writer, format: u16, step: u64, uptime_cs: u64, totals: &Totals) {
    let Totals { cpus, switches, processes, pages, transfers, received } = *totals;
    let is_current = format == 0x2175;
    let bytes = writer.record_at(1, uptime_cs, CREATED + 10 * step);
    if is_current {
        bytes.put(3_u32);
    }
    for [user, system, idle] in [[0; 3], cpus[0], cpus[1]] {
        for ticks in [user, 0, system, idle, 0, 0, 0, 0, 0, 0] {
            bytes.quads(&[ticks, 0][..if is_current { 1 } else { 2 }]);
        }
    }
    if is_current {
        bytes.quads(&[switches]).longs(&[processes]);
    } else {
        bytes.quads(&[switches, 0]).longs(&[processes, 0]);
    }
    bytes.longs(&[pages[0], pages[1], pages[2], 0, 0, 0, 0, 0]);
    if is_current {
        bytes.quads(&[transfers, 0, 0, 0, 0]).put(1_u32);
        bytes.quads(&[5, 0, received, 0, 0, 0, 0]).put(0_u32).text("eth0", 16).zeros(4);
    } else {
        bytes.words(&[transfers as u32, 0, 0, 0, 0]);
        bytes.longs(&[5, 0, received, 0, 0, 0, 0]).text("eth0", 16);
    }
}

/// Six samples whose uptime rises; the totals are changed from the fourth on.
fn read(
    format: u16,
    order: ByteOrder,
    len_long: u8,
    change: impl Fn(u64, &mut Totals),
) -> (Arc<SaSource>, Vec<Cells>) {
    let mut writer = writer(format, order, len_long);
    for step in 0..6 {
        let mut totals = Totals::at(100 + step);
        if step >= 3 {
            change(step, &mut totals);
        }
        put(&mut writer, format, step, 100_000 + 1_000 * step, &totals);
    }
    let source = Arc::new(SaSource::open(Arc::new(writer.bytes.all)).expect("opens"));
    let samples = cells(&source, 4 << 20).0.into_values().collect();
    (source, samples)
}

fn epochs(source: &SaSource) -> Vec<u32> {
    (0..source.times().len()).map(|sample| source.epoch(sample)).collect()
}

const OBJECTS: [(&str, &str, &str); 6] = [
    ("sar.cpu", "all", "%usr"),
    ("sar.cpu", "0", "%idle"),
    ("sar.pcsw", "", "cswch/s"),
    ("sar.page", "", "fault/s"),
    ("sar.io", "", "tps"),
    ("sar.net_dev", "eth0", "rxkB/s"),
];

fn cell(cells: &Cells, (object, instance, counter): (&str, &str, &str)) -> Result<f64, Status> {
    cells[&(object.to_owned(), instance.to_owned(), counter.to_owned())]
}

/// What falls, and how.
type Fall<'a> = (&'a str, &'a dyn Fn(&mut Totals));

#[test]
fn totals_that_fall_together_are_a_boot() {
    // The later boot has been up for longer, and has switched more often; only some of the totals are lower.
    let changes: [Fall<'_>; 4] = [
        ("ticks", &|now| now.cpus.iter_mut().for_each(|cpu| [cpu[0], cpu[1]] = [cpu[0] / 2, cpu[1] / 2])),
        ("pages", &|now| [now.pages[0], now.pages[1]] = [now.pages[0] / 2, now.pages[1] / 2]),
        ("ticks and pages", &|now| {
            now.cpus[0][0] /= 3;
            now.pages[0] /= 2;
        }),
        ("pages and transfers", &|now| [now.pages[1], now.transfers] = [now.pages[1] / 2, now.transfers / 2]),
    ];
    for format in FORMATS {
        for (order, len_long) in [(ByteOrder::Little, 8), (ByteOrder::Big, 4)] {
            for (what, change) in &changes {
                let (source, samples) = read(format, order, len_long, |_, now| change(now));
                assert_eq!(epochs(&source), [0, 0, 0, 1, 1, 1], "{format:#x} {what}");
                let found: Vec<String> = source.health().findings().iter().map(ToString::to_string).collect();
                assert!(found.len() == 1 && found[0].contains("totals of the kernel fell"), "{found:?}");
                assert_eq!(source.info().boot_time, None);
                for path in OBJECTS {
                    assert_eq!(
                        cell(&samples[3], path),
                        Err(Status::FirstSample),
                        "{format:#x} {what} {path:?}"
                    );
                    assert!(
                        cell(&samples[4], path).is_ok() && cell(&samples[2], path).is_ok(),
                        "{format:#x} {path:?}"
                    );
                }
            }
        }
    }
}

/// What changes, the object, instance and counter to look at, the status there, and the change itself.
type Change<'a> = (&'a str, (&'a str, &'a str, &'a str), Status, &'a dyn Fn(&mut Totals));

#[test]
fn one_that_falls_is_no_boot() {
    let changes: [Change<'_>; 5] = [
        ("two totals of a CPU", ("sar.cpu", "0", "%idle"), Status::CounterReset, &|now| {
            now.cpus[0] = now.cpus[0].map(|ticks| ticks / 2);
        }),
        ("a total", ("sar.pcsw", "", "cswch/s"), Status::CounterReset, &|now| now.switches /= 2),
        ("the sums, for a disk was removed", ("sar.io", "", "tps"), Status::CounterReset, &|now| {
            now.transfers /= 2;
        }),
        ("an interface", ("sar.net_dev", "eth0", "rxkB/s"), Status::NoPreviousInstance, &|now| {
            now.received /= 2;
        }),
        ("idle ticks, and a CPU that is off", ("sar.cpu", "0", "%idle"), Status::CounterReset, &|now| {
            now.cpus[0][2] /= 2;
            now.cpus[1] = [0; 3];
        }),
    ];
    for format in FORMATS {
        for (what, path, status, change) in &changes {
            let (source, samples) = read(format, ByteOrder::Little, 8, |_, now| change(now));
            assert_eq!(epochs(&source), [0; 6], "{format:#x} {what}");
            assert_eq!(source.health().total(), 0, "{format:#x} {what}");
            assert_eq!(cell(&samples[3], *path), Err(*status), "{format:#x} {what}");
            let others = OBJECTS.into_iter().filter(|other| other != path && other.0 != path.0);
            for other in others {
                assert!(cell(&samples[3], other).is_ok(), "{format:#x} {what} {other:?}");
            }
        }
    }
}

/// Longs of 4 bytes pass 2^32 on a busy machine.
#[test]
fn narrow_totals_that_wrap_around_are_no_boot() {
    for format in FORMATS {
        let (source, samples) = read(format, ByteOrder::Little, 4, |step, now| {
            // From just below 2^32.
            [now.pages[0], now.pages[1]] = [10 * step, 20 * step];
        });
        // 300 * 102 and 200 * 102 kB are far below.
        assert_eq!(epochs(&source), [0, 0, 0, 1, 1, 1], "{format:#x}");
        assert!(samples.len() == 6);
        let mut writer = writer(format, ByteOrder::Little, 4);
        for step in 0..4 {
            let mut totals = Totals::at(100 + step);
            totals.pages =
                [300, 200, 900].map(|more| 0_u32.wrapping_sub(500).wrapping_add(more * step as u32).into());
            put(&mut writer, format, step, 100_000 + 1_000 * step, &totals);
        }
        let source = Arc::new(SaSource::open(Arc::new(writer.bytes.all)).expect("opens"));
        assert_eq!(epochs(&source), [0; 4], "{format:#x}");
        let samples: Vec<Cells> = cells(&source, 4 << 20).0.into_values().collect();
        let faults = samples[1..].iter().map(|cells| cell(cells, ("sar.page", "", "fault/s")));
        assert!(faults.into_iter().all(|value| value == Ok(90.0)), "{format:#x}");
    }
}
