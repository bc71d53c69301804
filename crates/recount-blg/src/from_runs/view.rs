//! The part of a run that is written: which cells of which counters.

use std::collections::HashMap;

use recount_model::{Instance, Run, Selection, number_namesakes};

use super::cells::{BadCells, LastBases, failed_cells, misread_bases, recipe, unfit_cells};
use super::identity::{self, Tail};

/// The part of a run that is written.
pub(super) struct RunView<'r> {
    pub(super) run: &'r Run,
    pub(super) counters: Vec<CounterView>,
    pub(super) bad: BadCells,
    /// How many of its values a record can't express.
    pub(super) num_unfit: u64,
}

/// The part of a run's counter that is written.
pub(super) struct CounterView {
    /// Its index in the run.
    pub(super) counter: usize,
    /// The instances for which it is written, in the run's order.
    pub(super) instances: Vec<u32>,
    /// Whether they all fit into one record.
    pub(super) fits_one_record: bool,
}

/// The runs before, in pass order.
#[derive(Default)]
pub(super) struct Earlier {
    /// The last run of each object.
    tails: HashMap<usize, Tail>,
    bases: LastBases,
}

impl Earlier {
    /// The next run, of the object with a number.
    pub(super) fn view<'r>(&mut self, run: &'r Run, object: usize, selection: &Selection) -> RunView<'r> {
        let mut unfit = unfit_cells(run);
        unfit.extend(misread_bases(run, object, &mut self.bases));
        let view = RunView::new(run, selection, unfit, self.tails.get(&object));
        self.tails.extend(Tail::of(run).map(|tail| (object, tail)));
        view
    }
}

impl<'r> RunView<'r> {
    /// `tail` is the end of the previous run of the same object; `None` if they aren't compared.
    fn new(run: &'r Run, selection: &Selection, unfit: BadCells, tail: Option<&Tail>) -> RunView<'r> {
        let mut bad = failed_cells(run);
        let mut selected = selected(run, selection);
        add_identity(run, &mut selected);
        for instance in tail.map(|tail| tail.breaks(run)).unwrap_or_default() {
            for (counter, _) in &selected {
                // A value over two samples would compare two different things.
                let formula = recipe(&run.object.counters[*counter]).map(|(_, recipe)| recipe.formula);
                if formula.is_some_and(recount_model::Formula::needs_two_samples) {
                    bad.insert((*counter as u32, 0, instance));
                }
            }
        }
        let num_unfit =
            if unfit.is_empty() { 0 } else { num_selected(run, &selected, unfit.difference(&bad)) };
        bad.extend(unfit);
        let partly_bad = partly_bad(run, &selected, &bad);
        let mut fits_by_instances: Vec<(Vec<u32>, bool)> = Vec::new();
        let counters = selected.into_iter().map(|(counter, instances)| {
            let known =
                fits_by_instances.iter().find(|(known, _)| *known == instances).map(|(_, fits)| *fits);
            let named = known.unwrap_or_else(|| {
                let fits = are_distinct_by_name(run, &instances);
                fits_by_instances.push((instances.clone(), fits));
                fits
            });
            let needs_multi =
                recipe(&run.object.counters[counter]).is_some_and(|(_, recipe)| recipe.formula.needs_multi());
            let fits_one_record =
                run.object.instanced && named && !needs_multi && !partly_bad.contains(&(counter as u32));
            CounterView { counter, instances, fits_one_record }
        });
        RunView { run, counters: counters.collect(), bad, num_unfit }
    }
}

/// How many of the cells are selected.
fn num_selected<'c>(
    run: &Run,
    selected: &[(usize, Vec<u32>)],
    cells: impl Iterator<Item = &'c (u32, u32, u32)>,
) -> u64 {
    let mut is_selected = vec![vec![false; run.instances.len()]; run.columns.len()];
    for (counter, instances) in selected {
        for &instance in instances {
            is_selected[*counter][instance as usize] = true;
        }
    }
    cells.filter(|(counter, _, instance)| is_selected[*counter as usize][*instance as usize]).count() as u64
}

/// The selected counters and instances. Bases, and counters that aren't shown, only serve others.
fn selected(run: &Run, selection: &Selection) -> Vec<(usize, Vec<u32>)> {
    let mut all = Vec::new();
    for (counter, (def, column)) in run.object.counters.iter().zip(&run.columns).enumerate() {
        if def.is_hidden() || !def.is_told_by_type() {
            continue;
        }
        let matches = |instance| selection.matches(&run.host, &run.object.name, instance, &def.name);
        let is_wanted = |at: &u32| {
            let at = *at as usize;
            let named = run.object.instanced.then(|| &run.instances[at]);
            column.covers.as_ref().is_none_or(|covers| covers[at]) && matches(named)
        };
        let instances: Vec<u32> = (0..run.instances.len() as u32).filter(is_wanted).collect();
        // An object that is present but empty.
        if !instances.is_empty() || (run.instances.is_empty() && matches(None)) {
            all.push((counter, instances));
        }
    }
    all
}

/// Adds the counters that distinguish instances, for all instances written.
fn add_identity(run: &Run, selected: &mut Vec<(usize, Vec<u32>)>) {
    let mut written: Vec<u32> = selected.iter().flat_map(|(_, instances)| instances).copied().collect();
    written.sort_unstable();
    written.dedup();
    if written.is_empty() {
        return;
    }
    for counter in identity::counters(run) {
        let covers = run.columns.get(counter).and_then(|column| column.covers.as_ref());
        let instances = written.iter().copied().filter(|at| covers.is_none_or(|covers| covers[*at as usize]));
        let instances: Vec<u32> = instances.collect();
        match selected.iter_mut().find(|(known, _)| *known == counter) {
            Some((_, known)) => *known = instances,
            None => selected.push((counter, instances)),
        }
    }
    selected.sort_by_key(|(counter, _)| *counter);
}

/// Counters that have, in some sample, both good and bad cells: a record has only one status.
fn partly_bad(run: &Run, selected: &[(usize, Vec<u32>)], bad: &BadCells) -> Vec<u32> {
    if bad.is_empty() {
        return Vec::new();
    }
    let is_partly = |(counter, instances): &&(usize, Vec<u32>)| {
        (0..run.num_samples() as u32).any(|sample| {
            let is_bad = |instance: &&u32| bad.contains(&(*counter as u32, sample, **instance));
            let num_bad = instances.iter().filter(is_bad).count();
            num_bad != 0 && num_bad != instances.len()
        })
    };
    selected.iter().filter(is_partly).map(|(counter, _)| *counter as u32).collect()
}

/// Whether names in this order identify the instances: a record has no parents, and numbers instances of the
/// same name from its first.
fn are_distinct_by_name(run: &Run, instances: &[u32]) -> bool {
    let written = || instances.iter().map(|&at| &run.instances[at as usize]);
    let mut numbered: Vec<Instance> = written().cloned().collect();
    number_namesakes(&mut numbered);
    numbered.iter().zip(written()).all(|(read, instance)| {
        instance.parent.is_none() && read.ordinal == instance.ordinal && !instance.name.contains('\0')
    })
}
