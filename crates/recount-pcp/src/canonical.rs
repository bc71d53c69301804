//! Metrics that have an equivalent among the counters of Windows and our own recorder (`formats/linux-objects.md`):
//! same unit, same kernel numbers. Metrics without an exact equivalent have no row here.

use std::collections::BTreeSet;

use recount_model::CounterReading::{
    self, Below, Busy, Count, Gauge, Hundredths, Idle, Queue, Rate, Share, Whole,
};
use recount_model::{FieldSum, average_over, average_time_over, percentage_of};

use crate::starts::METRICS_OF_STARTS;
use Who::{Cpus, Mounted, One, Processes, Themselves, Total};

/// Metrics below a prefix, and the counters made from them.
pub(crate) struct PrefixCounters {
    pub(crate) prefix: &'static str,
    pub(crate) object: &'static str,
    pub(crate) who: Who,
    /// Of several with the same name, the first whose metrics the archive has is used.
    pub(crate) counters: &'static [Counter],
}

/// What the instances are, and their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Who {
    /// Those of the domain, with the same names; none without a domain.
    Themselves,
    /// The single value is the total.
    Total,
    /// The object has no instances; its values are those of the domain's instance with this number.
    One(i32),
    /// `cpu0` becomes `0`.
    Cpus,
    /// `001234 /usr/bin/make -j` becomes `make`, with its id.
    Processes,
    /// File systems by mount point, which is in the same record ([`MOUNTED`]); those without one aren't shown.
    Mounted,
}

/// The text metric with the mount points of file systems.
pub(crate) const MOUNTED: &str = "filesys.mountdir";

impl Who {
    /// The name of an instance, given its name in the domain.
    pub(crate) fn shown(self, own: &str) -> &str {
        match self {
            Who::Themselves | Who::Total | Who::One(_) | Who::Mounted => own,
            Who::Cpus => {
                own.strip_prefix("cpu").filter(|number| number.parse::<u32>().is_ok()).unwrap_or(own)
            }
            Who::Processes => program(own).unwrap_or(own),
        }
    }
}

/// `make` for `001234 /usr/bin/make -j`, `kworker/0:1` for `000017 (kworker/0:1)`.
fn program(own: &str) -> Option<&str> {
    let (number, command) = own.split_once(' ')?;
    number.parse::<u32>().ok()?;
    if let Some(name) = command.strip_prefix('(').and_then(|name| name.strip_suffix(')')) {
        return Some(name);
    }
    let path = command.split(' ').next()?;
    path.rsplit('/').next().filter(|name| !name.is_empty())
}

/// A counter: from what it is computed, and how.
///
/// The fields of its sums are metrics. A metric after `?` counts as 0 if the archive lacks it; if the archive lacks any
/// other, it doesn't have the counter.
pub(crate) struct Counter {
    pub(crate) name: &'static str,
    pub(crate) of: FieldSum,
    pub(crate) reading: CounterReading,
}

const fn row(
    prefix: &'static str,
    object: &'static str,
    who: Who,
    counters: &'static [Counter],
) -> PrefixCounters {
    PrefixCounters { prefix, object, who, counters }
}

const fn counter(name: &'static str, of: &'static str, reading: CounterReading) -> Counter {
    Counter { name, of: FieldSum::of(of), reading }
}

const fn rate(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, Rate)
}

const fn gauge(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, Gauge)
}

const fn count(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, Count)
}

/// What the agent makes of -1 Mbit/s, with which drivers report an unknown speed: 2^32 - 1 Mbit/s.
const UNKNOWN_SPEED: u64 = 4_294_967_295 * 1_000_000;

/// What IP counts under the same names in both versions, except forwarding.
macro_rules! ip {
    ($forwarded:literal) => {
        &[
            rate("Datagrams/sec", "inreceives+outrequests"),
            rate("Datagrams Received/sec", "inreceives"),
            count("Datagrams Received Header Errors", "inhdrerrors"),
            count("Datagrams Received Address Errors", "inaddrerrors"),
            rate("Datagrams Forwarded/sec", $forwarded),
            count("Datagrams Received Unknown Protocol", "inunknownprotos"),
            count("Datagrams Received Discarded", "indiscards"),
            rate("Datagrams Received Delivered/sec", "indelivers"),
            rate("Datagrams Sent/sec", "outrequests"),
            count("Datagrams Outbound Discarded", "outdiscards"),
            count("Datagrams Outbound No Route", "outnoroutes"),
            rate("Fragments Received/sec", "reasmreqds"),
            rate("Fragments Re-assembled/sec", "reasmoks"),
            count("Fragment Re-assembly Failures", "reasmfails"),
            rate("Fragmented Datagrams/sec", "fragoks"),
            count("Fragmentation Failures", "fragfails"),
            rate("Fragments Created/sec", "fragcreates"),
        ]
    };
}

macro_rules! udp {
    ($receive_buffer:literal) => {
        &[
            rate("Datagrams/sec", "indatagrams+outdatagrams"),
            rate("Datagrams Received/sec", "indatagrams"),
            rate("Datagrams No Port/sec", "noports"),
            count("Datagrams Received Errors", "inerrors"),
            rate("Datagrams Sent/sec", "outdatagrams"),
            count("Receive Buffer Errors", $receive_buffer),
            count("Send Buffer Errors", "sndbuferrors"),
        ]
    };
}

/// All ticks of a CPU; `user` and `nice` include the guests'.
const TICKS: FieldSum = FieldSum::of("user+nice+sys+idle+wait.total+irq.hard+irq.soft+steal");
/// The same, if guests are counted separately.
const TICKS_APART: FieldSum =
    FieldSum::of("vuser+guest+vnice+guest_nice+sys+idle+wait.total+irq.hard+irq.soft+steal");

#[rustfmt::skip]
const CPU: &[Counter] = &[
    counter("% Processor Time", "user+nice+sys+irq.hard+irq.soft+steal", Share(TICKS)),
    counter("% Processor Time", "vuser+guest+vnice+guest_nice+sys+irq.hard+irq.soft+steal", Share(TICKS_APART)),
    counter("% User Time", "user+nice", Share(TICKS)),
    counter("% User Time", "vuser+guest+vnice+guest_nice", Share(TICKS_APART)),
    counter("% Privileged Time", "sys+irq.hard+irq.soft", Share(TICKS)),
    counter("% Privileged Time", "sys+irq.hard+irq.soft", Share(TICKS_APART)),
    counter("% Idle Time", "idle+wait.total", Share(TICKS)),
    counter("% Idle Time", "idle+wait.total", Share(TICKS_APART)),
    counter("% Interrupt Time", "irq.hard", Share(TICKS)),
    counter("% Interrupt Time", "irq.hard", Share(TICKS_APART)),
    counter("% DPC Time", "irq.soft", Share(TICKS)),
    counter("% DPC Time", "irq.soft", Share(TICKS_APART)),
    counter("% Nice Time", "nice", Share(TICKS)),
    counter("% Nice Time", "vnice+guest_nice", Share(TICKS_APART)),
    counter("% IO Wait Time", "wait.total", Share(TICKS)),
    counter("% IO Wait Time", "wait.total", Share(TICKS_APART)),
    counter("% Steal Time", "steal", Share(TICKS)),
    counter("% Steal Time", "steal", Share(TICKS_APART)),
    counter("% Guest Time", "guest+?guest_nice", Share(TICKS)),
    counter("% Guest Time", "guest+guest_nice", Share(TICKS_APART)),
];

#[rustfmt::skip]
pub(crate) static CANONICAL: &[PrefixCounters] = &[
    row("kernel.percpu.cpu", "Processor", Cpus, CPU),
    row("kernel.all.cpu", "Processor", Total, CPU),
    row("kernel.all", "System", Themselves, &[
        rate("Context Switches/sec", "pswitch"),
        rate("Interrupts/sec", "intr"),
        rate("Threads Created/sec", "sysfork"),
        gauge("Runnable Threads", "runnable"),
        gauge("Blocked Threads", "blocked"),
        gauge("Threads", "nprocs"),
        counter("% CPU Pressure Some Time", "pressure.cpu.some.total", Busy),
        counter("% IO Pressure Some Time", "pressure.io.some.total", Busy),
        counter("% IO Pressure Full Time", "pressure.io.full.total", Busy),
        counter("% Interrupt Pressure Full Time", "pressure.irq.full.total", Busy),
    ]),
    // The instance numbers in the domain of the load averages are minutes.
    row("kernel.all", "System", One(1), &[counter("Load Average 1 Minute x100", "load", Hundredths)]),
    row("kernel.all", "System", One(5), &[counter("Load Average 5 Minutes x100", "load", Hundredths)]),
    row("kernel.all", "System", One(15), &[counter("Load Average 15 Minutes x100", "load", Hundredths)]),
    row("kernel.all", "Memory", Themselves, &[
        counter("% Pressure Some Time", "pressure.memory.some.total", Busy),
        counter("% Pressure Full Time", "pressure.memory.full.total", Busy),
    ]),
    row("vfs.files", "System", Themselves, &[gauge("Open Files", "count"), gauge("Open Files Limit", "max")]),
    row("mem", "Memory", Themselves, &[
        gauge("Available Bytes", "util.available"),
        counter("Available KBytes", "util.available", Whole(1 << 10)),
        counter("Available MBytes", "util.available", Whole(1 << 20)),
        gauge("Physical Bytes", "physmem"),
        gauge("Free & Zero Page List Bytes", "util.free"),
        gauge("Committed Bytes", "util.committed_AS"),
        gauge("Commit Limit", "util.commitLimit"),
        counter("% Committed Bytes In Use", "util.committed_AS", percentage_of("util.commitLimit")),
        gauge("Cache Bytes", "util.active_file+util.inactive_file"),
        gauge("Anonymous Bytes", "util.anonpages"),
        gauge("Mapped File Bytes", "util.mapped"),
        gauge("Locked Bytes", "util.mlocked"),
        gauge("Shared Memory Bytes", "util.shmem"),
        gauge("Active Bytes", "util.active"),
        gauge("Inactive Bytes", "util.inactive"),
        gauge("Dirty Bytes", "util.dirty"),
        gauge("Writeback Bytes", "util.writeback"),
        gauge("Slab Bytes", "util.slab"),
        gauge("Slab Reclaimable Bytes", "util.slabReclaimable"),
        gauge("Page Table Bytes", "util.pageTables"),
        gauge("Kernel Stack Bytes", "util.kernelStack"),
        gauge("Swap Cached Bytes", "util.swapCached"),
        rate("Page Faults/sec", "vmstat.pgfault"),
        rate("Major Page Faults/sec", "vmstat.pgmajfault"),
        rate("Block Bytes Input/sec", "1024*vmstat.pgpgin"),
        rate("Block Bytes Output/sec", "1024*vmstat.pgpgout"),
        rate("Swap Pages Input/sec", "vmstat.pswpin"),
        rate("Swap Pages Output/sec", "vmstat.pswpout"),
        rate("Pages Scanned/sec", "vmstat.pgscan_kswapd+vmstat.pgscan_direct"),
        rate("Pages Reclaimed/sec", "vmstat.pgsteal_kswapd+vmstat.pgsteal_direct"),
        rate("Out Of Memory Kills/sec", "vmstat.oom_kill"),
        rate("File Refaults/sec", "vmstat.workingset_refault_file"),
        rate("Anonymous Refaults/sec", "vmstat.workingset_refault_anon"),
    ]),
    row("swap", "Memory", Themselves, &[
        rate("Swap Pages Input/sec", "pagesin"),
        rate("Swap Pages Output/sec", "pagesout"),
    ]),
    row("mem.util", "Paging File", Total, &[
        counter("% Usage", "swapTotal-swapFree", percentage_of("swapTotal")),
        gauge("Used Bytes", "swapTotal-swapFree"),
        gauge("Size Bytes", "swapTotal"),
    ]),
    row("swap", "Paging File", Total, &[
        counter("% Usage", "used", percentage_of("length")),
        gauge("Used Bytes", "used"),
        gauge("Size Bytes", "length"),
    ]),
    // Partitions, and devices made of disks, are separate metrics (disk.partitions, disk.dm, disk.md).
    row("disk.dev", "PhysicalDisk", Themselves, &[
        gauge("Current Disk Queue Length", "inflight"),
        counter("% Disk Time", "read_rawactive+write_rawactive", Busy),
        counter("Avg. Disk Queue Length", "read_rawactive+write_rawactive", Queue),
        counter("% Disk Read Time", "read_rawactive", Busy),
        counter("Avg. Disk Read Queue Length", "read_rawactive", Queue),
        counter("% Disk Write Time", "write_rawactive", Busy),
        counter("Avg. Disk Write Queue Length", "write_rawactive", Queue),
        counter("Avg. Disk sec/Transfer", "read_rawactive+write_rawactive", average_time_over("read+write")),
        counter("Avg. Disk sec/Read", "read_rawactive", average_time_over("read")),
        counter("Avg. Disk sec/Write", "write_rawactive", average_time_over("write")),
        // Not `total`, which includes discards in some versions.
        rate("Disk Transfers/sec", "read+write"),
        rate("Disk Reads/sec", "read"),
        rate("Disk Writes/sec", "write"),
        rate("Disk Bytes/sec", "read_bytes+write_bytes"),
        rate("Disk Read Bytes/sec", "read_bytes"),
        rate("Disk Write Bytes/sec", "write_bytes"),
        counter("Avg. Disk Bytes/Transfer", "read_bytes+write_bytes", average_over("read+write")),
        counter("Avg. Disk Bytes/Read", "read_bytes", average_over("read")),
        counter("Avg. Disk Bytes/Write", "write_bytes", average_over("write")),
        counter("% Idle Time", "avactive", Idle),
        counter("% Busy Time", "avactive", Busy),
        rate("Merged Reads/sec", "read_merge"),
        rate("Merged Writes/sec", "write_merge"),
        rate("Disk Discards/sec", "discard"),
        rate("Disk Discard Bytes/sec", "discard_bytes"),
        rate("Disk Flushes/sec", "flush"),
    ]),
    // Inodes: the C library reports the same number as free for all and as free for users.
    row("filesys", "LogicalDisk", Mounted, &[
        counter("% Free Space", "avail", percentage_of("used+avail")),
        counter("Free Megabytes", "avail", Whole(1 << 20)),
        gauge("Free Bytes", "avail"),
        gauge("Size Bytes", "capacity"),
        counter("% Free Inodes", "freefiles", percentage_of("maxfiles")),
    ]),
    row("network.interface", "Network Adapter", Themselves, &[
        counter("Current Bandwidth", "8*baudrate", Below(UNKNOWN_SPEED)),
    ]),
    row("network.tcp", "TCP", Themselves, &[
        rate("Segments/sec", "insegs+outsegs"),
        gauge("Connections Established", "currestab"),
        count("Connections Active", "activeopens"),
        count("Connections Passive", "passiveopens"),
        count("Connection Failures", "attemptfails"),
        count("Connections Reset", "estabresets"),
        rate("Segments Received/sec", "insegs"),
        rate("Segments Sent/sec", "outsegs"),
        rate("Segments Retransmitted/sec", "retranssegs"),
        rate("Segments Received Errors/sec", "inerrs"),
        rate("Resets Sent/sec", "outrsts"),
    ]),
    row("network.sockstat.tcp", "TCP", Themselves, &[
        gauge("Connections Time-Wait", "tw"),
        gauge("Connections Orphaned", "orphan"),
        gauge("Memory Pages", "mem"),
    ]),
    row("network.udp", "UDPv4", Themselves, udp!("recvbuferrors")),
    row("network.udp6", "UDPv6", Themselves, udp!("rcvbuferrors")),
    row("network.ip", "IPv4", Themselves, ip!("forwdatagrams")),
    row("network.ip6", "IPv6", Themselves, ip!("outforwdatagrams")),
    row("network.interface", "Network Interface", Themselves, &[
        rate("Bytes Total/sec", "in.bytes+out.bytes"),
        rate("Packets/sec", "in.packets+out.packets"),
        rate("Packets Received/sec", "in.packets"),
        rate("Packets Sent/sec", "out.packets"),
        rate("Bytes Received/sec", "in.bytes"),
        counter("Packets Received Discarded", "in.drops", Count),
        counter("Packets Received Errors", "in.errors", Count),
        rate("Bytes Sent/sec", "out.bytes"),
        counter("Packets Outbound Discarded", "out.drops", Count),
        counter("Packets Outbound Errors", "out.errors", Count),
        rate("Packets Received Multicast/sec", "in.mcasts"),
        counter("Receive Queue Overruns", "in.fifo", Count),
        counter("Collisions", "collisions", Count),
        counter("Carrier Errors", "out.carrier", Count),
    ]),
    row("proc", "Process", Processes, &[
        counter("% Processor Time", "psinfo.utime+psinfo.stime", Busy),
        counter("% User Time", "psinfo.utime", Busy),
        counter("% Privileged Time", "psinfo.stime", Busy),
        gauge("Virtual Bytes", "psinfo.vsize"),
        rate("Page Faults/sec", "psinfo.minflt+psinfo.maj_flt"),
        rate("Major Page Faults/sec", "psinfo.maj_flt"),
        gauge("Working Set", "psinfo.rss"),
        gauge("Private Bytes", "memory.vmdata+memory.vmstack"),
        gauge("Thread Count", "psinfo.threads"),
        gauge("Handle Count", "fd.count"),
        gauge("ID Process", "psinfo.pid"),
        gauge("Creating Process ID", "psinfo.ppid"),
        rate("IO Read Bytes/sec", "io.rchar"),
        rate("IO Write Bytes/sec", "io.wchar"),
        rate("IO Data Bytes/sec", "io.rchar+io.wchar"),
        rate("IO Read Operations/sec", "io.syscr"),
        rate("IO Write Operations/sec", "io.syscw"),
        rate("IO Data Operations/sec", "io.syscr+io.syscw"),
        rate("Storage Read Bytes/sec", "io.read_bytes"),
        rate("Storage Write Bytes/sec", "io.write_bytes"),
        rate("Storage Cancelled Write Bytes/sec", "io.cancelled_write_bytes"),
    ]),
];

/// The metrics that an archive must have for a counter of Windows' or our recorder's name; for processes, also those that say when
/// they began. Empty if no metric says it.
///
/// ```
/// assert!(recount_pcp::metrics_of("Memory", "Available Bytes").contains("mem.util.available"));
/// assert!(recount_pcp::metrics_of("Memory", "Pool Paged Bytes").is_empty());
/// ```
pub fn metrics_of(object: &str, counter: &str) -> BTreeSet<String> {
    let mut metrics = BTreeSet::new();
    for row in CANONICAL.iter().filter(|row| row.object.eq_ignore_ascii_case(object)) {
        for counter in row.counters.iter().filter(|known| known.name.eq_ignore_ascii_case(counter)) {
            let terms =
                counter.of.terms().chain(counter.reading.base().into_iter().flat_map(FieldSum::terms));
            metrics
                .extend(terms.filter_map(|term| term.field).map(|field| format!("{}.{field}", row.prefix)));
            match row.who {
                Who::Mounted => metrics.extend([MOUNTED.to_owned()]),
                Who::Processes => metrics.extend(METRICS_OF_STARTS.map(str::to_owned)),
                _ => {}
            }
        }
    }
    metrics
}
