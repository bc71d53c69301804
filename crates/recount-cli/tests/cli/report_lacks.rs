//! What a capture lacks, what its clock did, and what will be used up, as `recount report` and others say it.

use super::run::{Outputs, recount};
use super::series::{capture, every, said, said_of};

const BUSY: &str = r"Processor(_Total)\% Processor Time";

#[test]
fn missing_values_are_said() {
    let rows = |num_missing: usize| -> Vec<Vec<f64>> {
        let value =
            |at: usize| if (100..100 + num_missing).contains(&at) { f64::NAN } else { (5 + at % 3) as f64 };
        (0..480).map(|at| vec![value(at), 4000.0]).collect()
    };
    let paths = [BUSY, r"Memory\Available MBytes"];
    let text = said(&paths, 15, &rows(80));
    let expected =
        "missing   Processor % Processor Time has no value in 80 of 480 samples, 12:25:00 to 12:44:45\n";
    assert!(text.contains(expected), "{text}");
    // A few are usual.
    assert!(!said(&paths, 15, &rows(20)).contains("missing "));
}

#[test]
fn memory_that_falls_steadily_is_used_up_at_a_time() {
    let rows: Vec<Vec<f64>> =
        (0..480_i32).map(|at| vec![6_000.0 - 12.0 * f64::from(at) + f64::from(at * 7 % 5)]).collect();
    let text = said(&[r"Memory\Available MBytes"], 15, &rows);
    let expected =
        "fills     No memory is available in about 5 min, if it goes on as it has since 12:00:00: 2";
    assert!(text.contains(expected) && text.contains(" MiB less per minute\n"), "{text}");
}

/// What was so on both sides of a gap may have been so in it, but nobody knows.
#[test]
fn a_change_across_a_gap_says_for_how_long_nobody_sampled() {
    let level = |at: usize| if (3_000..6_600).contains(&at) { 98.0 } else { 5.0 + (at % 45) as f64 / 15.0 };
    let rows: Vec<(usize, Vec<f64>)> = (0..600)
        .map(|at| at * 15)
        .filter(|at| !(3_600..6_000).contains(at))
        .map(|at| (at, vec![level(at)]))
        .collect();
    let text = said_of(&[BUSY], &rows);
    assert!(
        text.contains("From 12:49:45 to 13:49:45 (nobody sampled for 40 min 15 s of that time) Processor "),
        "{text}"
    );
}

/// The clock goes back by an hour at 09:00 UTC; what happens is in the hour after it.
#[test]
fn times_have_the_offset_of_their_moment() {
    let mut text =
        "\"(PDH-CSV 4.0) (Pacific Daylight Time)(420)\",\"\\\\A\\Processor(_Total)\\% Processor Time\"\n"
            .to_owned();
    for at in 0..480 {
        let minute = 30 + at / 4;
        // From 00:30 to 01:59 in summer, and from 01:00 on in winter.
        let minute = if minute < 120 { minute } else { minute - 60 };
        let value = if (400..440).contains(&at) { 98.0 } else { 5.0 + f64::from(at % 3) };
        let clock = format!("{:02}:{:02}:{:02}", minute / 60, minute % 60, at % 4 * 15);
        text.push_str(&format!("\"11/03/2024 {clock}.000\",\"{value}\"\n"));
    }
    let outputs = Outputs::new();
    let log = outputs.write("c.csv", text);
    let report = recount(&["-q", "report", &log]).fine();
    let said = "From 01:09:45-08:00 to 01:19:45-08:00 Processor % Processor Time was higher";
    assert!(report.contains(said) && report.contains(" 2024-11-03T01:09:45-08:00 to 01:19:45\n"), "{report}");
    let moved =
        recount(&["-q", "moved", &log, "--span", "2024-11-03T01:09:45-08:00..2024-11-03T01:19:45-08:00"])
            .fine();
    assert!(moved.contains("01:09:45-08:00 to 01:19:45-08:00 against "), "{moved}");
}

#[test]
fn a_span_in_a_gap_is_told_when_samples_were_taken() {
    let rows: Vec<(usize, Vec<f64>)> =
        (0..200).map(|at| (if at < 100 { at * 10 } else { 2_000 + at * 10 }, vec![5.0])).collect();
    let outputs = Outputs::new();
    let log = capture(&outputs, &[BUSY], &rows);
    let error = recount(&["report", &log, "--begin", "12:20", "--end", "12:40"]).failed();
    let expected = "none of the 200 samples is in the requested time range: they were taken until 2026-11-21T12:16:30Z, \
                    and again from 2026-11-21T12:50:00Z";
    assert!(error.contains(expected), "{error}");
    let error = recount(&["report", &log, "--begin", "13:20", "--end", "13:40"]).failed();
    assert!(error.contains("they are from 2026-11-21T12:00:00Z to 2026-11-21T13:06:30Z"), "{error}");
}

#[test]
fn limits_are_in_the_unit_of_the_counter() {
    let outputs = Outputs::new();
    let rows: Vec<Vec<f64>> = (0..60).map(|_| vec![400.0, 98.0]).collect();
    let log = capture(&outputs, &[r"Memory\Available MBytes", BUSY], &every(10, &rows));
    let rule = |counter: &str, keys: &str| {
        let text = format!(
            "[set]\nname = \"s\"\ntitle = \"S\"\nversion = 1\n\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\n\
             severity = \"critical\"\ncounter = '{counter}'\n{keys}explanation = \"e\"\n"
        );
        outputs.write("r.toml", text)
    };
    let memory = r"\Memory\Available MBytes";
    for (limit, num_findings) in [("< 500 MiB", 1), ("< 300 MiB", 0)] {
        let rules = rule(memory, &format!("threshold = \"{limit}\"\nuntil = \"< 600 MiB\"\n"));
        let done = recount(&["report", &log, "--rules", &rules, "--fail-on", "critical"]);
        assert_eq!(done.code, Some(num_findings), "{limit}: {}", done.stdout);
    }
    let mistake = |counter: &str, keys: &str| {
        let done = recount(&["rules", "check", &rule(counter, keys)]);
        assert_eq!(done.code, Some(1));
        done.stdout
    };
    let text = mistake(r"\Processor(*)\% Processor Time", "threshold = \"> 80 MiB\"\n");
    assert!(text.contains(":12:13: \"r\": \"> 80 MiB\": % Processor Time has values in %\n"), "{text}");
    let keys = "threshold = \"< -1 MiB/h\"\naggregate = \"trend\"\nmin-rise = \"5 ms\"\n";
    let text = mistake(memory, keys);
    assert!(text.contains("Available MBytes has values in MiB"), "{text}");
}

/// Windows has available memory in three units.
#[test]
fn available_memory_is_one_counter_of_changes() {
    let rows: Vec<Vec<f64>> = (0..400)
        .map(|at| if at < 200 { 6_000.0 + f64::from(at % 7) } else { 90.0 + f64::from(at % 5) })
        .map(|megabytes| vec![megabytes * 1_048_576.0, megabytes * 1024.0, megabytes])
        .collect();
    let paths = [r"Memory\Available Bytes", r"Memory\Available KBytes", r"Memory\Available MBytes"];
    let text = said(&paths, 15, &rows);
    assert!(text.contains(" Memory Available Bytes is "), "{text}");
    assert!(!text.contains("; with it") && text.matches("changed ").count() == 1, "{text}");
}

#[test]
fn changes_of_several_machines_name_them() {
    let (outputs, others) = (Outputs::new(), Outputs::new());
    let rows = |begin: usize| -> Vec<Vec<f64>> {
        let level = |at: usize| if (begin..begin + 60).contains(&at) { 97.0 } else { 5.0 + (at % 3) as f64 };
        (0..400).map(|at| vec![level(at)]).collect()
    };
    let web = capture(&outputs, &[r"\\WEB1\Processor(_Total)\% Processor Time"], &every(15, &rows(100)));
    let db = capture(&others, &[r"\\DB2\Processor(_Total)\% Processor Time"], &every(15, &rows(250)));
    let text = recount(&["stats", "--changes", &web, &db]).fine();
    assert!(text.contains("From 12:24:45 to 12:39:45  WEB1: Processor % Processor Time "), "{text}");
    assert!(text.contains("From 13:02:15 to 13:17:15  DB2: Processor % Processor Time "), "{text}");
}

/// Nothing is clearer than a step of what never varied.
#[test]
fn what_was_the_same_for_long_has_moved() {
    let level = |at: usize| if (200..240).contains(&at) { 1_500.0 } else { 900.0 };
    let rows: Vec<Vec<f64>> = (0..400).map(|at| vec![level(at), 5.0 + (at % 3) as f64]).collect();
    let outputs = Outputs::new();
    let log = capture(&outputs, &[r"System\Threads", BUSY], &every(15, &rows));
    let text = recount(&["moved", &log, "--span", "12:49:45..12:59:45"]).fine();
    assert!(text.contains(" System Threads rose by 67 %, from 900 to 1,500, until "), "{text}");
}

/// The machine was up for ten days, and boots at 12:52:03.
#[test]
fn a_boot_is_seen_by_the_time_since_it() {
    for (step, num_rows, lost) in [(15, 480, 200..213), (15, 480, 205..209), (1, 6_000, 3_100..3_140)] {
        let uptime = |at: usize| {
            let now = (step * at) as f64;
            if at < lost.end { 864_000.0 + now } else { now - 3_123.0 }
        };
        let rows: Vec<(usize, Vec<f64>)> = (0..num_rows)
            .filter(|at| !lost.contains(at))
            .map(|at| (step * at, vec![(at % 7) as f64, uptime(at)]))
            .collect();
        let text = said_of(&[BUSY, r"System\System Up Time"], &rows);
        let times: Vec<&str> = text.lines().filter(|line| line.starts_with("restart")).collect();
        let is_right = |line: &&str| {
            // Of means of ten samples, within one.
            let near = ["12:51:5", "12:52:0", "12:52:1"];
            let expected = if step == 1 { &near[..] } else { &["12:52:03Z"] };
            expected.iter().any(|time| line.contains(&format!("A was booted at 2026-11-21T{time}")))
        };
        assert!(times.len() == 1 && times.iter().all(is_right), "{step} {lost:?}: {text}");
        assert!(!text.contains("System Up Time"), "{text}");
    }
}
