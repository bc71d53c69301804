//! `IPv4`.

use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile::Snmp;
use super::totals::{Reading, Row, counters, row};
use super::type_words::{PERF_COUNTER_COUNTER, PERF_COUNTER_RAWCOUNT};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("Datagrams/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Ip.InReceives", 1), ("Ip.OutRequests", 1)]),
        "Datagrams received (including those with errors) and sent, without forwarded ones. /proc/net/snmp, Ip, InReceives + OutRequests."),
    row("Datagrams Received/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Ip.InReceives", 1)]),
        "Datagrams received, including those with errors. /proc/net/snmp, Ip, InReceives."),
    row("Datagrams Received Header Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Ip.InHdrErrors", 1)]),
        "Datagrams discarded for errors in their headers, since booting. /proc/net/snmp, Ip, InHdrErrors."),
    row("Datagrams Received Address Errors", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Ip.InAddrErrors", 1)]),
        "Datagrams discarded because their destination isn't this machine's, since booting. /proc/net/snmp, Ip, InAddrErrors."),
    row("Datagrams Forwarded/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Ip.ForwDatagrams", 1)]),
        "Datagrams forwarded to their destination. /proc/net/snmp, Ip, ForwDatagrams."),
    row("Datagrams Received Unknown Protocol", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Ip.InUnknownProtos", 1)]),
        "Datagrams discarded because their protocol isn't supported, since booting. /proc/net/snmp, Ip, InUnknownProtos."),
    row("Datagrams Received Discarded", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Ip.InDiscards", 1)]),
        "Valid datagrams received that were discarded, for example for lack of memory, since booting. /proc/net/snmp, Ip, InDiscards."),
    row("Datagrams Received Delivered/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Ip.InDelivers", 1)]),
        "Datagrams delivered to the higher protocols. /proc/net/snmp, Ip, InDelivers."),
    row("Datagrams Sent/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Snmp, &[("Ip.OutRequests", 1)]),
        "Datagrams sent by the higher protocols, without forwarded ones. /proc/net/snmp, Ip, OutRequests."),
    row("Datagrams Outbound Discarded", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Ip.OutDiscards", 1)]),
        "Valid datagrams not sent, for example for lack of memory, since booting. /proc/net/snmp, Ip, OutDiscards."),
    row("Datagrams Outbound No Route", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Ip.OutNoRoutes", 1)]),
        "Datagrams not sent because there was no route to their destination, since booting. /proc/net/snmp, Ip, OutNoRoutes."),
    row("Fragments Received/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp, &[("Ip.ReasmReqds", 1)]),
        "Fragments received that had to be reassembled. /proc/net/snmp, Ip, ReasmReqds."),
    row("Fragments Re-assembled/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp, &[("Ip.ReasmOKs", 1)]),
        "Datagrams reassembled from fragments. /proc/net/snmp, Ip, ReasmOKs."),
    row("Fragment Re-assembly Failures", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Ip.ReasmFails", 1)]),
        "Failures to reassemble fragments, since booting. /proc/net/snmp, Ip, ReasmFails."),
    row("Fragmented Datagrams/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp, &[("Ip.FragOKs", 1)]),
        "Datagrams that were fragmented. /proc/net/snmp, Ip, FragOKs."),
    row("Fragmentation Failures", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Snmp, &[("Ip.FragFails", 1)]),
        "Datagrams discarded because they needed fragmentation, which they forbid, since booting. /proc/net/snmp, Ip, FragFails."),
    row("Fragments Created/sec", PERF_COUNTER_COUNTER, 0, Reading::sum(Snmp, &[("Ip.FragCreates", 1)]),
        "Fragments created. /proc/net/snmp, Ip, FragCreates."),
];

static COUNTERS: [CounterSpec; ROWS.len()] = counters(ROWS);

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 33_000,
    name: "IPv4",
    help: "The Internet Protocol, version 4. No instances.",
    instanced: false,
    counters: &COUNTERS,
};
