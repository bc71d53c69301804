//! Which objects there are, in the order of the block.

use super::cgroup::{CgroupCollector, spec as cgroup};
use super::collector::{Collector, Tick};
use super::logical_disk::{self, LogicalDiskCollector};
use super::network_adapter::{self, NetworkAdapterCollector};
use super::network_interface::{self, NetworkInterfaceCollector};
use super::object_spec::ObjectSpec;
use super::paging_file::{self, PagingFileCollector};
use super::physical_disk::{self, PhysicalDiskCollector};
use super::process::{ProcessCollector, spec as process};
use super::processor::{self, ProcessorCollector};
use super::processor_information::{self, ProcessorInformationCollector};
use super::thread::{ThreadCollector, spec as thread};
use super::totals::Totals;
use super::{ipv4, ipv6, memory, system, transport};

/// Makes an object's collector; `None`: this machine doesn't have the object.
type Make = fn(&mut Tick) -> Option<Box<dyn Collector>>;

/// An object that can be recorded.
pub(super) struct Offered {
    pub(super) spec: &'static ObjectSpec,
    /// Whether it is recorded by default.
    pub(super) is_default: bool,
    pub(super) collector: Make,
}

/// The object that lists the processes.
pub(super) const NAME_PROCESS: &str = "Process";
/// Objects that use its list.
pub(super) const NAMES_BY_PROCESS: &[&str] = &["Thread"];

/// All objects. `Process` comes before the objects that use its list: `Thread`, and `System`, which counts
/// the processes.
pub(super) static ALL: &[Offered] = &[
    by_default(&processor::SPEC, |tick| boxed(ProcessorCollector::new(tick))),
    by_default(&processor_information::SPEC, |tick| boxed(ProcessorInformationCollector::new(tick))),
    by_default(&memory::SPEC, |tick| boxed(Totals::new(&memory::SPEC, memory::ROWS, tick))),
    by_default(&paging_file::SPEC, |tick| boxed(PagingFileCollector::new(tick))),
    by_default(&physical_disk::SPEC, |tick| boxed(PhysicalDiskCollector::new(tick))),
    by_default(&logical_disk::SPEC, |tick| boxed(LogicalDiskCollector::new(tick))),
    by_default(&network_interface::SPEC, |tick| boxed(NetworkInterfaceCollector::new(tick))),
    by_default(&network_adapter::SPEC, |tick| boxed(NetworkAdapterCollector::new(tick))),
    by_default(&transport::TCP, |tick| boxed(Totals::new(&transport::TCP, transport::TCP_ROWS, tick))),
    by_default(&transport::UDP4, |tick| boxed(Totals::new(&transport::UDP4, transport::UDP4_ROWS, tick))),
    by_default(&transport::UDP6, |tick| boxed(Totals::new(&transport::UDP6, transport::UDP6_ROWS, tick))),
    by_default(&ipv4::SPEC, |tick| boxed(Totals::new(&ipv4::SPEC, ipv4::ROWS, tick))),
    by_default(&ipv6::SPEC, |tick| boxed(Totals::new(&ipv6::SPEC, ipv6::ROWS, tick))),
    by_default(&process::SPEC, |tick| boxed(ProcessCollector::new(tick.exits.take(), tick.describe))),
    on_request(&thread::SPEC, |_| boxed(ThreadCollector::new())),
    by_default(&cgroup::CPU, |_| boxed(CgroupCollector::new())),
    by_default(&cgroup::THROTTLING, |_| boxed(CgroupCollector::throttling())),
    by_default(&cgroup::MEMORY, |_| boxed(CgroupCollector::memory())),
    by_default(&cgroup::SWAP, |_| boxed(CgroupCollector::swap())),
    by_default(&cgroup::IO, |_| boxed(CgroupCollector::io())),
    by_default(&cgroup::PRESSURE, |_| boxed(CgroupCollector::pressure())),
    by_default(&system::SPEC, |tick| boxed(Totals::new(&system::SPEC, system::ROWS, tick))),
];

const fn by_default(spec: &'static ObjectSpec, collector: Make) -> Offered {
    Offered { spec, is_default: true, collector }
}

const fn on_request(spec: &'static ObjectSpec, collector: Make) -> Offered {
    Offered { spec, is_default: false, collector }
}

fn boxed(collector: Option<impl Collector + 'static>) -> Option<Box<dyn Collector>> {
    Some(Box::new(collector?))
}

/// The names of all objects, whether this machine has them or not, and whether they are recorded by default.
pub fn object_names() -> Vec<(&'static str, bool)> {
    ALL.iter().map(|offered| (offered.spec.name, offered.is_default)).collect()
}
