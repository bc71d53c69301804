//! Values of `rcap-1/`, computed from what the machine did.

use recount::Status;

use crate::cells::{Cell, Cells, assert_series, cells, series};
use crate::places::open_sample;

/// Samples whose rates have no value: the first, and the one after the clock was set.
const WITHOUT_RATE: [usize; 2] = [0, 18];

fn values(cells: &Cells, path: &str) -> Vec<Result<f64, Status>> {
    series(cells, path).into_iter().map(|cell| cell.expect("it is in every sample")).collect()
}

#[test]
fn nothing_is_computed_across_the_setting_of_the_clock() {
    let cells = cells(&open_sample("rcap-1/closed.rcap"));
    for path in [r"System\Context Switches/sec", r"Memory\Page Faults/sec", r"Process(systemd)\% User Time"] {
        let without: Vec<usize> =
            (0..).zip(values(&cells, path)).filter(|(_, cell)| cell.is_err()).map(|(at, _)| at).collect();
        assert_eq!(without, WITHOUT_RATE, "{path}");
    }
}

#[test]
fn sums_are_sums_and_means_are_means() {
    let cells = cells(&open_sample("rcap-1/closed.rcap"));
    let parts = |one: &str, other: &str| values(&cells, one).into_iter().zip(values(&cells, other));
    let operations = parts(r"System\File Read Operations/sec", r"System\File Write Operations/sec");
    let all = values(&cells, r"System\File Data Operations/sec");
    for (at, ((reads, writes), all)) in operations.zip(all).enumerate() {
        match (reads, writes, all) {
            (Ok(reads), Ok(writes), Ok(all)) => assert!((reads + writes - all).abs() < 1e-9, "sample {at}"),
            _ => assert!(WITHOUT_RATE.contains(&at), "sample {at}"),
        }
    }
    let processors = parts(r"Processor(0)\% Privileged Time", r"Processor(1)\% Privileged Time");
    let total = values(&cells, r"Processor(_Total)\% Privileged Time");
    for (at, ((one, other), total)) in processors.zip(total).enumerate() {
        if let (Ok(one), Ok(other), Ok(total)) = (one, other, total) {
            assert!((f64::midpoint(one, other) - total).abs() < 1e-9, "sample {at}");
        }
    }
}

#[test]
fn a_disk_is_there_once_its_names_are() {
    let cells = cells(&open_sample("rcap-1/closed.rcap"));
    // Nothing is read in every third second; a read takes 4.2 ms.
    assert_series(&cells, r"PhysicalDisk(sda)\Avg. Disk sec/Read", |k| match k {
        0..12 => None,
        12 => Some(Err(Status::NoPreviousInstance)),
        18 => Some(Err(Status::FirstSample)),
        k if k % 3 == 0 => Some(Err(Status::NoOperations)),
        _ => Some(Ok(0.004_2)),
    });
}

#[test]
fn a_worker_follows_another_of_its_name() {
    let cells = cells(&open_sample("rcap-1/closed.rcap"));
    // A new one every five samples, and none in the fifth.
    let id = |k: i32| Some(Ok(f64::from(2_000 + k / 5))).filter(|_| k % 5 != 4);
    assert_series(&cells, r"Process(worker)\ID Process", id);
    let found = series(&cells, r"Process(worker)\% Processor Time");
    assert_eq!(found.len(), 24);
    for (k, found) in found.iter().enumerate() {
        let is_new = k % 5 == 0 || WITHOUT_RATE.contains(&k);
        match found {
            None => assert_eq!(k % 5, 4),
            Some(cell) => assert_eq!(cell.is_err(), is_new, "sample {k}: {cell:?}"),
        }
    }
}

#[test]
fn a_damaged_section_leaves_the_other_objects_as_they_are() {
    let (closed, damaged) =
        (cells(&open_sample("rcap-1/closed.rcap")), cells(&open_sample("rcap-1/damaged.rcap")));
    let of = |cells: &Cells, is_process: bool| -> Vec<((String, String), Cell)> {
        let wanted = |(_, path): &&(String, String)| path.starts_with("Process(") == is_process;
        cells.iter().filter(|(key, _)| wanted(key)).map(|(key, cell)| (key.clone(), *cell)).collect()
    };
    assert_eq!(of(&damaged, false), of(&closed, false));
    let num_times = |cells: &Cells| series(cells, r"Process(systemd)\ID Process").iter().flatten().count();
    assert_eq!((num_times(&closed), num_times(&damaged)), (24, 18));
}
