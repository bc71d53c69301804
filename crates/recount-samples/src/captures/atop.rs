//! `atop.raw`: a log as `atop -w` writes it.

use crate::other_logs::atop::{START, Sample, Structure, file};

/// atop 2.12.
const MINOR: u8 = 12;
const INTERVAL_S: u32 = 10;

/// What samples say: the first is since boot; values of tasks' disks and networks are real; there are cgroups.
const SINCE_BOOT: u16 = 0x0001;
const TASKS: u16 = 0x0004 | 0x0020;
const CGROUPS: u16 = 0x0100;

/// A sample every 10 s. In sample 2 `make` ends, and another process gets its id.
pub(crate) fn log() -> Vec<u8> {
    let samples: Vec<Sample> = (0..4).map(sample).collect();
    file(MINOR, &samples)
}

fn sample(k: u32) -> Sample {
    let is_first = k == 0;
    let interval = if is_first { 3_600 } else { INTERVAL_S };
    let mut sample = Sample::new(MINOR, START + i64::from(INTERVAL_S * k), interval);
    sample.flags = TASKS | CGROUPS | if is_first { SINCE_BOOT } else { 0 };
    // Differences are those of 10 s, and since boot of 360 times as long.
    let times = if is_first { 360 } else { 1 };
    processors(&mut sample.system, times);
    memory(&mut sample.system, times, i64::from(k));
    devices(&mut sample.system, times);
    sample.tasks = tasks(k);
    sample.cgroups = vec![
        Structure::cgroup("", 0, -1, 0),
        Structure::cgroup("system.slice", 1, 0, 1),
        Structure::cgroup("ssh.service", 2, 1, 0),
    ];
    sample
}

/// The first works, the second idles.
fn processors(system: &mut Structure, times: i64) {
    for (name, ticks) in
        [("system", [100, 0]), ("user", [400, 100]), ("idle", [450, 900]), ("iowait", [50, 0])]
    {
        for (entry, ticks) in ticks.into_iter().enumerate() {
            system.set_at(&format!("cpu.cpus.{name}"), entry, ticks * times);
        }
        system.set(&format!("cpu.all.{name}"), (ticks[0] + ticks[1]) * times);
    }
    system.set("cpu.context_switches", 5_000 * times).set("cpu.interrupts", 3_000 * times);
    system.set("cpu.forks", 20 * times).set("cpu.load1", 2).set("cpu.load5", 1);
}

/// In pages of 4 KiB.
fn memory(system: &mut Structure, times: i64, k: i64) {
    system.set("mem.total", 2_000_000).set("mem.free", 500_000 - 250 * k).set("mem.cache", 375_000);
    system.set("mem.available", 900_000 - 250 * k).set("mem.buffers", 12_500).set("mem.slab", 100_000);
    system.set("mem.swap_total", 250_000).set("mem.swap_free", 187_500);
    system.set("mem.committed", 1_125_000).set("mem.commit_limit", 1_250_000);
    system.set("mem.swap_ins", 30 * times).set("mem.page_ins", 400 * times);
    system.set("psi.present", 1).set("psi.cpu_some.total", 500_000 * times).set("psi.cpu_some.avg10", 5);
}

fn devices(system: &mut Structure, times: i64) {
    system.set("disk.n_disks", 1).text("disk.disks.name", "sda").set("disk.disks.in_flight", 1);
    system.set("disk.disks.reads", 40 * times).set("disk.disks.read_sectors", 800 * times);
    system.set("disk.disks.writes", 200 * times).set("disk.disks.written_sectors", 4_000 * times);
    system.set("disk.disks.io_ms", 2_500 * times).set("disk.disks.queue_ms", 4_000 * times);
    system.set("nic.n", 1).text("nic.nics.name", "eth0").set("nic.nics.kind", i64::from(b'e'));
    system.set("nic.nics.rx_packets", 1_000 * times).set("nic.nics.rx_bytes", 1_024_000 * times);
    system.set("nic.nics.tx_packets", 500 * times).set("nic.nics.tx_bytes", 102_400 * times);
    system.set("nic.nics.speed", 1_000).set("nic.nics.full_duplex", 1);
    system.set("net.tcp.CurrEstab", 7).set("net.tcp.InSegs", 900 * times).set("net.tcp.OutSegs", 450 * times);
}

fn tasks(k: u32) -> Vec<Structure> {
    let mut tasks = vec![init()];
    let mut first = make(START - 100, 500, 100);
    if k < 2 {
        tasks.push(first);
        return tasks;
    }
    if k == 2 {
        let with_code_2 = 2 << 8;
        first.set("gen.state", i64::from(b'E')).set("gen.exit_code", with_code_2);
        tasks.push(first);
    }
    tasks.push(make(START + 15, 250, 50));
    tasks
}

fn init() -> Structure {
    let mut init = Structure::task(MINOR);
    init.text("gen.name", "systemd").text("gen.cmdline", "/sbin/init").set("gen.pid", 1).set("gen.tgid", 1);
    init.set("gen.start", START - 3_600).set("gen.threads", 1).set("gen.threads_sleep", 1);
    init.set("mem.virtual", 170_000).set("mem.resident", 13_000);
    init
}

/// A process of some start, with its ticks in the interval.
fn make(start: i64, user: i64, system: i64) -> Structure {
    let mut make = Structure::task(MINOR);
    make.text("gen.name", "make").text("gen.cmdline", "make -j2").set("gen.pid", 4711).set("gen.tgid", 4711);
    make.set("gen.ppid", 1).set("gen.start", start).set("gen.threads", 2).set("gen.threads_run", 2);
    make.set("gen.state", i64::from(b'R')).set("cpu.user", user).set("cpu.system", system);
    make.set("mem.virtual", 9_000).set("mem.resident", 3_000).set("mem.minor_faults", 70);
    make.set("disk.read_sectors", 80).set("disk.written_sectors", 400);
    make
}
