//! Prints every value of a capture: `cargo run --example print -- monday.blg`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, StringArray};

fn main() -> Result<(), Box<dyn Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    let path = std::env::args().nth(1).unwrap_or_else(|| sample.to_owned());
    let capture = recount::open(path)?;
    for batch in capture.batches().reader()? {
        let batch = batch?;
        let name = |column: &str| {
            let names = batch.column_by_name(column)?.as_dictionary_opt::<arrow_array::types::Int32Type>()?;
            names.downcast_dict::<StringArray>()
        };
        let (instances, counters) = (name("instance"), name("counter"));
        let Some(values) = batch.column_by_name("value") else { continue };
        let values = values.as_primitive::<Float64Type>();
        for row in 0..batch.num_rows() {
            let text = |names: &Option<arrow_array::TypedDictionaryArray<'_, _, StringArray>>| {
                use arrow_array::ArrayAccessor;
                names.filter(|names| !names.is_null(row)).map_or("", |names| names.value(row)).to_owned()
            };
            let value = if values.is_null(row) { "-".to_owned() } else { values.value(row).to_string() };
            println!("{}\t{}\t{value}", text(&instances), text(&counters));
        }
    }
    Ok(())
}
