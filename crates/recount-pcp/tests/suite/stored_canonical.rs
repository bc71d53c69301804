//! Real archives with canonical names: the values equal those of the underlying metrics, which are checked against
//! PCP's own tools (`stored_archives.rs`).

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{Selection, Source};

use support::{Cells, cells, cook, open};

/// Own and canonical values.
fn both(name: &str) -> (Cells, Cells) {
    let source: Arc<dyn Source> = Arc::new(open(name));
    let canonical = source.canonical().expect("names");
    let cook = |source| cells(&cook(source, 1 << 20, &Selection::all()));
    (cook(&source), cook(&canonical))
}

/// Values by time and instance.
fn column(cells: &Cells, object: &str, counter: &str) -> BTreeMap<(i64, String), f64> {
    let of = |(key, value): (&(i64, String, String, String), &Result<f64, _>)| {
        (key.1 == object && key.2 == counter).then_some(((key.0, key.3.clone()), value.ok()?))
    };
    cells.iter().filter_map(of).collect()
}

/// Metrics whose values are those of a canonical counter, times a factor.
const SAME: [(&str, &str, &str, &str, f64); 14] = [
    ("disk.dev", "read", "PhysicalDisk", "Disk Reads/sec", 1.0),
    ("disk.dev", "write_bytes", "PhysicalDisk", "Disk Write Bytes/sec", 1.0),
    ("disk.dev", "read_bytes", "PhysicalDisk", "Disk Read Bytes/sec", 1.0),
    ("disk.dev", "avactive", "PhysicalDisk", "% Busy Time", 100.0),
    ("disk.dev", "read_rawactive", "PhysicalDisk", "Avg. Disk Read Queue Length", 1.0),
    ("network.interface.in", "bytes", "Network Interface", "Bytes Received/sec", 1.0),
    ("network.interface.out", "packets", "Network Interface", "Packets Sent/sec", 1.0),
    ("kernel.all", "pswitch", "System", "Context Switches/sec", 1.0),
    ("kernel.all", "intr", "System", "Interrupts/sec", 1.0),
    ("mem.util", "available", "Memory", "Available Bytes", 1.0),
    ("mem.util", "committed_AS", "Memory", "Committed Bytes", 1.0),
    ("mem.vmstat", "pgpgin", "Memory", "Block Bytes Input/sec", 1024.0),
    ("mem.vmstat", "pgfault", "Memory", "Page Faults/sec", 1.0),
    ("kernel.all.pressure.memory.some", "total", "Memory", "% Pressure Some Time", 100.0),
];

const ARCHIVES: [&str; 10] = [
    "good/pcp-zeroconf",
    "good/pmatop-log",
    "good/pcp-atop",
    "good/disk-a",
    "good/small",
    "good/20130706-a",
    "good/20180606",
    "good/20190628.04.03",
    "good/pmiostat_mark",
    "own/live-v3",
];

#[test]
#[ignore = "reads ../shared/data"]
fn single_metrics_are_the_same_numbers() {
    let mut num_of_counter: BTreeMap<&str, usize> = BTreeMap::new();
    for name in ARCHIVES {
        let (own, canonical) = both(name);
        for (object, counter, as_object, as_counter, factor) in SAME {
            let (expected, found) =
                (column(&own, object, counter), column(&canonical, as_object, as_counter));
            assert_eq!(found.len(), expected.len(), "{name} {as_counter}");
            for (key, value) in found {
                let expected = expected[&key] * factor;
                assert!((value - expected).abs() <= expected.abs() * 1e-12, "{name} {as_counter} {key:?}");
                *num_of_counter.entry(as_counter).or_default() += 1;
            }
        }
    }
    for (.., as_counter, _) in SAME {
        assert!(
            num_of_counter.get(as_counter).is_some_and(|num| *num >= 4),
            "{as_counter}: {num_of_counter:?}"
        );
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn processors_are_shares_of_all_ticks() {
    const BUSY: [(&str, &str); 6] =
        [("", "user"), ("", "nice"), ("", "sys"), (".irq", "hard"), (".irq", "soft"), ("", "steal")];
    // The archives of mpstat count guests separately.
    const BUSY_APART: [(&str, &str); 8] = [
        ("", "vuser"),
        ("", "guest"),
        ("", "vnice"),
        ("", "guest_nice"),
        ("", "sys"),
        (".irq", "hard"),
        (".irq", "soft"),
        ("", "steal"),
    ];
    let all = |name: &str, busy: &[(&str, &str)]| {
        let (own, canonical) = both(name);
        let mut num_cells = 0;
        for prefix in ["kernel.all.cpu", "kernel.percpu.cpu"] {
            let metric = |(below, counter): (&str, &str)| column(&own, &format!("{prefix}{below}"), counter);
            let busy: Vec<_> = busy.iter().copied().map(metric).collect();
            let idle = [("", "idle"), (".wait", "total")].map(metric);
            for ((time, instance), value) in column(&canonical, "Processor", "% Processor Time") {
                if (instance == "_Total") != (prefix == "kernel.all.cpu") {
                    continue;
                }
                let own = if instance == "_Total" { String::new() } else { format!("cpu{instance}") };
                let sum = |columns: &[BTreeMap<(i64, String), f64>]| {
                    columns.iter().map(|column| column[&(time, own.clone())]).sum::<f64>()
                };
                let (busy, idle) = (sum(&busy), sum(&idle));
                let expected = 100.0 * busy / (busy + idle);
                assert!((value - expected).abs() < 1e-9, "{name} {instance}: {value} {expected}");
                num_cells += 1;
            }
        }
        num_cells
    };
    let num_cells = [
        all("good/pcp-zeroconf", &BUSY),
        all("good/pmatop-log", &BUSY),
        // The total only: parts are missing for single CPUs.
        all("own/live-v3", &BUSY),
        all("good/pcp-mpstat3", &BUSY_APART),
    ];
    assert_eq!(
        num_cells,
        [261, 15, 94, 25],
        "samples but the first of each stretch, times CPUs and their total"
    );
}

#[test]
#[ignore = "reads ../shared/data"]
fn no_archive_is_refused_or_changed() {
    let mut num_values = 0;
    for name in ARCHIVES {
        let (own, canonical) = both(name);
        for (key, value) in &own {
            assert_eq!(canonical.get(key), Some(value), "{name} {key:?}");
        }
        num_values += canonical.len() - own.len();
    }
    assert!(num_values > 50_000, "{num_values}");
}
