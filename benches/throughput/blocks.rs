//! `PERF_DATA_BLOCK`s: walking all of their structures, and making runs of them, on one thread.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use recount_bench::generate::{SampleBlocks, sample_blocks};
use recount_model::{NameTable, Run, SampleTime};
use recount_perf_data::{DataBlock, ObjectRuns};

use crate::SEED;
use crate::allocations::num_allocations;
use crate::measured::Measured;

/// Bytes of blocks in memory at a time: more than caches hold.
const LEN_BATCH: usize = 64 << 20;

/// Bytes of samples that runs are made of at a time, as `convert` does.
const LEN_SLICE: usize = 4 << 20;

pub(crate) fn run(log: &Path) -> Result<Measured> {
    let len_log = fs::metadata(log)?.len() as usize;
    let (names, mut samples) = sample_blocks(SEED);
    let mut sums = Sums::default();
    while sums.len_raw < len_log {
        let mut batch = Vec::new();
        let mut len_batch = 0;
        while len_batch < LEN_BATCH {
            let Some(sample) = samples.next().transpose()? else { break };
            len_batch += len_of(&sample);
            batch.push(sample);
        }
        sums.len_raw += len_batch;
        sums.copy += copy(&batch);
        sums.walk(&batch)?;
        for slice in slices(&batch) {
            sums.make_runs(slice, &names)?;
        }
    }
    Ok(sums.measured())
}

/// Cuts samples into slices of some bytes.
pub(crate) fn slices(mut samples: &[SampleBlocks]) -> impl Iterator<Item = &[SampleBlocks]> {
    std::iter::from_fn(move || {
        let mut len = 0;
        let is_full = |sample: &SampleBlocks| {
            len += len_of(sample);
            len >= LEN_SLICE
        };
        let num = samples.iter().position(is_full).map_or(samples.len(), |at| at + 1);
        let (slice, rest) = samples.split_at(num);
        samples = rest;
        (!slice.is_empty()).then_some(slice)
    })
}

fn len_of(sample: &SampleBlocks) -> usize {
    sample.blocks.iter().map(Vec::len).sum()
}

fn copy(batch: &[SampleBlocks]) -> Duration {
    let mut to = vec![1_u8; batch.iter().map(len_of).sum()];
    let begun = Instant::now();
    let mut ofs = 0;
    for block in batch.iter().flat_map(|sample| &sample.blocks) {
        to[ofs..ofs + block.len()].copy_from_slice(block);
        ofs += block.len();
    }
    black_box(&mut to);
    begun.elapsed()
}

#[derive(Default)]
struct Sums {
    len_raw: usize,
    copy: Duration,
    walk: Duration,
    walk_allocations: u64,
    runs: Duration,
    runs_allocations: u64,
    num_blocks: u64,
    num_instances: u64,
    /// Blocks that neither begin a run nor make a column grow.
    num_blocks_without_allocation: u64,
    checksum: u64,
}

impl Sums {
    /// Visits every object, counter, instance and raw value.
    fn walk(&mut self, batch: &[SampleBlocks]) -> Result<()> {
        let allocations_before = num_allocations();
        let begun = Instant::now();
        for bytes in batch.iter().flat_map(|sample| &sample.blocks) {
            let block = DataBlock::parse(bytes, 0)?;
            for object in block.objects() {
                let object = object?;
                for counter in object.counters() {
                    self.checksum = self.checksum.wrapping_add(u64::from(counter?.counter_type.0));
                }
                if let Some(values) = object.counter_block() {
                    self.add_values(values?.bytes());
                }
                for instance in object.instances() {
                    self.add_values(instance?.counter_block.bytes());
                    self.num_instances += 1;
                }
            }
            self.num_blocks += 1;
        }
        self.walk += begun.elapsed();
        self.walk_allocations += num_allocations() - allocations_before;
        black_box(self.checksum);
        Ok(())
    }

    fn add_values(&mut self, bytes: &[u8]) {
        let (values, _) = bytes.as_chunks::<8>();
        for value in values {
            self.checksum = self.checksum.wrapping_add(u64::from_le_bytes(*value));
        }
    }

    fn make_runs(&mut self, slice: &[SampleBlocks], names: &NameTable) -> Result<()> {
        let allocations_before = num_allocations();
        let begun = Instant::now();
        let runs = runs_of(slice, names, |allocated| {
            self.num_blocks_without_allocation += u64::from(!allocated);
        })?;
        self.runs += begun.elapsed();
        self.runs_allocations += num_allocations() - allocations_before;
        black_box(runs);
        Ok(())
    }

    fn measured(&self) -> Measured {
        let mut measured = Measured::default();
        measured.set("raw bytes", self.len_raw as f64);
        measured.set_time("copy", self.copy);
        measured.set_time("walk", self.walk);
        measured.set("walk allocations", self.walk_allocations as f64);
        measured.set_time("seconds", self.runs);
        measured.set("allocations", self.runs_allocations as f64);
        measured.set("blocks", self.num_blocks as f64);
        measured.set("instances", self.num_instances as f64);
        measured.set("blocks without allocation", self.num_blocks_without_allocation as f64);
        measured
    }
}

/// The runs of a slice, object by object. `each` is called for every block with whether it needed an
/// allocation.
pub(crate) fn runs_of(
    slice: &[SampleBlocks],
    names: &NameTable,
    mut each: impl FnMut(bool),
) -> Result<Vec<Vec<Run>>> {
    let num_objects = slice.first().map_or(0, |sample| sample.blocks.len());
    let mut runs: Vec<ObjectRuns> =
        (0..num_objects).map(|_| ObjectRuns::new("WEB1".into(), slice.len())).collect();
    for sample in slice {
        let time = SampleTime { utc: sample.time, offset_min: -480 };
        for (bytes, runs) in sample.blocks.iter().zip(&mut runs) {
            let before = num_allocations();
            let block = DataBlock::parse(bytes, 0)?;
            for object in block.objects() {
                runs.push(&block, &object?, time, names)?;
            }
            each(num_allocations() > before);
        }
    }
    Ok(runs.into_iter().map(ObjectRuns::finish).collect())
}
