//! The first charts, which are useful for any capture.

use recount_model::Pattern;
use recount_tables::processes::is_process;

use super::candidate::{Candidate, Charted, MAX_SERIES};
use super::famous::other_charts;
use super::observe::Observed;
use super::view_file::{ViewChart, ViewFile};
use crate::stats::{Figures, SeriesId};

/// A chart of several series.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) unit: &'static str,
    pub(crate) series: Vec<SeriesId>,
    pub(crate) note: Option<String>,
    pub(crate) stacked: bool,
    pub(crate) logarithmic: bool,
}

/// A chart that is drawn if the capture has its counters. It uses the first list of paths that matches
/// anything.
struct OverviewChart {
    title: &'static str,
    paths: &'static [&'static [&'static str]],
    /// How many of the processes with the largest means to draw; if `None`, all in the order of the paths.
    top: Option<usize>,
}

const WANTED: [OverviewChart; 8] = [
    OverviewChart {
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
    },
    OverviewChart {
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
    },
    OverviewChart {
        title: "Disk throughput",
        paths: &[
            &[r"\PhysicalDisk(_Total)\Disk Read Bytes/sec", r"\PhysicalDisk(_Total)\Disk Write Bytes/sec"],
            &[r"\LogicalDisk(_Total)\Disk Read Bytes/sec", r"\LogicalDisk(_Total)\Disk Write Bytes/sec"],
            &[r"\PhysicalDisk(*)\Disk Bytes/sec"],
        ],
        top: None,
    },
    OverviewChart {
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
    },
    OverviewChart {
        title: "Network",
        paths: &[
            &[r"\Network Interface(*)\Bytes Received/sec", r"\Network Interface(*)\Bytes Sent/sec"],
            &[r"\Network Interface(*)\Bytes Total/sec"],
            &[r"\Network Adapter(*)\Bytes Total/sec"],
        ],
        top: Some(6),
    },
    OverviewChart {
        title: "Processes by processor time",
        paths: &[&[r"\Process(*)\% Processor Time"]],
        top: Some(6),
    },
    OverviewChart {
        title: "Processes by memory",
        paths: &[&[r"\Process(*)\Working Set"], &[r"\Process(*)\Private Bytes"]],
        top: Some(6),
    },
    OverviewChart {
        title: "Processes by I/O",
        paths: &[
            &[r"\Process(*)\IO Data Bytes/sec"],
            &[r"\Process(*)\IO Write Bytes/sec", r"\Process(*)\IO Read Bytes/sec"],
        ],
        top: Some(6),
    },
];

/// The charts of a capture. One without the usual counters has those of its own that are best known and move most.
pub(crate) fn overview(observed: &Observed) -> Vec<Chart> {
    let (candidates, met) = observed.candidates();
    let chart = |charted: Charted| Chart {
        title: charted.title.to_owned(),
        unit: charted.unit,
        series: charted.series.into_iter().map(|at| met[at]).collect(),
        note: charted.note,
        stacked: false,
        logarithmic: false,
    };
    charted(&candidates).into_iter().map(chart).collect()
}

impl Observed {
    /// The series with values, as candidates for charts, and which they are.
    pub(crate) fn candidates(&self) -> (Vec<Candidate<'_>>, Vec<SeriesId>) {
        let met = self.figures.iter().filter(|(_, figures)| figures.count > 0);
        met.map(|(id, figures)| (candidate(self, *id, figures), *id)).unzip()
    }
}

pub(super) fn candidate<'a>(observed: &'a Observed, id: SeriesId, figures: &Figures) -> Candidate<'a> {
    let object = &observed.roster.objects()[id.object as usize];
    let place = (id.instance as usize, id.counter as usize);
    Candidate::new(object, place, weight(figures), [figures.min, figures.max])
}

/// The mean of a series over the whole capture, not over its lifetime: a process that ran for a second isn't
/// a top process.
fn weight(figures: &Figures) -> f64 {
    figures.mean.unwrap_or(0.0) * figures.count as f64
}

/// The charts of a saved view, except those without a counter that has values.
pub(crate) fn charts_of(observed: &Observed, view: &ViewFile) -> Vec<Chart> {
    let (candidates, met) = observed.candidates();
    let chart = |wanted: &ViewChart| {
        let mut found: Vec<usize> = Vec::new();
        // They were checked when the file was read.
        for pattern in wanted.counters.iter().filter_map(|counter| counter.parse::<Pattern>().ok()) {
            let is_new = |at: &usize| candidates[*at].matches(&pattern) && !found.contains(at);
            let new: Vec<usize> = (0..candidates.len()).filter(is_new).collect();
            found.extend(new);
        }
        let num_found = found.len();
        found.truncate(MAX_SERIES);
        let first = *found.first()?;
        Some(Chart {
            title: wanted.title.clone(),
            unit: candidates[first].shown_unit(),
            series: found.into_iter().map(|at| met[at]).collect(),
            note: (num_found > MAX_SERIES).then(|| format!("the first {MAX_SERIES} of {num_found}")),
            stacked: wanted.stacked,
            logarithmic: wanted.logarithmic,
        })
    };
    view.charts.iter().filter_map(chart).collect()
}

/// The charts of these series, all of which have values: those that every system has, and, if they are few, others.
/// What never changes has no chart, unless nothing does.
pub fn charted(candidates: &[Candidate<'_>]) -> Vec<Charted> {
    /// With fewer, other counters follow.
    const FEW_CHARTS: usize = 6;
    let all = |is_moving: bool| -> Vec<Charted> {
        WANTED.iter().filter_map(|wanted| chart(candidates, wanted, is_moving)).collect()
    };
    let mut charts = all(true);
    let more = other_charts(candidates, &charts, FEW_CHARTS.saturating_sub(charts.len()));
    charts.extend(more);
    let still = all(false);
    // A single sample: nothing moves, and what is known says most.
    let is_still = candidates.iter().all(|candidate| candidate.spread() == 0.0);
    if is_still && !still.is_empty() { still } else { charts }
}

fn chart(candidates: &[Candidate<'_>], wanted: &OverviewChart, is_moving: bool) -> Option<Charted> {
    for paths in wanted.paths {
        let mut found: Vec<usize> = Vec::new();
        for path in *paths {
            // The paths above are valid: a test checks them.
            let Ok(pattern) = path.parse::<Pattern>() else { continue };
            found.extend((0..candidates.len()).filter(|at| candidates[*at].matches(&pattern)));
        }
        if wanted.top.is_some() {
            found.retain(|at| {
                let Candidate { instance, max, .. } = &candidates[*at];
                instance.is_none_or(is_process) && max.is_some_and(|max| max > 0.0)
            });
            found.sort_by(|a, b| candidates[*b].weight.total_cmp(&candidates[*a].weight));
        }
        if is_moving && found.iter().all(|at| candidates[*at].spread() == 0.0) {
            continue;
        }
        let most = wanted.top.unwrap_or(MAX_SERIES);
        let num_found = found.len();
        found.truncate(most);
        let Some(first) = found.first() else { continue };
        let note = (num_found > most).then(|| format!("top {most} of {num_found}"));
        let unit = candidates[*first].shown_unit();
        return Some(Charted { title: wanted.title, unit, series: found, note });
    }
    None
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
