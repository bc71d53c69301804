//! Processes, threads and cgroups.

use super::{now, other, rate};
use crate::objects::value::Unit::{Kib, Micro, Nano, One, Page, Points, Sector, Tick};
use crate::objects::value::{Counter, Needs, Value};

pub(super) const CONTAINER: &[Counter] = &[
    rate("sys", &["system"], Tick, "Time in the kernel, as a share of one processor."),
    rate("user", &["user"], Tick, "Time in processes' own code."),
    rate("nice", &["nice"], Tick, "Time of processes of lowered priority."),
    now("procs", "processes", One, "Processes."),
    now("mem", "pages", Page, "Memory in bytes."),
];

pub(super) const CGROUP: &[Counter] = &[
    rate(
        "CPU",
        &["cpu.user", "cpu.system"],
        Micro,
        "Time that its processes ran, as a share of one processor.",
    ),
    rate("CPUUSR", &["cpu.user"], Micro, "Of it, outside the kernel."),
    rate("CPUSYS", &["cpu.system"], Micro, "Of it, in the kernel."),
    now("CPUMAX", "conf.cpu_max", Points, "Limit, in percent of one processor."),
    now("CPUWGT", "conf.cpu_weight", One, "Weight."),
    now("NPROCS", "gen.processes", One, "Processes of the group itself."),
    now("PBELOW", "gen.processes_below", One, "Processes of the groups below."),
    now("MEMORY", "mem.current", Page, "Memory charged, in bytes."),
    now("MEMANON", "mem.anon", Page, "Memory of processes that belongs to no file."),
    now("MEMFILE", "mem.file", Page, "Contents of files."),
    now("MEMKERN", "mem.kernel", Page, "Memory of the kernel."),
    now("MEMSHM", "mem.shmem", Page, "Shared memory."),
    now("MEMMAX", "conf.mem_max", Page, "Limit of memory."),
    now("SWPMAX", "conf.swap_max", Page, "Limit of swap space."),
    rate("BREAD", &["disk.read_bytes"], One, "Bytes read from devices."),
    rate("BWRITE", &["disk.written_bytes"], One, "Bytes written to devices."),
    rate("READ", &["disk.reads"], One, "Reads."),
    rate("WRITE", &["disk.writes"], One, "Writes."),
    now("DSKWGT", "conf.disk_weight", One, "Weight."),
    rate("cpusome", &["cpu.some"], Micro, "Some process waited for a processor."),
    rate("cpufull", &["cpu.full"], Micro, "All waited for a processor."),
    rate("memsome", &["mem.some"], Micro, "Some process waited for memory."),
    rate("memfull", &["mem.full"], Micro, "All waited for memory."),
    rate("iosome", &["disk.some"], Micro, "Some process waited for a device."),
    rate("iofull", &["disk.full"], Micro, "All waited for devices."),
];

pub(super) const TASK_TIMES: &[Counter] = &[
    rate("CPU", &["cpu.user", "cpu.system"], Tick, "Time that it ran, as a share of one processor."),
    rate("USRCPU", &["cpu.user"], Tick, "Of it, outside the kernel."),
    rate("SYSCPU", &["cpu.system"], Tick, "Of it, in the kernel."),
    rate("RDELAY", &["cpu.run_delay"], Nano, "Share of time that it waited for a processor.")
        .needs(Needs::Alive),
    rate("BDELAY", &["cpu.block_delay"], Tick, "Share of time that it waited for a disk.")
        .needs(Needs::Alive),
    rate("CSW", &["cpu.voluntary_switches", "cpu.involuntary_switches"], One, "Context switches.")
        .needs(Needs::Alive),
    rate("NVCSW", &["cpu.voluntary_switches"], One, "Context switches when it began to wait.")
        .needs(Needs::Alive),
    rate("NIVCSW", &["cpu.involuntary_switches"], One, "Context switches when others came first.")
        .needs(Needs::Alive),
    rate("MINFLT", &["mem.minor_faults"], One, "Page faults that needed no disk."),
    rate("MAJFLT", &["mem.major_faults"], One, "Page faults that had to wait for a disk."),
    rate("FLT", &["mem.minor_faults", "mem.major_faults"], One, "All page faults."),
    rate("RDDSK", &["disk.read_sectors"], Sector, "Bytes fetched from disks.").needs(Needs::Disk),
    rate("WRDSK", &["disk.written_sectors"], Sector, "Bytes that it caused to be written to disks.")
        .needs(Needs::Disk),
    rate("WCANCL", &["disk.cancelled_sectors"], Sector, "Of these, bytes that weren't written after all.")
        .needs(Needs::Disk),
    rate("TCPRCV", &["net.tcp_in"], One, "TCP segments received.").needs(Needs::Net),
    rate("TCPSND", &["net.tcp_out"], One, "TCP segments sent.").needs(Needs::Net),
    rate("TCPRCVB", &["net.tcp_in_bytes"], One, "Bytes received by TCP.").needs(Needs::Net),
    rate("TCPSNDB", &["net.tcp_out_bytes"], One, "Bytes sent by TCP.").needs(Needs::Net),
    rate("UDPRCV", &["net.udp_in"], One, "UDP datagrams received.").needs(Needs::Net),
    rate("UDPSND", &["net.udp_out"], One, "UDP datagrams sent.").needs(Needs::Net),
    rate("UDPRCVB", &["net.udp_in_bytes"], One, "Bytes received by UDP.").needs(Needs::Net),
    rate("UDPSNDB", &["net.udp_out_bytes"], One, "Bytes sent by UDP.").needs(Needs::Net),
];

pub(super) const TASK_STATE: &[Counter] = &[
    now("PID", "gen.pid", One, "Id of the process or thread."),
    now("TGID", "gen.tgid", One, "Id of its process."),
    now("PPID", "gen.ppid", One, "Id of its parent."),
    now(
        "S",
        "gen.state",
        One,
        "Its state, as the ASCII code of the letter: 82 R, 83 S, 68 D, 90 Z; 69 E has ended.",
    ),
    other("NICE", Value::Signed("cpu.nice"), One, "Its niceness.").needs(Needs::Alive),
    other("PRI", Value::Signed("cpu.priority"), One, "Its priority.").needs(Needs::Alive),
    now("RTPR", "cpu.rt_priority", One, "Its real-time priority.").needs(Needs::Alive),
    now("POLI", "cpu.policy", One, "Number of its scheduling policy.").needs(Needs::Alive),
    now("CPUNR", "cpu.cpu", One, "The processor that it ran on last.").needs(Needs::Alive),
    other("elapsed", Value::Since("gen.start"), One, "Time since it began.").needs(Needs::Alive),
];

const fn held(name: &'static str, field: &'static str, help: &'static str) -> Counter {
    Counter::new(name, Value::Now(field), Kib, help).needs(Needs::Memory)
}

pub(super) const PROCESS: &[Counter] = &[
    now("THR", "gen.threads", One, "Threads.").needs(Needs::Alive),
    now("TRUN", "gen.threads_run", One, "Of them, those that run.").needs(Needs::Alive),
    now("TSLPI", "gen.threads_sleep", One, "Those that sleep.").needs(Needs::Alive),
    now("TSLPU", "gen.threads_disk", One, "Those that can't be interrupted.").needs(Needs::Alive),
    now("TIDLE", "gen.threads_idle", One, "Idle threads of the kernel.").needs(Needs::Alive),
    now("RUID", "gen.ruid", One, "Id of its user."),
    now("EUID", "gen.euid", One, "Id of the user whose rights it has.").needs(Needs::Alive),
    now("RGID", "gen.rgid", One, "Id of its group."),
    now("EGID", "gen.egid", One, "Id of the group whose rights it has.").needs(Needs::Alive),
    other(
        "EXC",
        Value::ExitCode("gen.exit_code"),
        One,
        "Its exit code, or 256 and the signal that ended it.",
    )
    .needs(Needs::Ended),
    held("VSIZE", "mem.virtual", "Address space, in bytes."),
    held("RSIZE", "mem.resident", "Memory in use, shared or not."),
    other("PSIZE", Value::NowIfSet("mem.proportional"), Kib, "Memory in use, what is shared by its users.")
        .needs(Needs::Memory),
    held("VSTEXT", "mem.exec", "Code of the program."),
    held("VDATA", "mem.data", "Private data."),
    held("VSTACK", "mem.stack", "Stack."),
    other("VDATA+VSTACK", Value::Both("mem.data", "mem.stack"), Kib, "VDATA and VSTACK together.")
        .needs(Needs::Memory),
    held("VSLIBS", "mem.libraries", "Code of libraries."),
    held("SWAPSZ", "mem.swap", "Swap space in use."),
    held("LOCKSZ", "mem.locked", "Locked memory."),
    other("VGROW", Value::Growth("mem.virtual_growth"), Kib, "Growth of VSIZE.").needs(Needs::Memory),
    other("RGROW", Value::Growth("mem.resident_growth"), Kib, "Growth of RSIZE.").needs(Needs::Memory),
    now("OOMSCR", "mem.oom_score", One, "How likely it is to be killed for want of memory.")
        .needs(Needs::Alive),
    other("OOMADJ", Value::Signed("mem.oom_adjust"), One, "What is added to that.").needs(Needs::Alive),
    now("CPUWGT", "cpu.cg_cpu_weight", One, "Weight of its cgroup.").needs(Needs::Cgroup),
    now("CPUMAX", "cpu.cg_cpu_max", Points, "Limit of its cgroup, in percent of one processor.")
        .needs(Needs::Cgroup),
    now("CPUMAXR", "cpu.cg_cpu_max_strict", Points, "The least limit of its cgroup and those above.")
        .needs(Needs::Cgroup),
    held("MEMMAX", "mem.cg_mem_max", "Limit of memory of its cgroup.").needs(Needs::Cgroup),
    held("MMMAXR", "mem.cg_mem_max_strict", "The least of its cgroup and those above.").needs(Needs::Cgroup),
    held("SWPMAX", "mem.cg_swap_max", "Limit of swap space of its cgroup.").needs(Needs::Cgroup),
    held("SWMAXR", "mem.cg_swap_max_strict", "The least of its cgroup and those above.").needs(Needs::Cgroup),
    now("GPUS", "gpu.gpus", One, "GPUs that it uses.").needs(Needs::Gpu),
    now("GPULIFE", "gpu.busy", Points, "GPU busy over its life, in percent.").needs(Needs::Gpu),
    now("GPUMLIFE", "gpu.mem_busy", Points, "GPU memory busy over its life, in percent.").needs(Needs::Gpu),
    other("GPUBUSY", Value::Share(&["gpu.busy_cum"], &["gpu.samples"]), Points, "GPU busy, in percent.")
        .needs(Needs::Gpu),
    other(
        "GPUMBUSY",
        Value::Share(&["gpu.mem_busy_cum"], &["gpu.samples"]),
        Points,
        "GPU memory busy, in percent.",
    )
    .needs(Needs::Gpu),
    now("GPUMEM", "gpu.mem_now", Kib, "GPU memory in use.").needs(Needs::Gpu),
    other("GPUMEMAVG", Value::Share(&["gpu.mem_cum"], &["gpu.samples"]), Kib, "The same on average.")
        .needs(Needs::Gpu),
];
