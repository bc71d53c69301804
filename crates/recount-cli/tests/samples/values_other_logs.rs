//! The values of other recorders' logs, under their own names and under those of Windows.

use recount::Status;

use crate::cells::{Cell, Cells, assert_series, cells, from_second};
use crate::places::open_sample;

/// The cells under the names that rules and comparisons use.
fn cells_in_english(name: &str) -> Cells {
    let captures: Vec<_> = open_sample(name).into_iter().map(recount::Capture::in_english).collect();
    cells(&captures)
}

/// The cells from sample to sample; `None` for samples without one.
fn at<const N: usize>(values: [Option<Cell>; N]) -> impl Fn(i32) -> Option<Cell> {
    move |k| values[k as usize]
}

const FIRST: Option<Cell> = Some(Err(Status::FirstSample));
const NEW: Option<Cell> = Some(Err(Status::NoPreviousInstance));

#[expect(clippy::unnecessary_wraps, reason = "what assert_series asks for")]
fn ok(value: f64) -> Option<Cell> {
    Some(Ok(value))
}

/// Samples 0 and 5 are the first ones of a boot.
fn since_boot(value: f64) -> impl Fn(i32) -> Option<Cell> {
    move |k| if matches!(k, 0 | 5) { FIRST } else { ok(value) }
}

#[test]
fn an_sa_file_has_the_values_of_its_machine() {
    let own = cells(&open_sample("sysstat.sa"));
    assert_series(&own, r"sar.cpu(0)\%usr", since_boot(40.0));
    let v = ok(10.0);
    assert_series(&own, r"sar.cpu(1)\%usr", at([FIRST, v, None, NEW, v, FIRST, v, v]));
    let v = ok(25.0);
    assert_series(&own, r"sar.cpu(all)\%usr", at([FIRST, v, ok(40.0), v, v, FIRST, v, v]));
    assert_series(&own, r"sar.pcsw\cswch/s", since_boot(5_000.0 / 10.0));
    assert_series(&own, r"sar.memory\kbmemfree", |k| ok(f64::from(2_000_000 - 1_000 * k)));
    assert_series(&own, r"sar.disk(dev8-0)\rkB/s", since_boot(400.0 / 2.0 / 10.0));
    assert_series(&own, r"sar.disk(dev8-0)\await", since_boot(400.0 / 50.0));
    assert_series(&own, r"sar.disk(dev8-16)\tps", at([None, NEW, ok(1.0), ok(1.0), None, None, None, None]));
    assert_series(&own, r"sar.net_dev(eth0)\rxkB/s", since_boot(100.0));
    assert_series(&own, r"sar.net_dev(eth0)\%ifutil", since_boot(102_400.0 * 8.0 / 1e9 * 100.0));
    assert_series(&own, r"sar.pwr_temp(1 coretemp-isa-0000)\degC", |k| ok(45.5 + f64::from(k)));
    let canonical = cells_in_english("sysstat.sa");
    assert_series(&canonical, r"Processor(0)\% Processor Time", since_boot(50.0));
    assert_series(&canonical, r"Memory\Available Bytes", |k| ok(1_024.0 * f64::from(3_600_000 - 1_000 * k)));
    assert_series(&canonical, r"PhysicalDisk(dev8-0)\Disk Write Bytes/sec", since_boot(1_200.0 * 51.2));
    assert_series(&canonical, r"Network Interface(eth0)\Bytes Sent/sec", since_boot(10_240.0));
    let info = &open_sample("sysstat.sa")[0];
    let marks: Vec<&str> = info.source.info().marks.iter().map(|mark| &*mark.text).collect();
    assert_eq!(marks, ["deployed 4.2"]);
}

#[test]
fn an_sa_file_of_another_byte_order_has_them_too() {
    let own = cells(&open_sample("sysstat-be.sa"));
    assert_series(&own, r"sar.cpu(0)\%usr", |k| from_second(k, 40.0));
    assert_series(&own, r"sar.cpu(all)\%sys", |k| from_second(k, 10.0));
    assert_series(&own, r"sar.pcsw\proc/s", |k| from_second(k, 1.0));
    assert_series(&own, r"sar.memory\kbmemfree", |_| ok(64_000.0));
    assert_series(&own, r"sar.queue\ldavg-1", |_| ok(1.5));
    // Across 2^32, too.
    assert_series(&own, r"sar.net_dev(eth0)\rxkB/s", |k| from_second(k, 10.0));
    assert_series(&own, r"sar.net_dev(eth0)\txkB/s", |k| from_second(k, 1.0));
    assert!(!own.keys().any(|(_, path)| path.starts_with("sar.net_dev()")), "an unused slot");
}

#[test]
fn an_sa_file_of_rhel_6_has_values_up_to_the_boot_that_left_no_record() {
    // Samples 0 and 4 are the first ones of a boot.
    let of_boot = |value: f64| move |k| if matches!(k, 0 | 4) { FIRST } else { ok(value) };
    let own = cells(&open_sample("sysstat-rhel6.sa"));
    assert_series(&own, r"sar.cpu(all)\%usr", of_boot(40.0));
    assert_series(&own, r"sar.cpu(0)\%iowait", of_boot(5.0));
    assert_series(
        &own,
        r"sar.pcsw\cswch/s",
        |k| if k < 4 { from_second(k, 100.0) } else { of_boot(200.0)(k) },
    );
    assert_series(&own, r"sar.page\fault/s", of_boot(50.0));
    assert_series(&own, r"sar.io\tps", of_boot(5.0));
    assert_series(&own, r"sar.memory\kbmemused", |_| ok(1_000_000.0));
    assert_series(&own, r"sar.disk(dev253-0)\await", of_boot(2.0));
    assert_series(&own, r"sar.disk(dev253-0)\wkB/s", of_boot(10.0));
    assert_series(&own, r"sar.disk(dev8-16)\tps", |k| match k {
        0 => FIRST,
        1 => ok(0.1),
        _ => None,
    });
    assert_series(&own, r"sar.net_dev(eth0)\rxkB/s", of_boot(10.0));
    assert!(
        !own.keys().any(|(_, path)| path.contains("dev0-0") || path.contains("net_dev()")),
        "unused slots"
    );
}

#[test]
fn an_archive_has_the_values_of_its_machine() {
    let own = cells(&open_sample("pcp/web1.meta"));
    // Nothing is computed across the mark after record 3.
    let rate = |value: f64| move |k: i32| if matches!(k, 0 | 4) { FIRST } else { ok(value) };
    assert_series(&own, r"kernel.all.cpu\user", rate(0.5));
    assert_series(&own, r"kernel.all(15 minute)\load", |_| ok(0.25));
    assert_series(&own, r"mem\physmem", |_| ok(8_192_000_000.0));
    assert_series(&own, r"disk.dev(sda)\read_bytes", rate(40.0 * 1_024.0));
    let v = ok(1.0);
    assert_series(&own, r"disk.dev(sdb)\read", at([FIRST, v, v, None, None, None]));
    assert_series(&own, r"disk.dev(sdc)\read", at([None, None, None, NEW, FIRST, v]));
    let canonical = cells_in_english("pcp/web1.0");
    assert_series(&canonical, r"Processor(_Total)\% Processor Time", rate(30.0));
    assert_series(&canonical, r"PhysicalDisk(sda)\Disk Writes/sec", rate(20.0));
}

#[test]
fn an_atop_log_has_the_values_of_its_machine() {
    let own = cells(&open_sample("atop.raw"));
    assert_series(&own, r"CPU(0)\user", |k| from_second(k, 40.0));
    assert_series(&own, r"CPU(_Total)\user", |k| from_second(k, 25.0));
    assert_series(&own, r"CPL\csw", |k| from_second(k, 500.0));
    assert_series(&own, r"MEM\free", |k| ok(4_096.0 * f64::from(500_000 - 250 * k)));
    assert_series(&own, r"PSI\cpusome", |k| from_second(k, 5.0));
    assert_series(&own, r"DSK(sda)\busy", |k| from_second(k, 25.0));
    assert_series(&own, r"NET(eth0)\Bi", |k| from_second(k, 102_400.0));
    assert_series(&own, r"CGR(/system.slice/ssh.service)\CPUUSR", |k| from_second(k, 2.5));
    let path = |counter: &str| format!(r"Process(make)\{counter}");
    assert_series(&own, &path("PID"), |_| ok(4_711.0));
    // In sample 2 it ends, and another of its name and id is there.
    assert_series(&own, &path("USRCPU"), |k| from_second(k, if k == 3 { 25.0 } else { 50.0 }));
    assert_series(&own, r"Process(make#1)\USRCPU", at([None, None, ok(25.0), None]));
    let canonical = cells_in_english("atop.raw");
    assert_series(&canonical, r"Processor(0)\% Processor Time", |k| from_second(k, 50.0));
    assert_series(&canonical, r"Paging File(_Total)\% Usage", |_| ok(25.0));
    assert_series(&canonical, r"PhysicalDisk(sda)\Disk Bytes/sec", |k| from_second(k, 4_800.0 * 51.2));
}
