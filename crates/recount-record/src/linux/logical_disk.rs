//! `LogicalDisk`: how full file systems are.

use recount_perf_data::{InstanceName, ObjectStream};
use rustix::fs::StatVfs;

use super::collector::{Collector, Tick};
use super::mounts::local_mounts;
use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile;
use super::totals::in_32_bits;
use super::type_words::{
    PERF_COUNTER_LARGE_RAWCOUNT, PERF_COUNTER_RAWCOUNT, PERF_RAW_BASE, PERF_RAW_FRACTION,
};

const fn is(name: &'static str, word: u32, scale: i32, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word, scale }
}

/// In the order of [`values`].
#[rustfmt::skip]
static COUNTERS: [CounterSpec; NUM_COUNTERS] = [
    is("% Free Space", PERF_RAW_FRACTION, 0, "Space that users may still fill, as a share of what they may use at all; df shows 100 less it. statvfs, f_bavail."),
    is("% Free Space Base", PERF_RAW_BASE, 0, "The base of % Free Space. statvfs, f_blocks - f_bfree + f_bavail."),
    is("Free Megabytes", PERF_COUNTER_RAWCOUNT, 0, "Space that users may still fill, in units of 1,048,576 bytes, rounded down. statvfs, f_bavail x f_frsize."),
    is("Free Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -9, "Space that users may still fill. statvfs, f_bavail x f_frsize."),
    is("Size Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -9, "Size of the file system, what is reserved included. statvfs, f_blocks x f_frsize."),
    is("% Free Inodes", PERF_RAW_FRACTION, 0, "Files that may still be created, as a share of all; no value where the file system has no limit. statvfs, f_favail."),
    is("% Free Inodes Base", PERF_RAW_BASE, 0, "The base of % Free Inodes. statvfs, f_files - f_ffree + f_favail."),
];

const NUM_COUNTERS: usize = 7;

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 15_000,
    name: "LogicalDisk",
    help: "File systems on local disks. One instance per file system, named by where it is mounted; network, FUSE and \
           pseudo file systems are left out.",
    instanced: true,
    counters: &COUNTERS,
};

/// In the order of [`COUNTERS`].
fn values(stat: &StatVfs) -> [u64; NUM_COUNTERS] {
    let usable = stat.f_blocks.saturating_sub(stat.f_bfree).saturating_add(stat.f_bavail);
    let (free, all) = in_32_bits(stat.f_bavail, usable);
    let inodes = stat.f_files.saturating_sub(stat.f_ffree).saturating_add(stat.f_favail);
    let (free_inodes, all_inodes) = in_32_bits(stat.f_favail, inodes);
    let free_bytes = stat.f_bavail.saturating_mul(stat.f_frsize);
    let size = stat.f_blocks.saturating_mul(stat.f_frsize);
    [free, all, free_bytes >> 20, free_bytes, size, free_inodes, all_inodes]
}

/// Reads `LogicalDisk`.
pub(super) struct LogicalDiskCollector {
    /// The text from which `mounts` was made; the file is read in every sample, but rarely changes.
    mountinfo: String,
    mounts: Vec<String>,
}

impl LogicalDiskCollector {
    pub(super) fn new(tick: &mut Tick) -> Option<LogicalDiskCollector> {
        tick.file(SystemFile::Mountinfo)?;
        Some(LogicalDiskCollector { mountinfo: String::new(), mounts: Vec::new() })
    }
}

impl Collector for LogicalDiskCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &SPEC
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        let Some(text) = tick.file(SystemFile::Mountinfo) else { return false };
        if text != self.mountinfo {
            match local_mounts(text) {
                Ok(mounts) => {
                    text.clone_into(&mut self.mountinfo);
                    self.mounts = mounts;
                }
                Err(error) => {
                    tick.unreadable(SystemFile::Mountinfo.path(), error);
                    return false;
                }
            }
        }
        true
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        for mount in &self.mounts {
            match rustix::fs::statvfs(mount) {
                Ok(stat) => {
                    let mut block = object.instance(InstanceName::new(mount));
                    for (counter, value) in values(&stat).into_iter().enumerate() {
                        block.set(counter, value);
                    }
                }
                Err(error) => tick.unreadable(mount, error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_is_what_users_may_use() {
        let mut stat = rustix::fs::statvfs("/").expect("there is a root");
        (stat.f_frsize, stat.f_blocks, stat.f_bfree, stat.f_bavail) = (4096, 1 << 34, 1 << 33, 1 << 32);
        (stat.f_files, stat.f_ffree, stat.f_favail) = (100, 60, 50);
        // 2^33 blocks are in use, so 3 x 2^32 are usable; 34 bits are halved twice.
        assert_eq!(values(&stat), [1 << 30, 3 << 30, 1 << 24, 1 << 44, 1 << 46, 50, 90]);
        // A file system without an inode table.
        (stat.f_files, stat.f_ffree, stat.f_favail) = (0, 0, 0);
        assert_eq!(values(&stat)[5..], [0, 0]);
    }
}
