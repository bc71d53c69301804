//! `THRESHOLD` to rules: one for each call of `StaticThreshold`.

use roxmltree::Node;

use super::File;
use super::data_source::{self, DataSource, DataSources};
use super::document::{attribute, elements, is_true, text};
use super::html::{self, Description};
use super::obstacle::Obstacle;
use super::powershell::{StaticThreshold, static_thresholds};
use super::rule::Rule;
use super::text::{LEN_NAME, LEN_SNIPPET, one_line, slug};

/// What the thresholds of an analysis have in common.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) category: String,
    pub(super) data_sources: DataSources,
    pub(super) description: Description,
}

const LEN_ID: usize = 80;

/// The rules of a threshold, or why there is none. Several calls raise an alert each, so all have to be understood.
pub(super) fn translate(
    node: Node<'_, '_>,
    name: &str,
    subject: &Subject,
    file: &File<'_>,
) -> Result<Vec<Rule>, Obstacle> {
    if attribute(node, "ENABLED").is_some_and(|enabled| !is_true(enabled)) {
        return Err(Obstacle::Disabled);
    }
    let severity = severity(node)?;
    let codes: Vec<String> = elements(node, "CODE").map(text).collect();
    let calls = static_thresholds(&codes.join("\n")).map_err(|obstacle| with_question(obstacle, file))?;
    if calls.is_empty() {
        return Err(Obstacle::NoCode);
    }
    let description = html::description(node).followed_by(&subject.description);
    calls
        .iter()
        .map(|call| {
            let source = data_source(&call.collection, subject, file)?;
            Ok(Rule {
                id: id(&subject.name, name),
                title: format!("{}: {name}", subject.name),
                group: group(subject, source),
                severity,
                counter: source.path.clone(),
                exclude: source.excluded.clone(),
                aggregate: if call.is_trend_only { "trend" } else { "any" },
                threshold: condition(call),
                explanation: description.text(),
                links: description.links.clone(),
                source: provenance(file, subject, name, call),
            })
        })
        .collect()
}

fn severity(node: Node<'_, '_>) -> Result<&'static str, Obstacle> {
    match attribute(node, "CONDITION") {
        Some(condition) if condition.eq_ignore_ascii_case("Warning") => Ok("warning"),
        Some(condition) if condition.eq_ignore_ascii_case("Critical") => Ok("critical"),
        other => Err(Obstacle::Condition(one_line(other.unwrap_or_default(), LEN_SNIPPET))),
    }
}

/// A variable that a question of the file asks for is worth its default value in the message.
fn with_question(obstacle: Obstacle, file: &File<'_>) -> Obstacle {
    let Obstacle::Variable(variable) = obstacle else { return obstacle };
    match file.questions.get(&data_source::variable(&variable)) {
        Some(default) => Obstacle::Question { variable, default: default.clone() },
        None => Obstacle::Variable(variable),
    }
}

fn data_source<'a>(
    variable: &str,
    subject: &'a Subject,
    file: &File<'_>,
) -> Result<&'a DataSource, Obstacle> {
    let key = data_source::variable(variable);
    match subject.data_sources.get(&key) {
        Some(source) => source.as_ref().map_err(Clone::clone),
        None if file.collections.contains(&key) => Err(Obstacle::ForeignDataSource(variable.into())),
        None => Err(Obstacle::NoDataSource(variable.into())),
    }
}

/// Numbers are in the counter's own unit, since PAL compares bare numbers. PAL's trends are per hour.
fn condition(call: &StaticThreshold) -> String {
    let per = if call.is_trend_only { "/h" } else { "" };
    format!("{} {}{per}", call.operator, call.threshold)
}

fn id(analysis: &str, threshold: &str) -> String {
    let id = slug(&format!("{analysis} {threshold}"), LEN_ID);
    if id.is_empty() { "rule".into() } else { id }
}

fn group(subject: &Subject, source: &DataSource) -> String {
    let of_path = || slug(source.path.split(['\\', '(']).nth(1).unwrap_or_default(), LEN_ID);
    Some(slug(&subject.category, LEN_ID)).filter(|group| !group.is_empty()).unwrap_or_else(of_path)
}

fn provenance(file: &File<'_>, subject: &Subject, threshold: &str, call: &StaticThreshold) -> String {
    let code = one_line(&call.code, 2 * LEN_NAME);
    format!("{}, analysis {:?}, threshold {threshold:?}: {code}", file.heading.source, subject.name)
}
