//! `Process`: `/proc/PID/stat`, `/proc/PID/statm` and the size of `/proc/PID/fd`, which everybody can read,
//! and `/proc/PID/io`, which only some users can.
//!
//! If the latter can't be read, the counter block ends before its counters: a missing value has no bytes.

mod containers;
mod describe;
mod ended;
mod growing_total;
mod inheritance;
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
mod users;

use std::sync::Arc;

use describe::{Describer, StatOfDescription};
use ended::{Departed, Departures};
use growing_total::{Before, GrowingTotal};
use inheritance::{IoValues, Step, take_off};
use io::Io;
use kept_file::{Budget, KeptFile};
use memory::Memory;
use name::TOTAL;
use proc_dir::{Path, ProcDir, is_gone};
use recount_model::{ProcessDescription, ProcessNote};
use recount_perf_data::ObjectStream;
use row::{Layout, Row};
use rustix::io::Errno;
use spec::NUM_OPEN_COUNTERS;
use start::{Start, StartClock};
use stat::Stat;

use super::collector::{Collector, Tick};
use super::exits::{Ended, ExitRecords};
use super::object_spec::ObjectSpec;
use crate::Describe;

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
    /// Those of this sample, by id. Empty between samples, like the next.
    found: Vec<Found>,
    /// Those that are gone, by id.
    gone: Vec<Known>,
    total: GrowingTotal,
    /// With exit records: what ended.
    departures: Option<Departures>,
    describer: Describer,
}

/// A process, from sample to sample.
#[derive(Debug, Default)]
struct Known {
    pid: i32,
    start: Option<Start>,
    /// Its values in the previous sample.
    row: Option<Row>,
    /// The name of its instance.
    name: Arc<str>,
    /// What its I/O counters have from children that ended, and which its rows don't have. Only with exit records.
    inherited: IoValues,
    /// Its exit record, while it is still listed because nobody has waited for its end.
    exit: Option<Ended>,
    /// What a description has from `stat`.
    described_by: StatOfDescription,
    described: Option<Arc<ProcessDescription>>,
    stat: KeptFile,
    statm: KeptFile,
    io: KeptFile,
    /// `/proc/PID/fd`, of which only the size is read.
    fd: KeptFile,
}

/// A process of this sample.
struct Found {
    process: Known,
    row: Row,
    before: Before,
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
    /// With exit records, if there are some, and with descriptions.
    pub(crate) fn new(exits: Option<ExitRecords>, describe: Describe) -> Option<ProcessCollector> {
        let departures = exits.map(Departures::new);
        let mut collector = ProcessCollector::with(ProcDir::open().ok()?, Budget::of_limit(), departures);
        collector.describer = Describer::new(describe);
        Some(collector)
    }

    fn with(proc_dir: ProcDir, budget: Budget, departures: Option<Departures>) -> ProcessCollector {
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
        let layout = Layout::new(files.has_handles, files.has_io, departures.is_some());
        ProcessCollector {
            files,
            layout,
            pids: Vec::new(),
            known: Vec::new(),
            found: Vec::new(),
            gone: Vec::new(),
            total: GrowingTotal::default(),
            departures,
            describer: Describer::new(Describe::None),
        }
    }

    /// Reads all processes: those of this sample, and those that are gone.
    fn read(&mut self, tick: &mut Tick) {
        let files = &mut self.files;
        let mut before = self.known.drain(..).peekable();
        for &pid in &self.pids {
            while let Some(ended) = before.next_if(|known| known.pid < pid) {
                self.gone.push(ended);
            }
            let known = before.next_if(|known| known.pid == pid);
            let mut process = known.unwrap_or_else(|| Known { pid, ..Known::default() });
            let (start, earlier) = (process.start, process.row);
            let image = process.described_by.image;
            match files.read_process(&mut process, tick) {
                Ok(row) => {
                    let before = match (earlier, process.start) {
                        (Some(earlier), now) if now == start => Before::Seen(earlier),
                        (_, Some(now)) if files.clock.is_after_sample_before(now) => Before::Newborn,
                        _ => Before::Unseen,
                    };
                    if !matches!(before, Before::Seen(_)) && start.is_some() {
                        // Another process has the id now; its files are that one's already.
                        self.gone.push(process.leave_id(start, earlier));
                    }
                    let is_renamed = *process.name != *files.name;
                    if is_renamed {
                        process.name = files.name.as_str().into();
                    }
                    // One that has ended has no memory, and nobody reads of it what it was.
                    let is_there = process.described_by.image != (0, 0);
                    let is_other = is_renamed || is_there && image != process.described_by.image;
                    if process.described.is_none() || is_other {
                        describe(&mut self.describer, &files.proc_dir, &mut process, tick);
                    }
                    tick.described.extend(process.described.clone());
                    self.found.push(Found { process, row, before });
                }
                Err(error) => {
                    if !error.is_gone() {
                        tick.unreadable(format_args!("/proc/{pid}"), error);
                    }
                    self.gone.push(process);
                }
            }
        }
        self.gone.extend(before);
    }

    /// Takes what is inherited off the I/O of the processes of this sample, and finds the last values of those that ended.
    fn settle(&mut self, tick: &mut Tick) -> Vec<Departed> {
        let Some(departures) = &mut self.departures else { return Vec::new() };
        let (clock, users) = (&self.files.clock, &self.describer.users);
        let departed = departures.take(tick, (clock, users), &mut self.found, &mut self.gone);
        let steps = self.found.iter().map(|found| Step {
            pid: u64::from(found.process.pid.cast_unsigned()),
            parent: found.row.values[spec::CREATING_PROCESS],
            has_ended: found.process.exit.is_some(),
            io: found.inheritable(),
        });
        let mut steps: Vec<Step> = steps.collect();
        let bequests = departures.bequests(&departed);
        let heirs = take_off(&mut steps, &bequests, &mut |at, io| {
            for (inherited, value) in self.found[at].process.inherited.iter_mut().zip(io) {
                *inherited = inherited.wrapping_add(*value);
            }
        });
        departures.keep(bequests, &heirs);
        for found in &mut self.found {
            found.row.take_off_io(&found.process.inherited);
        }
        departed
    }
}

/// Describes a process that is new, or executes another program.
fn describe(describer: &mut Describer, proc_dir: &ProcDir, process: &mut Known, tick: &mut Tick) {
    if !describer.is_wanted() {
        return;
    }
    let start_100ns = process.start.map_or(0, |start| start.time_100ns);
    let by = (&process.described_by, start_100ns);
    let described = describer.describe(proc_dir, (process.pid, &process.name), by, tick.time_100ns);
    tick.notes.push(ProcessNote::Described(described.clone()));
    process.described = Some(Arc::new(described));
}

impl Found {
    /// By how much its I/O has grown since the previous sample, inherited I/O included.
    fn io_step(&self) -> Option<IoValues> {
        let now = self.row.io()?;
        let before = match &self.before {
            Before::Seen(before) => before.io()?,
            Before::Newborn => IoValues::default(),
            Before::Unseen => return None,
        };
        let inherited = &self.process.inherited;
        Some(std::array::from_fn(|at| now[at].saturating_sub(before[at].wrapping_add(inherited[at]))))
    }

    /// How much of that it may have inherited since: what its own exit record has isn't.
    fn inheritable(&self) -> Option<IoValues> {
        let mut grown = self.io_step()?;
        if let Some(ended) = self.process.exit.as_ref().filter(|ended| ended.count == 1) {
            let now = self.row.io()?;
            let own = ended::io_values(&ended.io);
            for (at, grown) in grown.iter_mut().enumerate() {
                let others = now[at].saturating_sub(own[at].wrapping_add(self.process.inherited[at]));
                *grown = others.min(*grown);
            }
        }
        Some(grown)
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
        self.describer.users.refresh();
        self.files.clock.begin(tick.time_100ns);
        let listed = self.files.proc_dir.list_processes(&mut self.pids);
        listed.map_err(|error| tick.unreadable("/proc", error)).is_ok()
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        self.read(tick);
        let departed = self.settle(tick);
        let mut total = self.layout.empty_sum();
        for Found { mut process, row, before } in self.found.drain(..) {
            self.layout.append(object, &process.name, &row);
            total.add(&row);
            self.total.grow(&before, &row);
            process.row = Some(row);
            self.known.push(process);
        }
        for mut gone in self.gone.drain(..) {
            if self.departures.is_none() {
                self.total.end(gone.row);
            }
            gone.close(&mut self.files.budget);
        }
        for Departed { name, row, before, .. } in &departed {
            self.layout.append_ended(object, name, row);
            self.total.grow_ended(before, row);
            total.values[spec::ENDED] += row.values[spec::ENDED];
        }
        self.total.finish(&mut total);
        total.values[spec::ELAPSED_TIME] = tick.time_100ns.cast_unsigned();
        self.layout.append(object, TOTAL, &total);
    }
}

impl Known {
    /// What was known of the process that had the id in the previous sample.
    fn leave_id(&mut self, start: Option<Start>, row: Option<Row>) -> Known {
        Known {
            pid: self.pid,
            start,
            row,
            name: Arc::clone(&self.name),
            inherited: std::mem::take(&mut self.inherited),
            exit: self.exit.take(),
            described: self.described.take(),
            ..Known::default()
        }
    }

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
        process.described_by = StatOfDescription::of(&stat);
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
