//! `Thread`: `/proc/PID/task/TID/stat` and `schedstat`. Off by default: machines have thousands of threads.

mod schedstat;
pub(super) mod spec;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use recount_perf_data::{InstanceName, ObjectStream};
use rustix::io::Errno;

use super::collector::{Collector, Tick};
use super::counter_slots::CounterSlots;
use super::object_spec::ObjectSpec;
use super::process::proc_dir::{Path, ProcDir, is_gone};
use super::process::start::{Start, StartClock};
use super::process::stat::{Stat, StatError};
use super::process::{self, LEN_TEXT};

/// Name index of `Thread`.
pub(crate) const INDEX: u32 = 21_000;

/// Reads `Thread` for the processes in [`Tick::processes`]: `Process` comes before it in every sample.
pub(crate) struct ThreadCollector {
    files: Files,
    slots: CounterSlots,
    tids: Vec<i32>,
    /// Starts in the previous sample, by thread id, which is unique on the machine.
    known: HashMap<i32, Start>,
    /// Empty between samples.
    found: HashMap<i32, Start>,
}

/// Shared state for reading the values of any thread.
struct Files {
    proc_dir: ProcDir,
    clock: StartClock,
    counts_switches: bool,
    text: Box<[u8]>,
}

/// The raw values of an instance.
type Row = [u64; spec::NUM_COUNTERS];

impl ThreadCollector {
    pub(crate) fn new() -> Option<ThreadCollector> {
        let proc_dir = ProcDir::open().ok()?;
        let mut text = vec![0; LEN_TEXT].into_boxed_slice();
        let counts_switches = counts_switches(&proc_dir, &mut text);
        let is_there = |counter| counter != spec::CONTEXT_SWITCHES || counts_switches;
        Some(ThreadCollector {
            files: Files { proc_dir, clock: StartClock::new(), counts_switches, text },
            slots: CounterSlots::new((0..spec::NUM_COUNTERS).map(is_there)),
            tids: Vec::new(),
            known: HashMap::new(),
            found: HashMap::new(),
        })
    }
}

/// Whether the kernel counts how often threads are scheduled: this one has been, at least once.
fn counts_switches(proc_dir: &ProcDir, text: &mut [u8]) -> bool {
    let me = std::process::id().cast_signed();
    let read = proc_dir.read(&Path::of_thread(me, me, "schedstat"), text);
    read.ok().and_then(schedstat::num_switches).is_some_and(|num_switches| num_switches > 0)
}

impl Collector for ThreadCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &spec::SPEC
    }

    fn has_counter(&self, counter: usize) -> bool {
        self.slots.has(counter)
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        !tick.processes.is_empty()
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let files = &mut self.files;
        files.clock.begin(tick.time_100ns);
        for at in 0..tick.processes.len() {
            let pid = tick.processes[at];
            if let Err(error) = files.proc_dir.list_threads(pid, &mut self.tids) {
                if !is_gone(error) {
                    tick.unreadable(format_args!("/proc/{pid}/task"), error);
                }
                continue;
            }
            let mut number = 0;
            for &tid in &self.tids {
                let known = self.known.get(&tid).copied();
                match files.read_thread(pid, tid, known) {
                    Ok((start, row)) => {
                        let mut name = DecimalName::default();
                        let parent = Some((process::INDEX, at as u32));
                        let instance = InstanceName { name: name.of(number), parent, unique_id: None };
                        self.slots.set_all(&mut object.instance(instance), &row);
                        self.found.insert(tid, start);
                        number += 1;
                    }
                    Err(error) if error.is_gone() => {}
                    Err(error) => tick.unreadable(format_args!("/proc/{pid}/task/{tid}"), error),
                }
            }
        }
        std::mem::swap(&mut self.known, &mut self.found);
        self.found.clear();
    }
}

/// Why a thread has no values.
#[derive(Debug, thiserror::Error)]
enum ThreadError {
    #[error("{0}")]
    Read(#[from] Errno),
    #[error("stat: {0}")]
    Stat(#[from] StatError),
    #[error("schedstat: expected 3 numbers, found others")]
    Schedstat,
}

impl ThreadError {
    fn is_gone(&self) -> bool {
        matches!(self, ThreadError::Read(error) if is_gone(*error))
    }
}

impl Files {
    fn read_thread(&mut self, pid: i32, tid: i32, known: Option<Start>) -> Result<(Start, Row), ThreadError> {
        let mut row = Row::default();
        if self.counts_switches {
            let text = self.proc_dir.read(&Path::of_thread(pid, tid, "schedstat"), &mut self.text)?;
            row[spec::CONTEXT_SWITCHES] = schedstat::num_switches(text).ok_or(ThreadError::Schedstat)?;
        }
        let stat = Stat::parse(self.proc_dir.read(&Path::of_thread(pid, tid, "stat"), &mut self.text)?)?;
        let start = self.clock.place(stat.start_ticks, known);
        row[spec::PROCESSOR_TIME] = self.clock.of_ticks(stat.user_ticks.wrapping_add(stat.system_ticks));
        row[spec::USER_TIME] = self.clock.of_ticks(stat.user_ticks);
        row[spec::PRIVILEGED_TIME] = self.clock.of_ticks(stat.system_ticks);
        row[spec::ELAPSED_TIME] = start.time_100ns.cast_unsigned();
        row[spec::PRIORITY_CURRENT] = stat.priority_current();
        row[spec::PRIORITY_BASE] = stat.priority_base();
        row[spec::STATE] = u64::from(stat.state);
        row[spec::ID_PROCESS] = u64::from(pid.cast_unsigned());
        row[spec::ID_THREAD] = u64::from(tid.cast_unsigned());
        Ok((start, row))
    }
}

/// A number as an instance name, without allocation.
#[derive(Default)]
struct DecimalName([u8; 10]);

impl DecimalName {
    fn of(&mut self, number: u32) -> &str {
        let (mut rest, mut start) = (number, self.0.len());
        loop {
            start -= 1;
            self.0[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        std::str::from_utf8(&self.0[start..]).unwrap_or_default()
    }
}
