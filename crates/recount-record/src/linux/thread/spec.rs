//! The counters of `Thread`.

use crate::linux::object_spec::{CounterSpec, ObjectSpec};
use crate::linux::type_words::{
    PERF_100NSEC_TIMER, PERF_COUNTER_COUNTER, PERF_COUNTER_RAWCOUNT, PERF_ELAPSED_TIME,
};

/// Number of counters.
pub(super) const NUM_COUNTERS: usize = 10;

// Positions in the table.
pub(super) const PROCESSOR_TIME: usize = 0;
pub(super) const USER_TIME: usize = 1;
pub(super) const PRIVILEGED_TIME: usize = 2;
pub(super) const CONTEXT_SWITCHES: usize = 3;
pub(super) const ELAPSED_TIME: usize = 4;
pub(super) const PRIORITY_CURRENT: usize = 5;
pub(super) const PRIORITY_BASE: usize = 6;
pub(super) const STATE: usize = 7;
pub(super) const ID_PROCESS: usize = 8;
pub(super) const ID_THREAD: usize = 9;

const fn counter(name: &'static str, word: u32, scale: i32, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word, scale }
}

/// `Thread`.
pub(crate) static SPEC: ObjectSpec = ObjectSpec {
    index: super::INDEX,
    name: "Thread",
    help: "Threads of all processes, numbered within their process in the order in which they were made; the numbers of \
           later ones fall when one ends. The parent is the process in the object Process, which has to be recorded too. \
           There is no _Total.",
    instanced: true,
    counters: &[
        counter(
            "% Processor Time",
            PERF_100NSEC_TIMER,
            0,
            "Time that the thread ran. /proc/PID/task/TID/stat, utime + stime, in steps of a clock tick (10 ms).",
        ),
        counter(
            "% User Time",
            PERF_100NSEC_TIMER,
            0,
            "Time that it ran outside the kernel. /proc/PID/task/TID/stat, utime.",
        ),
        counter(
            "% Privileged Time",
            PERF_100NSEC_TIMER,
            0,
            "Time that it ran in the kernel. /proc/PID/task/TID/stat, stime.",
        ),
        counter(
            "Context Switches/sec",
            PERF_COUNTER_COUNTER,
            0,
            "How often the thread was put on a processor. /proc/PID/task/TID/schedstat, third number; absent where the \
             kernel doesn't count it.",
        ),
        counter(
            "Elapsed Time",
            PERF_ELAPSED_TIME,
            -4,
            "Time since the thread started. /proc/PID/task/TID/stat, starttime, on the wall clock as it stood when the \
             thread was first seen.",
        ),
        counter(
            "Priority Current",
            PERF_COUNTER_RAWCOUNT,
            0,
            "Priority in force, the higher the more urgent, on the scale of ps -o pri: 0 to 39 for nice 19 to -20, 41 to \
             139 for real-time priorities 1 to 99, 140 for a deadline. /proc/PID/task/TID/stat, priority.",
        ),
        counter(
            "Priority Base",
            PERF_COUNTER_RAWCOUNT,
            0,
            "Priority that the thread was given, on the same scale. /proc/PID/task/TID/stat, nice, rt_priority and policy.",
        ),
        counter(
            "Thread State Letter",
            PERF_COUNTER_RAWCOUNT,
            0,
            "The letter of the state, as its ASCII code: 82 R running or ready, 83 S sleeping, 68 D in uninterruptible \
             sleep, 73 I idle, 84 T stopped, 116 t traced, 90 Z ended but not reaped, 88 X dead. Not Windows' Thread \
             State, which has other states. /proc/PID/task/TID/stat, state.",
        ),
        counter("ID Process", PERF_COUNTER_RAWCOUNT, -1, "Process id, as in Process."),
        counter("ID Thread", PERF_COUNTER_RAWCOUNT, -1, "Thread id, in the namespace of the recorder."),
    ],
};
