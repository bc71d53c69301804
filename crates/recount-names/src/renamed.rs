//! A capture whose objects and counters have English names.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use recount_compute::select_cooked;
use recount_model::{Change, Decoded, ObjectDef, Selection};

use crate::translations::Translations;
use crate::{definition, process_v2};

/// A definition and its English counterpart.
type Translation = (Arc<ObjectDef>, Arc<ObjectDef>);

/// The change to other names. The source only knows its own names, so everything is requested from it.
#[derive(Default)]
pub(crate) struct Renamed {
    /// By the name in the capture.
    known: Mutex<HashMap<Arc<str>, Translation>>,
    /// Whether `Process V2` is read as `Process`.
    has_process_v2: bool,
    /// The names that a user gives; `None`: those that are known.
    names: Option<Arc<Translations>>,
}

impl Renamed {
    pub(crate) fn new(has_process_v2: bool) -> Renamed {
        Renamed { has_process_v2, ..Renamed::default() }
    }

    pub(crate) fn by(names: Arc<Translations>) -> Renamed {
        Renamed { names: Some(names), ..Renamed::default() }
    }

    fn is_process_v2(&self, object: &ObjectDef) -> bool {
        self.has_process_v2 && *object.name == *process_v2::NAME
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
            None if self.is_process_v2(object) => Some(process_v2::as_process(object)),
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
            if self.is_process_v2(&run.object) {
                run.instances = process_v2::instances(&run.instances);
            }
            run.object = self.english(&run.object);
        }
        for cooked in &mut decoded.cooked {
            if self.is_process_v2(&cooked.object) {
                cooked.instances = process_v2::instances(&cooked.instances);
            }
            cooked.object = self.english(&cooked.object);
        }
        if !selection.is_all() {
            let selected = decoded.cooked.into_iter().map(|cooked| select_cooked(cooked, selection));
            decoded.cooked = selected.filter(|cooked| !cooked.columns.is_empty()).collect();
        }
        decoded
    }
}
