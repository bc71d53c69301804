//! Joins stretches of values that belong to one object.

use std::collections::BTreeMap;

use recount_model::{Cooked, CookedColumn, SampleTime, Status};

/// Joins values from several objects of the recorder into one object: a list of stretches, in order of time, from each
/// of them.
pub(super) fn join(mut from: Vec<Vec<Cooked>>) -> Vec<Cooked> {
    let Some(mut first) = from.pop() else { return Vec::new() };
    if from.is_empty() {
        return first;
    }
    let is_alike = |others: &Vec<Cooked>| {
        others.len() == first.len()
            && others.iter().zip(&first).all(|(one, other)| is_same_stretch(one, other))
    };
    if !from.iter().all(is_alike) {
        return by_sample(from.into_iter().chain([first]));
    }
    for (at, joined) in first.iter_mut().enumerate() {
        for others in &mut from {
            joined.columns.append(&mut others[at].columns);
        }
        joined.columns.sort_by_key(|column| column.counter);
    }
    first
}

fn is_same_stretch(one: &Cooked, other: &Cooked) -> bool {
    one.times == other.times && one.instances == other.instances && one.continued == other.continued
}

/// If one of the objects is missing in some samples, each sample becomes a stretch. Samples of the same time are
/// matched by their order.
fn by_sample(from: impl Iterator<Item = Vec<Cooked>>) -> Vec<Cooked> {
    let mut samples: BTreeMap<(SampleTime, usize), Vec<Cooked>> = BTreeMap::new();
    for stretches in from {
        let mut last: Option<(SampleTime, usize)> = None;
        for single in
            stretches.iter().flat_map(|stretch| (0..stretch.num_samples()).map(|at| sample(stretch, at)))
        {
            let time = single.times[0];
            let number = last.filter(|(before, _)| *before == time).map_or(0, |(_, number)| number + 1);
            last = Some((time, number));
            let of_time = samples.entry((time, number)).or_default();
            match of_time.iter_mut().find(|other| other.instances == single.instances) {
                Some(other) => {
                    other.columns.extend(single.columns);
                    other.columns.sort_by_key(|column| column.counter);
                }
                None => of_time.push(single),
            }
        }
    }
    samples.into_values().flatten().collect()
}

/// One sample of a stretch.
fn sample(stretch: &Cooked, at: usize) -> Cooked {
    let num = stretch.instances.len();
    let cells = at * num..(at + 1) * num;
    let column = |column: &CookedColumn| CookedColumn {
        counter: column.counter,
        values: column.values[cells.clone()].to_vec(),
        status: column.status.as_ref().map(|status: &Vec<Status>| status[cells.clone()].to_vec()),
        covers: column.covers.clone(),
        texts: None,
    };
    Cooked {
        host: stretch.host.clone(),
        object: stretch.object.clone(),
        instances: stretch.instances.clone(),
        times: vec![stretch.times[at]],
        interval_s: vec![stretch.interval_s[at]],
        gaps: Vec::new(),
        first_s: Vec::new(),
        continued: if at == 0 { stretch.continued.clone() } else { vec![true; num] },
        columns: stretch.columns.iter().map(column).collect(),
        raw: None,
    }
}
