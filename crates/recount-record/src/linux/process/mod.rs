//! `Process`: `/proc/PID/stat`, `/proc/PID/statm` and the size of `/proc/PID/fd`, which everybody can read,
//! and `/proc/PID/io`, which only some users can.
//!
//! If the latter can't be read, the counter block ends before its counters: a missing value has no bytes.

mod growing_total;
mod io;
mod kept_file;
mod memory;
mod name;
pub(crate) mod number;
pub(crate) mod proc_dir;
mod row;
#[cfg(test)]
pub(crate) mod sampler;
pub(super) mod spec;
pub(crate) mod start;
pub(crate) mod stat;
#[cfg(test)]
mod tests;

use growing_total::{Before, GrowingTotal};
use io::Io;
use kept_file::{Budget, KeptFile};
use memory::Memory;
use name::TOTAL;
use proc_dir::{Path, ProcDir, is_gone};
use recount_perf_data::ObjectStream;
use row::{Layout, Row};
use rustix::io::Errno;
use spec::NUM_OPEN_COUNTERS;
use start::{Start, StartClock};
use stat::Stat;

use super::collector::{Collector, Tick};
use super::object_spec::ObjectSpec;

/// Name index of `Process`.
pub(crate) const INDEX: u32 = 20_000;

/// Longer than any `stat`: 50 numbers of at most 20 digits, and a name of at most 64 bytes.
pub(crate) const LEN_TEXT: usize = 2048;

/// Longer than any `statm` or `io`, whose seven lines have at most 223 bytes.
const LEN_TEXT_SHORT: usize = 512;

/// Reads `Process`, and fills [`Tick::processes`] for other objects, which must therefore come later in the
/// sample.
pub(crate) struct ProcessCollector {
    files: Files,
    layout: Layout,
    pids: Vec<i32>,
    /// The processes of the previous sample, by id.
    known: Vec<Known>,
    /// Empty between samples.
    found: Vec<Known>,
    total: GrowingTotal,
}

/// A process, from sample to sample.
#[derive(Debug, Default)]
struct Known {
    pid: i32,
    start: Option<Start>,
    /// Its values in the previous sample.
    row: Option<Row>,
    stat: KeptFile,
    statm: KeptFile,
    io: KeptFile,
    /// `/proc/PID/fd`, of which only the size is read.
    fd: KeptFile,
}

/// Shared state for reading the values of any process.
struct Files {
    proc_dir: ProcDir,
    budget: Budget,
    clock: StartClock,
    len_page: u64,
    has_handles: bool,
    /// Whether the kernel was built with I/O accounting for processes.
    has_io: bool,
    text: Box<[u8]>,
    /// For `statm` and `io`.
    text_short: Box<[u8]>,
    /// Name of the process read last.
    name: String,
}

impl ProcessCollector {
    pub(crate) fn new() -> Option<ProcessCollector> {
        Some(ProcessCollector::with(ProcDir::open().ok()?, Budget::of_limit()))
    }

    fn with(proc_dir: ProcDir, budget: Budget) -> ProcessCollector {
        let files = Files {
            has_handles: states_num_handles(&proc_dir),
            has_io: std::fs::exists("/proc/self/io").unwrap_or(false),
            proc_dir,
            budget,
            clock: StartClock::new(),
            len_page: rustix::param::page_size() as u64,
            text: vec![0; LEN_TEXT].into(),
            text_short: vec![0; LEN_TEXT_SHORT].into(),
            name: String::new(),
        };
        let layout = Layout::new(files.has_handles, files.has_io);
        let (pids, known, found) = (Vec::new(), Vec::new(), Vec::new());
        ProcessCollector { files, layout, pids, known, found, total: GrowingTotal::default() }
    }
}

impl Collector for ProcessCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &spec::SPEC
    }

    fn has_counter(&self, counter: usize) -> bool {
        self.layout.has_counter(counter)
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        self.files.budget.settle();
        self.files.clock.begin(tick.time_100ns);
        let listed = self.files.proc_dir.list_processes(&mut self.pids);
        listed.map_err(|error| tick.unreadable("/proc", error)).is_ok()
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let files = &mut self.files;
        let mut total = self.layout.empty_sum();
        let mut before = self.known.drain(..).peekable();
        for &pid in &self.pids {
            while let Some(mut ended) = before.next_if(|known| known.pid < pid) {
                self.total.end(ended.row);
                ended.close(&mut files.budget);
            }
            let known = before.next_if(|known| known.pid == pid);
            let mut process = known.unwrap_or_else(|| Known { pid, ..Known::default() });
            let (start, earlier) = (process.start, process.row);
            match files.read_process(&mut process, tick) {
                Ok(row) => {
                    self.layout.append(object, &files.name, &row);
                    total.add(&row);
                    let before = match (earlier, process.start) {
                        (Some(earlier), now) if now == start => Before::Seen(earlier),
                        (_, Some(now)) if files.clock.is_after_sample_before(now) => Before::Newborn,
                        _ => Before::Unseen,
                    };
                    if !matches!(before, Before::Seen(_)) {
                        self.total.end(earlier);
                    }
                    self.total.grow(&before, &row);
                    process.row = Some(row);
                    self.found.push(process);
                }
                Err(error) => {
                    self.total.end(earlier);
                    process.close(&mut files.budget);
                    if !error.is_gone() {
                        tick.unreadable(format_args!("/proc/{pid}"), error);
                    }
                }
            }
        }
        for mut ended in before {
            self.total.end(ended.row);
            ended.close(&mut files.budget);
        }
        std::mem::swap(&mut self.known, &mut self.found);
        self.total.finish(&mut total);
        total.values[spec::ELAPSED_TIME] = tick.time_100ns.cast_unsigned();
        self.layout.append(object, TOTAL, &total);
    }
}

impl Known {
    fn close(&mut self, budget: &mut Budget) {
        self.stat.close(budget);
        self.statm.close(budget);
        self.io.close(budget);
        self.fd.close(budget);
    }

    #[cfg(test)]
    fn num_kept(&self) -> usize {
        [&self.stat, &self.statm, &self.io, &self.fd].into_iter().filter(|file| file.is_kept()).count()
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
    #[error("expected 7 named numbers, found others")]
    Io,
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
            let text = process.statm.read(proc_dir, &path, budget, &mut self.text_short);
            memory = Memory::parse(text.map_err(ProcessError::Read)?).ok_or(ProcessError::Memory)?;
            if self.has_handles {
                let size = process.fd.len_stated(proc_dir, &Path::of_process(pid, "fd"), budget);
                num_handles = size.map_err(ProcessError::Read)?;
            }
        }
        let start = self.clock.place(stat.start_ticks, process.start);
        let mut open = values(&self.clock, &stat, &memory, self.len_page);
        open[spec::ELAPSED_TIME] = start.time_100ns.cast_unsigned();
        open[spec::ID_PROCESS] = u64::from(pid.cast_unsigned());
        open[spec::HANDLE_COUNT] = num_handles;
        let mut row = Row::new(open);
        if self.has_io {
            let path = Path::of_process(pid, "io");
            match io(process.io.read(proc_dir, &path, budget, &mut self.text_short)) {
                Ok(io) => row.set_io(io.values()),
                Err(error) if error.is_gone() => return Err(error),
                Err(error) => tick.unreadable(path, error),
            }
        }
        process.start = Some(start);
        tick.processes.push(pid);
        self.name.clear();
        self.name.push_str(&stat.instance_name());
        Ok(row)
    }
}

fn io(text: Result<&[u8], Errno>) -> Result<Io, ProcessError> {
    Io::parse(text.map_err(ProcessError::Read)?).ok_or(ProcessError::Io)
}

/// The values from `stat` and `statm`.
fn values(clock: &StartClock, stat: &Stat<'_>, memory: &Memory, len_page: u64) -> [u64; NUM_OPEN_COUNTERS] {
    let mut values = [0; NUM_OPEN_COUNTERS];
    values[spec::PROCESSOR_TIME] = clock.of_ticks(stat.user_ticks.wrapping_add(stat.system_ticks));
    values[spec::USER_TIME] = clock.of_ticks(stat.user_ticks);
    values[spec::PRIVILEGED_TIME] = clock.of_ticks(stat.system_ticks);
    values[spec::VIRTUAL_BYTES] = stat.len_virtual;
    values[spec::PAGE_FAULTS] = stat.num_minor_faults.wrapping_add(stat.num_major_faults);
    values[spec::MAJOR_FAULTS] = stat.num_major_faults;
    values[spec::WORKING_SET] = memory.num_resident.wrapping_mul(len_page);
    values[spec::WORKING_SET_PRIVATE] = memory.num_resident_private().wrapping_mul(len_page);
    values[spec::PRIVATE_BYTES] = memory.num_private.wrapping_mul(len_page);
    values[spec::THREAD_COUNT] = stat.num_threads;
    values[spec::PRIORITY_BASE] = stat.priority_base();
    values[spec::CREATING_PROCESS] = stat.parent;
    values
}

/// Whether the size of `/proc/PID/fd` is the number of entries in it: checked on this process, which has some
/// files open. Other threads may open and close files meanwhile, hence several attempts.
fn states_num_handles(proc_dir: &ProcDir) -> bool {
    let path = Path::of_process(std::process::id().cast_signed(), "fd");
    (0..8).any(|_| {
        let Ok(entries) = std::fs::read_dir(path.to_string()) else { return false };
        // The listing itself has one file open, which is closed when it ends.
        let num_listed = (entries.count() as u64).saturating_sub(1);
        num_listed > 0 && proc_dir.len_stated(&path) == Ok(num_listed)
    })
}
