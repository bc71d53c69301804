//! How large a change is for people, and how much they look at a counter.

use crate::shown::bytes_in;

/// From 0 to 1: how large a change is. Percentages count by their points, everything else by how many times larger or smaller it
/// is; and little of anything counts little.
pub(crate) fn size(before: f64, after: f64, scale_before: f64, unit: &str, counter: &str) -> f64 {
    let by = (after - before).abs();
    if unit == "%" {
        return (by / 100.0).min(1.0).sqrt();
    }
    // Few values before have a large spread.
    let least = 1e-9 + scale_before.abs().min(0.05 * by);
    let (small, large) = (before.abs().min(after.abs()) + least, before.abs().max(after.abs()) + least);
    let times = if before.signum() == after.signum() || before == 0.0 || after == 0.0 {
        large / small
    } else {
        f64::INFINITY
    };
    (1.0 - 1.0 / times) * (by / (by + little(unit, counter)))
}

/// Of which amount half is counted.
fn little(unit: &str, counter: &str) -> f64 {
    if let Some(bytes) = bytes_in(unit) {
        let least = if unit.ends_with("/sec") { 1_048_576.0 } else { 67_108_864.0 };
        return least / bytes;
    }
    let name = counter.to_lowercase();
    match unit {
        "/sec" => 100.0,
        "sec" => 0.002,
        _ if name.contains("queue") => 0.5,
        _ if name.ends_with("/sec") && name.contains("byte") => 1_048_576.0,
        _ if name.ends_with("/sec") => 100.0,
        _ if name.contains("bytes") => 67_108_864.0,
        _ => 3.0,
    }
}

/// Words of a counter's object and name, and how much people look at it. The first that fits is used.
const LOOKED_AT: [(&str, &str, f64); 44] = [
    ("processor", "% processor time", 1.0),
    ("processor", "% idle", 0.5),
    ("processor", "interrupt", 0.6),
    ("processor", "dpc", 0.6),
    ("processor", "%", 0.75),
    ("processor", "", 0.4),
    ("physicaldisk", "read bytes/sec", 0.95),
    ("physicaldisk", "write bytes/sec", 0.95),
    ("physicaldisk", "bytes/sec", 0.94),
    ("physicaldisk", "transfers/sec", 0.7),
    ("physicaldisk", "reads/sec", 0.7),
    ("physicaldisk", "writes/sec", 0.7),
    ("physicaldisk", "% idle", 0.5),
    ("physicaldisk", "split", 0.4),
    ("physicaldisk", "bytes/", 0.6),
    ("physicaldisk", "", 0.9),
    ("logicaldisk", "bytes/sec", 0.93),
    ("logicaldisk", "transfers/sec", 0.68),
    ("logicaldisk", "reads/sec", 0.68),
    ("logicaldisk", "writes/sec", 0.68),
    ("logicaldisk", "% idle", 0.5),
    ("logicaldisk", "bytes/", 0.6),
    ("logicaldisk", "", 0.88),
    ("network", "bandwidth", 0.2),
    ("network", "bytes", 0.95),
    ("network", "", 0.75),
    ("tcp", "memory", 0.3),
    ("pressure", "", 0.85),
    ("memory", "available", 0.95),
    ("memory", "commit", 0.85),
    ("memory", "pages", 0.75),
    ("memory", "faults", 0.6),
    ("memory", "", 0.6),
    ("paging file", "", 0.8),
    ("system", "queue", 0.8),
    ("system", "load average", 0.35),
    ("system", "", 0.6),
    ("process", "% processor time", 0.65),
    ("process", "working set", 0.6),
    ("process", "private bytes", 0.6),
    ("process", "bytes/sec", 0.6),
    ("process", "", 0.3),
    ("thread", "", 0.2),
    ("", "", 0.6),
];

/// From 0 to 1: how much people look at a counter. One processor counts less than all.
pub(crate) fn weight(object: &str, counter: &str, instance: Option<&str>) -> f64 {
    let is_detail = object.contains('.') && object.starts_with(|first: char| first.is_ascii_lowercase());
    let (object, counter) = (object.to_lowercase(), counter.to_lowercase());
    let fits = |(of_object, of_counter, _): &&(&str, &str, f64)| {
        object.starts_with(of_object) && counter.contains(of_counter)
    };
    // Names of PCP's own that have no Windows name are details.
    if is_detail {
        return 0.29;
    }
    let weight = LOOKED_AT.iter().find(fits).map_or(0.5, |(_, _, weight)| *weight);
    // "Process" begins as "Processor" does: processors come first, and have other counters.
    let is_part = object.starts_with("processor") && instance.is_some_and(|name| !name.ends_with("_Total"));
    if is_part { 0.6 * weight } else { weight }
}

/// Counters that say who or when, not how much.
const NOT_AMOUNTS: [&str; 8] = [
    "ID Process",
    "ID Thread",
    "Creating Process ID",
    "Elapsed Time",
    "System Up Time",
    "Start Address",
    "Thread State",
    "Thread Wait Reason",
];

/// Whether a counter says how much of something there is.
pub(crate) fn says_how_much(counter: &str) -> bool {
    !NOT_AMOUNTS.iter().any(|name| counter.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_counts_little() {
        let of_percent = |before, after| size(before, after, 0.0, "%", "% Processor Time");
        assert!((of_percent(10.0, 91.0) - 0.9).abs() < 1e-12 && of_percent(0.0, 1.0) <= 0.1);
        let traffic = |before, after| size(before, after, 0.0, "bytes/sec", "Disk Bytes/sec");
        assert!(traffic(0.0, 5e7) > 0.95 && traffic(0.0, 4_096.0) < 0.01 && traffic(1e9, 1.1e9) < 0.1);
        assert!(size(0.1, 8.0, 0.1, "", "Current Disk Queue Length") > 0.85);
    }

    #[test]
    fn totals_are_looked_at_first() {
        let of = |instance| weight("Processor", "% Processor Time", Some(instance));
        assert!(of("_Total") > of("3"));
        assert!(weight("Process", "% Processor Time", Some("dd")) < of("_Total"));
        assert!(weight("Process", "Handle Count", Some("dd")) < weight("Anything", "Else", None));
    }

    /// What is used up, or waited for, says more than how many times something was done, or than an average of the past.
    #[test]
    fn resources_come_before_counts() {
        let of_disk = |counter| weight("PhysicalDisk", counter, Some("vda"));
        for resource in
            ["% Disk Time", "Current Disk Queue Length", "Avg. Disk sec/Read", "Disk Read Bytes/sec"]
        {
            for count in ["Disk Transfers/sec", "Disk Reads/sec", "Disk Writes/sec"] {
                assert!(of_disk(resource) > 1.2 * of_disk(count), "{resource} {count}");
            }
        }
        let of_system = |counter| weight("System", counter, None);
        assert!(of_system("Processor Queue Length") > 2.0 * of_system("Load Average 1 Minute x100"));
        assert!(of_system("Context Switches/sec") > of_system("Load Average 15 Minutes x100"));
    }
}
