//! `Network Adapter`: how fast interfaces are.
//!
//! On Windows, `Network Interface` also has the bandwidth. Here it is only in this object, in which an
//! interface without a known bandwidth can be absent; in the other one it would have to be a wrong 0.

use std::path::Path;

use recount_perf_data::{InstanceName, ObjectStream};
use rustix::io::Errno;

use super::collector::{Collector, Tick};
use super::fields::number;
use super::kept_file::KeptFile;
use super::network_interface::names;
use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile;
use super::type_words::PERF_COUNTER_LARGE_RAWCOUNT;

static COUNTERS: [CounterSpec; 1] = [CounterSpec {
    name: "Current Bandwidth",
    help: "Bits per second that the interface can carry in one direction. /sys/class/net/NAME/speed, in Mbit/s.",
    word: PERF_COUNTER_LARGE_RAWCOUNT,
    scale: -6,
}];

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 17_000,
    name: "Network Adapter",
    help: "Network interfaces whose bandwidth is known: that are connected, and not virtual. Named as in Network Interface.",
    instanced: true,
    counters: &COUNTERS,
};

/// Bits per second; `None` if the interface doesn't know it, which reads as -1 or, in old kernels, 2^32 - 1.
fn bandwidth(text: &str) -> Option<u64> {
    let mbits = number(text).filter(|mbits| *mbits != 0 && *mbits < u64::from(u32::MAX))?;
    Some(mbits * 1_000_000)
}

struct Interface {
    name: String,
    speed: Option<KeptFile>,
    bandwidth: Option<u64>,
}

impl Interface {
    fn new(name: &str) -> Interface {
        // A name contains no slash, but might be `..`.
        let is_plain = !name.is_empty() && !name.contains('/') && name != "." && name != "..";
        let path = Path::new("/sys/class/net").join(name).join("speed");
        let speed = if is_plain { KeptFile::open(&path).ok() } else { None };
        Interface { name: name.to_owned(), speed, bandwidth: None }
    }

    fn read(&mut self) {
        let Some(speed) = &mut self.speed else { return };
        self.bandwidth = match speed.read() {
            Ok(text) => bandwidth(text),
            Err(error) if error.raw_os_error() == Some(Errno::NODEV.raw_os_error()) => {
                // The interface is gone and another one has its name: it is read from the next sample on.
                *self = Interface::new(&self.name);
                None
            }
            // It isn't up, or has no speed.
            Err(_) => None,
        };
    }
}

/// Reads `Network Adapter`.
pub(super) struct NetworkAdapterCollector {
    interfaces: Vec<Interface>,
}

impl NetworkAdapterCollector {
    pub(super) fn new(tick: &mut Tick) -> Option<NetworkAdapterCollector> {
        let mut collector = NetworkAdapterCollector { interfaces: Vec::new() };
        // Present even if no interface is connected now: one may come later.
        collector.prepare(tick).then_some(collector)
    }
}

impl Collector for NetworkAdapterCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &SPEC
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        let Some(text) = tick.file(SystemFile::NetDev) else { return false };
        if !names(text).eq(self.interfaces.iter().map(|interface| &*interface.name)) {
            self.interfaces = names(text).map(Interface::new).collect();
        }
        self.interfaces.iter_mut().for_each(Interface::read);
        self.interfaces.iter().any(|interface| interface.speed.is_some())
    }

    fn collect(&mut self, _tick: &mut Tick, object: &mut ObjectStream<'_>) {
        for interface in &self.interfaces {
            if let Some(bandwidth) = interface.bandwidth {
                object.instance(InstanceName::new(&interface.name)).set(0, bandwidth);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_speed_is_none() {
        assert_eq!(bandwidth("10000\n"), Some(10_000_000_000));
        for unknown in ["-1\n", "4294967295\n", "0\n", ""] {
            assert_eq!(bandwidth(unknown), None, "{unknown}");
        }
    }
}
