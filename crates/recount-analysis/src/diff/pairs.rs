//! Which series of two captures are compared.

use std::collections::HashMap;

use recount_model::CounterPath;
use recount_tables::processes::PROCESSORS;

use super::side::Side;
use crate::moved::says_how_much;
use crate::processors::by_other_name;
use crate::roster::InstanceEntry;
use crate::stats::{SeriesId, Tallied};

/// The series with values that both captures have, by their places, and how many only one of them has.
pub(super) struct Pairs {
    pub(super) both: Vec<(usize, usize)>,
    pub(super) num_only_base: usize,
    pub(super) num_only_new: usize,
}

impl Pairs {
    /// Series are the same if object, instance and counter have the same names. Case is ignored only if no series
    /// has exactly the name: Linux has `X` and `x`. A processor is the same by either of its names. Numbers that name something, or are ages, aren't compared.
    pub(super) fn of(base_of: (&Side, &[Tallied]), new_of: (&Side, &[Tallied])) -> Pairs {
        let places = |(side, series): (&Side, &[Tallied])| {
            let with_values =
                series.iter().enumerate().filter(|(_, tallied)| tallied.series.moments.count > 0);
            let amounts = with_values.filter(|(_, tallied)| says_how_much(name_of(side, tallied.id)));
            amounts.map(|(at, tallied)| (counter_path(side, tallied.id).to_string(), at)).collect()
        };
        let mut pairs = Vec::new();
        let (base, new) = matched(places(base_of), places(new_of), &mut pairs);
        let folded = |(name, at): (String, usize)| (name.to_lowercase(), at);
        let (base, new) = matched(
            base.into_iter().map(folded).collect(),
            new.into_iter().map(folded).collect(),
            &mut pairs,
        );
        let (base, new) = matched(of_all(base, base_of), of_all(new, new_of), &mut pairs);
        Pairs { both: pairs, num_only_base: base.len(), num_only_new: new.len() }
    }
}

/// Named places.
type Places = Vec<(String, usize)>;

/// Adds the pairs of the same name, and returns the rest.
fn matched(base: Places, new: Places, pairs: &mut Vec<(usize, usize)>) -> (Places, Places) {
    let mut by_name: HashMap<String, usize> = new.into_iter().collect();
    let rest = base.into_iter().filter(|(name, of_base)| match by_name.remove(name) {
        Some(of_new) => {
            pairs.push((*of_base, of_new));
            false
        }
        None => true,
    });
    let rest = rest.collect();
    let mut others: Places = by_name.into_iter().collect();
    others.sort_unstable_by_key(|(_, at)| *at);
    (rest, others)
}

/// Places with the name `Processor` instead of the other one that processors have.
fn of_all(places: Places, (side, series): (&Side, &[Tallied])) -> Places {
    let renamed = |(name, at): (String, usize)| {
        let path = counter_path(side, series[at].id);
        let is_of_groups = path.object.eq_ignore_ascii_case(PROCESSORS[1]);
        let other = by_other_name(&path).filter(|_| is_of_groups);
        (other.map_or(name, |other| other.to_string().to_lowercase()), at)
    };
    places.into_iter().map(renamed).collect()
}

fn name_of(side: &Side, id: SeriesId) -> &str {
    &side.roster.objects()[id.object as usize].counters[id.counter as usize].name
}

fn counter_path(side: &Side, id: SeriesId) -> CounterPath {
    side.roster.objects()[id.object as usize].path(id.instance as usize, id.counter as usize)
}

/// How many instances of each object have the same name and parent.
pub(super) struct Namesakes<'a>(Vec<HashMap<NameAndParent<'a>, u32>>);

type NameAndParent<'a> = (&'a str, Option<&'a str>);

fn name_and_parent(entry: &InstanceEntry) -> Option<NameAndParent<'_>> {
    entry.instance.as_ref().map(|instance| (&*instance.name, instance.parent.as_deref()))
}

impl Namesakes<'_> {
    pub(super) fn of(side: &Side) -> Namesakes<'_> {
        let objects = side.roster.objects().iter().map(|object| {
            let mut counts = HashMap::new();
            for name in object.instances.iter().filter_map(name_and_parent) {
                *counts.entry(name).or_insert(0) += 1;
            }
            counts
        });
        Namesakes(objects.collect())
    }

    /// Whether other instances have the same name with a different number.
    pub(super) fn has(&self, side: &Side, id: SeriesId) -> bool {
        let entry = &side.roster.objects()[id.object as usize].instances[id.instance as usize];
        name_and_parent(entry)
            .and_then(|name| self.0[id.object as usize].get(&name))
            .is_some_and(|count| *count > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_are_one_only_if_there_is_no_other() {
        let places = |names: &[&str]| -> Places {
            names.iter().enumerate().map(|(at, name)| ((*name).to_owned(), at)).collect()
        };
        let mut pairs = Vec::new();
        let (base, new) = matched(places(&["x", "X", "Y"]), places(&["X", "y", "x", "z"]), &mut pairs);
        assert_eq!(pairs, [(0, 2), (1, 0)]);
        assert_eq!((base, new), (vec![("Y".to_owned(), 2)], vec![("y".to_owned(), 1), ("z".to_owned(), 3)]));
    }
}
