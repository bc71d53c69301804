//! What of a run is to be cooked.

use std::sync::Arc;

use recount_model::{Column, Instance, Pattern, Run, Selection};

/// What of a run is to be cooked.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Instances to keep, ascending; `None`: all.
    pub(crate) keep: Option<Vec<usize>>,
    /// Counters to cook, ascending, each with its mask over the instances kept; `None`: all of them.
    pub(crate) counters: Vec<(usize, Option<Arc<[bool]>>)>,
}

impl Plan {
    /// Applies a selection to a run. Bases are planned only `with_bases`.
    pub(crate) fn new(run: &Run, selection: &Selection, with_bases: bool) -> Plan {
        let counters = run.object.counters.iter().enumerate();
        let shown = counters.filter(|(_, def)| with_bases || !def.is_base()).map(|(index, _)| index);
        if selection.is_all() {
            let with_mask = |index: usize| (index, mask_of(run, index));
            return Plan { keep: None, counters: shown.map(with_mask).collect() };
        }
        let matcher = Matcher::new(run, selection);
        let masks: Vec<(usize, Vec<bool>)> = shown
            .map(|counter| (counter, matcher.instances_of(run, counter)))
            .filter(|(_, mask)| mask.contains(&true))
            .collect();
        let keep: Vec<usize> =
            (0..run.instances.len()).filter(|i| masks.iter().any(|(_, mask)| mask[*i])).collect();
        let counters = masks
            .into_iter()
            .map(|(counter, mask)| (counter, keep.iter().map(|i| mask[*i]).collect::<Vec<bool>>()))
            .map(|(counter, mask)| (counter, mask.contains(&false).then(|| mask.into())))
            .collect();
        Plan { keep: (keep.len() < run.instances.len()).then_some(keep), counters }
    }
}

/// Whether a column covers an instance.
pub(crate) fn covers(column: &Column, instance: usize) -> bool {
    column.covers.as_ref().is_none_or(|mask| mask.get(instance).is_some_and(|covered| *covered))
}

/// The run's own mask of a counter, if it leaves an instance out.
fn mask_of(run: &Run, counter: usize) -> Option<Arc<[bool]>> {
    let column = run.columns.get(counter)?;
    let mask =
        column.covers.as_ref().filter(|mask| mask.contains(&false) || mask.len() < run.instances.len())?;
    if mask.len() == run.instances.len() {
        return Some(Arc::clone(mask));
    }
    Some((0..run.instances.len()).map(|instance| covers(column, instance)).collect())
}

/// A selection, prepared for one run: a pattern that names a path is matched against each instance once and
/// against each counter once, not against every pair of them.
struct Matcher<'a> {
    paths: Vec<PathMatcher>,
    texts: Vec<&'a Pattern>,
}

struct PathMatcher {
    /// The path without its instance.
    counter: Pattern,
    /// Per instance.
    instances: Vec<bool>,
}

impl<'a> Matcher<'a> {
    fn new(run: &Run, selection: &'a Selection) -> Matcher<'a> {
        let mut matcher = Matcher { paths: Vec::new(), texts: Vec::new() };
        for pattern in selection.patterns.iter().filter(|p| p.may_match_object(&run.host, &run.object.name)) {
            let Pattern::Path(path) = pattern else {
                matcher.texts.push(pattern);
                continue;
            };
            let mut counter = path.clone();
            (counter.parent, counter.instance, counter.index) = (None, None, None);
            let mut any_counter = path.clone();
            "*".clone_into(&mut any_counter.counter);
            let any_counter = Pattern::Path(any_counter);
            let matches = |i: &Instance| any_counter.matches(&run.host, &run.object.name, shown(run, i), "");
            let instances = run.instances.iter().map(matches).collect();
            matcher.paths.push(PathMatcher { counter: Pattern::Path(counter), instances });
        }
        matcher
    }

    /// The instances for which a counter is selected and there.
    fn instances_of(&self, run: &Run, counter: usize) -> Vec<bool> {
        let (host, object) = (&run.host, &run.object.name);
        let name = run.object.counters.get(counter).map_or("", |def| &def.name);
        let is_covered = |i| run.columns.get(counter).is_none_or(|column| covers(column, i));
        let paths: Vec<&PathMatcher> =
            self.paths.iter().filter(|p| p.counter.matches(host, object, None, name)).collect();
        let matches = |(i, instance): (usize, &Instance)| {
            is_covered(i)
                && (paths.iter().any(|path| path.instances[i])
                    || self.texts.iter().any(|text| text.matches(host, object, shown(run, instance), name)))
        };
        run.instances.iter().enumerate().map(matches).collect()
    }
}

/// The instance as patterns want it: none for an object without instances.
fn shown<'a>(run: &Run, instance: &'a Instance) -> Option<&'a Instance> {
    run.object.instanced.then_some(instance)
}
