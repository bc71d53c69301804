//! `PhysicalDisk`.

use std::path::Path;

use recount_perf_data::{InstanceName, ObjectStream};

use super::collector::{Collector, Tick};
use super::counter_slots::CounterSlots;
use super::disk_stats::{DiskStats, IdleTime, parse};
use super::object_spec::ObjectSpec;
use super::physical_disk_counters::{COUNTERS, FIRST_DISCARD, FIRST_FLUSH, NUM_COUNTERS, Times, values};
use super::system_files::SystemFile;
use super::total_identity::TotalIdentity;

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 14_000,
    name: "PhysicalDisk",
    help: "Traffic of disks. One instance per whole disk backed by a driver (no partitions; no loop, RAM, device-mapper \
           and RAID devices, whose traffic is counted again in the underlying disks), named as the kernel names it, and \
           _Total: sums, but means of the counters in %.",
    instanced: true,
    counters: &COUNTERS,
};

/// A block device with a line in `/proc/diskstats`.
struct Device {
    name: String,
    is_disk: bool,
    idle: IdleTime,
}

impl Device {
    fn new(name: &str) -> Device {
        // In sysfs a slash in a name is written as an exclamation mark. Partitions have no directory there.
        let folder = Path::new("/sys/block").join(name.replace('/', "!"));
        Device {
            name: name.to_owned(),
            is_disk: folder.join("device").symlink_metadata().is_ok(),
            idle: IdleTime::default(),
        }
    }
}

/// Reads `PhysicalDisk`.
pub(super) struct PhysicalDiskCollector {
    /// In the order of the file.
    devices: Vec<Device>,
    disks: Vec<(usize, DiskStats)>,
    total: TotalIdentity,
    slots: CounterSlots,
}

impl PhysicalDiskCollector {
    pub(super) fn new(tick: &mut Tick) -> Option<PhysicalDiskCollector> {
        let text = tick.file(SystemFile::Diskstats)?;
        // The number of fields depends only on the kernel, so without devices assume the newest.
        let any = text.lines().next().and_then(parse).map(|(_, stats)| stats);
        let has_discards = any.is_none_or(|stats| stats.discarded_bytes.is_some());
        let has_flushes = any.is_none_or(|stats| stats.flushes.is_some());
        let slots = CounterSlots::new((0..NUM_COUNTERS).map(|counter| match counter {
            FIRST_FLUSH.. => has_flushes,
            FIRST_DISCARD.. => has_discards,
            _ => true,
        }));
        let (devices, disks) = (Vec::new(), Vec::new());
        Some(PhysicalDiskCollector { devices, disks, total: TotalIdentity::default(), slots })
    }

    /// Reads the text of a sample. `false` if a line is invalid; that line is left out.
    fn read(&mut self, text: &str) -> bool {
        self.disks.clear();
        let mut is_sound = true;
        let mut at = 0;
        for line in text.lines() {
            let Some((name, stats)) = parse(line) else {
                is_sound = false;
                continue;
            };
            self.find(at, name);
            if self.devices[at].is_disk {
                self.disks.push((at, stats));
            }
            at += 1;
        }
        self.devices.truncate(at);
        is_sound
    }

    /// Moves the device with this name to `at`. Lines rarely change their order, so it is usually there
    /// already.
    fn find(&mut self, at: usize, name: &str) {
        let found = (at..self.devices.len()).find(|&known| self.devices[known].name == name);
        match found {
            Some(found) => drop(self.devices.drain(at..found)),
            None => self.devices.insert(at, Device::new(name)),
        }
    }
}

impl Collector for PhysicalDiskCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &SPEC
    }

    fn has_counter(&self, counter: usize) -> bool {
        self.slots.has(counter)
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        let is_sound = match tick.file(SystemFile::Diskstats) {
            Some(text) => self.read(text),
            None => return false,
        };
        if !is_sound {
            let expected = "expected two numbers, a name and at least eleven numbers per line";
            tick.unreadable(SystemFile::Diskstats.path(), expected);
        }
        true
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let now = tick.since_boot_100ns;
        let mut sum = DiskStats::default();
        let mut sum_idle = 0_u64;
        for (at, stats) in &self.disks {
            let device = &mut self.devices[*at];
            let idle = device.idle.advance(now, stats.busy_ms);
            let values = values(stats, &Times::of_disk(stats, idle, now));
            self.slots.set_all(&mut object.instance(InstanceName::new(&device.name)), &values);
            sum = sum.plus(stats);
            sum_idle = sum_idle.wrapping_add(idle);
        }
        if !self.disks.is_empty() {
            let members = self.disks.iter().map(|(at, _)| &self.devices[*at].name);
            let unique_id = self.total.unique_id(members);
            let name = InstanceName { name: "_Total", parent: None, unique_id };
            let times = Times::of_disk(&sum, sum_idle, now).mean(self.disks.len() as u64);
            self.slots.set_all(&mut object.instance(name), &values(&sum, &times));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_keep_their_state_when_others_come_and_go() {
        let mut collector = PhysicalDiskCollector::new(&mut Tick::default()).expect("/proc/diskstats");
        let line = |name: &str| format!("8 0 {name} 1 2 3 4 5 6 7 8 9 10 11\n");
        assert!(collector.read(&[line("xa"), line("xb"), line("xc")].concat()));
        collector.devices[1].idle.advance(7_000_000, 3);
        assert!(collector.read(&[line("x0"), line("xb"), line("xc")].concat()));
        let names: Vec<&str> = collector.devices.iter().map(|device| &*device.name).collect();
        assert_eq!(names, ["x0", "xb", "xc"]);
        assert_eq!(collector.devices[1].idle.advance(7_000_000, 3), 6_970_000);
        assert!(!collector.read("8 0 xb one\n"));
        assert!(collector.devices.is_empty());
    }
}
