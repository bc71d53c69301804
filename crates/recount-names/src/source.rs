//! A capture whose names are English.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use recount_model::{Changed, FindingKind, Health, ObjectDef, Selection, Source};

use crate::definition::english;
use crate::process_ids::NamedById;
use crate::renamed::Renamed;
use crate::translations::Translations;

/// How many names without an English counterpart are listed.
const MAX_LISTED: usize = 8;

/// The capture with English names, or the same one if no name of its objects changes; and a note of the names that
/// aren't known in English. A log of another recorder gets the names that Windows and our own recorder use, where there
/// is an equivalent ([`Source::canonical`]).
pub fn in_english(source: &Arc<dyn Source>) -> (Arc<dyn Source>, Health) {
    if let Some(source) = source.canonical() {
        return (source, Health::default());
    }
    let objects = objects(source.as_ref());
    let translated: Vec<_> = objects.iter().map(|object| (object, english(object))).collect();
    let has_object = |name: &str| {
        translated.iter().any(|(object, english)| {
            *english.renamed.as_ref().map_or(&*object.name, |renamed| &*renamed.name) == *name
        })
    };
    let is_translated = translated.iter().any(|(_, english)| english.renamed.is_some());
    // A name in ASCII may well be English, unless others of the capture aren't.
    let is_foreign = |object: &ObjectDef, name: &str| {
        is_translated
            || !name.is_ascii()
            || (*name == *object.name && object.counters.iter().any(|counter| !counter.name.is_ascii()))
    };
    let left: BTreeSet<&str> = translated
        .iter()
        .flat_map(|(object, english)| english.left.iter().map(move |name| (object, name.as_str())))
        .filter_map(|(object, name)| is_foreign(object, name).then_some(name))
        .collect();
    let note = note(&left);
    let mut source = Arc::clone(source);
    if is_translated {
        source = Changed::of(source, Renamed::default());
    }
    let named_by_id = NamedById::of(&*source, has_object);
    (named_by_id.map_or_else(|| Arc::clone(&source), |change| Changed::of(Arc::clone(&source), change)), note)
}

/// The capture with the names that a user gives, or the same one if they change no name of its objects; and a note of the counters of an
/// object that get one name.
pub fn translated(source: Arc<dyn Source>, names: &Arc<Translations>) -> (Arc<dyn Source>, Health) {
    let mut health = Health::default();
    let mut is_changed = false;
    let mut told: BTreeSet<String> = BTreeSet::new();
    for object in objects(&*source) {
        let Some(renamed) = names.object(&object) else { continue };
        is_changed = true;
        let mut known: HashMap<(&str, bool), &str> = HashMap::new();
        for (own, counter) in object.counters.iter().zip(&renamed.counters) {
            let before = known.insert((&counter.name, counter.is_base()), &own.name);
            let Some(before) = before.filter(|before| **before != *own.name) else { continue };
            let what =
                format!("{}: `{before}` and `{}` are both {} now", object.name, own.name, counter.name);
            if told.insert(what.clone()) {
                health.note(FindingKind::Odd, None, what);
            }
        }
    }
    if !is_changed {
        return (source, health);
    }
    (Changed::of(source, Renamed::by(Arc::clone(names))), health)
}

/// The objects of a capture: as far as it knows them, or else those of its first and its last sample.
fn objects(source: &dyn Source) -> Vec<Arc<ObjectDef>> {
    let known = source.objects();
    let num_samples = source.times().len() as u32;
    if !known.is_empty() || num_samples == 0 {
        return known.into_iter().map(|(_, object)| object).collect();
    }
    let mut samples = vec![0, num_samples - 1];
    samples.dedup();
    let seen = source.survey(&samples, &Selection::all());
    let of_runs = seen.runs.into_iter().map(|run| run.object);
    of_runs.chain(seen.cooked.into_iter().map(|cooked| cooked.object)).collect()
}

fn note(left: &BTreeSet<&str>) -> Health {
    let mut health = Health::default();
    if left.is_empty() {
        return health;
    }
    let listed: Vec<String> = left.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    let more = left.len() - listed.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = format!("no English names known for {}{more}: left as they are", listed.join(", "));
    health.note(FindingKind::Odd, None, what);
    health
}
