//! A capture whose names are English.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use recount_compute::select_cooked;
use recount_model::{
    CaptureInfo, Decoded, FindingKind, Health, ObjectDef, Place, SampleTime, Selection, Source,
};

use crate::canonical::canonical;
use crate::definition::english;

/// How many names without an English counterpart are listed.
const MAX_LISTED: usize = 8;

/// The capture with English names; the same one if no name of its objects changes. A log of another recorder gets the names that
/// Windows and our own recorder use, where it holds the same thing ([`Source::canonical`], and `canonical/` for cooked values).
pub fn in_english(source: &Arc<dyn Source>) -> Arc<dyn Source> {
    if let Some(source) = source.canonical().or_else(|| canonical(source)) {
        return source;
    }
    let mut left = BTreeSet::new();
    let mut is_renamed = false;
    for (_, object) in source.objects() {
        match english(&object) {
            Some((_, more)) => {
                is_renamed = true;
                left.extend(more);
            }
            None if object.name.is_ascii() => {}
            None => {
                left.insert(object.name.to_string());
            }
        }
    }
    if !is_renamed {
        return Arc::clone(source);
    }
    Arc::new(InEnglish {
        health: health(source.health(), &left),
        inner: Arc::clone(source),
        known: Mutex::default(),
    })
}

fn health(inner: &Health, left: &BTreeSet<String>) -> Health {
    let mut health = inner.clone();
    if left.is_empty() {
        return health;
    }
    let listed: Vec<String> = left.iter().take(MAX_LISTED).map(|name| format!("{name:?}")).collect();
    let more = left.len() - listed.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = format!(
        "{} of the capture's names aren't known in English and stay as they are: {}{more}",
        left.len(),
        listed.join(", ")
    );
    health.note(FindingKind::Odd, Place::default(), what);
    health
}

/// A definition and its English counterpart.
type Translation = (Arc<ObjectDef>, Arc<ObjectDef>);

/// A source, renamed.
struct InEnglish {
    inner: Arc<dyn Source>,
    health: Health,
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
        let renamed = english(object).map_or_else(|| Arc::clone(object), |(renamed, _)| Arc::new(renamed));
        known.insert(Arc::clone(&object.name), (Arc::clone(object), Arc::clone(&renamed)));
        renamed
    }

    /// The inner source knows only its own names, so it is asked for everything.
    fn renamed(&self, mut decoded: Decoded, selection: &Selection) -> Decoded {
        for run in &mut decoded.runs {
            run.object = self.object(&run.object);
        }
        for cooked in &mut decoded.cooked {
            cooked.object = self.object(&cooked.object);
        }
        if !selection.is_all() {
            let selected = decoded.cooked.into_iter().map(|cooked| select_cooked(cooked, selection));
            decoded.cooked = selected.filter(|cooked| !cooked.columns.is_empty()).collect();
        }
        decoded
    }
}

impl Source for InEnglish {
    fn info(&self) -> &CaptureInfo {
        self.inner.info()
    }

    fn health(&self) -> &Health {
        &self.health
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
        let own = self.inner.objects();
        own.into_iter().map(|(host, object)| (host, self.object(&object))).collect()
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.renamed(self.inner.survey(samples, &Selection::all()), selection)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.renamed(self.inner.decode(samples, &Selection::all()), selection)
    }
}
