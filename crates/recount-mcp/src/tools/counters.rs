//! Tools that find counters, and say what their values were.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::ask::{Call, TABLE_LINE};
use crate::refusal::Refusal;
use crate::tools::{Names, Span, Tool, check_patterns, pattern_of, text, with_patterns};
use crate::words::Words;

/// How many instances of a counter are named.
const NUM_EXAMPLES: usize = 6;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FindCounters {
    capture: String,
    /// Paths with wildcards, or parts of paths [all]
    #[serde(default)]
    patterns: Vec<String>,
    /// Of Windows in English, or the capture's own [windows]
    #[serde(default)]
    names: Names,
}

impl Tool for FindCounters {
    const NAME: &str = "find_counters";
    const DESCRIPTION: &str = "Which counters there are, grouped: a line per object and counter with unit and examples of instances. The \
        first column is a pattern for other tools; put an instance or a wildcard into the brackets: \\Process(svc*)\\% Processor Time.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let path = call.folders().capture(&self.capture)?;
        check_patterns(&self.patterns)?;
        let asked = self.names.add_to(Words::new("list").flag("--json")).inputs([path.clone()]);
        let asked = self.patterns.iter().fold(asked, |words, pattern| words.text(&pattern_of(pattern)));
        let (paths, ended) = call.json(&asked).await?;
        let mut cutter = call.cutter(TABLE_LINE);
        for line in grouped(paths.as_array().map(Vec::as_slice).unwrap_or_default()) {
            cutter.push_line(&line);
        }
        let (output, next_cursor) = cutter.finish();
        let shown = self.names.add_to(Words::new("list")).inputs([path]);
        let command =
            self.patterns.iter().fold(shown, |words, pattern| words.text(&pattern_of(pattern))).shown();
        let mut notes = ended.notes();
        notes.push("the command prints a line per instance".into());
        Ok(Answer { command, output, exit_code: ended.code, next_cursor, notes })
    }
}

/// A line per counter, in the order of the capture.
fn grouped(paths: &[Value]) -> Vec<String> {
    struct Group<'a> {
        unit: &'a str,
        instances: Vec<&'a str>,
    }
    let mut order = Vec::new();
    let mut groups: BTreeMap<(String, &str, &str), Group<'_>> = BTreeMap::new();
    for entry in paths {
        let (host, object, instance, counter) = parts(text(entry, "path"));
        let key = (format!("{host}\\{object}"), counter, if instance.is_some() { "(*)" } else { "" });
        let group = groups.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            Group { unit: text(entry, "unit"), instances: Vec::new() }
        });
        group.instances.extend(instance);
    }
    let mut lines = vec!["pattern | unit | instances".to_owned()];
    for key in order {
        let Some(group) = groups.get(&key) else { continue };
        let unit = if group.unit.is_empty() { "-" } else { group.unit };
        let line = format!(r"{}{}\{} | {unit}", key.0, key.2, key.1);
        lines.push(match group.instances.len() {
            0 => line,
            num => {
                let examples = group.instances.get(..NUM_EXAMPLES).unwrap_or(&group.instances).join(", ");
                format!("{line} | {num}: {examples}{}", if num > NUM_EXAMPLES { ", …" } else { "" })
            }
        });
    }
    lines
}

/// Host, object, instance and counter of a path, `\\host\object(instance)\counter`.
fn parts(path: &str) -> (&str, &str, Option<&str>, &str) {
    let (host, rest) = match path.strip_prefix(r"\\").and_then(|rest| rest.find('\\')) {
        Some(end) => path.split_at(end + 2),
        None => ("", path),
    };
    let rest = rest.strip_prefix('\\').unwrap_or(rest);
    // An instance may have brackets and backslashes, a counter has neither `)\`.
    match (rest.find('('), rest.rfind(r")\")) {
        (Some(open), Some(close)) if open < close => {
            let instance = rest.get(open + 1..close);
            (host, rest.get(..open).unwrap_or_default(), instance, rest.get(close + 2..).unwrap_or_default())
        }
        _ => match rest.split_once('\\') {
            Some((object, counter)) => (host, object, None, counter),
            None => (host, rest, None, ""),
        },
    }
}

/// Which figure orders the rows.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Sort {
    Mean,
    Max,
    Min,
    P95,
    P99,
    Std,
    Trend,
    Change,
    Missing,
}

impl Sort {
    fn word(self) -> &'static str {
        match self {
            Sort::Mean => "mean",
            Sort::Max => "max",
            Sort::Min => "min",
            Sort::P95 => "p95",
            Sort::P99 => "p99",
            Sort::Std => "std",
            Sort::Trend => "trend",
            Sort::Change => "change",
            Sort::Missing => "missing",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Stats {
    capture: String,
    /// Patterns, as \Process(*)\% Processor Time
    #[serde(default)]
    counters: Vec<String>,
    /// The largest first
    sort: Option<Sort>,
    /// Only the first rows
    top: Option<u32>,
    /// Fields, as instance, counter, mean, max: the answer is CSV then
    #[serde(default)]
    columns: Vec<String>,
    /// Only what changed level or trend for good, and when
    #[serde(default)]
    changes: bool,
    #[serde(flatten)]
    span: Span,
    #[serde(default)]
    names: Names,
}

impl Tool for Stats {
    const NAME: &str = "stats";
    const DESCRIPTION: &str = "Count, missing values, minimum, mean, percentiles, maximum, deviation and trend per hour of counters. Use \
        `sort` and `top` to get the largest of many.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let path = call.folders().capture(&self.capture)?;
        let mut words = self.names.add_to(Words::new("stats"));
        if self.changes {
            words = words.flag("--changes");
        }
        words = words
            .maybe("--sort", self.sort.map(Sort::word))
            .maybe("--top", self.top.map(|top| top.to_string()));
        if !self.columns.is_empty() {
            words = words.option("--columns", self.columns.join(",")).option("--format", "csv");
        }
        let words = self.span.add_to(with_patterns(words, &self.counters)?).inputs([path]);
        let cutter = call.cutter(TABLE_LINE);
        call.print_to(&words, if self.columns.is_empty() { cutter } else { cutter.csv() }).await
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Query {
    capture: String,
    /// SELECT, WITH, SHOW TABLES or DESCRIBE
    sql: String,
    #[serde(flatten)]
    span: Span,
    #[serde(default)]
    names: Names,
}

impl Tool for Query {
    const NAME: &str = "query";
    const DESCRIPTION: &str = "Reads with SQL: a table per object with columns time, host, instance and one per counter, and tables \
        counters and nulls. SHOW TABLES and DESCRIBE T list them. Quote names: \"% Processor Time\". Use LIMIT.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let path = call.folders().capture(&self.capture)?;
        check_sql(&self.sql)?;
        let words = self.names.add_to(Words::new("query").option("--format", "table"));
        let words = self.span.add_to(words).inputs([path]).text(&self.sql);
        call.print(&words, TABLE_LINE).await
    }
}

/// The command takes a last word that isn't a query, or that is the name of a file, for another input.
fn check_sql(sql: &str) -> Result<(), Refusal> {
    let first = sql.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_read = ["SELECT", "WITH", "SHOW", "DESCRIBE"].iter().any(|word| first.eq_ignore_ascii_case(word));
    let has_space = sql.trim().contains(char::is_whitespace);
    if is_read && has_space && !std::path::Path::new(sql).exists() {
        return Ok(());
    }
    Err(Refusal::new("sql: a query that begins with SELECT, WITH, SHOW or DESCRIBE is needed"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counters_are_grouped() {
        let path = |path: &str, unit: &str| json!({ "path": path, "unit": unit });
        let mut paths: Vec<Value> =
            (0..10).map(|number| path(&format!(r"\\h\Process(p{number})\Working Set"), "")).collect();
        paths.push(path(r"\\h\Memory\Available Bytes", "bytes"));
        paths.push(path(r"\\h\Disk(0 C:\a (b))\% Idle Time", "%"));
        let expected = [
            "pattern | unit | instances",
            r"\\h\Process(*)\Working Set | - | 10: p0, p1, p2, p3, p4, p5, …",
            r"\\h\Memory\Available Bytes | bytes",
            r"\\h\Disk(*)\% Idle Time | % | 1: 0 C:\a (b)",
        ];
        assert_eq!(grouped(&paths), expected);
        assert_eq!(parts(r"\Memory\Available Bytes"), ("", "Memory", None, "Available Bytes"));
        assert_eq!(parts("odd"), ("", "odd", None, ""));
    }

    #[test]
    fn only_queries_are_queries() {
        assert!(check_sql("  select 1").is_ok());
        assert!(check_sql("SHOW TABLES").is_ok());
        for sql in
            ["", "/etc/passwd", "SELECT", "SELECTED x", "COPY x TO 'y'", "-- x", "--output=/tmp/x SELECT 1"]
        {
            assert!(check_sql(sql).is_err(), "{sql}");
        }
    }
}
