//! What a rule says, and whether it fired.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::ask::Call;
use crate::refusal::{Refusal, SENTENCE_LINE, shown};
use crate::tools::{Span, Tool, list, number, text};
use crate::words::Words;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ExplainRule {
    capture: String,
    /// SET/RULE as findings name it, or its name alone
    rule: String,
    #[serde(flatten)]
    span: Span,
}

impl Tool for ExplainRule {
    const NAME: &str = "explain_rule";
    const DESCRIPTION: &str =
        "Why a rule fired in a capture, with evidence; or what it lacked; and how the rule is defined.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let path = call.folders().capture(&self.capture)?;
        let rules = resolved(call, &self.rule).await?;
        let words = |is_json: bool| {
            let words = Words::new("report");
            let words = if is_json { words.flag("--json") } else { words };
            self.span.add_to(words).inputs([path.clone()])
        };
        let (report, ended) = call.json(&words(true)).await?;
        let mut cutter = call.cutter(SENTENCE_LINE);
        let mut notes = ended.notes();
        for (set, rule) in rules {
            cutter.push_line(&format!("rule {set}/{rule}"));
            for line in verdict(&report, &set, &rule) {
                cutter.push_line(&line);
            }
            cutter.push_line("definition:");
            let shown = Words::new("rules show").inputs([]).text(&format!("{set}/{rule}"));
            // What is before it makes it a set, which a rule in an answer needn't be.
            let set = printed(call, &shown).await?;
            for line in set.lines().skip_while(|line| *line != "[[rule]]").skip(1) {
                cutter.push_line(line);
            }
            notes.push(format!("the definition: {}", shown.shown()));
        }
        let (output, next_cursor) = cutter.finish();
        Ok(Answer { command: words(true).shown(), output, exit_code: ended.code, next_cursor, notes })
    }
}

/// Everything that a short command prints.
async fn printed(call: &Call<'_>, words: &Words) -> Result<String, Refusal> {
    let mut text = Vec::new();
    let ended = call
        .run(words, |bytes| {
            text.extend_from_slice(bytes);
            ControlFlow::Continue(())
        })
        .await?;
    if ended.code != Some(0) {
        return Err(ended.refusal());
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The rules of this name: several sets may have one.
async fn resolved(call: &Call<'_>, name: &str) -> Result<Vec<(String, String)>, Refusal> {
    let listed = printed(call, &Words::new("rules list")).await?;
    let all: Vec<(&str, &str)> = listed
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next().and_then(|rule| rule.split_once('/')))
        .collect();
    let found = of_name(&all, name)?;
    Ok(found.into_iter().map(|(set, rule)| (set.to_owned(), rule.to_owned())).collect())
}

fn of_name<'a>(all: &[(&'a str, &'a str)], name: &str) -> Result<Vec<(&'a str, &'a str)>, Refusal> {
    let that = |wanted: &dyn Fn(&str, &str) -> bool| {
        all.iter().filter(|(set, rule)| wanted(set, rule)).copied().collect::<Vec<_>>()
    };
    let exact = that(&|set, rule| rule == name || name.split_once('/') == Some((set, rule)));
    if !exact.is_empty() {
        return Ok(exact);
    }
    let near = that(&|_, rule| !name.is_empty() && rule.contains(name));
    match near.as_slice() {
        [_] => Ok(near),
        [] => Err(Refusal::new(format!("there is no rule {}", shown(name)))
            .hint("digest names the rules that fired, as SET/RULE")),
        many => {
            let many = many.iter().map(|(set, rule)| format!("{set}/{rule}")).collect::<Vec<_>>();
            Err(Refusal::new(format!("{} may be {}", shown(name), many.join(", "))))
        }
    }
}

/// Whether a rule fired, and why or why not.
fn verdict(report: &Value, set: &str, rule: &str) -> Vec<String> {
    let is_it = |value: &&Value| text(value, "set") == set && text(value, "rule") == rule;
    let mut lines = Vec::new();
    for finding in list(report, "findings").iter().filter(is_it) {
        lines.push(format!("fired: {} | {}", text(finding, "severity"), text(finding, "headline")));
        lines.push(format!("  threshold {} of {}", text(finding, "threshold"), text(finding, "subject")));
        for counter in list(finding, "counters") {
            let [min, mean, max] = ["min", "mean", "max"].map(|field| number(counter, field));
            let (name, unit) = (text(counter, "name"), text(counter, "unit"));
            lines.push(format!("  {name}: min {min}, mean {mean}, max {max} {unit}").trim_end().to_owned());
        }
        for span in list(finding, "spans") {
            let (mean, peak) = (number(span, "mean"), number(span, "peak"));
            lines.push(format!(
                "  {}..{}: mean {mean}, worst {peak}",
                text(span, "begin"),
                text(span, "end")
            ));
        }
    }
    let rules = report.get("rules").unwrap_or(&Value::Null);
    for missing in list(rules, "not_evaluated").iter().filter(is_it) {
        lines.push(format!("not checked ({}): {}", text(missing, "why"), text(missing, "reason")));
    }
    if lines.is_empty() {
        let is_used = list(rules, "sets").iter().any(|used| used.as_str() == Some(set));
        lines.push(if is_used {
            "checked, did not fire".into()
        } else {
            format!("not used: the set {set} is not part of this report")
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_are_found_by_parts_of_their_names() {
        let all = [("load", "cpu-high"), ("load", "cpu-high-of-each"), ("disk", "slow"), ("sql", "slow")];
        let found = |name: &str| of_name(&all, name).map_err(|error| error.to_string());
        assert_eq!(found("cpu-high"), Ok(vec![("load", "cpu-high")]));
        assert_eq!(found("load/cpu-high"), Ok(vec![("load", "cpu-high")]));
        assert_eq!(found("of-each"), Ok(vec![("load", "cpu-high-of-each")]));
        assert_eq!(found("slow"), Ok(vec![("disk", "slow"), ("sql", "slow")]));
        assert_eq!(found("cpu"), Err("error: cpu may be load/cpu-high, load/cpu-high-of-each".into()));
        assert!(found("x").is_err() && found("").is_err());
    }

    #[test]
    fn verdicts_have_their_reason() {
        let report = json!({
            "findings": [{ "set": "s", "rule": "a", "severity": "warning", "headline": "it was", "threshold": "> 1", "subject": "x",
                "counters": [{ "name": "c", "min": 1, "mean": 2, "max": 3, "unit": "%" }],
                "spans": [{ "begin": "t1", "end": "t2", "mean": 2, "peak": 3 }] }],
            "rules": { "sets": ["s"], "not_evaluated": [{ "set": "s", "rule": "b", "why": "too-short", "reason": "too little" }] },
        });
        let fired = [
            "fired: warning | it was",
            "  threshold > 1 of x",
            "  c: min 1, mean 2, max 3 %",
            "  t1..t2: mean 2, worst 3",
        ];
        assert_eq!(verdict(&report, "s", "a"), fired);
        assert_eq!(verdict(&report, "s", "b"), ["not checked (too-short): too little"]);
        assert_eq!(verdict(&report, "s", "c"), ["checked, did not fire"]);
        assert_eq!(verdict(&report, "t", "c"), ["not used: the set t is not part of this report"]);
    }
}
