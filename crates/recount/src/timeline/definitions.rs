//! Units and types of counters, from another capture that has the same counter. Tables have some of them and texts none, and a
//! series is described by what is said of it first.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{Authority, Change, Changed, CounterDef, Decoded, ObjectDef, Selection};

use crate::Capture;

/// What is known of counters, by the names of the object and the counter.
type Known = HashMap<(Arc<str>, Arc<str>), CounterDef>;

/// Gives counters of tables and texts the definitions that recordings have of them.
pub(crate) fn give_definitions(captures: &mut [Capture]) {
    let (made, recorded): (Vec<usize>, Vec<usize>) =
        (0..captures.len()).partition(|at| captures[*at].source.info().authority < Authority::Recorded);
    for at in made {
        let hosts = &captures[at].source.info().hosts;
        let is_of_host = |other: &usize| {
            let others = &captures[*other].source.info().hosts;
            others.iter().any(|host| hosts.contains(host)) || (others.is_empty() && hosts.is_empty())
        };
        let known = known(recorded.iter().filter(|other| is_of_host(other)).map(|other| &captures[*other]));
        let objects = captures[at].source.objects();
        let is_changed = |(_, object): &(_, Arc<ObjectDef>)| lacks_definitions(object, &known);
        // Some say only with their samples which objects they have.
        if !known.is_empty() && (objects.is_empty() || objects.iter().any(is_changed)) {
            captures[at].source = Changed::of(Arc::clone(&captures[at].source), Defined(known));
        }
    }
}

fn known<'a>(recorded: impl Iterator<Item = &'a Capture>) -> Known {
    let mut known = Known::new();
    for (_, object) in recorded.flat_map(|capture| capture.source.objects()) {
        let is_used =
            |counter: &&CounterDef| is_defined(counter) && !counter.is_hidden() && !counter.is_text();
        for counter in object.counters.iter().filter(is_used) {
            let key = (Arc::clone(&object.name), Arc::clone(&counter.name));
            known.entry(key).or_insert_with(|| counter.clone());
        }
    }
    known
}

fn is_defined(counter: &CounterDef) -> bool {
    counter.counter_type.is_some() || counter.unit.is_some()
}

/// What is known of a counter that isn't defined.
fn definition<'a>(object: &ObjectDef, counter: &CounterDef, known: &'a Known) -> Option<&'a CounterDef> {
    let key = (Arc::clone(&object.name), Arc::clone(&counter.name));
    if is_defined(counter) { None } else { known.get(&key) }
}

fn lacks_definitions(object: &ObjectDef, known: &Known) -> bool {
    object.counters.iter().any(|counter| definition(object, counter, known).is_some())
}

/// The change to what is known of counters.
struct Defined(Known);

impl Defined {
    fn defined(&self, object: &Arc<ObjectDef>) -> Arc<ObjectDef> {
        if !lacks_definitions(object, &self.0) {
            return Arc::clone(object);
        }
        let mut defined = ObjectDef::clone(object);
        for (counter, before) in defined.counters.iter_mut().zip(&object.counters) {
            let Some(known) = definition(object, before, &self.0) else { continue };
            counter.counter_type = known.counter_type;
            counter.unit = known.unit;
            counter.help = counter.help.take().or_else(|| known.help.clone());
            counter.default_scale = known.default_scale;
            counter.attributes = known.attributes;
            counter.len_value = if known.counter_type.is_some() { 8 } else { 0 };
        }
        Arc::new(defined)
    }
}

impl Change for Defined {
    fn object(&self, (host, object): (Arc<str>, Arc<ObjectDef>)) -> (Arc<str>, Arc<ObjectDef>) {
        (host, self.defined(&object))
    }

    fn decoded(&self, mut decoded: Decoded, _: &Selection) -> Decoded {
        let mut last: Option<(Arc<ObjectDef>, Arc<ObjectDef>)> = None;
        for cooked in &mut decoded.cooked {
            let known = last.as_ref().filter(|(before, _)| Arc::ptr_eq(before, &cooked.object));
            let defined = known.map_or_else(|| self.defined(&cooked.object), |(_, made)| Arc::clone(made));
            last = Some((std::mem::replace(&mut cooked.object, Arc::clone(&defined)), defined));
        }
        decoded
    }
}
