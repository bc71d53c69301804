//! `Process`: `/proc/PID/stat`, `/proc/PID/statm` and the size of `/proc/PID/fd`, which everybody may read.
//!
//! What only some may read is an object of its own (`Process IO`), since a block can't say of a single value that it is
//! missing, and 0 would be wrong.

mod io;
mod io_file;
mod kept_file;
mod memory;
mod name;
pub(crate) mod number;
pub(crate) mod proc_dir;
mod roster;
#[cfg(test)]
pub(crate) mod sampler;
mod spec;
pub(crate) mod start;
pub(crate) mod stat;
#[cfg(test)]
mod tests;

pub(crate) use io::ProcessIoCollector;
pub(crate) use roster::Roster;

use recount_blocks::perf_data::{InstanceName, ObjectStream};
use rustix::io::Errno;

use super::collector::{Collector, Tick};
use super::counter_slots::CounterSlots;
use super::object_spec::ObjectSpec;
use kept_file::{Budget, KeptFile};
use memory::Memory;
use name::TOTAL;
use proc_dir::{Path, ProcDir, is_gone};
use roster::Member;
use spec::NUM_COUNTERS;
use start::{Start, StartClock};
use stat::Stat;

/// Name index of `Process`.
pub(crate) const INDEX: u32 = 20_000;

/// Longer than any `stat`: 50 numbers of at most 20 digits, and a name of at most 64 bytes.
pub(crate) const LEN_TEXT: usize = 2048;

/// Reads `Process`, and fills [`Tick::processes`] and [`Tick::roster`] for the objects that go by processes: they need
/// it before them in the same sample.
pub(crate) struct ProcessCollector {
    files: Option<Files>,
    slots: CounterSlots,
    pids: Vec<i32>,
    /// The processes of the sample before, by id.
    known: Vec<Known>,
    /// Empty between samples.
    found: Vec<Known>,
}

/// A process, from sample to sample.
#[derive(Debug, Default)]
struct Known {
    pid: i32,
    start: Option<Start>,
    stat: KeptFile,
    statm: KeptFile,
}

/// What the values of any process are read with.
struct Files {
    proc_dir: ProcDir,
    budget: Budget,
    clock: StartClock,
    len_page: u64,
    has_handles: bool,
    text: Box<[u8]>,
    text_memory: Box<[u8]>,
}

/// The raw values of an instance.
type Row = [u64; NUM_COUNTERS];

impl ProcessCollector {
    pub(crate) fn new() -> ProcessCollector {
        ProcessCollector::with(Budget::of_limit())
    }

    fn with(budget: Budget) -> ProcessCollector {
        let files = ProcDir::open().ok().map(|proc_dir| Files {
            has_handles: states_num_handles(&proc_dir),
            proc_dir,
            budget,
            clock: StartClock::new(),
            len_page: rustix::param::page_size() as u64,
            text: vec![0; LEN_TEXT].into(),
            text_memory: vec![0; 256].into(),
        });
        let has_handles = files.as_ref().is_some_and(|files| files.has_handles);
        let is_there = |counter| counter != spec::HANDLE_COUNT || has_handles;
        let slots = CounterSlots::new((0..NUM_COUNTERS).map(is_there));
        ProcessCollector { files, slots, pids: Vec::new(), known: Vec::new(), found: Vec::new() }
    }
}

impl Collector for ProcessCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &spec::SPEC
    }

    fn is_present(&self) -> bool {
        self.files.is_some()
    }

    fn has_counter(&self, counter: usize) -> bool {
        self.slots.has(counter)
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        let Some(files) = &mut self.files else { return false };
        files.clock.begin(tick.time_100ns);
        let listed = files.proc_dir.list_processes(&mut self.pids);
        listed.map_err(|error| tick.unreadable("/proc", error)).is_ok()
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let Some(files) = &mut self.files else { return };
        let mut total = Row::default();
        let mut before = self.known.drain(..).peekable();
        for &pid in &self.pids {
            while let Some(mut ended) = before.next_if(|known| known.pid < pid) {
                ended.close(&mut files.budget);
            }
            let known = before.next_if(|known| known.pid == pid);
            let mut process = known.unwrap_or_else(|| Known { pid, ..Known::default() });
            match files.read_process(&mut process, tick) {
                Ok(row) => {
                    let name = tick.roster.last_name();
                    self.slots.set_all(&mut object.instance(InstanceName::new(name)), &row);
                    for at in spec::ADDITIVE {
                        total[at] = total[at].wrapping_add(row[at]);
                    }
                    self.found.push(process);
                }
                Err(error) => {
                    process.close(&mut files.budget);
                    if !error.is_gone() {
                        tick.unreadable(format_args!("/proc/{pid}"), error);
                    }
                }
            }
        }
        before.for_each(|mut ended| ended.close(&mut files.budget));
        std::mem::swap(&mut self.known, &mut self.found);
        total[spec::ELAPSED_TIME] = tick.time_100ns.cast_unsigned();
        self.slots.set_all(&mut object.instance(InstanceName::new(TOTAL)), &total);
    }
}

impl Known {
    fn close(&mut self, budget: &mut Budget) {
        self.stat.close(budget);
        self.statm.close(budget);
    }

    #[cfg(test)]
    fn num_kept(&self) -> usize {
        [&self.stat, &self.statm].into_iter().filter(|file| file.is_kept()).count()
    }
}

/// Why a process has no values.
#[derive(Debug, thiserror::Error)]
enum ProcessError {
    #[error("{0}")]
    Read(Errno),
    #[error("stat: {0}")]
    Stat(#[from] stat::StatError),
    #[error("statm: expected 6 numbers, found others")]
    Memory,
}

impl ProcessError {
    fn is_gone(&self) -> bool {
        matches!(self, ProcessError::Read(error) if is_gone(*error))
    }
}

impl Files {
    /// Reads a process, and lists it in `tick`.
    fn read_process(&mut self, process: &mut Known, tick: &mut Tick) -> Result<Row, ProcessError> {
        let (pid, proc_dir, budget) = (process.pid, &self.proc_dir, &mut self.budget);
        let path = Path::of_process(pid, "stat");
        let text = process.stat.read(proc_dir, &path, budget, &mut self.text).map_err(ProcessError::Read)?;
        let stat = Stat::parse(text)?;
        let mut memory = Memory::default();
        let mut num_handles = 0;
        if !stat.is_kernel_thread() {
            let path = Path::of_process(pid, "statm");
            let text = process.statm.read(proc_dir, &path, budget, &mut self.text_memory);
            memory = Memory::parse(text.map_err(ProcessError::Read)?).ok_or(ProcessError::Memory)?;
            if self.has_handles {
                let size = proc_dir.len_stated(&Path::of_process(pid, "fd"));
                num_handles = size.map_err(ProcessError::Read)?;
            }
        }
        let start = self.clock.place(stat.start_ticks, process.start);
        process.start = Some(start);
        tick.processes.push(pid);
        tick.roster.push(Member { pid, start_100ns: start.time_100ns, name: &stat.instance_name() });
        let mut row = row(&self.clock, &stat, &memory, self.len_page);
        row[spec::ELAPSED_TIME] = start.time_100ns.cast_unsigned();
        row[spec::ID_PROCESS] = u64::from(pid.cast_unsigned());
        row[spec::HANDLE_COUNT] = num_handles;
        Ok(row)
    }
}

/// What `stat` and `statm` say.
fn row(clock: &StartClock, stat: &Stat<'_>, memory: &Memory, len_page: u64) -> Row {
    let mut row = Row::default();
    row[spec::PROCESSOR_TIME] = clock.of_ticks(stat.user_ticks.wrapping_add(stat.system_ticks));
    row[spec::USER_TIME] = clock.of_ticks(stat.user_ticks);
    row[spec::PRIVILEGED_TIME] = clock.of_ticks(stat.system_ticks);
    row[spec::VIRTUAL_BYTES] = stat.len_virtual;
    row[spec::PAGE_FAULTS] = stat.num_minor_faults.wrapping_add(stat.num_major_faults);
    row[spec::MAJOR_FAULTS] = stat.num_major_faults;
    row[spec::WORKING_SET] = memory.num_resident.wrapping_mul(len_page);
    row[spec::WORKING_SET_PRIVATE] = memory.num_resident_private().wrapping_mul(len_page);
    row[spec::PRIVATE_BYTES] = memory.num_private.wrapping_mul(len_page);
    row[spec::THREAD_COUNT] = stat.num_threads;
    row[spec::PRIORITY_BASE] = stat.priority_base();
    row[spec::CREATING_PROCESS] = stat.parent;
    row
}

/// Whether the size of `/proc/PID/fd` is the number of entries in it: compared on this process, which has some open.
/// Other threads may open and close files meanwhile, hence several attempts.
fn states_num_handles(proc_dir: &ProcDir) -> bool {
    let path = Path::of_process(std::process::id().cast_signed(), "fd");
    (0..8).any(|_| {
        let Ok(entries) = std::fs::read_dir(path.to_string()) else { return false };
        // The listing has one open itself, which is closed when it ends.
        let num_listed = (entries.count() as u64).saturating_sub(1);
        num_listed > 0 && proc_dir.len_stated(&path) == Ok(num_listed)
    })
}
