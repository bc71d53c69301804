//! Tests of the first two tiers don't depend on the machine: they start no program that a system may lack, and don't look at what
//! else runs on it. What does is a live test (CONTRIBUTING.md).

use std::path::Path;

use crate::tiers::{is_path_of, is_within};
use crate::{crates, read, sources_below};

/// Tools of POSIX, and what a test knows not to be there.
const PROGRAMS: [&str; 7] = ["env", "kill", "mkfifo", "no-such-command-of-ours", "sh", "sleep", "tar"];

/// What only live tests use, and what is built only with a feature that they need.
const OF_LIVE_TESTS: [&str; 12] = [
    "tests/browser",
    "tests/changes",
    "tests/cli/mcp.rs",
    "tests/culprits",
    "tests/kaitai",
    "tests/mcp",
    "tests/page",
    "tests/python",
    "tests/readers",
    "tests/recorders",
    "tests/view",
    "tests/wheel",
];

/// Crates that `cargo test` leaves out: all their tests are live.
const LIVE: [&str; 4] = ["recount-mcp", "recount-python", "recount-remote", "recount-sql"];

/// The program that a line starts.
fn started(line: &str) -> Option<&str> {
    line.split_once("Command::new(\"")?.1.split('"').next()
}

fn is_of_live_tests(path: &Path) -> bool {
    let name = path.to_string_lossy().replace('\\', "/");
    is_path_of(path, "live")
        || OF_LIVE_TESTS.iter().any(|part| name.contains(&format!("/{part}")))
        || LIVE.iter().any(|part| name.contains(&format!("/{part}/")))
}

/// Where the tests of a file begin: all of it, or what follows `#[cfg(test)]`.
fn begin(path: &Path, lines: &[&str]) -> usize {
    let is_test = path.iter().any(|part| part == "tests" || part == "tests.rs");
    let begin = lines.iter().position(|line| *line == "#[cfg(test)]").unwrap_or(lines.len());
    if is_test { 0 } else { begin }
}

#[test]
fn only_live_tests_start_programs_of_others_or_look_for_processes() {
    let mut faults = Vec::new();
    for folder in crates() {
        let mut sources = Vec::new();
        sources_below(&folder.join("src"), &mut sources);
        sources_below(&folder.join("tests"), &mut sources);
        sources.retain(|path| !is_of_live_tests(path) && !path.ends_with("house/machine.rs"));
        for path in sources {
            let text = read(&path);
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate().skip(begin(&path, &lines)) {
                let is_foreign = started(line).is_some_and(|program| !PROGRAMS.contains(&program));
                let is_look = line.contains("read_dir(\"/proc\")");
                if (is_foreign || is_look) && !is_within(&lines[..at], "live") {
                    faults.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
                }
            }
        }
    }
    let faults = faults.join("\n");
    assert!(faults.is_empty(), "in tests that aren't live:\n{faults}");
}
