//! The objects and counters, one line each. Objects are named like the labels of atop's screen and of `atop -P`,
//! counters like the fields of its screen (protocols: like the kernel's counters), in base units instead of K and M.

mod devices;
mod load;
mod memory;
mod protocols;
mod tasks;

use super::value::{Counter, Unit, Value};
use super::{Listing, Name, ObjectRow};
use devices::{DISK, IN_FLIGHT, INFINIBAND, INTERFACE, NFS_CLIENT, NFS_MOUNT, NFS_SERVER};
use load::{CPL, CPU, GPU, LLC, PRC, PSI, SHARES};
use memory::{MEM, NUM, PAG, SWP};
use protocols::{ICMPV4, ICMPV6, IPV4, IPV6, TCP, UDPV4, UDPV6};
use tasks::{CGROUP, CONTAINER, PROCESS, TASK_STATE, TASK_TIMES};

const fn rate(
    name: &'static str,
    fields: &'static [&'static str],
    unit: Unit,
    help: &'static str,
) -> Counter {
    Counter::new(name, Value::Rate(fields), unit, help)
}

const fn now(name: &'static str, field: &'static str, unit: Unit, help: &'static str) -> Counter {
    Counter::new(name, Value::Now(field), unit, help)
}

const fn other(name: &'static str, value: Value, unit: Unit, help: &'static str) -> Counter {
    Counter::new(name, value, unit, help)
}

pub(super) static TABLE: &[ObjectRow] = &[
    ObjectRow {
        name: "CPU",
        help: "Times of processors as shares of all ticks of the processor; _Total is their mean (atop's CPU line shows the sum).",
        listing: Listing::Processors,
        counters: &[SHARES, CPU],
    },
    ObjectRow { name: "CPL", help: "Load of all processors.", listing: Listing::System, counters: &[CPL] },
    ObjectRow {
        name: "PRC",
        help: "Numbers of processes and threads.",
        listing: Listing::Record,
        counters: &[PRC],
    },
    ObjectRow { name: "MEM", help: "Physical memory, in bytes.", listing: Listing::System, counters: &[MEM] },
    ObjectRow {
        name: "SWP",
        help: "Swap space and promised memory, in bytes.",
        listing: Listing::System,
        counters: &[SWP],
    },
    ObjectRow { name: "PAG", help: "Paging, per second.", listing: Listing::System, counters: &[PAG] },
    ObjectRow {
        name: "PSI",
        help: "Pressure: shares of time in which some or all tasks were held up.",
        listing: Listing::Pressure,
        counters: &[PSI],
    },
    ObjectRow {
        name: "DSK",
        help: "Whole disks.",
        listing: Listing::Array { array: "disk.disks", count: "disk.n_disks", name: Name::Text("name") },
        counters: &[DISK, IN_FLIGHT],
    },
    ObjectRow {
        name: "MDD",
        help: "Multiple devices (software RAID).",
        listing: Listing::Array { array: "disk.md", count: "disk.n_md", name: Name::Text("name") },
        counters: &[DISK],
    },
    ObjectRow {
        name: "LVM",
        help: "Logical volumes.",
        listing: Listing::Array { array: "disk.lvm", count: "disk.n_lvm", name: Name::Text("name") },
        counters: &[DISK],
    },
    ObjectRow {
        name: "NET",
        help: "Network interfaces.",
        listing: Listing::Array { array: "nic.nics", count: "nic.n", name: Name::Text("name") },
        counters: &[INTERFACE],
    },
    ObjectRow { name: "IPv4", help: "/proc/net/snmp, Ip.", listing: Listing::System, counters: &[IPV4] },
    ObjectRow { name: "IPv6", help: "/proc/net/snmp6, Ip6.", listing: Listing::System, counters: &[IPV6] },
    ObjectRow {
        name: "ICMPv4",
        help: "/proc/net/snmp, Icmp. The recorder takes the other columns by their place, which differs between kernels.",
        listing: Listing::System,
        counters: &[ICMPV4],
    },
    ObjectRow {
        name: "ICMPv6",
        help: "/proc/net/snmp6, Icmp6.",
        listing: Listing::System,
        counters: &[ICMPV6],
    },
    ObjectRow { name: "UDPv4", help: "/proc/net/snmp, Udp.", listing: Listing::System, counters: &[UDPV4] },
    ObjectRow { name: "UDPv6", help: "/proc/net/snmp6, Udp6.", listing: Listing::System, counters: &[UDPV6] },
    ObjectRow {
        name: "TCP",
        help: "/proc/net/snmp, Tcp: over IPv4 and IPv6 together.",
        listing: Listing::System,
        counters: &[TCP],
    },
    ObjectRow {
        name: "NUM",
        help: "Memory of NUMA nodes, in bytes.",
        listing: Listing::Array {
            array: "numa_mem.nodes",
            count: "numa_mem.n",
            name: Name::Number("number"),
        },
        counters: &[NUM],
    },
    ObjectRow {
        name: "NUC",
        help: "Processor times of NUMA nodes.",
        listing: Listing::Array {
            array: "numa_cpu.nodes",
            count: "numa_cpu.n",
            name: Name::Number("number"),
        },
        counters: &[SHARES],
    },
    ObjectRow { name: "NFS", help: "NFS server.", listing: Listing::System, counters: &[NFS_SERVER] },
    ObjectRow { name: "NFC", help: "NFS client.", listing: Listing::System, counters: &[NFS_CLIENT] },
    ObjectRow {
        name: "NFM",
        help: "NFS mounts.",
        listing: Listing::Array {
            array: "nfs.mounts.mounts",
            count: "nfs.mounts.n",
            name: Name::Text("device"),
        },
        counters: &[NFS_MOUNT],
    },
    ObjectRow {
        name: "CON",
        help: "Containers of OpenVZ.",
        listing: Listing::Array {
            array: "containers.containers",
            count: "containers.n",
            name: Name::Number("id"),
        },
        counters: &[CONTAINER],
    },
    ObjectRow {
        name: "GPU",
        help: "GPUs, by number and bus id.",
        listing: Listing::Array { array: "gpu.gpus", count: "gpu.n", name: Name::Pair("number", "bus_id") },
        counters: &[GPU],
    },
    ObjectRow {
        name: "IFB",
        help: "Ports of InfiniBand.",
        listing: Listing::Array {
            array: "infiniband.ports",
            count: "infiniband.n",
            name: Name::Pair("name", "port"),
        },
        counters: &[INFINIBAND],
    },
    ObjectRow {
        name: "LLC",
        help: "Last level caches.",
        listing: Listing::Array { array: "llc.caches", count: "llc.n", name: Name::Number("id") },
        counters: &[LLC],
    },
    ObjectRow {
        name: "CGR",
        help: "Cgroups of version 2, by path, with all that is below them.",
        listing: Listing::Cgroups,
        counters: &[CGROUP],
    },
    ObjectRow {
        name: "Process",
        help: "Processes, by name; the id is the process id. Those that ended in the interval are among them.",
        listing: Listing::Tasks { processes: true },
        counters: &[TASK_TIMES, TASK_STATE, PROCESS],
    },
    ObjectRow {
        name: "Thread",
        help: "Threads of processes that have more than one.",
        listing: Listing::Tasks { processes: false },
        counters: &[TASK_TIMES, TASK_STATE],
    },
];
