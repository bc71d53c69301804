//! The columns of the catalogue, in their order.
//!
//! Their types are those that polars, pyarrow and Spark all read: Spark knows neither unsigned numbers nor nanoseconds in
//! Parquet files.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

/// Key of the file's metadata by which a catalogue is recognised.
pub(crate) const KEY: &str = "recount.catalogue";
/// Version of the columns. A catalogue of another version is rebuilt.
pub(super) const VERSION: &str = "1";

/// The schema of the catalogue.
pub fn captures_schema() -> SchemaRef {
    let text = |name, nullable| Field::new(name, DataType::Utf8, nullable);
    let time = |name| Field::new(name, DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true);
    let number = |name, nullable| Field::new(name, DataType::Int64, nullable);
    let flag = |name| Field::new(name, DataType::Boolean, false);
    let names = |name| Field::new(name, DataType::List(element()), false);
    Arc::new(Schema::new(vec![
        text("path", false),
        number("size", false),
        time("modified"),
        text("etag", true),
        text("format", true),
        text("capture_id", true),
        names("hosts"),
        time("begin"),
        time("end"),
        flag("is_zone_unknown"),
        number("samples", true),
        names("objects"),
        flag("is_complete"),
        number("findings", false),
        text("health", true),
        text("version", false),
    ]))
}

/// The elements of lists.
pub(super) fn element() -> Arc<Field> {
    Arc::new(Field::new_list_field(DataType::Utf8, false))
}
