//! What `recount report` says of several machines, of gaps, of restarts, and of who it was where values are missing.

use super::run::{Outputs, recount, sample};
use super::series::{capture, said};

/// Busy from its first sample to its last, which is less than the time of all captures together.
#[test]
fn the_whole_time_is_that_of_the_machine() {
    let outputs = Outputs::new();
    let processor = [r"\\SHORT\Processor(_Total)\% Processor Time"];
    let rows: Vec<_> = (0..30).map(|at| (at, vec![98.8])).collect();
    let short = capture(&outputs, &processor, &rows);
    let rows: Vec<_> = (0..400).map(|at| (40_000 + at * 15, vec![7.0])).collect();
    let other = Outputs::new();
    let long = capture(&other, &[r"\\LONG\Processor(_Total)\% Processor Time"], &rows);
    for files in [[short.as_str(), long.as_str()], [long.as_str(), short.as_str()]] {
        let text = recount(&["report", files[0], files[1]]).fine();
        assert!(text.contains("% Processor Time was 98.8 % on average for 29 s (the whole time)"), "{text}");
        assert!(text.contains("SHORT: Processor _Total: "), "{text}");
        // Nobody recorded both.
        assert!(!text.contains("no samples"), "{text}");
    }
}

/// A value that can't be read isn't zero: the mean is that of the others.
#[test]
fn missing_values_make_nobody_smaller() {
    let paths = [
        r"Processor(0)\% Processor Time",
        r"Processor(_Total)\% Processor Time",
        r"Process(_Total)\% Processor Time",
        r"Process(worker)\% Processor Time",
        r"Process(worker)\ID Process",
        r"Process(other)\% Processor Time",
        r"Process(other)\ID Process",
    ];
    for is_missing in [false, true] {
        let row = |at: usize| match at {
            40..80 if is_missing && at % 2 == 1 => [97.0, f64::NAN],
            40..80 => [97.0, 95.0],
            _ => [3.0, 1.0],
        };
        let rows: Vec<Vec<f64>> =
            (0..120).map(row).map(|[all, own]| vec![all, all, all, own, 4242.0, 2.0, 77.0]).collect();
        let text = said(&paths, 15, &rows);
        let expected = "most processor time (100 % is one processor): worker (pid 4242) 95 %";
        assert!(text.contains(expected) && !text.contains("not attributed 4"), "{is_missing}: {text}");
    }
}

/// One machine wasn't sampled for a while in which the other one was.
#[test]
fn gaps_are_said_of_the_machine() {
    let (outputs, others) = (Outputs::new(), Outputs::new());
    let all: Vec<_> = (0..360).map(|at| (at * 10, vec![5.0])).collect();
    let part: Vec<_> = all.iter().filter(|(at, _)| !(600..1_500).contains(at)).cloned().collect();
    let sampled = capture(&outputs, &[r"\\STEADY\Processor(_Total)\% Processor Time"], &all);
    let paused = capture(&others, &[r"\\PAUSED\Processor(_Total)\% Processor Time"], &part);
    let text = recount(&["report", &sampled, &paused]).fine();
    let gaps: Vec<&str> = text.lines().filter(|line| line.starts_with("gap ")).collect();
    let expected = "gap       PAUSED: no samples for 15 min 10 s, from 2026-11-21T12:09:50Z to 12:25:00";
    assert_eq!(gaps, [expected], "{text}");
}

/// The value after a gap isn't about the gap.
#[test]
fn a_gap_is_nobodys() {
    let paths = [
        r"Processor(_Total)\% Processor Time",
        r"Process(worker)\% Processor Time",
        r"Process(worker)\ID Process",
        r"Process(backup)\% Processor Time",
        r"Process(backup)\ID Process",
    ];
    let outputs = Outputs::new();
    let mut rows: Vec<(usize, Vec<f64>)> =
        (0..300).map(|at| (at * 5, vec![5.0, 4.0, 1.0, 0.5, 2.0])).collect();
    rows.extend((300..330).map(|at| (at * 5, vec![92.0, 91.0, 1.0, 0.5, 2.0])));
    // Nobody sampled for a quarter of an hour.
    rows.push((330 * 5 + 900, vec![92.0, 20.0, 1.0, 71.0, 2.0]));
    rows.extend((331..360).map(|at| (at * 5 + 900, vec![92.0, 91.0, 1.0, 0.5, 2.0])));
    let log = capture(&outputs, &paths, &rows);
    let text = recount(&["moved", &log, "--span", "12:25..12:45:30"]).fine();
    assert!(text.contains("most processor time (100 % is one processor): worker (pid 1) 91 %\n"), "{text}");
    assert!(
        text.contains("note: no samples for 15 min 5 s, from 2026-11-21T12:27:25Z to 12:42:30\n"),
        "{text}"
    );
}

#[test]
fn restarts_are_said() {
    let text = recount(&["report", &sample("sysstat.sa")]).fine();
    let restarts: Vec<&str> = text.lines().filter(|line| line.starts_with("restart ")).collect();
    assert_eq!(restarts, ["restart   web1 was booted at 2026-02-01T02:00:40+02:00"], "{text}");
}

#[test]
fn a_printed_rule_can_be_looked_up() {
    let text = recount(&["rules", "show", "disk/disk-busy"]).fine();
    assert!(text.contains("\n[[rule]]\nid = \"disk-busy\"\n"), "{text}");
    let outputs = Outputs::new();
    let file = outputs.write("one.toml", &text);
    assert!(recount(&["rules", "check", &file]).fine().ends_with(": 1 rule, sound\n"));
    let error = recount(&["rules", "show", "disk/no-such"]).failed();
    assert!(error.contains("the set disk has no rule \"no-such\""), "{error}");
}

/// Of what a disk did, the processes of the capture account for a small part.
#[test]
fn what_no_process_has_read_is_said() {
    let said = |of_worker: f64| {
        let outputs = Outputs::new();
        let paths = [
            r"PhysicalDisk(0 C:)\Avg. Disk sec/Read",
            r"PhysicalDisk(0 C:)\Disk Reads/sec",
            r"PhysicalDisk(0 C:)\Disk Read Bytes/sec",
            r"PhysicalDisk(_Total)\Disk Read Bytes/sec",
            r"Process(worker)\IO Read Bytes/sec",
            r"Process(worker)\ID Process",
        ];
        let quiet = vec![0.002, 5.0, 40_960.0, 40_960.0, 1_000.0, 42.0];
        let loud = vec![0.15, 160.0, 10_485_760.0, 10_485_760.0, of_worker, 42.0];
        let rows: Vec<_> = (0..240)
            .map(|at| (at * 5, if (100..160).contains(&at) { loud.clone() } else { quiet.clone() }))
            .collect();
        recount(&["report", &capture(&outputs, &paths, &rows)]).fine()
    };
    let text = said(300_000.0);
    assert!(
        text.contains("; most read by: not attributed 9.71 MiB/s, worker (pid 42) 293 KiB/s\n"),
        "{text}"
    );
    let text = said(9_000_000.0);
    assert!(text.contains("; most read by: worker (pid 42) 8.58 MiB/s\n"), "{text}");
}

/// A text has a blank for a process that isn't there any more: it used nothing then.
#[test]
fn what_has_ended_used_nothing() {
    let paths = [
        r"Processor(0)\% Processor Time",
        r"Processor(_Total)\% Processor Time",
        r"Process(short)\% Processor Time",
        r"Process(worker)\% Processor Time",
    ];
    let row = |at: usize| {
        let (all, own) = if (40..80).contains(&at) { (97.0, 80.0) } else { (3.0, 1.0) };
        // It began a minute before, and ended in the first of ten minutes.
        let short = if (36..42).contains(&at) { 95.0 } else { f64::NAN };
        vec![all, all, short, own]
    };
    let text = said(&paths, 15, &(0..120).map(row).collect::<Vec<_>>());
    assert!(text.contains("(100 % is one processor): worker 80 %, not attributed 1"), "{text}");
}
