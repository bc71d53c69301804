//! The capture that each row comes from, for several captures that are one time line.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use crate::Timeline;

/// The columns that say where a row comes from.
pub(super) const COLUMNS: [&str; 2] = ["path", "capture_id"];

/// The captures of a time line, by the times of their samples.
pub(super) struct Origins {
    captures: Vec<Origin>,
    /// By nanoseconds since 1970; the captures with a sample at that time.
    by_time: HashMap<i64, Vec<usize>>,
    /// The schema of batches with these columns, which come last.
    pub(super) schema: SchemaRef,
    /// The object of all rows, if the table has no column for it.
    object: Option<String>,
}

struct Origin {
    path: String,
    id: Option<String>,
    hosts: Vec<String>,
    objects: Vec<String>,
}

/// A schema with the columns of origins behind the others.
fn with_origins(schema: &Schema) -> SchemaRef {
    let kind = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let more = COLUMNS.iter().map(|name| Arc::new(Field::new(*name, kind(), true)));
    let fields: Vec<Arc<Field>> = schema.fields().iter().map(Arc::clone).chain(more).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

impl Origins {
    pub(super) fn of(timeline: &Timeline, object: Option<&str>, full: &Schema) -> Origins {
        let captures: Vec<Origin> = timeline.captures().iter().map(Origin::of).collect();
        let mut by_time: HashMap<i64, Vec<usize>> = HashMap::new();
        for input in timeline.inputs() {
            let captures_of = timeline.captures_of(input);
            let times = input.source.times();
            for &sample in &input.samples {
                let time = times.get(sample as usize).and_then(|time| time.utc.unix_nanos());
                let Some(time) = time else { continue };
                let known = by_time.entry(time).or_default();
                for capture in captures_of(sample) {
                    if !known.contains(&capture) {
                        known.push(capture);
                    }
                }
            }
        }
        Origins { captures, by_time, schema: with_origins(full), object: object.map(str::to_lowercase) }
    }

    /// A batch with the columns of origins. A row that could be of several captures has none.
    pub(super) fn add(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let times = batch.column_by_name("time").and_then(|times| {
            let times = times.as_primitive_opt::<TimestampNanosecondType>()?;
            Some(times.values().to_vec())
        });
        let texts = |name: &str| batch.column_by_name(name).map(Texts::of);
        let (hosts, objects) = (texts("host"), texts("object"));
        let mut paths = StringDictionaryBuilder::<Int32Type>::new();
        let mut ids = StringDictionaryBuilder::<Int32Type>::new();
        for row in 0..batch.num_rows() {
            let host = hosts.as_ref().and_then(|hosts| hosts.at(row));
            let object = objects.as_ref().and_then(|objects| objects.at(row)).or(self.object.as_deref());
            let time = times.as_ref().map(|times| times[row]);
            let origin = time.and_then(|time| self.origin(time, host, object));
            paths.append_option(origin.map(|origin| &origin.path));
            ids.append_option(origin.and_then(|origin| origin.id.as_ref()));
        }
        let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
        columns.extend([Arc::new(paths.finish()) as ArrayRef, Arc::new(ids.finish())]);
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }

    /// The one capture that can have a row.
    fn origin(&self, time: i64, host: Option<&str>, object: Option<&str>) -> Option<&Origin> {
        let of_time = self.by_time.get(&time)?;
        if let [one] = of_time[..] {
            return self.captures.get(one);
        }
        let may_have = |known: &[String], name: Option<&str>| {
            known.is_empty() || name.is_none_or(|name| known.iter().any(|known| known == name))
        };
        let mut found = of_time
            .iter()
            .map(|capture| &self.captures[*capture])
            .filter(|origin| may_have(&origin.hosts, host) && may_have(&origin.objects, object));
        let first = found.next();
        first.filter(|_| found.next().is_none())
    }
}

impl Origin {
    fn of(capture: &crate::Capture) -> Origin {
        let (hosts, objects) = (&capture.source.info().hosts, capture.source.objects());
        Origin {
            path: capture.name(),
            id: capture.id(),
            hosts: hosts.iter().map(|host| host.to_lowercase()).collect(),
            objects: objects.iter().map(|(_, object)| object.name.to_lowercase()).collect(),
        }
    }
}

/// A column of names in lower case.
struct Texts {
    names: Vec<String>,
    keys: Vec<Option<usize>>,
}

impl Texts {
    fn of(column: &ArrayRef) -> Texts {
        let Some(column) = column.as_dictionary_opt::<Int32Type>() else {
            return Texts { names: Vec::new(), keys: Vec::new() };
        };
        let names = column.values().as_string_opt::<i32>();
        let names =
            names.map(|names| names.iter().map(|name| name.unwrap_or_default().to_lowercase()).collect());
        let key = |row| (!column.is_null(row)).then(|| column.keys().value(row) as usize);
        Texts { names: names.unwrap_or_default(), keys: (0..column.len()).map(key).collect() }
    }

    fn at(&self, row: usize) -> Option<&str> {
        let key = (*self.keys.get(row)?)?;
        self.names.get(key).map(String::as_str)
    }
}
