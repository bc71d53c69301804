//! Network protocols, under the kernel's names.

use super::{now, rate};
use crate::objects::value::Counter;
use crate::objects::value::Unit::One;

/// Counters per second of a block, under the kernel's names.
macro_rules! of_block {
    ($block:literal: $($name:literal)*) => { &[$(rate($name, &[concat!($block, ".", $name)], One, "")),*] };
}

pub(super) const IPV4: &[Counter] = of_block!("net.ipv4": "InReceives" "InHdrErrors" "InAddrErrors" "ForwDatagrams" "InUnknownProtos"
    "InDiscards" "InDelivers" "OutRequests" "OutDiscards" "OutNoRoutes" "ReasmTimeout" "ReasmReqds" "ReasmOKs" "ReasmFails"
    "FragOKs" "FragFails" "FragCreates");

pub(super) const IPV6: &[Counter] = of_block!("net.ipv6": "InReceives" "InHdrErrors" "InTooBigErrors" "InNoRoutes" "InAddrErrors"
    "InUnknownProtos" "InTruncatedPkts" "InDiscards" "InDelivers" "OutForwDatagrams" "OutRequests" "OutDiscards" "OutNoRoutes"
    "ReasmTimeout" "ReasmReqds" "ReasmOKs" "ReasmFails" "FragOKs" "FragFails" "FragCreates" "InMcastPkts" "OutMcastPkts");

pub(super) const ICMPV4: &[Counter] = of_block!("net.icmpv4": "InMsgs" "InErrors");

pub(super) const ICMPV6: &[Counter] = of_block!("net.icmpv6": "InMsgs" "InErrors" "InDestUnreachs" "InPktTooBigs" "InTimeExcds"
    "InParmProblems" "InEchos" "InEchoReplies" "InGroupMembQueries" "InGroupMembResponses" "InGroupMembReductions"
    "InRouterSolicits" "InRouterAdvertisements" "InNeighborSolicits" "InNeighborAdvertisements" "InRedirects" "OutMsgs"
    "OutDestUnreachs" "OutPktTooBigs" "OutTimeExcds" "OutParmProblems" "OutEchoReplies" "OutRouterSolicits"
    "OutNeighborSolicits" "OutNeighborAdvertisements" "OutRedirects" "OutGroupMembResponses" "OutGroupMembReductions");

pub(super) const UDPV4: &[Counter] =
    of_block!("net.udpv4": "InDatagrams" "NoPorts" "InErrors" "OutDatagrams");

pub(super) const UDPV6: &[Counter] =
    of_block!("net.udpv6": "InDatagrams" "NoPorts" "InErrors" "OutDatagrams");

pub(super) const TCP: &[Counter] = &[
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
