//! PAL threshold files to rule sets: formats/rules.md, "Importing PAL thresholds".
//!
//! PAL (Performance Analysis of Logs) keeps its thresholds in XML whose conditions are PowerShell. What only compares
//! a counter with a constant (`StaticThreshold`) becomes a rule; all else is listed with its place and the reason.
//! Each `THRESHOLD` of the file leads to at least one rule or to one entry of that list.

mod analysis;
mod data_source;
mod document;
mod encoding;
mod error;
mod html;
mod obstacle;
mod output;
mod powershell;
mod rule;
#[cfg(test)]
mod tests;
mod text;
mod threshold;

use std::collections::{BTreeMap, BTreeSet};

use self::document::{Document, attribute, elements};
pub use self::error::PalError;
use self::obstacle::Obstacle;
use self::output::Output;
use self::text::one_line;

/// What became of a PAL threshold file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The rule set, ready to be written to a file.
    pub toml: String,
    /// How many `ANALYSIS` elements the file has, the disabled ones included.
    pub num_analyses: usize,
    /// How many rules `toml` has.
    pub num_rules: usize,
    /// What `toml` doesn't have, in the order of the file.
    pub untranslated: Vec<Untranslated>,
}

/// Something in the file that has no counterpart in the rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untranslated {
    /// Name of the analysis; empty for what stands outside of analyses.
    pub analysis: String,
    /// Name of the threshold; none if the whole analysis is meant.
    pub threshold: Option<String>,
    /// Line of the XML file, from 1.
    pub line: u32,
    /// Why not.
    pub reason: String,
}

/// Translates a PAL threshold file. `name_of_file` names the set and is quoted in each rule's `source`.
pub fn import(xml: &[u8], name_of_file: &str) -> Result<Imported, PalError> {
    let text = encoding::decode(xml)?;
    let document = Document::parse(&text)?;
    let pal = document.pal()?;
    let file = File::new(&document, pal, name_of_file);
    let mut output = Output::default();
    let mut num_analyses = 0;
    for node in pal.children().filter(roxmltree::Node::is_element) {
        if document::is_named(node, "INHERITANCE") {
            let path = one_line(attribute(node, "FILEPATH").unwrap_or_default(), text::LEN_NAME);
            output.untranslated(file.line(node), "", None, &Obstacle::Inheritance(path))?;
        } else if document::is_named(node, "ANALYSIS") {
            num_analyses += 1;
            analysis::translate(node, &file, &mut output)?;
        }
    }
    let (rules, untranslated) = output.into_parts();
    let num_rules = rules.len();
    let toml = rule::write_set(&file.heading, rules)?;
    Ok(Imported { toml, num_analyses, num_rules, untranslated })
}

/// What holds for the whole file.
struct File<'a> {
    document: &'a Document<'a>,
    heading: rule::Heading,
    /// Default values of the questions, by variable in lower case.
    questions: BTreeMap<String, String>,
    /// Variables that data sources of any analysis fill, in lower case.
    collections: BTreeSet<String>,
}

impl<'a> File<'a> {
    fn new(document: &'a Document<'a>, pal: roxmltree::Node<'a, 'a>, name_of_file: &str) -> File<'a> {
        let questions = elements(pal, "QUESTION").filter_map(|node| {
            let default = one_line(attribute(node, "DEFAULTVALUE").unwrap_or("none"), text::LEN_SNIPPET);
            Some((data_source::variable(attribute(node, "QUESTIONVARNAME")?), default))
        });
        let collections = elements(pal, "ANALYSIS")
            .flat_map(|analysis| elements(analysis, "DATASOURCE"))
            .filter_map(|node| attribute(node, "COLLECTIONVARNAME").map(data_source::variable));
        File {
            document,
            heading: rule::Heading::new(pal, name_of_file),
            questions: questions.collect(),
            collections: collections.collect(),
        }
    }

    fn line(&self, node: roxmltree::Node<'_, '_>) -> u32 {
        self.document.line(node)
    }
}
