//! The logged data: blocks of samples.

use std::fs;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use recount_bench::bench_data::directory;
use recount_bench::generate::GENERATOR_VERSION;
use recount_bench::generate_capture::capture_blocks;
use recount_model::Timestamp;
use recount_perf_data::DataBlock;

/// Start of the generator's random numbers.
pub(crate) const SEED: u64 = 1;

/// Samples of the generated input, unless `RECOUNT_BENCH_SAMPLES` says otherwise: three quarters of an hour,
/// about 250 MB.
const NUM_SAMPLES: u64 = 2_700;

/// This many samples of the simulated server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    num_samples: u64,
}

impl Input {
    /// The requested number.
    pub(crate) fn of_environment() -> Result<Input> {
        match std::env::var("RECOUNT_BENCH_SAMPLES") {
            Ok(number) => Input::named(&number).context("RECOUNT_BENCH_SAMPLES"),
            Err(_) => Ok(Input { num_samples: NUM_SAMPLES }),
        }
    }

    pub(crate) fn named(name: &str) -> Result<Input> {
        Ok(Input { num_samples: name.parse().with_context(|| format!("{name:?} is no number of samples"))? })
    }

    pub(crate) fn name(self) -> String {
        self.num_samples.to_string()
    }

    /// The file with its blocks, concatenated; generated on first use.
    pub(crate) fn path(self) -> Result<PathBuf> {
        let name = format!("blocks-{}-seed{SEED}-v{GENERATOR_VERSION}.bin", self.num_samples);
        let path = directory().join(name);
        if !path.exists() {
            fs::create_dir_all(directory())?;
            let unfinished = path.with_extension("unfinished");
            let mut out = BufWriter::new(fs::File::create(&unfinished)?);
            for sample in capture_blocks(SEED).take(self.num_samples as usize) {
                out.write_all(&sample?.1)?;
            }
            out.into_inner()?.sync_all()?;
            fs::rename(&unfinished, &path)?;
        }
        Ok(path)
    }

    /// Where something made of it is kept for the cases that read.
    pub(crate) fn path_of(self, what: &str) -> PathBuf {
        directory().join(format!("capture-log-{}.{what}", self.num_samples))
    }

    /// Its blocks.
    pub(crate) fn blocks(self) -> Result<Blocks> {
        let path = self.path()?;
        let file = fs::File::open(&path).with_context(|| format!("open {}", path.display()))?;
        let len_file = file.metadata()?.len();
        Ok(Blocks { file: BufReader::with_capacity(1 << 20, file), len_left: len_file, block: Vec::new() })
    }
}

/// The blocks of a file in sequence. Only one is in memory, so that memory peaks are those of the measured
/// code. Reading them from the system's cache costs less than 1 % of compressing them.
pub(crate) struct Blocks {
    file: BufReader<fs::File>,
    len_left: u64,
    block: Vec<u8>,
}

impl Blocks {
    /// The next block and its time.
    pub(crate) fn next(&mut self) -> Result<Option<(Timestamp, &[u8])>> {
        if self.len_left == 0 {
            return Ok(None);
        }
        self.block.resize(LEN_START, 0);
        self.file.read_exact(&mut self.block)?;
        let len = self.block[OFS_LEN_TOTAL..].first_chunk().map_or(0, |len| u32::from_le_bytes(*len));
        ensure!(len as usize >= LEN_START && u64::from(len) <= self.len_left, "a block of {len} bytes");
        self.block.resize(len as usize, 0);
        self.file.read_exact(&mut self.block[LEN_START..])?;
        self.len_left -= u64::from(len);
        let time = DataBlock::parse(&self.block, 0)?.header().perf_time_100ns;
        Ok(Some((Timestamp(time), &self.block)))
    }
}

/// Bytes needed to find the length of a block (`formats/perf-data-block.md`), and its position in them.
const LEN_START: usize = 24;
const OFS_LEN_TOTAL: usize = 20;
