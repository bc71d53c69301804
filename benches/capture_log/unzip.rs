//! Decompressing the raw blocks with zstd and nothing else: the minimum cost of reading them in this form.

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::encode::zstd_path;
use crate::input::Input;
use crate::measured::Measured;

/// Bytes processed at a time.
const LEN_PIECE: usize = 1 << 20;

pub(crate) fn run(input: Input, level: i32) -> Result<Measured> {
    let path = zstd_path(input, level);
    let begun = Instant::now();
    let file = File::open(&path).with_context(|| format!("open {}", path.display()))?;
    let mut decoder = zstd::stream::read::Decoder::new(file)?;
    decoder.window_log_max(27)?;
    let mut piece = vec![0; LEN_PIECE];
    let mut len_raw = 0;
    loop {
        let len = decoder.read(&mut piece)?;
        if len == 0 {
            break;
        }
        black_box(&mut piece);
        len_raw += len;
    }
    let mut measured = Measured::default();
    measured.set_time("seconds", begun.elapsed());
    measured.set("raw bytes", len_raw as f64);
    Ok(measured)
}
