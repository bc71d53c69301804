//! `ANALYSIS` to rules.

use roxmltree::Node;

use super::document::{attribute, elements, is_true};
use super::obstacle::Obstacle;
use super::output::Output;
use super::text::{LEN_NAME, one_line};
use super::threshold::{self, Subject};
use super::{File, PalError, data_source, html};

/// Translates what can be, and notes the rest.
pub(super) fn translate(node: Node<'_, '_>, file: &File<'_>, output: &mut Output) -> Result<(), PalError> {
    let name = one_line(attribute(node, "NAME").unwrap_or("(without a name)"), LEN_NAME);
    let line = file.line(node);
    if attribute(node, "ENABLED").is_some_and(|enabled| !is_true(enabled)) {
        return output.untranslated(line, &name, None, &Obstacle::Disabled);
    }
    let subject = Subject {
        category: one_line(attribute(node, "CATEGORY").unwrap_or_default(), LEN_NAME),
        data_sources: data_source::of_analysis(node),
        description: html::description(node),
        name,
    };
    let mut num_thresholds = 0;
    for threshold in elements(node, "THRESHOLD") {
        num_thresholds += 1;
        let line = file.line(threshold);
        let name = one_line(attribute(threshold, "NAME").unwrap_or("(without a name)"), LEN_NAME);
        match threshold::translate(threshold, &name, &subject, file) {
            Ok(rules) => {
                for rule in rules {
                    output.rule(line, rule)?;
                }
            }
            Err(obstacle) => output.untranslated(line, &subject.name, Some(&name), &obstacle)?,
        }
    }
    if num_thresholds == 0 {
        output.untranslated(line, &subject.name, None, &Obstacle::NoThreshold)?;
    }
    Ok(())
}
