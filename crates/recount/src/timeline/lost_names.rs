//! Names that a damaged copy of a log has lost, from another copy. Without them, its objects and counters are known by
//! numbers, and everything would be there twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{Change, Changed, CounterDef, Decoded, NameTable, ObjectDef, Selection, Source};

use crate::Capture;
use crate::repeats::has_same_values;

/// The names of one log, by their numbers.
#[derive(Default)]
struct Names(NameTable);

/// Gives objects and counters the names that another copy of the same log has for their numbers.
pub(crate) fn give_lost_names(captures: &mut [Capture]) {
    give_by_id(captures);
    give_by_values(captures);
}

/// The copies that lost their id, too, are found by their values.
fn give_by_values(captures: &mut [Capture]) {
    for at in 0..captures.len() {
        let is_damaged = !captures[at].source.health().is_complete();
        if !is_damaged || captures[at].source.info().is_cooked {
            continue;
        }
        let named_by = |other: &Capture| {
            let source = named_as_in(&captures[at].source, &*other.source)?;
            let named = Capture { source, ..captures[at].clone() };
            has_same_values(&named, other).then_some(named)
        };
        let others = captures.iter().enumerate().filter(|(other, _)| *other != at);
        if let Some(named) = others.map(|(_, other)| other).find_map(named_by) {
            captures[at] = named;
        }
    }
}

fn give_by_id(captures: &mut [Capture]) {
    let mut logs: BTreeMap<[u8; 16], Vec<usize>> = BTreeMap::new();
    for (at, capture) in captures.iter().enumerate() {
        logs.entry(capture.log_id.unwrap_or_default()).or_default().push(at);
    }
    for (id, copies) in logs {
        if id == [0; 16] || copies.len() < 2 {
            continue;
        }
        let objects: Vec<Vec<Arc<ObjectDef>>> = copies
            .iter()
            .map(|&at| captures[at].source.objects().into_iter().map(|(_, object)| object).collect())
            .collect();
        let lacks_names = |objects: &[Arc<ObjectDef>]| objects.iter().any(|object| is_unnamed(object));
        if !objects.iter().any(|objects| lacks_names(objects)) {
            continue;
        }
        let mut names = Names::default();
        objects.iter().flatten().for_each(|object| names.learn(object));
        let names = Arc::new(names);
        for (&at, objects) in copies.iter().zip(&objects) {
            if lacks_names(objects) {
                captures[at].source = named(&captures[at].source, &names);
            }
        }
    }
}

/// A source with the names that another one has for its numbers; `None` if it lacks no names, or the other lacks some, too.
pub(super) fn named_as_in(source: &Arc<dyn Source>, other: &dyn Source) -> Option<Arc<dyn Source>> {
    if !source.objects().iter().any(|(_, object)| is_unnamed(object)) {
        return None;
    }
    let mut names = Names::default();
    let objects = other.objects();
    if objects.iter().any(|(_, object)| is_unnamed(object)) {
        return None;
    }
    for (_, object) in &objects {
        names.learn(object);
    }
    Some(named(source, &Arc::new(names)))
}

/// A source with names for its numbers. Where it reads by names which process an instance is, it has to know them before.
fn named(source: &Arc<dyn Source>, names: &Arc<Names>) -> Arc<dyn Source> {
    let known = source.with_names(&names.0);
    known.unwrap_or_else(|| Changed::of(Arc::clone(source), Named(Arc::clone(names))))
}

/// Whether a name is its number.
fn is_number(name: &str, index: Option<u32>) -> bool {
    index.is_some_and(|index| name.parse() == Ok(index))
}

fn is_unnamed(object: &ObjectDef) -> bool {
    is_number(&object.name, object.index)
        || object.counters.iter().any(|counter| is_number(&counter.name, counter.index))
}

impl Names {
    fn learn(&mut self, object: &ObjectDef) {
        let of_counters = object.counters.iter().map(|counter| (counter.index, &counter.name));
        for (index, name) in std::iter::once((object.index, &object.name)).chain(of_counters) {
            let number = index.filter(|number| !is_number(name, index) && self.0.get(*number).is_none());
            if let Some(number) = number {
                self.0.insert(number, name);
            }
        }
    }

    fn of(&self, name: &Arc<str>, index: Option<u32>) -> Option<Arc<str>> {
        if is_number(name, index) { self.0.get_shared(index?) } else { None }
    }

    fn named(&self, object: &Arc<ObjectDef>) -> Arc<ObjectDef> {
        if !is_unnamed(object) {
            return Arc::clone(object);
        }
        let mut named = ObjectDef::clone(object);
        let counter = |counter: &mut CounterDef| {
            if let Some(name) = self.of(&counter.name, counter.index) {
                counter.name = name;
            }
        };
        named.counters.iter_mut().for_each(counter);
        if let Some(name) = self.of(&named.name, named.index) {
            named.name = name;
        }
        Arc::new(named)
    }
}

/// The change to the names of another copy.
struct Named(Arc<Names>);

impl Change for Named {
    /// A selection names what the capture knows by numbers.
    const KNOWS_SELECTION: bool = false;

    fn object(&self, (host, object): (Arc<str>, Arc<ObjectDef>)) -> (Arc<str>, Arc<ObjectDef>) {
        (host, self.0.named(&object))
    }

    fn decoded(&self, mut decoded: Decoded, _: &Selection) -> Decoded {
        let mut last: Option<(Arc<ObjectDef>, Arc<ObjectDef>)> = None;
        for run in &mut decoded.runs {
            let known = last.as_ref().filter(|(before, _)| Arc::ptr_eq(before, &run.object));
            let named = known.map_or_else(|| self.0.named(&run.object), |(_, named)| Arc::clone(named));
            last = Some((std::mem::replace(&mut run.object, Arc::clone(&named)), named));
        }
        decoded
    }
}
