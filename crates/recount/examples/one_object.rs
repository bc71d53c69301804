//! Iterates over the batches of one object between two times, and gives the mean of a counter.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use recount::Layout;

fn main() -> Result<(), Box<dyn Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    let path = std::env::args().nth(1).unwrap_or_else(|| sample.to_owned());
    let capture = recount::open(path)?;
    let batches = capture.batches().counters(r"\Processor(_Total)\% User Time")?.between("+0s", "+5m")?;
    let (mut sum, mut count) = (0.0, 0_u32);
    for batch in batches.layout(Layout::Objects).reader()? {
        let batch = batch?;
        let Some(values) = batch.column_by_name("% User Time") else { continue };
        for value in values.as_primitive::<Float64Type>().iter().flatten() {
            sum += value;
            count += 1;
        }
    }
    println!("mean of {count} values: {}", sum / f64::from(count));
    Ok(())
}
