//! The table of one object, before its values are read.

use std::sync::Arc;

use recount_compute::PipelineOptions;
use recount_model::{Aggregation, CounterPath, ObjectDef, Pattern, Selection};
use recount_tables::batches::ObjectBatches;
use recount_tables::schema::TIME;

use super::BatchError;
use crate::Timeline;
use crate::contents::surveys::SurveyedObject;

/// The table of the one selected object.
pub(super) struct ObjectTable {
    pub(super) name: String,
    pub(super) table: ObjectBatches,
    /// All definitions of it, each once.
    definitions: Vec<Arc<ObjectDef>>,
    /// Whether some instances lack some counters.
    has_holes: bool,
}

impl ObjectTable {
    /// The table of the samples of a time line. `only` is the object if the caller named it.
    pub(super) fn of(
        timeline: &Timeline,
        options: &PipelineOptions,
        only: Option<&str>,
    ) -> Result<ObjectTable, BatchError> {
        let (selection, raw) = (&options.cook.selection, options.cook.keep_raw);
        let mut found = ObjectTable {
            name: String::new(),
            table: ObjectBatches::new(raw).with_instances(),
            definitions: Vec::new(),
            has_holes: false,
        };
        let mut objects: Vec<String> = Vec::new();
        for SurveyedObject { object, has_holes } in timeline.surveys.of(timeline.inputs(), options).iter() {
            let is_wanted = |name: &str| selection.may_match_counter(&object.name, name);
            if only.is_some_and(|only| !is_same_name(only, &object.name))
                || !object.counters.iter().any(|counter| is_wanted(&counter.name))
            {
                continue;
            }
            if !objects.iter().any(|known| **known == *object.name) {
                objects.push(object.name.to_string());
            }
            // Aggregates come with the values, and lack the counters that aren't aggregated.
            found.has_holes |= *has_holes || object.aggregation != Aggregation::None;
            found.definitions.push(Arc::clone(object));
            found.table.learn(object, |counter| is_wanted(&counter.name) && (raw || !counter.is_hidden()));
        }
        match objects.len() {
            0 => Err(BatchError::NoCounters),
            1 => Ok(ObjectTable { name: objects.remove(0), ..found }),
            _ => Err(BatchError::SeveralObjects(objects)),
        }
    }

    /// Keeps the columns of these names (and the times, which come first). Returns what has to be read for them, which
    /// is less than before if all rows stay.
    pub(super) fn keep(
        mut self,
        names: &[String],
        selection: Selection,
        raw: bool,
    ) -> (ObjectTable, Selection) {
        let counters: Vec<Arc<str>> = names
            .iter()
            .filter_map(|name| self.table.counter_of(name))
            .map(|counter| Arc::clone(&counter.name))
            .collect();
        // A row exists if its object has one of the counters selected, so each definition needs one that stays.
        let stays = |object: &Arc<ObjectDef>| {
            object.counters.iter().any(|counter| !counter.is_hidden() && counters.contains(&counter.name))
        };
        // Some columns of raw values don't belong to a counter.
        let narrowed = !raw && !self.has_holes && self.definitions.iter().all(stays);
        let is_plain = selection.is_all() || selection.patterns().iter().all(selects_whole);
        let selection = if narrowed && is_plain {
            let path = |counter: &Arc<str>| Pattern::Path(CounterPath::of("", &self.name, None, counter));
            counters.iter().map(path).collect()
        } else {
            selection
        };
        let kept: Vec<String> = names.iter().cloned().chain([TIME.name.to_owned()]).collect();
        self.table = self.table.keeping(move |name| kept.iter().any(|kept| kept == name));
        (self, selection)
    }
}

/// Whether a pattern selects counters of all hosts and instances.
fn selects_whole(pattern: &Pattern) -> bool {
    let is_any = |part: Option<&str>| part.is_none_or(|part| part == "*");
    match pattern {
        Pattern::Path(path) => {
            is_any(path.host.as_deref())
                && is_any(path.instance.as_deref())
                && is_any(path.parent.as_deref())
                && path.index.is_none()
        }
        Pattern::Contains(_) => false,
    }
}

/// Names of objects never differ in case alone.
fn is_same_name(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other.to_lowercase()
}
