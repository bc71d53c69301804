//! Why values are missing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::ask::{Call, TABLE_LINE};
use crate::refusal::Refusal;
use crate::tools::{Names, Span, Tool, list, series_path, text, with_patterns};
use crate::words::Words;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WhyNull {
    capture: String,
    /// Patterns of counters
    counters: Vec<String>,
    #[serde(flatten)]
    span: Span,
    #[serde(default)]
    names: Names,
}

impl Tool for WhyNull {
    const NAME: &str = "why_null";
    const DESCRIPTION: &str = "Why counters have no values: how many are missing for which reason, those with most first, and what the \
        reasons mean. A missing value is never 0.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        if self.counters.is_empty() {
            return Err(Refusal::new("counters: at least one pattern is needed"));
        }
        let path = call.folders().capture(&self.capture)?;
        let words = |command: &str| -> Result<Words, Refusal> {
            let words = self.names.add_to(Words::new(command).flag("--json"));
            Ok(self.span.add_to(with_patterns(words, &self.counters)?))
        };
        let asked = words("stats")?.option("--sort", "missing").inputs([path.clone()]);
        let (rows, ended) = call.json(&asked).await?;
        // The meanings are only a help: a report that fails isn't an error of this answer.
        let report = call.json(&words("report")?.inputs([path])).await;
        let report = report.map(|(report, _)| report).unwrap_or_default();
        let mut cutter = call.cutter(TABLE_LINE);
        for line in reasons(rows.as_array().map(Vec::as_slice).unwrap_or_default(), &report) {
            cutter.push_line(&line);
        }
        let (output, next_cursor) = cutter.finish();
        Ok(Answer {
            command: asked.shown(),
            output,
            exit_code: ended.code,
            next_cursor,
            notes: ended.notes(),
        })
    }
}

/// What reasons mean, then a line per series.
fn reasons(rows: &[Value], report: &Value) -> Vec<String> {
    let health = report.get("health").unwrap_or(&Value::Null);
    let meanings: BTreeMap<&str, &str> =
        list(health, "nulls").iter().map(|null| (text(null, "reason"), text(null, "meaning"))).collect();
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    let mut series = Vec::new();
    for row in rows {
        let nulls: Vec<(&str, u64)> = row
            .get("nulls")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(reason, count)| (reason.as_str(), count.as_u64().unwrap_or(0)))
            .collect();
        for (reason, count) in &nulls {
            *totals.entry(reason).or_default() += count;
        }
        if !nulls.is_empty() {
            let shown: Vec<String> =
                nulls.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
            let values = row.get("count").and_then(Value::as_u64).unwrap_or(0);
            series.push(format!("{}: {values} values; missing: {}", series_path(row), shown.join(", ")));
        }
    }
    if series.is_empty() {
        return vec![format!("no value is missing in {} series", rows.len())];
    }
    let meaning =
        |reason: &str| meanings.get(reason).map_or_else(String::new, |meaning| format!(": {meaning}"));
    let mut lines: Vec<String> = totals
        .iter()
        .map(|(reason, count)| format!("reason {reason}, {count} in all{}", meaning(reason)))
        .collect();
    lines.extend(series);
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reasons_are_explained() {
        let row = |instance: &str, nulls: Value| json!({ "host": "h", "object": "P", "instance": instance, "counter": "c", "count": 6, "nulls": nulls });
        let rows = [
            row("a", json!({ "counter-reset": 1, "first-sample": 1 })),
            row("b", json!({ "first-sample": 1 })),
            row("c", json!({})),
        ];
        let report =
            json!({ "health": { "nulls": [{ "reason": "first-sample", "meaning": "this is the first" }] } });
        let expected = [
            "reason counter-reset, 1 in all",
            "reason first-sample, 2 in all: this is the first",
            r"\\h\P(a)\c: 6 values; missing: counter-reset 1, first-sample 1",
            r"\\h\P(b)\c: 6 values; missing: first-sample 1",
        ];
        assert_eq!(reasons(&rows, &report), expected);
        assert_eq!(reasons(&rows[2..], &report), ["no value is missing in 1 series"]);
    }
}
