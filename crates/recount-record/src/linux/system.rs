//! `System`.

use super::collector::Tick;
use super::object_spec::{CounterSpec, ObjectSpec};
use super::process::proc_dir::ProcDir;
use super::system_files::SystemFile::{FileNr, Loadavg, PressureCpu, PressureIo, PressureIrq, Stat};
use super::totals::{Reading, Row, counters, row};
use super::type_words::{
    PERF_100NSEC_TIMER, PERF_COUNTER_BULK_COUNT, PERF_COUNTER_COUNTER, PERF_COUNTER_LARGE_RAWCOUNT,
    PERF_COUNTER_RAWCOUNT, PERF_ELAPSED_TIME,
};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("Context Switches/sec", PERF_COUNTER_COUNTER, -2, Reading::sum(Stat, &[("ctxt", 1)]),
        "Switches from one thread to another, on all processors. /proc/stat, ctxt."),
    row("Processes", PERF_COUNTER_RAWCOUNT, 0, Reading::own(num_processes),
        "Processes that /proc lists; kernel threads are among them, as they are in Process. Folders of /proc with a number for a name."),
    row("Threads", PERF_COUNTER_RAWCOUNT, 0, Reading::sum(Loadavg, &[("7", 1)]),
        "Threads of all processes and of the kernel, also of those that a container's /proc doesn't list. /proc/loadavg, fourth field, after the slash."),
    row("System Up Time", PERF_ELAPSED_TIME, -5, Reading::own(boot_time),
        "Time since the machine was booted, sleep included. CLOCK_REALTIME minus CLOCK_BOOTTIME."),
    row("Runnable Threads", PERF_COUNTER_RAWCOUNT, 1, Reading::sum(Stat, &[("procs_running", 1)]),
        "Threads that run or wait for a processor. Windows' Processor Queue Length counts only those that wait, which Linux doesn't count separately. /proc/stat, procs_running."),
    row("Blocked Threads", PERF_COUNTER_RAWCOUNT, 1, Reading::sum(Stat, &[("procs_blocked", 1)]),
        "Threads that wait for I/O to complete. /proc/stat, procs_blocked."),
    row("Threads Created/sec", PERF_COUNTER_BULK_COUNT, 0, Reading::sum(Stat, &[("processes", 1)]),
        "Processes and threads that were begun: calls of fork and clone. /proc/stat, processes."),
    row("Interrupts/sec", PERF_COUNTER_BULK_COUNT, -2, Reading::sum(Stat, &[("intr", 1)]),
        "Interrupts that were handled on all processors. /proc/stat, intr, first number."),
    row("Soft Interrupts/sec", PERF_COUNTER_BULK_COUNT, -2, Reading::sum(Stat, &[("softirq", 1)]),
        "Soft interrupts (what Windows calls deferred procedure calls) that were handled on all processors. /proc/stat, softirq, first number."),
    row("Load Average 1 Minute x100", PERF_COUNTER_RAWCOUNT, -2, Reading::sum(Loadavg, &[("0", 100), ("1", 1)]),
        "Average number of threads that run, wait for a processor or can't be interrupted, over a minute, in hundredths. /proc/loadavg, first field."),
    row("Load Average 5 Minutes x100", PERF_COUNTER_RAWCOUNT, -2, Reading::sum(Loadavg, &[("2", 100), ("3", 1)]),
        "The same over 5 minutes, in hundredths. /proc/loadavg, second field."),
    row("Load Average 15 Minutes x100", PERF_COUNTER_RAWCOUNT, -2, Reading::sum(Loadavg, &[("4", 100), ("5", 1)]),
        "The same over 15 minutes, in hundredths. /proc/loadavg, third field."),
    row("Open Files", PERF_COUNTER_LARGE_RAWCOUNT, -2, Reading::sum(FileNr, &[("0", 1)]),
        "Open files that the kernel holds; several descriptors may share one. /proc/sys/fs/file-nr, first field."),
    row("Open Files Limit", PERF_COUNTER_LARGE_RAWCOUNT, -6, Reading::sum(FileNr, &[("2", 1)]),
        "The maximum number of open files that the kernel allows. /proc/sys/fs/file-nr, third field."),
    row("% CPU Pressure Some Time", PERF_100NSEC_TIMER, 0, Reading::sum(PressureCpu, &[("some", 10)]),
        "Share of time in which some thread waited for a processor. /proc/pressure/cpu, some, total."),
    row("% IO Pressure Some Time", PERF_100NSEC_TIMER, 0, Reading::sum(PressureIo, &[("some", 10)]),
        "Share of time in which some thread waited for I/O. /proc/pressure/io, some, total."),
    row("% IO Pressure Full Time", PERF_100NSEC_TIMER, 0, Reading::sum(PressureIo, &[("full", 10)]),
        "Share of time in which all threads that had work waited for I/O. /proc/pressure/io, full, total."),
    row("% Interrupt Pressure Full Time", PERF_100NSEC_TIMER, 0, Reading::sum(PressureIrq, &[("full", 10)]),
        "Share of time in which all threads that had work waited for interrupts to be handled. /proc/pressure/irq, full, total."),
];

static COUNTERS: [CounterSpec; ROWS.len()] = counters(ROWS);

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 12_000,
    name: "System",
    help: "Counters about all processors and processes. No instances.",
    instanced: false,
    counters: &COUNTERS,
};

/// The boot time as `FILETIME`, by the clocks of this sample: correct even after the wall clock was set.
fn boot_time(tick: &Tick) -> Option<u64> {
    u64::try_from(tick.time_100ns.checked_sub(tick.since_boot_100ns)?).ok()
}

/// `Process` has already listed them, unless it isn't recorded.
fn num_processes(tick: &Tick) -> Option<u64> {
    if !tick.processes.is_empty() {
        return Some(tick.processes.len() as u64);
    }
    let mut pids = Vec::new();
    ProcDir::open().ok()?.list_processes(&mut pids).ok()?;
    Some(pids.len() as u64)
}
