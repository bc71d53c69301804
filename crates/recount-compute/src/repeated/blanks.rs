//! A text has a cell for each of its counters at each time. A blank one says nothing if a capture that knows better has a sample of that time without
//! the object.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use recount_model::{Authority, Cooked, Status, Timestamp};

use super::{CookedMask, Origin};
use crate::Input;

/// A machine and an object, by name.
type ObjectKey = (Arc<str>, Arc<str>);

/// Leaves out the blanks of texts at times at which another capture has the machine, but not the object, which it has elsewhere.
pub(super) fn leave_out_of_absent_objects(
    inputs: &[Input],
    (all, origins): (&[Cooked], &[Origin]),
    left_out: &mut [Option<CookedMask>],
) {
    let is_text = |at: &usize| inputs[origins[*at].capture].source.info().authority == Authority::Text;
    if !(0..all.len()).any(|at| is_text(&at)) {
        return;
    }
    let others = inputs.iter().filter(|input| input.source.info().authority > Authority::Text);
    let mut others: Vec<Other<'_>> = others.map(|input| Other { input, objects: None }).collect();
    let there: HashSet<(ObjectKey, Timestamp)> = (0..all.len())
        .filter(|at| !is_text(at))
        .flat_map(|at| all[at].times.iter().map(move |time| (key(&all[at]), time.utc)))
        .collect();
    let mut known: HashMap<(ObjectKey, Timestamp), bool> = HashMap::new();
    for at in (0..all.len()).filter(is_text) {
        let (cooked, num) = (&all[at], all[at].instances.len());
        for (sample, time) in cooked.times.iter().enumerate() {
            for column in 0..cooked.columns.len() {
                for cell in sample * num..(sample + 1) * num {
                    if cooked.columns[column].status_at(cell) != Status::InvalidData {
                        continue;
                    }
                    let place = (key(cooked), time.utc);
                    let is_absent = *known.entry(place.clone()).or_insert_with(|| {
                        !there.contains(&place) && others.iter_mut().any(|other| other.lacks(&place))
                    });
                    if is_absent {
                        *left_out[at].get_or_insert_with(|| CookedMask::of(cooked)).cell(column, cell) = true;
                    }
                }
            }
        }
    }
}

fn key(cooked: &Cooked) -> ObjectKey {
    (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name))
}

/// A capture that knows better than a text.
struct Other<'a> {
    input: &'a Input,
    /// Once they are asked for.
    objects: Option<HashSet<ObjectKey>>,
}

impl Other<'_> {
    /// Whether it has a sample of a time in which an object is missing that it has elsewhere.
    fn lacks(&mut self, (object, time): &(ObjectKey, Timestamp)) -> bool {
        let source = &self.input.source;
        if source.times().binary_search_by_key(time, |time| time.utc).is_err() {
            return false;
        }
        let all = || source.objects().into_iter().map(|(host, def)| (host, Arc::clone(&def.name))).collect();
        self.objects.get_or_insert_with(all).contains(object)
    }
}
