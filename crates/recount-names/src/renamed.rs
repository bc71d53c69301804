//! A capture whose objects and counters have English names.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use recount_compute::select_cooked;
use recount_model::{Change, Decoded, ObjectDef, Selection};

use crate::definition;
use crate::translations::Translations;

/// A definition and its English counterpart.
type Translation = (Arc<ObjectDef>, Arc<ObjectDef>);

/// The change to other names. The source only knows its own names, so everything is requested from it.
#[derive(Default)]
pub(crate) struct Renamed {
    /// By the name in the capture.
    known: Mutex<HashMap<Arc<str>, Translation>>,
    /// The names that a user gives; `None`: those that are known.
    names: Option<Arc<Translations>>,
}

impl Renamed {
    pub(crate) fn by(names: Arc<Translations>) -> Renamed {
        Renamed { names: Some(names), ..Renamed::default() }
    }

    fn english(&self, object: &Arc<ObjectDef>) -> Arc<ObjectDef> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((own, renamed)) = known.get(&object.name)
            && (Arc::ptr_eq(own, object) || own == object)
        {
            return Arc::clone(renamed);
        }
        let renamed = match &self.names {
            Some(names) => names.object(object),
            None => definition::english(object).renamed,
        };
        let renamed = renamed.map_or_else(|| Arc::clone(object), Arc::new);
        known.insert(Arc::clone(&object.name), (Arc::clone(object), Arc::clone(&renamed)));
        renamed
    }
}

impl Change for Renamed {
    const KNOWS_SELECTION: bool = false;

    fn object(&self, (host, object): (Arc<str>, Arc<ObjectDef>)) -> (Arc<str>, Arc<ObjectDef>) {
        (host, self.english(&object))
    }

    fn decoded(&self, mut decoded: Decoded, selection: &Selection) -> Decoded {
        for run in &mut decoded.runs {
            run.object = self.english(&run.object);
        }
        for cooked in &mut decoded.cooked {
            cooked.object = self.english(&cooked.object);
        }
        selected(decoded, selection)
    }
}

/// What is selected of computed values whose names have changed.
pub(crate) fn selected(mut decoded: Decoded, selection: &Selection) -> Decoded {
    if !selection.is_all() {
        let selected = decoded.cooked.into_iter().map(|cooked| select_cooked(cooked, selection));
        decoded.cooked = selected.filter(|cooked| !cooked.columns.is_empty()).collect();
    }
    decoded
}
