//! Reading a log.

use std::fs::File;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use recount_capture::{CaptureError, CaptureSource, Log};
use recount_compute::{CookOptions, Input as PipelineInput, PipelineOptions, scan};
use recount_model::{Pattern, Run, Selection, Source};

use crate::encode::{Setting, log_path};
use crate::input::Input;
use crate::measured::Measured;

fn open(input: Input, setting: Setting) -> Result<Log> {
    let path = log_path(input, setting);
    let file = File::open(&path).with_context(|| format!("open {}", path.display()))?;
    let log = Log::open(Box::new(file))?;
    ensure!(log.health().is_sound() && log.is_closed(), "{}: {:?}", path.display(), log.health().findings());
    Ok(log)
}

/// Gives every record back, byte for byte, on one thread.
pub(crate) fn records(input: Input, setting: Setting) -> Result<Measured> {
    let begun = Instant::now();
    let log = open(input, setting)?;
    let mut len_records = 0;
    log.for_each_record(|record, bytes: Result<&[u8], &CaptureError>| {
        let bytes = bytes.map_err(|error| anyhow!("record {record}: {error}"))?;
        len_records += black_box(bytes).len();
        anyhow::Ok(())
    })?;
    let mut measured = Measured::default();
    measured.set_time("seconds", begun.elapsed());
    measured.set("raw bytes", len_records as f64);
    Ok(measured)
}

/// Decodes all samples, or those objects that a pattern asks for, to runs: by the pipeline, as `convert` does before it
/// cooks, from opening on.
pub(crate) fn runs(
    input: Input,
    setting: Setting,
    num_threads: usize,
    pattern: Option<&str>,
) -> Result<Measured> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build()?;
    let patterns = pattern.map(str::parse::<Pattern>).transpose().map_err(|error| anyhow!("{error}"))?;
    let selection = Selection::from_iter(patterns);
    let begun = Instant::now();
    let source = Arc::new(CaptureSource::new(open(input, setting)?)?);
    let samples = (0..source.times().len() as u32).collect();
    let inputs = [PipelineInput::new(Arc::clone(&source) as Arc<dyn Source>, samples)];
    let cook = CookOptions { selection, ..CookOptions::default() };
    let options = PipelineOptions { cook, ..PipelineOptions::default() };
    let (mut num_cells, mut num_runs) = (0, 0);
    let health = pool.install(|| {
        scan(&inputs, &options, |decoded| {
            num_runs += decoded.runs.len();
            num_cells += decoded.runs.iter().map(num_cells_of).sum::<usize>();
            black_box(decoded.runs);
        })
    });
    let elapsed = begun.elapsed();
    ensure!(health.is_sound(), "{:?}", health.findings());
    let mut measured = Measured::default();
    measured.set_time("seconds", elapsed);
    measured.set("values", num_cells as f64);
    measured.set("runs", num_runs as f64);
    measured.set("read bytes", source.log().len_read() as f64);
    Ok(measured)
}

fn num_cells_of(run: &Run) -> usize {
    run.num_cells() * run.columns.len()
}
