//! What objects the samples of a time line have, found once: a source may have to decode all of them to say it.

use std::sync::{Arc, Mutex, PoisonError};

use recount_compute::{Input, PipelineOptions, survey};
use recount_model::{ObjectDef, Selection};

/// Selections whose answers are kept.
const MAX_KEPT: usize = 8;

/// The surveys of a time line by selection, the most recent last.
#[derive(Clone, Default)]
pub(crate) struct Surveys(Arc<Mutex<Vec<Survey>>>);

/// What was asked for, and what was found.
type Survey = (Selection, Arc<[SurveyedObject]>);

/// A definition of an object.
#[derive(Clone)]
pub(crate) struct SurveyedObject {
    pub(crate) object: Arc<ObjectDef>,
    /// Whether some instances lack some counters.
    pub(crate) has_holes: bool,
}

impl Surveys {
    /// The definitions of the selected objects, each once, in order of appearance.
    pub(crate) fn of(&self, inputs: &[Input], options: &PipelineOptions) -> Arc<[SurveyedObject]> {
        let selection = &options.cook.selection;
        // Held while the samples are read: two that ask at once need them read once.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(known, _)| known == selection) {
            let known = kept.remove(at);
            let found = Arc::clone(&known.1);
            kept.push(known);
            return found;
        }
        let found: Arc<[SurveyedObject]> = read(inputs, options).into();
        if kept.len() == MAX_KEPT {
            kept.remove(0);
        }
        kept.push((selection.clone(), Arc::clone(&found)));
        found
    }
}

fn read(inputs: &[Input], options: &PipelineOptions) -> Vec<SurveyedObject> {
    let mut found: Vec<SurveyedObject> = Vec::new();
    let mut learn = |object: &Arc<ObjectDef>, has_holes: bool| {
        let is_known =
            |known: &&mut SurveyedObject| Arc::ptr_eq(&known.object, object) || known.object == *object;
        match found.iter_mut().find(is_known) {
            Some(known) => known.has_holes |= has_holes,
            None => found.push(SurveyedObject { object: Arc::clone(object), has_holes }),
        }
    };
    survey(inputs, options, |decoded| {
        for run in &decoded.runs {
            learn(&run.object, run.columns.iter().any(|column| column.covers.is_some()));
        }
        for cooked in &decoded.cooked {
            learn(&cooked.object, cooked.columns.iter().any(|column| column.covers.is_some()));
        }
    });
    found
}
