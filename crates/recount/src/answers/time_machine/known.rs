//! Which objects can be shown.

use std::sync::Arc;

use recount_model::{ObjectDef, Selection};

use crate::Timeline;

/// An object of captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownObject {
    /// Its name.
    pub name: Arc<str>,
    /// Whether it has instances.
    pub instanced: bool,
}

/// The objects of captures, each once: those that the captures list without decoding samples, and those in their first
/// and last samples. No other sample is read.
pub fn known_objects(timeline: &Timeline) -> Vec<KnownObject> {
    let mut known: Vec<KnownObject> = Vec::new();
    let mut learn = |object: &ObjectDef| {
        if !known.iter().any(|other| other.name == object.name) {
            known.push(KnownObject { name: Arc::clone(&object.name), instanced: object.instanced });
        }
    };
    for capture in timeline.captures() {
        capture.source.objects().iter().for_each(|(_, object)| learn(object));
        let Some(last) = capture.source.times().len().checked_sub(1) else { continue };
        let mut samples = vec![0, last as u32];
        samples.dedup();
        let seen = capture.source.survey(&samples, &Selection::all());
        seen.runs.iter().for_each(|run| learn(&run.object));
        seen.cooked.iter().for_each(|cooked| learn(&cooked.object));
    }
    known
}
