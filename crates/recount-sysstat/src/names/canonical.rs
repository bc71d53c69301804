//! Counters that have an equivalent among those of Windows and our own recorder (`formats/linux-objects.md`): same
//! unit, same kernel counters. Counters without an exact equivalent have no row here.

use recount_model::CounterReading::{Busy, Gauge, Idle, Queue, Whole};
use recount_model::percentage_of;

use super::counters::{Counter, counter, gauge, rate, stalled, ticks};

/// Counters of an activity, and the object to which they belong.
pub(crate) struct Canonical {
    pub(crate) id: u32,
    pub(crate) object: &'static str,
    pub(crate) only: ItemFilter,
    pub(crate) counters: &'static [Counter],
}

/// Which items are instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemFilter {
    /// All of them.
    All,
    /// The single item is the total of things that the file doesn't list.
    Total,
    /// Disks that are neither partitions nor made of other disks.
    WholeDisks,
    /// Interfaces whose speed is known.
    WithSpeed,
    /// File systems, by mount point.
    Mounted,
}

const fn of(id: u32, object: &'static str, only: ItemFilter, counters: &'static [Counter]) -> Canonical {
    Canonical { id, object, only, counters }
}

#[rustfmt::skip]
const IP: &[Counter] = &[
    rate("Datagrams/sec", "InReceives+OutRequests"),
    rate("Datagrams Received/sec", "InReceives"),
    rate("Datagrams Received Delivered/sec", "InDelivers"),
    rate("Datagrams Sent/sec", "OutRequests"),
    rate("Fragments Received/sec", "ReasmReqds"),
    rate("Fragments Re-assembled/sec", "ReasmOKs"),
    rate("Fragmented Datagrams/sec", "FragOKs"),
    rate("Fragments Created/sec", "FragCreates"),
];

#[rustfmt::skip]
const IP_ERRORS: &[Counter] = &[
    gauge("Datagrams Received Header Errors", "InHdrErrors"),
    gauge("Datagrams Received Address Errors", "InAddrErrors"),
    gauge("Datagrams Received Unknown Protocol", "InUnknownProtos"),
    gauge("Datagrams Received Discarded", "InDiscards"),
    gauge("Datagrams Outbound Discarded", "OutDiscards"),
    gauge("Datagrams Outbound No Route", "OutNoRoutes"),
    gauge("Fragment Re-assembly Failures", "ReasmFails"),
    gauge("Fragmentation Failures", "FragFails"),
];

#[rustfmt::skip]
const UDP: &[Counter] = &[
    rate("Datagrams/sec", "InDatagrams+OutDatagrams"),
    rate("Datagrams Received/sec", "InDatagrams"),
    rate("Datagrams No Port/sec", "NoPorts"),
    gauge("Datagrams Received Errors", "InErrors"),
    rate("Datagrams Sent/sec", "OutDatagrams"),
];

#[rustfmt::skip]
pub(crate) static CANONICAL: &[Canonical] = &[
    of(1, "Processor", ItemFilter::All, &[
        ticks("% Processor Time", "user+nice+sys+steal+hardirq+softirq"),
        ticks("% User Time", "user+nice"),
        ticks("% Privileged Time", "sys+hardirq+softirq"),
        ticks("% Idle Time", "idle+iowait"),
        ticks("% Interrupt Time", "hardirq"),
        ticks("% DPC Time", "softirq"),
        ticks("% Nice Time", "nice"),
        ticks("% IO Wait Time", "iowait"),
        ticks("% Steal Time", "steal"),
        ticks("% Guest Time", "guest+?guest_nice"),
    ]),
    of(2, "System", ItemFilter::All, &[rate("Context Switches/sec", "context_switch"), rate("Threads Created/sec", "processes")]),
    of(4, "Memory", ItemFilter::All, &[rate("Swap Pages Input/sec", "pswpin"), rate("Swap Pages Output/sec", "pswpout")]),
    of(5, "Memory", ItemFilter::All, &[
        rate("Page Faults/sec", "pgfault"),
        rate("Major Page Faults/sec", "pgmajfault"),
        rate("Block Bytes Input/sec", "1024*pgpgin"),
        rate("Block Bytes Output/sec", "1024*pgpgout"),
        rate("Pages Scanned/sec", "pgscan_kswapd+pgscan_direct"),
        // Reclaimed pages have no row: since Linux 5.8 sadc adds them up twice, by who reclaimed them and by what they held.
    ]),
    of(7, "Memory", ItemFilter::All, &[
        gauge("Available Bytes", "1024*available"),
        gauge("Available KBytes", "available"),
        gauge("Committed Bytes", "1024*committed"),
        gauge("Free & Zero Page List Bytes", "1024*free"),
        gauge("Physical Bytes", "1024*total"),
        gauge("Anonymous Bytes", "1024*anonpages"),
        gauge("Shared Memory Bytes", "1024*shmem"),
        gauge("Active Bytes", "1024*active"),
        gauge("Inactive Bytes", "1024*inactive"),
        gauge("Dirty Bytes", "1024*dirty"),
        gauge("Slab Bytes", "1024*slab"),
        gauge("Page Table Bytes", "1024*pagetables"),
        gauge("Kernel Stack Bytes", "1024*kernelstack"),
        gauge("Swap Cached Bytes", "1024*swapcached"),
    ]),
    of(7, "Paging File", ItemFilter::Total, &[
        counter("% Usage", "swaptotal-swapfree", percentage_of("swaptotal"), "", ""),
        gauge("Used Bytes", "1024*swaptotal-1024*swapfree"),
        gauge("Size Bytes", "1024*swaptotal"),
    ]),
    of(8, "System", ItemFilter::All, &[gauge("Open Files", "file_used")]),
    of(9, "System", ItemFilter::All, &[
        // sadc doesn't count itself; our recorder does.
        gauge("Runnable Threads", "nr_running+1"),
        gauge("Blocked Threads", "procs_blocked"),
        gauge("Threads", "nr_threads"),
        gauge("Load Average 1 Minute x100", "load_1"),
        gauge("Load Average 5 Minutes x100", "load_5"),
        gauge("Load Average 15 Minutes x100", "load_15"),
    ]),
    // Transfers have no row: sysstat's include discards.
    of(11, "PhysicalDisk", ItemFilter::WholeDisks, &[
        counter("% Disk Time", "rd_ticks+wr_ticks", Busy, "", "").by(10),
        counter("Avg. Disk Queue Length", "rd_ticks+wr_ticks", Queue, "", ""),
        counter("% Disk Read Time", "rd_ticks", Busy, "", "").by(10),
        counter("Avg. Disk Read Queue Length", "rd_ticks", Queue, "", ""),
        counter("% Disk Write Time", "wr_ticks", Busy, "", "").by(10),
        counter("Avg. Disk Write Queue Length", "wr_ticks", Queue, "", ""),
        rate("Disk Bytes/sec", "512*rd_sect+512*wr_sect"),
        rate("Disk Read Bytes/sec", "512*rd_sect"),
        rate("Disk Write Bytes/sec", "512*wr_sect"),
        rate("Disk Discard Bytes/sec", "512*dc_sect"),
        counter("% Idle Time", "tot_ticks", Idle, "", "").by(10),
        counter("% Busy Time", "tot_ticks", Busy, "", "").by(10),
    ]),
    of(12, "Network Interface", ItemFilter::All, &[
        rate("Bytes Total/sec", "rx_bytes+tx_bytes"),
        rate("Packets/sec", "rx_packets+tx_packets"),
        rate("Packets Received/sec", "rx_packets"),
        rate("Packets Sent/sec", "tx_packets"),
        rate("Bytes Received/sec", "rx_bytes"),
        rate("Bytes Sent/sec", "tx_bytes"),
        rate("Packets Received Multicast/sec", "multicast"),
    ]),
    of(12, "Network Adapter", ItemFilter::WithSpeed, &[counter("Current Bandwidth", "1000000*speed", Gauge, "", "")]),
    of(16, "TCP", ItemFilter::All, &[gauge("Connections Time-Wait", "tcp_tw")]),
    of(17, "IPv4", ItemFilter::All, IP),
    of(17, "IPv4", ItemFilter::All, &[rate("Datagrams Forwarded/sec", "ForwDatagrams")]),
    of(18, "IPv4", ItemFilter::All, IP_ERRORS),
    of(21, "TCP", ItemFilter::All, &[
        rate("Segments/sec", "InSegs+OutSegs"),
        gauge("Connections Active", "ActiveOpens"),
        gauge("Connections Passive", "PassiveOpens"),
        rate("Segments Received/sec", "InSegs"),
        rate("Segments Sent/sec", "OutSegs"),
    ]),
    of(22, "TCP", ItemFilter::All, &[
        gauge("Connection Failures", "AttemptFails"),
        gauge("Connections Reset", "EstabResets"),
        rate("Segments Retransmitted/sec", "RetransSegs"),
        rate("Segments Received Errors/sec", "InErrs"),
        rate("Resets Sent/sec", "OutRsts"),
    ]),
    of(23, "UDPv4", ItemFilter::All, UDP),
    of(25, "IPv6", ItemFilter::All, IP),
    of(25, "IPv6", ItemFilter::All, &[rate("Datagrams Forwarded/sec", "OutForwDatagrams")]),
    of(26, "IPv6", ItemFilter::All, IP_ERRORS),
    of(29, "UDPv6", ItemFilter::All, UDP),
    // Errors have no row: A_NET_EDEV has its own list of interfaces, and an object has only one list of instances.
    of(37, "LogicalDisk", ItemFilter::Mounted, &[
        counter("% Free Space", "avail", percentage_of("blocks-free+avail"), "", ""),
        counter("Free Megabytes", "avail", Whole(1 << 20), "", ""),
        gauge("Free Bytes", "avail"),
        gauge("Size Bytes", "blocks"),
        // The C library reports the same number of inodes as free for all and as free for users.
        counter("% Free Inodes", "ffree", percentage_of("files"), "", ""),
    ]),
    of(40, "System", ItemFilter::All, &[stalled("% CPU Pressure Some Time", "some_total")]),
    of(41, "System", ItemFilter::All, &[
        stalled("% IO Pressure Some Time", "some_total"), stalled("% IO Pressure Full Time", "full_total"),
    ]),
    of(42, "Memory", ItemFilter::All, &[
        stalled("% Pressure Some Time", "some_total"), stalled("% Pressure Full Time", "full_total"),
    ]),
];
