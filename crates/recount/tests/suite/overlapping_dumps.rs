//! Raw dumps of one machine that overlap: copies count once, what differs is kept, and damage takes nothing from the others.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use recount::Timeline;

use crate::overlaps::open;
use crate::recordings::{
    Dump, NUM, Recording, begin_of_rows, block, block_after_restart, block_of, of_two_recordings, range, rows,
};

/// `PERF_DATA_BLOCK` without a name of the machine, as it is written here.
const LEN_HEADER: usize = 104;

/// A file of some samples. Of those in `changed`, the count is another.
fn dump(folder: &Path, name: &str, samples: &[usize], changed: &[usize]) -> PathBuf {
    let path = folder.join(name);
    let blocks = samples.iter().flat_map(|sample| block(*sample, 7 * u64::from(changed.contains(sample))));
    std::fs::write(&path, blocks.collect::<Vec<u8>>()).expect("written");
    path
}

fn rows_of(paths: &[&Path]) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    rows(&open(&paths))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn dumps_that_contradict_each_other_keep_all_rows(
        changed in proptest::collection::vec(0..NUM, 1..4),
        begin in 0..NUM - 1,
    ) {
        let folder = tempfile::tempdir().expect("a directory");
        let one = dump(folder.path(), "one.bin", &range(0..NUM), &[]);
        let other = dump(folder.path(), "other.bin", &range(begin..NUM), &changed);
        let mut expected = rows_of(&[&one]);
        if changed.iter().any(|sample| *sample >= begin) {
            expected = of_two_recordings(expected, rows_of(&[&other]));
        }
        prop_assert_eq!(rows_of(&[&one, &other]), expected.clone());
        prop_assert_eq!(rows_of(&[&other, &one]), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_damaged_copy_takes_nothing_from_the_whole(
        flips in proptest::collection::vec((0.0_f64..1.0, 0_u32..8), 1..5),
        is_cut in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a directory");
        let whole = dump(folder.path(), "whole.bin", &range(0..NUM), &[]);
        let mut bytes = std::fs::read(&whole).expect("the dump");
        for (place, bit) in flips {
            let at = ((bytes.len() - 1) as f64 * place) as usize;
            bytes[at] ^= 1 << bit;
        }
        if is_cut {
            bytes.truncate(bytes.len() - 20);
        }
        let damaged = folder.path().join("damaged.bin");
        std::fs::write(&damaged, bytes).expect("written");
        let expected = rows_of(&[&whole]);
        for paths in [[&*damaged, &*whole], [&*whole, &*damaged]] {
            let given: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
            // A copy whose first block can't be read is refused.
            let Ok(captures) = recount::open_all(&given, &recount::NameTable::new()) else { return Ok(()) };
            // A flipped time is another sample.
            let times = Timeline::whole(&captures).expect("one time line").times();
            prop_assume!(times.len() == NUM);
            let found = rows_of(&paths);
            let missing: Vec<&String> = expected.iter().filter(|row| !found.contains(row)).collect();
            prop_assert!(missing.is_empty(), "{} rows, first {}", missing.len(), missing[0]);
        }
    }
}

/// The third file has samples between those of one of the others, since the other one has the rest.
#[test]
fn files_that_share_no_sample_fill_the_holes_of_the_others_together() {
    let files: [[&[usize]; 3]; 4] = [
        [&[0, 1, 3, 7, 9, 10, 17], &[5, 11, 12, 16, 18, 19], &[0, 2, 4, 6, 8, 13, 14, 15]],
        [&[4, 5, 10, 13, 14, 19], &[1, 2, 3, 6, 7, 11, 16, 17], &[0, 4, 8, 9, 12, 13, 14, 15, 18]],
        [&[0, 2, 5, 6, 8, 10, 11, 15, 16, 18, 19], &[0, 3, 9, 12, 14, 17], &[1, 4, 7, 13]],
        [&[3, 4, 9, 13, 16, 17, 19], &[0, 5, 6, 11, 14, 18], &[1, 2, 5, 7, 8, 10, 12, 15]],
    ];
    for parts in files {
        let folder = tempfile::tempdir().expect("a directory");
        let whole = dump(folder.path(), "whole.bin", &range(0..20), &[]);
        let paths = [0, 1, 2].map(|at| dump(folder.path(), &format!("{at}.bin"), parts[at], &[]));
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let found = rows_of(&order.map(|at| &*paths[at]));
            assert_eq!(found, rows_of(&[&whole]), "{parts:?} {order:?}");
        }
    }
}

/// A few samples in quick succession between two of a slow recording are of another recorder.
#[test]
fn samples_in_quick_succession_between_others_are_a_recording_of_their_own() {
    let folder = tempfile::tempdir().expect("a directory");
    let slow: Vec<usize> = (0..6).map(|at| 600 * at).collect();
    let slow = dump(folder.path(), "slow.bin", &slow, &[]);
    let burst = dump(folder.path(), "burst.bin", &range(700..730), &[]);
    let mut expected = [rows_of(&[&slow]), rows_of(&[&burst])].concat();
    expected.sort();
    for paths in [[&*slow, &*burst], [&*burst, &*slow]] {
        assert_eq!(rows_of(&paths), expected);
    }
}

/// Three blocks of one time, two of them with another definition than all others.
#[test]
fn of_several_blocks_of_a_time_the_sound_one_goes_on() {
    let folder = tempfile::tempdir().expect("a directory");
    let whole = dump(folder.path(), "m.bin", &range(0..NUM), &[]);
    let expected = rows_of(&[&whole]);
    let damaged = |name: &str, at: usize| {
        let mut bytes = block(5, 0);
        bytes[LEN_HEADER + at] ^= 1;
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    };
    let copies = [damaged("a.bin", 64 + 22), damaged("b.bin", 64 + 24)];
    for paths in [[&*copies[0], &*copies[1], &*whole], [&*whole, &*copies[1], &*copies[0]]] {
        let found = rows_of(&paths);
        let missing: Vec<&String> = expected.iter().filter(|row| !found.contains(row)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

/// Each bit of what defines an object, and of its first instance, in one block.
#[test]
fn a_copy_with_a_damaged_definition_takes_nothing_from_the_whole() {
    let folder = tempfile::tempdir().expect("a directory");
    let whole = dump(folder.path(), "whole.bin", &range(0..NUM), &[]);
    let expected = rows_of(&[&whole]);
    let bytes = std::fs::read(&whole).expect("the dump");
    let begin = block(0, 0).len() * 5 + LEN_HEADER;
    // From the index of its name on: a false length is a block that can't be read.
    for at in begin + 12..begin + 200 {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        // The names decide which of the two is read first.
        for name in ["a.bin", "z.bin"] {
            let path = folder.path().join(name);
            std::fs::write(&path, &damaged).expect("written");
            for paths in [[&*path, &*whole], [&*whole, &*path]] {
                let found = rows_of(&paths);
                let missing: Vec<&String> = expected.iter().filter(|row| !found.contains(row)).collect();
                assert!(missing.is_empty(), "{name} byte {}: {missing:?}", at - begin);
            }
            std::fs::remove_file(&path).expect("removed");
        }
    }
}

/// Two recordings of one machine that differ in one reading.
#[test]
fn a_contradiction_is_told() {
    let folder = tempfile::tempdir().expect("a directory");
    let one = dump(folder.path(), "one.bin", &range(0..NUM), &[]);
    let other = dump(folder.path(), "other.bin", &range(0..NUM), &[5]);
    for paths in [[one.clone(), other.clone()], [other, one]] {
        let captures = open(&paths);
        assert_eq!(captures.len(), 2);
        let overlaps = format!("{:?}", Timeline::whole(&captures).expect("one time line").notes());
        assert!(overlaps.contains("has other values than"), "{overlaps}");
        assert!(overlaps.contains("both are kept"), "{overlaps}");
    }
}

/// Each file begins with the last block of the one before, and the machine is restarted within the second: the first and the third
/// don't follow each other.
#[test]
fn a_restart_in_a_file_between_others_is_seen() {
    let folder = tempfile::tempdir().expect("a directory");
    let write = |name: &str, samples: std::ops::Range<usize>| {
        let path = folder.path().join(name);
        let blocks = samples
            .flat_map(|sample| if sample < 6 { block(sample, 0) } else { block_after_restart(sample, 6) });
        std::fs::write(&path, blocks.collect::<Vec<u8>>()).expect("written");
        path
    };
    let whole = rows(&open(&[write("whole.bin", 0..NUM)]));
    // The rate of the sample after the restart.
    let at_restart = |row: &&String| row.contains("|146|") && row.starts_with(&begin_of_rows(6));
    let found: Vec<&String> = whole.iter().filter(at_restart).collect();
    assert_eq!(found.len(), 1, "{whole:?}");
    assert!(found[0].contains("|None|first-sample"), "{found:?}");
    let parts = [write("1.bin", 0..4), write("2.bin", 3..9), write("3.bin", 8..NUM)];
    for turn in 0..3 {
        let mut paths = parts.to_vec();
        paths.rotate_left(turn);
        assert_eq!(rows(&open(&paths)), whole, "{paths:?}");
    }
}

/// Two files that share samples on one side of a restart only; on the other, one fills a hole of the other, of which there may be few samples.
#[test]
fn holes_are_filled_on_both_sides_of_a_restart() {
    let folder = tempfile::tempdir().expect("a directory");
    let write = |name: &str, samples: &[usize]| {
        let path = folder.path().join(name);
        let of = |&sample: &usize| {
            if sample < 9 { block(sample, 0) } else { block_after_restart(sample, 9) }
        };
        std::fs::write(&path, samples.iter().flat_map(of).collect::<Vec<u8>>()).expect("written");
        path
    };
    let whole = rows(&open(&[write("whole.bin", &range(0..NUM))]));
    for (of_one, of_other) in [
        (&[0, 1, 2, 3, 4, 7, 8, 9, 11][..], &[5, 6, 9, 10, 11][..]),
        (&[0, 1, 2, 3, 5, 6, 7, 8, 9, 11], &[3, 4, 8, 10]),
    ] {
        let [one, other] = [write("1.bin", of_one), write("2.bin", of_other)];
        for paths in [[one.clone(), other.clone()], [other, one]] {
            assert_eq!(rows(&open(&paths)), whole, "{paths:?}");
        }
    }
}

/// A folder with a file for each sample, beside a copy of it in which one is another: each is a recording with rates of its own.
#[test]
fn folders_of_dumps_that_contradict_each_other_keep_all_rows() {
    let folder = tempfile::tempdir().expect("a directory");
    let write = |name: &str, changed: &[usize]| {
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        let paths = range(0..NUM).into_iter().map(|sample| {
            let path = folder.join(format!("{sample:02}.bin"));
            std::fs::write(&path, block(sample, 7 * u64::from(changed.contains(&sample)))).expect("written");
            path
        });
        paths.collect::<Vec<PathBuf>>()
    };
    let (one, other) = (write("one", &[]), write("other", &[4]));
    let expected = of_two_recordings(rows(&open(&one)), rows(&open(&other)));
    assert!(expected.len() > rows(&open(&one)).len());
    for paths in [[one.clone(), other.clone()], [other, one]] {
        assert_eq!(rows(&open(&paths.concat())), expected);
    }
}

/// Files that follow each other are one capture, however many there are, and whatever the order in which they are given.
#[test]
fn dumps_that_do_not_overlap_are_one_capture() {
    let folder = tempfile::tempdir().expect("a directory");
    let paths: Vec<PathBuf> =
        (0..NUM).rev().map(|at| dump(folder.path(), &format!("{at}.bin"), &[at], &[])).collect();
    let captures = open(&paths);
    assert_eq!(captures.len(), 1);
    Dump.cut(&range(0..NUM), &folder.path().join("whole.bin"));
    assert_eq!(rows(&captures), rows_of(&[&folder.path().join("whole.bin")]));
}

/// The performance clock of a machine that was up for a minute, was restarted, and was up for longer at the next sample: it didn't fall,
/// but began after the first sample.
#[test]
fn a_restart_that_only_the_time_shows_is_seen() {
    let folder = tempfile::tempdir().expect("a directory");
    let write = |name: &str, blocks: &[Vec<u8>]| {
        let path = folder.path().join(name);
        std::fs::write(&path, blocks.concat()).expect("written");
        path
    };
    let [first, last] = [block_of(0, 60, 1_000), block_of(3_600, 3_000, 90_000)];
    let [one, other] =
        [write("1.bin", std::slice::from_ref(&first)), write("2.bin", std::slice::from_ref(&last))];
    for paths in [vec![write("both.bin", &[first, last])], vec![one.clone(), other.clone()], vec![other, one]]
    {
        let found = rows(&open(&paths));
        let is_rate = |row: &&String| row.contains("|146|") && row.starts_with(&begin_of_rows(3_600));
        let rates: Vec<&String> = found.iter().filter(is_rate).collect();
        assert_eq!(rates.len(), 1, "{found:?}");
        assert!(rates[0].contains("|None|first-sample"), "{rates:?}");
    }
}

/// Boots that began 20 s apart: of two files with a common block, one has the first boot, too.
#[test]
fn no_rate_is_computed_across_a_boot_that_was_soon_over() {
    let folder = tempfile::tempdir().expect("a directory");
    let blocks =
        [block_of(0, 1, 100), block_of(32, 12, 900), block_of(33, 13, 1_000), block_of(35, 15, 1_300)];
    let write = |name: &str, samples: &[usize]| {
        let path = folder.path().join(name);
        let of_file: Vec<u8> = samples.iter().flat_map(|sample| blocks[*sample].clone()).collect();
        std::fs::write(&path, of_file).expect("written");
        path
    };
    let whole = rows(&open(&[write("whole.bin", &[0, 1, 2, 3])]));
    let is_first = |row: &String| row.starts_with(&begin_of_rows(32)) && row.ends_with("|None|first-sample");
    assert!(whole.iter().any(is_first), "{whole:?}");
    for parts in [[&[0, 2, 3][..], &[1, 2]], [&[1, 2], &[0, 2, 3]], [&[0, 1], &[1, 2, 3]], [&[0], &[1, 2, 3]]]
    {
        let paths = [write("1.bin", parts[0]), write("2.bin", parts[1])];
        assert_eq!(rows(&open(&paths)), whole, "{parts:?}");
    }
}

/// Wherever the files are cut, a block without a clock, or with a wrong one, costs its own rate alone.
#[test]
fn a_wrong_clock_costs_one_rate() {
    let folder = tempfile::tempdir().expect("a directory");
    let write = |name: String, blocks: &[Vec<u8>]| {
        let path = folder.path().join(name);
        std::fs::write(&path, blocks.concat()).expect("written");
        path
    };
    for uptime in [0, 5_000, 100_000] {
        let of = |sample: usize| {
            let uptime_now = if sample == 6 { uptime } else { 50_000 + sample as i64 };
            block_of(sample, uptime_now, 500 * sample as u64)
        };
        let blocks: Vec<Vec<u8>> = (0..NUM).map(of).collect();
        let whole = rows(&open(&[write("whole.bin".to_owned(), &blocks)]));
        let has_rate = |sample: usize, rate: &str| {
            let end = format!("|146|Some({rate})|ok");
            whole.iter().any(|row| row.starts_with(&begin_of_rows(sample)) && row.ends_with(&end))
        };
        // The next is computed from the block before.
        assert!(has_rate(5, "500.0") && has_rate(7, "500.0") && has_rate(8, "500.0"), "{whole:#?}");
        assert!(!whole.iter().any(|row| row.starts_with(&begin_of_rows(6)) && row.contains("|146|Some")));
        for cut in 1..NUM {
            let paths = [
                write(format!("{cut}-2.bin"), &blocks[cut..]),
                write(format!("{cut}-1.bin"), &blocks[..cut]),
            ];
            assert_eq!(rows(&open(&paths)), whole, "{uptime} {cut}");
        }
    }
}

/// Two files that overlap, both after a third.
#[test]
fn files_that_follow_one_continue_it() {
    let folder = tempfile::tempdir().expect("a directory");
    let parts =
        [dump(folder.path(), "1.bin", &range(0..4), &[]), dump(folder.path(), "2.bin", &range(4..NUM), &[])];
    let copy = dump(folder.path(), "3.bin", &range(5..NUM), &[]);
    let whole = rows_of(&[&dump(folder.path(), "whole.bin", &range(0..NUM), &[])]);
    assert_eq!(rows_of(&[&parts[0], &parts[1], &copy]), whole);
    assert_eq!(rows_of(&[&copy, &parts[1], &parts[0]]), whole);
}
