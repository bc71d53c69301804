//! All activities, by number (formats/sa.md#activities).

use recount_model::CounterReading::{Busy, Gauge, Queue, Rate, Scaled};
use recount_model::{average_over, percentage_of, share_of};

use super::counters::{Counter, LINE_USE, counter, gauge, pressure, rate, real, stalled, ticks};
use super::{Activity, Groups, Kind, List, Span};

const fn groups(
    quads: &'static str,
    longs: &'static str,
    words: &'static str,
    tail: &'static [(&'static str, usize)],
) -> Groups {
    Groups { quads, longs, words, tail }
}

const fn quads(names: &'static str) -> Groups {
    groups(names, "", "", &[])
}

const fn longs(names: &'static str) -> Groups {
    groups("", names, "", &[])
}

const fn words(names: &'static str) -> Groups {
    groups("", "", names, &[])
}

pub(super) const fn q(at: usize, step: usize, names: &'static str) -> Span {
    Span { kind: Kind::Quad, at, step, names }
}

/// Longs whose counters have 32 bits.
pub(super) const fn narrow_l(at: usize, names: &'static str) -> Span {
    Span { kind: Kind::NarrowLong, at, step: 8, names }
}

/// Numbers of 8 bytes whose counters have 32 bits.
pub(super) const fn narrow_q(at: usize, names: &'static str) -> Span {
    Span { kind: Kind::NarrowQuad, at, step: 8, names }
}

pub(super) const fn l(at: usize, names: &'static str) -> Span {
    Span { kind: Kind::Long, at, step: 8, names }
}

pub(super) const fn i(at: usize, names: &'static str) -> Span {
    Span { kind: Kind::Word, at, step: 4, names }
}

const fn b(at: usize, names: &'static str) -> Span {
    Span { kind: Kind::Byte, at, step: 1, names }
}

const fn t(at: usize, len: usize, name: &'static str) -> Span {
    Span { kind: Kind::Text(len), at, step: len, names: name }
}

const CPU: &str = "user nice sys idle iowait steal hardirq softirq guest guest_nice";
const NET: &str = "rx_packets tx_packets rx_bytes tx_bytes rx_compressed tx_compressed multicast";
const NET_ERRORS: &str =
    "collisions rx_errors tx_errors rx_dropped tx_dropped rx_fifo tx_fifo rx_frame tx_carrier";
const SOCK: &str = "sockets tcp tcp_tw udp raw frag";
const SOCK6: &str = "tcp6 udp6 raw6 frag6";
const NFS: &str = "rpc retrans read write access getattr";
const NFSD: &str = "rpc bad packets udp tcp hits misses read write access getattr";
const SERIAL: &str = "rx tx frame parity brk overrun line";
const PAGE: &str =
    "pgpgin pgpgout pgfault pgmajfault pgfree pgscan_kswapd pgscan_direct pgsteal pgpromote pgdemote";
const MEMORY: &str = "free buffers cached total swapfree swaptotal swapcached committed active inactive dirty anonpages \
                      slab kernelstack pagetables vmallocused available shmem";
const KTABLES: &str = "file_used inode_used dentry_unused pty_nr";
const IP: &str = "InReceives ForwDatagrams InDelivers OutRequests ReasmReqds ReasmOKs FragOKs FragCreates";
const EIP: &str =
    "InHdrErrors InAddrErrors InUnknownProtos InDiscards OutDiscards OutNoRoutes ReasmFails FragFails";
const ICMP: &str = "InMsgs OutMsgs InEchos InEchoReps OutEchos OutEchoReps InTimestamps InTimestampReps OutTimestamps \
                    OutTimestampReps InAddrMasks InAddrMaskReps OutAddrMasks OutAddrMaskReps";
const EICMP: &str = "InErrors OutErrors InDestUnreachs OutDestUnreachs InTimeExcds OutTimeExcds InParmProbs OutParmProbs \
                     InSrcQuenchs OutSrcQuenchs InRedirects OutRedirects";
const TCP: &str = "ActiveOpens PassiveOpens InSegs OutSegs";
const ETCP: &str = "AttemptFails EstabResets RetransSegs InErrs OutRsts";
const UDP: &str = "InDatagrams OutDatagrams NoPorts InErrors";
const IP6: &str = "InReceives OutForwDatagrams InDelivers OutRequests ReasmReqds ReasmOKs InMcastPkts OutMcastPkts \
                   FragOKs FragCreates";
const EIP6: &str = "InHdrErrors InAddrErrors InUnknownProtos InTooBigErrors InDiscards OutDiscards InNoRoutes OutNoRoutes \
                    ReasmFails FragFails InTruncatedPkts";
const ICMP6: &str = "InMsgs OutMsgs InEchos InEchoReplies OutEchoReplies InGroupMembQueries InGroupMembResponses \
                     OutGroupMembResponses InGroupMembReductions OutGroupMembReductions InRouterSolicits \
                     OutRouterSolicits InRouterAdvertisements InNeighborSolicits OutNeighborSolicits \
                     InNeighborAdvertisements OutNeighborAdvertisements";
const EICMP6: &str = "InErrors InDestUnreachs OutDestUnreachs InTimeExcds OutTimeExcds InParmProblems OutParmProblems \
                      InRedirects OutRedirects InPktTooBigs OutPktTooBigs";
const FAN: &str = "rpm rpm_min";
const TEMPERATURE: &str = "temp min max";
const VOLTAGE: &str = "volt min max";
const FS: &str = "blocks free avail files ffree";
const FC: &str = "rxframes txframes rxwords txwords";
const SOFT: &str = "processed dropped time_squeeze received_rps flow_limit backlog_len";
const PSI_BOTH: &str = "some_10 some_60 some_300 full_10 full_60 full_300";

const DISK_RATES: &[Counter] = &[
    rate("tps", "nr_ios"),
    counter("rkB/s", "rd_sect", Rate, "kB/s", "").by(2),
    counter("wkB/s", "wr_sect", Rate, "kB/s", "").by(2),
    counter("dkB/s", "dc_sect", Rate, "kB/s", "discarded").by(2),
    counter("areq-sz", "rd_sect+wr_sect+?dc_sect", average_over("2*nr_ios"), "kB", "per transfer"),
    counter("aqu-sz", "rq_ticks", Queue, "", "requests on their way, on average"),
    counter("await", "rd_ticks+wr_ticks+?dc_ticks", average_over("nr_ios"), "ms", "per transfer"),
    counter("%util", "tot_ticks", Busy, "%", "of the time").by(10),
];

/// Names for fields in the order of the file.
macro_rules! rates {
    ($($name:literal $of:literal)*) => { &[$(rate($name, $of)),*] };
}

macro_rules! gauges {
    ($($name:literal $of:literal)*) => { &[$(gauge($name, $of)),*] };
}

#[rustfmt::skip]
pub(crate) static ACTIVITIES: &[Activity] = &[
    Activity {
        id: 1, name: "A_CPU", list: List::Cpu, needs: "user nice sys idle iowait steal hardirq softirq",
        current: &[(0x8b, quads(CPU))],
        old: &[(0x8a, &[q(0, 16, CPU)])],
        counters: &[
            ticks("%usr", "user-?guest"), ticks("%nice", "nice-?guest_nice"), ticks("%sys", "sys"),
            ticks("%iowait", "iowait"), ticks("%steal", "steal"), ticks("%irq", "hardirq"), ticks("%soft", "softirq"),
            ticks("%guest", "guest"), ticks("%gnice", "guest_nice"), ticks("%idle", "idle"),
        ],
    },
    Activity {
        id: 2, name: "A_PCSW", list: List::Single, needs: "",
        current: &[(0x8b, groups("context_switch", "processes", "", &[]))],
        old: &[(0x8a, &[q(0, 16, "context_switch"), l(16, "processes")])],
        counters: rates!["proc/s" "processes" "cswch/s" "context_switch"],
    },
    Activity {
        id: 3, name: "A_IRQ", list: List::InterruptMatrix, needs: "irq_nr irq_name",
        current: &[(0x8c, groups("", "", "irq_nr", &[("irq_name", 8)]))],
        old: &[],
        counters: rates!["intr/s" "irq_nr"],
    },
    Activity {
        id: 3, name: "A_IRQ", list: List::Interrupts, needs: "irq_nr",
        current: &[(0x8b, quads("irq_nr"))],
        old: &[(0x8a, &[q(0, 16, "irq_nr")]), (0x8b, &[q(0, 8, "irq_nr")])],
        counters: rates!["intr/s" "irq_nr"],
    },
    Activity {
        id: 4, name: "A_SWAP", list: List::Single, needs: "",
        current: &[(0x8a, longs("pswpin pswpout"))],
        old: &[(0x8a, &[l(0, "pswpin pswpout")])],
        counters: rates!["pswpin/s" "pswpin" "pswpout/s" "pswpout"],
    },
    Activity {
        id: 5, name: "A_PAGE", list: List::Single, needs: "",
        current: &[(0x8a, longs(PAGE))],
        old: &[(0x8a, &[l(0, PAGE)])],
        counters: &[
            counter("pgpgin/s", "pgpgin", Rate, "kB/s", ""),
            counter("pgpgout/s", "pgpgout", Rate, "kB/s", ""),
            rate("fault/s", "pgfault"), rate("majflt/s", "pgmajfault"), rate("pgfree/s", "pgfree"),
            rate("pgscank/s", "pgscan_kswapd"), rate("pgscand/s", "pgscan_direct"), rate("pgsteal/s", "pgsteal"),
            counter("%vmeff", "pgsteal", share_of("pgscan_kswapd+pgscan_direct"), "", "pages stolen, of those scanned"),
            rate("pgprom/s", "pgpromote"), rate("pgdem/s", "pgdemote"),
        ],
    },
    Activity {
        id: 6, name: "A_IO", list: List::Sums, needs: "",
        current: &[(0x8b, quads("drive rio wio rblk wblk dio dblk"))],
        old: &[(0x8a, &[i(0, "drive rio wio rblk wblk")]), (0x8b, &[q(0, 8, "drive rio wio rblk wblk")])],
        counters: &[
            rate("tps", "drive"), rate("rtps", "rio"), rate("wtps", "wio"), rate("dtps", "dio"),
            counter("bread/s", "rblk", Rate, "sectors/s", "sectors of 512 bytes"),
            counter("bwrtn/s", "wblk", Rate, "sectors/s", "sectors of 512 bytes"),
            counter("bdscd/s", "dblk", Rate, "sectors/s", "sectors of 512 bytes"),
        ],
    },
    Activity {
        id: 7, name: "A_MEMORY", list: List::Single, needs: "",
        current: &[(0x8b, quads(MEMORY))],
        old: &[(0x8a, &[l(0, MEMORY)])],
        counters: &[
            counter("kbmemfree", "free", Gauge, "kB", ""),
            counter("kbavail", "available", Gauge, "kB", ""),
            counter("kbmemused", "total-free-buffers-cached-?slab", Gauge, "kB", ""),
            counter("%memused", "total-free-buffers-cached-?slab", percentage_of("total"), "%", "of all memory"),
            counter("kbbuffers", "buffers", Gauge, "kB", ""),
            counter("kbcached", "cached", Gauge, "kB", ""),
            counter("kbcommit", "committed", Gauge, "kB", ""),
            counter("%commit", "committed", percentage_of("total+swaptotal"), "%", "of memory and swap space"),
            counter("kbactive", "active", Gauge, "kB", ""),
            counter("kbinact", "inactive", Gauge, "kB", ""),
            counter("kbdirty", "dirty", Gauge, "kB", ""),
            counter("kbshmem", "shmem", Gauge, "kB", ""),
            counter("kbanonpg", "anonpages", Gauge, "kB", ""),
            counter("kbslab", "slab", Gauge, "kB", ""),
            counter("kbkstack", "kernelstack", Gauge, "kB", ""),
            counter("kbpgtbl", "pagetables", Gauge, "kB", ""),
            counter("kbvmused", "vmallocused", Gauge, "kB", ""),
            counter("kbswpfree", "swapfree", Gauge, "kB", ""),
            counter("kbswpused", "swaptotal-swapfree", Gauge, "kB", ""),
            counter("%swpused", "swaptotal-swapfree", percentage_of("swaptotal"), "%", "of swap space"),
            counter("kbswpcad", "swapcached", Gauge, "kB", ""),
            counter("%swpcad", "swapcached", percentage_of("swaptotal-swapfree"), "%", "of used swap space"),
        ],
    },
    Activity {
        id: 8, name: "A_KTABLES", list: List::Single, needs: "",
        current: &[(0x8b, quads(KTABLES))],
        old: &[(0x8a, &[i(0, KTABLES)])],
        counters: gauges!["dentunusd" "dentry_unused" "file-nr" "file_used" "inode-nr" "inode_used" "pty-nr" "pty_nr"],
    },
    Activity {
        id: 9, name: "A_QUEUE", list: List::Single, needs: "",
        current: &[(0x8c, groups("nr_running procs_blocked nr_threads", "", "load_1 load_5 load_15", &[]))],
        old: &[
            (0x8a, &[l(0, "nr_running"), i(8, "load_1 load_5 load_15 nr_threads")]),
            (0x8b, &[l(0, "nr_running procs_blocked"), i(16, "load_1 load_5 load_15 nr_threads")]),
        ],
        counters: &[
            gauge("runq-sz", "nr_running"), gauge("plist-sz", "nr_threads"),
            counter("ldavg-1", "load_1", Scaled(100), "", ""), counter("ldavg-5", "load_5", Scaled(100), "", ""),
            counter("ldavg-15", "load_15", Scaled(100), "", ""),
            gauge("blocked", "procs_blocked"),
        ],
    },
    Activity {
        id: 10, name: "A_SERIAL", list: List::Line, needs: "line",
        current: &[(0x8b, words(SERIAL))],
        old: &[(0x8a, &[i(0, SERIAL)])],
        counters: rates![
            "rcvin/s" "rx" "xmtin/s" "tx" "framerr/s" "frame" "prtyerr/s" "parity" "brk/s" "brk" "ovrun/s" "overrun"
        ],
    },
    Activity {
        id: 11, name: "A_DISK", list: List::Disk, needs: "major minor",
        current: &[(0x8c, groups("nr_ios wwn0 wwn1", "rd_sect wr_sect dc_sect",
            "rd_ticks wr_ticks tot_ticks rq_ticks major minor dc_ticks part_nr", &[]))],
        old: &[
            (0x8a, &[q(0, 16, "rd_sect wr_sect"), l(32, "rd_ticks wr_ticks tot_ticks rq_ticks nr_ios"), i(72, "major minor")]),
            (0x8b, &[q(0, 16, "nr_ios"), l(16, "rd_sect wr_sect"),
                i(32, "rd_ticks wr_ticks tot_ticks rq_ticks major minor")]),
        ],
        counters: DISK_RATES,
    },
    Activity {
        id: 12, name: "A_NET_DEV", list: List::Named("name"), needs: "name",
        current: &[(0x8d, groups(NET, "", "speed", &[("name", 16), ("duplex", 1)]))],
        old: &[
            (0x8a, &[l(0, NET), t(56, 16, "name")]),
            (0x8b, &[q(0, 16, NET), t(112, 16, "name")]),
            (0x8c, &[q(0, 16, NET), i(112, "speed"), t(116, 16, "name"), b(132, "duplex")]),
        ],
        counters: &[
            rate("rxpck/s", "rx_packets"), rate("txpck/s", "tx_packets"),
            counter("rxkB/s", "rx_bytes", Rate, "kB/s", "").by(1024),
            counter("txkB/s", "tx_bytes", Rate, "kB/s", "").by(1024),
            rate("rxcmp/s", "rx_compressed"), rate("txcmp/s", "tx_compressed"), rate("rxmcst/s", "multicast"),
            counter("%ifutil", "rx_bytes", LINE_USE, "%", "of the speed, of the busier direction if both go at once"),
        ],
    },
    Activity {
        id: 13, name: "A_NET_EDEV", list: List::Named("name"), needs: "name",
        current: &[(0x8c, groups(NET_ERRORS, "", "", &[("name", 16)]))],
        old: &[(0x8a, &[l(0, NET_ERRORS), t(72, 16, "name")]), (0x8b, &[q(0, 16, NET_ERRORS), t(144, 16, "name")])],
        counters: rates![
            "rxerr/s" "rx_errors" "txerr/s" "tx_errors" "coll/s" "collisions" "rxdrop/s" "rx_dropped"
            "txdrop/s" "tx_dropped" "txcarr/s" "tx_carrier" "rxfram/s" "rx_frame" "rxfifo/s" "rx_fifo" "txfifo/s" "tx_fifo"
        ],
    },
    Activity {
        id: 14, name: "A_NET_NFS", list: List::Single, needs: "",
        current: &[(0x8a, words(NFS))],
        old: &[(0x8a, &[i(0, NFS)])],
        counters: rates![
            "call/s" "rpc" "retrans/s" "retrans" "read/s" "read" "write/s" "write" "access/s" "access" "getatt/s" "getattr"
        ],
    },
    Activity {
        id: 15, name: "A_NET_NFSD", list: List::Single, needs: "",
        current: &[(0x8a, words(NFSD))],
        old: &[(0x8a, &[i(0, NFSD)])],
        counters: rates![
            "scall/s" "rpc" "badcall/s" "bad" "packet/s" "packets" "udp/s" "udp" "tcp/s" "tcp" "hit/s" "hits" "miss/s" "misses"
            "sread/s" "read" "swrite/s" "write" "saccess/s" "access" "sgetatt/s" "getattr"
        ],
    },
    Activity {
        id: 16, name: "A_NET_SOCK", list: List::Single, needs: "",
        current: &[(0x8a, words(SOCK))],
        old: &[(0x8a, &[i(0, SOCK)])],
        counters: gauges![
            "totsck" "sockets" "tcpsck" "tcp" "udpsck" "udp" "rawsck" "raw" "ip-frag" "frag" "tcp-tw" "tcp_tw"
        ],
    },
    Activity {
        id: 17, name: "A_NET_IP", list: List::Single, needs: "",
        current: &[(0x8c, quads(IP))],
        old: &[(0x8a, &[l(0, IP)]), (0x8b, &[q(0, 16, IP)])],
        counters: rates![
            "irec/s" "InReceives" "fwddgm/s" "ForwDatagrams" "idel/s" "InDelivers" "orq/s" "OutRequests"
            "asmrq/s" "ReasmReqds" "asmok/s" "ReasmOKs" "fragok/s" "FragOKs" "fragcrt/s" "FragCreates"
        ],
    },
    Activity {
        id: 18, name: "A_NET_EIP", list: List::Single, needs: "",
        current: &[(0x8c, quads(EIP))],
        old: &[(0x8a, &[l(0, EIP)]), (0x8b, &[q(0, 16, EIP)])],
        counters: rates![
            "ihdrerr/s" "InHdrErrors" "iadrerr/s" "InAddrErrors" "iukwnpr/s" "InUnknownProtos" "idisc/s" "InDiscards"
            "odisc/s" "OutDiscards" "onort/s" "OutNoRoutes" "asmf/s" "ReasmFails" "fragf/s" "FragFails"
        ],
    },
    Activity {
        id: 19, name: "A_NET_ICMP", list: List::Single, needs: "",
        current: &[(0x8a, longs(ICMP))],
        old: &[(0x8a, &[l(0, ICMP)])],
        counters: rates![
            "imsg/s" "InMsgs" "omsg/s" "OutMsgs" "iech/s" "InEchos" "iechr/s" "InEchoReps" "oech/s" "OutEchos"
            "oechr/s" "OutEchoReps" "itm/s" "InTimestamps" "itmr/s" "InTimestampReps" "otm/s" "OutTimestamps"
            "otmr/s" "OutTimestampReps" "iadrmk/s" "InAddrMasks" "iadrmkr/s" "InAddrMaskReps"
            "oadrmk/s" "OutAddrMasks" "oadrmkr/s" "OutAddrMaskReps"
        ],
    },
    Activity {
        id: 20, name: "A_NET_EICMP", list: List::Single, needs: "",
        current: &[(0x8a, longs(EICMP))],
        old: &[(0x8a, &[l(0, EICMP)])],
        counters: rates![
            "ierr/s" "InErrors" "oerr/s" "OutErrors" "idstunr/s" "InDestUnreachs" "odstunr/s" "OutDestUnreachs"
            "itmex/s" "InTimeExcds" "otmex/s" "OutTimeExcds" "iparmpb/s" "InParmProbs" "oparmpb/s" "OutParmProbs"
            "isrcq/s" "InSrcQuenchs" "osrcq/s" "OutSrcQuenchs" "iredir/s" "InRedirects" "oredir/s" "OutRedirects"
        ],
    },
    Activity {
        id: 21, name: "A_NET_TCP", list: List::Single, needs: "",
        current: &[(0x8a, longs(TCP))],
        old: &[(0x8a, &[l(0, TCP)])],
        counters: rates!["active/s" "ActiveOpens" "passive/s" "PassiveOpens" "iseg/s" "InSegs" "oseg/s" "OutSegs"],
    },
    Activity {
        id: 22, name: "A_NET_ETCP", list: List::Single, needs: "",
        current: &[(0x8a, longs(ETCP))],
        old: &[(0x8a, &[l(0, ETCP)])],
        counters: rates![
            "atmptf/s" "AttemptFails" "estres/s" "EstabResets" "retrans/s" "RetransSegs" "isegerr/s" "InErrs" "orsts/s" "OutRsts"
        ],
    },
    Activity {
        id: 23, name: "A_NET_UDP", list: List::Single, needs: "",
        current: &[(0x8a, longs(UDP))],
        old: &[(0x8a, &[l(0, UDP)])],
        counters: rates!["idgm/s" "InDatagrams" "odgm/s" "OutDatagrams" "noport/s" "NoPorts" "idgmerr/s" "InErrors"],
    },
    Activity {
        id: 24, name: "A_NET_SOCK6", list: List::Single, needs: "",
        current: &[(0x8a, words(SOCK6))],
        old: &[(0x8a, &[i(0, SOCK6)])],
        counters: gauges!["tcp6sck" "tcp6" "udp6sck" "udp6" "raw6sck" "raw6" "ip6-frag" "frag6"],
    },
    Activity {
        id: 25, name: "A_NET_IP6", list: List::Single, needs: "",
        current: &[(0x8c, quads(IP6))],
        old: &[(0x8a, &[l(0, IP6)]), (0x8b, &[q(0, 16, IP6)])],
        counters: rates![
            "irec6/s" "InReceives" "fwddgm6/s" "OutForwDatagrams" "idel6/s" "InDelivers" "orq6/s" "OutRequests"
            "asmrq6/s" "ReasmReqds" "asmok6/s" "ReasmOKs" "imcpck6/s" "InMcastPkts" "omcpck6/s" "OutMcastPkts"
            "fragok6/s" "FragOKs" "fragcr6/s" "FragCreates"
        ],
    },
    Activity {
        id: 26, name: "A_NET_EIP6", list: List::Single, needs: "",
        current: &[(0x8c, quads(EIP6))],
        old: &[(0x8a, &[l(0, EIP6)]), (0x8b, &[q(0, 16, EIP6)])],
        counters: rates![
            "ihdrer6/s" "InHdrErrors" "iadrer6/s" "InAddrErrors" "iukwnp6/s" "InUnknownProtos" "i2big6/s" "InTooBigErrors"
            "idisc6/s" "InDiscards" "odisc6/s" "OutDiscards" "inort6/s" "InNoRoutes" "onort6/s" "OutNoRoutes"
            "asmf6/s" "ReasmFails" "fragf6/s" "FragFails" "itrpck6/s" "InTruncatedPkts"
        ],
    },
    Activity {
        id: 27, name: "A_NET_ICMP6", list: List::Single, needs: "",
        current: &[(0x8a, longs(ICMP6))],
        old: &[(0x8a, &[l(0, ICMP6)])],
        counters: rates![
            "imsg6/s" "InMsgs" "omsg6/s" "OutMsgs" "iech6/s" "InEchos" "iechr6/s" "InEchoReplies" "oechr6/s" "OutEchoReplies"
            "igmbq6/s" "InGroupMembQueries" "igmbr6/s" "InGroupMembResponses" "ogmbr6/s" "OutGroupMembResponses"
            "igmbrd6/s" "InGroupMembReductions" "ogmbrd6/s" "OutGroupMembReductions" "irtsol6/s" "InRouterSolicits"
            "ortsol6/s" "OutRouterSolicits" "irtad6/s" "InRouterAdvertisements" "inbsol6/s" "InNeighborSolicits"
            "onbsol6/s" "OutNeighborSolicits" "inbad6/s" "InNeighborAdvertisements" "onbad6/s" "OutNeighborAdvertisements"
        ],
    },
    Activity {
        id: 28, name: "A_NET_EICMP6", list: List::Single, needs: "",
        current: &[(0x8a, longs(EICMP6))],
        old: &[(0x8a, &[l(0, EICMP6)])],
        counters: rates![
            "ierr6/s" "InErrors" "idtunr6/s" "InDestUnreachs" "odtunr6/s" "OutDestUnreachs" "itmex6/s" "InTimeExcds"
            "otmex6/s" "OutTimeExcds" "iprmpb6/s" "InParmProblems" "oprmpb6/s" "OutParmProblems" "iredir6/s" "InRedirects"
            "oredir6/s" "OutRedirects" "ipck2b6/s" "InPktTooBigs" "opck2b6/s" "OutPktTooBigs"
        ],
    },
    Activity {
        id: 29, name: "A_NET_UDP6", list: List::Single, needs: "",
        current: &[(0x8a, longs(UDP))],
        old: &[(0x8a, &[l(0, UDP)])],
        counters: rates!["idgm6/s" "InDatagrams" "odgm6/s" "OutDatagrams" "noport6/s" "NoPorts" "idgmer6/s" "InErrors"],
    },
    Activity {
        id: 30, name: "A_PWR_CPU", list: List::Frequency, needs: "cpufreq",
        current: &[(0x8a, longs("cpufreq"))],
        old: &[(0x8a, &[l(0, "cpufreq")])],
        counters: &[counter("MHz", "cpufreq", Scaled(100), "MHz", "")],
    },
    Activity {
        id: 31, name: "A_PWR_FAN", list: List::Sensor(1), needs: "rpm device",
        current: &[(0x8a, groups(FAN, "", "", &[("device", 20)]))],
        old: &[(0x8a, &[q(0, 8, FAN), t(16, 20, "device")])],
        counters: &[
            real("rpm", "rpm", "", "", "1/min", ""),
            real("drpm", "rpm", "rpm_min", "", "1/min", "above the least allowed"),
        ],
    },
    Activity {
        id: 32, name: "A_PWR_TEMP", list: List::Sensor(1), needs: "temp device",
        current: &[(0x8a, groups(TEMPERATURE, "", "", &[("device", 20)]))],
        old: &[(0x8a, &[q(0, 8, TEMPERATURE), t(24, 20, "device")])],
        counters: &[
            real("degC", "temp", "", "", "°C", ""),
            real("%temp", "temp", "min", "max", "%", "of the way from the least to the most allowed"),
        ],
    },
    Activity {
        id: 33, name: "A_PWR_IN", list: List::Sensor(0), needs: "volt device",
        current: &[(0x8a, groups(VOLTAGE, "", "", &[("device", 20)]))],
        old: &[(0x8a, &[q(0, 8, VOLTAGE), t(24, 20, "device")])],
        counters: &[
            real("inV", "volt", "", "", "V", ""),
            real("%in", "volt", "min", "max", "%", "of the way from the least to the most allowed"),
        ],
    },
    Activity {
        id: 34, name: "A_HUGE", list: List::Single, needs: "",
        current: &[(0x8b, quads("free total reserved surplus"))],
        old: &[(0x8a, &[l(0, "free total")])],
        counters: &[
            counter("kbhugfree", "free", Gauge, "kB", ""),
            counter("kbhugused", "total-free", Gauge, "kB", ""),
            counter("%hugused", "total-free", percentage_of("total"), "%", "of huge pages"),
            counter("kbhugrsvd", "reserved", Gauge, "kB", ""),
            counter("kbhugsurp", "surplus", Gauge, "kB", ""),
        ],
    },
    Activity {
        id: 35, name: "A_PWR_FREQ", list: List::FrequencyStates, needs: "time_in_state freq",
        current: &[(0x8b, groups("time_in_state", "freq", "", &[]))],
        old: &[(0x8a, &[q(0, 16, "time_in_state"), l(16, "freq")])],
        counters: &[counter("wghMHz", "weighted", average_over("time"), "MHz", "weighted by the time spent at each")],
    },
    Activity {
        id: 36, name: "A_PWR_USB", list: List::Usb, needs: "bus vendor product product_name",
        current: &[(0x8a, groups("", "", "bus vendor product bmaxpower", &[("manufacturer", 24), ("product_name", 48)]))],
        old: &[(0x8a, &[i(0, "bus vendor product bmaxpower"), t(16, 24, "manufacturer"), t(40, 48, "product_name")])],
        counters: &[counter("maxpower", "2*bmaxpower", Gauge, "mA", "")],
    },
    Activity {
        id: 37, name: "A_FS", list: List::Named("device"), needs: "blocks device",
        current: &[(0x8b, groups(FS, "", "", &[("device", 128), ("mount_point", 128)]))],
        old: &[(0x8a, &[q(0, 16, FS), t(80, 128, "device"), t(208, 128, "mount_point")])],
        counters: &[
            counter("MBfsfree", "free", Scaled(1 << 20), "MiB", ""),
            counter("MBfsused", "blocks-free", Scaled(1 << 20), "MiB", ""),
            counter("%fsused", "blocks-free", percentage_of("blocks"), "%", "without what root alone may use"),
            counter("%ufsused", "blocks-avail", percentage_of("blocks"), "%", ""),
            gauge("Ifree", "ffree"), gauge("Iused", "files-ffree"),
            counter("%Iused", "files-ffree", percentage_of("files"), "%", "of inodes"),
        ],
    },
    Activity {
        id: 38, name: "A_NET_FC", list: List::Named("name"), needs: "name",
        current: &[(0x8a, groups("", FC, "", &[("name", 16)]))],
        old: &[(0x8a, &[l(0, FC), t(32, 16, "name")])],
        counters: rates!["fch_rxf/s" "rxframes" "fch_txf/s" "txframes" "fch_rxw/s" "rxwords" "fch_txw/s" "txwords"],
    },
    Activity {
        id: 39, name: "A_NET_SOFT", list: List::SoftNet, needs: "processed dropped time_squeeze received_rps flow_limit",
        current: &[(0x8a, words(SOFT))],
        old: &[(0x8a, &[i(0, "processed dropped time_squeeze received_rps flow_limit")])],
        counters: &[
            rate("total/s", "processed"), rate("dropd/s", "dropped"), rate("squeezd/s", "time_squeeze"),
            rate("rx_rps/s", "received_rps"), rate("flw_lim/s", "flow_limit"), gauge("blg_len", "backlog_len"),
        ],
    },
    Activity {
        id: 40, name: "A_PSI_CPU", list: List::Single, needs: "",
        current: &[(0x8a, groups("some_total", "some_10 some_60 some_300", "", &[]))],
        old: &[],
        counters: &[
            pressure("%scpu-10", "some_10"), pressure("%scpu-60", "some_60"), pressure("%scpu-300", "some_300"),
            stalled("%scpu", "some_total"),
        ],
    },
    Activity {
        id: 41, name: "A_PSI_IO", list: List::Single, needs: "",
        current: &[(0x8a, groups("some_total full_total", PSI_BOTH, "", &[]))],
        old: &[],
        counters: &[
            pressure("%sio-10", "some_10"), pressure("%sio-60", "some_60"), pressure("%sio-300", "some_300"),
            stalled("%sio", "some_total"),
            pressure("%fio-10", "full_10"), pressure("%fio-60", "full_60"), pressure("%fio-300", "full_300"),
            stalled("%fio", "full_total"),
        ],
    },
    Activity {
        id: 42, name: "A_PSI_MEM", list: List::Single, needs: "",
        current: &[(0x8a, groups("some_total full_total", PSI_BOTH, "", &[]))],
        old: &[],
        counters: &[
            pressure("%smem-10", "some_10"), pressure("%smem-60", "some_60"), pressure("%smem-300", "some_300"),
            stalled("%smem", "some_total"),
            pressure("%fmem-10", "full_10"), pressure("%fmem-60", "full_60"), pressure("%fmem-300", "full_300"),
            stalled("%fmem", "full_total"),
        ],
    },
    Activity {
        id: 43, name: "A_PWR_BAT", list: List::Numbered, needs: "id",
        current: &[(0x8a, groups("", "", "", &[("id", 1), ("capacity", 1), ("status", 1)]))],
        old: &[],
        counters: &[
            counter("%cap", "capacity", Gauge, "%", ""),
            counter("status", "status", Gauge, "", "0 unknown, 1 charging, 2 discharging, 3 not charging, 4 full"),
        ],
    },
];
