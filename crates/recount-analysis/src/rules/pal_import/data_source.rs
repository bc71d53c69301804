//! `DATASOURCE`: which counters a variable of the thresholds stands for.

use std::collections::BTreeMap;

use recount_model::CounterPath;
use roxmltree::Node;

use super::document::{attribute, elements, is_named, is_true};
use super::obstacle::Obstacle;
use super::text::{LEN_NAME, LEN_SNIPPET, one_line};

const MAX_EXCLUDED: usize = 64;

/// The counters behind a variable.
#[derive(Clone, Debug)]
pub(super) struct DataSource {
    /// Counter path with wildcards.
    pub(super) path: String,
    /// Instances that are left out.
    pub(super) excluded: Vec<String>,
}

/// The data sources of an analysis, or why they have no counterpart, by variable in lower case.
pub(super) type DataSources = BTreeMap<String, Result<DataSource, Obstacle>>;

/// A variable as it is compared: PowerShell ignores case, and a `$` in front is no part of the name.
pub(super) fn variable(name: &str) -> String {
    name.trim_start_matches('$').to_lowercase()
}

/// Reads the data sources of an analysis.
pub(super) fn of_analysis(analysis: Node<'_, '_>) -> DataSources {
    let mut sources = DataSources::new();
    for node in elements(analysis, "DATASOURCE") {
        let Some(name) = attribute(node, "COLLECTIONVARNAME") else { continue };
        let shown = one_line(name.trim_start_matches('$'), LEN_NAME);
        sources
            .entry(variable(name))
            .and_modify(|source| *source = Err(Obstacle::AmbiguousDataSource(shown.clone())))
            .or_insert_with(|| read(node, &shown));
    }
    sources
}

fn read(node: Node<'_, '_>, variable: &str) -> Result<DataSource, Obstacle> {
    match attribute(node, "TYPE") {
        Some(kind) if kind.eq_ignore_ascii_case("CounterLog") => {}
        Some(kind) if kind.eq_ignore_ascii_case("Generated") => {
            return Err(Obstacle::Generated(variable.into()));
        }
        found => {
            let found = one_line(found.unwrap_or_default(), LEN_SNIPPET);
            return Err(Obstacle::SourceType { variable: variable.into(), found });
        }
    }
    // ISCOUNTEROBJECTREGULAREXPRESSION, ISCOUNTERNAMEREGULAREXPRESSION, ISINSTANCEREGULAREXPRESSION.
    let is_regular_expression = node.attributes().any(|attribute| {
        let name = attribute.name().to_ascii_uppercase();
        name.starts_with("IS") && name.ends_with("REGULAREXPRESSION") && is_true(attribute.value().trim())
    });
    if is_regular_expression {
        return Err(Obstacle::RegularExpression(variable.into()));
    }
    let path = attribute(node, "EXPRESSIONPATH").unwrap_or_default();
    if !is_counter_path(path) {
        let path = one_line(path, LEN_NAME);
        return Err(Obstacle::Path { variable: variable.into(), path });
    }
    Ok(DataSource { path: path.into(), excluded: excluded(node, variable)? })
}

/// Whether a path is `\object\counter` or `\object(instance)\counter`, and means in rules what it does in PAL. A `?`
/// would be a wildcard in PAL and isn't one in rules.
fn is_counter_path(path: &str) -> bool {
    const LEN_PATH: usize = 2_048;
    let is_plain = path.len() <= LEN_PATH && !path.contains('?') && !path.contains(char::is_control);
    let Some(path) = path.parse::<CounterPath>().ok().filter(|_| is_plain) else { return false };
    let mut parts = [Some(&path.object), path.instance.as_ref(), Some(&path.counter)].into_iter().flatten();
    path.host.is_none() && parts.all(|part| !part.trim().is_empty())
}

fn excluded(node: Node<'_, '_>, variable: &str) -> Result<Vec<String>, Obstacle> {
    let mut excluded = Vec::new();
    for child in node.children().filter(Node::is_element) {
        if !is_named(child, "EXCLUDE") {
            let element = one_line(child.tag_name().name(), LEN_SNIPPET);
            return Err(Obstacle::Element { variable: variable.into(), element });
        }
        let instance = attribute(child, "INSTANCE").unwrap_or_default();
        // PAL compares whole names; rules would take these for wildcards.
        let is_plain = !instance.is_empty() && !instance.contains(['*', '?']) && instance.len() <= LEN_NAME;
        if !is_plain || excluded.len() >= MAX_EXCLUDED {
            let found = format!("EXCLUDE INSTANCE={:?}", one_line(instance, LEN_SNIPPET));
            return Err(Obstacle::Exclude { variable: variable.into(), found });
        }
        excluded.push(instance.into());
    }
    Ok(excluded)
}
