//! `convert` of the log to objects Parquet, from opening to the last file in place.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use recount::{ConvertOptions, ConvertReport, Layout, NameTable, Target, Timeline, convert, open_all};
use recount_bench::bench_data;

use crate::measured::Measured;

/// The directory for outputs that shouldn't wait for a disk: in memory, if the system has such a file system.
pub(crate) fn memory_directory() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    if shared.is_dir() { shared } else { disk_directory() }
}

/// Beside the input.
pub(crate) fn disk_directory() -> PathBuf {
    bench_data::directory()
}

/// Measures one conversion with this many threads.
pub(crate) fn run(log: &Path, num_threads: usize, outputs: &Path) -> Result<Measured> {
    let output = tempfile::tempdir_in(outputs)?;
    let target = output.path().join("tables");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build()?;
    let begun = Instant::now();
    let report = pool.install(|| to_parquet(log, &target))?;
    let elapsed = begun.elapsed();
    ensure!(report.health.is_sound(), "the generated log is damaged: {:?}", report.health.findings());

    let mut measured = Measured::default();
    measured.set_time("seconds", elapsed);
    measured.set("raw bytes", fs::metadata(log)?.len() as f64);
    measured.set("samples", report.num_samples as f64);
    measured.set("rows", report.num_rows as f64);
    measured.set("written bytes", report.len_written as f64);
    Ok(measured)
}

/// Converts the log to a directory of tables on the present pool.
pub(crate) fn to_parquet(log: &Path, target: &Path) -> Result<ConvertReport> {
    let captures = open_all(&[log.to_owned()], &NameTable::new())?;
    let mut options = ConvertOptions::default();
    options.layout = Layout::Objects;
    convert(&Timeline::whole(&captures)?, &Target::Path(target.to_owned()), &options, &recount::unwatched)
        .with_context(|| format!("convert {}", log.display()))
}
