//! Translates `ANALYSIS` elements into rules.

use roxmltree::Node;

use super::document::{attribute, elements, is_true};
use super::obstacle::Obstacle;
use super::output::Output;
use super::text::{LEN_NAME, one_line};
use super::threshold::{self, Subject};
use super::{File, PalError, data_source, html};

/// Name of an analysis.
pub(super) fn name(node: Node<'_, '_>) -> String {
    one_line(attribute(node, "NAME").unwrap_or("(without a name)"), LEN_NAME)
}

/// Translates what it can and lists the rest. Returns how many thresholds became rules.
pub(super) fn translate(node: Node<'_, '_>, file: &File<'_>, output: &mut Output) -> Result<usize, PalError> {
    let name = name(node);
    let line = file.line(node);
    let is_disabled = attribute(node, "ENABLED").is_some_and(|enabled| !is_true(enabled));
    let thresholds: Vec<Node<'_, '_>> = elements(node, "THRESHOLD").collect();
    if thresholds.is_empty() {
        let reason = if is_disabled { Obstacle::Disabled } else { Obstacle::NoThreshold };
        output.untranslated(line, &name, None, &reason)?;
        return Ok(0);
    }
    let subject = Subject {
        category: one_line(attribute(node, "CATEGORY").unwrap_or_default(), LEN_NAME),
        data_sources: data_source::of_analysis(node, file.answers),
        description: html::description(node),
        name,
    };
    let mut num_translated = 0;
    for threshold in thresholds {
        let line = file.line(threshold);
        let name = one_line(attribute(threshold, "NAME").unwrap_or("(without a name)"), LEN_NAME);
        let rules = if is_disabled {
            Err(Obstacle::Disabled)
        } else {
            threshold::translate(threshold, &name, &subject, file)
        };
        match rules {
            Ok(rules) => {
                num_translated += 1;
                for rule in rules {
                    output.rule(line, rule)?;
                }
            }
            Err(obstacle) => output.untranslated(line, &subject.name, Some(&name), &obstacle)?,
        }
    }
    Ok(num_translated)
}
