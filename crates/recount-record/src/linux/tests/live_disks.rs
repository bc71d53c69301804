use std::fs;
use std::io::Write as _;

use super::live_sample::{growth, source_of, take};

/// Next to the test program, since a directory for temporary files may be in memory.
fn folder_on_disk() -> tempfile::TempDir {
    let program = std::env::current_exe().expect("a path");
    tempfile::tempdir_in(program.parent().expect("a folder")).expect("a folder")
}

#[test]
fn bytes_written_are_counted() {
    const LEN: usize = 16 << 20;
    let mut source = source_of(&["PhysicalDisk"]);
    let before = take(&mut source);
    let folder = folder_on_disk();
    let mut file = fs::File::create(folder.path().join("bytes")).expect("made");
    // Incompressible data.
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    let bytes: Vec<u8> = (0..LEN).map(|_| next()).collect();
    file.write_all(&bytes).expect("written");
    file.sync_all().expect("on disk");
    let after = take(&mut source);
    let grown = |counter| growth(&before, &after, ("PhysicalDisk", "_Total", counter));
    assert!(grown("Disk Write Bytes/sec") >= LEN as u64, "{}", grown("Disk Write Bytes/sec"));
    assert_eq!(grown("Disk Bytes/sec"), grown("Disk Read Bytes/sec") + grown("Disk Write Bytes/sec"));
    assert!(grown("Disk Writes/sec") >= 1);
    assert_eq!(grown("Disk Writes/sec"), grown("Avg. Disk Bytes/Write Base"));
    let elapsed = grown("% Idle Time Base");
    assert!(grown("% Idle Time") <= elapsed, "{} {elapsed}", grown("% Idle Time"));
    // Busy and idle time add up to the elapsed time, within a few ticks of 10 ms.
    let both = grown("% Idle Time") + grown("% Busy Time");
    assert!(both.abs_diff(elapsed) < 500_000, "{both} {elapsed}");
}

#[test]
fn the_total_sums_up_disks() {
    let sample = take(&mut source_of(&["PhysicalDisk"]));
    let disks: Vec<&str> =
        sample.instances("PhysicalDisk").into_iter().filter(|name| *name != "_Total").collect();
    assert!(disks.iter().all(|disk| fs::metadata(format!("/sys/block/{disk}/device")).is_ok()), "{disks:?}");
    let sum: u64 = disks.iter().map(|disk| sample.get("PhysicalDisk", disk, "Disk Write Bytes/sec")).sum();
    assert_eq!(sample.get("PhysicalDisk", "_Total", "Disk Write Bytes/sec"), sum);
}

#[test]
fn the_root_is_as_full_as_statvfs_says() {
    let sample = take(&mut source_of(&["LogicalDisk"]));
    let stat = rustix::fs::statvfs("/").expect("there is a root");
    let get = |counter| sample.get("LogicalDisk", "/", counter);
    let size = stat.f_blocks * stat.f_frsize;
    assert_eq!(get("Size Bytes"), size);
    assert!(get("Free Bytes").abs_diff(stat.f_bavail * stat.f_frsize) < size / 20);
    assert_eq!(get("Free Megabytes"), get("Free Bytes") >> 20);
    let share = get("% Free Space") as f64 / get("% Free Space Base") as f64;
    let usable = stat.f_blocks - stat.f_bfree + stat.f_bavail;
    assert!((share - stat.f_bavail as f64 / usable as f64).abs() < 0.05, "{share}");
}
