//! `_counters`: from its rows back to the definitions of objects (`formats/tables.md#counters`).

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{CounterAttributes, CounterDef, CounterType, ObjectDef};

use super::TableInputError;
use super::interned::{Interned, NONE};
use super::parquet_input::{ColumnRequest, ParquetInput};
use super::rows::DecodedRows;
use crate::batches::catalogue::base_of;
use crate::schema::{Column, Kind, catalogue as column};

/// A performance object from the catalogue.
#[derive(Debug)]
pub(super) struct CatalogueObject {
    /// Its counters in the order of the catalogue, including bases.
    pub(super) object: Arc<ObjectDef>,
    /// Per counter: the column of its values.
    pub(super) columns: Vec<Option<Arc<str>>>,
    /// File of its table, or directory with a `/` at the end.
    pub(super) file: Option<Arc<str>>,
}

/// The columns read; their positions follow.
const READ: [Column; 9] = [
    column::OBJECT,
    column::COUNTER,
    column::PATH,
    column::TYPE_WORD,
    column::DEFAULT_SCALE,
    column::BASE,
    column::HELP,
    column::COLUMN,
    column::FILE,
];
const OBJECT: usize = 0;
const COUNTER: usize = 1;
const PATH: usize = 2;
const TYPE_WORD: usize = 3;
const SCALE: usize = 4;
const BASE: usize = 5;
const HELP: usize = 6;
const COLUMN: usize = 7;
const FILE: usize = 8;

/// Reads the catalogue. Objects come in its order.
pub(super) fn read(file: &ParquetInput, names: &Interned) -> Result<Vec<CatalogueObject>, TableInputError> {
    let wanted = READ.map(|column| file.required(column)).into_iter().collect::<Result<Vec<_>, _>>()?;
    // Its texts are names: they occur again in the tables.
    let wanted: Vec<ColumnRequest> = wanted
        .into_iter()
        .map(|wanted| match wanted.kind {
            Kind::Text => ColumnRequest { kind: Kind::Name, ..wanted },
            _ => wanted,
        })
        .collect();
    let all = 0..file.num_rows();
    let rows = file.read(std::slice::from_ref(&all), &wanted, names);
    let rows = rows.map_err(|source| TableInputError::Parquet { file: file.name.clone(), source })?;
    for (column, at) in [OBJECT, COUNTER].map(|at| (READ[at].name, at)) {
        if let Some(row) = rows.names(at).iter().position(|id| *id == NONE) {
            return Err(TableInputError::Null { file: file.name.clone(), column, row: row as u64 });
        }
    }
    let mut drafts: Vec<PendingObject> = Vec::new();
    let mut by_object: HashMap<u32, usize> = HashMap::new();
    for row in 0..rows.num_rows {
        let object = rows.names(OBJECT)[row];
        let at = *by_object.entry(object).or_insert(drafts.len());
        if at == drafts.len() {
            drafts.push(PendingObject { name: names.name(object), ..PendingObject::default() });
        }
        drafts[at].push(&rows, row, names);
    }
    Ok(drafts.into_iter().map(PendingObject::finish).collect())
}

/// The object whose rows are being read.
#[derive(Default)]
struct PendingObject {
    name: Arc<str>,
    instanced: bool,
    counters: Vec<CounterDef>,
    bases: Vec<Option<Arc<str>>>,
    columns: Vec<Option<Arc<str>>>,
    file: Option<Arc<str>>,
}

impl PendingObject {
    fn push(&mut self, rows: &DecodedRows, row: usize, names: &Interned) {
        let text = |at: usize| Some(rows.names(at)[row]).filter(|id| *id != NONE).map(|id| names.name(id));
        let name = text(COUNTER).unwrap_or_default();
        let counter_type = rows.ids(TYPE_WORD)[row].map(|word| CounterType(word as u32));
        let is_instanced = |path: Arc<str>| *path == *format!(r"\{}(*)\{name}", self.name);
        let column = text(COLUMN);
        // Bases are known by their type; without a file, no counter has a column.
        let is_hidden =
            column.is_none() && text(FILE).is_some() && !counter_type.is_some_and(CounterType::is_base);
        self.instanced |= text(PATH).is_some_and(is_instanced);
        self.counters.push(CounterDef {
            name,
            help: text(HELP),
            counter_type,
            default_scale: rows.ids(SCALE)[row].map_or(0, |scale| scale as u32 as i32),
            len_value: if counter_type.is_some() { 8 } else { 0 },
            attributes: if is_hidden { CounterAttributes::NO_DISPLAY } else { CounterAttributes::default() },
            ..CounterDef::default()
        });
        self.bases.push(text(BASE));
        self.columns.push(column);
        self.file = self.file.take().or_else(|| text(FILE));
    }

    fn finish(self) -> CatalogueObject {
        let PendingObject { name, instanced, counters, bases, columns, file } = self;
        let mut object = ObjectDef { name, instanced, counters, ..ObjectDef::default() };
        let name_of_base = |counter: usize| base_of(&object, counter).map(|at| &object.counters[at].name);
        // If the base isn't the next counter, it must be named.
        let are_behind = (0..bases.len()).all(|counter| name_of_base(counter) == bases[counter].as_ref());
        if !are_behind {
            for (counter, base) in object.counters.iter_mut().zip(bases) {
                counter.base = base;
            }
        }
        CatalogueObject { object: Arc::new(object), columns, file }
    }
}
