//! Describes the columns of a table, for callers that need to know them before reading values.

use std::sync::Arc;

use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{DataType, Field};
use recount_model::{CounterDef, CounterType};

use super::ObjectBatches;
use crate::TableError;
use crate::schema::{Column, DESCRIPTION, INTERVAL, WEIGHT, schema};

impl ObjectBatches {
    /// The columns of the table ([`DESCRIPTION`]), including those that are left out.
    pub fn description(&self) -> Result<RecordBatch, TableError> {
        let columns = self.fields().iter().map(|field| (field.clone(), self.counter_of(field.name())));
        description(&columns.collect::<Vec<_>>())
    }
}

/// Like [`ObjectBatches::description`], for a table whose columns are fixed, such as [`crate::schema::COUNTERS`].
pub fn fixed_description(columns: &[Column]) -> Result<RecordBatch, TableError> {
    description(&columns.iter().map(|column| (column.field(), None)).collect::<Vec<_>>())
}

fn description(columns: &[(Field, Option<&CounterDef>)]) -> Result<RecordBatch, TableError> {
    let text = |get: &dyn Fn(&Field, Option<&CounterDef>) -> Option<String>| {
        Arc::new(columns.iter().map(|(field, counter)| get(field, *counter)).collect::<StringArray>()) as _
    };
    let arrays = vec![
        text(&|field, _| Some(field.name().clone())),
        text(&|field, _| Some(type_name(field.data_type()).to_owned())),
        text(&|field, counter| unit(field, counter).filter(|unit| !unit.is_empty()).map(str::to_owned)),
        text(&|_, counter| counter?.counter_type.and_then(CounterType::name).map(str::to_owned)),
    ];
    RecordBatch::try_new(schema(&DESCRIPTION), arrays).map_err(TableError::arrow("columns"))
}

/// The unit of a column; raw values have none.
fn unit(field: &Field, counter: Option<&CounterDef>) -> Option<&'static str> {
    if [INTERVAL.name, WEIGHT.name].contains(&field.name().as_str()) {
        return Some("sec");
    }
    counter.filter(|_| *field.data_type() == DataType::Float64).map(CounterDef::unit)
}

/// As named in `formats/tables.md#types`; dictionaries of names appear as text to queries.
fn type_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Timestamp(..) => "time",
        DataType::Float64 => "float64",
        DataType::UInt64 => "uint64",
        DataType::UInt32 => "uint32",
        DataType::Int32 => "int32",
        _ => "text",
    }
}
