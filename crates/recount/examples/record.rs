//! Records this machine for a second and prints what was recorded: `cargo run --example record --features record -- now.rcap`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::time::Duration;

use recount::{Interrupts, RecordOptions, record, summarise};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::temp_dir();
    let mut options = RecordOptions::default();
    // A directory: the log is named after the machine and the time.
    options.output = Some(std::env::args().nth(1).map_or(directory, Into::into));
    options.interval = Some(Duration::from_millis(250));
    options.duration = Some(Duration::from_secs(1));
    let recorded = record(&options, &Interrupts::new()?, &mut |_| ())?;
    for file in &recorded.files {
        let (summary, _) = summarise(&recount::open(file)?);
        println!("{}: {} samples, {} counters", file.display(), summary.num_samples, summary.num_paths);
    }
    Ok(())
}
