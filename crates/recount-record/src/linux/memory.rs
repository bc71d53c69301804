//! `Memory`.

use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile::{Meminfo, PressureMemory, Vmstat};
use super::totals::{How, Reading, Row, Term, counters, row};
use super::type_words::{
    PERF_100NSEC_TIMER, PERF_COUNTER_BULK_COUNT, PERF_COUNTER_COUNTER, PERF_COUNTER_LARGE_RAWCOUNT,
    PERF_RAW_BASE, PERF_RAW_FRACTION,
};

/// A number of kB in `/proc/meminfo`, in bytes.
const fn bytes(name: &'static str, terms: &'static [Term], help: &'static str) -> Row {
    row(name, PERF_COUNTER_LARGE_RAWCOUNT, -6, Reading::sum(Meminfo, terms), help)
}

/// A count in `/proc/vmstat`.
const fn rate(name: &'static str, terms: &'static [Term], help: &'static str) -> Row {
    row(name, PERF_COUNTER_BULK_COUNT, 0, Reading::sum(Vmstat, terms), help)
}

/// A part and its whole.
const COMMITTED: &[Term] = &[("Committed_AS", 1), ("CommitLimit", 1)];

/// Fields that exist once per memory zone.
const ALLOCATION_STALLS: &[Term] = &[
    ("allocstall_dma", 1),
    ("allocstall_dma32", 1),
    ("allocstall_normal", 1),
    ("allocstall_movable", 1),
    ("allocstall_device", 1),
    ("allocstall", 1),
];

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("Page Faults/sec", PERF_COUNTER_COUNTER, -1, Reading::sum(Vmstat, &[("pgfault", 1)]),
        "Page faults of all processes, whether a disk had to be read or not. /proc/vmstat, pgfault."),
    bytes("Available Bytes", &[("MemAvailable", 1024)],
        "Memory that processes can be given without swapping; the kernel's estimate. /proc/meminfo, MemAvailable."),
    row("Available KBytes", PERF_COUNTER_LARGE_RAWCOUNT, -5, Reading::sum(Meminfo, &[("MemAvailable", 1)]),
        "Available Bytes in units of 1,024. /proc/meminfo, MemAvailable."),
    row("Available MBytes", PERF_COUNTER_LARGE_RAWCOUNT, -2, Reading::of(Meminfo, &[("MemAvailable", 1)], How::Quotient(1024)),
        "Available Bytes in units of 1,048,576, rounded down. /proc/meminfo, MemAvailable."),
    bytes("Committed Bytes", &[("Committed_AS", 1024)],
        "Memory that processes have been promised. /proc/meminfo, Committed_AS."),
    bytes("Commit Limit", &[("CommitLimit", 1024)],
        "How much could be promised if overcommitting were forbidden (vm.overcommit_memory = 2). /proc/meminfo, CommitLimit."),
    row("% Committed Bytes In Use", PERF_RAW_FRACTION, 0, Reading::of(Meminfo, COMMITTED, How::Part),
        "Committed Bytes as a share of Commit Limit; may exceed 100, as the limit is only enforced on demand. /proc/meminfo, Committed_AS."),
    row("% Committed Bytes In Use Base", PERF_RAW_BASE, 0, Reading::of(Meminfo, COMMITTED, How::Whole),
        "The base of % Committed Bytes In Use. /proc/meminfo, CommitLimit."),
    bytes("Cache Bytes", &[("Active(file)", 1024), ("Inactive(file)", 1024)],
        "File contents and file system blocks in memory. /proc/meminfo, Active(file) + Inactive(file)."),
    bytes("Free & Zero Page List Bytes", &[("MemFree", 1024)],
        "Free memory. /proc/meminfo, MemFree."),
    bytes("Physical Bytes", &[("MemTotal", 1024)],
        "Memory that the kernel manages. /proc/meminfo, MemTotal."),
    bytes("Anonymous Bytes", &[("AnonPages", 1024)],
        "Memory of processes that isn't from a file and isn't shared memory. /proc/meminfo, AnonPages."),
    bytes("Mapped File Bytes", &[("Mapped", 1024)],
        "File contents that are mapped by processes. /proc/meminfo, Mapped."),
    bytes("Shared Memory Bytes", &[("Shmem", 1024)],
        "Shared memory and the contents of tmpfs. /proc/meminfo, Shmem."),
    bytes("Active Bytes", &[("Active", 1024)],
        "Memory that was used recently and is reclaimed last. /proc/meminfo, Active."),
    bytes("Inactive Bytes", &[("Inactive", 1024)],
        "Memory that wasn't used recently. /proc/meminfo, Inactive."),
    bytes("Locked Bytes", &[("Mlocked", 1024)],
        "Memory that processes have locked. /proc/meminfo, Mlocked."),
    bytes("Dirty Bytes", &[("Dirty", 1024)],
        "File contents that have yet to be written to disk. /proc/meminfo, Dirty."),
    bytes("Writeback Bytes", &[("Writeback", 1024)],
        "File contents that are being written to disk. /proc/meminfo, Writeback."),
    bytes("Slab Bytes", &[("Slab", 1024)],
        "The kernel's own data structures. /proc/meminfo, Slab."),
    bytes("Slab Reclaimable Bytes", &[("SReclaimable", 1024)],
        "Kernel data structures that can be reclaimed. /proc/meminfo, SReclaimable."),
    bytes("Page Table Bytes", &[("PageTables", 1024)],
        "Page tables of processes. /proc/meminfo, PageTables."),
    bytes("Kernel Stack Bytes", &[("KernelStack", 1024)],
        "Stacks of threads in the kernel. /proc/meminfo, KernelStack."),
    bytes("Huge Page Pool Bytes", &[("Hugetlb", 1024)],
        "Memory set aside for huge pages of all sizes, used or not. /proc/meminfo, Hugetlb."),
    bytes("Swap Cached Bytes", &[("SwapCached", 1024)],
        "Memory that was read back from swap and is still there too. /proc/meminfo, SwapCached."),
    rate("Major Page Faults/sec", &[("pgmajfault", 1)],
        "Page faults that had to read a disk. /proc/vmstat, pgmajfault."),
    rate("Swap Pages Input/sec", &[("pswpin", 1)],
        "Pages read from swap. /proc/vmstat, pswpin."),
    rate("Swap Pages Output/sec", &[("pswpout", 1)],
        "Pages written to swap. /proc/vmstat, pswpout."),
    rate("Block Bytes Input/sec", &[("pgpgin", 1024)],
        "Bytes read from block devices for any purpose. /proc/vmstat, pgpgin."),
    rate("Block Bytes Output/sec", &[("pgpgout", 1024)],
        "Bytes written to block devices for any purpose. /proc/vmstat, pgpgout."),
    rate("Pages Scanned/sec", &[("pgscan_kswapd", 1), ("pgscan_direct", 1)],
        "Pages looked at in search of memory to reclaim. /proc/vmstat, pgscan_kswapd + pgscan_direct."),
    rate("Pages Reclaimed/sec", &[("pgsteal_kswapd", 1), ("pgsteal_direct", 1)],
        "Pages reclaimed. /proc/vmstat, pgsteal_kswapd + pgsteal_direct."),
    rate("File Refaults/sec", &[("workingset_refault_file", 1)],
        "Pages of files that were read again soon after they had been reclaimed. /proc/vmstat, workingset_refault_file."),
    rate("Anonymous Refaults/sec", &[("workingset_refault_anon", 1)],
        "Pages of processes that were read again soon after they had been swapped out. /proc/vmstat, workingset_refault_anon."),
    row("Allocation Stalls/sec", PERF_COUNTER_BULK_COUNT, 0, Reading::of(Vmstat, ALLOCATION_STALLS, How::SumOfAny),
        "Allocations that had to wait for memory to be reclaimed. /proc/vmstat, allocstall and allocstall_*."),
    rate("Out Of Memory Kills/sec", &[("oom_kill", 1)],
        "Processes that were killed for lack of memory. /proc/vmstat, oom_kill."),
    row("% Pressure Some Time", PERF_100NSEC_TIMER, 0, Reading::sum(PressureMemory, &[("some", 10)]),
        "Share of time in which some thread waited for memory. /proc/pressure/memory, some, total."),
    row("% Pressure Full Time", PERF_100NSEC_TIMER, 0, Reading::sum(PressureMemory, &[("full", 10)]),
        "Share of time in which all threads that had work waited for memory. /proc/pressure/memory, full, total."),
];

static COUNTERS: [CounterSpec; ROWS.len()] = counters(ROWS);

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 13_000,
    name: "Memory",
    help: "Physical memory, and what moves between it and the disks. No instances.",
    instanced: false,
    counters: &COUNTERS,
};
