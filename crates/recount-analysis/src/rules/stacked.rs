//! Devices that lie on others, such as volumes on a disk: what happens to both at once is one event.

use std::collections::HashMap;

use recount_compute::Covered;

use super::finding::Finding;
use crate::shown::short;

/// How much of the longer finding's time both must share to be one event.
const LEAST_COMMON: f64 = 0.5;
/// A device is left out if its disk has this share of its time.
const LEAST_SHARED: f64 = 0.9;
/// The objects that have disks. What sar has of them alone is under its own name.
pub(crate) const DISKS: [&str; 2] = ["PhysicalDisk", "sar.disk"];

/// So many are named.
const MOST_NAMED: usize = 3;

/// What a disk of Linux is, by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Disk,
    /// It lies on others.
    Stacked,
    /// The first of its major number, which Linux gave to disks of virtual machines or to volumes.
    Either,
    /// A file as a disk, a drive for discs, memory: no volumes lie on it.
    Other,
}

/// Joins findings of the same rule, at the same times, about a device and the disk below it. The worse one stays and names the others. A device
/// belongs to the disk with which it has most of its time in common.
pub(super) fn without_stacked(findings: Vec<Finding>) -> Vec<Finding> {
    let below = below(&findings);
    let root = |mut at: usize| {
        // None lies on a device of its own kind, so this ends.
        while below[at] != at {
            at = below[at];
        }
        at
    };
    let mut kept: Vec<Finding> = Vec::new();
    // Per device at the bottom: the first finding, and the time of all that are kept.
    let mut of_root: HashMap<usize, (usize, Covered)> = HashMap::new();
    for (at, finding) in findings.into_iter().enumerate() {
        let (first, time) = of_root.entry(root(at)).or_insert_with(|| (kept.len(), Covered::default()));
        match &finding.instance {
            Some(instance) if finding.time.share_in(time) >= LEAST_SHARED => {
                kept[*first].with.push(instance.clone());
            }
            _ => {
                time.join(&finding.time);
                kept.push(finding);
            }
        }
    }
    for finding in &mut kept {
        let names =
            finding.with.iter().take(MOST_NAMED).map(|name| short(name)).collect::<Vec<_>>().join(", ");
        match finding.with.len().saturating_sub(MOST_NAMED) {
            _ if names.is_empty() => {}
            0 => finding.headline.push_str(&format!("; with it {names}")),
            more => finding.headline.push_str(&format!("; with it {names} and {more} more")),
        }
    }
    kept
}

/// Per finding, that about the device on which its own lies, or itself.
fn below(findings: &[Finding]) -> Vec<usize> {
    let disks: Vec<(usize, Kind, Option<u32>)> = findings
        .iter()
        .enumerate()
        .filter(|(_, finding)| DISKS.iter().any(|object| finding.object.eq_ignore_ascii_case(object)))
        .filter_map(|(at, finding)| {
            let (kind, major) = kind_of(finding.instance.as_deref()?);
            Some((at, kind, major))
        })
        .collect();
    let mut below: Vec<usize> = (0..findings.len()).collect();
    for (at, kind, major) in &disks {
        let finding = &findings[*at];
        let common = |(other, kind_of_other, major_of_other): &(usize, Kind, Option<u32>)| {
            let lies_on = match (kind, kind_of_other) {
                (Kind::Stacked, Kind::Disk | Kind::Either) => true,
                // Where disks have numbers, too.
                (Kind::Either, Kind::Disk) => major_of_other.is_some(),
                _ => false,
            };
            let other_finding = &findings[*other];
            let is_same = finding.order == other_finding.order && finding.host == other_finding.host;
            if !lies_on || !is_same || (major.is_some() && major == major_of_other) {
                return None;
            }
            let share =
                finding.time.share_in(&other_finding.time).min(other_finding.time.share_in(&finding.time));
            (share >= LEAST_COMMON).then_some((share, *other))
        };
        let most = disks.iter().filter_map(common);
        if let Some((_, other)) =
            most.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)))
        {
            below[*at] = other;
        }
    }
    below
}

/// The kind of a device, and its major number if its name has it: `dm-0`, `md127`, `dev253-0`. Linux gives 9 to `md`, and those from 252 on in the order
/// in which drivers ask (`Documentation/admin-guide/devices.txt`): to the device mapper, which counts by ones, and to virtual disks, which
/// count by sixteens.
fn kind_of(name: &str) -> (Kind, Option<u32>) {
    let is_numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    if ["dm-", "md"].iter().filter_map(|prefix| name.strip_prefix(prefix)).any(is_numbered) {
        return (Kind::Stacked, None);
    }
    if ["loop", "sr", "zram", "ram"].iter().filter_map(|prefix| name.strip_prefix(prefix)).any(is_numbered) {
        return (Kind::Other, None);
    }
    let numbers = name.strip_prefix("dev").and_then(|rest| rest.split_once('-'));
    let Some((Ok(major), Ok(minor))) = numbers.map(|(major, minor)| (major.parse(), minor.parse::<u32>()))
    else {
        return (Kind::Disk, None);
    };
    let kind = match (major, minor) {
        (9, _) => Kind::Stacked,
        (252..=254, 0) => Kind::Either,
        (252..=254, minor) if minor % 16 != 0 => Kind::Stacked,
        _ => Kind::Disk,
    };
    (kind, Some(major))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_on_another_is_known_by_its_name() {
        for name in ["dm-0", "dm-12", "md0", "md127", "dev253-1", "dev9-1", "dev252-3"] {
            assert_eq!(kind_of(name).0, Kind::Stacked, "{name}");
        }
        for name in [
            "sda",
            "mdadm",
            "dm-root",
            "dev8-0",
            "dev259-1",
            "nvme0n1",
            "0 C:",
            "devx",
            "_Total",
            "dev253-16",
        ] {
            assert_eq!(kind_of(name).0, Kind::Disk, "{name}");
        }
        assert_eq!(kind_of("dev253-0"), (Kind::Either, Some(253)));
        assert_eq!(["loop0", "sr0", "zram1"].map(|name| kind_of(name).0), [Kind::Other; 3]);
    }
}
