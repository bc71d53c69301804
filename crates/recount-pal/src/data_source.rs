//! `DATASOURCE`: which counters a variable in a threshold stands for.

use std::collections::{BTreeMap, BTreeSet};

use recount_model::CounterPath;
use roxmltree::Node;

use super::document::{attribute, elements, is_named, is_true, text};
use super::obstacle::Obstacle;
use super::powershell::{Amount, Answers, Collections, generated};
use super::text::{LEN_NAME, LEN_SNIPPET, one_line};
use super::wildcard;

const MAX_EXCLUDED: usize = 64;

/// What a variable stands for.
#[derive(Clone, Debug)]
pub(super) enum DataSource {
    /// A counter path with wildcards, and instances that are left out.
    Counter { path: String, excluded: Vec<String> },
    /// What PowerShell computes from other data sources, and the questions whose answers it needs.
    Generated {
        amount: Amount,
        questions: BTreeSet<String>,
        /// Instances that are left out.
        excluded: Vec<String>,
        /// Name of the counter that it stands for.
        name: Option<String>,
    },
}

/// The data sources of an analysis, or why they have no counterpart, by variable in lower case.
pub(super) type DataSources = BTreeMap<String, Result<DataSource, Obstacle>>;

/// A variable's name for comparison: PowerShell ignores case, and a leading `$` isn't part of the name.
pub(super) fn variable(name: &str) -> String {
    name.trim_start_matches('$').to_lowercase()
}

/// Reads the data sources of an analysis.
pub(super) fn of_analysis(analysis: Node<'_, '_>, answers: &Answers) -> DataSources {
    let mut sources = DataSources::new();
    let mut computed = Vec::new();
    for node in elements(analysis, "DATASOURCE") {
        let Some(name) = attribute(node, "COLLECTIONVARNAME") else { continue };
        let shown = one_line(name.trim_start_matches('$'), LEN_NAME);
        if is_generated(node) {
            computed.push((variable(name), node));
        }
        sources
            .entry(variable(name))
            .and_modify(|source| *source = Err(Obstacle::AmbiguousDataSource(shown.clone())))
            .or_insert_with(|| read(node, &shown));
    }
    for (name, node) in computed {
        if !matches!(sources.get(&name), Some(Err(Obstacle::AmbiguousDataSource(_)))) {
            let codes: Vec<String> = elements(node, "CODE").map(text).collect();
            let computed = generated(&codes.join("\n"), &name, &collections(&sources), answers);
            let source = computed.and_then(|(amount, questions)| {
                let excluded = excluded(node, &name)?;
                let path = attribute(node, "EXPRESSIONPATH").or(attribute(node, "NAME"));
                let name = path.and_then(counter_of);
                Ok(DataSource::Generated { amount, questions, excluded, name })
            });
            sources.insert(name, source);
        }
    }
    sources
}

/// The data sources, as visible to code.
pub(super) fn collections(sources: &DataSources) -> Collections {
    let has_total = |source: &Result<DataSource, Obstacle>| match source {
        Ok(DataSource::Counter { path, excluded }) => {
            path.contains("(*)") && !excluded.iter().any(|name| name.eq_ignore_ascii_case("_Total"))
        }
        _ => false,
    };
    sources.iter().map(|(name, source)| (name.clone(), has_total(source))).collect()
}

fn is_generated(node: Node<'_, '_>) -> bool {
    attribute(node, "TYPE").is_some_and(|kind| kind.eq_ignore_ascii_case("Generated"))
}

fn read(node: Node<'_, '_>, variable: &str) -> Result<DataSource, Obstacle> {
    match attribute(node, "TYPE") {
        Some(kind) if kind.eq_ignore_ascii_case("CounterLog") => {}
        Some(_) if is_generated(node) => return Err(Obstacle::Generated(variable.into())),
        found => {
            let found = one_line(found.unwrap_or_default(), LEN_SNIPPET);
            return Err(Obstacle::SourceType { variable: variable.into(), found });
        }
    }
    let path = attribute(node, "EXPRESSIONPATH").unwrap_or_default();
    // ISCOUNTEROBJECTREGULAREXPRESSION, ISCOUNTERNAMEREGULAREXPRESSION, ISCOUNTERINSTANCEREGULAREXPRESSION.
    let is_expression = |part: &str| {
        node.attributes().any(|attribute| {
            let name = attribute.name().to_ascii_uppercase();
            name.starts_with("IS")
                && name.contains(part)
                && name.ends_with("REGULAREXPRESSION")
                && is_true(attribute.value().trim())
        })
    };
    let which = ["OBJECT", "INSTANCE", "NAME"].map(is_expression);
    let path = if which.contains(&true) {
        let expression = attribute(node, "REGULAREXPRESSIONCOUNTERPATH").unwrap_or(path);
        let refused = || Obstacle::RegularExpression(variable.into(), one_line(expression, LEN_NAME));
        wildcard::path(expression, which).ok_or_else(refused)?
    } else {
        path.to_owned()
    };
    if !is_counter_path(&path) {
        return Err(Obstacle::Path { variable: variable.into(), path: one_line(&path, LEN_NAME) });
    }
    Ok(DataSource::Counter { path, excluded: excluded(node, variable)? })
}

/// Whether a path is `\object\counter` or `\object(instance)\counter`, and means the same in rules as in PAL.
/// A `?` is a wildcard in PAL but not in rules; a quotation mark would end a path in an expression.
fn is_counter_path(path: &str) -> bool {
    const LEN_PATH: usize = 2_048;
    let is_plain = path.len() <= LEN_PATH && !path.contains(['?', '"']) && !path.contains(char::is_control);
    let Some(path) = path.parse::<CounterPath>().ok().filter(|_| is_plain) else { return false };
    let mut parts = [Some(&path.object), path.instance.as_ref(), Some(&path.counter)].into_iter().flatten();
    path.host.is_none() && parts.all(|part| !part.trim().is_empty())
}

fn excluded(node: Node<'_, '_>, variable: &str) -> Result<Vec<String>, Obstacle> {
    let mut excluded = Vec::new();
    for child in node.children().filter(Node::is_element) {
        if !is_named(child, "EXCLUDE") {
            if is_generated(node) {
                continue;
            }
            let element = one_line(child.tag_name().name(), LEN_SNIPPET);
            return Err(Obstacle::Element { variable: variable.into(), element });
        }
        let instance = attribute(child, "INSTANCE").unwrap_or_default();
        // PAL compares whole names; rules would treat these as wildcards.
        let is_plain = !instance.is_empty() && !instance.contains(['*', '?']) && instance.len() <= LEN_NAME;
        if !is_plain || excluded.len() >= MAX_EXCLUDED {
            let found = format!("EXCLUDE INSTANCE={:?}", one_line(instance, LEN_SNIPPET));
            return Err(Obstacle::Exclude { variable: variable.into(), found });
        }
        excluded.push(instance.into());
    }
    Ok(excluded)
}

/// The name of the counter of a path.
pub(super) fn counter_of(path: &str) -> Option<String> {
    let path: CounterPath = path.parse().ok()?;
    let name = one_line(&path.counter, LEN_SNIPPET);
    (!name.is_empty()).then_some(name)
}
