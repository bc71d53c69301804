//! A comparison for a pull request.

use super::changes::{Difference, Verdict};
use super::html::{all_notes, probability, relative};
use super::tolerance::{Breach, ToleranceSet, tolerances_kept};
use crate::shown::{markdown_cell, plural, quantity};

/// How many changes are listed individually.
const MAX_LISTED: usize = 25;

/// The comparison, as GitHub's Markdown.
pub fn diff_markdown(
    difference: &Difference,
    sets: &[ToleranceSet],
    (breaches, notes): (&[Breach], &[String]),
    title: &str,
) -> String {
    let mut text = format!("## {}\n\n", markdown_cell(title));
    let names =
        |names: &[String]| names.iter().map(|name| markdown_cell(name)).collect::<Vec<_>>().join(", ");
    // The verdicts know nothing of tolerances.
    let beyond = tolerances_kept(difference, sets, breaches)
        .map_or_else(String::new, |kept| format!("**{kept}**; without tolerances: "));
    text.push_str(&format!(
        "{} against {}: {beyond}**{}, {}, {}**, {} the same, {} unsure\n",
        names(&difference.new.facts.names),
        std::iter::once(names(&difference.base.facts.names))
            .chain(difference.further_bases().map(names))
            .collect::<Vec<_>>()
            .join(" and "),
        plural(difference.count(Verdict::Regression) as u64, "regression"),
        plural(difference.count(Verdict::Improvement) as u64, "improvement"),
        plural(difference.count(Verdict::Change) as u64, "other change"),
        difference.count(Verdict::Same),
        difference.count(Verdict::Unsure)
    ));
    if !breaches.is_empty() {
        text.push_str("\n**Beyond tolerance:**\n\n");
        for breach in breaches {
            let (set, id) = (markdown_cell(&breach.set), markdown_cell(&breach.tolerance));
            text.push_str(&format!(
                "- {} {set}/{id}: {}\n",
                breach.severity.as_str(),
                markdown_cell(&breach.text)
            ));
        }
    }
    let notable: Vec<_> = difference.notable().collect();
    if !notable.is_empty() {
        text.push_str("\n| verdict | counter | mean | | p95 | | p | effect |\n| --- | --- | --- | ---: | --- | ---: | ---: | ---: |\n");
    }
    for change in notable.iter().take(MAX_LISTED) {
        let both = |figure: &super::Figure| {
            format!("{} → {}", quantity(figure.base, change.unit), quantity(figure.new, change.unit))
        };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {:+.2} |\n",
            change.verdict.as_str(),
            markdown_cell(&format!("{}{}", crate::shown::short(&change.path.to_string()), change.alike())),
            both(&change.mean),
            relative(change.mean.relative()),
            both(&change.p95),
            relative(change.p95.relative()),
            probability(change.probability).replace('<', "&lt;"),
            change.effect
        ));
    }
    if notable.len() > MAX_LISTED {
        text.push_str(&format!("\nand {} more\n", notable.len() - MAX_LISTED));
    }
    let notes = all_notes(difference, notes);
    if !notes.is_empty() {
        text.push('\n');
    }
    for note in notes {
        text.push_str(&format!("- {}\n", markdown_cell(&note)));
    }
    text
}
