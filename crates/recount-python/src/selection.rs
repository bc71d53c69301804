//! Selections that select nothing: an error if that holds for all of it, a warning if for a part.

use pyo3::prelude::*;
use recount::{Capture, CounterPath, NoSamples, Pattern, Selection, Timeline, list, unmatched_text};

use crate::errors::{selection_error, warn_of_selection};
use crate::interrupt::work;

/// Checks, before values are read, that the objects and counters exist which patterns name. Instances aren't known yet: what
/// has to be read for them is checked [afterwards](check_matched).
pub(crate) fn check_names(py: Python<'_>, captures: &[Capture], selection: &Selection) -> PyResult<()> {
    let doubtful: Vec<Pattern> =
        selection.patterns().iter().filter(|pattern| !may_match(pattern, captures)).cloned().collect();
    look_for(py, captures, doubtful, selection.patterns().len())
}

/// Checks, before values are read, that an object exists.
pub(crate) fn check_object(py: Python<'_>, captures: &[Capture], object: &str) -> PyResult<()> {
    let mut known = captures.iter().flat_map(|capture| capture.source.objects());
    if known.any(|(_, known)| known.name.to_lowercase() == object.to_lowercase()) {
        return Ok(());
    }
    look_for(py, captures, vec![Pattern::Path(CounterPath::of("", object, None, "*"))], 1)
}

/// Reads what doubtful patterns match: some formats know their objects only afterwards.
fn look_for(
    py: Python<'_>,
    captures: &[Capture],
    doubtful: Vec<Pattern>,
    num_patterns: usize,
) -> PyResult<()> {
    if doubtful.is_empty() {
        return Ok(());
    }
    let watched = doubtful.into_iter().collect::<Selection>().watched();
    let (inside, owned) = (watched.clone(), captures.to_vec());
    work(py, move |_| list(&owned, &inside))?;
    complain(py, captures, &watched, num_patterns)
}

/// Checks, after values were read, that every pattern has matched a counter, of the object if one is asked for. `num_rows` is what
/// was found.
pub(crate) fn check_matched(
    py: Python<'_>,
    captures: &[Capture],
    selection: &Selection,
    object: Option<&str>,
    num_rows: usize,
) -> PyResult<()> {
    let num_patterns = if num_rows == 0 { selection.patterns().len() } else { usize::MAX };
    complain(py, captures, selection, num_patterns)?;
    match object {
        Some(object) if num_rows == 0 && num_patterns > 0 => Err(selection_error(
            py,
            &format!("no counter of {object} matches {}", named(selection.patterns().iter())),
        )),
        _ => Ok(()),
    }
}

/// An error if as many patterns as there are match nothing, a warning if some do.
fn complain(py: Python<'_>, captures: &[Capture], watched: &Selection, num_patterns: usize) -> PyResult<()> {
    let unmatched: Vec<Pattern> = watched.unmatched().cloned().collect();
    if unmatched.is_empty() {
        return Ok(());
    }
    let owned = captures.to_vec();
    let is_all = unmatched.len() == num_patterns;
    let text = work(py, move |_| unmatched_text(&unmatched, &owned))?.unwrap_or_default();
    if is_all {
        return Err(selection_error(py, &format!("{text}; counters() lists those that there are")));
    }
    warn_of_selection(py, &text)
}

/// Patterns that are named in a message.
const MAX_NAMED: usize = 10;

/// The patterns in words, at most some of them.
fn named<'p>(patterns: impl ExactSizeIterator<Item = &'p Pattern>) -> String {
    let (count, any_of) = (patterns.len(), if patterns.len() > 1 { "any of " } else { "" });
    let named: Vec<String> = patterns.take(MAX_NAMED).map(ToString::to_string).collect();
    let more = count - named.len();
    let more = if more > 0 { format!(", and {more} more patterns") } else { String::new() };
    format!("{any_of}{}{more}", named.join(", "))
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
        Some(error @ (NoSamples::Outside { .. } | NoSamples::Between { .. })) => {
            warn_of_selection(py, &error.to_string())
        }
        _ => Ok(()),
    }
}
