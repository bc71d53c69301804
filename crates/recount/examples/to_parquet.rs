//! Writes a capture to Parquet with a writer of one's own: `cargo run --example to_parquet -- monday.blg monday.parquet`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fs::File;

use arrow_array::RecordBatchReader;
use parquet::arrow::ArrowWriter;

fn main() -> Result<(), Box<dyn Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
    let input = std::env::args().nth(1).unwrap_or_else(|| sample.to_owned());
    let output = std::env::args().nth(2).map_or_else(
        || std::env::temp_dir().join(format!("recount-example-{}.parquet", std::process::id())),
        Into::into,
    );
    let reader = recount::open(input)?.batches().reader()?;
    let mut writer = ArrowWriter::try_new(File::create(&output)?, reader.schema(), None)?;
    for batch in reader {
        writer.write(&batch?)?;
    }
    let written = writer.close()?;
    println!("{}: {} rows", output.display(), written.file_metadata().num_rows());
    Ok(())
}
