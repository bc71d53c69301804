//! The first charts: those of the report, chosen by names and by what is known about the series so far.

use recount_analysis::report::{Candidate, charted};
use recount_analysis::roster::Roster;
use recount_analysis::stats::Extent;
use serde::Serialize;

use super::name::{Place, SeriesName};

/// A series in the form used by requests.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SeriesRef {
    pub(crate) side: usize,
    pub(crate) path: String,
}

/// One of the first charts.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OverviewChart {
    title: String,
    unit: &'static str,
    pub(crate) series: Vec<SeriesRef>,
    note: Option<String>,
}

/// The charts of side 0, with the same series of other sides that have them.
pub(crate) fn overview(
    roster: &Roster,
    others: &[&Roster],
    known: impl Fn(Place) -> Option<Extent>,
) -> Vec<OverviewChart> {
    let mut places: Vec<Place> = Vec::new();
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for (object, entry) in roster.objects().iter().enumerate() {
        for instance in 0..entry.instances.len() {
            for counter in 0..entry.counters.len() {
                let place = Place { object, instance, counter };
                let Some(extent) = known(place) else { continue };
                places.push(place);
                let weight = if extent.weight > 0.0 { extent.weighted } else { extent.sum };
                let range = [extent.min, extent.max].map(|value| extent.has_values().then_some(value));
                candidates.push(Candidate::new(entry, (instance, counter), weight, range));
            }
        }
    }
    let chart = |chart: recount_analysis::report::Charted| {
        let title = match chart.series.first() {
            Some(first) if chart.title.is_empty() => recount_analysis::shown::short(&format!(
                "{}: {}",
                candidates[*first].object, candidates[*first].counter
            )),
            _ => chart.title.to_owned(),
        };
        let mut series = Vec::new();
        for name in chart.series.iter().filter_map(|at| SeriesName::at(roster, places[*at])) {
            series.push(SeriesRef { side: 0, path: name.path() });
            let has = |(_, other): &(usize, &&Roster)| name.place_anywhere(other).is_some();
            for (number, other) in others.iter().enumerate().filter(has) {
                if let Some(path) = name.place_anywhere(other).and_then(|place| SeriesName::at(other, place))
                {
                    series.push(SeriesRef { side: number + 1, path: path.path() });
                }
            }
        }
        OverviewChart { title, unit: chart.unit, series, note: chart.note }
    };
    charted(&candidates).into_iter().map(chart).collect()
}
