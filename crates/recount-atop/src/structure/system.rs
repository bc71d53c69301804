//! The system part of a sample: one structure (`formats/atop.md#system-part`).

use super::layout::{Item, Kind, Type, array, block, diffs, facts, fields, gauges, reserved};

/// The system structure.
pub const SYSTEM: &[Item] = &[
    block("cpu", CPU),
    block("mem", MEMORY),
    block("net", NET),
    block("nic", &[count(Type::I32, &["n"]), array("nics", 128, INTERFACE)]),
    block("numa_mem", &[count(Type::I64, &["n"]), array("nodes", 1024, NUMA_MEMORY)]).since(7),
    block("numa_cpu", &[count(Type::I64, &["n"]), array("nodes", 1024, NUMA_CPU)]).since(7),
    block("disk", DISK),
    block("nfs", NFS),
    block("containers", &[count(Type::I32, &["n"]), array("containers", 128, CONTAINER)]),
    block("psi", PRESSURE).since(4),
    block("gpu", &[count(Type::I32, &["n"]), array("gpus", 32, GPU)]).since(4),
    block("infiniband", &[count(Type::I32, &["n"]), array("ports", 32, INFINIBAND)]).since(4),
    block("llc", LLC).since(8),
    // Counters of a web server, which are 0 in ordinary builds.
    reserved(Type::I64, 4),
];

const fn count(of: Type, names: &'static [&'static str]) -> Item {
    fields(of, Kind::Gauge, names)
}

const CPU: &[Item] = &[
    count(Type::I64, &["n_cpus"]).until(12),
    count(Type::I32, &["n_cpus", "n_slots"]).since(13),
    diffs(&["interrupts", "context_switches", "forks"]),
    fields(Type::F32, Kind::Gauge, &["load1", "load5", "load15"]),
    reserved(Type::I64, 4),
    block("all", PROCESSOR),
    array("cpus", 2048, PROCESSOR).until(12),
    array("cpus", 4096, PROCESSOR).since(13),
];

const PROCESSOR: &[Item] = &[
    facts(Type::I32, &["number"]).until(12),
    facts(Type::U32, &["number"]).since(13),
    fields(Type::I8, Kind::Gauge, &["online"]).since(13),
    diffs(&["system", "user", "nice", "idle", "iowait", "irq", "softirq", "steal", "guest"]),
    gauges(&["freq_max"]),
    fields(Type::I64, Kind::Either, &["freq_sum", "freq_ticks"]),
    diffs(&["instructions", "cycles"]).since(4),
    reserved(Type::I64, 4).until(3),
    reserved(Type::I64, 2).since(4).until(6),
    reserved(Type::I64, 6).since(7),
];

const MEMORY: &[Item] = &[
    gauges(&["total", "free", "buffers", "slab", "cache", "dirty", "swap_total", "swap_free"]),
    diffs(&["scans", "steals", "alloc_stalls", "swap_outs", "swap_ins"]),
    gauges(&["tcp_sockets", "udp_sockets"]).since(8),
    gauges(&["commit_limit", "committed", "shmem", "shm_resident", "shm_swapped", "slab_reclaimable"]),
    gauges(&["huge_total", "huge_free", "huge_size", "balloon"]),
    gauges(&["zfs_arc", "swap_cached"]).since(6),
    gauges(&["ksm_sharing", "ksm_shared", "zswap_stored", "zswap_pool"]).since(7),
    diffs(&["oom_kills", "compact_stalls", "migrated", "numa_migrated"]).since(7),
    diffs(&["page_outs", "page_ins"]).since(8),
    gauges(&["page_tables"]).since(8),
    diffs(&["zswap_outs", "zswap_ins"]).since(10),
    gauges(&["huge2_total", "huge2_free", "huge2_size", "available", "anon_huge"]).since(10),
    gauges(&["low_watermark"]).since(13),
    reserved(Type::I64, 8).until(5),
    reserved(Type::I64, 6).since(6).until(6),
    reserved(Type::I64, 9).since(7).until(7),
    reserved(Type::I64, 4).since(8).until(10),
    reserved(Type::I64, 5).since(11).until(12),
    reserved(Type::I64, 4).since(13),
];

/// Values of `/proc/net/snmp` and `/proc/net/snmp6`, with the kernel's names.
const NET: &[Item] = &[
    block(
        "ipv4",
        &[
            gauges(&["Forwarding", "DefaultTTL"]),
            diffs(&[
                "InReceives",
                "InHdrErrors",
                "InAddrErrors",
                "ForwDatagrams",
                "InUnknownProtos",
                "InDiscards",
            ]),
            diffs(&["InDelivers", "OutRequests", "OutDiscards", "OutNoRoutes", "ReasmTimeout", "ReasmReqds"]),
            diffs(&["ReasmOKs", "ReasmFails", "FragOKs", "FragFails", "FragCreates"]),
        ],
    ),
    block(
        "icmpv4",
        &[
            diffs(&["InMsgs", "InErrors"]),
            diffs(&["InCsumErrors"]).since(8),
            diffs(&[
                "InDestUnreachs",
                "InTimeExcds",
                "InParmProbs",
                "InSrcQuenchs",
                "InRedirects",
                "InEchos",
            ]),
            diffs(&["InEchoReps", "InTimestamps", "InTimestampReps", "InAddrMasks", "InAddrMaskReps"]),
            diffs(&[
                "OutMsgs",
                "OutErrors",
                "OutDestUnreachs",
                "OutTimeExcds",
                "OutParmProbs",
                "OutSrcQuenchs",
            ]),
            diffs(&["OutRedirects", "OutEchos", "OutEchoReps", "OutTimestamps", "OutTimestampReps"]),
            diffs(&["OutAddrMasks", "OutAddrMaskReps"]),
        ],
    ),
    block("udpv4", UDP),
    block(
        "ipv6",
        &[
            diffs(&[
                "InReceives",
                "InHdrErrors",
                "InTooBigErrors",
                "InNoRoutes",
                "InAddrErrors",
                "InUnknownProtos",
            ]),
            diffs(&["InTruncatedPkts", "InDiscards", "InDelivers", "OutForwDatagrams", "OutRequests"]),
            diffs(&["OutDiscards", "OutNoRoutes", "ReasmTimeout", "ReasmReqds", "ReasmOKs", "ReasmFails"]),
            diffs(&["FragOKs", "FragFails", "FragCreates", "InMcastPkts", "OutMcastPkts"]),
        ],
    ),
    block(
        "icmpv6",
        &[
            diffs(&["InMsgs", "InErrors", "InDestUnreachs", "InPktTooBigs", "InTimeExcds", "InParmProblems"]),
            diffs(&["InEchos", "InEchoReplies", "InGroupMembQueries", "InGroupMembResponses"]),
            diffs(&[
                "InGroupMembReductions",
                "InRouterSolicits",
                "InRouterAdvertisements",
                "InNeighborSolicits",
            ]),
            diffs(&[
                "InNeighborAdvertisements",
                "InRedirects",
                "OutMsgs",
                "OutDestUnreachs",
                "OutPktTooBigs",
            ]),
            diffs(&["OutTimeExcds", "OutParmProblems", "OutEchoReplies", "OutRouterSolicits"]),
            diffs(&["OutNeighborSolicits", "OutNeighborAdvertisements", "OutRedirects"]),
            diffs(&["OutGroupMembResponses", "OutGroupMembReductions"]),
        ],
    ),
    block("udpv6", UDP),
    block(
        "tcp",
        &[
            gauges(&["RtoAlgorithm", "RtoMin", "RtoMax", "MaxConn"]),
            diffs(&["ActiveOpens", "PassiveOpens", "AttemptFails", "EstabResets"]),
            gauges(&["CurrEstab"]),
            diffs(&["InSegs", "OutSegs", "RetransSegs", "InErrs", "OutRsts"]),
            diffs(&["InCsumErrors"]).since(10),
        ],
    ),
];

const UDP: &[Item] = &[diffs(&["InDatagrams", "NoPorts", "InErrors", "OutDatagrams"])];

const INTERFACE: &[Item] = &[
    facts(Type::Text(16), &["name"]),
    diffs(&["rx_bytes", "rx_packets", "rx_errors", "rx_drops", "rx_fifo", "rx_frame", "rx_compressed"]),
    diffs(&["rx_multicast"]),
    reserved(Type::I64, 4),
    diffs(&["tx_bytes", "tx_packets", "tx_errors", "tx_drops", "tx_fifo", "collisions", "tx_carrier"]),
    diffs(&["tx_compressed"]),
    reserved(Type::I64, 4),
    facts(Type::C8, &["kind"]),
    gauges(&["speed", "speed_before"]),
    fields(Type::C8, Kind::Gauge, &["full_duplex"]),
    reserved(Type::I64, 4),
];

const NUMA_MEMORY: &[Item] = &[
    facts(Type::I32, &["number"]).since(8),
    fields(Type::F32, Kind::Gauge, &["fragmentation"]),
    gauges(&["total", "free", "file", "dirty", "slab", "slab_reclaimable", "active", "inactive", "shmem"]),
    gauges(&["huge_total"]),
    gauges(&["huge_free"]).since(10),
    reserved(Type::I64, 2).since(11),
];

const NUMA_CPU: &[Item] = &[
    facts(Type::I32, &["number"]).since(8),
    gauges(&["n_cpus"]),
    diffs(&["system", "user", "nice", "idle", "iowait", "irq", "softirq", "steal", "guest"]),
    reserved(Type::I64, 2).since(11),
];

const DISK: &[Item] = &[
    count(Type::I32, &["n_disks", "n_md", "n_lvm"]),
    array("disks", 1024, DEVICE),
    array("md", 256, DEVICE),
    array("lvm", 2048, DEVICE),
];

const DEVICE: &[Item] = &[
    facts(Type::Text(32), &["name"]),
    diffs(&["reads", "read_sectors", "writes", "written_sectors", "io_ms", "queue_ms"]),
    reserved(Type::I64, 4).until(6),
    diffs(&["discards", "discarded_sectors"]).since(7),
    reserved(Type::I64, 2).since(7).until(7),
    gauges(&["in_flight"]).since(8),
    reserved(Type::I64, 3).since(8),
];

const NFS: &[Item] = &[
    block(
        "server",
        &[
            diffs(&[
                "net",
                "net_udp",
                "net_tcp",
                "tcp_connections",
                "rpc",
                "bad_format",
                "bad_auth",
                "bad_client",
            ]),
            diffs(&[
                "reads",
                "writes",
                "cache_hits",
                "cache_misses",
                "uncached",
                "read_bytes",
                "written_bytes",
            ]),
            reserved(Type::I64, 8),
        ],
    ),
    block(
        "client",
        &[diffs(&["rpc", "retransmissions", "auth_refreshes", "reads", "writes"]), reserved(Type::I64, 8)],
    ),
    block("mounts", &[count(Type::I32, &["n"]), array("mounts", 64, NFS_MOUNT)]),
];

const NFS_MOUNT: &[Item] = &[
    facts(Type::Text(128), &["device"]),
    gauges(&["age"]),
    diffs(&["read", "written", "direct_read", "direct_written", "total_read", "total_written"]),
    diffs(&["mmap_read_pages", "mmap_written_pages"]),
    reserved(Type::I64, 8),
];

const CONTAINER: &[Item] = &[
    facts(Type::U64, &["id"]),
    fields(Type::U64, Kind::Gauge, &["processes"]),
    diffs(&["system", "user", "nice", "uptime"]),
    gauges(&["pages"]),
];

const PRESSURE: &[Item] = &[
    fields(Type::I8, Kind::Gauge, &["present"]),
    block("cpu_some", STALL),
    block("mem_some", STALL),
    block("mem_full", STALL),
    block("io_some", STALL),
    block("io_full", STALL),
];

const STALL: &[Item] = &[fields(Type::F32, Kind::Gauge, &["avg10", "avg60", "avg300"]), diffs(&["total"])];

const GPU: &[Item] = &[
    fields(Type::I8, Kind::Gauge, &["task_stats"]),
    fields(Type::U8, Kind::Gauge, &["processes"]),
    facts(Type::Text(13), &["type", "bus_id"]),
    facts(Type::I32, &["number"]),
    fields(Type::I32, Kind::Gauge, &["busy_now", "mem_busy_now"]),
    gauges(&["mem_total", "mem_used"]),
    diffs(&["samples", "busy_cum", "mem_busy_cum", "mem_used_cum"]),
];

const INFINIBAND: &[Item] = &[
    facts(Type::Text(12), &["name"]).until(12),
    facts(Type::Text(20), &["name"]).since(13),
    facts(Type::I16, &["port", "lanes"]),
    facts(Type::I64, &["rate"]),
    diffs(&["rx_bytes", "tx_bytes", "rx_packets", "tx_packets"]),
    reserved(Type::I64, 4).since(11),
];

const LLC: &[Item] = &[
    count(Type::U8, &["n"]).until(9),
    count(Type::I32, &["n"]).since(10),
    array(
        "caches",
        256,
        &[
            facts(Type::U8, &["id"]),
            fields(Type::F32, Kind::Gauge, &["occupancy"]),
            diffs(&["local_bytes", "total_bytes"]),
        ],
    ),
];
