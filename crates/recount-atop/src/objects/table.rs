//! The objects and counters: a line each. Objects are called as the labels of atop's screen and of `atop -P`, counters as in the
//! fields of its screen (protocols: as the kernel calls them), with the base unit instead of its K and M.

use super::value::Unit::{AtOnce, Kib, Mega, Micro, Milli, Nano, One, Page, Percent, Sector, Tick, Word};
use super::value::{Counter, Needs, Unit, Value};
use super::{Listing, Name, ObjectRow};

const fn rate(
    name: &'static str,
    fields: &'static [&'static str],
    unit: Unit,
    help: &'static str,
) -> Counter {
    Counter::new(name, Value::Rate(fields), unit, help)
}

const fn now(name: &'static str, field: &'static str, unit: Unit, help: &'static str) -> Counter {
    Counter::new(name, Value::Now(field), unit, help)
}

const fn other(name: &'static str, value: Value, unit: Unit, help: &'static str) -> Counter {
    Counter::new(name, value, unit, help)
}

pub(super) static TABLE: &[ObjectRow] = &[
    ObjectRow {
        name: "CPU",
        help: "Times of processors as shares of all ticks of the processor; _Total is their mean (atop's CPU line shows the sum).",
        listing: Listing::Processors,
        counters: &[SHARES, CPU],
    },
    ObjectRow { name: "CPL", help: "Load of all processors.", listing: Listing::System, counters: &[CPL] },
    ObjectRow {
        name: "PRC",
        help: "Numbers of processes and threads.",
        listing: Listing::Record,
        counters: &[PRC],
    },
    ObjectRow { name: "MEM", help: "Physical memory, in bytes.", listing: Listing::System, counters: &[MEM] },
    ObjectRow {
        name: "SWP",
        help: "Swap space and promised memory, in bytes.",
        listing: Listing::System,
        counters: &[SWP],
    },
    ObjectRow { name: "PAG", help: "Paging, per second.", listing: Listing::System, counters: &[PAG] },
    ObjectRow {
        name: "PSI",
        help: "Pressure: shares of time in which some or all tasks were held up.",
        listing: Listing::Pressure,
        counters: &[PSI],
    },
    ObjectRow {
        name: "DSK",
        help: "Whole disks.",
        listing: Listing::Array { array: "disk.disks", count: "disk.n_disks", name: Name::Text("name") },
        counters: &[DISK, IN_FLIGHT],
    },
    ObjectRow {
        name: "MDD",
        help: "Multiple devices (software RAID).",
        listing: Listing::Array { array: "disk.md", count: "disk.n_md", name: Name::Text("name") },
        counters: &[DISK],
    },
    ObjectRow {
        name: "LVM",
        help: "Logical volumes.",
        listing: Listing::Array { array: "disk.lvm", count: "disk.n_lvm", name: Name::Text("name") },
        counters: &[DISK],
    },
    ObjectRow {
        name: "NET",
        help: "Network interfaces.",
        listing: Listing::Array { array: "nic.nics", count: "nic.n", name: Name::Text("name") },
        counters: &[INTERFACE],
    },
    ObjectRow { name: "IPv4", help: "/proc/net/snmp, Ip.", listing: Listing::System, counters: &[IPV4] },
    ObjectRow { name: "IPv6", help: "/proc/net/snmp6, Ip6.", listing: Listing::System, counters: &[IPV6] },
    ObjectRow {
        name: "ICMPv4",
        help: "/proc/net/snmp, Icmp. The recorder takes the other columns by their place, which differs between kernels.",
        listing: Listing::System,
        counters: &[ICMPV4],
    },
    ObjectRow {
        name: "ICMPv6",
        help: "/proc/net/snmp6, Icmp6.",
        listing: Listing::System,
        counters: &[ICMPV6],
    },
    ObjectRow { name: "UDPv4", help: "/proc/net/snmp, Udp.", listing: Listing::System, counters: &[UDPV4] },
    ObjectRow { name: "UDPv6", help: "/proc/net/snmp6, Udp6.", listing: Listing::System, counters: &[UDPV6] },
    ObjectRow {
        name: "TCP",
        help: "/proc/net/snmp, Tcp: over IPv4 and IPv6 together.",
        listing: Listing::System,
        counters: &[TCP],
    },
    ObjectRow {
        name: "NUM",
        help: "Memory of NUMA nodes, in bytes.",
        listing: Listing::Array {
            array: "numa_mem.nodes",
            count: "numa_mem.n",
            name: Name::Number("number"),
        },
        counters: &[NUM],
    },
    ObjectRow {
        name: "NUC",
        help: "Processor times of NUMA nodes.",
        listing: Listing::Array {
            array: "numa_cpu.nodes",
            count: "numa_cpu.n",
            name: Name::Number("number"),
        },
        counters: &[SHARES],
    },
    ObjectRow { name: "NFS", help: "NFS server.", listing: Listing::System, counters: &[NFS_SERVER] },
    ObjectRow { name: "NFC", help: "NFS client.", listing: Listing::System, counters: &[NFS_CLIENT] },
    ObjectRow {
        name: "NFM",
        help: "NFS mounts.",
        listing: Listing::Array {
            array: "nfs.mounts.mounts",
            count: "nfs.mounts.n",
            name: Name::Text("device"),
        },
        counters: &[NFS_MOUNT],
    },
    ObjectRow {
        name: "CON",
        help: "Containers of OpenVZ.",
        listing: Listing::Array {
            array: "containers.containers",
            count: "containers.n",
            name: Name::Number("id"),
        },
        counters: &[CONTAINER],
    },
    ObjectRow {
        name: "GPU",
        help: "GPUs, by number and bus id.",
        listing: Listing::Array { array: "gpu.gpus", count: "gpu.n", name: Name::Pair("number", "bus_id") },
        counters: &[GPU],
    },
    ObjectRow {
        name: "IFB",
        help: "Ports of InfiniBand.",
        listing: Listing::Array {
            array: "infiniband.ports",
            count: "infiniband.n",
            name: Name::Pair("name", "port"),
        },
        counters: &[INFINIBAND],
    },
    ObjectRow {
        name: "LLC",
        help: "Last level caches.",
        listing: Listing::Array { array: "llc.caches", count: "llc.n", name: Name::Number("id") },
        counters: &[LLC],
    },
    ObjectRow {
        name: "CGR",
        help: "Cgroups of version 2, by path, with all that is below them.",
        listing: Listing::Cgroups,
        counters: &[CGROUP],
    },
    ObjectRow {
        name: "Process",
        help: "Processes, by name; the id is the process id. Those that ended in the interval are among them.",
        listing: Listing::Tasks { processes: true },
        counters: &[TASK_TIMES, TASK_STATE, PROCESS],
    },
    ObjectRow {
        name: "Thread",
        help: "Threads of processes that have more than one.",
        listing: Listing::Tasks { processes: false },
        counters: &[TASK_TIMES, TASK_STATE],
    },
];

/// All ticks of a processor. Those of guests are among them already.
const TICKS: &[&str] = &["system", "user", "nice", "idle", "iowait", "irq", "softirq", "steal"];

const fn share(name: &'static str, fields: &'static [&'static str], help: &'static str) -> Counter {
    Counter::new(name, Value::Share(fields, TICKS), Percent, help)
}

const SHARES: &[Counter] = &[
    share("busy", &["system", "user", "nice", "irq", "softirq", "steal"], "All but idle and wait."),
    share("sys", &["system"], "In the kernel, interrupts not included."),
    share("user", &["user", "nice"], "In processes' own code, nice or not, guests included."),
    share("irq", &["irq", "softirq"], "On interrupts and soft interrupts."),
    share("idle", &["idle"], "Nothing to do, and no thread waited for a disk."),
    share("wait", &["iowait"], "Nothing to do while a thread waited for a disk."),
    share("steal", &["steal"], "The hypervisor ran something else."),
    share("guest", &["guest"], "Running virtual machines, nice ones not included; part of user."),
    share("nice", &["nice"], "Part of user: processes of lowered priority."),
    share("hardirq", &["irq"], "Part of irq: interrupts."),
    share("softirq", &["softirq"], "Part of irq: soft interrupts."),
    share("sys+irq", &["system", "irq", "softirq"], "sys and irq together."),
    share("idle+wait", &["idle", "iowait"], "idle and wait together."),
];

const CPU: &[Counter] = &[
    other("avgf", Value::Frequency("freq_sum", "freq_ticks"), One, "Frequency in MHz."),
    other(
        "avgscal",
        Value::FrequencyShare("freq_sum", "freq_ticks", "freq_max"),
        Percent,
        "Frequency as a share of the highest.",
    ),
    rate("instr", &["instructions"], One, "Instructions.").needs(Needs::Cycles),
    rate("cycle", &["cycles"], One, "Cycles.").needs(Needs::Cycles),
    other("ipc", Value::Share(&["instructions"], &["cycles"]), One, "Instructions per cycle.")
        .needs(Needs::Cycles),
];

const CPL: &[Counter] = &[
    other("avg1", Value::Now("cpu.load1"), One, "Load average of 1 minute."),
    other("avg5", Value::Now("cpu.load5"), One, "Load average of 5 minutes."),
    other("avg15", Value::Now("cpu.load15"), One, "Load average of 15 minutes."),
    rate("csw", &["cpu.context_switches"], One, "Context switches."),
    rate("intr", &["cpu.interrupts"], One, "Interrupts."),
    rate("clones", &["cpu.forks"], One, "Processes and threads that were begun."),
    now("numcpu", "cpu.n_cpus", One, "Processors."),
];

const PRC: &[Counter] = &[
    now("#proc", "processes", One, "Processes, with those that ended in the interval."),
    other(
        "#present",
        Value::Less("processes", "exited"),
        One,
        "Processes that are there at the time of the sample.",
    ),
    now("#trun", "running", One, "Threads that run or wait for a processor."),
    now("#tslpi", "sleeping", One, "Threads that sleep."),
    now("#tslpu", "blocked", One, "Threads that can't be interrupted."),
    now("#tidle", "idle", One, "Idle threads of the kernel."),
    now("#zombie", "zombies", One, "Processes that ended and aren't reaped."),
    now("#exit", "exited", One, "Processes that ended in the interval."),
    now("#noexit", "overflow", One, "Of these, those that the recorder had no room for."),
];

const MEM: &[Counter] = &[
    now("tot", "mem.total", Page, "Physical memory."),
    now("free", "mem.free", Page, "Memory that nothing is in."),
    now("avail", "mem.available", Page, "Memory that processes can be given without swapping."),
    now("cache", "mem.cache", Page, "Page cache, shared memory included."),
    now("buff", "mem.buffers", Page, "File system blocks."),
    now("dirty", "mem.dirty", Page, "Page cache that has yet to be written."),
    now("slab", "mem.slab", Page, "The kernel's own structures."),
    now("slrec", "mem.slab_reclaimable", Page, "Those that can be given up."),
    now("pgtab", "mem.page_tables", Page, "Page tables."),
    now("shmem", "mem.shmem", Page, "Shared memory and tmpfs."),
    now("shrss", "mem.shm_resident", Page, "Shared memory of System V that is resident."),
    now("shswp", "mem.shm_swapped", Page, "Shared memory of System V that is swapped out."),
    now("anonhuge", "mem.anon_huge", Page, "Huge pages of processes."),
    other("hptot", Value::Times("mem.huge_total", "mem.huge_size"), One, "Pool of huge pages."),
    other("hpfree", Value::Times("mem.huge_free", "mem.huge_size"), One, "Of it, free."),
    other("hp2tot", Value::Times("mem.huge2_total", "mem.huge2_size"), One, "Pool of the larger huge pages."),
    other("hp2free", Value::Times("mem.huge2_free", "mem.huge2_size"), One, "Of it, free."),
    now("vmbal", "mem.balloon", Page, "Balloon of VMware."),
    now("zfarc", "mem.zfs_arc", Page, "Cache of ZFS."),
    now("ksuse", "mem.ksm_sharing", Page, "Memory that shares pages by KSM."),
    now("ksshr", "mem.ksm_shared", Page, "Pages that KSM shares."),
    now("tcpsk", "mem.tcp_sockets", Page, "Buffers of TCP sockets."),
    now("udpsk", "mem.udp_sockets", Page, "Buffers of UDP sockets."),
    now("lowwm", "mem.low_watermark", Page, "Low watermark of free memory."),
];

const SWP: &[Counter] = &[
    now("tot", "mem.swap_total", Page, "Swap space."),
    now("free", "mem.swap_free", Page, "Of it, free."),
    other("used", Value::Less("mem.swap_total", "mem.swap_free"), Page, "Of it, in use."),
    other("used %", Value::Used("mem.swap_total", "mem.swap_free"), Percent, "The same as a share of it."),
    now("swcac", "mem.swap_cached", Page, "Memory that was read back from swap and is still there, too."),
    now("vmcom", "mem.committed", Page, "Memory that processes have been promised."),
    now("vmlim", "mem.commit_limit", Page, "How much could be promised if overcommitting were forbidden."),
    other("vmcom %", Value::Of("mem.committed", "mem.commit_limit"), Percent, "vmcom as a share of vmlim."),
    now("zswstor", "mem.zswap_stored", Page, "What zswap holds; unpacked from 2.10 on."),
    now("zswpool", "mem.zswap_pool", Page, "Memory that zswap takes."),
];

const PAG: &[Counter] = &[
    rate("scan", &["mem.scans"], One, "Pages looked at in search of memory."),
    rate("steal", &["mem.steals"], One, "Pages reclaimed."),
    rate("stall", &["mem.alloc_stalls"], One, "Allocations that had to wait for memory."),
    rate("compact", &["mem.compact_stalls"], One, "Allocations that had to wait for compaction."),
    rate("migrate", &["mem.migrated"], One, "Pages that were moved."),
    rate("numamig", &["mem.numa_migrated"], One, "Pages that were moved to another NUMA node."),
    rate("pgin", &["mem.page_ins"], One, "Pages read from block devices."),
    rate("pgout", &["mem.page_outs"], One, "Pages written to block devices."),
    rate("Bin", &["mem.page_ins"], Page, "pgin in bytes."),
    rate("Bout", &["mem.page_outs"], Page, "pgout in bytes."),
    rate("swin", &["mem.swap_ins"], One, "Pages read from swap."),
    rate("swout", &["mem.swap_outs"], One, "Pages written to swap."),
    rate("zswin", &["mem.zswap_ins"], One, "Pages read from zswap."),
    rate("zswout", &["mem.zswap_outs"], One, "Pages written to zswap."),
    rate("oomkill", &["mem.oom_kills"], One, "Processes killed for want of memory."),
];

const PSI: &[Counter] = &[
    rate("cpusome", &["psi.cpu_some.total"], Micro, "Some task waited for a processor."),
    rate("memsome", &["psi.mem_some.total"], Micro, "Some task waited for memory."),
    rate("memfull", &["psi.mem_full.total"], Micro, "All tasks waited for memory."),
    rate("iosome", &["psi.io_some.total"], Micro, "Some task waited for a device."),
    rate("iofull", &["psi.io_full.total"], Micro, "All tasks waited for devices."),
    now("cs10", "psi.cpu_some.avg10", One, "cpusome over 10 s, in percent, as the kernel averages it."),
    now("cs60", "psi.cpu_some.avg60", One, "cpusome over 60 s."),
    now("cs300", "psi.cpu_some.avg300", One, "cpusome over 300 s."),
    now("ms10", "psi.mem_some.avg10", One, "memsome over 10 s."),
    now("ms60", "psi.mem_some.avg60", One, "memsome over 60 s."),
    now("ms300", "psi.mem_some.avg300", One, "memsome over 300 s."),
    now("mf10", "psi.mem_full.avg10", One, "memfull over 10 s."),
    now("mf60", "psi.mem_full.avg60", One, "memfull over 60 s."),
    now("mf300", "psi.mem_full.avg300", One, "memfull over 300 s."),
    now("is10", "psi.io_some.avg10", One, "iosome over 10 s."),
    now("is60", "psi.io_some.avg60", One, "iosome over 60 s."),
    now("is300", "psi.io_some.avg300", One, "iosome over 300 s."),
    now("if10", "psi.io_full.avg10", One, "iofull over 10 s."),
    now("if60", "psi.io_full.avg60", One, "iofull over 60 s."),
    now("if300", "psi.io_full.avg300", One, "iofull over 300 s."),
];

const DISK: &[Counter] = &[
    rate("busy", &["io_ms"], Milli, "Share of time in which a request was under way."),
    rate("reqs", &["reads", "writes"], One, "Reads and writes."),
    rate("read", &["reads"], One, "Reads."),
    rate("write", &["writes"], One, "Writes."),
    rate("discrd", &["discards"], One, "Discards."),
    rate("B/s", &["read_sectors", "written_sectors"], Sector, "Bytes read and written."),
    rate("Br/s", &["read_sectors"], Sector, "Bytes read."),
    rate("Bw/s", &["written_sectors"], Sector, "Bytes written."),
    rate("Bd/s", &["discarded_sectors"], Sector, "Bytes discarded."),
    other(
        "B/req",
        Value::Share(&["read_sectors", "written_sectors"], &["reads", "writes"]),
        Sector,
        "Bytes per read or write.",
    ),
    other("B/r", Value::Share(&["read_sectors"], &["reads"]), Sector, "Bytes per read."),
    other("B/w", Value::Share(&["written_sectors"], &["writes"]), Sector, "Bytes per write."),
    other("B/d", Value::Share(&["discarded_sectors"], &["discards"]), Sector, "Bytes per discard."),
    other(
        "avio",
        Value::Share(&["io_ms"], &["reads", "writes"]),
        One,
        "Busy milliseconds per read or write.",
    ),
    other("avq", Value::Share(&["queue_ms"], &["io_ms"]), One, "Requests under way on average while busy."),
    rate("queue", &["queue_ms"], AtOnce, "Requests under way on average; discards and flushes, too."),
];

const IN_FLIGHT: &[Counter] =
    &[now("inflt", "in_flight", One, "Requests under way at the time of the sample.")];

const INTERFACE: &[Counter] = &[
    rate("pck", &["rx_packets", "tx_packets"], One, "Packets received and sent."),
    rate("pcki", &["rx_packets"], One, "Packets received."),
    rate("pcko", &["tx_packets"], One, "Packets sent."),
    rate("B", &["rx_bytes", "tx_bytes"], One, "Bytes received and sent."),
    rate("Bi", &["rx_bytes"], One, "Bytes received."),
    rate("Bo", &["tx_bytes"], One, "Bytes sent."),
    other("sp", Value::NowIfSet("speed"), Mega, "Speed in bits per second."),
    rate("coll", &["collisions"], One, "Collisions."),
    rate("mlti", &["rx_multicast"], One, "Multicast packets received."),
    rate("erri", &["rx_errors"], One, "Packets received with errors."),
    rate("erro", &["tx_errors"], One, "Packets that errors kept from being sent."),
    rate("drpi", &["rx_drops"], One, "Packets received and dropped."),
    rate("drpo", &["tx_drops"], One, "Packets dropped instead of being sent."),
    rate("fifoi", &["rx_fifo"], One, "Packets lost because a receive queue was full."),
    rate("fifoo", &["tx_fifo"], One, "Packets lost because a send queue was full."),
    rate("frami", &["rx_frame"], One, "Packets received with wrong frames."),
    rate("carro", &["tx_carrier"], One, "Packets not sent for want of a carrier."),
    rate("cmpi", &["rx_compressed"], One, "Compressed packets received."),
    rate("cmpo", &["tx_compressed"], One, "Compressed packets sent."),
];

/// Counters per second of a block, under the kernel's names.
macro_rules! of_block {
    ($block:literal: $($name:literal)*) => { &[$(rate($name, &[concat!($block, ".", $name)], One, "")),*] };
}

const IPV4: &[Counter] = of_block!("net.ipv4": "InReceives" "InHdrErrors" "InAddrErrors" "ForwDatagrams" "InUnknownProtos"
    "InDiscards" "InDelivers" "OutRequests" "OutDiscards" "OutNoRoutes" "ReasmTimeout" "ReasmReqds" "ReasmOKs" "ReasmFails"
    "FragOKs" "FragFails" "FragCreates");

const IPV6: &[Counter] = of_block!("net.ipv6": "InReceives" "InHdrErrors" "InTooBigErrors" "InNoRoutes" "InAddrErrors"
    "InUnknownProtos" "InTruncatedPkts" "InDiscards" "InDelivers" "OutForwDatagrams" "OutRequests" "OutDiscards" "OutNoRoutes"
    "ReasmTimeout" "ReasmReqds" "ReasmOKs" "ReasmFails" "FragOKs" "FragFails" "FragCreates" "InMcastPkts" "OutMcastPkts");

const ICMPV4: &[Counter] = of_block!("net.icmpv4": "InMsgs" "InErrors");

const ICMPV6: &[Counter] = of_block!("net.icmpv6": "InMsgs" "InErrors" "InDestUnreachs" "InPktTooBigs" "InTimeExcds"
    "InParmProblems" "InEchos" "InEchoReplies" "InGroupMembQueries" "InGroupMembResponses" "InGroupMembReductions"
    "InRouterSolicits" "InRouterAdvertisements" "InNeighborSolicits" "InNeighborAdvertisements" "InRedirects" "OutMsgs"
    "OutDestUnreachs" "OutPktTooBigs" "OutTimeExcds" "OutParmProblems" "OutEchoReplies" "OutRouterSolicits"
    "OutNeighborSolicits" "OutNeighborAdvertisements" "OutRedirects" "OutGroupMembResponses" "OutGroupMembReductions");

const UDPV4: &[Counter] = of_block!("net.udpv4": "InDatagrams" "NoPorts" "InErrors" "OutDatagrams");

const UDPV6: &[Counter] = of_block!("net.udpv6": "InDatagrams" "NoPorts" "InErrors" "OutDatagrams");

const TCP: &[Counter] = &[
    rate("ActiveOpens", &["net.tcp.ActiveOpens"], One, ""),
    rate("PassiveOpens", &["net.tcp.PassiveOpens"], One, ""),
    rate("AttemptFails", &["net.tcp.AttemptFails"], One, ""),
    rate("EstabResets", &["net.tcp.EstabResets"], One, ""),
    now("CurrEstab", "net.tcp.CurrEstab", One, ""),
    rate("InSegs", &["net.tcp.InSegs"], One, ""),
    rate("OutSegs", &["net.tcp.OutSegs"], One, ""),
    rate("RetransSegs", &["net.tcp.RetransSegs"], One, ""),
    rate("InErrs", &["net.tcp.InErrs"], One, ""),
    rate("OutRsts", &["net.tcp.OutRsts"], One, ""),
    rate("InCsumErrors", &["net.tcp.InCsumErrors"], One, ""),
];

const NUM: &[Counter] = &[
    now("tot", "total", Page, "Memory of the node."),
    now("free", "free", Page, "Of it, free."),
    now("file", "file", Page, "File contents."),
    now("dirty", "dirty", Page, "File contents that have yet to be written."),
    now("slab", "slab", Page, "The kernel's own structures."),
    now("slrec", "slab_reclaimable", Page, "Those that can be given up."),
    now("activ", "active", Page, "Memory that was used of late."),
    now("inact", "inactive", Page, "Memory that wasn't used of late."),
    now("shmem", "shmem", Page, "Shared memory and tmpfs."),
    now("hptot", "huge_total", One, "Number of huge pages."),
    now("hpfree", "huge_free", One, "Of them, free."),
    now("frag", "fragmentation", Percent, "Fragmentation."),
];

const NFS_SERVER: &[Counter] = &[
    rate("rpc", &["nfs.server.rpc"], One, "Calls."),
    rate("cread", &["nfs.server.reads"], One, "Calls that read."),
    rate("cwrit", &["nfs.server.writes"], One, "Calls that write."),
    rate("Bcr/s", &["nfs.server.read_bytes"], One, "Bytes read by clients."),
    rate("Bcw/s", &["nfs.server.written_bytes"], One, "Bytes written by clients."),
    rate("net", &["nfs.server.net"], One, "Requests."),
    rate("nettcp", &["nfs.server.net_tcp"], One, "Requests by TCP."),
    rate("netudp", &["nfs.server.net_udp"], One, "Requests by UDP."),
    rate("tcpcon", &["nfs.server.tcp_connections"], One, "Connections by TCP."),
    rate("badfmt", &["nfs.server.bad_format"], One, "Calls of a bad format."),
    rate("badaut", &["nfs.server.bad_auth"], One, "Calls with a bad authorisation."),
    rate("badcln", &["nfs.server.bad_client"], One, "Calls by bad clients."),
    rate("rchits", &["nfs.server.cache_hits"], One, "Hits of the reply cache."),
    rate("rcmiss", &["nfs.server.cache_misses"], One, "Misses of the reply cache."),
    rate("rcnoca", &["nfs.server.uncached"], One, "Calls that aren't cached."),
];

const NFS_CLIENT: &[Counter] = &[
    rate("rpc", &["nfs.client.rpc"], One, "Calls."),
    rate("read", &["nfs.client.reads"], One, "Calls that read."),
    rate("write", &["nfs.client.writes"], One, "Calls that write."),
    rate("retxmit", &["nfs.client.retransmissions"], One, "Calls that were sent again."),
    rate("autref", &["nfs.client.auth_refreshes"], One, "Refreshed authorisations."),
];

const NFS_MOUNT: &[Counter] = &[
    rate("read", &["read"], One, "Bytes that programs read."),
    rate("write", &["written"], One, "Bytes that programs wrote."),
    rate("dread", &["direct_read"], One, "Bytes read directly."),
    rate("dwrite", &["direct_written"], One, "Bytes written directly."),
    rate("nread", &["total_read"], One, "Bytes read from the server."),
    rate("nwrit", &["total_written"], One, "Bytes written to the server."),
    rate("mread", &["mmap_read_pages"], Page, "Bytes read by mapped memory."),
    rate("mwrit", &["mmap_written_pages"], Page, "Bytes written by mapped memory."),
    now("age", "age", One, "Seconds since it was mounted."),
];

const CONTAINER: &[Counter] = &[
    rate("sys", &["system"], Tick, "Time in the kernel, as a share of one processor."),
    rate("user", &["user"], Tick, "Time in processes' own code."),
    rate("nice", &["nice"], Tick, "Time of processes of lowered priority."),
    now("procs", "processes", One, "Processes."),
    now("mem", "pages", Page, "Memory in bytes."),
];

const GPU: &[Counter] = &[
    other("busy", Value::Share(&["busy_cum"], &["samples"]), One, "Busy, in percent, on average."),
    other(
        "membusy",
        Value::Share(&["mem_busy_cum"], &["samples"]),
        One,
        "Memory busy, in percent, on average.",
    ),
    other("memavg", Value::Share(&["mem_used_cum"], &["samples"]), Kib, "Memory in use on average."),
    now("gpubusy", "busy_now", One, "Busy in the last second, in percent."),
    now("gpumemb", "mem_busy_now", One, "Memory busy in the last second, in percent."),
    now("memtot", "mem_total", Kib, "Memory."),
    now("memuse", "mem_used", Kib, "Memory in use."),
    now("procs", "processes", One, "Processes that use it."),
];

const INFINIBAND: &[Counter] = &[
    rate("Bi", &["rx_bytes"], Word, "Bytes received."),
    rate("Bo", &["tx_bytes"], Word, "Bytes sent."),
    rate("pcki", &["rx_packets"], One, "Packets received."),
    rate("pcko", &["tx_packets"], One, "Packets sent."),
    other("sp", Value::NowIfSet("rate"), Mega, "Speed in bits per second."),
    now("lanes", "lanes", One, "Lanes."),
];

const LLC: &[Counter] = &[
    now("occu", "occupancy", Percent, "Share of the cache in use."),
    rate("tot", &["total_bytes"], One, "Bytes by way of it."),
    rate("loc", &["local_bytes"], One, "Of them, from memory of the same node."),
];

const CGROUP: &[Counter] = &[
    rate(
        "CPU",
        &["cpu.user", "cpu.system"],
        Micro,
        "Time that its processes ran, as a share of one processor.",
    ),
    rate("CPUUSR", &["cpu.user"], Micro, "Of it, outside the kernel."),
    rate("CPUSYS", &["cpu.system"], Micro, "Of it, in the kernel."),
    now("CPUMAX", "conf.cpu_max", One, "Limit, in percent of one processor."),
    now("CPUWGT", "conf.cpu_weight", One, "Weight."),
    now("NPROCS", "gen.processes", One, "Processes of the group itself."),
    now("PBELOW", "gen.processes_below", One, "Processes of the groups below."),
    now("MEMORY", "mem.current", Page, "Memory charged, in bytes."),
    now("MEMANON", "mem.anon", Page, "Memory of processes that belongs to no file."),
    now("MEMFILE", "mem.file", Page, "Contents of files."),
    now("MEMKERN", "mem.kernel", Page, "Memory of the kernel."),
    now("MEMSHM", "mem.shmem", Page, "Shared memory."),
    now("MEMMAX", "conf.mem_max", Page, "Limit of memory."),
    now("SWPMAX", "conf.swap_max", Page, "Limit of swap space."),
    rate("BREAD", &["disk.read_bytes"], One, "Bytes read from devices."),
    rate("BWRITE", &["disk.written_bytes"], One, "Bytes written to devices."),
    rate("READ", &["disk.reads"], One, "Reads."),
    rate("WRITE", &["disk.writes"], One, "Writes."),
    now("DSKWGT", "conf.disk_weight", One, "Weight."),
    rate("cpusome", &["cpu.some"], Micro, "Some process waited for a processor."),
    rate("cpufull", &["cpu.full"], Micro, "All waited for a processor."),
    rate("memsome", &["mem.some"], Micro, "Some process waited for memory."),
    rate("memfull", &["mem.full"], Micro, "All waited for memory."),
    rate("iosome", &["disk.some"], Micro, "Some process waited for a device."),
    rate("iofull", &["disk.full"], Micro, "All waited for devices."),
];

const TASK_TIMES: &[Counter] = &[
    rate("CPU", &["cpu.user", "cpu.system"], Tick, "Time that it ran, as a share of one processor."),
    rate("USRCPU", &["cpu.user"], Tick, "Of it, outside the kernel."),
    rate("SYSCPU", &["cpu.system"], Tick, "Of it, in the kernel."),
    rate("RDELAY", &["cpu.run_delay"], Nano, "Share of time that it waited for a processor.")
        .needs(Needs::Alive),
    rate("BDELAY", &["cpu.block_delay"], Tick, "Share of time that it waited for a disk.")
        .needs(Needs::Alive),
    rate("CSW", &["cpu.voluntary_switches", "cpu.involuntary_switches"], One, "Context switches.")
        .needs(Needs::Alive),
    rate("NVCSW", &["cpu.voluntary_switches"], One, "Context switches when it began to wait.")
        .needs(Needs::Alive),
    rate("NIVCSW", &["cpu.involuntary_switches"], One, "Context switches when others came first.")
        .needs(Needs::Alive),
    rate("MINFLT", &["mem.minor_faults"], One, "Page faults that needed no disk."),
    rate("MAJFLT", &["mem.major_faults"], One, "Page faults that had to wait for a disk."),
    rate("FLT", &["mem.minor_faults", "mem.major_faults"], One, "All page faults."),
    rate("RDDSK", &["disk.read_sectors"], Sector, "Bytes fetched from disks.").needs(Needs::Disk),
    rate("WRDSK", &["disk.written_sectors"], Sector, "Bytes that it caused to be written to disks.")
        .needs(Needs::Disk),
    rate("WCANCL", &["disk.cancelled_sectors"], Sector, "Of these, bytes that weren't written after all.")
        .needs(Needs::Disk),
    rate("TCPRCV", &["net.tcp_in"], One, "TCP segments received.").needs(Needs::Net),
    rate("TCPSND", &["net.tcp_out"], One, "TCP segments sent.").needs(Needs::Net),
    rate("TCPRCVB", &["net.tcp_in_bytes"], One, "Bytes received by TCP.").needs(Needs::Net),
    rate("TCPSNDB", &["net.tcp_out_bytes"], One, "Bytes sent by TCP.").needs(Needs::Net),
    rate("UDPRCV", &["net.udp_in"], One, "UDP datagrams received.").needs(Needs::Net),
    rate("UDPSND", &["net.udp_out"], One, "UDP datagrams sent.").needs(Needs::Net),
    rate("UDPRCVB", &["net.udp_in_bytes"], One, "Bytes received by UDP.").needs(Needs::Net),
    rate("UDPSNDB", &["net.udp_out_bytes"], One, "Bytes sent by UDP.").needs(Needs::Net),
];

const TASK_STATE: &[Counter] = &[
    now("PID", "gen.pid", One, "Id of the process or thread."),
    now("TGID", "gen.tgid", One, "Id of its process."),
    now("PPID", "gen.ppid", One, "Id of its parent."),
    now(
        "S",
        "gen.state",
        One,
        "Its state, as the ASCII code of the letter: 82 R, 83 S, 68 D, 90 Z; 69 E has ended.",
    ),
    other("NICE", Value::Signed("cpu.nice"), One, "Its niceness.").needs(Needs::Alive),
    other("PRI", Value::Signed("cpu.priority"), One, "Its priority.").needs(Needs::Alive),
    now("RTPR", "cpu.rt_priority", One, "Its real-time priority.").needs(Needs::Alive),
    now("POLI", "cpu.policy", One, "Number of its scheduling policy.").needs(Needs::Alive),
    now("CPUNR", "cpu.cpu", One, "The processor that it ran on last.").needs(Needs::Alive),
    other("elapsed", Value::Since("gen.start"), One, "Time since it began.").needs(Needs::Alive),
];

const fn held(name: &'static str, field: &'static str, help: &'static str) -> Counter {
    Counter::new(name, Value::Now(field), Kib, help).needs(Needs::Alive)
}

const PROCESS: &[Counter] = &[
    now("THR", "gen.threads", One, "Threads.").needs(Needs::Alive),
    now("TRUN", "gen.threads_run", One, "Of them, those that run.").needs(Needs::Alive),
    now("TSLPI", "gen.threads_sleep", One, "Those that sleep.").needs(Needs::Alive),
    now("TSLPU", "gen.threads_disk", One, "Those that can't be interrupted.").needs(Needs::Alive),
    now("TIDLE", "gen.threads_idle", One, "Idle threads of the kernel.").needs(Needs::Alive),
    now("RUID", "gen.ruid", One, "Id of its user."),
    now("EUID", "gen.euid", One, "Id of the user whose rights it has.").needs(Needs::Alive),
    now("RGID", "gen.rgid", One, "Id of its group."),
    now("EGID", "gen.egid", One, "Id of the group whose rights it has.").needs(Needs::Alive),
    other(
        "EXC",
        Value::ExitCode("gen.exit_code"),
        One,
        "Its exit code, or 256 and the signal that ended it.",
    )
    .needs(Needs::Ended),
    held("VSIZE", "mem.virtual", "Address space, in bytes."),
    held("RSIZE", "mem.resident", "Memory in use, shared or not."),
    other("PSIZE", Value::NowIfSet("mem.proportional"), Kib, "Memory in use, what is shared by its users.")
        .needs(Needs::Alive),
    held("VSTEXT", "mem.exec", "Code of the program."),
    held("VDATA", "mem.data", "Private data."),
    held("VSTACK", "mem.stack", "Stack."),
    held("VSLIBS", "mem.libraries", "Code of libraries."),
    held("SWAPSZ", "mem.swap", "Swap space in use."),
    held("LOCKSZ", "mem.locked", "Locked memory."),
    other("VGROW", Value::Growth("mem.virtual_growth"), Kib, "Growth of VSIZE.").needs(Needs::Alive),
    other("RGROW", Value::Growth("mem.resident_growth"), Kib, "Growth of RSIZE.").needs(Needs::Alive),
    now("OOMSCR", "mem.oom_score", One, "How likely it is to be killed for want of memory.")
        .needs(Needs::Alive),
    other("OOMADJ", Value::Signed("mem.oom_adjust"), One, "What is added to that.").needs(Needs::Alive),
    now("CPUWGT", "cpu.cg_cpu_weight", One, "Weight of its cgroup.").needs(Needs::Cgroup),
    now("CPUMAX", "cpu.cg_cpu_max", One, "Limit of its cgroup, in percent of one processor.")
        .needs(Needs::Cgroup),
    now("CPUMAXR", "cpu.cg_cpu_max_strict", One, "The least limit of its cgroup and those above.")
        .needs(Needs::Cgroup),
    held("MEMMAX", "mem.cg_mem_max", "Limit of memory of its cgroup.").needs(Needs::Cgroup),
    held("MMMAXR", "mem.cg_mem_max_strict", "The least of its cgroup and those above.").needs(Needs::Cgroup),
    held("SWPMAX", "mem.cg_swap_max", "Limit of swap space of its cgroup.").needs(Needs::Cgroup),
    held("SWMAXR", "mem.cg_swap_max_strict", "The least of its cgroup and those above.").needs(Needs::Cgroup),
    now("GPUS", "gpu.gpus", One, "GPUs that it uses.").needs(Needs::Gpu),
    now("GPULIFE", "gpu.busy", One, "GPU busy over its life, in percent.").needs(Needs::Gpu),
    now("GPUMLIFE", "gpu.mem_busy", One, "GPU memory busy over its life, in percent.").needs(Needs::Gpu),
    other("GPUBUSY", Value::Share(&["gpu.busy_cum"], &["gpu.samples"]), One, "GPU busy, in percent.")
        .needs(Needs::Gpu),
    other(
        "GPUMBUSY",
        Value::Share(&["gpu.mem_busy_cum"], &["gpu.samples"]),
        One,
        "GPU memory busy, in percent.",
    )
    .needs(Needs::Gpu),
    now("GPUMEM", "gpu.mem_now", Kib, "GPU memory in use.").needs(Needs::Gpu),
    other("GPUMEMAVG", Value::Share(&["gpu.mem_cum"], &["gpu.samples"]), Kib, "The same on average.")
        .needs(Needs::Gpu),
];
