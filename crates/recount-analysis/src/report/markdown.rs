//! A report for a pull request or a ticket.

use super::days::Days;
use super::health::health;
use super::noted::MAX_CHANGED;
use super::observe::Observed;
use crate::rules::Severity;
use crate::shown::{duration, markdown_cell, plural};

/// How many findings are listed individually.
const MAX_LISTED: usize = 30;

/// The findings and the health of a capture, as GitHub's Markdown.
pub fn markdown(observed: &Observed, title: &str) -> String {
    let facts = &observed.facts;
    let mut text = format!("## {}\n\n", markdown_cell(title));
    if let Some((begin, end)) = facts.span() {
        let hosts = facts.hosts.iter().map(|host| markdown_cell(host)).collect::<Vec<_>>().join(", ");
        let lasted = duration(end.utc.seconds_since(begin.utc));
        let on = if hosts.is_empty() { String::new() } else { format!("{hosts}, ") };
        text.push_str(&format!(
            "{on}{} to {} {}, {lasted}, {}\n\n",
            facts.shown(begin.utc),
            facts.shown(end.utc),
            markdown_cell(&facts.zone_text()),
            plural(facts.times.len(), "sample")
        ));
    }
    text.push_str(&format!(
        "**{} critical, {}, {}**\n",
        observed.count(Severity::Critical),
        plural(observed.count(Severity::Warning), "warning"),
        plural(observed.count(Severity::Info), "note")
    ));
    let changed = changed(observed);
    if observed.findings.is_empty() {
        text.push_str(&changed);
        text.push_str(&format!("\n{}\n", markdown_cell(&observed.checked_in_words())));
    } else {
        text.push_str("\n| severity | finding | evidence | when |\n| --- | --- | --- | --- |\n");
    }
    for finding in observed.findings.iter().take(MAX_LISTED) {
        text.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            finding.severity.as_str(),
            markdown_cell(&finding.title),
            markdown_cell(&observed.headline(finding)),
            observed.times_of(finding)
        ));
    }
    if observed.findings.len() > MAX_LISTED {
        text.push_str(&format!("\nand {} more\n", observed.findings.len() - MAX_LISTED));
    }
    if !observed.findings.is_empty() {
        text.push_str(&changed);
    }
    text.push_str(&unusual(observed));
    text.extend(observed.days.as_ref().map(Days::markdown));
    text.push_str(&not_evaluated(observed));
    text.push_str(&health_text(observed));
    text
}

/// What changed for good, as a list.
fn changed(observed: &Observed) -> String {
    let all = observed.changed.iter().take(MAX_CHANGED);
    let text = all.fold(String::new(), |text, noted| text + "- " + &markdown_cell(&noted.text) + "\n");
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// What is unusual against a baseline, as a list.
fn unusual(observed: &Observed) -> String {
    let Some(baseline) = &observed.baseline else { return String::new() };
    let item = |text: String, (_, line): (&str, &str)| text + "- " + &markdown_cell(line) + "\n";
    baseline.lines().fold("\n**Against the baseline:**\n\n".to_owned(), item)
}

/// Rules that were not evaluated, collapsed: there are many if all sets are used.
fn not_evaluated(observed: &Observed) -> String {
    if observed.unanswered.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n<details><summary>{} of {} not evaluated</summary>\n\n| rule | why |\n| --- | --- |\n",
        observed.unanswered.len(),
        plural(observed.num_rules(), "rule")
    );
    for rule in &observed.unanswered {
        let (set, id) = (markdown_cell(&rule.set), markdown_cell(&rule.rule));
        text.push_str(&format!("| {set}/{id} | {} |\n", markdown_cell(&rule.reason)));
    }
    text.push_str("\n</details>\n");
    text
}

fn health_text(observed: &Observed) -> String {
    let health = health(observed);
    let mut text = String::new();
    if !health.is_sound {
        text.push_str("\n**The capture is incomplete:**\n\n");
        for finding in &health.findings {
            text.push_str(&format!("- {}: {}\n", finding.kind, markdown_cell(&finding.text)));
        }
    }
    if !health.gaps.is_empty() {
        text.push_str("\n**Without samples:**\n\n");
        for gap in &health.gaps {
            text.push_str(&format!("- {} from {} to {}\n", gap.duration, gap.begin, gap.end));
        }
    }
    text
}
