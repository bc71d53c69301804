//! A capture whose names are English.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use recount_model::{Decoded, FindingKind, Health, ObjectDef, Selection, Source};

use crate::canonical::canonical;
use crate::definition::english;
use crate::renamed::{Names, Objects, Renamed, selected};

/// How many names without an English counterpart are listed.
const MAX_LISTED: usize = 8;

/// The capture with English names, or the same one if no name of its objects changes; and a note of the names that
/// aren't known in English. A log of another recorder gets the names that Windows and our own recorder use, where it holds
/// the same thing ([`Source::canonical`], and `canonical/` for cooked values).
pub fn in_english(source: &Arc<dyn Source>) -> (Arc<dyn Source>, Health) {
    if let Some(source) = source.canonical().or_else(|| canonical(source)) {
        return (source, Health::default());
    }
    let objects = objects(source.as_ref());
    let translated: Vec<_> = objects.iter().map(|object| (object, english(object))).collect();
    let is_renamed = translated.iter().any(|(_, english)| english.renamed.is_some());
    // A name in ASCII may well be English, unless others of the capture aren't.
    let is_foreign = |object: &ObjectDef, name: &str| {
        is_renamed
            || !name.is_ascii()
            || (*name == *object.name && object.counters.iter().any(|counter| !counter.name.is_ascii()))
    };
    let left: BTreeSet<&str> = translated
        .iter()
        .flat_map(|(object, english)| english.left.iter().map(move |name| (object, name.as_str())))
        .filter_map(|(object, name)| is_foreign(object, name).then_some(name))
        .collect();
    let note = note(&left);
    if !is_renamed {
        return (Arc::clone(source), note);
    }
    (Arc::new(Renamed { inner: Arc::clone(source), names: InEnglish::default() }), note)
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

/// A definition and its English counterpart.
type Translation = (Arc<ObjectDef>, Arc<ObjectDef>);

/// English names.
#[derive(Default)]
struct InEnglish {
    /// By the name in the capture.
    known: Mutex<HashMap<Arc<str>, Translation>>,
}

impl InEnglish {
    fn object(&self, object: &Arc<ObjectDef>) -> Arc<ObjectDef> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((own, renamed)) = known.get(&object.name)
            && (Arc::ptr_eq(own, object) || own == object)
        {
            return Arc::clone(renamed);
        }
        let renamed = english(object).renamed.map_or_else(|| Arc::clone(object), Arc::new);
        known.insert(Arc::clone(&object.name), (Arc::clone(object), Arc::clone(&renamed)));
        renamed
    }
}

impl Names for InEnglish {
    fn objects(&self, own: &dyn Source) -> Objects {
        own.objects().into_iter().map(|(host, object)| (host, self.object(&object))).collect()
    }

    fn renamed(&self, mut decoded: Decoded, selection: &Selection) -> Decoded {
        for run in &mut decoded.runs {
            run.object = self.object(&run.object);
        }
        for cooked in &mut decoded.cooked {
            cooked.object = self.object(&cooked.object);
        }
        if !selection.is_all() {
            decoded.cooked = selected(decoded.cooked.into_iter(), selection);
        }
        decoded
    }
}
