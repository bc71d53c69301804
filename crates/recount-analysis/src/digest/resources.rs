//! Utilisation, saturation and errors of every resource (Gregg's USE method), as far as the capture has counters of them.

use serde::Serialize;

use super::series::{Series, rounded};
use crate::load::is_loopback;
use crate::report::{Observed, groups_of_area};
use crate::rules::{DISKS, Severity};
use crate::shown::{short, unit_of};

/// A resource of a machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Resource {
    /// The machine, if there are several.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// `processors`, `memory`, `disk sda`, `network eth0`, `tcp`.
    pub resource: String,
    /// How busy or full it was; `None`: the capture doesn't say.
    pub utilisation: Option<Measure>,
    /// How much had to wait for it.
    pub saturation: Option<Measure>,
    /// What failed.
    pub errors: Option<Measure>,
    /// The worst finding of rules about it: `critical`, `warning`, `info`, `nothing found`, or `not checked`.
    pub rules: &'static str,
    /// The instance, as last shown.
    #[serde(skip)]
    instance: Option<String>,
    /// The larger, the busier, compared with its like.
    #[serde(skip)]
    rank: f64,
    #[serde(skip)]
    kind: usize,
}

/// Figures of a counter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measure {
    /// The counter.
    pub counter: String,
    /// Unit; may be empty.
    pub unit: &'static str,
    /// Mean over time.
    pub mean: Option<f64>,
    /// Its worst value, or how much it grew.
    pub worst: f64,
    /// What that is: `max`, `min` or `growth`.
    pub worst_is: &'static str,
}

/// How a counter says it.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// High values are bad.
    High,
    /// Low values are bad.
    Low,
    /// Time in which it was idle, in %: shown as what is left of 100.
    Idle,
    /// Counted since the machine was booted.
    Growth,
}

type Sought = (&'static str, &'static str, How);

struct Kind {
    name: &'static str,
    /// The area of rules.
    area: &'static str,
    /// The objects of its instances; none if there is only one.
    objects: &'static [&'static str],
    /// Utilisation, saturation, errors: the first counter that the capture has.
    sought: [&'static [Sought]; 3],
}

const KINDS: [Kind; 6] = [
    Kind {
        name: "processors",
        area: "processors",
        objects: &[],
        sought: [
            &[
                ("Processor", "% Processor Time", How::High),
                ("Processor Information", "% Processor Time", How::High),
            ],
            &[
                ("System", "% CPU Pressure Some Time", How::High),
                ("System", "Processor Queue Length", How::High),
                ("System", "Runnable Threads", How::High),
            ],
            &[],
        ],
    },
    Kind {
        name: "memory",
        area: "memory",
        objects: &[],
        sought: [
            &[
                ("Memory", "Available Bytes", How::Low),
                ("Memory", "Available MBytes", How::Low),
                ("Memory", "Available KBytes", How::Low),
            ],
            &[
                ("Memory", "% Pressure Some Time", How::High),
                ("Memory", "Swap Pages Input/sec", How::High),
                ("Memory", "Pages Input/sec", How::High),
                ("Memory", "Pages/sec", How::High),
            ],
            &[("Memory", "Out Of Memory Kills/sec", How::High)],
        ],
    },
    Kind {
        name: "page file",
        area: "memory",
        objects: &[],
        sought: [&[("Paging File", "% Usage", How::High)], &[], &[]],
    },
    Kind {
        name: "disk",
        area: "disks",
        objects: &["PhysicalDisk", "LogicalDisk"],
        sought: [
            &[
                ("", "% Idle Time", How::Idle),
                ("", "% Disk Time", How::High),
                ("", "Disk Bytes/sec", How::High),
            ],
            &[("", "Avg. Disk Queue Length", How::High), ("", "Current Disk Queue Length", How::High)],
            &[],
        ],
    },
    Kind {
        name: "network",
        area: "network",
        objects: &["Network Interface", "Network Adapter"],
        sought: [
            &[("", "Bytes Total/sec", How::High), ("", "Bytes Received/sec", How::High)],
            &[("", "Output Queue Length", How::High), ("", "Packets Outbound Discarded", How::Growth)],
            &[("", "Packets Received Errors", How::Growth), ("", "Packets Outbound Errors", How::Growth)],
        ],
    },
    Kind {
        name: "tcp",
        area: "network",
        objects: &[],
        sought: [
            &[],
            &[],
            &[
                ("TCPv4", "Segments Retransmitted/sec", How::High),
                ("TCP", "Segments Retransmitted/sec", How::High),
            ],
        ],
    },
];

/// The resources of a capture by kind, the busiest of each first.
pub(super) fn resources(observed: &Observed, series: &[Series<'_>]) -> Vec<Resource> {
    let mut hosts: Vec<&str> = Vec::new();
    for one in series {
        if !hosts.contains(&one.named.host) {
            hosts.push(one.named.host);
        }
    }
    let mut all: Vec<Resource> = Vec::new();
    for host in &hosts {
        let own: Vec<Series<'_>> = series.iter().filter(|one| one.named.host == *host).copied().collect();
        for (number, kind) in KINDS.iter().enumerate() {
            let shown = if hosts.len() > 1 { short(host) } else { String::new() };
            all.extend(kind.found(&own).into_iter().map(|found| Resource {
                host: shown.clone(),
                kind: number,
                rules: kind.judged(observed, host, found.instance.as_deref()),
                ..found
            }));
        }
    }
    // Stable: what is equally busy stays in the order of the capture.
    all.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.rank.total_cmp(&a.rank)));
    all
}

/// Of each kind the first `most`.
pub(super) fn busiest(all: &[Resource], most: usize) -> Vec<Resource> {
    let mut counts = [0_usize; KINDS.len()];
    let is_shown = |resource: &&Resource| {
        counts[resource.kind] += 1;
        counts[resource.kind] <= most
    };
    all.iter().filter(is_shown).cloned().collect()
}

impl Kind {
    /// What rules say about a resource of this kind.
    fn judged(&self, observed: &Observed, host: &str, instance: Option<&str>) -> &'static str {
        let groups = groups_of_area(self.area);
        let worst: Option<Severity> = observed
            .findings
            .iter()
            .filter(|finding| finding.host == host && groups.contains(&finding.group.as_str()))
            .filter(|finding| self.is_about(&finding.object, finding.instance.as_deref(), instance))
            .map(|finding| finding.severity)
            .max();
        match worst {
            Some(severity) => severity.as_str(),
            None if observed.num_rules() == 0 => "not checked",
            None if observed.unchecked.iter().any(|open| open.about == self.area) => "not checked",
            None => "nothing found",
        }
    }

    /// Whether a finding of its area, about an instance of an object, is about a resource of this kind. One that names no instance is
    /// about all of them.
    fn is_about(&self, object: &str, named: Option<&str>, instance: Option<&str>) -> bool {
        let object = if DISKS.contains(&object) { DISKS[0] } else { object };
        let is_named = |kind: &Kind| {
            let mut sought = kind.sought.iter().flat_map(|sought| sought.iter());
            kind.objects.contains(&object) || sought.any(|(of, ..)| *of == object)
        };
        if !is_named(self) && KINDS.iter().any(|kind| kind.area == self.area && is_named(kind)) {
            return false;
        }
        let named = named.filter(|name| *name != "_Total");
        match (named, instance) {
            (None, _) => true,
            (Some(_), None) => self.objects.is_empty(),
            // A disk of Windows is called as its volumes: `0 C: D:`.
            (Some(named), Some(instance)) => {
                self.objects.contains(&object)
                    && (named == instance || instance.split(' ').skip(1).any(|volume| volume == named))
            }
        }
    }

    /// The resources of this kind that a machine has.
    fn found(&self, own: &[Series<'_>]) -> Vec<Resource> {
        if self.objects.is_empty() {
            let is_only = |one: &Series<'_>| {
                let is_same = |other: &&Series<'_>| {
                    other.named.object == one.named.object && other.named.counter == one.named.counter
                };
                own.iter().filter(|other| other.is_whole()).filter(is_same).count() == 1
            };
            let is_machine = |one: &&Series<'_>| one.is_whole() && (one.is_grand() || is_only(one));
            let whole: Vec<Series<'_>> = own.iter().filter(is_machine).copied().collect();
            return self.resource(self.name.to_owned(), "", &whole).into_iter().collect();
        }
        let Some(object) =
            self.objects.iter().find(|object| own.iter().any(|one| one.named.object == **object))
        else {
            return Vec::new();
        };
        let parts = || own.iter().filter(|one| one.named.object == *object);
        // Where only the total was recorded, it is all that is known.
        let has_parts = parts().any(|one| !one.is_whole());
        let mut names: Vec<&str> = Vec::new();
        for one in parts().filter(|one| one.is_whole() != has_parts) {
            let name = one.shown.unwrap_or_default();
            if !names.contains(&name) && !is_loopback(name) {
                names.push(name);
            }
        }
        let one = |name: &&str| {
            let of_name: Vec<Series<'_>> =
                parts().filter(|one| one.shown.unwrap_or_default() == *name).copied().collect();
            let found = self.resource(format!("{} {}", self.name, short(name)), object, &of_name)?;
            Some(Resource { instance: Some((*name).to_owned()), ..found })
        };
        names.iter().filter_map(one).collect()
    }

    /// `None` if no counter of it is there.
    fn resource(&self, name: String, object: &str, series: &[Series<'_>]) -> Option<Resource> {
        let [utilisation, saturation, errors] = self.sought.map(|all| {
            all.iter().find_map(|sought| {
                let is_it = |one: &&Series<'_>| {
                    one.named.counter == sought.1
                        && (one.named.object == sought.0 || one.named.object == object)
                };
                measured(series.iter().find(is_it)?, sought.2)
            })
        });
        let rank = match &utilisation {
            Some(measure) if measure.worst_is == "min" => -measure.worst,
            Some(measure) => measure.mean.unwrap_or(measure.worst),
            None => 0.0,
        };
        let is_known = utilisation.is_some() || saturation.is_some() || errors.is_some();
        is_known.then(|| Resource {
            host: String::new(),
            resource: name,
            utilisation,
            saturation,
            errors,
            rules: "",
            instance: None,
            rank,
            kind: 0,
        })
    }
}

fn measured(series: &Series<'_>, how: How) -> Option<Measure> {
    let figures = series.figures;
    let counter = series.named.counter;
    let unit = unit_of(counter, series.named.unit);
    let (counter, mean, worst, worst_is) = match how {
        How::High => (short(counter), figures.mean, figures.max?, "max"),
        How::Low => (short(counter), figures.mean, figures.min?, "min"),
        How::Idle => {
            let busy = |idle: f64| 100.0 - idle;
            (format!("100 - {counter}"), figures.mean.map(busy), busy(figures.min?), "max")
        }
        // A counter that was set back says nothing about how much it grew.
        How::Growth => {
            let growth = figures.last? - figures.first?;
            (growth >= 0.0 && figures.min == figures.first).then_some((
                short(counter),
                None,
                growth,
                "growth",
            ))?
        }
    };
    Some(Measure { counter, unit, mean: mean.map(rounded), worst: rounded(worst), worst_is })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_about_the_instances_that_they_name() {
        let kind = |name: &str| KINDS.iter().find(|kind| kind.name == name).expect(name);
        for (name, instance, object, named, expected) in [
            ("network", Some("eth0"), "Network Interface", Some("eth0"), true),
            ("network", Some("eth1"), "Network Interface", Some("eth0"), false),
            ("network", Some("eth1"), "Network Interface", None, true),
            ("network", Some("eth1"), "Network Interface", Some("_Total"), true),
            ("network", Some("eth0"), "TCPv4", None, false),
            ("tcp", None, "TCPv4", None, true),
            ("tcp", None, "Network Interface", Some("eth0"), false),
            ("disk", Some("sda"), "PhysicalDisk", Some("sda"), true),
            ("disk", Some("sdb"), "PhysicalDisk", Some("sda"), false),
            ("disk", Some("dev8-0"), "sar.disk", Some("dev8-0"), true),
            ("disk", Some("dev8-16"), "sar.disk", Some("dev8-0"), false),
            ("disk", Some("sda"), "LogicalDisk", Some("/"), false),
            ("disk", Some("0 C: D:"), "LogicalDisk", Some("D:"), true),
            ("disk", Some("1 E:"), "LogicalDisk", Some("D:"), false),
            ("disk", Some("sda"), "System", None, true),
            ("disk", Some("sda"), "Process", Some("dd"), false),
            ("memory", None, "Paging File", Some("C:"), false),
            ("page file", None, "Paging File", Some("_Total"), true),
            ("processors", None, "Processor", Some("0"), true),
            ("processors", None, "System", None, true),
        ] {
            assert_eq!(
                kind(name).is_about(object, named, instance),
                expected,
                "{name} {instance:?} {object} {named:?}"
            );
        }
    }
}
