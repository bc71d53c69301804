//! Selections that select nothing: an error if that holds for all of it, a warning if for a part.

use pyo3::prelude::*;
use recount::{Capture, NoSamples, Pattern, Selection, Timeline, list, near_name};

use crate::errors::{selection_error, warn_of_selection};
use crate::interrupt::work;

/// Checks, before values are read, that the objects and counters exist which patterns name. Instances aren't known yet: what
/// has to be read for them is checked [afterwards](check_matched).
pub(crate) fn check_names(py: Python<'_>, captures: &[Capture], selection: &Selection) -> PyResult<()> {
    let doubtful: Vec<Pattern> =
        selection.patterns().iter().filter(|pattern| !may_match(pattern, captures)).cloned().collect();
    if doubtful.is_empty() {
        return Ok(());
    }
    // Some formats know their objects only after reading.
    let watched = doubtful.into_iter().collect::<Selection>().watched();
    let (inside, owned) = (watched.clone(), captures.to_vec());
    work(py, move |_| list(&owned, &inside))?;
    complain(py, captures, &watched, selection.patterns().len())
}

/// Checks, after values were read, that every pattern has matched a counter. `num_rows` is what was found.
pub(crate) fn check_matched(
    py: Python<'_>,
    captures: &[Capture],
    selection: &Selection,
    num_rows: usize,
) -> PyResult<()> {
    let num_patterns = if num_rows == 0 { selection.patterns().len() } else { usize::MAX };
    complain(py, captures, selection, num_patterns)
}

/// An error if as many patterns as there are match nothing, a warning if some do.
fn complain(py: Python<'_>, captures: &[Capture], watched: &Selection, num_patterns: usize) -> PyResult<()> {
    let unmatched: Vec<Pattern> = watched.unmatched().cloned().collect();
    if unmatched.is_empty() {
        return Ok(());
    }
    let owned = captures.to_vec();
    let is_all = unmatched.len() == num_patterns;
    let text = work(py, move |_| text_of(&unmatched, &owned))?;
    if is_all {
        return Err(selection_error(py, &format!("{text}; counters() lists those that there are")));
    }
    warn_of_selection(py, &text)
}

/// Patterns that are named in a message.
const MAX_NAMED: usize = 10;

fn text_of(unmatched: &[Pattern], captures: &[Capture]) -> String {
    let named: Vec<String> = unmatched.iter().take(MAX_NAMED).map(ToString::to_string).collect();
    let more = unmatched.len() - named.len();
    let more = if more > 0 { format!(", and {more} more patterns") } else { String::new() };
    let any_of = if unmatched.len() > 1 { "any of " } else { "" };
    let near = unmatched.iter().take(MAX_NAMED).find_map(|pattern| near_name(pattern, captures));
    let near = near.map(|near| format!("; {near}")).unwrap_or_default();
    format!("no counter matches {any_of}{}{more}{near}", named.join(", "))
}

/// Whether some counter could match, by what is known without reading samples.
fn may_match(pattern: &Pattern, captures: &[Capture]) -> bool {
    captures.iter().flat_map(|capture| capture.source.objects()).any(|(host, object)| {
        let is_named = match pattern {
            Pattern::Path(_) => pattern.may_match_object(&host, &object.name) || host.is_empty(),
            // A text may also be of a path, or of an instance.
            Pattern::Contains(_) => true,
        };
        is_named
            && object.counters.iter().any(|counter| match pattern {
                Pattern::Path(_) => pattern.may_match_counter(&object.name, &counter.name),
                Pattern::Contains(_) => pattern.matches(&host, &object.name, None, &counter.name),
            })
    })
}

/// A span that ends before it begins is an error; one without samples is worth a warning.
pub(crate) fn check_span(py: Python<'_>, timeline: &Timeline) -> PyResult<()> {
    match timeline.no_samples() {
        Some(error @ NoSamples::Reversed) => {
            Err(selection_error(py, &format!("{error}: begin is after end")))
        }
        Some(error @ NoSamples::Outside { .. }) => warn_of_selection(py, &error.to_string()),
        _ => Ok(()),
    }
}
