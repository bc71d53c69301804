//! The course of counters over time.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::ask::{Call, TABLE_LINE};
use crate::refusal::Refusal;
use crate::tools::times::seconds;
use crate::tools::{Names, Span, Tool, number, series_path, text, with_patterns};
use crate::words::Words;

/// How many stretches of time an answer has.
const MAX_STRETCHES: usize = 60;

/// Lengths of stretches that people use, in seconds.
const LENGTHS: [u64; 24] = [
    1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 7_200, 10_800, 14_400, 21_600,
    43_200, 86_400, 172_800, 604_800, 2_592_000,
];

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Series {
    capture: String,
    /// Patterns, as `\PhysicalDisk(*)\Disk Write Bytes/sec`, `\Network Interface(*)\Bytes Total/sec`
    counters: Vec<String>,
    /// Length of a stretch, as 5m [so that there are at most 60]
    by: Option<String>,
    #[serde(flatten)]
    span: Span,
    #[serde(default)]
    names: Names,
}

impl Tool for Series {
    const NAME: &str = "series";
    // Times and short numbers have 1.44 bytes a token.
    const BYTES: usize = 2_600;
    const DESCRIPTION: &str = "The course of counters: a line per stretch of time with minimum, mean and maximum of all values in it.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        if self.counters.is_empty() {
            return Err(Refusal::new("counters: at least one pattern is needed"));
        }
        let path = call.folders().capture(&self.capture)?;
        let words = |by: &str, is_json: bool| -> Result<Words, Refusal> {
            let words = self.names.add_to(Words::new("stats").option("--by", by));
            let words = if is_json { words.flag("--json") } else { words };
            Ok(self.span.add_to(with_patterns(words, &self.counters)?).inputs([path.clone()]))
        };
        let mut by = match &self.by {
            Some(by) => by.clone(),
            None => format!("{}s", whole(call, &path).await?),
        };
        let (mut rows, mut ended) = call.json(&words(&by, true)?).await?;
        if self.by.is_none()
            && let Some(shorter) = shorter(&by, num_stretches(&rows))
        {
            by = format!("{shorter}s");
            (rows, ended) = call.json(&words(&by, true)?).await?;
        }
        let mut cutter = call.cutter(TABLE_LINE);
        for line in drawn(rows.as_array().map(Vec::as_slice).unwrap_or_default()) {
            cutter.push_line(&line);
        }
        let (output, next_cursor) = cutter.finish();
        let mut notes = ended.notes();
        notes.push(format!("a line per {by}; six digits, the command prints more"));
        Ok(Answer { command: words(&by, false)?.shown(), output, exit_code: ended.code, next_cursor, notes })
    }
}

/// The shortest stretch by which a whole capture has at most 60, in seconds.
async fn whole(call: &Call<'_>, path: &std::path::Path) -> Result<u64, Refusal> {
    let (info, _) = call.json(&Words::new("info").flag("--json").inputs([path.to_path_buf()])).await?;
    let captures = info.as_array().map(Vec::as_slice).unwrap_or_default();
    let times =
        |field: &str| captures.iter().filter_map(|info| seconds(text(info, field))).collect::<Vec<_>>();
    let (first, last) = (times("first_sample").into_iter().min(), times("last_sample").into_iter().max());
    let span = first.zip(last).map_or(3_600, |(first, last)| last.saturating_sub(first));
    let intervals =
        captures.iter().filter_map(|info| info.get("interval_median_s")).filter_map(Value::as_f64);
    let interval = intervals.fold(1.0, f64::max).ceil() as u64;
    Ok(length_for(span).max(interval))
}

/// The first length by which `span` has at most 60 stretches, wherever they begin.
fn length_for(span: u64) -> u64 {
    let fits = |length: &&u64| span / **length < MAX_STRETCHES as u64 - 1;
    LENGTHS.iter().find(fits).copied().unwrap_or_else(|| span.div_ceil(MAX_STRETCHES as u64 - 2))
}

/// A shorter length, if a part of the capture has few stretches.
fn shorter(by: &str, num: usize) -> Option<u64> {
    let length: u64 = by.trim_end_matches('s').parse().ok()?;
    let shorter = length_for(length.saturating_mul(num as u64));
    (num < MAX_STRETCHES / 4 && shorter < length).then_some(shorter)
}

fn num_stretches(rows: &Value) -> usize {
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter().map(|row| text(row, "bucket")).collect::<BTreeSet<_>>().len()
}

/// A heading per series, then a line per stretch. Days are said once, and a number once if all three are the same: repeated, they would
/// be most of the answer.
fn drawn(rows: &[Value]) -> Vec<String> {
    let mut lines = vec!["from | min | mean | max (one number: all three)".to_owned()];
    let (mut before, mut day) = (String::new(), "");
    for row in rows {
        let path = series_path(row);
        if path != before {
            let unit = text(row, "unit");
            lines.push(if unit.is_empty() { path.clone() } else { format!("{path} ({unit})") });
            (before, day) = (path, "");
        }
        let from = text(row, "bucket");
        let (of_day, clock) = from.split_once('T').unwrap_or((from, from));
        let from = if of_day == day { clock } else { from };
        day = of_day;
        let [min, mean, max] = ["min", "mean", "max"].map(|field| number(row, field));
        lines.push(if min == mean && mean == max {
            format!("{from} | {mean}")
        } else {
            format!("{from} | {min} | {mean} | {max}")
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stretches_are_at_most_sixty() {
        assert_eq!([0, 50, 105, 3_600, 86_400, 604_800].map(length_for), [1, 1, 2, 120, 1_800, 10_800]);
        for span in (0..10_000_000).step_by(997) {
            assert!(span / length_for(span) + 2 <= MAX_STRETCHES as u64, "{span}");
        }
        assert_eq!(shorter("1800s", 2), Some(120));
        assert_eq!(shorter("1800s", 40), None);
        assert_eq!(shorter("1s", 3), None);
    }

    #[test]
    fn series_have_headings() {
        let row = |instance: &str, bucket: &str| {
            json!({ "host": "h", "object": "P", "instance": instance, "counter": "c", "unit": "%", "bucket": bucket,
                "min": 1, "mean": 2.5, "max": null })
        };
        let same = json!({ "host": "h", "object": "P", "instance": "b", "counter": "c", "unit": "%", "bucket": "2026-03-02T10:00:05Z",
            "min": 1, "mean": 1, "max": 1 });
        let lines = drawn(&[
            row("a", "2026-03-02T23:59:00Z"),
            row("a", "2026-03-02T23:59:30Z"),
            row("a", "2026-03-03T00:00:00Z"),
            row("b", "2026-03-02T10:00:00Z"),
            same,
        ]);
        let expected = [
            "from | min | mean | max (one number: all three)",
            r"\\h\P(a)\c (%)",
            "2026-03-02T23:59:00Z | 1 | 2.5 | -",
            "23:59:30Z | 1 | 2.5 | -",
            "2026-03-03T00:00:00Z | 1 | 2.5 | -",
            r"\\h\P(b)\c (%)",
            "2026-03-02T10:00:00Z | 1 | 2.5 | -",
            "10:00:05Z | 1",
        ];
        assert_eq!(lines, expected);
    }
}
