//! Findings and figures of hostile names as text, Markdown, XML, JSON and CSV.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::chromium::{Chromium, run};
use crate::hostile::{NUM_SAMPLES, PERCENT, names, session};
use crate::{folder, recount, text};

/// The hostile session as a log, with a mark per name.
pub(crate) fn hostile_log(folder: &Path) -> PathBuf {
    let (stream, log) = (folder.join("session.pcq"), folder.join("hostile.rcap"));
    std::fs::write(&stream, session()).expect("a session");
    recount(["record", "--quiet", "--source", text(&stream), "-o", text(&log)]);
    for (number, mark) in marks().iter().enumerate() {
        recount(["mark", "--quiet", "--at", &format!("+{number}s"), text(&log), "--", mark]);
    }
    log
}

/// The names as texts of marks, which have no more than 4,096 bytes.
fn marks() -> Vec<String> {
    names().iter().map(|name| name.chars().take(1000).collect()).collect()
}

/// Control characters, Unicode's characters for changing directions, joining and hiding, and non-characters.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\t' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

pub(crate) fn assert_nothing_hidden(text: &str, what: &str) {
    let found: BTreeSet<char> = text.chars().filter(|c| is_hidden(*c)).collect();
    assert_eq!(found, BTreeSet::new(), "in {what}");
}

/// The elements of our Markdown.
const OURS: [&str; 11] =
    ["details", "h2", "p", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr"];

/// Checks that GitHub would see only a heading, texts and one table with this many rows.
pub(crate) fn assert_plain_markdown(path: &Path, num_rows: usize) -> Vec<Vec<String>> {
    let markdown = std::fs::read_to_string(path).expect("Markdown");
    assert_nothing_hidden(&markdown, text(path));
    let told: Value = serde_json::from_str(&Chromium::install().node("markdown.mjs", [path])).expect("JSON");
    let elements: Vec<&str> =
        told[0]["elements"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    assert!(elements.iter().all(|element| OURS.contains(element)), "{}: {elements:?}", path.display());
    let mut rows: Vec<Vec<String>> = serde_json::from_value(told[0]["rows"].clone()).expect("rows");
    // A narrower table of rules that were not evaluated may follow.
    let not_evaluated = rows.iter().position(|row| row.len() != rows[0].len()).unwrap_or(rows.len());
    for row in rows.drain(not_evaluated..) {
        assert_eq!(row.len(), 2, "{}: {row:?}", path.display());
    }
    assert_eq!(rows.len() - 1, num_rows, "{}: {rows:?}", path.display());
    rows
}

/// What other, strict readers of XML and CSV find in files.
fn strictly(paths: &[&Path]) -> Vec<Vec<Vec<String>>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/strict.py");
    let told = run(Command::new("python3").arg("-B").arg(script).args(paths));
    serde_json::from_str(&told).expect("JSON")
}

pub(crate) fn assert_strict_xml(path: &Path) -> Vec<Vec<String>> {
    strictly(&[path]).remove(0)
}

fn findings(report: &Value) -> BTreeSet<String> {
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.map(|finding| finding["instance"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn findings_about_hostile_names_are_texts_in_every_form() {
    let folder = folder("hostile-findings");
    let log = hostile_log(&folder);
    let [markdown, junit, json] =
        ["md", "xml", "json"].map(|kind| folder.join("report").with_extension(kind));
    let told = recount(
        ["report", text(&log), "--markdown", text(&markdown), "--junit", text(&junit), "--json", text(&json)]
            .into_iter()
            .chain(["--title", &names()[1]]),
    );
    let names = names();
    // Output for people shows names in displayable form, not as in the capture.
    assert!(told.chars().all(|c| c == '\n' || !c.is_control()), "{told:?}");
    assert_eq!(told.lines().count(), 2 * names.len() + 1, "{told}");

    // Output for programs has the names as in the capture.
    let report: Value = serde_json::from_slice(&std::fs::read(&json).expect("JSON")).expect("JSON");
    assert_eq!(findings(&report), names.iter().cloned().collect());
    let marks: Vec<&str> = report["capture"]["marks"]
        .as_array()
        .expect("marks")
        .iter()
        .filter_map(|mark| mark["text"].as_str())
        .collect();
    assert_eq!(marks, self::marks());

    let rows = assert_plain_markdown(&markdown, names.len());
    let cases = assert_strict_xml(&junit);
    let failed = cases.iter().filter(|case| case.len() > 1).count();
    assert_eq!(failed, 1, "all of one rule: {cases:?}");
    // Displayable names are shown unchanged.
    let is_plain = |name: &&String| {
        name.len() < 200 && !name.chars().any(|c| is_hidden(c) || c == '\n') && !name.contains('@')
    };
    for name in names.iter().filter(is_plain) {
        let begin = format!("{name} (pid ");
        assert!(rows.iter().any(|row| row[2].starts_with(&begin)), "{name} isn't in {}", markdown.display());
    }
}

#[test]
fn figures_of_hostile_names_are_texts_in_every_form() {
    let folder = folder("hostile-figures");
    let log = hostile_log(&folder);
    let peaks = r#"SELECT instance, max("% Processor Time") AS peak FROM Process GROUP BY instance"#;
    let stats = ["stats", text(&log), "-c", r"\Process(*)\*"].map(str::to_owned).to_vec();
    let query = ["query", text(&log), peaks].map(str::to_owned).to_vec();
    let names: BTreeSet<String> = names().into_iter().collect();
    let mut questions = vec![("stats", stats)];
    if cfg!(feature = "sql") {
        questions.push(("query", query));
    }
    for (what, question) in questions {
        let ask = |form: &str| recount(question.iter().map(String::as_str).chain(["--format", form]));
        let table = ask("table");
        assert!(table.chars().all(|c| c == '\n' || !c.is_control()), "{what}: {table:?}");
        assert_eq!(table.lines().count(), names.len() + 1, "{what}: {table}");

        let markdown = folder.join(what).with_extension("md");
        std::fs::write(&markdown, ask("markdown")).expect("a file");
        assert_plain_markdown(&markdown, names.len());

        let json: Value = serde_json::from_str(&ask("json")).expect("JSON");
        let rows = json.as_array().expect("rows").iter();
        let found: BTreeSet<String> =
            rows.map(|row| row["instance"].as_str().expect("a name").to_owned()).collect();
        assert_eq!(found, names, "{what}");

        let csv = folder.join(what).with_extension("csv");
        std::fs::write(&csv, ask("csv")).expect("a file");
        let rows = strictly(&[&csv]).remove(0);
        let at = rows[0].iter().position(|column| column == "instance").expect("a column");
        let found: BTreeSet<String> = rows[1..].iter().map(|row| row[at].clone()).collect();
        assert_eq!(found, names, "{what}");
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{what}");
    }
    if cfg!(feature = "sql") {
        assert_catalogue_names(&log, &names);
    }
    assert_eq!((NUM_SAMPLES, PERCENT), (60, 90));
}

fn assert_catalogue_names(log: &Path, names: &BTreeSet<String>) {
    let all = recount(["query", text(log), "SELECT * FROM counters", "--format", "json"]);
    let all: Value = serde_json::from_str(&all).expect("JSON");
    let objects: BTreeSet<&str> =
        all.as_array().expect("rows").iter().filter_map(|row| row["object"].as_str()).collect();
    let expected: BTreeSet<&str> = names.iter().map(String::as_str).chain(["Process"]).collect();
    assert_eq!(objects, expected);
}
