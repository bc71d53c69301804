//! `IPv6`.

use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile::Snmp6;
use super::totals::{Reading, Row, counters, row};
use super::type_words::{PERF_COUNTER_COUNTER, PERF_COUNTER_RAWCOUNT};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("Datagrams/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp6, &[("Ip6InReceives", 1), ("Ip6OutRequests", 1)]),
        "Datagrams received (including those with errors) and sent, without forwarded ones. /proc/net/snmp6, Ip6InReceives + Ip6OutRequests."),
    row("Datagrams Received/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp6, &[("Ip6InReceives", 1)]),
        "Datagrams received, including those with errors. /proc/net/snmp6, Ip6InReceives."),
    row("Datagrams Received Header Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Ip6InHdrErrors", 1)]),
        "Datagrams discarded for errors in their headers, since booting. /proc/net/snmp6, Ip6InHdrErrors."),
    row("Datagrams Received Address Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Ip6InAddrErrors", 1)]),
        "Datagrams discarded because their destination isn't this machine's, since booting. /proc/net/snmp6, Ip6InAddrErrors."),
    row("Datagrams Forwarded/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp6, &[("Ip6OutForwDatagrams", 1)]),
        "Datagrams forwarded to their destination. /proc/net/snmp6, Ip6OutForwDatagrams."),
    row("Datagrams Received Unknown Protocol", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Ip6InUnknownProtos", 1)]),
        "Datagrams discarded because their protocol isn't supported, since booting. /proc/net/snmp6, Ip6InUnknownProtos."),
    row("Datagrams Received Discarded", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Ip6InDiscards", 1)]),
        "Valid datagrams received that were discarded, for example for lack of memory, since booting. /proc/net/snmp6, Ip6InDiscards."),
    row("Datagrams Received Delivered/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp6, &[("Ip6InDelivers", 1)]),
        "Datagrams delivered to the higher protocols. /proc/net/snmp6, Ip6InDelivers."),
    row("Datagrams Sent/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp6, &[("Ip6OutRequests", 1)]),
        "Datagrams sent by the higher protocols, without forwarded ones. /proc/net/snmp6, Ip6OutRequests."),
    row("Datagrams Outbound Discarded", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Ip6OutDiscards", 1)]),
        "Valid datagrams not sent, for example for lack of memory, since booting. /proc/net/snmp6, Ip6OutDiscards."),
    row("Datagrams Outbound No Route", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Ip6OutNoRoutes", 1)]),
        "Datagrams not sent because there was no route to their destination, since booting. /proc/net/snmp6, Ip6OutNoRoutes."),
    row("Fragments Received/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp6, &[("Ip6ReasmReqds", 1)]),
        "Fragments received that had to be reassembled. /proc/net/snmp6, Ip6ReasmReqds."),
    row("Fragments Re-assembled/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp6, &[("Ip6ReasmOKs", 1)]),
        "Datagrams reassembled from fragments. /proc/net/snmp6, Ip6ReasmOKs."),
    row("Fragment Re-assembly Failures", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Ip6ReasmFails", 1)]),
        "Failures to reassemble fragments, since booting. /proc/net/snmp6, Ip6ReasmFails."),
    row("Fragmented Datagrams/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp6, &[("Ip6FragOKs", 1)]),
        "Datagrams that were fragmented. /proc/net/snmp6, Ip6FragOKs."),
    row("Fragmentation Failures", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp6, &[("Ip6FragFails", 1)]),
        "Datagrams discarded because they needed fragmentation, which they forbid, since booting. /proc/net/snmp6, Ip6FragFails."),
    row("Fragments Created/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp6, &[("Ip6FragCreates", 1)]),
        "Fragments created. /proc/net/snmp6, Ip6FragCreates."),
];

static COUNTERS: [CounterSpec; ROWS.len()] = counters(ROWS);

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 34_000,
    name: "IPv6",
    help: "The Internet Protocol, version 6. No instances.",
    instanced: false,
    counters: &COUNTERS,
};
