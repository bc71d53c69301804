//! Disks, interfaces and NFS.

use super::{now, other, rate};
use crate::objects::value::Unit::{AtOnce, Mega, Milli, One, Page, Sector, Word};
use crate::objects::value::{Counter, Value};

pub(super) const DISK: &[Counter] = &[
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

pub(super) const IN_FLIGHT: &[Counter] =
    &[now("inflt", "in_flight", One, "Requests under way at the time of the sample.")];

pub(super) const INTERFACE: &[Counter] = &[
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

pub(super) const NFS_SERVER: &[Counter] = &[
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

pub(super) const NFS_CLIENT: &[Counter] = &[
    rate("rpc", &["nfs.client.rpc"], One, "Calls."),
    rate("read", &["nfs.client.reads"], One, "Calls that read."),
    rate("write", &["nfs.client.writes"], One, "Calls that write."),
    rate("retxmit", &["nfs.client.retransmissions"], One, "Calls that were sent again."),
    rate("autref", &["nfs.client.auth_refreshes"], One, "Refreshed authorisations."),
];

pub(super) const NFS_MOUNT: &[Counter] = &[
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

pub(super) const INFINIBAND: &[Counter] = &[
    rate("Bi", &["rx_bytes"], Word, "Bytes received."),
    rate("Bo", &["tx_bytes"], Word, "Bytes sent."),
    rate("pcki", &["rx_packets"], One, "Packets received."),
    rate("pcko", &["tx_packets"], One, "Packets sent."),
    other("sp", Value::NowIfSet("rate"), Mega, "Speed in bits per second."),
    now("lanes", "lanes", One, "Lanes."),
];
