//! `_counters`: describes the columns of the objects layout (`formats/tables.md#counters`).

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::ArrowError;
use recount_model::{CounterDef, CounterType, ObjectDef};

use crate::schema::{COUNTERS, schema};

/// One counter.
#[derive(Clone, Debug)]
pub(crate) struct CatalogueEntry {
    object: Arc<ObjectDef>,
    counter: usize,
    /// The column of its values; `None` for a base without one. The catalogue names only those of counters that are shown.
    pub(crate) column: Option<String>,
}

impl CatalogueEntry {
    pub(crate) fn new(object: &Arc<ObjectDef>, counter: usize, column: Option<String>) -> CatalogueEntry {
        CatalogueEntry { object: Arc::clone(object), counter, column }
    }

    pub(crate) fn def(&self) -> &CounterDef {
        &self.object.counters[self.counter]
    }

    /// Whether both are the same counter of the same object.
    pub(crate) fn names(&self, counter: &CounterDef) -> bool {
        self.def().name == counter.name && self.def().is_base() == counter.is_base()
    }

    /// `\Object(*)\Counter`
    fn path(&self) -> String {
        let instance = if self.object.instanced { "(*)" } else { "" };
        format!(r"\{}{instance}\{}", self.object.name, self.def().name)
    }

    fn base(&self) -> Option<&str> {
        base_of(&self.object, self.counter).map(|at| &*self.object.counters[at].name)
    }
}

/// The base of a counter whose formula has one: the one that it names, or otherwise the next counter. If
/// counters name their bases, one that names none has none.
pub(crate) fn base_of(object: &ObjectDef, counter: usize) -> Option<usize> {
    let def = object.counters.get(counter)?;
    if let Some(name) = &def.base {
        return object.counters.iter().position(|counter| counter.name == *name);
    }
    if object.counters.iter().any(|counter| counter.base.is_some()) {
        return None;
    }
    let formula = def.formula();
    let is_base = object.counters.get(counter + 1).is_some_and(CounterDef::is_base);
    (is_base && (formula.needs_base() || formula.needs_multi())).then_some(counter + 1)
}

/// The catalogue. Each counter comes with the file or directory of its table, if that has one.
pub(crate) fn build(entries: &[(CatalogueEntry, Option<String>)]) -> Result<RecordBatch, ArrowError> {
    let text = |get: &dyn for<'a> Fn(&'a CatalogueEntry) -> Option<String>| -> ArrayRef {
        Arc::new(entries.iter().map(|(entry, _)| get(entry)).collect::<StringArray>())
    };
    let non_empty = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let words: UInt32Array =
        entries.iter().map(|(entry, _)| entry.def().counter_type.map(|word| word.0)).collect();
    let scales: Int32Array = entries.iter().map(|(entry, _)| Some(entry.def().default_scale)).collect();
    let columns = vec![
        text(&|entry| Some(entry.object.name.to_string())),
        text(&|entry| Some(entry.def().name.to_string())),
        text(&|entry| Some(entry.path())),
        text(&|entry| entry.def().counter_type.and_then(CounterType::name).map(str::to_owned)),
        Arc::new(words),
        text(&|entry| non_empty(entry.def().unit())),
        Arc::new(scales),
        text(&|entry| entry.base().map(str::to_owned)),
        text(&|entry| entry.def().help.as_deref().and_then(non_empty)),
        text(&|entry| entry.column.clone().filter(|_| !entry.def().is_hidden())),
        Arc::new(entries.iter().map(|(_, file)| file.clone()).collect::<StringArray>()),
    ];
    RecordBatch::try_new(schema(&COUNTERS), columns)
}
