//! Captures with computed values, PDH text and tables: a source with other names, from which the same form is written anew.

use std::sync::Arc;

use recount_compute::select_cooked;
use recount_model::{CaptureInfo, Change, Decoded, Instances, Opened, ProcessNote, Selection, Source};

use super::names::Names;
use super::pseudonym::Kind;

/// The change of names. Texts are left out: what they say isn't known.
pub(super) struct Renamed {
    names: Arc<Names>,
}

impl Renamed {
    pub(super) fn new(names: Arc<Names>) -> Renamed {
        Renamed { names }
    }

    fn instances(&self, object: &str, instances: &Instances) -> Instances {
        let kind = Kind::of_object(object);
        instances.iter().map(|instance| self.names.of_instance(kind, instance)).collect()
    }
}

impl Change for Renamed {
    const KNOWS_SELECTION: bool = false;

    fn opened(&self, source: &dyn Source) -> Opened {
        let Opened { info, health, times } = source.opened().clone();
        let mark = |mark: &recount_model::Mark| recount_model::Mark {
            time: mark.time,
            text: self.names.whole(Kind::Mark, &mark.text).to_string(),
        };
        let info = CaptureInfo {
            hosts: info.hosts.iter().map(|host| self.names.host(host)).collect(),
            marks: info.marks.iter().map(mark).collect(),
            details: Vec::new(),
            has_texts: false,
            ..info
        };
        Opened { info, health, times }
    }

    fn object(
        &self,
        (host, object): (Arc<str>, Arc<recount_model::ObjectDef>),
    ) -> (Arc<str>, Arc<recount_model::ObjectDef>) {
        (self.names.host(&host), object)
    }

    fn note(&self, note: ProcessNote) -> ProcessNote {
        self.names.note(note)
    }

    fn decoded(&self, mut decoded: Decoded, selection: &Selection) -> Decoded {
        for run in &mut decoded.runs {
            run.host = self.names.host(&run.host);
            run.instances = self.instances(&run.object.name, &run.instances);
            run.columns.iter_mut().for_each(|column| column.texts = None);
        }
        for cooked in &mut decoded.cooked {
            cooked.host = self.names.host(&cooked.host);
            cooked.instances = self.instances(&cooked.object.name, &cooked.instances);
            cooked.columns.iter_mut().for_each(|column| column.texts = None);
        }
        if !selection.is_all() {
            let selected = decoded.cooked.into_iter().map(|cooked| select_cooked(cooked, selection));
            decoded.cooked = selected.filter(|cooked| !cooked.columns.is_empty()).collect();
        }
        decoded
    }
}
