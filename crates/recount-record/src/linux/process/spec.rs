//! The counters of `Process`.

use crate::linux::object_spec::{CounterSpec, ObjectSpec};
use crate::linux::type_words::{
    PERF_100NSEC_TIMER, PERF_COUNTER_BULK_COUNT, PERF_COUNTER_LARGE_RAWCOUNT, PERF_COUNTER_RAWCOUNT,
    PERF_ELAPSED_TIME,
};

/// Counters that everybody can read, including `Handle Count`.
pub(super) const NUM_OPEN_COUNTERS: usize = 16;
/// Counters that only some users can read: `/proc/PID/io`. They come after the others, so that a counter
/// block can end before them. New counters that everybody can read must be placed before them in the block,
/// although they get the next name index.
pub(super) const NUM_IO_COUNTERS: usize = 9;
/// Those of them that count calls. They come last, since nobody knows them of a process that has ended.
pub(super) const NUM_CALL_COUNTERS: usize = 3;
/// All counters.
pub(super) const NUM_COUNTERS: usize = NUM_OPEN_COUNTERS + NUM_IO_COUNTERS;

// Positions in `COUNTERS`.
pub(super) const PROCESSOR_TIME: usize = 0;
pub(super) const USER_TIME: usize = 1;
pub(super) const PRIVILEGED_TIME: usize = 2;
pub(super) const VIRTUAL_BYTES: usize = 3;
pub(super) const PAGE_FAULTS: usize = 4;
pub(super) const MAJOR_FAULTS: usize = 5;
pub(super) const WORKING_SET: usize = 6;
pub(super) const WORKING_SET_PRIVATE: usize = 7;
pub(super) const PRIVATE_BYTES: usize = 8;
pub(super) const THREAD_COUNT: usize = 9;
pub(super) const PRIORITY_BASE: usize = 10;
pub(super) const ELAPSED_TIME: usize = 11;
pub(super) const ID_PROCESS: usize = 12;
pub(super) const CREATING_PROCESS: usize = 13;
pub(super) const HANDLE_COUNT: usize = 14;
pub(super) const ENDED: usize = 15;

/// Besides the IO counters, the counters that `_Total` sums. For the others it has 0, or the time of the
/// sample, as on Windows.
pub(super) const ADDITIVE: [usize; 12] = [
    PROCESSOR_TIME,
    USER_TIME,
    PRIVILEGED_TIME,
    VIRTUAL_BYTES,
    PAGE_FAULTS,
    MAJOR_FAULTS,
    WORKING_SET,
    WORKING_SET_PRIVATE,
    PRIVATE_BYTES,
    THREAD_COUNT,
    HANDLE_COUNT,
    ENDED,
];

// Windows counts page faults in 32 bits, but over all processes they would wrap too often.
const PAGE_FAULT_TYPE: u32 = PERF_COUNTER_BULK_COUNT;

/// The counters that everybody can read and that only grow, from zero when the process begins. So do all that only some can read.
pub(super) const GROWING: [usize; 5] =
    [PROCESSOR_TIME, USER_TIME, PRIVILEGED_TIME, PAGE_FAULTS, MAJOR_FAULTS];

/// `Process`.
pub(crate) static SPEC: ObjectSpec = ObjectSpec {
    index: super::INDEX,
    name: "Process",
    help: "Processes by ascending id, kernel threads among them, named by their comm. A kernel worker is named \
     without the work queue that it served last. _Total is the sum over the processes of this sample; of what they count \
     (times, faults, IO and Storage) it is all that was counted since the recorder began, by processes that have ended, too, so that \
     it never falls. What a process reads and writes (IO and Storage) only those may see who may trace \
     it: where the recorder may not, these counters have no value, and neither has _Total then. With exit records, processes that ended \
     since the previous sample come before _Total.",
    instanced: true,
    counters: &COUNTERS,
};

const fn counter(name: &'static str, word: u32, scale: i32, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word, scale }
}

static COUNTERS: [CounterSpec; NUM_COUNTERS] = [
    counter(
        "% Processor Time",
        PERF_100NSEC_TIMER,
        0,
        "Time that the threads of the process ran, as a share of one processor: more than 100 on several. \
         /proc/PID/stat, utime + stime, in steps of a clock tick (10 ms).",
    ),
    counter(
        "% User Time",
        PERF_100NSEC_TIMER,
        0,
        "Time that they ran outside the kernel, virtual processors of a guest included. /proc/PID/stat, utime.",
    ),
    counter(
        "% Privileged Time",
        PERF_100NSEC_TIMER,
        0,
        "Time that they ran in the kernel. /proc/PID/stat, stime.",
    ),
    counter("Virtual Bytes", PERF_COUNTER_LARGE_RAWCOUNT, -6, "Address space in use. /proc/PID/stat, vsize."),
    counter(
        "Page Faults/sec",
        PAGE_FAULT_TYPE,
        0,
        "Page faults of all kinds. /proc/PID/stat, minflt + majflt. 64 bits, where Windows has 32.",
    ),
    counter(
        "Major Page Faults/sec",
        PAGE_FAULT_TYPE,
        0,
        "Page faults that had to wait for reading. /proc/PID/stat, majflt.",
    ),
    counter(
        "Working Set",
        PERF_COUNTER_LARGE_RAWCOUNT,
        -5,
        "Memory in use, shared or not. /proc/PID/statm, resident.",
    ),
    counter(
        "Working Set - Private",
        PERF_COUNTER_LARGE_RAWCOUNT,
        -5,
        "Memory in use that belongs to no file and is not shared memory. /proc/PID/statm, resident - shared.",
    ),
    counter(
        "Private Bytes",
        PERF_COUNTER_LARGE_RAWCOUNT,
        -5,
        "Memory that the process may write and shares with no other, in use or not: the nearest to what Windows calls \
         so, which is also what was promised and not what is used. It includes what was mapped without reserve. \
         /proc/PID/statm, data (VmData + VmStk of /proc/PID/status).",
    ),
    counter("Thread Count", PERF_COUNTER_RAWCOUNT, 0, "Threads. /proc/PID/stat, num_threads."),
    counter(
        "Priority Base",
        PERF_COUNTER_RAWCOUNT,
        0,
        "Priority that the process was given, the higher the more urgent, on the scale of ps -o pri: 0 to 39 for nice 19 \
         to -20, 41 to 139 for real-time priorities 1 to 99, 140 for a deadline. /proc/PID/stat, nice, rt_priority and \
         policy.",
    ),
    counter(
        "Elapsed Time",
        PERF_ELAPSED_TIME,
        -4,
        "Time since the process started. /proc/PID/stat, starttime, on the wall clock as it stood when the process was \
         first seen. Of _Total 0.",
    ),
    counter(
        "ID Process",
        PERF_COUNTER_RAWCOUNT,
        -1,
        "Process id, in the namespace of the recorder. Of _Total 0.",
    ),
    counter(
        "Creating Process ID",
        PERF_COUNTER_RAWCOUNT,
        -1,
        "Id of the parent; where that has ended, of the process that adopted it. /proc/PID/stat, ppid.",
    ),
    counter(
        "Handle Count",
        PERF_COUNTER_RAWCOUNT,
        0,
        "Open file descriptors. Size of the directory /proc/PID/fd, which kernels since 6.2 state. Older ones show it \
         only to those who may look into the process, and only by listing every handle: the counter is absent then.",
    ),
    counter(
        "Ended Processes",
        PERF_COUNTER_RAWCOUNT,
        0,
        "How many processes that ended since the previous sample the instance stands for: 0 of one that runs. Only with exit \
         records. An instance that has ended has its last values, and no memory, threads and handles; if too many ended \
         for one instance each, those with one name, user and ancestor are one instance together.",
    ),
    counter(
        "IO Read Bytes/sec",
        PERF_COUNTER_BULK_COUNT,
        -4,
        "Bytes that read calls gave the process, from files, pipes, sockets or terminals, cached or not. \
         /proc/PID/io, rchar.",
    ),
    counter(
        "IO Write Bytes/sec",
        PERF_COUNTER_BULK_COUNT,
        -4,
        "Bytes that write calls took from the process. /proc/PID/io, wchar.",
    ),
    counter("IO Data Bytes/sec", PERF_COUNTER_BULK_COUNT, -4, "Both. /proc/PID/io, rchar + wchar."),
    counter(
        "Storage Read Bytes/sec",
        PERF_COUNTER_BULK_COUNT,
        -4,
        "Bytes that were fetched from storage for the process. /proc/PID/io, read_bytes.",
    ),
    counter(
        "Storage Write Bytes/sec",
        PERF_COUNTER_BULK_COUNT,
        -4,
        "Bytes that the process caused to be written to storage, counted when a page becomes dirty. /proc/PID/io, \
         write_bytes.",
    ),
    counter(
        "Storage Cancelled Write Bytes/sec",
        PERF_COUNTER_BULK_COUNT,
        -4,
        "Bytes that it kept from being written after all, by truncating the file. May belong to what others wrote. \
         /proc/PID/io, cancelled_write_bytes.",
    ),
    counter("IO Read Operations/sec", PERF_COUNTER_BULK_COUNT, 0, "Read calls. /proc/PID/io, syscr."),
    counter("IO Write Operations/sec", PERF_COUNTER_BULK_COUNT, 0, "Write calls. /proc/PID/io, syscw."),
    counter("IO Data Operations/sec", PERF_COUNTER_BULK_COUNT, 0, "Both. /proc/PID/io, syscr + syscw."),
];
