//! The fixed fields of a cgroup; its name follows them (`formats/atop.md#cgroup-part`).

use super::layout::{Item, Type, block, diffs, facts, gauges, reserved};

/// The cgroup structure, up to its name.
pub const CGROUP: &[Item] = &[
    block(
        "gen",
        &[
            facts(Type::I32, &["length", "sequence", "parent", "depth", "processes", "processes_below"]),
            facts(Type::I32, &["name_len", "full_name_len"]),
            reserved(Type::I32, 4),
            facts(Type::I64, &["hash"]),
            reserved(Type::I64, 4),
        ],
    ),
    block(
        "conf",
        &[
            facts(Type::I32, &["cpu_weight", "cpu_max"]),
            facts(Type::I64, &["mem_max", "swap_max"]),
            facts(Type::I32, &["disk_weight"]),
            reserved(Type::I32, 5),
            reserved(Type::I64, 5),
        ],
    ),
    block("cpu", &[diffs(&["user", "system", "some", "full"]), reserved(Type::I64, 5)]),
    block(
        "mem",
        &[
            gauges(&["current", "anon", "file", "kernel", "shmem"]),
            diffs(&["some", "full"]),
            reserved(Type::I64, 5),
        ],
    ),
    block(
        "disk",
        &[diffs(&["read_bytes", "written_bytes", "reads", "writes", "some", "full"]), reserved(Type::I64, 5)],
    ),
];
