//! The identity of a capture, which stays the same when its file is copied or grows
//! (`formats/catalogue.md#capture-id`).

use std::collections::BTreeSet;

use recount_model::{ObjectDef, Selection};
use uuid::Uuid;

use crate::Capture;

/// The namespace of ids that are derived from samples (RFC 9562, section 5.5), generated once for recount.
const NAMESPACE: Uuid = Uuid::from_u128(0x2c5f_8e9b_41d7_4f06_a3b8_6d90_e17a_c254);

impl Capture {
    /// A UUID that identifies the capture: the one in a log's header, or else one derived from machine and first
    /// sample. Copies have the same id, and a file keeps it when it grows. `None` if the capture has no samples.
    pub fn id(&self) -> Option<String> {
        let id = self.log_id.map(Uuid::from_bytes);
        id.or_else(|| self.id_of_first_sample()).map(|id| id.to_string())
    }

    fn id_of_first_sample(&self) -> Option<Uuid> {
        let first = self.source.times().first()?;
        let decoded = self.source.decode(&[0], &Selection::all());
        let mut counters = BTreeSet::new();
        let mut add = |host: &str, object: &ObjectDef| {
            for counter in object.counters.iter().filter(|counter| !counter.is_hidden()) {
                counters.insert(format!("{host}\t{}\t{}\n", object.name, counter.name));
            }
        };
        decoded.runs.iter().for_each(|run| add(&run.host, &run.object));
        decoded.cooked.iter().for_each(|cooked| add(&cooked.host, &cooked.object));
        let mut name = format!("{}\n", first.utc.0);
        name.extend(counters);
        Some(Uuid::new_v5(&NAMESPACE, name.as_bytes()))
    }
}
