//! The objects of cgroups and their counters. One object per controller, with instances only where the
//! controller is enabled, because a block can't mark a single value as missing.

use crate::linux::object_spec::{CounterSpec, ObjectSpec};
use crate::linux::type_words::{PERF_100NSEC_TIMER, PERF_COUNTER_BULK_COUNT, PERF_COUNTER_LARGE_RAWCOUNT};

const fn object(
    index: u32,
    name: &'static str,
    help: &'static str,
    counters: &'static [CounterSpec],
) -> ObjectSpec {
    ObjectSpec { index, name, help, instanced: true, counters }
}

const fn timer(name: &'static str, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word: PERF_100NSEC_TIMER, scale: 0 }
}

const fn rate(name: &'static str, scale: i32, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word: PERF_COUNTER_BULK_COUNT, scale }
}

const fn bytes(name: &'static str, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word: PERF_COUNTER_LARGE_RAWCOUNT, scale: -6 }
}

pub(crate) static CPU: ObjectSpec = object(
    22_000,
    "Cgroup",
    "Processor time of cgroups (version 2) with all that is below them, by path below the mount point; / is all. The id of \
     an instance is the cgroup's inode: a cgroup that was removed and made again is another.",
    &[
        timer(
            "% Processor Time",
            "Time that the processes ran, as a share of one processor: more than 100 on several. cpu.stat, usage_usec.",
        ),
        timer("% User Time", "Time that they ran outside the kernel. cpu.stat, user_usec."),
        timer("% Privileged Time", "Time that they ran in the kernel. cpu.stat, system_usec."),
    ],
);

pub(crate) static THROTTLING: ObjectSpec = object(
    24_000,
    "Cgroup Throttling",
    "Throttling of the processor time of cgroups. Only cgroups with the cpu controller.",
    &[
        rate("Periods/sec", 0, "Periods in which a limit was in force. cpu.stat, nr_periods."),
        rate(
            "Throttled Periods/sec",
            0,
            "Of these, periods in which it was reached. cpu.stat, nr_throttled.",
        ),
        timer(
            "% Throttled Time",
            "Time that the cgroup was throttled, summed over processors. cpu.stat, throttled_usec.",
        ),
    ],
);

pub(crate) static MEMORY: ObjectSpec = object(
    25_000,
    "Cgroup Memory",
    "Memory of cgroups with all that is below them. Only cgroups with the memory controller.",
    &[
        bytes("Memory Bytes", "All memory charged, including page cache and kernel memory. memory.current."),
        bytes("Anonymous Bytes", "Memory of processes that belongs to no file. memory.stat, anon."),
        bytes("File Bytes", "Contents of files, tmpfs and shared memory included. memory.stat, file."),
        rate("Page Faults/sec", 0, "Page faults of all kinds. memory.stat, pgfault."),
        rate(
            "Major Page Faults/sec",
            0,
            "Page faults that had to wait for reading. memory.stat, pgmajfault.",
        ),
    ],
);

pub(crate) static IO: ObjectSpec = object(
    26_000,
    "Cgroup IO",
    "What cgroups, with all that is below them, read from and write to block devices, summed over devices. Only cgroups \
     with the io controller.",
    &[
        rate("Read Bytes/sec", -4, "Bytes read. io.stat, rbytes."),
        rate("Write Bytes/sec", -4, "Bytes written. io.stat, wbytes."),
        rate("Read Operations/sec", 0, "Reads. io.stat, rios."),
        rate("Write Operations/sec", 0, "Writes. io.stat, wios."),
    ],
);

pub(crate) static PRESSURE: ObjectSpec = object(
    27_000,
    "Cgroup Pressure",
    "Share of time in which processes of cgroups could not go on for want of something. Only where the kernel measures it.",
    &[
        timer(
            "% Processor Pressure Some Time",
            "Some process waited for a processor. cpu.pressure, some, total.",
        ),
        timer("% Processor Pressure Full Time", "All waited for a processor. cpu.pressure, full, total."),
        timer("% Memory Pressure Some Time", "Some process waited for memory. memory.pressure, some, total."),
        timer("% Memory Pressure Full Time", "All waited for memory. memory.pressure, full, total."),
        timer("% IO Pressure Some Time", "Some process waited for a device. io.pressure, some, total."),
        timer("% IO Pressure Full Time", "All waited for devices. io.pressure, full, total."),
    ],
);

pub(crate) static SWAP: ObjectSpec = object(
    28_000,
    "Cgroup Swap",
    "Swap space of cgroups with all that is below them. Only cgroups with the memory controller, where swap is counted.",
    &[bytes("Swap Bytes", "Swap space in use. memory.swap.current.")],
);
