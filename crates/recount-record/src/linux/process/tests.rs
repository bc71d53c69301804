//! Samples of processes, taken from a made-up `/proc`, decoded.

mod cut_blocks;
mod history;
mod kept_files;
#[cfg(feature = "live-tests")]
mod live;

use recount_perf_data::{BlockClocks, BlockStream, DataBlock, ObjectRuns};

use super::sampler::Sampler;
use super::*;
