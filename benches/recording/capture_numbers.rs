//! `capture-numbers FILE [--raw OUT]`: the amount of data in a capture log, as JSON; and its raw blocks,
//! concatenated.
#![expect(clippy::print_stdout, reason = "prints its results")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Parser;
use recount_capture::{CaptureError, CaptureSource, Log, RecordKind};
use recount_compute::{CookOptions, Input, PipelineOptions, scan};
use recount_model::{Run, Source};

/// Shows how much data a capture log contains.
#[derive(Debug, Parser)]
struct Arguments {
    /// The log.
    file: PathBuf,
    /// Writes the raw blocks of all samples to this file, concatenated.
    #[arg(long)]
    raw: Option<PathBuf>,
}

/// How many values are in the samples.
#[derive(Debug, Default)]
struct Values {
    /// Every cell of every counter.
    cells: u64,
    /// Those that aren't bases.
    not_bases: u64,
    /// Those of them that aren't of an instance `_Total`, which only repeats the other instances.
    own: u64,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let file = File::open(&arguments.file).with_context(|| format!("open {}", arguments.file.display()))?;
    let source = CaptureSource::open(Box::new(file))?;
    ensure!(source.health().is_complete(), "{:?}", source.health().findings());
    let num_samples = source.times().len();
    let len_raw = write_raw(source.log(), &arguments)?;
    let (num_chunks, num_unsealed) = (source.log().num_chunks(), source.log().num_unsealed());
    let values = count(source);
    println!(
        "{{\"samples\": {num_samples}, \"raw_bytes\": {len_raw}, \"cells\": {}, \"values\": {}, \
         \"own_values\": {}, \"chunks\": {num_chunks}, \"unsealed\": {num_unsealed}}}",
        values.cells, values.not_bases, values.own
    );
    Ok(())
}

/// Bytes of all blocks; writes them if requested.
fn write_raw(log: &Log, arguments: &Arguments) -> Result<u64> {
    let mut out: Box<dyn Write> = match &arguments.raw {
        Some(path) => {
            let file = File::create(path).with_context(|| format!("create {}", path.display()))?;
            Box::new(BufWriter::with_capacity(1 << 20, file))
        }
        None => Box::new(std::io::sink()),
    };
    let mut len_raw = 0;
    log.for_each_record(|record, bytes: Result<&[u8], &CaptureError>| {
        let bytes = bytes.map_err(|error| anyhow!("record {record}: {error}"))?;
        if log.record_info(record).is_some_and(|(_, kind)| kind == RecordKind::BLOCK) {
            len_raw += bytes.len() as u64;
            out.write_all(bytes)?;
        }
        anyhow::Ok(())
    })?;
    out.flush()?;
    Ok(len_raw)
}

fn count(source: CaptureSource) -> Values {
    let samples = (0..source.times().len() as u32).collect();
    let input = Input::new(std::sync::Arc::new(source), samples);
    let options = PipelineOptions { cook: CookOptions::default(), ..PipelineOptions::default() };
    let mut values = Values::default();
    scan(&[input], &options, |decoded| decoded.runs.iter().for_each(|run| values.add(run)));
    values
}

impl Values {
    fn add(&mut self, run: &Run) {
        let num_samples = run.num_samples() as u64;
        let num_instances = run.instances.len() as u64;
        let is_total =
            |at: &usize| run.instances.get(*at).is_some_and(|instance| &*instance.name == "_Total");
        let num_totals = (0..run.instances.len()).filter(is_total).count() as u64;
        let num_counters = run.object.counters.len() as u64;
        let num_not_bases = run.object.counters.iter().filter(|counter| !counter.is_base()).count() as u64;
        self.cells += num_samples * num_instances * num_counters;
        self.not_bases += num_samples * num_instances * num_not_bases;
        self.own += num_samples * (num_instances - num_totals) * num_not_bases;
    }
}
