//! The tool that says who used most.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::ask::{Call, TABLE_LINE};
use crate::refusal::{self, Refusal};
use crate::tools::times::span_before;
use crate::tools::{Names, Tool, number, shown, text, with_patterns};
use crate::words::Words;

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Groups {
    Tree,
    User,
    Unit,
    Container,
    Command,
}

impl Groups {
    fn word(self) -> &'static str {
        match self {
            Groups::Tree => "tree",
            Groups::User => "user",
            Groups::Unit => "unit",
            Groups::Container => "container",
            Groups::Command => "command",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Top {
    capture: String,
    /// Time of the sample [last]
    at: Option<String>,
    /// Means over a span A..B instead, of the counter `sort`, and the change
    span: Option<String>,
    /// Span to compare with [the one before, as long]
    against: Option<String>,
    /// Object [Process]
    object: Option<String>,
    /// Counter to sort by, or a part of its name
    sort: Option<String>,
    /// Groups of processes over the whole capture instead
    by: Option<Groups>,
    /// Patterns of counters
    #[serde(default)]
    counters: Vec<String>,
}

impl Tool for Top {
    const NAME: &str = "top";
    const DESCRIPTION: &str = "The instances of an object, processes by default, the largest first: in the sample at one time; or, with \
        `span`, on average over it, and how that changed from the span before; or, with `by`, who used the processors over the whole \
        capture.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        if let Some(span) = &self.span {
            return self.over(call, span).await;
        }
        if self.against.is_some() {
            return Err(Refusal::new("against: only together with span"));
        }
        let path = call.folders().capture(&self.capture)?;
        let words = Words::new("top")
            .maybe("--at", self.at)
            .maybe("--object", self.object)
            .maybe("--sort", self.sort)
            .maybe("--by", self.by.map(Groups::word));
        let words = with_patterns(words, &self.counters)?.inputs([path]);
        call.print(&words, TABLE_LINE).await
    }
}

impl Top {
    /// Means over a span, and over the one that it is compared with.
    async fn over(&self, call: &Call<'_>, span: &str) -> Result<Answer, Refusal> {
        if self.at.is_some() || self.by.is_some() || !self.counters.is_empty() {
            return Err(Refusal::new("span: with object, sort and against alone"));
        }
        let path = call.folders().capture(&self.capture)?;
        let (begin, end) = ends(span)?;
        let before = match &self.against {
            Some(against) => {
                let (begin, end) = ends(against)?;
                Some((begin.to_owned(), end.to_owned()))
            }
            None => span_before(begin, end),
        };
        let object = self.object.as_deref().unwrap_or("Process");
        let counter = self.sort.as_deref().unwrap_or("% Processor Time");
        let pattern = format!(r"\{object}(*)\{counter}");
        let words = |begin: &str, end: &str| -> Result<Words, Refusal> {
            let words = Names::Windows.add_to(Words::new("stats").flag("--json")).option("--sort", "mean");
            let words = with_patterns(words, std::slice::from_ref(&pattern))?;
            let stated = |time: &str| Some(time.to_owned()).filter(|time| !time.is_empty());
            let words = words.maybe("--begin", stated(begin)).maybe("--end", stated(end));
            Ok(words.inputs([path.clone()]))
        };
        let asked = words(begin, end)?;
        let (rows, ended) = call.json(&asked).await?;
        let mut notes = ended.notes();
        let mut earlier = Value::Null;
        if let Some((before, until)) = before {
            let compared = words(&before, &until)?;
            // A span without samples is no failure: nothing is known of the time before.
            match call.json(&compared).await {
                Ok((rows, _)) => {
                    notes.push(format!("compared with: {}", compared.shown()));
                    earlier = rows;
                }
                Err(refusal) => {
                    let text = format!("nothing to compare with, {before}..{until}: {refusal}");
                    notes.extend(text.lines().map(str::to_owned));
                }
            }
        } else {
            notes.push("compared with nothing: `against` names a span for it".into());
        }
        let mut cutter = call.cutter(TABLE_LINE);
        for line in compared_lines(rows.as_array(), earlier.as_array()) {
            cutter.push_line(&line);
        }
        let (output, next_cursor) = cutter.finish();
        Ok(Answer { command: asked.shown(), output, exit_code: ended.code, next_cursor, notes })
    }
}

/// Both ends of a span. One may be empty: that of the capture.
fn ends(span: &str) -> Result<(&str, &str), Refusal> {
    let ends = span.split_once("..").filter(|(begin, end)| !(begin.is_empty() && end.is_empty()));
    ends.ok_or_else(|| {
        Refusal::new(format!("{}: a span has the form A..B, A.. or ..B", refusal::shown(span)))
    })
}

/// A line per instance. Those that have 0 in both spans are only counted.
fn compared_lines(rows: Option<&Vec<Value>>, earlier: Option<&Vec<Value>>) -> Vec<String> {
    let list = |rows: Option<&Vec<Value>>| rows.cloned().unwrap_or_default();
    let key = |row: &Value| {
        let id = row.get("instance_id").and_then(Value::as_u64);
        [text(row, "host"), text(row, "object"), text(row, "instance"), text(row, "counter")]
            .map(str::to_owned)
            .into_iter()
            .chain([id.map_or_else(String::new, |id| id.to_string())])
            .collect::<Vec<_>>()
    };
    let mean = |row: &Value| row.get("mean").and_then(Value::as_f64);
    let (rows, earlier) = (list(rows), list(earlier));
    let before: BTreeMap<Vec<String>, f64> =
        earlier.iter().filter_map(|row| Some((key(row), mean(row)?))).collect();
    let mut lines = vec!["instance | id | mean | max | mean before | change".to_owned()];
    let (mut heading, mut num_idle) = (String::new(), 0);
    for row in &rows {
        let (now, earlier) = (mean(row), before.get(&key(row)).copied());
        if now.is_none_or(|now| now == 0.0) && earlier.is_none_or(|earlier| earlier == 0.0) {
            num_idle += 1;
            continue;
        }
        let (counter, unit) = (text(row, "counter"), text(row, "unit"));
        let of = format!(r"\{}(*)\{counter} {unit}", text(row, "object"));
        if of != heading {
            lines.push(of.trim_end().to_owned());
            heading = of;
        }
        let id = row.get("instance_id").and_then(Value::as_u64).map_or("-".into(), |id| id.to_string());
        let change = now.zip(earlier).map(|(now, earlier)| now - earlier);
        let [earlier, change] = [earlier, change].map(|value| value.map_or("-".into(), shown));
        let instance = row.get("instance").and_then(Value::as_str).unwrap_or("-");
        let (mean, max) = (number(row, "mean"), number(row, "max"));
        lines.push(format!("{instance} | {id} | {mean} | {max} | {earlier} | {change}"));
    }
    if num_idle > 0 {
        lines.push(format!("without a value but 0 in both spans: {num_idle}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spans_have_two_ends() {
        assert_eq!(ends("a..b").ok(), Some(("a", "b")));
        assert_eq!(ends("+30s..").ok(), Some(("+30s", "")));
        assert_eq!(ends("..b").ok(), Some(("", "b")));
        for span in ["", "a", ".."] {
            assert!(ends(span).is_err(), "{span}");
        }
    }

    #[test]
    fn instances_are_compared_by_name_and_id() {
        let row = |instance: &str, id: u64, mean: Value| {
            json!({ "host": "h", "object": "Process", "instance": instance, "instance_id": id, "counter": "c", "unit": "%",
                "mean": mean, "max": mean })
        };
        let rows = vec![
            row("a", 1, json!(3)),
            row("b", 2, json!(2)),
            row("c", 3, json!(0)),
            row("d", 4, json!(null)),
        ];
        let earlier = vec![row("a", 1, json!(5)), row("b", 7, json!(1)), row("c", 3, json!(4))];
        let expected = [
            "instance | id | mean | max | mean before | change",
            r"\Process(*)\c %",
            "a | 1 | 3 | 3 | 5 | -2",
            "b | 2 | 2 | 2 | - | -",
            "c | 3 | 0 | 0 | 4 | -4",
            "without a value but 0 in both spans: 1",
        ];
        assert_eq!(compared_lines(Some(&rows), Some(&earlier)), expected);
        assert_eq!(compared_lines(Some(&rows), None).len(), 5);
    }
}
