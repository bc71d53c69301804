//! Which objects there are, in the order of the block.

use super::cgroup::CgroupCollector;
use super::collector::{Collector, Tick};
use super::logical_disk::LogicalDiskCollector;
use super::network_adapter::NetworkAdapterCollector;
use super::network_interface::NetworkInterfaceCollector;
use super::paging_file::PagingFileCollector;
use super::physical_disk::PhysicalDiskCollector;
use super::process::ProcessCollector;
use super::processor::ProcessorCollector;
use super::processor_information::ProcessorInformationCollector;
use super::thread::ThreadCollector;
use super::{ipv4, ipv6, memory, system, transport};

/// An object that can be recorded.
pub(super) struct Offered {
    pub(super) collector: Box<dyn Collector>,
    /// Whether it is recorded by default.
    pub(super) is_default: bool,
}

/// The object that lists the processes.
pub(super) const NAME_PROCESS: &str = "Process";
/// Objects that use its list.
pub(super) const NAMES_BY_PROCESS: &[&str] = &["Thread"];

/// All objects. `Process` comes before the objects that use its list: `Thread`, and `System`, which counts
/// the processes.
pub(super) fn all(tick: &mut Tick) -> Vec<Offered> {
    let mut offered = Vec::new();
    let mut offer =
        |collector: Box<dyn Collector>, is_default| offered.push(Offered { collector, is_default });
    offer(Box::new(ProcessorCollector::new(tick)), true);
    offer(Box::new(ProcessorInformationCollector::new(tick)), true);
    offer(Box::new(memory::collector(tick)), true);
    offer(Box::new(PagingFileCollector::new(tick)), true);
    offer(Box::new(PhysicalDiskCollector::new(tick)), true);
    offer(Box::new(LogicalDiskCollector::new(tick)), true);
    offer(Box::new(NetworkInterfaceCollector::new(tick)), true);
    offer(Box::new(NetworkAdapterCollector::new(tick)), true);
    for collector in transport::collectors(tick) {
        offer(Box::new(collector), true);
    }
    offer(Box::new(ipv4::collector(tick)), true);
    offer(Box::new(ipv6::collector(tick)), true);
    offer(Box::new(ProcessCollector::new()), true);
    offer(Box::new(ThreadCollector::new()), false);
    offer(Box::new(CgroupCollector::new()), true);
    offer(Box::new(CgroupCollector::throttling()), true);
    offer(Box::new(CgroupCollector::memory()), true);
    offer(Box::new(CgroupCollector::swap()), true);
    offer(Box::new(CgroupCollector::io()), true);
    offer(Box::new(CgroupCollector::pressure()), true);
    offer(Box::new(system::collector(tick)), true);
    offered
}

/// The names of all objects, whether this machine has them or not, and whether they are recorded by default.
pub fn object_names() -> Vec<(&'static str, bool)> {
    let offered = all(&mut Tick::default());
    offered.iter().map(|offered| (offered.collector.spec().name, offered.is_default)).collect()
}
