//! Processors, load, pressure, GPUs and caches.

use super::{now, other, rate};
use crate::objects::value::Unit::{Kib, Micro, One, Percent, Points};
use crate::objects::value::{Counter, Needs, Value};

/// All ticks of a processor. They already include those of guests.
const TICKS: &[&str] = &["system", "user", "nice", "idle", "iowait", "irq", "softirq", "steal"];

const fn share(name: &'static str, fields: &'static [&'static str], help: &'static str) -> Counter {
    Counter::new(name, Value::Share(fields, TICKS), Percent, help)
}

pub(super) const SHARES: &[Counter] = &[
    share("busy", &["system", "user", "nice", "irq", "softirq", "steal"], "All but idle and wait."),
    share("sys", &["system"], "In the kernel, interrupts not included."),
    share("user", &["user", "nice"], "In processes' own code, nice or not, guests included."),
    share("irq", &["irq", "softirq"], "On interrupts and soft interrupts."),
    share("idle", &["idle"], "Nothing to do, and no thread waited for a disk."),
    share("wait", &["iowait"], "Nothing to do while a thread waited for a disk."),
    share("steal", &["steal"], "The hypervisor ran something else."),
    share("guest", &["guest"], "Running virtual machines, nice ones not included; part of user."),
    share("nice", &["nice"], "Part of user: processes of lowered priority."),
    share("hardirq", &["irq"], "Part of irq: interrupts."),
    share("softirq", &["softirq"], "Part of irq: soft interrupts."),
    share("sys+irq", &["system", "irq", "softirq"], "sys and irq together."),
    share("idle+wait", &["idle", "iowait"], "idle and wait together."),
];

pub(super) const CPU: &[Counter] = &[
    other("avgf", Value::Frequency("freq_sum", "freq_ticks"), One, "Frequency in MHz."),
    other(
        "avgscal",
        Value::FrequencyShare("freq_sum", "freq_ticks", "freq_max"),
        Percent,
        "Frequency as a share of the highest.",
    ),
    rate("instr", &["instructions"], One, "Instructions.").needs(Needs::Cycles),
    rate("cycle", &["cycles"], One, "Cycles.").needs(Needs::Cycles),
    other("ipc", Value::Share(&["instructions"], &["cycles"]), One, "Instructions per cycle.")
        .needs(Needs::Cycles),
];

pub(super) const CPL: &[Counter] = &[
    other("avg1", Value::Now("cpu.load1"), One, "Load average of 1 minute."),
    other("avg5", Value::Now("cpu.load5"), One, "Load average of 5 minutes."),
    other("avg15", Value::Now("cpu.load15"), One, "Load average of 15 minutes."),
    rate("csw", &["cpu.context_switches"], One, "Context switches."),
    rate("intr", &["cpu.interrupts"], One, "Interrupts."),
    rate("clones", &["cpu.forks"], One, "Processes and threads that were begun."),
    now("numcpu", "cpu.n_cpus", One, "Processors."),
];

pub(super) const PRC: &[Counter] = &[
    now("#proc", "processes", One, "Processes, with those that ended in the interval."),
    other(
        "#present",
        Value::Less("processes", "exited"),
        One,
        "Processes that are there at the time of the sample.",
    ),
    now("#trun", "running", One, "Threads that run or wait for a processor."),
    now("#tslpi", "sleeping", One, "Threads that sleep."),
    now("#tslpu", "blocked", One, "Threads that can't be interrupted."),
    now("#tidle", "idle", One, "Idle threads of the kernel."),
    now("#zombie", "zombies", One, "Processes that ended and aren't reaped."),
    now("#exit", "exited", One, "Processes that ended in the interval."),
    now("#noexit", "overflow", One, "Of these, those that the recorder had no room for."),
];

pub(super) const PSI: &[Counter] = &[
    rate("cpusome", &["psi.cpu_some.total"], Micro, "Some task waited for a processor."),
    rate("memsome", &["psi.mem_some.total"], Micro, "Some task waited for memory."),
    rate("memfull", &["psi.mem_full.total"], Micro, "All tasks waited for memory."),
    rate("iosome", &["psi.io_some.total"], Micro, "Some task waited for a device."),
    rate("iofull", &["psi.io_full.total"], Micro, "All tasks waited for devices."),
    now("cs10", "psi.cpu_some.avg10", Points, "cpusome over 10 s, in percent, as the kernel averages it."),
    now("cs60", "psi.cpu_some.avg60", Points, "cpusome over 60 s."),
    now("cs300", "psi.cpu_some.avg300", Points, "cpusome over 300 s."),
    now("ms10", "psi.mem_some.avg10", Points, "memsome over 10 s."),
    now("ms60", "psi.mem_some.avg60", Points, "memsome over 60 s."),
    now("ms300", "psi.mem_some.avg300", Points, "memsome over 300 s."),
    now("mf10", "psi.mem_full.avg10", Points, "memfull over 10 s."),
    now("mf60", "psi.mem_full.avg60", Points, "memfull over 60 s."),
    now("mf300", "psi.mem_full.avg300", Points, "memfull over 300 s."),
    now("is10", "psi.io_some.avg10", Points, "iosome over 10 s."),
    now("is60", "psi.io_some.avg60", Points, "iosome over 60 s."),
    now("is300", "psi.io_some.avg300", Points, "iosome over 300 s."),
    now("if10", "psi.io_full.avg10", Points, "iofull over 10 s."),
    now("if60", "psi.io_full.avg60", Points, "iofull over 60 s."),
    now("if300", "psi.io_full.avg300", Points, "iofull over 300 s."),
];

pub(super) const GPU: &[Counter] = &[
    other("busy", Value::Share(&["busy_cum"], &["samples"]), Points, "Busy, in percent, on average."),
    other(
        "membusy",
        Value::Share(&["mem_busy_cum"], &["samples"]),
        Points,
        "Memory busy, in percent, on average.",
    ),
    other("memavg", Value::Share(&["mem_used_cum"], &["samples"]), Kib, "Memory in use on average."),
    now("gpubusy", "busy_now", Points, "Busy in the last second, in percent."),
    now("gpumemb", "mem_busy_now", Points, "Memory busy in the last second, in percent."),
    now("memtot", "mem_total", Kib, "Memory."),
    now("memuse", "mem_used", Kib, "Memory in use."),
    now("procs", "processes", One, "Processes that use it."),
];

pub(super) const LLC: &[Counter] = &[
    now("occu", "occupancy", Percent, "Share of the cache in use."),
    rate("tot", &["total_bytes"], One, "Bytes by way of it."),
    rate("loc", &["local_bytes"], One, "Of them, from memory of the same node."),
];
