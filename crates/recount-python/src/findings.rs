//! Reports: findings of rules, and charts.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use recount::analysis::report::{
    ReportOptions, ViewChart, ViewFile, ViewHead, figures_of_view, html, html_of_view, json, junit, markdown,
};
use recount::analysis::rules::{RuleSet, SETS, builtin, parse_rules};

use crate::capture::Capture;
use crate::errors::{failed, recount_error, warn_of};
use crate::interrupt::{Watcher, work_watched};
use crate::selection::check_matched;
use crate::wanted::Wanted;

/// A report in every format.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Report {
    #[pyo3(get)]
    json: String,
    #[pyo3(get)]
    html: String,
    #[pyo3(get)]
    markdown: String,
    #[pyo3(get)]
    junit: String,
    /// The charts that were asked for, each as an SVG file.
    #[pyo3(get)]
    figures: Vec<String>,
}

/// A chart instead of those that a report chooses: title, counters, stacked, logarithmic.
type Chart = (String, Vec<String>, bool, bool);

/// Reads captures once and makes a report. `rules` has names of sets, and texts of rule files; `None`: all sets that
/// come with recount. `baseline` is the path of one.
#[pyfunction]
#[pyo3(signature = (capture, wanted, rules, title, charts, baseline=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
pub(crate) fn report(
    py: Python<'_>,
    capture: &Capture,
    wanted: &Bound<'_, PyDict>,
    rules: Option<Vec<(String, Option<String>)>>,
    title: String,
    charts: Option<Vec<Chart>>,
    baseline: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let wanted: Wanted = wanted.extract()?;
    let sets = rule_sets(py, rules)?;
    let selection = wanted.selection(py)?;
    let options = ReportOptions { selection: selection.clone(), ..ReportOptions::default() };
    let timeline = capture.checked(py, &wanted, &selection)?;
    let baseline = baseline.as_deref().map(recount::read_baseline).transpose();
    let baseline = baseline.map_err(|error| failed(py, &error))?;
    let watcher = Watcher::of(progress, timeline.num_samples());
    let done = work_watched(py, watcher, move |cancel| {
        recount::report_against(&timeline, &sets, &options, baseline.as_ref(), &|at| cancel.step(at))
    })?;
    let observed = done.map_err(|error| failed(py, &error))?;
    check_matched(py, capture.captures(), &selection, None, observed.num_series())?;
    if observed.num_series() == 0 {
        return Err(recount_error(
            py,
            "no counter has a value there: no sample is within the span, or no counter matches",
        ));
    }
    warn_of(py, &capture.name(), &observed.health)?;
    let view = charts.map(|charts| view(&title, charts));
    let page = match &view {
        None => html(&observed, &title),
        Some(view) => html_of_view(&observed, &title, view),
    };
    Ok(Report {
        json: json(&observed).to_string(),
        html: page.map_err(|error| failed(py, &error))?,
        markdown: markdown(&observed, &title),
        figures: view.map(|view| figures_of_view(&observed, &view)).unwrap_or_default(),
        junit: junit(&observed, &title, None).map_err(|error| failed(py, &error))?,
    })
}

fn view(title: &str, charts: Vec<Chart>) -> ViewFile {
    let chart = |(title, counters, stacked, logarithmic)| ViewChart { title, counters, stacked, logarithmic };
    ViewFile {
        view: ViewHead { title: Some(title.to_owned()), ..ViewHead::default() },
        charts: charts.into_iter().map(chart).collect(),
    }
}

fn rule_sets(py: Python<'_>, rules: Option<Vec<(String, Option<String>)>>) -> PyResult<Vec<RuleSet>> {
    let all = || SETS.iter().map(|(name, _)| ((*name).to_owned(), None)).collect();
    let set = |(name, text): (String, Option<String>)| {
        let text = match (&text, builtin(&name)) {
            (Some(text), _) => text.as_str(),
            (None, Some(text)) => text,
            (None, None) => {
                let known = SETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                return Err(recount_error(
                    py,
                    &format!("unknown rule set {name:?}: there are {known}, and your own files"),
                ));
            }
        };
        parse_rules(text).map_err(|faults| {
            let lines: Vec<String> = faults.iter().map(|fault| format!("{name}: {fault}")).collect();
            recount_error(py, &lines.join("\n"))
        })
    };
    rules.unwrap_or_else(all).into_iter().map(set).collect()
}
