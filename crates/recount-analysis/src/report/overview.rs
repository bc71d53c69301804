//! The first charts, which are useful for any capture.

use recount_model::Pattern;

use super::observe::Observed;
use crate::shown::unit_of;
use crate::stats::{Figures, SeriesId};

/// A chart of several series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) series: Vec<SeriesId>,
    pub(crate) note: Option<String>,
    pub(crate) wide: bool,
}

/// A chart that is drawn if the capture has its counters. It uses the first list of paths that matches
/// anything.
struct Wanted {
    title: &'static str,
    paths: &'static [&'static [&'static str]],
    /// How many of the series with the largest means to draw; if `None`, all in the order of the paths.
    top: Option<usize>,
    wide: bool,
}

const WANTED: [Wanted; 8] = [
    Wanted {
        title: "Processor",
        paths: &[
            &[
                r"\Processor(_Total)\% Processor Time",
                r"\Processor(_Total)\% Privileged Time",
                r"\Processor(_Total)\% IO Wait Time",
                r"\Processor(_Total)\% Steal Time",
            ],
            &[
                r"\Processor Information(_Total)\% Processor Time",
                r"\Processor Information(_Total)\% Privileged Time",
            ],
            &[r"\Processor(*)\% Processor Time"],
        ],
        top: None,
        wide: false,
    },
    Wanted {
        title: "Memory",
        paths: &[
            &[
                r"\Memory\Available Bytes",
                r"\Memory\Committed Bytes",
                r"\Memory\Cache Bytes",
                r"\Memory\Anonymous Bytes",
            ],
            &[r"\Memory\Available MBytes"],
        ],
        top: None,
        wide: false,
    },
    Wanted {
        title: "Disk throughput",
        paths: &[
            &[r"\PhysicalDisk(_Total)\Disk Read Bytes/sec", r"\PhysicalDisk(_Total)\Disk Write Bytes/sec"],
            &[r"\LogicalDisk(_Total)\Disk Read Bytes/sec", r"\LogicalDisk(_Total)\Disk Write Bytes/sec"],
            &[r"\PhysicalDisk(*)\Disk Bytes/sec"],
        ],
        top: None,
        wide: false,
    },
    Wanted {
        title: "Disk queue",
        paths: &[
            &[
                r"\PhysicalDisk(_Total)\Avg. Disk Queue Length",
                r"\PhysicalDisk(_Total)\Current Disk Queue Length",
            ],
            &[
                r"\PhysicalDisk(*)\Avg. Disk Queue Length",
                r"\PhysicalDisk(*)\Avg. Disk Read Queue Length",
                r"\PhysicalDisk(*)\Avg. Disk Write Queue Length",
            ],
            &[r"\LogicalDisk(*)\Avg. Disk Queue Length"],
        ],
        top: None,
        wide: false,
    },
    Wanted {
        title: "Network",
        paths: &[
            &[r"\Network Interface(*)\Bytes Received/sec", r"\Network Interface(*)\Bytes Sent/sec"],
            &[r"\Network Interface(*)\Bytes Total/sec"],
            &[r"\Network Adapter(*)\Bytes Total/sec"],
        ],
        top: Some(6),
        wide: false,
    },
    Wanted {
        title: "Processes by processor time",
        paths: &[&[r"\Process(*)\% Processor Time"]],
        top: Some(6),
        wide: true,
    },
    Wanted {
        title: "Processes by memory",
        paths: &[&[r"\Process(*)\Working Set"], &[r"\Process(*)\Private Bytes"]],
        top: Some(6),
        wide: false,
    },
    Wanted {
        title: "Processes by I/O",
        paths: &[
            &[r"\Process(*)\IO Data Bytes/sec"],
            &[r"\Process(*)\IO Write Bytes/sec", r"\Process(*)\IO Read Bytes/sec"],
        ],
        top: Some(6),
        wide: false,
    },
];

/// Maximum series per chart.
const MAX_SERIES: usize = 8;
/// Instances that are sums of others or idle time.
const NOT_TOP: [&str; 3] = ["_Total", "Idle", "System Idle Process"];

/// The charts of a capture. A capture without the usual counters gets a chart for each of its first counters.
pub(crate) fn overview(observed: &Observed) -> Vec<Chart> {
    let charts: Vec<Chart> = WANTED.iter().filter_map(|wanted| chart(observed, wanted)).collect();
    if charts.is_empty() { any_charts(observed) } else { charts }
}

fn chart(observed: &Observed, wanted: &Wanted) -> Option<Chart> {
    for paths in wanted.paths {
        let mut found: Vec<(SeriesId, &Figures)> = Vec::new();
        for path in *paths {
            // The paths above are valid: a test checks them.
            let Ok(pattern) = path.parse::<Pattern>() else { continue };
            let matching = observed
                .figures
                .iter()
                .filter(|(id, figures)| figures.count > 0 && matches(observed, *id, &pattern));
            found.extend(matching.map(|(id, figures)| (*id, figures)));
        }
        if wanted.top.is_some() {
            found.retain(|(id, figures)| {
                !is_any_of(observed, *id, &NOT_TOP) && figures.max.is_some_and(|max| max > 0.0)
            });
            found.sort_by(|(_, a), (_, b)| weight(b).total_cmp(&weight(a)));
        }
        let most = wanted.top.unwrap_or(MAX_SERIES);
        let num_found = found.len();
        let series: Vec<SeriesId> = found.into_iter().take(most).map(|(id, _)| id).collect();
        let Some(first) = series.first() else { continue };
        let note = (num_found > most).then(|| format!("top {most} of {num_found}"));
        return Some(Chart {
            title: wanted.title,
            unit: unit(observed, *first),
            series,
            note,
            wide: wanted.wide,
        });
    }
    None
}

/// The mean of a series over the whole capture, not over its lifetime: a process that ran for a second isn't
/// a top process.
fn weight(figures: &Figures) -> f64 {
    figures.mean.unwrap_or(0.0) * figures.count as f64
}

fn any_charts(observed: &Observed) -> Vec<Chart> {
    const MAX_CHARTS: usize = 6;
    let mut charts: Vec<Chart> = Vec::new();
    for (id, _) in observed.figures.iter().filter(|(_, figures)| figures.count > 0) {
        let same = |chart: &&mut Chart| {
            chart.series.first().is_some_and(|first| (first.object, first.counter) == (id.object, id.counter))
        };
        if let Some(chart) = charts.iter_mut().find(same) {
            if chart.series.len() < MAX_SERIES {
                chart.series.push(*id);
            }
        } else if charts.len() < MAX_CHARTS {
            charts.push(Chart {
                title: "",
                unit: unit(observed, *id),
                series: vec![*id],
                note: None,
                wide: false,
            });
        }
    }
    charts
}

fn unit(observed: &Observed, id: SeriesId) -> &'static str {
    let counter = &observed.roster.objects()[id.object as usize].counters[id.counter as usize];
    unit_of(&counter.name, counter.unit)
}

fn matches(observed: &Observed, id: SeriesId, pattern: &Pattern) -> bool {
    let object = &observed.roster.objects()[id.object as usize];
    let instance = object.instances[id.instance as usize].instance.as_ref();
    pattern.matches(&object.host, &object.name, instance, &object.counters[id.counter as usize].name)
}

fn is_any_of(observed: &Observed, id: SeriesId, names: &[&str]) -> bool {
    let entry = &observed.roster.objects()[id.object as usize].instances[id.instance as usize];
    entry
        .instance
        .as_ref()
        .is_some_and(|instance| names.iter().any(|name| instance.name.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_sound() {
        for path in WANTED.iter().flat_map(|wanted| wanted.paths.iter().copied().flatten()) {
            assert!(matches!(path.parse::<Pattern>(), Ok(Pattern::Path(_))), "{path}");
        }
    }
}
