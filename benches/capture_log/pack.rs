//! Whole files kept in a log: the shared ones, which real machines wrote.

use std::fs;
use std::io::Write;

use anyhow::Result;
use recount_testdata::shared_path;

use crate::encode::{LEVEL_QUICK, LEVEL_SMALL, encoder};

/// The shared captures.
const FILES: [&str; 2] = ["blg/tx-basic.blg", "perf-data-block/process-165-instances.bin"];

/// Packs each and prints its size together with that of general compressors.
#[expect(clippy::print_stdout, reason = "prints its results")]
pub(crate) fn print() -> Result<()> {
    println!("\nreal files, by `recount pack`");
    println!(
        "{:<44}{:>9}{:>9}{:>9}{:>12}{:>10}",
        "", "bytes", "packed", "zstd -3", "-19 --long", "packed/it"
    );
    for name in FILES {
        let path = shared_path(name);
        let bytes = fs::read(&path)?;
        let folder = tempfile::tempdir()?;
        let packed =
            recount::pack(&path, Some(&folder.path().join("packed.rcap")), false, &recount::unwatched)?;
        let (quick, small) = (len_compressed(&bytes, LEVEL_QUICK)?, len_compressed(&bytes, LEVEL_SMALL)?);
        println!(
            "{name:<44}{:>9}{:>9}{quick:>9}{small:>12}{:>10.2}",
            bytes.len(),
            packed.len_packed,
            packed.len_packed as f64 / small as f64
        );
    }
    Ok(())
}

fn len_compressed(bytes: &[u8], level: i32) -> Result<usize> {
    let mut encoder = encoder(Vec::new(), level, bytes.len())?;
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}
