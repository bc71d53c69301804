//! Damage that is seen only when samples are read: each copy has what the other one lost, in any order.

use std::path::{Path, PathBuf};

use recount::NameTable;

use crate::recordings;

fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples")).join(name)
}

fn rows(paths: &[&Path]) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    recordings::rows(&recount::open_all(&paths, &NameTable::new()).expect("captures"))
}

/// A record of one sample is lost in one copy, and the last samples in the other.
#[test]
fn what_each_of_two_copies_lost_is_put_together() {
    let (folder, whole) = (tempfile::tempdir().expect("a directory"), sample("counters-dst.blg"));
    let bytes = std::fs::read(&whole).expect("a sample");
    let expected = rows(&[&whole]);
    let cut = folder.path().join("cut.blg");
    std::fs::write(&cut, &bytes[..19_700]).expect("written");
    assert_ne!(rows(&[&cut]), expected);
    let records = bytes.windows(2).enumerate().filter(|(at, word)| *word == b"BL" && *at < 18_500);
    let mut num_lost = 0;
    for (at, _) in records {
        let mut damaged = bytes.clone();
        damaged[at..at + 2].fill(0xFF);
        let path = folder.path().join("damaged.blg");
        std::fs::write(&path, damaged).expect("written");
        num_lost += usize::from(rows(&[&path]) != expected);
        for both in [[&path, &cut], [&cut, &path]] {
            assert_eq!(rows(&both.map(PathBuf::as_path)), expected, "{at:#x}");
        }
    }
    assert!(num_lost >= 20, "{num_lost}");
}

/// The clock of an object in one sample doesn't tick: its counts are the same, and its values aren't known.
#[test]
fn a_sample_whose_clock_is_damaged_takes_no_values() {
    let (folder, whole) = (tempfile::tempdir().expect("a directory"), sample("objects.blg"));
    let mut bytes = std::fs::read(&whole).expect("a sample");
    let expected = rows(&[&whole]);
    // Times and frequency of a block of PhysicalDisk.
    bytes[50_235..50_250].fill(0);
    let damaged = folder.path().join("damaged.blg");
    std::fs::write(&damaged, bytes).expect("written");
    assert_ne!(rows(&[&damaged]), expected);
    for both in [[&damaged, &whole], [&whole, &damaged]] {
        assert_eq!(rows(&both.map(PathBuf::as_path)), expected);
    }
}
