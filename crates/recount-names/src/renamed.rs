//! A capture whose objects and counters have English names.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use recount_compute::select_cooked;
use recount_model::{CountsSince, Decoded, ObjectDef, Opened, Selection, Source};

use crate::definition::english;

/// A definition and its English counterpart.
type Translation = (Arc<ObjectDef>, Arc<ObjectDef>);

/// A source with English names. The inner source only knows its own names, so everything is requested from
/// it.
pub(crate) struct Renamed {
    inner: Arc<dyn Source>,
    /// By the name in the capture.
    known: Mutex<HashMap<Arc<str>, Translation>>,
}

impl Renamed {
    pub(crate) fn new(inner: Arc<dyn Source>) -> Renamed {
        Renamed { inner, known: Mutex::default() }
    }

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

    /// Gives everything that was decoded its English names, and applies the selection, which uses these.
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

impl Source for Renamed {
    fn opened(&self) -> &Opened {
        self.inner.opened()
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.inner.epoch(sample)
    }

    fn round(&self, sample: usize) -> u32 {
        self.inner.round(sample)
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        self.inner.counts_since(sample)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.inner.len_sample(sample)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.inner.objects().into_iter().map(|(host, object)| (host, self.object(&object))).collect()
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.renamed(self.inner.survey(samples, &Selection::all()), selection)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.renamed(self.inner.decode(samples, &Selection::all()), selection)
    }
}
