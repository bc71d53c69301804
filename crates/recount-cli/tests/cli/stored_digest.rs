//! `recount digest` of every shared capture: short, the same twice, and without a critical finding less than `recount report`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::run::recount;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn critical(answer: &str) -> usize {
    let answer: Value = serde_json::from_str(answer).expect("JSON");
    let findings = answer["findings"].as_array().expect("findings").iter();
    findings.filter(|finding| finding["severity"] == "critical").count()
}

/// 4,400 bytes are at most 2,000 tokens of `o200k_base` and `cl100k_base` in all of these; the least was 2.25 bytes a token.
#[test]
#[ignore = "reads ../shared/data"]
fn every_digest_is_short_and_misses_nothing() {
    let mut found = Vec::new();
    for folder in ["blg", "atop", "sa", "perf-data-block", "answers"] {
        files(&recount_testdata::shared_path(folder), &mut found);
    }
    found.sort();
    let mut num = 0;
    for path in found.iter().map(|path| path.display().to_string()) {
        let digest = |more: &[&str]| recount(&[&["-q", "digest", &path][..], more].concat());
        let text = digest(&[]);
        if text.code == Some(2) {
            continue;
        }
        let json = digest(&["--json"]).stdout;
        assert_eq!(text.stdout, digest(&[]).stdout, "{path}");
        assert!(text.stdout.len() <= 4_400 && json.len() <= 4_400, "{path}");
        assert_eq!(critical(&json), critical(&recount(&["-q", "report", &path, "--json"]).stdout), "{path}");
        num += 1;
    }
    assert!(num >= 30, "only {num} captures");
}

/// A log of 26,060 series, whose digest isn't whole. One of its interfaces has a finding.
#[test]
#[ignore = "reads ../shared/data"]
fn a_finding_marks_its_instance_and_long_parts_displace_no_others() {
    let path = recount_testdata::shared_path("answers/cockpit-cpu_network.tar.gz").display().to_string();
    let text = recount(&["-q", "digest", &path]).stdout;
    let row = |name: &str| text.lines().find(|line| line.trim_start().starts_with(name));
    let ends = |name: &str, end: &str| row(name).is_some_and(|row| row.ends_with(end));
    assert!(ends("network eth0 |", "| info") && ends("network eth1 |", "| nothing found"), "{text}");
    assert!(ends("tcp |", "| nothing found"), "{text}");
    assert!(
        text.contains("info      Network Interface eth0: ") && text.contains("\nload      from | "),
        "{text}"
    );
    assert!(text.contains("\nleft out ") && text.len() > 3_900, "{}: {text}", text.len());
    let found: Value =
        serde_json::from_str(&recount(&["-q", "digest", &path, "--json"]).stdout).expect("JSON");
    assert!(found["load"]["rows"].as_array().is_some_and(|rows| rows.len() > 1), "{found}");
}

/// A digest proposes no command that fails, as for counters that the capture lacks.
#[test]
#[ignore = "reads ../shared/data"]
fn proposed_commands_run_as_they_are() {
    let mut found = Vec::new();
    for folder in ["blg", "atop", "answers", "sa/rhel6", "pcp/good"] {
        files(&recount_testdata::shared_path(folder), &mut found);
    }
    let room = tempfile::tempdir().expect("a temporary folder");
    let mut num = 0;
    for path in found.iter().map(|path| path.display().to_string()) {
        // Of an archive of PCP one file is enough.
        if path.contains("/pcp/") && !path.contains(".meta") {
            continue;
        }
        let digest = recount(&["-q", "digest", &path, "--json"]);
        if digest.code == Some(2) {
            continue;
        }
        let digest: Value = serde_json::from_str(&digest.stdout).expect("JSON");
        for next in digest["next"].as_array().expect("commands") {
            let command = next["command"].as_str().expect("a command");
            let words = command.strip_prefix("recount ").expect("a command of recount");
            let shell = format!("\"$0\" {words}");
            let _ = std::fs::remove_file(room.path().join("report.html"));
            let done = std::process::Command::new("sh")
                .args(["-c", &shell, env!("CARGO_BIN_EXE_recount")])
                .current_dir(room.path())
                .output()
                .expect("a shell");
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(matches!(done.status.code(), Some(0 | 1)), "{command}: {said}");
            assert!(!done.stdout.is_empty() || room.path().join("report.html").exists(), "{command}");
            num += 1;
        }
    }
    assert!(num >= 100, "only {num} commands");
}
