//! Other recorders' logs under the names that Windows and our own recorder use: objects and counters that are the same thing,
//! in the same unit. What isn't keeps its own name.
//!
//! A table ([`Table`]) per recorder says what is what. Its counters may go to several objects (memory's pressure to `Memory`),
//! and several of its objects to one, whose values are joined sample by sample.

mod atop;
mod join;

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{Cooked, CounterDef, Decoded, Instance, ObjectDef, Selection, Source};

use crate::renamed::{Names, Objects, Renamed, selected};
use join::join;

/// The own name of an object.
type Own = &'static str;

/// The names of a recorder.
struct Table {
    /// An object and a counter that only its logs have.
    sign: (Own, &'static str),
    rows: &'static [Row],
}

/// Counters of an object of the recorder, and what they are.
struct Row {
    own: Own,
    /// The object that they are of.
    object: &'static str,
    /// Their own names, and those that they are known by.
    counters: &'static [(&'static str, &'static str)],
    /// An object without instances that is the total of one with instances.
    is_total: bool,
}

static TABLES: [&Table; 1] = [&atop::ATOP];

/// The capture under the names that are known, if it is a log whose recorder calls things otherwise.
pub(crate) fn canonical(source: &Arc<dyn Source>) -> Option<Arc<dyn Source>> {
    let objects = source.objects();
    let is_by = |table: &&&Table| {
        let (object, counter) = table.sign;
        objects.iter().any(|(_, def)| &*def.name == object && def.counter_named(counter).is_some())
    };
    let table = TABLES.iter().find(is_by)?;
    Some(Arc::new(Renamed { inner: Arc::clone(source), names: Defs::of(table, &objects) }))
}

/// Where a counter goes.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The object, by its place in [`Defs`].
    object: usize,
    counter: usize,
    is_total: bool,
}

/// A host, and the own name of an object.
type Key = (Arc<str>, Arc<str>);

/// The objects under their new names.
#[derive(Default)]
struct Defs {
    objects: Objects,
    /// By host and own name of the object: per own counter, where its values go.
    places: HashMap<Key, Vec<Vec<Place>>>,
}

impl Defs {
    fn of(table: &Table, own: &[(Arc<str>, Arc<ObjectDef>)]) -> Defs {
        let mut objects: Vec<(Arc<str>, ObjectDef)> = Vec::new();
        let mut places = HashMap::new();
        for (host, def) in own {
            let rows: Vec<&Row> = table.rows.iter().filter(|row| row.own == &*def.name).collect();
            let place = |counter: &CounterDef| {
                let of_row = |row: &&Row| {
                    let named = row.counters.iter().find(|(own, _)| *own == &*counter.name);
                    named.map(|(_, name)| {
                        add(&mut objects, host, def, row.object, name, counter, row.is_total)
                    })
                };
                let mut found: Vec<Place> = rows.iter().filter_map(of_row).collect();
                if found.is_empty() {
                    found.push(add(&mut objects, host, def, &def.name, &counter.name, counter, false));
                }
                found
            };
            let of_object: Vec<Vec<Place>> = def.counters.iter().map(place).collect();
            places.insert((Arc::clone(host), Arc::clone(&def.name)), of_object);
        }
        Defs { objects: objects.into_iter().map(|(host, def)| (host, Arc::new(def))).collect(), places }
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
) -> Place {
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
    Place { object: at, counter: counters.len() - 1, is_total }
}

impl Defs {
    /// The values by the objects that they go to.
    fn parts(&self, cooked: &Cooked, places: &[Vec<Place>]) -> Vec<(usize, Cooked)> {
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
}

impl Names for Defs {
    fn objects(&self, _: &dyn Source) -> Objects {
        self.objects.clone()
    }

    fn renamed(&self, mut decoded: Decoded, selection: &Selection) -> Decoded {
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
        decoded.cooked = selected(joined, selection);
        decoded
    }
}

#[cfg(test)]
mod tests;
