//! The log with the names that Windows and our own recorder use (`formats/linux-objects.md`), for equivalent objects
//! and counters in the same unit. Others keep their own names.
//!
//! A table maps the names. The counters of one object may go to several (those of memory pressure to `Memory`), and
//! several objects may go to one, whose values are joined sample by sample.

mod join;
mod table;

use std::collections::HashMap;
use std::sync::Arc;

use recount_compute::select_cooked;
use recount_model::{Cooked, CounterDef, Decoded, Instance, ObjectDef, Selection};

use join::join;
use table::CANONICAL;

/// Objects with their host.
pub(crate) type Objects = Vec<(Arc<str>, Arc<ObjectDef>)>;

/// Counters of an object of the log, and their equivalents.
struct ObjectEquivalents {
    /// The object of the log.
    own: &'static str,
    /// The object to which they are mapped.
    object: &'static str,
    /// Their names in the log, and the names to which they are mapped.
    counters: &'static [(&'static str, &'static str)],
    /// An object without instances that is the total of one with instances.
    is_total: bool,
}

/// Where a counter goes.
#[derive(Clone, Copy, Debug)]
struct CounterPlace {
    /// The object, by its index in [`Names`].
    object: usize,
    counter: usize,
    is_total: bool,
}

/// A host, and the log's name of an object.
type Key = (Arc<str>, Arc<str>);

/// The objects with canonical names.
pub(crate) struct Names {
    pub(crate) objects: Objects,
    /// By host and the log's name of the object: where the values of each counter go.
    places: HashMap<Key, Vec<Vec<CounterPlace>>>,
}

impl Names {
    /// The names of a log's own objects.
    pub(crate) fn of(own: &[(Arc<str>, Arc<ObjectDef>)]) -> Names {
        let mut objects: Vec<(Arc<str>, ObjectDef)> = Vec::new();
        let mut places = HashMap::new();
        for (host, def) in own {
            let rows: Vec<&ObjectEquivalents> =
                CANONICAL.iter().filter(|row| row.own == &*def.name).collect();
            let place = |counter: &CounterDef| {
                let of_row = |row: &&ObjectEquivalents| {
                    let named = row.counters.iter().find(|(own, _)| *own == &*counter.name);
                    named.map(|(_, name)| {
                        add(&mut objects, host, def, row.object, name, counter, row.is_total)
                    })
                };
                let mut found: Vec<CounterPlace> = rows.iter().filter_map(of_row).collect();
                if found.is_empty() {
                    found.push(add(&mut objects, host, def, &def.name, &counter.name, counter, false));
                }
                found
            };
            let of_object: Vec<Vec<CounterPlace>> = def.counters.iter().map(place).collect();
            places.insert((Arc::clone(host), Arc::clone(&def.name)), of_object);
        }
        Names { objects: objects.into_iter().map(|(host, def)| (host, Arc::new(def))).collect(), places }
    }
}

/// Adds a counter to an object, and the object if it is the first.
fn add(
    objects: &mut Vec<(Arc<str>, ObjectDef)>,
    host: &Arc<str>,
    own: &ObjectDef,
    object: &str,
    name: &str,
    counter: &CounterDef,
    is_total: bool,
) -> CounterPlace {
    let is_it = |(other, def): &(Arc<str>, ObjectDef)| other == host && &*def.name == object;
    let at = objects.iter().position(is_it).unwrap_or_else(|| {
        let help = own.help.clone().filter(|_| &*own.name == object);
        let instanced = own.instanced || is_total;
        objects.push((
            Arc::clone(host),
            ObjectDef { name: object.into(), help, instanced, ..ObjectDef::default() },
        ));
        objects.len() - 1
    });
    let counters = &mut objects[at].1.counters;
    counters.push(CounterDef { name: name.into(), ..counter.clone() });
    CounterPlace { object: at, counter: counters.len() - 1, is_total }
}

impl Names {
    /// Whether anything selected by these names may come from an object of the log.
    pub(crate) fn may_match(&self, host: &Arc<str>, own: &ObjectDef, selection: &Selection) -> bool {
        let places = self.places.get(&(Arc::clone(host), Arc::clone(&own.name)));
        let mut objects = places.into_iter().flatten().flatten().map(|place| &self.objects[place.object].1);
        objects.any(|object| selection.may_match_object(host, &object.name))
    }

    /// The values, grouped by the objects to which they go.
    fn parts(&self, cooked: &Cooked, places: &[Vec<CounterPlace>]) -> Vec<(usize, Cooked)> {
        let mut parts: Vec<(usize, Cooked)> = Vec::new();
        for column in &cooked.columns {
            for place in places.get(column.counter).into_iter().flatten() {
                let at = parts.iter().position(|(object, _)| *object == place.object).unwrap_or_else(|| {
                    let part = Cooked {
                        host: Arc::clone(&cooked.host),
                        object: Arc::clone(&self.objects[place.object].1),
                        instances: if place.is_total {
                            [Instance::named("_Total")].into()
                        } else {
                            Arc::clone(&cooked.instances)
                        },
                        times: cooked.times.clone(),
                        interval_s: cooked.interval_s.clone(),
                        gaps: Vec::new(),
                        first_s: Vec::new(),
                        continued: cooked.continued.clone(),
                        columns: Vec::new(),
                        raw: None,
                    };
                    parts.push((place.object, part));
                    parts.len() - 1
                });
                let mut column = column.clone();
                column.counter = place.counter;
                parts[at].1.columns.push(column);
            }
        }
        parts
    }

    /// Gives everything that was decoded these names, and applies the selection, which uses them.
    pub(crate) fn renamed(&self, mut decoded: Decoded, selection: &Selection) -> Decoded {
        let mut by_object: Vec<Vec<Vec<Cooked>>> = self.objects.iter().map(|_| Vec::new()).collect();
        let mut unknown = Vec::new();
        let mut own_of: HashMap<(usize, Arc<str>), usize> = HashMap::new();
        for cooked in decoded.cooked {
            let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name));
            let Some(places) = self.places.get(&key) else {
                unknown.push(cooked);
                continue;
            };
            for (object, part) in self.parts(&cooked, places) {
                let of_object = &mut by_object[object];
                let own = *own_of.entry((object, Arc::clone(&key.1))).or_insert_with(|| {
                    of_object.push(Vec::new());
                    of_object.len() - 1
                });
                of_object[own].push(part);
            }
        }
        let joined = by_object.into_iter().flat_map(join).chain(unknown);
        let selected = joined.map(|cooked| select_cooked(cooked, selection));
        decoded.cooked = selected.filter(|cooked| !cooked.columns.is_empty()).collect();
        decoded
    }
}

#[cfg(test)]
mod tests;
