//! Files about the machine as a whole.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::Tally;

/// `crates/recount-record/src/linux/system_files.rs`.
const FILES: [&str; 17] = [
    "/proc/stat",
    "/proc/meminfo",
    "/proc/vmstat",
    "/proc/loadavg",
    "/proc/sys/fs/file-nr",
    "/proc/swaps",
    "/proc/diskstats",
    "/proc/self/mountinfo",
    "/proc/net/dev",
    "/proc/net/snmp",
    "/proc/net/snmp6",
    "/proc/net/sockstat",
    "/proc/pressure/cpu",
    "/proc/pressure/io",
    "/proc/pressure/memory",
    "/proc/pressure/irq",
    "/proc/cpuinfo",
];

/// File systems that `statvfs` is asked about.
const LOCAL: [&str; 8] = ["ext2", "ext3", "ext4", "xfs", "btrfs", "overlay", "zfs", "vfat"];

/// Files about the machine.
pub(crate) struct Machine {
    files: Vec<(PathBuf, Option<File>)>,
    mounts: Vec<String>,
    buffer: Vec<u8>,
    keep: bool,
}

impl Machine {
    /// Finds which of them this machine has.
    pub(crate) fn open(keep: bool) -> Machine {
        let frequencies = glob("/sys/devices/system/cpu", "cpu", "cpufreq/scaling_cur_freq");
        // Without frequencies below /sys they come from /proc/cpuinfo, which isn't read otherwise.
        let is_needed = |path: &&str| frequencies.is_empty() || *path != "/proc/cpuinfo";
        let system = FILES.into_iter().filter(is_needed).map(PathBuf::from);
        let speeds = glob("/sys/class/net", "", "speed");
        let opened = system.chain(frequencies.clone()).chain(speeds);
        let opened = opened.filter_map(|path| File::open(&path).ok().map(|file| (path, file)));
        let files = opened.map(|(path, file)| (path, keep.then_some(file))).collect();
        Machine { files, mounts: mounts(), buffer: vec![0; 64 << 10], keep }
    }

    /// Reads each to its end.
    pub(crate) fn read(&mut self, tally: &mut Tally) {
        for (path, kept) in &self.files {
            let opened = if self.keep { None } else { File::open(path).ok() };
            let Some(file) = opened.as_ref().or(kept.as_ref()) else { continue };
            let mut len = 0;
            // An interface that isn't up refuses to tell its speed; the recorder asks all the same.
            while let Ok(num @ 1..) = file.read_at(&mut self.buffer[len..], len as u64) {
                len += num;
                if len == self.buffer.len() {
                    self.buffer.resize(2 * len, 0);
                }
            }
            tally.add(len);
        }
        for mount in &self.mounts {
            if rustix::fs::statvfs(mount).is_ok() {
                tally.num_files += 1;
            }
        }
    }
}

/// Existing `folder/prefix*/file`.
fn glob(folder: &str, prefix: &str, file: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    named.map(|entry| entry.path().join(file)).filter(|path| path.exists()).collect()
}

/// One mount point per local file system.
fn mounts() -> Vec<String> {
    let text = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut found: Vec<(&str, &str)> = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let kind = fields.iter().position(|field| *field == "-").and_then(|at| fields.get(at + 1));
        let (Some(kind), Some(device), Some(mount)) = (kind, fields.get(2), fields.get(4)) else { continue };
        if LOCAL.contains(kind) && !found.iter().any(|(known, _)| known == device) {
            found.push((device, mount));
        }
    }
    found.into_iter().map(|(_, mount)| mount.to_owned()).collect()
}
