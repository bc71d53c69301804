//! Other recorders' logs under the names that Windows and our own recorder use: objects and counters that are the same thing,
//! in the same unit. What isn't keeps its own name.
//!
//! A table ([`Table`]) per recorder says what is what. Its counters may go to several objects (memory's pressure to `Memory`),
//! and several of its objects to one, whose values are joined sample by sample.

mod atop;
mod join;

use std::collections::HashMap;
use std::sync::Arc;

use recount_compute::select_cooked;
use recount_model::{
    CaptureInfo, Cooked, CounterDef, Decoded, Health, Instance, ObjectDef, SampleTime, Selection, Source,
};

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
    Some(Arc::new(Canonical { defs: Defs::of(table, &objects), inner: Arc::clone(source) }))
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
    objects: Vec<(Arc<str>, Arc<ObjectDef>)>,
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

/// A source under other names.
struct Canonical {
    inner: Arc<dyn Source>,
    defs: Defs,
}

impl Canonical {
    /// The inner source knows its own names only, and so is asked for everything.
    fn renamed(&self, mut decoded: Decoded, selection: &Selection) -> Decoded {
        let mut by_object: Vec<Vec<Vec<Cooked>>> = self.defs.objects.iter().map(|_| Vec::new()).collect();
        let mut unknown = Vec::new();
        let mut own_of: HashMap<(usize, Arc<str>), usize> = HashMap::new();
        for cooked in decoded.cooked {
            let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name));
            let Some(places) = self.defs.places.get(&key) else {
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

    /// The values by the objects that they go to.
    fn parts(&self, cooked: &Cooked, places: &[Vec<Place>]) -> Vec<(usize, Cooked)> {
        let mut parts: Vec<(usize, Cooked)> = Vec::new();
        for column in &cooked.columns {
            for place in places.get(column.counter).into_iter().flatten() {
                let at = parts.iter().position(|(object, _)| *object == place.object).unwrap_or_else(|| {
                    let part = Cooked {
                        host: Arc::clone(&cooked.host),
                        object: Arc::clone(&self.defs.objects[place.object].1),
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

impl Source for Canonical {
    fn info(&self) -> &CaptureInfo {
        self.inner.info()
    }

    fn health(&self) -> &Health {
        self.inner.health()
    }

    fn times(&self) -> &[SampleTime] {
        self.inner.times()
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.inner.epoch(sample)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.inner.len_sample(sample)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.defs.objects.clone()
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.renamed(self.inner.survey(samples, &Selection::all()), selection)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.renamed(self.inner.decode(samples, &Selection::all()), selection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recount_model::{CookedColumn, Status, Timestamp};

    /// Names of ours: those of Windows that the Linux source has, and its own.
    #[test]
    fn every_name_is_one_of_our_own_recorder() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../formats/linux-objects.md");
        let text = std::fs::read_to_string(path).expect("linux-objects.md");
        for row in TABLES.iter().flat_map(|table| table.rows) {
            let (_, section) = text.split_once(&format!("\n### {}\n", row.object)).expect(row.object);
            let section = section.split("\n### ").next().unwrap_or_default();
            for (_, name) in row.counters {
                assert!(section.contains(&format!(" | {name} | ")), "{} {name}", row.object);
            }
        }
    }

    /// Two samples, of which the second lacks PAG.
    struct Log(CaptureInfo, Health, Vec<SampleTime>);

    fn def(name: &str, counters: &[&str], instanced: bool) -> Arc<ObjectDef> {
        let counter = |name: &&str| CounterDef { name: (*name).into(), ..CounterDef::default() };
        let counters = counters.iter().map(counter).collect();
        Arc::new(ObjectDef { name: name.into(), counters, instanced, ..ObjectDef::default() })
    }

    fn time(second: i64) -> SampleTime {
        SampleTime { utc: Timestamp(second * Timestamp::TICKS_PER_SECOND), offset_min: 0 }
    }

    impl Source for Log {
        fn info(&self) -> &CaptureInfo {
            &self.0
        }

        fn health(&self) -> &Health {
            &self.1
        }

        fn times(&self) -> &[SampleTime] {
            &self.2
        }

        fn len_sample(&self, _: usize) -> usize {
            1
        }

        fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
            let defs = [
                def("CPU", &["idle+wait", "guest"], true),
                def("MEM", &["free", "cache"], false),
                def("PAG", &["swin"], false),
                def("SWP", &["tot", "vmcom"], false),
                def("TCP", &["InSegs", "AttemptFails"], false),
            ];
            defs.map(|def| ("web1".into(), def)).into()
        }

        fn decode(&self, samples: &[u32], _: &Selection) -> Decoded {
            let cooked = |(_, object): (Arc<str>, Arc<ObjectDef>), start: f64| {
                let times: Vec<SampleTime> = samples.iter().map(|sample| time(i64::from(*sample))).collect();
                let num = if &*object.name == "PAG" { 1 } else { times.len() };
                let column = |counter: usize| CookedColumn {
                    counter,
                    values: (0..num).map(|at| start + counter as f64 + at as f64 / 10.0).collect(),
                    status: Some(vec![Status::Ok; num]),
                    covers: None,
                };
                Cooked {
                    host: "web1".into(),
                    instances: [if object.instanced { Instance::named("0") } else { Instance::unnamed() }]
                        .into(),
                    times: times[..num].to_vec(),
                    interval_s: vec![Some(1.0); num],
                    continued: vec![true],
                    columns: (0..object.counters.len()).map(column).collect(),
                    object,
                    raw: None,
                }
            };
            let objects = self.objects().into_iter().zip([100.0, 200.0, 300.0, 400.0, 500.0]);
            Decoded {
                cooked: objects.map(|(object, start)| cooked(object, start)).collect(),
                ..Decoded::default()
            }
        }
    }

    fn values(source: &Arc<dyn Source>, selection: &str) -> Vec<(String, Vec<f64>)> {
        let patterns =
            if selection.is_empty() { vec![] } else { vec![selection.parse().expect("a pattern")] };
        let decoded = source.decode(&[0, 1], &Selection { patterns });
        let of_object = |cooked: &Cooked| {
            let named = |column: &CookedColumn| {
                let name = &cooked.object.counters[column.counter].name;
                let path = format!("{}({})\\{name}", cooked.object.name, cooked.instances[0]);
                (path, column.values.clone())
            };
            cooked.columns.iter().map(named).collect::<Vec<_>>()
        };
        decoded.cooked.iter().flat_map(of_object).collect()
    }

    #[test]
    fn counters_go_to_the_objects_that_they_are_of() {
        let log: Arc<dyn Source> =
            Arc::new(Log(CaptureInfo::default(), Health::default(), vec![time(0), time(1)]));
        let source = crate::in_english(&log);
        let of = |path: &str| {
            let values = values(&source, "");
            let found = values.iter().filter(|(name, _)| name == path);
            found.flat_map(|(_, values)| values.clone()).collect::<Vec<f64>>()
        };
        assert_eq!(of(r"Processor(0)\% Idle Time"), [100.0, 100.1]);
        assert_eq!(of(r"CPU(0)\guest"), [101.0, 101.1], "what isn't the same keeps its name");
        assert_eq!(of(r"Memory()\Free & Zero Page List Bytes"), [200.0, 200.1]);
        assert_eq!(of(r"Memory()\Swap Pages Input/sec"), [300.0]);
        assert_eq!(of(r"Memory()\Committed Bytes"), [401.0, 401.1]);
        assert_eq!(of(r"Paging File(_Total)\Size Bytes"), [400.0, 400.1]);
        assert_eq!(of(r"TCP()\Segments Received/sec"), [500.0, 500.1]);
        assert_eq!(of(r"TCP()\AttemptFails"), [501.0, 501.1], "in the object of the same name");
        // One row of an object per sample, whatever its values come from.
        let decoded = source.decode(&[0, 1], &Selection::all());
        let memory: Vec<&Cooked> =
            decoded.cooked.iter().filter(|cooked| &*cooked.object.name == "Memory").collect();
        assert_eq!(memory.iter().map(|cooked| cooked.times[0]).collect::<Vec<_>>(), [time(0), time(1)]);
        assert!(memory.iter().all(|cooked| cooked.columns.is_sorted_by_key(|column| column.counter)));
        assert_eq!(values(&source, r"\Memory\Committed Bytes").len(), 2);
        let names: Vec<String> = source.objects().iter().map(|(_, def)| def.name.to_string()).collect();
        assert_eq!(names, ["Processor", "CPU", "Memory", "MEM", "Paging File", "TCP"]);
    }
}
