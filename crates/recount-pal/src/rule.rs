//! The rule set as written to the file: formats/rules.md.

use roxmltree::Node;
use serde::Serialize;

use super::PalError;
use super::document::attribute;
use super::obstacle::Obstacle;
use super::text::{LEN_NAME, file_name, one_line, slug};
use recount_analysis::rules::{RuleFault, parse_rules};

/// A rule, with its fields in the order in which they are written.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) group: String,
    pub(super) severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expr: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) measure: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) exclude: Vec<String>,
    pub(super) aggregate: &'static str,
    pub(super) threshold: String,
    pub(super) explanation: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) links: Vec<String>,
    pub(super) source: String,
}

impl Rule {
    /// Whether `recount rules check` finds nothing in it.
    pub(super) fn check(&self) -> Result<(), Obstacle> {
        let set = Set { name: "pal".to_owned(), title: "PAL".to_owned(), version: 1 };
        let toml = toml::to_string(&RuleSet { set, rule: vec![self.clone()] });
        let toml = toml.map_err(|error| Obstacle::Rule(one_line(&error.to_string(), LEN_NAME)))?;
        let first =
            |faults: Vec<RuleFault>| faults.into_iter().next().map(|fault| fault.what).unwrap_or_default();
        parse_rules(&toml).map(|_| ()).map_err(|faults| Obstacle::Rule(one_line(&first(faults), LEN_NAME)))
    }
}

#[derive(Serialize)]
struct RuleSet {
    set: Set,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rule: Vec<Rule>,
}

#[derive(Serialize)]
struct Set {
    name: String,
    title: String,
    version: u32,
}

/// The origin of the rules.
pub(super) struct Heading {
    name: String,
    title: String,
    owners: String,
    /// How a rule's `source` begins.
    pub(super) source: String,
}

impl Heading {
    pub(super) fn new(pal: Node<'_, '_>, name_of_file: &str) -> Heading {
        let name_of_file = file_name(name_of_file);
        let shown = one_line(name_of_file, LEN_NAME);
        let stem = shown.rsplit_once('.').map_or(shown.as_str(), |(stem, _)| stem);
        let version = one_line(attribute(pal, "VERSION").unwrap_or_default(), LEN_NAME);
        let version = if version.is_empty() { version } else { format!(" (version {version})") };
        Heading {
            name: slug(&format!("pal {stem}"), LEN_NAME),
            title: one_line(attribute(pal, "NAME").unwrap_or(stem), LEN_NAME),
            owners: one_line(attribute(pal, "CONTENTOWNERS").unwrap_or_default(), LEN_NAME),
            source: format!("PAL threshold file {shown:?}{version}"),
        }
    }
}

/// The set as TOML, with a comment about its origin.
pub(super) fn write_set(heading: &Heading, rules: Vec<Rule>) -> Result<String, PalError> {
    let Heading { name, title, owners, source } = heading;
    let set = Set { name: name.clone(), title: title.clone(), version: 1 };
    let toml = toml::to_string(&RuleSet { set, rule: rules })?;
    let by = if owners.is_empty() { String::new() } else { format!("# Its texts are by {owners}.\n") };
    Ok(format!("# Imported from the {source}.\n{by}\n{toml}"))
}
