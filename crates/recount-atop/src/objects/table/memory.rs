//! Memory, swapping and paging.

use super::{now, other, rate};
use crate::objects::value::Unit::{One, Page, PageMib, Percent};
use crate::objects::value::{Counter, Value};

pub(super) const MEM: &[Counter] = &[
    now("tot", "mem.total", Page, "Physical memory."),
    now("free", "mem.free", Page, "Memory that nothing is in."),
    now("avail", "mem.available", Page, "Memory that processes can be given without swapping."),
    now("avail MB", "mem.available", PageMib, "The same in units of 1,048,576 bytes."),
    now("cache", "mem.cache", Page, "Page cache, shared memory included."),
    now("buff", "mem.buffers", Page, "File system blocks."),
    now("dirty", "mem.dirty", Page, "Page cache that has yet to be written."),
    now("slab", "mem.slab", Page, "The kernel's own structures."),
    now("slrec", "mem.slab_reclaimable", Page, "Those that can be given up."),
    now("pgtab", "mem.page_tables", Page, "Page tables."),
    now("shmem", "mem.shmem", Page, "Shared memory and tmpfs."),
    now("shrss", "mem.shm_resident", Page, "Shared memory of System V that is resident."),
    now("shswp", "mem.shm_swapped", Page, "Shared memory of System V that is swapped out."),
    now("anonhuge", "mem.anon_huge", Page, "Huge pages of processes."),
    other("hptot", Value::Times("mem.huge_total", "mem.huge_size"), One, "Pool of huge pages."),
    other("hpfree", Value::Times("mem.huge_free", "mem.huge_size"), One, "Of it, free."),
    other("hp2tot", Value::Times("mem.huge2_total", "mem.huge2_size"), One, "Pool of the larger huge pages."),
    other("hp2free", Value::Times("mem.huge2_free", "mem.huge2_size"), One, "Of it, free."),
    now("vmbal", "mem.balloon", Page, "Balloon of VMware."),
    now("zfarc", "mem.zfs_arc", Page, "Cache of ZFS."),
    now("ksuse", "mem.ksm_sharing", Page, "Memory that shares pages by KSM."),
    now("ksshr", "mem.ksm_shared", Page, "Pages that KSM shares."),
    now("tcpsk", "mem.tcp_sockets", Page, "Buffers of TCP sockets."),
    now("udpsk", "mem.udp_sockets", Page, "Buffers of UDP sockets."),
    now("lowwm", "mem.low_watermark", Page, "Low watermark of free memory."),
];

pub(super) const SWP: &[Counter] = &[
    now("tot", "mem.swap_total", Page, "Swap space."),
    now("free", "mem.swap_free", Page, "Of it, free."),
    other("used", Value::Less("mem.swap_total", "mem.swap_free"), Page, "Of it, in use."),
    other("used %", Value::Used("mem.swap_total", "mem.swap_free"), Percent, "The same as a share of it."),
    now("swcac", "mem.swap_cached", Page, "Memory that was read back from swap and is still there, too."),
    now("vmcom", "mem.committed", Page, "Memory that processes have been promised."),
    now("vmlim", "mem.commit_limit", Page, "How much could be promised if overcommitting were forbidden."),
    other("vmcom %", Value::Of("mem.committed", "mem.commit_limit"), Percent, "vmcom as a share of vmlim."),
    now("zswstor", "mem.zswap_stored", Page, "What zswap holds; unpacked from 2.10 on."),
    now("zswpool", "mem.zswap_pool", Page, "Memory that zswap takes."),
];

pub(super) const PAG: &[Counter] = &[
    rate("scan", &["mem.scans"], One, "Pages looked at in search of memory."),
    rate("steal", &["mem.steals"], One, "Pages reclaimed."),
    rate("stall", &["mem.alloc_stalls"], One, "Allocations that had to wait for memory."),
    rate("compact", &["mem.compact_stalls"], One, "Allocations that had to wait for compaction."),
    rate("migrate", &["mem.migrated"], One, "Pages that were moved."),
    rate("numamig", &["mem.numa_migrated"], One, "Pages that were moved to another NUMA node."),
    rate("pgin", &["mem.page_ins"], One, "Pages read from block devices."),
    rate("pgout", &["mem.page_outs"], One, "Pages written to block devices."),
    rate("Bin", &["mem.page_ins"], Page, "pgin in bytes."),
    rate("Bout", &["mem.page_outs"], Page, "pgout in bytes."),
    rate("swin", &["mem.swap_ins"], One, "Pages read from swap."),
    rate("swout", &["mem.swap_outs"], One, "Pages written to swap."),
    rate("zswin", &["mem.zswap_ins"], One, "Pages read from zswap."),
    rate("zswout", &["mem.zswap_outs"], One, "Pages written to zswap."),
    rate("oomkill", &["mem.oom_kills"], One, "Processes killed for want of memory."),
];

pub(super) const NUM: &[Counter] = &[
    now("tot", "total", Page, "Memory of the node."),
    now("free", "free", Page, "Of it, free."),
    now("file", "file", Page, "File contents."),
    now("dirty", "dirty", Page, "File contents that have yet to be written."),
    now("slab", "slab", Page, "The kernel's own structures."),
    now("slrec", "slab_reclaimable", Page, "Those that can be given up."),
    now("activ", "active", Page, "Memory that was used of late."),
    now("inact", "inactive", Page, "Memory that wasn't used of late."),
    now("shmem", "shmem", Page, "Shared memory and tmpfs."),
    now("hptot", "huge_total", One, "Number of huge pages."),
    now("hpfree", "huge_free", One, "Of them, free."),
    now("frag", "fragmentation", Percent, "Fragmentation."),
];
