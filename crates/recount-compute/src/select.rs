//! Selecting parts of a run or of cooked values.

use std::sync::Arc;

use recount_model::{Instance, MatchNote, ObjectDef, Pattern, Run, Selection};

use crate::compact::{Rows, compact};
use crate::{Cooked, CookedColumn};

/// Which part of a run to cook, or of cooked values to keep.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Instances to keep, ascending; `None` for all.
    pub(crate) keep: Option<Vec<usize>>,
    /// Counters to keep, ascending, each with its mask over the instances kept; `None` for all of them.
    pub(crate) counters: Vec<(usize, Option<Arc<[bool]>>)>,
}

impl Plan {
    /// Applies a selection to a run. Bases and hidden counters are included only `with_hidden`.
    pub(crate) fn new(run: &Run, selection: &Selection, with_hidden: bool) -> Plan {
        let counters = run.object.counters.iter().enumerate();
        let shown = counters.filter(|(_, def)| with_hidden || !def.is_hidden()).map(|(index, _)| index);
        if selection.is_all() {
            let with_mask = |index: usize| (index, mask_of(run, index));
            return Plan { keep: None, counters: shown.map(with_mask).collect() };
        }
        let subject = Subject { host: &run.host, object: &run.object, instances: &run.instances };
        let is_covered =
            |counter: usize, i: usize| run.columns.get(counter).is_none_or(|column| column.covers(i));
        Plan::of(subject, selection, shown.map(|counter| (counter, move |i: usize| is_covered(counter, i))))
    }

    /// Applies a selection to counters, each with a test for which instances have it.
    fn of<F: Fn(usize) -> bool>(
        subject: Subject<'_>,
        selection: &Selection,
        counters: impl Iterator<Item = (usize, F)>,
    ) -> Plan {
        let matcher = Matcher::new(subject, selection);
        let masks: Vec<(usize, Vec<bool>)> = counters
            .map(|(counter, is_covered)| (counter, matcher.instances_of(counter, is_covered)))
            .filter(|(_, mask)| mask.contains(&true))
            .collect();
        let num_instances = subject.instances.len();
        let keep: Vec<usize> =
            (0..num_instances).filter(|i| masks.iter().any(|(_, mask)| mask[*i])).collect();
        let counters = masks
            .into_iter()
            .map(|(counter, mask)| (counter, keep.iter().map(|i| mask[*i]).collect::<Vec<bool>>()))
            .map(|(counter, mask)| (counter, mask.contains(&false).then(|| mask.into())))
            .collect();
        Plan { keep: (keep.len() < num_instances).then_some(keep), counters }
    }
}

/// Applies a selection to values that were cooked without one.
pub fn select_cooked(mut cooked: Cooked, selection: &Selection) -> Cooked {
    if selection.is_all() {
        return cooked;
    }
    let subject = Subject { host: &cooked.host, object: &cooked.object, instances: &cooked.instances };
    let counters = cooked.columns.iter().map(|column| (column.counter, |i: usize| column.covers(i)));
    let Plan { keep, counters } = Plan::of(subject, selection, counters);
    let num_instances = cooked.instances.len();
    let rows = keep.as_deref().map(|keep| Rows { num_instances, keep });
    let mut wanted = counters.into_iter().peekable();
    let select = |column: CookedColumn| {
        let (_, covers) = wanted.next_if(|(counter, _)| *counter == column.counter)?;
        Some(match rows {
            None => CookedColumn { covers, ..column },
            Some(rows) => CookedColumn {
                counter: column.counter,
                values: rows.cells(&column.values),
                status: column.status.map(|status| rows.cells(&status)),
                covers,
                texts: column.texts.map(|texts| rows.cells(&texts)),
            },
        })
    };
    cooked.columns = cooked.columns.into_iter().filter_map(select).collect();
    if let Some(keep) = keep {
        cooked.instances = keep.iter().map(|i| cooked.instances[*i].clone()).collect();
        cooked.continued = keep.iter().map(|i| cooked.continued[*i]).collect();
        cooked.raw = cooked.raw.map(|raw| {
            let num_real = keep.partition_point(|i| *i < raw.instances.len());
            Arc::new(compact(&raw, &keep[..num_real], |_| true))
        });
    }
    cooked
}

/// The run's own mask of a counter, if it leaves an instance out.
fn mask_of(run: &Run, counter: usize) -> Option<Arc<[bool]>> {
    let column = run.columns.get(counter)?;
    let mask =
        column.covers.as_ref().filter(|mask| mask.contains(&false) || mask.len() < run.instances.len())?;
    if mask.len() == run.instances.len() {
        return Some(Arc::clone(mask));
    }
    Some((0..run.instances.len()).map(|instance| column.covers(instance)).collect())
}

/// The subject of a selection.
#[derive(Clone, Copy)]
struct Subject<'a> {
    host: &'a str,
    object: &'a ObjectDef,
    instances: &'a [Instance],
}

impl<'a> Subject<'a> {
    /// The instance for patterns: `None` for an object without instances.
    fn shown(self, instance: &'a Instance) -> Option<&'a Instance> {
        self.object.instanced.then_some(instance)
    }
}

/// A selection, prepared for one instance table: a path pattern is matched once per instance and once per
/// counter, not once per pair.
struct Matcher<'a> {
    subject: Subject<'a>,
    paths: Vec<PathMatcher<'a>>,
    texts: Vec<(&'a Pattern, MatchNote<'a>)>,
}

struct PathMatcher<'a> {
    /// The path without its instance.
    counter: Pattern,
    note: MatchNote<'a>,
    /// Per instance.
    instances: Vec<bool>,
}

impl<'a> Matcher<'a> {
    fn new(subject: Subject<'a>, selection: &'a Selection) -> Matcher<'a> {
        let mut matcher = Matcher { subject, paths: Vec::new(), texts: Vec::new() };
        let (host, object) = (subject.host, &*subject.object.name);
        for (pattern, note) in selection.noted().filter(|(p, _)| p.may_match_object(host, object)) {
            let Pattern::Path(path) = pattern else {
                matcher.texts.push((pattern, note));
                continue;
            };
            let mut counter = path.clone();
            (counter.parent, counter.instance, counter.index) = (None, None, None);
            let mut any_counter = path.clone();
            "*".clone_into(&mut any_counter.counter);
            let any_counter = Pattern::Path(any_counter);
            let matches = |i: &Instance| any_counter.matches(host, object, subject.shown(i), "");
            let instances = subject.instances.iter().map(matches).collect();
            matcher.paths.push(PathMatcher { counter: Pattern::Path(counter), note, instances });
        }
        matcher
    }

    /// The instances for which a counter is selected and present.
    fn instances_of(&self, counter: usize, is_covered: impl Fn(usize) -> bool) -> Vec<bool> {
        let subject = self.subject;
        let (host, object) = (subject.host, &*subject.object.name);
        let name = subject.object.counters.get(counter).map_or("", |def| &def.name);
        let paths: Vec<&PathMatcher<'_>> =
            self.paths.iter().filter(|p| p.counter.matches(host, object, None, name)).collect();
        let matches = |(i, instance): (usize, &'a Instance)| {
            let shown = subject.shown(instance);
            let by_path = paths.iter().filter(|path| path.instances[i]).map(|path| path.note);
            let by_text = self.texts.iter().filter(|(text, _)| text.matches(host, object, shown, name));
            let matching = by_path.chain(by_text.map(|(_, note)| *note));
            is_covered(i) && matching.map(MatchNote::matched).count() > 0
        };
        subject.instances.iter().enumerate().map(matches).collect()
    }
}
