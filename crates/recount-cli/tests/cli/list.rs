//! `recount list`

use serde_json::{Value, json};

use super::run::tx_basic;
use super::run::{recount, sample};

/// The paths that are listed.
fn paths(patterns: &[&str]) -> Vec<String> {
    let log = tx_basic();
    let arguments = [&["list", log.as_str()], patterns].concat();
    let text = recount(&arguments).fine();
    assert!(text.starts_with("path "), "{text}");
    let path = |line: &str| line.split("  ").next().expect("a column").to_owned();
    text.lines().skip(1).map(path).collect()
}

#[test]
fn as_json() {
    let text = recount(&["list", "--json", &sample("objects.blg"), "Idle Time"]).fine();
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let entry = |disk: &str| {
        json!({
            "path": format!(r"\\PACIFIC\PhysicalDisk({disk})\% Idle Time"),
            "type": "PERF_PRECISION_100NS_TIMER",
            "unit": "%",
            "default_scale": 0,
        })
    };
    assert_eq!(all, json!([entry("0 C:"), entry("1 D:"), entry("_Total")]));
}

#[test]
fn namesakes_have_their_numbers_and_bases_are_left_out() {
    let text = recount(&["list", &sample("objects.blg")]).fine();
    assert_eq!(text.lines().count(), 1 + 308, "as info says");
    assert!(text.contains(r"\\PACIFIC\Process(svchost#2)\Elapsed Time"));
    assert!(!text.contains("Base"), "% Idle Time Base serves % Idle Time only");
}

#[test]
fn names_are_given_to_raw_dumps() {
    let dump = sample("series/1.bin");
    let without = recount(&["list", &dump]).fine();
    assert!(without.contains(r"\\SERIES\2\146 "), "{without}");
    let with = recount(&["list", &dump, "--names", &sample("series/Counter 009.txt")]).fine();
    assert!(with.contains(r"\\SERIES\System\Context Switches/sec "), "{with}");
}

#[test]
fn findings_are_warnings_on_standard_error() {
    let done = recount(&["list", &sample("damaged.blg"), "Memory"]);
    assert_eq!((done.code, done.stdout.lines().count()), (Some(1), 4));
    let warnings: Vec<&str> = done.stderr.lines().collect();
    assert!(warnings.len() >= 2 && warnings.iter().all(|line| line.starts_with("warning: ")), "{warnings:?}");
}

/// These read the shared captures.
mod stored {
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn patterns_select() {
        assert_eq!(paths(&[]).len(), 10);
        assert_eq!(paths(&["disk"]).len(), 5);
        assert_eq!(paths(&["DISK", r"\Processor(_Total)\*"]).len(), 6);
        assert_eq!(paths(&[r"\Processor(*)\% Processor Time"]).len(), 5);
        assert_eq!(paths(&[r"\\georgis3\processor(3)\% *"]), [r"\\GEORGIS3\Processor(3)\% Processor Time"]);
        assert_eq!(
            paths(&[r"\PhysicalDisk(*)\*read*"]),
            [
                r"\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Bytes/Read",
                r"\\GEORGIS3\PhysicalDisk(0 C:)\Avg. Disk Read Queue Length"
            ]
        );
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn types_and_units_stand_beside_the_paths() {
        let text = recount(&["list", &tx_basic(), r"\Processor(0)\*"]).fine();
        let line = text.lines().nth(1).expect("a counter");
        let columns: Vec<&str> =
            line.split("  ").map(str::trim).filter(|column| !column.is_empty()).collect();
        assert_eq!(columns, [r"\\GEORGIS3\Processor(0)\% Processor Time", "PERF_100NSEC_TIMER_INV", "%"]);
    }
}

/// The name of a metric of Performance Co-Pilot selects its counter in every command.
#[test]
fn metrics_are_named_with_dots() {
    let archive = sample("pcp/web1.meta");
    for (metric, num) in
        [("kernel.all.load", 3), ("disk.dev.read", 3), ("kernel.all.cpu.user", 1), ("kernel.all.*", 11)]
    {
        let commands: [&[&str]; 4] = [
            &["list", &archive, metric],
            &["list", &archive, "--names", "windows", metric],
            &["show", &archive, metric],
            &["stats", &archive, "-c", metric],
        ];
        for command in commands {
            let text = recount(command).fine();
            assert_eq!(text.lines().count(), 1 + num, "{command:?}: {text}");
        }
        let csv = recount(&["convert", &archive, "-c", metric, "-o", "-", "--format", "csv"]).fine();
        assert_eq!(csv.lines().next().map(|header| header.matches(r"\\web1\").count()), Some(num), "{csv}");
    }
}
