//! The values of `objects.blg`, by independent formulas: from what the machine did, not from raw values.

use recount::Status;

use crate::cells::{assert_series, cells, from_second, series};
use crate::places::open_sample;

/// Seconds between samples.
const INTERVAL_S: f64 = 15.0;

#[test]
fn rates_go_on_over_the_wrap_of_their_dwords() {
    let cells = cells(&open_sample("objects.blg"));
    // 1,500 in every interval; the first of them begins 1,000 below 2^32.
    assert_series(&cells, r"Memory\Page Faults/sec", |k| from_second(k, 100.0));
    // 50,000,000 in every interval from 4,000,000,000 on: six intervals lead beyond 2^32.
    assert_series(&cells, r"Processor(0)\Interrupts/sec", |k| from_second(k, 50_000_000.0 / INTERVAL_S));
    assert_series(&cells, r"Processor(1)\Interrupts/sec", |k| from_second(k, 50_000_015.0 / INTERVAL_S));
    assert_series(&cells, r"Processor(_Total)\Interrupts/sec", |k| {
        from_second(k, 100_000_015.0 / INTERVAL_S)
    });
}

#[test]
fn processors_are_busy_when_they_are_not_idle() {
    let cells = cells(&open_sample("objects.blg"));
    // In interval k a processor idles 1.5 s (or 3 s) less than 15 s, and (2 k - 1) * 10 ms more.
    let busy = |k: i32, share: f64| 100.0 * (share * INTERVAL_S - 0.01 * f64::from(2 * k - 1)) / INTERVAL_S;
    for (cpu, share) in [("0", 0.1), ("1", 0.2), ("_Total", 0.15)] {
        assert_series(&cells, &format!(r"Processor({cpu})\% Processor Time"), |k| {
            from_second(k, busy(k, share))
        });
    }
    assert_series(&cells, r"Processor(1)\% User Time", |k| from_second(k, 100.0 * 1.2 / INTERVAL_S));
}

#[test]
fn memory_is_read_without_an_instance() {
    let cells = cells(&open_sample("objects.blg"));
    assert_series(&cells, r"Memory\Available Bytes", |k| Some(Ok(1e9 - 4_096.0 * f64::from(k))));
    assert_series(&cells, r"Memory\% Committed Bytes In Use", |k| Some(Ok(f64::from(25 + k) / 80.0 * 100.0)));
}

#[test]
fn a_disk_without_reads_has_no_average() {
    let cells = cells(&open_sample("objects.blg"));
    for disk in ["0 C:", "_Total"] {
        let path = |counter: &str| format!(r"PhysicalDisk({disk})\{counter}");
        // 35,795 ticks of 1/3,579,545 s.
        assert_series(&cells, &path("Avg. Disk sec/Read"), |k| from_second(k, 35_795.0 / 3_579_545.0));
        assert_series(&cells, &path("Avg. Disk Bytes/Read"), |k| from_second(k, 8_192.0));
    }
    let nothing = |k| Some(Err(if k == 0 { Status::FirstSample } else { Status::NoOperations }));
    for counter in ["Avg. Disk sec/Read", "Avg. Disk Bytes/Read"] {
        assert_series(&cells, &format!(r"PhysicalDisk(1 D:)\{counter}"), nothing);
    }
    for (disk, idle) in [("0 C:", 60.0), ("1 D:", 100.0), ("_Total", 80.0)] {
        assert_series(&cells, &format!(r"PhysicalDisk({disk})\% Idle Time"), |k| from_second(k, idle));
    }
    assert_series(&cells, r"PhysicalDisk(0 C:)\Current Disk Queue Length", |k| Some(Ok(f64::from(k % 3))));
}

/// A process uses as many ms per interval as its id says.
fn cpu(id: i32) -> f64 {
    100.0 * f64::from(id) / 1_000.0 / INTERVAL_S
}

#[test]
fn namesakes_keep_their_history_when_they_move_up() {
    let cells = cells(&open_sample("objects.blg"));
    let shown = [("svchost", 700, 800), ("svchost#1", 800, 900)];
    for (name, before, later) in shown {
        let id = |k| if k < 5 { before } else { later };
        assert_series(&cells, &format!(r"Process({name})\ID Process"), |k| Some(Ok(f64::from(id(k)))));
        // Sample 5 too: its value is that of the process that had another name in sample 4.
        assert_series(&cells, &format!(r"Process({name})\% Processor Time"), |k| from_second(k, cpu(id(k))));
        assert_series(&cells, &format!(r"Process({name})\Working Set"), |k| {
            Some(Ok(4_096.0 * f64::from(id(k) + k)))
        });
    }
    assert_series(&cells, r"Process(svchost#2)\% Processor Time", |k| {
        if k < 5 { from_second(k, cpu(900)) } else { None }
    });
}

#[test]
fn nothing_is_computed_between_two_processes_of_one_id() {
    let cells = cells(&open_sample("objects.blg"));
    // The counters of the second would continue those of the first seamlessly.
    assert_series(&cells, r"Process(worker)\% Processor Time", |k| match k {
        3 => Some(Err(Status::NoPreviousInstance)),
        k => from_second(k, cpu(1_200)),
    });
    assert_series(&cells, r"Process(worker)\Elapsed Time", |k| {
        let began = if k < 3 { -100 } else { 40 };
        Some(Ok(f64::from(15 * k - began)))
    });
    assert_series(&cells, r"Process(Idle)\Elapsed Time", |k| Some(Ok(f64::from(86_400 + 15 * k))));
}

#[test]
fn instances_that_come_have_no_value_at_first() {
    let cells = cells(&open_sample("objects.blg"));
    for number in [0, 1, 63] {
        let name = if number == 0 { "compile-worker".to_owned() } else { format!("compile-worker#{number}") };
        assert_series(&cells, &format!(r"Process({name})\% Processor Time"), |k| match k {
            3 => Some(Err(Status::NoPreviousInstance)),
            4 => Some(Ok(cpu(5_000 + 4 * number) / 100.0)),
            _ => None,
        });
    }
    let idle = series(&cells, r"Process(Idle)\% Processor Time");
    assert_eq!(idle[1..], [Some(Ok(0.0)); 7]);
    // The total no longer includes processes that have ended: it decreases.
    let total = series(&cells, r"Process(_Total)\% Processor Time");
    assert_eq!(total[5], Some(Err(Status::CounterReset)));
}
