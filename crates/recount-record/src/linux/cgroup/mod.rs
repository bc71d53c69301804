//! Cgroups, version 2: `cpu.stat`, `memory.current`, `memory.stat`, `memory.swap.current`, `io.stat` and `*.pressure` of
//! every cgroup. All objects share one walk of the hierarchy per sample.

mod files;
mod keyed;
pub(super) mod spec;
#[cfg(test)]
mod tests;
pub(super) mod tree;

use std::path::PathBuf;

use files::Files;
use keyed::{flat, nested_sums, pressure, single};
use recount_perf_data::{InstanceName, ObjectStream};
use rustix::io::Errno;
use tree::{Cgroup, mount_point};

use super::collector::{Collector, Tick};
use super::object_spec::ObjectSpec;

/// 100 ns in a microsecond.
const PER_MICROSECOND: u64 = 10;

/// The raw values of an instance; those after the object's counters are unused.
type Row = [u64; 6];

/// Reads the files of one object. `None`: the cgroup doesn't have them.
type Read = fn(&mut Files, &Cgroup<'_>) -> Result<Option<Row>, CgroupError>;

/// Reads one of the objects of cgroups.
pub(crate) struct CgroupCollector {
    spec: &'static ObjectSpec,
    read: Read,
    mount: PathBuf,
    files: Files,
}

/// Why a cgroup has no values.
#[derive(Debug, thiserror::Error)]
enum CgroupError {
    #[error("{file}: {error}")]
    Read { file: &'static str, error: Errno },
    #[error("{0}: expected lines of the form \"name number\"")]
    Text(&'static str),
}

impl CgroupCollector {
    /// `Cgroup`: processor time.
    pub(crate) fn new() -> Option<CgroupCollector> {
        CgroupCollector::of(&spec::CPU, read_cpu, None, mount_point())
    }

    /// `Cgroup Throttling`.
    pub(crate) fn throttling() -> Option<CgroupCollector> {
        CgroupCollector::of(&spec::THROTTLING, read_throttling, Some("cpu"), mount_point())
    }

    /// `Cgroup Memory`.
    pub(crate) fn memory() -> Option<CgroupCollector> {
        CgroupCollector::of(&spec::MEMORY, read_memory, Some("memory"), mount_point())
    }

    /// `Cgroup IO`.
    pub(crate) fn io() -> Option<CgroupCollector> {
        CgroupCollector::of(&spec::IO, read_io, Some("io"), mount_point())
    }

    /// `Cgroup Pressure`.
    pub(crate) fn pressure() -> Option<CgroupCollector> {
        CgroupCollector::of(&spec::PRESSURE, read_pressure, None, mount_point())
    }

    /// `Cgroup Swap`.
    pub(crate) fn swap() -> Option<CgroupCollector> {
        CgroupCollector::of(&spec::SWAP, read_swap, Some("memory"), mount_point())
    }

    /// `controller` must be listed in the root's `cgroup.controllers`.
    fn of(
        spec: &'static ObjectSpec,
        read: Read,
        controller: Option<&'static str>,
        mount: Option<PathBuf>,
    ) -> Option<CgroupCollector> {
        let mount = mount?;
        let files = Files::open(&mount).ok()?;
        if let Some(controller) = controller {
            let controllers = std::fs::read_to_string(mount.join("cgroup.controllers")).unwrap_or_default();
            controllers.split_ascii_whitespace().find(|name| *name == controller)?;
        }
        Some(CgroupCollector { spec, read, mount, files })
    }
}

impl Collector for CgroupCollector {
    fn spec(&self) -> &'static ObjectSpec {
        self.spec
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        let walked = tick.cgroups.walk_once(&self.mount, tick.time_100ns);
        walked.map_err(|error| tick.unreadable(self.mount.display(), error)).is_ok()
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let tree = std::mem::take(&mut tick.cgroups);
        for cgroup in tree.iter() {
            match (self.read)(&mut self.files, &cgroup) {
                Ok(None) => {}
                Ok(Some(row)) => {
                    let name = cgroup.name();
                    let unique_id = Some(cgroup.unique_id());
                    let mut values = object.instance(InstanceName { name: &name, parent: None, unique_id });
                    for (counter, value) in row.iter().enumerate().take(self.spec.counters.len()) {
                        values.set(counter, *value);
                    }
                }
                Err(error) => tick.unreadable(cgroup.name(), error),
            }
        }
        tick.cgroups = tree;
    }
}

fn of_microseconds(microseconds: u64) -> u64 {
    microseconds.wrapping_mul(PER_MICROSECOND)
}

/// Reads a file and parses its numbers.
fn numbers<T>(
    files: &mut Files,
    cgroup: &Cgroup<'_>,
    file: &'static str,
    parse: impl Fn(&[u8]) -> Option<T>,
) -> Result<Option<T>, CgroupError> {
    let text = files.read(cgroup, file).map_err(|error| CgroupError::Read { file, error })?;
    text.map(|text| parse(text).ok_or(CgroupError::Text(file))).transpose()
}

fn read_cpu(files: &mut Files, cgroup: &Cgroup<'_>) -> Result<Option<Row>, CgroupError> {
    let parse = |text: &[u8]| flat(text, [b"usage_usec", b"user_usec", b"system_usec"]);
    Ok(numbers(files, cgroup, "cpu.stat", parse)?.map(|times| {
        let [all, user, system] = times.map(of_microseconds);
        [all, user, system, 0, 0, 0]
    }))
}

fn read_throttling(files: &mut Files, cgroup: &Cgroup<'_>) -> Result<Option<Row>, CgroupError> {
    // Without the controller the file exists, too, but has fewer lines.
    let parse = |text: &[u8]| Some(flat(text, [b"nr_periods", b"nr_throttled", b"throttled_usec"]));
    Ok(numbers(files, cgroup, "cpu.stat", parse)?
        .flatten()
        .map(|[periods, throttled, time]| [periods, throttled, of_microseconds(time), 0, 0, 0]))
}

fn read_memory(files: &mut Files, cgroup: &Cgroup<'_>) -> Result<Option<Row>, CgroupError> {
    // The root cgroup has no memory.current.
    let Some(current) = numbers(files, cgroup, "memory.current", single)? else { return Ok(None) };
    let parse = |text: &[u8]| flat(text, [b"anon", b"file", b"pgfault", b"pgmajfault"]);
    Ok(numbers(files, cgroup, "memory.stat", parse)?
        .map(|[anonymous, file, faults, major]| [current, anonymous, file, faults, major, 0]))
}

fn read_io(files: &mut Files, cgroup: &Cgroup<'_>) -> Result<Option<Row>, CgroupError> {
    let parse = |text: &[u8]| nested_sums(text, [b"rbytes", b"wbytes", b"rios", b"wios"]);
    Ok(numbers(files, cgroup, "io.stat", parse)?
        .map(|[len_read, len_written, reads, writes]| [len_read, len_written, reads, writes, 0, 0]))
}

fn read_pressure(files: &mut Files, cgroup: &Cgroup<'_>) -> Result<Option<Row>, CgroupError> {
    let mut row = Row::default();
    for (pair, file) in row.chunks_exact_mut(2).zip(["cpu.pressure", "memory.pressure", "io.pressure"]) {
        // Before Linux 5.13 cpu.pressure had no line `full`: such a cgroup has no instance.
        let parse = |text: &[u8]| Some(pressure(text));
        let Some(totals) = numbers(files, cgroup, file, parse)?.flatten() else { return Ok(None) };
        pair.copy_from_slice(&totals.map(of_microseconds));
    }
    Ok(Some(row))
}

fn read_swap(files: &mut Files, cgroup: &Cgroup<'_>) -> Result<Option<Row>, CgroupError> {
    Ok(numbers(files, cgroup, "memory.swap.current", single)?.map(|swap| [swap, 0, 0, 0, 0, 0]))
}
