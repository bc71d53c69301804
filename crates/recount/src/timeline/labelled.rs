//! What is found while one of several captures is read says which one it is about.

use std::sync::Arc;

use recount_model::{Change, Changed, Decoded, ProcessNote, Selection, Source};

use crate::Capture;

/// The sources of captures. Those of several add the name of their capture to what they find.
pub(crate) fn labelled(captures: &[Capture]) -> Vec<Arc<dyn Source>> {
    if let [alone] = captures {
        return vec![Arc::clone(&alone.source)];
    }
    let of = |capture: &Capture| {
        let name = capture.name().into();
        Changed::of(Arc::clone(&capture.source), Labelled { name })
    };
    captures.iter().map(of).collect()
}

struct Labelled {
    name: Arc<str>,
}

impl Change for Labelled {
    fn decoded(&self, mut decoded: Decoded, _: &Selection) -> Decoded {
        decoded.health = decoded.health.of_capture(&self.name);
        decoded
    }

    fn note(&self, note: ProcessNote) -> ProcessNote {
        note
    }
}
