//! `Network Interface`.

use recount_perf_data::{InstanceName, ObjectStream};

use super::collector::{Collector, Tick};
use super::counter_slots::CounterSlots;
use super::fields::number;
use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile;
use super::type_words::{PERF_COUNTER_BULK_COUNT, PERF_COUNTER_LARGE_RAWCOUNT};

const fn rate(name: &'static str, scale: i32, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word: PERF_COUNTER_BULK_COUNT, scale }
}

const fn count(name: &'static str, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word: PERF_COUNTER_LARGE_RAWCOUNT, scale: 0 }
}

const NUM_COUNTERS: usize = 14;

/// In the order of [`Traffic::values`].
#[rustfmt::skip]
static COUNTERS: [CounterSpec; NUM_COUNTERS] = [
    rate("Bytes Total/sec", -4, "Bytes received and sent. /proc/net/dev, bytes of both sides."),
    rate("Packets/sec", -1, "Packets received and sent. /proc/net/dev, packets of both sides."),
    rate("Packets Received/sec", -1, "Packets received. /proc/net/dev, receive packets."),
    rate("Packets Sent/sec", -1, "Packets sent. /proc/net/dev, transmit packets."),
    rate("Bytes Received/sec", -4, "Bytes received. /proc/net/dev, receive bytes."),
    count("Packets Received Discarded", "Packets received that were discarded, since booting. /proc/net/dev, receive drop."),
    count("Packets Received Errors", "Packets received with errors, since booting. /proc/net/dev, receive errs."),
    rate("Bytes Sent/sec", -4, "Bytes sent. /proc/net/dev, transmit bytes."),
    count("Packets Outbound Discarded", "Packets that were discarded instead of being sent, since booting. /proc/net/dev, transmit drop."),
    count("Packets Outbound Errors", "Packets that could not be sent for errors, since booting. /proc/net/dev, transmit errs."),
    rate("Packets Received Multicast/sec", -1, "Multicast packets received. /proc/net/dev, receive multicast."),
    count("Receive Queue Overruns", "Packets lost because a receive queue was full, since booting. /proc/net/dev, receive fifo."),
    count("Collisions", "Collisions while sending, since booting. /proc/net/dev, transmit colls."),
    count("Carrier Errors", "Losses of the carrier while sending, since booting. /proc/net/dev, transmit carrier."),
];

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 16_000,
    name: "Network Interface",
    help: "Traffic of network interfaces. One instance per interface of the recorder's network namespace, the loopback \
           included, named as the kernel names it.",
    instanced: true,
    counters: &COUNTERS,
};

/// The counts of `/proc/net/dev` for one interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Traffic<'t> {
    name: &'t str,
    /// bytes, packets, errs, drop, fifo, frame, compressed, multicast.
    received: [u64; 8],
    /// bytes, packets, errs, drop, fifo, colls, carrier, compressed.
    sent: [u64; 8],
}

impl Traffic<'_> {
    /// In the order of [`COUNTERS`].
    fn values(&self) -> [u64; NUM_COUNTERS] {
        let [in_bytes, in_packets, in_errs, in_drop, in_fifo, _, _, multicast] = self.received;
        let [out_bytes, out_packets, out_errs, out_drop, _, colls, carrier, _] = self.sent;
        [
            in_bytes.wrapping_add(out_bytes),
            in_packets.wrapping_add(out_packets),
            in_packets,
            out_packets,
            in_bytes,
            in_drop,
            in_errs,
            out_bytes,
            out_drop,
            out_errs,
            multicast,
            in_fifo,
            colls,
            carrier,
        ]
    }
}

/// The interfaces, after two heading lines. `None` for a line that isn't as expected.
fn parse(text: &str) -> impl Iterator<Item = Option<Traffic<'_>>> {
    text.lines().skip(2).map(|line| {
        // Names of aliases contain colons; the numbers follow the last one.
        let (name, numbers) = line.rsplit_once(':')?;
        let mut words = numbers.split_ascii_whitespace();
        let mut traffic = Traffic { name: name.trim_start(), received: [0; 8], sent: [0; 8] };
        for field in traffic.received.iter_mut().chain(&mut traffic.sent) {
            *field = number(words.next()?)?;
        }
        Some(traffic)
    })
}

/// Reads `Network Interface`.
pub(super) struct NetworkInterfaceCollector {
    slots: CounterSlots,
}

impl NetworkInterfaceCollector {
    pub(super) fn new(tick: &mut Tick) -> Option<NetworkInterfaceCollector> {
        tick.file(SystemFile::NetDev)?;
        Some(NetworkInterfaceCollector { slots: CounterSlots::new(COUNTERS.iter().map(|_| true)) })
    }
}

impl Collector for NetworkInterfaceCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &SPEC
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        tick.file(SystemFile::NetDev).is_some()
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let mut is_sound = true;
        for traffic in tick.file(SystemFile::NetDev).into_iter().flat_map(parse) {
            match traffic {
                Some(traffic) => {
                    let mut block = object.instance(InstanceName::new(traffic.name));
                    self.slots.set_all(&mut block, &traffic.values());
                }
                None => is_sound = false,
            }
        }
        if !is_sound {
            tick.unreadable(SystemFile::NetDev.path(), "expected a name and sixteen numbers per line");
        }
    }
}

/// The names of the interfaces.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    parse(text).flatten().map(|traffic| traffic.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADINGS: &str = "Inter-|   Receive  |  Transmit\n face |bytes packets |bytes packets\n";

    #[test]
    fn interfaces_are_read() {
        let text = format!(
            "{HEADINGS}    lo:   1 2 3 4 5 6 7 8   11 12 13 14 15 16 17 18\neth0:1:18446744073709551615 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        );
        let found: Vec<_> = parse(&text).collect::<Option<_>>().expect("sound");
        assert_eq!(found[0].name, "lo");
        assert_eq!(found[0].values(), [12, 14, 2, 12, 1, 4, 3, 11, 14, 13, 8, 5, 16, 17]);
        assert_eq!((found[1].name, found[1].received[0]), ("eth0:1", u64::MAX));
    }

    #[test]
    fn a_short_line_is_no_interface() {
        let text = format!("{HEADINGS}lo: 1 2 3\n eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
        let found: Vec<_> = parse(&text).collect();
        assert!(found[0].is_none() && found[1].is_some());
    }
}
