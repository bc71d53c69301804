//! The Linux source: `/proc` and `/sys` as `PERF_DATA_BLOCK`s. `formats/linux-objects.md` lists all objects and counters.
//!
//! [`LinuxSource`] is the source; [`object_names`] says what it could record.
//!
//! What is read: `system_files` lists every file about the machine as a whole, each of which is kept open and read once per
//! sample, however many objects are made of it. Apart from these there are the speeds of network interfaces and the
//! frequencies of processors below `/sys`, `statvfs` of local file systems, and what `process`, `thread` and `cgroup` say.
//!
//! What can't be known is absent: an object that the machine doesn't have, a counter that its kernel doesn't keep (which is
//! left out of the definitions), an instance whose file can't be read. There is no 0 in place of a value.

mod cgroup;
mod collector;
mod counter_slots;
mod disk_stats;
mod escapes;
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
