//! `TCP`, `UDPv4` and `UDPv6`.

use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile::{Snmp, Snmp6, Sockstat};
use super::totals::{Reading, Row, counters, row};
use super::type_words::{PERF_COUNTER_COUNTER, PERF_COUNTER_LARGE_RAWCOUNT, PERF_COUNTER_RAWCOUNT};

#[rustfmt::skip]
pub(super) const TCP_ROWS: &[Row] = &[
    row("Segments/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Tcp.InSegs", 1), ("Tcp.OutSegs", 1)]),
        "Segments received and sent. /proc/net/snmp, Tcp, InSegs + OutSegs."),
    row("Connections Established", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Tcp.CurrEstab", 1)]),
        "Connections in the states ESTABLISHED and CLOSE-WAIT. /proc/net/snmp, Tcp, CurrEstab."),
    row("Connections Active", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Tcp.ActiveOpens", 1)]),
        "Connections that were opened from here, since booting. /proc/net/snmp, Tcp, ActiveOpens."),
    row("Connections Passive", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Tcp.PassiveOpens", 1)]),
        "Connections that were opened from elsewhere, since booting. /proc/net/snmp, Tcp, PassiveOpens."),
    row("Connection Failures", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Tcp.AttemptFails", 1)]),
        "Attempts to connect that failed, since booting. /proc/net/snmp, Tcp, AttemptFails."),
    row("Connections Reset", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Tcp.EstabResets", 1)]),
        "Connections that ended without a proper close, since booting. /proc/net/snmp, Tcp, EstabResets."),
    row("Segments Received/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Tcp.InSegs", 1)]),
        "Segments received, including those with errors. /proc/net/snmp, Tcp, InSegs."),
    row("Segments Sent/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Tcp.OutSegs", 1)]),
        "Segments sent, except those that only repeat bytes. /proc/net/snmp, Tcp, OutSegs."),
    row("Segments Retransmitted/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp, &[("Tcp.RetransSegs", 1)]),
        "Segments that repeat bytes sent before. /proc/net/snmp, Tcp, RetransSegs."),
    row("Segments Received Errors/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp, &[("Tcp.InErrs", 1)]),
        "Segments received with errors. /proc/net/snmp, Tcp, InErrs."),
    row("Resets Sent/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp, &[("Tcp.OutRsts", 1)]),
        "Segments sent with the flag RST. /proc/net/snmp, Tcp, OutRsts."),
    row("Connections Time-Wait", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Sockstat, &[("TCP.tw", 1)]),
        "Connections in the state TIME-WAIT. /proc/net/sockstat, TCP, tw."),
    row("Connections Orphaned", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Sockstat, &[("TCP.orphan", 1)]),
        "Connections that no longer belong to a process. /proc/net/sockstat, TCP, orphan."),
    row("Memory Pages", PERF_COUNTER_LARGE_RAWCOUNT, -2, Reading::sum(Sockstat, &[("TCP.mem", 1)]),
        "Pages of memory in the buffers of connections. /proc/net/sockstat, TCP, mem."),
];

#[rustfmt::skip]
pub(super) const UDP4_ROWS: &[Row] = &[
    row("Datagrams/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Udp.InDatagrams", 1), ("Udp.OutDatagrams", 1)]),
        "Datagrams delivered to their receivers, and sent. /proc/net/snmp, Udp, InDatagrams + OutDatagrams."),
    row("Datagrams Received/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Udp.InDatagrams", 1)]),
        "Datagrams delivered to their receivers. /proc/net/snmp, Udp, InDatagrams."),
    row("Datagrams No Port/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp, &[("Udp.NoPorts", 1)]),
        "Datagrams received that no receiver waited for. /proc/net/snmp, Udp, NoPorts."),
    row("Datagrams Received Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Udp.InErrors", 1)]),
        "Datagrams that could not be delivered for other reasons, since booting. /proc/net/snmp, Udp, InErrors."),
    row("Datagrams Sent/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Udp.OutDatagrams", 1)]),
        "Datagrams sent. /proc/net/snmp, Udp, OutDatagrams."),
    row("Receive Buffer Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Udp.RcvbufErrors", 1)]),
        "Datagrams dropped because a receiver's buffer was full, since booting. /proc/net/snmp, Udp, RcvbufErrors."),
    row("Send Buffer Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Udp.SndbufErrors", 1)]),
        "Datagrams not sent because the sender's buffer was full, since booting. /proc/net/snmp, Udp, SndbufErrors."),
];

#[rustfmt::skip]
pub(super) const UDP6_ROWS: &[Row] = &[
    row("Datagrams/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp6, &[("Udp6InDatagrams", 1), ("Udp6OutDatagrams", 1)]),
        "Datagrams delivered to their receivers, and sent. /proc/net/snmp6, Udp6InDatagrams + Udp6OutDatagrams."),
    row("Datagrams Received/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp6, &[("Udp6InDatagrams", 1)]),
        "Datagrams delivered to their receivers. /proc/net/snmp6, Udp6InDatagrams."),
    row("Datagrams No Port/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp6, &[("Udp6NoPorts", 1)]),
        "Datagrams received that no receiver waited for. /proc/net/snmp6, Udp6NoPorts."),
    row("Datagrams Received Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Udp6InErrors", 1)]),
        "Datagrams that could not be delivered for other reasons, since booting. /proc/net/snmp6, Udp6InErrors."),
    row("Datagrams Sent/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp6, &[("Udp6OutDatagrams", 1)]),
        "Datagrams sent. /proc/net/snmp6, Udp6OutDatagrams."),
    row("Receive Buffer Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Udp6RcvbufErrors", 1)]),
        "Datagrams dropped because a receiver's buffer was full, since booting. /proc/net/snmp6, Udp6RcvbufErrors."),
    row("Send Buffer Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Udp6SndbufErrors", 1)]),
        "Datagrams not sent because the sender's buffer was full, since booting. /proc/net/snmp6, Udp6SndbufErrors."),
];

static TCP_COUNTERS: [CounterSpec; TCP_ROWS.len()] = counters(TCP_ROWS);
static UDP4_COUNTERS: [CounterSpec; UDP4_ROWS.len()] = counters(UDP4_ROWS);
static UDP6_COUNTERS: [CounterSpec; UDP6_ROWS.len()] = counters(UDP6_ROWS);

/// Linux counts the segments of both families together. Windows' `TCPv4` would be a wrong name for that.
pub(super) static TCP: ObjectSpec = ObjectSpec {
    index: 30_000,
    name: "TCP",
    help: "TCP over IPv4 and IPv6 together: Linux doesn't count them apart, so there are no TCPv4 and TCPv6. No instances.",
    instanced: false,
    counters: &TCP_COUNTERS,
};

pub(super) static UDP4: ObjectSpec = ObjectSpec {
    index: 31_000,
    name: "UDPv4",
    help: "UDP over IPv4. No instances.",
    instanced: false,
    counters: &UDP4_COUNTERS,
};

pub(super) static UDP6: ObjectSpec = ObjectSpec {
    index: 32_000,
    name: "UDPv6",
    help: "UDP over IPv6. No instances.",
    instanced: false,
    counters: &UDP6_COUNTERS,
};
