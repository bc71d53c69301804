//! Applies a saved view to the current captures: patterns become series, and the span becomes times.

use recount::TimeBound;
use recount_analysis::report::{ViewChart, ViewFile};
use recount_analysis::roster::Roster;
use recount_model::Pattern;
use serde::Serialize;

use super::name::{Place, SeriesName};
use super::overview::SeriesRef;
use super::side::Side;
use super::side::read;
use super::time::ms;

/// Series of a chart; more aren't told apart.
const MAX_SERIES: usize = 24;

/// The view in the form that the page draws first.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SavedView {
    from_ms: Option<f64>,
    to_ms: Option<f64>,
    /// Why a time of the view is unknown; `None` if all are known.
    error: Option<String>,
    charts: Vec<SavedChart>,
}

#[derive(Clone, Debug, Serialize)]
struct SavedChart {
    title: String,
    series: Vec<SeriesRef>,
    stacked: bool,
    logarithmic: bool,
}

impl SavedView {
    /// Why a time of the view is unknown; `None` if all are known.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Whether its span isn't reversed.
    pub(crate) fn is_in_order(&self) -> bool {
        self.from_ms.zip(self.to_ms).is_none_or(|(from, to)| from < to)
    }
}

/// The view of the first side, as far as its series are known yet.
pub(crate) fn saved_view(side: &Side, view: &ViewFile) -> SavedView {
    let mut error = None;
    let mut time = |text: &Option<String>| match moment(side, text.as_deref()?) {
        Ok(time) => time,
        Err(found) => {
            error = Some(found);
            None
        }
    };
    let (from_ms, to_ms) = (time(&view.view.begin), time(&view.view.end));
    let counted = read(side);
    let charts = view.charts.iter().map(|chart| SavedChart {
        title: chart.title.clone(),
        series: series(&counted.roster, chart),
        stacked: chart.stacked,
        logarithmic: chart.logarithmic,
    });
    SavedView { from_ms, to_ms, error, charts: charts.collect() }
}

fn moment(side: &Side, text: &str) -> Result<Option<f64>, String> {
    let bound: TimeBound = text.parse().map_err(|error| format!("{error}"))?;
    let found = side.timeline.moment(&bound).map_err(|error| error.to_string())?;
    Ok(found.map(|time| ms(time.0.saturating_add(side.shift))))
}

/// The series that a chart's patterns match, in their order.
fn series(roster: &Roster, chart: &ViewChart) -> Vec<SeriesRef> {
    let mut found: Vec<Place> = Vec::new();
    // They were checked when the file was read.
    for pattern in chart.counters.iter().filter_map(|counter| counter.parse::<Pattern>().ok()) {
        for place in places(roster, &pattern) {
            if found.len() == MAX_SERIES {
                break;
            }
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    let names = found.into_iter().filter_map(|place| SeriesName::at(roster, place));
    names.map(|name| SeriesRef { side: 0, path: name.path() }).collect()
}

fn places<'a>(roster: &'a Roster, pattern: &'a Pattern) -> impl Iterator<Item = Place> + 'a {
    roster.objects().iter().enumerate().flat_map(move |(object, entry)| {
        entry.instances.iter().enumerate().flat_map(move |(instance, of)| {
            let is_meant =
                move |name: &str| pattern.matches(&entry.host, &entry.name, of.instance.as_ref(), name);
            let counters = entry.counters.iter().enumerate().filter(move |(_, def)| is_meant(&def.name));
            counters.map(move |(counter, _)| Place { object, instance, counter })
        })
    })
}
