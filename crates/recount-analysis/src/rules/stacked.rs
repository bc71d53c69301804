//! Devices that lie on others, such as volumes on a disk: what happens to both at once is one event.

use super::finding::Finding;
use super::verdict::{common_s, length_s};

/// Of the longer of two findings, the part that both have to have in common to be one event.
const SHARE: f64 = 0.5;
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
}

/// Without findings about devices that lie on that of another finding of the same rule, at the same times: the worse of the two names the
/// other. A device belongs to that with which it has most of its time in common.
pub(super) fn without_stacked(findings: Vec<Finding>) -> Vec<Finding> {
    // Per finding the disk that it belongs to: itself, unless it lies on another one.
    let base = |at: usize| {
        if !is_disk(&findings[at]) {
            return at;
        }
        let share = |other: usize| Some((share_of(&findings[at], &findings[other])?, other));
        let shares = (0..findings.len()).filter(|other| *other != at).filter_map(share);
        let best = shares.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
        best.map_or(at, |(_, other)| other)
    };
    let bases: Vec<usize> = (0..findings.len()).map(base).collect();
    let mut kept: Vec<(usize, Finding)> = Vec::new();
    for (finding, base) in findings.into_iter().zip(bases) {
        match (kept.iter_mut().find(|(known, _)| *known == base), finding.instance.clone()) {
            (Some((_, first)), Some(instance)) => first.with.push(instance),
            _ => kept.push((base, finding)),
        }
    }
    let named = |(_, mut finding): (usize, Finding)| {
        let names = finding.with.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        match finding.with.len().saturating_sub(MOST_NAMED) {
            _ if names.is_empty() => {}
            0 => finding.headline.push_str(&format!("; with it {names}")),
            more => finding.headline.push_str(&format!("; with it {names} and {more} more")),
        }
        finding
    };
    kept.into_iter().map(named).collect()
}

fn is_disk(finding: &Finding) -> bool {
    finding.object.eq_ignore_ascii_case("PhysicalDisk")
}

/// Of the time of both findings, the part that they have in common, if the first is about a device that may lie on that of the other.
fn share_of(one: &Finding, base: &Finding) -> Option<f64> {
    let is_same = one.order == base.order && one.host == base.host && is_disk(one) && is_disk(base);
    let (above, below) = (one.instance.as_deref()?, base.instance.as_deref()?);
    let (kind, major) = kind_of(above);
    let (kind_of_base, major_of_base) = kind_of(below);
    let lies_on = matches!(
        (kind, kind_of_base),
        (Kind::Stacked, Kind::Disk | Kind::Either) | (Kind::Either, Kind::Disk)
    );
    if !is_same || !lies_on || (major.is_some() && major == major_of_base) {
        return None;
    }
    let share = common_s(&one.spans, &base.spans) / length_s(&one.spans).max(length_s(&base.spans));
    (share >= SHARE).then_some(share)
}

/// The kind of a device, and its major number if its name has it: `dm-0`, `md127`, `dev253-0`. Linux gives 9 to `md`, and those from 252 on in the order
/// in which drivers ask (`Documentation/admin-guide/devices.txt`): to the device mapper, which counts by ones, and to virtual disks, which
/// count by sixteens.
fn kind_of(name: &str) -> (Kind, Option<u32>) {
    let is_numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    if ["dm-", "md"].iter().filter_map(|prefix| name.strip_prefix(prefix)).any(is_numbered) {
        return (Kind::Stacked, None);
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
    }
}
