//! Which objects can be shown, and at what times.

use std::sync::Arc;

use recount_model::{ObjectDef, Selection, Timestamp};

use crate::inputs::moment;
use crate::{Capture, Span, SpanError, TimeBound};

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
pub fn known_objects(captures: &[Capture]) -> Vec<KnownObject> {
    let mut known: Vec<KnownObject> = Vec::new();
    let mut learn = |object: &ObjectDef| {
        if !known.iter().any(|other| other.name == object.name) {
            known.push(KnownObject { name: Arc::clone(&object.name), instanced: object.instanced });
        }
    };
    for capture in captures {
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

/// The moment of a time as people write it. `None` if the time is relative to a sample and there is none.
pub fn time_in(captures: &[Capture], bound: &TimeBound) -> Result<Option<Timestamp>, SpanError> {
    Span { begin: Some(bound.clone()), ..Span::default() }.resolve(captures)?;
    Ok(moment(captures, bound)?)
}
