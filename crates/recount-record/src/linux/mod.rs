//! The Linux source: `/proc` and `/sys` as `PERF_DATA_BLOCK`s. `formats/linux-objects.md` lists all objects and counters.
//!
//! [`LinuxSource`] is the source; [`object_names`] lists what it can record.
//!
//! Files: `system_files` lists every file about the machine as a whole. Each is kept open and read once per
//! sample, however many objects use it. In addition the source reads the speeds of network interfaces and the
//! frequencies of processors below `/sys`, `statvfs` of local file systems, and the files of `process`,
//! `thread` and `cgroup`.
//!
//! Unknown values are absent: an object that the machine doesn't have, a counter that its kernel doesn't keep
//! (left out of the definitions), an instance whose file can't be read. A missing value is never replaced by
//! 0.

mod cgroup;
mod collector;
mod counter_slots;
mod disk_stats;
mod escapes;
mod exits;
mod facts;
mod fields;
mod ipv4;
mod ipv6;
mod kept_file;
mod logical_disk;
mod memory;
mod mounts;
mod network_adapter;
mod network_interface;
mod object_spec;
mod objects;
mod paging_file;
mod physical_disk;
mod physical_disk_counters;
mod process;
mod processor;
mod processor_information;
mod source;
mod system;
mod system_files;
#[cfg(test)]
mod tests;
mod thread;
mod time_zone;
mod total_identity;
mod totals;
mod transport;
mod type_words;

pub use objects::object_names;
pub use source::LinuxSource;
