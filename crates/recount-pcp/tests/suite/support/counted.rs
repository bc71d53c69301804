//! Finds the counts and lengths in the files of an archive, independently of the reader, and checks what comes of wrong ones.

use std::path::Path;
use std::sync::Arc;

use recount_model::{Content, Health, Selection, Source, Status};
use recount_pcp::Archive;

use super::{Cells, cells, cook};

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("a word")) as usize
}

/// Where the counts and lengths of a sound file are; `is_meta`: of `.meta`.
pub fn counts(bytes: &[u8], is_meta: bool) -> Vec<usize> {
    let len_time = if bytes[7] == 2 { 8 } else { 12 };
    let mut found = Vec::new();
    let mut ofs = word(bytes, 0);
    while ofs < bytes.len() {
        let len = word(bytes, ofs);
        found.extend([ofs, ofs + len - 4]);
        match word(bytes, ofs + 4) {
            1 if is_meta => found.extend([ofs + 28, ofs + 32]),
            2 | 5 | 6 if is_meta => found.push(ofs + 8 + len_time + 4),
            _ if is_meta => {}
            _ => {
                let num_sets = ofs + 4 + len_time;
                found.push(num_sets);
                let mut at = num_sets + 4;
                for _ in 0..word(bytes, num_sets) {
                    found.push(at + 4);
                    let count = word(bytes, at + 4) as i32;
                    at += if count > 0 { 12 + 8 * count as usize } else { 8 };
                }
            }
        }
        ofs += len;
    }
    found
}

/// All values of an archive, and what is wrong with it; nothing if it is refused.
pub fn read(files: &[(String, Vec<u8>)]) -> Option<(Cells, Health)> {
    let files = files.iter().map(|(name, bytes)| (name.clone(), Arc::new(bytes.clone()) as Arc<dyn Content>));
    let source: Arc<dyn Source> = Arc::new(Archive::open(files.collect()).ok()?);
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    let mut health = source.health().clone();
    health.absorb(source.decode(&samples, &Selection::all()).health);
    Some((cells(&cook(&source, 1 << 20, &Selection::all())), health))
}

/// Comparable even if it isn't a number.
fn bits(value: &Result<f64, Status>) -> Result<u64, Status> {
    value.map(f64::to_bits)
}

/// Makes each count and length wrong in turn, every `step`-th of them: a value that differs afterwards is reported.
pub fn assert_wrong_counts_are_reported(files: &[(String, Vec<u8>)], step: usize) {
    let (sound, _) = read(files).expect("sound");
    for file in 0..files.len() {
        let is_meta = Path::new(&files[file].0).extension().is_some_and(|extension| extension == "meta");
        for at in counts(&files[file].1, is_meta).into_iter().step_by(step) {
            let right = word(&files[file].1, at) as u32;
            for wrong in [
                right.wrapping_sub(1),
                right + 1,
                right + 2,
                right + 8,
                right ^ 4,
                right ^ 0x100,
                0,
                u32::MAX,
            ] {
                if wrong == right {
                    continue;
                }
                let mut damaged = files.to_vec();
                damaged[file].1[at..at + 4].copy_from_slice(&wrong.to_be_bytes());
                let Some((values, health)) = read(&damaged) else { continue };
                let place = format!("{} at {at:#x}: {right} becomes {wrong}", files[file].0);
                let is_same =
                    values.keys().eq(sound.keys()) && values.values().map(bits).eq(sound.values().map(bits));
                assert!(is_same || !health.is_sound(), "{place}");
            }
        }
    }
}
