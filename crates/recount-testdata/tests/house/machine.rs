//! Tests of the first two tiers don't depend on the machine: they start no program that a system may lack, don't look at what else
//! runs on it, and record nothing of it but its totals. What does is a live test (CONTRIBUTING.md).

use std::path::Path;

use crate::tiers::{is_path_of, is_within};
use crate::{crates, read, sources_below};

/// Tools of POSIX, and what a test knows not to be there.
const PROGRAMS: [&str; 6] = ["env", "kill", "mkfifo", "no-such-command-of-ours", "sh", "sleep"];

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

/// What looks at the processes of this machine, or at all that it has.
const LOOKS: [&str; 6] = [
    "CgroupCollector::new(",
    "LinuxSource::new(",
    "ProcDir::open(",
    "ProcessCollector::new(",
    "ThreadCollector::new(",
    "quiet_machine(",
];

/// Where the kernel says what there is.
const MACHINE: [&str; 2] = ["/proc", "/sys/"];

/// Functions that read files, or name one.
const READS: [&str; 7] = ["Path::new", "exists", "open", "read", "read_dir", "read_link", "read_to_string"];

/// Of what a statement with `record` has one: it records only totals, no machine at all, or is refused.
const RECORDS: [&str; 4] = ["\\System", "--source", "--host", ".failed()"];

/// The program that a line starts.
fn started(line: &str) -> Option<&str> {
    line.split_once("Command::new(\"")?.1.split('"').next()
}

fn is_look(line: &str) -> bool {
    let reads = |word: &&str| {
        MACHINE.iter().any(|folder| {
            line.contains(&format!("{word}(\"{folder}"))
                || line.contains(&format!("{word}(format!(\"{folder}"))
        })
    };
    LOOKS.iter().any(|look| line.contains(look)) || READS.iter().any(reads)
}

fn is_of_live_tests(path: &Path) -> bool {
    let name = path.to_string_lossy().replace('\\', "/");
    is_path_of(path, "live")
        || OF_LIVE_TESTS.iter().any(|part| name.contains(&format!("/{part}")))
        || LIVE.iter().any(|part| name.contains(&format!("/{part}/")))
}

/// Where the tests of a file begin: all of it, or what follows `#[cfg(test)]` of a module.
fn begin(path: &Path, lines: &[&str]) -> usize {
    let is_test = path.iter().any(|part| part == "tests" || part == "tests.rs");
    let is_module = |pair: &[&str]| {
        pair[0].starts_with("#[cfg(")
            && pair[0].contains("(test")
            && pair[1].starts_with("mod ")
            && pair[1].ends_with('{')
    };
    let begin = lines.windows(2).position(is_module).unwrap_or(lines.len());
    if is_test { 0 } else { begin }
}

/// Calls `visit` with each line of a test that isn't live, the lines of its file, and its place among them.
fn each_line_of_tests(mut visit: impl FnMut(&Path, &[&str], usize)) {
    for folder in crates() {
        let mut sources = Vec::new();
        sources_below(&folder.join("src"), &mut sources);
        sources_below(&folder.join("tests"), &mut sources);
        sources.retain(|path| !is_of_live_tests(path) && !path.ends_with("house/machine.rs"));
        for path in sources {
            let text = read(&path);
            let lines: Vec<&str> = text.lines().collect();
            for at in begin(&path, &lines)..lines.len() {
                if !is_within(&lines[..at], "live") {
                    visit(&path, &lines, at);
                }
            }
        }
    }
}

#[test]
fn only_live_tests_start_programs_of_others_or_look_at_the_machine() {
    let mut faults = Vec::new();
    each_line_of_tests(|path, lines, at| {
        let line = lines[at];
        let is_foreign = started(line).is_some_and(|program| !PROGRAMS.contains(&program));
        if is_foreign || is_look(line) {
            faults.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
        }
    });
    let faults = faults.join("\n");
    assert!(faults.is_empty(), "in tests that aren't live:\n{faults}");
}

#[test]
fn only_live_tests_record_more_than_totals() {
    let mut faults = Vec::new();
    each_line_of_tests(|path, lines, at| {
        let is_feature = lines[at].starts_with("#[cfg(");
        if is_feature || !lines[at].contains("\"record\"") || !path.iter().any(|part| part == "tests") {
            return;
        }
        let is_end = |line: &&str| line.ends_with(';') || line.ends_with('{');
        let num_lines = lines[at..].iter().position(is_end).map_or(1, |end| end + 1);
        let statement = lines[at..at + num_lines].concat();
        if !RECORDS.iter().any(|part| statement.contains(part)) {
            faults.push(format!("{}:{}: {}", path.display(), at + 1, lines[at].trim()));
        }
    });
    let faults = faults.join("\n");
    assert!(faults.is_empty(), "expected one of {RECORDS:?} in tests that aren't live:\n{faults}");
}
