//! Equivalent counters with the same unit. Counters without an exact equivalent have no row here.

use super::ObjectEquivalents;

const fn row(
    own: &'static str,
    object: &'static str,
    counters: &'static [(&'static str, &'static str)],
) -> ObjectEquivalents {
    ObjectEquivalents { own, object, counters, is_total: false }
}

pub(super) static CANONICAL: &[ObjectEquivalents] = &[
    row(
        "CPU",
        "Processor",
        &[
            ("busy", "% Processor Time"),
            ("user", "% User Time"),
            ("sys+irq", "% Privileged Time"),
            ("idle+wait", "% Idle Time"),
            ("hardirq", "% Interrupt Time"),
            ("softirq", "% DPC Time"),
            ("nice", "% Nice Time"),
            ("wait", "% IO Wait Time"),
            ("steal", "% Steal Time"),
        ],
    ),
    row(
        "CPL",
        "System",
        &[("csw", "Context Switches/sec"), ("intr", "Interrupts/sec"), ("clones", "Threads Created/sec")],
    ),
    row("PRC", "System", &[("#present", "Processes"), ("#trun", "Runnable Threads")]),
    row(
        "PSI",
        "System",
        &[
            ("cpusome", "% CPU Pressure Some Time"),
            ("iosome", "% IO Pressure Some Time"),
            ("iofull", "% IO Pressure Full Time"),
        ],
    ),
    row("PSI", "Memory", &[("memsome", "% Pressure Some Time"), ("memfull", "% Pressure Full Time")]),
    row(
        "MEM",
        "Memory",
        &[
            ("tot", "Physical Bytes"),
            ("free", "Free & Zero Page List Bytes"),
            ("avail", "Available Bytes"),
            ("avail MB", "Available MBytes"),
            ("dirty", "Dirty Bytes"),
            ("slab", "Slab Bytes"),
            ("slrec", "Slab Reclaimable Bytes"),
            ("pgtab", "Page Table Bytes"),
            ("shmem", "Shared Memory Bytes"),
        ],
    ),
    row(
        "SWP",
        "Memory",
        &[
            ("swcac", "Swap Cached Bytes"),
            ("vmcom", "Committed Bytes"),
            ("vmlim", "Commit Limit"),
            ("vmcom %", "% Committed Bytes In Use"),
        ],
    ),
    row(
        "PAG",
        "Memory",
        &[
            // Pages scanned and reclaimed aren't here: since Linux 5.8 atop counts them twice, once by who did it and
            // once by what they held.
            ("stall", "Allocation Stalls/sec"),
            ("oomkill", "Out Of Memory Kills/sec"),
            ("swin", "Swap Pages Input/sec"),
            ("swout", "Swap Pages Output/sec"),
            ("Bin", "Block Bytes Input/sec"),
            ("Bout", "Block Bytes Output/sec"),
        ],
    ),
    ObjectEquivalents {
        own: "SWP",
        object: "Paging File",
        counters: &[("used %", "% Usage"), ("used", "Used Bytes"), ("tot", "Size Bytes")],
        is_total: true,
    },
    row(
        "DSK",
        "PhysicalDisk",
        &[
            ("busy", "% Busy Time"),
            ("inflt", "Current Disk Queue Length"),
            ("reqs", "Disk Transfers/sec"),
            ("read", "Disk Reads/sec"),
            ("write", "Disk Writes/sec"),
            ("discrd", "Disk Discards/sec"),
            ("B/s", "Disk Bytes/sec"),
            ("Br/s", "Disk Read Bytes/sec"),
            ("Bw/s", "Disk Write Bytes/sec"),
            ("Bd/s", "Disk Discard Bytes/sec"),
            ("B/req", "Avg. Disk Bytes/Transfer"),
            ("B/r", "Avg. Disk Bytes/Read"),
            ("B/w", "Avg. Disk Bytes/Write"),
        ],
    ),
    row(
        "NET",
        "Network Interface",
        &[
            ("B", "Bytes Total/sec"),
            ("Bi", "Bytes Received/sec"),
            ("Bo", "Bytes Sent/sec"),
            ("pck", "Packets/sec"),
            ("pcki", "Packets Received/sec"),
            ("pcko", "Packets Sent/sec"),
            ("mlti", "Packets Received Multicast/sec"),
        ],
    ),
    row(
        "IPv4",
        "IPv4",
        &[
            ("InReceives", "Datagrams Received/sec"),
            ("ForwDatagrams", "Datagrams Forwarded/sec"),
            ("InDelivers", "Datagrams Received Delivered/sec"),
            ("OutRequests", "Datagrams Sent/sec"),
            ("ReasmReqds", "Fragments Received/sec"),
            ("ReasmOKs", "Fragments Re-assembled/sec"),
            ("FragOKs", "Fragmented Datagrams/sec"),
            ("FragCreates", "Fragments Created/sec"),
        ],
    ),
    row(
        "IPv6",
        "IPv6",
        &[
            ("InReceives", "Datagrams Received/sec"),
            ("OutForwDatagrams", "Datagrams Forwarded/sec"),
            ("InDelivers", "Datagrams Received Delivered/sec"),
            ("OutRequests", "Datagrams Sent/sec"),
            ("ReasmReqds", "Fragments Received/sec"),
            ("ReasmOKs", "Fragments Re-assembled/sec"),
            ("FragOKs", "Fragmented Datagrams/sec"),
            ("FragCreates", "Fragments Created/sec"),
        ],
    ),
    row(
        "TCP",
        "TCP",
        &[
            ("InSegs", "Segments Received/sec"),
            ("OutSegs", "Segments Sent/sec"),
            ("RetransSegs", "Segments Retransmitted/sec"),
            ("InErrs", "Segments Received Errors/sec"),
            ("OutRsts", "Resets Sent/sec"),
            ("CurrEstab", "Connections Established"),
        ],
    ),
    row("UDPv4", "UDPv4", UDP),
    row("UDPv6", "UDPv6", UDP),
    row(
        "Process",
        "Process",
        &[
            ("CPU", "% Processor Time"),
            ("USRCPU", "% User Time"),
            ("SYSCPU", "% Privileged Time"),
            ("VSIZE", "Virtual Bytes"),
            ("VDATA+VSTACK", "Private Bytes"),
            ("RSIZE", "Working Set"),
            ("FLT", "Page Faults/sec"),
            ("MAJFLT", "Major Page Faults/sec"),
            ("THR", "Thread Count"),
            ("elapsed", "Elapsed Time"),
            ("PID", "ID Process"),
            ("PPID", "Creating Process ID"),
            ("RDDSK", "Storage Read Bytes/sec"),
            ("WRDSK", "Storage Write Bytes/sec"),
            ("WCANCL", "Storage Cancelled Write Bytes/sec"),
        ],
    ),
    row(
        "Thread",
        "Thread",
        &[
            ("CPU", "% Processor Time"),
            ("USRCPU", "% User Time"),
            ("SYSCPU", "% Privileged Time"),
            ("elapsed", "Elapsed Time"),
            ("PID", "ID Thread"),
            ("TGID", "ID Process"),
            ("S", "Thread State Letter"),
        ],
    ),
    row(
        "CGR",
        "Cgroup",
        &[("CPU", "% Processor Time"), ("CPUUSR", "% User Time"), ("CPUSYS", "% Privileged Time")],
    ),
    row(
        "CGR",
        "Cgroup Memory",
        &[("MEMORY", "Memory Bytes"), ("MEMANON", "Anonymous Bytes"), ("MEMFILE", "File Bytes")],
    ),
    row(
        "CGR",
        "Cgroup IO",
        &[
            ("BREAD", "Read Bytes/sec"),
            ("BWRITE", "Write Bytes/sec"),
            ("READ", "Read Operations/sec"),
            ("WRITE", "Write Operations/sec"),
        ],
    ),
    row(
        "CGR",
        "Cgroup Pressure",
        &[
            ("cpusome", "% Processor Pressure Some Time"),
            ("cpufull", "% Processor Pressure Full Time"),
            ("memsome", "% Memory Pressure Some Time"),
            ("memfull", "% Memory Pressure Full Time"),
            ("iosome", "% IO Pressure Some Time"),
            ("iofull", "% IO Pressure Full Time"),
        ],
    ),
];

const UDP: &[(&str, &str)] = &[
    ("InDatagrams", "Datagrams Received/sec"),
    ("NoPorts", "Datagrams No Port/sec"),
    ("OutDatagrams", "Datagrams Sent/sec"),
];
