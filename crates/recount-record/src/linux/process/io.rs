//! `Process IO`: `/proc/PID/io`, which only those may read who may trace the process.

use recount_blocks::perf_data::{InstanceName, ObjectStream};
use rustix::io::Errno;

use super::io_file::Io;
use super::kept_file::{Budget, KeptFile};
use super::name::TOTAL;
use super::proc_dir::{Path, ProcDir, is_gone};
use super::roster::Member;
use crate::linux::collector::{Collector, Tick};
use crate::linux::object_spec::{CounterSpec, ObjectSpec};
use crate::linux::type_words::{PERF_COUNTER_BULK_COUNT, PERF_COUNTER_RAWCOUNT, PERF_ELAPSED_TIME};

const INDEX: u32 = 23_000;

/// Reads `Process IO` of the processes that `Process` found in the same sample.
pub(crate) struct ProcessIoCollector {
    files: Option<Files>,
    /// The processes of the sample before, by id.
    known: Vec<Known>,
    /// Empty between samples.
    found: Vec<Known>,
}

/// What the file of any process is read with.
struct Files {
    proc_dir: ProcDir,
    budget: Budget,
    text: Box<[u8]>,
}

/// A process, from sample to sample.
#[derive(Debug, Default)]
struct Known {
    pid: i32,
    start_100ns: i64,
    file: KeptFile,
}

impl ProcessIoCollector {
    pub(crate) fn new() -> ProcessIoCollector {
        let files = |proc_dir| Files { proc_dir, budget: Budget::of_limit(), text: vec![0; 512].into() };
        ProcessIoCollector { files: ProcDir::open().ok().map(files), known: Vec::new(), found: Vec::new() }
    }
}

impl Collector for ProcessIoCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &SPEC
    }

    /// Not if the kernel was built without it.
    fn is_present(&self) -> bool {
        self.files.is_some() && std::fs::exists("/proc/self/io").unwrap_or(false)
    }

    /// `Process` has to be there, before it.
    fn prepare(&mut self, tick: &mut Tick) -> bool {
        !tick.roster.is_empty()
    }

    fn collect(&mut self, tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let Some(files) = &mut self.files else { return };
        let mut total = Some([0_u64; NUM_VALUES]);
        let roster = std::mem::take(&mut tick.roster);
        let mut before = self.known.drain(..).peekable();
        for member in roster.iter() {
            while let Some(mut ended) = before.next_if(|known| known.pid < member.pid) {
                ended.file.close(&mut files.budget);
            }
            let known = before.next_if(|known| known.pid == member.pid).unwrap_or_default();
            let mut process = files.known_or_new(known, &member);
            match files.read(&mut process) {
                Ok(Some(io)) => {
                    let values = values(&io);
                    append(object, &member, &values);
                    total
                        .iter_mut()
                        .flatten()
                        .zip(values)
                        .for_each(|(sum, value)| *sum = sum.wrapping_add(value));
                }
                Ok(None) => {}
                Err(error) => {
                    // A sum that lacks somebody isn't the sum.
                    total = None;
                    tick.unreadable(Path::of_process(member.pid, "io"), error);
                }
            }
            self.found.push(process);
        }
        before.for_each(|mut ended| ended.file.close(&mut files.budget));
        std::mem::swap(&mut self.known, &mut self.found);
        tick.roster = roster;
        if let Some(total) = total {
            append(object, &Member { pid: 0, start_100ns: tick.time_100ns, name: TOTAL }, &total);
        }
    }
}

/// Why a process has no values.
#[derive(Debug, thiserror::Error)]
enum IoError {
    #[error("{0}")]
    Read(#[from] Errno),
    #[error("expected 7 named numbers, found others")]
    Text,
}

impl Files {
    /// What is known of the process, unless that was another with the same id.
    fn known_or_new(&mut self, mut known: Known, member: &Member<'_>) -> Known {
        if known.start_100ns != member.start_100ns {
            known.file.close(&mut self.budget);
        }
        Known { pid: member.pid, start_100ns: member.start_100ns, file: known.file }
    }

    /// What the process has read and written; `None` if it ended since `Process` saw it.
    fn read(&mut self, process: &mut Known) -> Result<Option<Io>, IoError> {
        let path = Path::of_process(process.pid, "io");
        match process.file.read(&self.proc_dir, &path, &mut self.budget, &mut self.text) {
            Ok(text) => Io::parse(text).map(Some).ok_or(IoError::Text),
            Err(error) if is_gone(error) => Ok(None),
            Err(error) => Err(IoError::Read(error)),
        }
    }
}

/// Counters that are values of the file, or sums of them. They come first.
const NUM_VALUES: usize = 9;
const ELAPSED_TIME: usize = 9;
const ID_PROCESS: usize = 10;

fn values(io: &Io) -> [u64; NUM_VALUES] {
    [
        io.rchar,
        io.wchar,
        io.rchar.wrapping_add(io.wchar),
        io.syscr,
        io.syscw,
        io.syscr.wrapping_add(io.syscw),
        io.read_bytes,
        io.write_bytes,
        io.cancelled_write_bytes,
    ]
}

fn append(object: &mut ObjectStream<'_>, member: &Member<'_>, values: &[u64; NUM_VALUES]) {
    let mut instance = object.instance(InstanceName::new(member.name));
    for (counter, value) in values.iter().enumerate() {
        instance.set(counter, *value);
    }
    instance.set(ELAPSED_TIME, member.start_100ns.cast_unsigned());
    instance.set(ID_PROCESS, u64::from(member.pid.cast_unsigned()));
}

static SPEC: ObjectSpec = ObjectSpec {
    index: INDEX,
    name: "Process IO",
    help: "What processes read and write; the IO counters of Windows' object Process. An object of its own, since a user            may see them only of processes that he may trace: the others aren't listed, and neither is then _Total.            Instances as in Process.",
    instanced: true,
    counters: &[
        CounterSpec {
            name: "IO Read Bytes/sec",
            help: "Bytes that read calls gave the process, from files, pipes, sockets or terminals, cached or not.                    /proc/PID/io, rchar.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: -4,
        },
        CounterSpec {
            name: "IO Write Bytes/sec",
            help: "Bytes that write calls took from the process. /proc/PID/io, wchar.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: -4,
        },
        CounterSpec {
            name: "IO Data Bytes/sec",
            help: "Both. /proc/PID/io, rchar + wchar.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: -4,
        },
        CounterSpec {
            name: "IO Read Operations/sec",
            help: "Read calls. /proc/PID/io, syscr.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: 0,
        },
        CounterSpec {
            name: "IO Write Operations/sec",
            help: "Write calls. /proc/PID/io, syscw.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: 0,
        },
        CounterSpec {
            name: "IO Data Operations/sec",
            help: "Both. /proc/PID/io, syscr + syscw.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: 0,
        },
        CounterSpec {
            name: "Storage Read Bytes/sec",
            help: "Bytes that were fetched from storage for the process. /proc/PID/io, read_bytes.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: -4,
        },
        CounterSpec {
            name: "Storage Write Bytes/sec",
            help: "Bytes that the process caused to be written to storage, counted when a page becomes dirty.                    /proc/PID/io, write_bytes.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: -4,
        },
        CounterSpec {
            name: "Storage Cancelled Write Bytes/sec",
            help: "Bytes that it kept from being written after all, by truncating the file. May belong to what others                    wrote. /proc/PID/io, cancelled_write_bytes.",
            word: PERF_COUNTER_BULK_COUNT,
            scale: -4,
        },
        CounterSpec {
            name: "Elapsed Time",
            help: "Time since the process started, as in Process.",
            word: PERF_ELAPSED_TIME,
            scale: -4,
        },
        CounterSpec {
            name: "ID Process",
            help: "Process id, as in Process.",
            word: PERF_COUNTER_RAWCOUNT,
            scale: -1,
        },
    ],
};
