//! Tests are in the tier that their names say (CONTRIBUTING.md). What is named `live` or `live_...` is built only with the feature
//! `live-tests`, and what is built only with it is named so. What is named `stored` or `stored_...` has tests that read the shared
//! captures: they are ignored, for that reason, and no others are. Otherwise plain `cargo test` would fail in a clone, or a test would
//! be in no tier.

use std::path::Path;

use crate::{crates, entries, read, sources_below, stem, workspace};

const FEATURE: &str = "feature = \"live-tests\"";
const READS_SHARED: &str = "#[ignore = \"reads ../shared/data\"]";

/// Crates that `cargo test` leaves out: they take longest to build, or their libraries would have everything built anew with more
/// features than the command needs. `cargo test --workspace` has them.
const NOT_DEFAULT: [&str; 4] =
    ["crates/recount-mcp", "crates/recount-python", "crates/recount-remote", "crates/recount-sql"];

/// The name that a line declares after a word: `mod live {` declares `live`.
fn declared<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix("pub ").unwrap_or(rest).strip_prefix(word)?.strip_prefix(' ')?;
    rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}

/// Whether a name says that it is of a tier.
fn is_of(name: &str, tier: &str) -> bool {
    name.strip_prefix(tier).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

pub(crate) fn is_path_of(path: &Path, tier: &str) -> bool {
    path.iter().any(|part| is_of(part.to_string_lossy().trim_end_matches(".rs"), tier))
}

/// The attributes directly above a line.
fn attributes(before: &[&str]) -> String {
    let above = before.iter().rev().take_while(|line| line.trim_start().starts_with("#["));
    above.map(|line| line.trim()).collect()
}

/// Whether a line is in a module or function of a tier; `before` are the lines above it.
pub(crate) fn is_within(before: &[&str], tier: &str) -> bool {
    let name = |line| declared(line, "mod").or_else(|| declared(line, "fn"));
    let begin = before.iter().rposition(|line| name(line).is_some_and(|name| is_of(name, tier)));
    begin.is_some_and(|begin| {
        let indent = before[begin].len() - before[begin].trim_start().len();
        let end = format!("{}}}", &before[begin][..indent]);
        before[begin].ends_with('{') && !before[begin..].contains(&end.as_str())
    })
}

/// Files that have texts about tests.
const ABOUT_TESTS: [&str; 2] = ["house/tiers.rs", "recount-pcq/tests/suite/coverage.rs"];

/// Calls `visit` with the files of all crates, and their lines.
fn each_file(mut visit: impl FnMut(&Path, &[&str])) {
    for folder in crates() {
        let mut sources = Vec::new();
        sources_below(&folder.join("src"), &mut sources);
        sources_below(&folder.join("tests"), &mut sources);
        for path in sources.iter().filter(|path| ABOUT_TESTS.iter().all(|about| !path.ends_with(about))) {
            visit(path, &read(path).lines().collect::<Vec<_>>());
        }
    }
}

#[test]
fn files_of_live_tests_need_the_feature() {
    for folder in crates() {
        let manifest = read(&folder.join("Cargo.toml"));
        for path in entries(&folder.join("tests")) {
            let name = stem(&path);
            let section = format!("[[test]]\nname = \"{name}\"\nrequired-features = [\"live-tests\"");
            assert_eq!(
                manifest.contains(&section),
                is_of(name, "live"),
                "{}: its section in Cargo.toml, if its tests are live:\n{section}]",
                path.display()
            );
        }
    }
}

#[test]
fn modules_and_functions_of_live_tests_need_the_feature() {
    let mut faults = Vec::new();
    each_file(|path, lines| {
        // Such a file is a test of its own, or its `mod` line is looked at.
        if is_path_of(path, "live") {
            return;
        }
        // Elsewhere such a name is that of a live source.
        let has_tests =
            path.iter().any(|part| part == "tests") || lines.iter().any(|line| line.trim() == "#[test]");
        for (at, line) in lines.iter().enumerate() {
            let above = attributes(&lines[..at]);
            let is_test = above.contains("#[test]");
            let name = declared(line, "mod").or_else(|| declared(line, "fn").filter(|_| is_test));
            let Some(name) = name else { continue };
            let (is_live, is_gated) = (is_of(name, "live"), above.contains(FEATURE));
            if is_gated && !is_live || is_live && !is_gated && has_tests {
                faults.push(format!("{}:{}: {line}", path.display(), at + 1));
            }
        }
    });
    let faults = faults.join("\n");
    assert!(
        faults.is_empty(),
        "expected #[cfg({FEATURE})] above what is named live_..., and nowhere else:\n{faults}"
    );
}

#[test]
fn tests_that_read_the_shared_captures_are_ignored() {
    let mut faults = Vec::new();
    each_file(|path, lines| {
        // Of live tests some are no tests, but programs that another starts.
        if is_path_of(path, "live") || path.ends_with("culprits/loads.rs") {
            return;
        }
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.trim() == "#[test]") {
            if is_within(&lines[..at], "live") {
                continue;
            }
            let next = lines[at..].iter().position(|line| declared(line, "fn").is_some()).unwrap_or(0);
            let Some(name) = declared(lines[at + next], "fn") else { continue };
            let is_stored =
                is_path_of(path, "stored") || is_of(name, "stored") || is_within(&lines[..at], "stored");
            let is_ignored = lines[at..at + next].iter().any(|line| line.trim() == READS_SHARED);
            let is_other = |line: &&str| line.starts_with("#[ignore") && *line != READS_SHARED;
            let has_other = lines[at..at + next].iter().map(|line| line.trim()).any(|line| is_other(&line));
            if is_stored != is_ignored || has_other {
                faults.push(format!("{}:{}: {line} {name}", path.display(), at + 1));
            }
        }
    });
    let faults = faults.join("\n");
    assert!(
        faults.is_empty(),
        "expected {READS_SHARED} below #[test] of what is named stored_..., and no other test that is ignored:\n{faults}"
    );
}

#[test]
fn every_file_of_live_tests_is_in_a_group() {
    let groups = read(&workspace().join("xtask/src/live/groups.rs"));
    let mut missing = Vec::new();
    for folder in crates() {
        let mut sources = Vec::new();
        sources_below(&folder.join("src"), &mut sources);
        sources_below(&folder.join("tests"), &mut sources);
        // The file of a binary may be `main.rs` in a folder.
        sources.extend(sources.clone().iter().filter_map(|path| path.parent().map(Path::to_path_buf)));
        let is_whole = groups.contains(&format!("package({})", stem(&folder)));
        for name in sources.iter().map(|path| stem(path)).filter(|name| name.starts_with("live_")) {
            let is_named = [format!("binary({name})"), format!("test(/^{name}::/)")]
                .iter()
                .any(|part| groups.contains(part));
            if !is_whole && !is_named {
                missing.push(format!("{}: {name}", folder.display()));
            }
        }
    }
    missing.dedup();
    assert_eq!(missing, [] as [String; 0], "in no filter of xtask/src/live/groups.rs");
}

#[test]
fn every_crate_is_tested_by_default() {
    let manifest = read(&workspace().join("Cargo.toml"));
    let (_, list) = manifest.split_once("default-members = [").expect("a list");
    let (list, _) = list.split_once(']').expect("its end");
    let mut default: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    default.extend(NOT_DEFAULT);
    default.sort_unstable();
    let root = workspace();
    let mut all: Vec<String> = crates()
        .iter()
        .map(|folder| folder.strip_prefix(&root).expect("within").to_string_lossy().replace('\\', "/"))
        .collect();
    all.sort_unstable();
    assert_eq!(default, all);
}
