//! The task structure: a process or a thread (`formats/atop.md#task-part`).
//!
//! Reserved space holds left-over heap memory of the recorder, so it is never read, and a field isn't read in a version
//! that doesn't define it.

use super::layout::{Item, Kind, Type, block, diffs, facts, fields, gauges, reserved};

/// The task structure.
pub const TASK: &[Item] = &[
    block("gen", GENERAL),
    block("cpu", CPU),
    block(
        "disk",
        &[
            diffs(&["reads", "read_sectors", "writes", "written_sectors", "cancelled_sectors"]),
            reserved(Type::I64, 4),
        ],
    ),
    block("mem", MEMORY),
    block(
        "net",
        &[
            diffs(&["tcp_out", "tcp_out_bytes", "tcp_in", "tcp_in_bytes"]),
            diffs(&["udp_out", "udp_out_bytes", "udp_in", "udp_in_bytes"]),
            reserved(Type::I64, 6),
        ],
    ),
    block("gpu", GPU).since(4),
];

const fn now(of: Type, names: &'static [&'static str]) -> Item {
    fields(of, Kind::Gauge, names)
}

const GENERAL: &[Item] = &[
    facts(Type::I32, &["tgid", "pid", "ppid"]),
    facts(Type::I32, &["ruid", "euid", "suid", "fsuid", "rgid", "egid", "sgid", "fsgid"]),
    now(Type::I32, &["threads"]),
    facts(Type::Text(16), &["name"]),
    facts(Type::C8, &["is_process"]),
    now(Type::C8, &["state"]),
    fields(Type::I32, Kind::Other, &["exit_code"]),
    facts(Type::I64, &["start", "elapsed"]),
    facts(Type::Text(256), &["cmdline"]),
    now(Type::I32, &["threads_sleep", "threads_disk", "threads_run"]),
    now(Type::I32, &["threads_idle"]).since(10),
    facts(Type::I32, &["ctid", "vpid"]),
    fields(Type::I32, Kind::Other, &["was_inactive"]),
    facts(Type::Text(16), &["container"]).until(12),
    facts(Type::Text(40), &["container"]).since(13),
    facts(Type::Text(64), &["cgroup_path"]).since(8).until(10),
    facts(Type::I32, &["cgroup_index"]).since(11),
    reserved(Type::I32, 4).since(11),
];

const CPU: &[Item] = &[
    diffs(&["user", "system"]),
    now(Type::I32, &["nice", "priority", "rt_priority", "policy", "cpu", "sleep_avg"]),
    reserved(Type::I32, 4).until(7),
    facts(Type::I32, &["cg_cpu_weight", "cg_cpu_max", "cg_cpu_max_strict"]).since(8).until(10),
    reserved(Type::I32, 3).since(8).until(10),
    reserved(Type::I32, 6).since(11),
    reserved(Type::I64, 4).until(5),
    now(Type::Text(16), &["wait_channel"]).since(6),
    diffs(&["run_delay"]).since(6),
    reserved(Type::I64, 1).since(6).until(7),
    diffs(&["block_delay"]).since(8),
    reserved(Type::I64, 3).since(8).until(8),
    diffs(&["voluntary_switches", "involuntary_switches"]).since(9),
    reserved(Type::I64, 1).since(9).until(9),
    reserved(Type::I64, 3).since(10),
];

const MEMORY: &[Item] = &[
    diffs(&["minor_faults", "major_faults"]),
    gauges(&["exec", "virtual", "resident", "proportional"]),
    diffs(&["virtual_growth", "resident_growth"]),
    gauges(&["data", "stack", "libraries", "swap"]),
    reserved(Type::I64, 4).until(5),
    gauges(&["locked"]).since(6),
    reserved(Type::I64, 3).since(6).until(7),
    facts(Type::I64, &["cg_mem_max", "cg_mem_max_strict", "cg_swap_max", "cg_swap_max_strict"])
        .since(8)
        .until(10),
    reserved(Type::I64, 3).since(8).until(10),
    reserved(Type::I64, 7).since(11).until(12),
    gauges(&["oom_score", "oom_adjust"]).since(13),
    reserved(Type::I64, 5).since(13),
];

const GPU: &[Item] = &[
    now(Type::C8, &["state"]),
    reserved(Type::C8, 3).until(12),
    now(Type::C8, &["type"]).since(13),
    reserved(Type::C8, 2).since(13),
    now(Type::I16, &["gpus"]),
    now(Type::I32, &["gpu_bits"]),
    now(Type::I32, &["busy", "mem_busy"]).until(12),
    gauges(&["time_ms"]).until(12),
    diffs(&["busy_cum", "mem_busy_cum"]).since(13),
    gauges(&["mem_now"]),
    diffs(&["mem_cum", "samples"]),
    reserved(Type::I64, 3).since(11),
];
