//! No file of a crate has more than 500 lines, and no function more than 80. Tests and tables of data may be longer.

use crate::{crates, named, read, sources_below};

const MAX_LINES: usize = 500;
const MAX_LINES_FUNCTION: usize = 80;

/// Tables of data: a row is a line.
const TABLES: [&str; 1] = ["crates/recount-sysstat/src/names/activities.rs"];

/// The sources of all crates but those of tests, with their texts.
fn sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in crates() {
        sources_below(&folder.join("src"), &mut paths);
    }
    let is_test = |path: &str| path.contains("/tests/") || path.ends_with("/tests.rs");
    paths.iter().map(|path| (named(path), read(path))).filter(|(name, _)| !is_test(name)).collect()
}

/// The functions of a formatted source, as (number of their line, name, number of lines).
fn functions(text: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let Some(rest) = code.strip_prefix("fn ").or_else(|| code.split_once(" fn ").map(|(_, rest)| rest))
        else {
            continue;
        };
        let is_declaration = code.starts_with("fn ")
            || ["pub", "const", "async", "unsafe", "extern", "default"]
                .iter()
                .any(|word| code.starts_with(word));
        let signature_ends = lines[at..].iter().position(|line| line.ends_with(['{', ';', '}']));
        let Some(body) = signature_ends.map(|len| at + len).filter(|&body| lines[body].ends_with('{')) else {
            continue;
        };
        let closing = format!("{indent}}}");
        let len = lines[body..].iter().position(|line| **line == closing);
        let Some(len) = len.filter(|_| is_declaration) else { continue };
        let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        found.push((at + 1, name, body + len - at + 1));
    }
    found
}

#[test]
fn files_have_at_most_500_lines() {
    let too_long: Vec<String> = sources()
        .iter()
        .map(|(name, text)| (name, text.lines().count()))
        .filter(|(name, len)| *len > MAX_LINES && !TABLES.contains(&name.as_str()))
        .map(|(name, len)| format!("{name}: {len} lines"))
        .collect();
    assert!(too_long.is_empty(), "a file has one idea; which ideas are in these?\n{}", too_long.join("\n"));
}

#[test]
fn functions_have_at_most_80_lines() {
    let mut too_long = Vec::new();
    let mut num = 0;
    for (file, text) in sources() {
        let found = functions(&text);
        num += found.len();
        let long = found.iter().filter(|(_, _, len)| *len > MAX_LINES_FUNCTION);
        too_long.extend(long.map(|(line, name, len)| format!("{file}:{line}: {name} has {len} lines")));
    }
    assert!(num > 5_000, "only {num} functions were found");
    assert!(too_long.is_empty(), "take parts out, with names:\n{}", too_long.join("\n"));
}
