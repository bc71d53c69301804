//! Buffers and events of the `.blg`: opening it, and decoding all of it to runs, on one thread.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use recount_blg::BlgSource;
use recount_model::{Content, Selection, Source};

use crate::allocations::num_allocations;
use crate::measured::Measured;

/// Bytes of samples decoded at a time, as `convert` does.
const LEN_SLICE: usize = 4 << 20;

/// Bytes copied at a time: more than caches hold.
const LEN_COPY: usize = 64 << 20;

pub(crate) fn run(log: &Path) -> Result<Measured> {
    let content = Arc::new(std::fs::read(log)?);
    let mut measured = Measured::default();
    measured.set("raw bytes", content.bytes().len() as f64);
    // The first copy brings the pages in, and doesn't count.
    copy(content.bytes());
    measured.set_time("copy", copy(content.bytes()));

    let begun = Instant::now();
    let source = BlgSource::open(Arc::clone(&content) as Arc<dyn Content>)?;
    measured.set_time("open", begun.elapsed());
    decode(&source, &mut measured)?;
    Ok(measured)
}

fn copy(bytes: &[u8]) -> Duration {
    let mut to = vec![1_u8; LEN_COPY];
    let begun = Instant::now();
    for from in bytes.chunks(LEN_COPY) {
        to[..from.len()].copy_from_slice(from);
        black_box(&mut to);
    }
    begun.elapsed()
}

fn decode(source: &BlgSource, measured: &mut Measured) -> Result<()> {
    let num_samples = source.times().len();
    let (mut num_cells, mut num_runs) = (0, 0);
    let allocations_before = num_allocations();
    let begun = Instant::now();
    let mut first = 0;
    while first < num_samples {
        let mut len = 0;
        let end = (first..num_samples).find(|&sample| {
            len += source.len_sample(sample);
            len >= LEN_SLICE
        });
        let end = end.map_or(num_samples, |sample| sample + 1);
        let samples: Vec<u32> = (first..end).map(|sample| sample as u32).collect();
        let decoded = source.decode(&samples, &Selection::all());
        ensure!(decoded.health.is_sound(), "damage: {:?}", decoded.health.findings());
        num_runs += decoded.runs.len();
        num_cells += decoded.runs.iter().map(|run| run.num_cells() * run.columns.len()).sum::<usize>();
        black_box(decoded);
        first = end;
    }
    measured.set_time("seconds", begun.elapsed());
    measured.set("allocations", (num_allocations() - allocations_before) as f64);
    measured.set("samples", num_samples as f64);
    measured.set("runs", num_runs as f64);
    measured.set("raw values", num_cells as f64);
    Ok(())
}
