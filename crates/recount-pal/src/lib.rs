//! Converts PAL threshold files to rule sets: formats/rules.md, "Importing PAL thresholds".
//!
//! PAL (Performance Analysis of Logs) keeps its thresholds in XML whose conditions are PowerShell. Code that
//! compares counters, or arithmetic over them, with limits becomes rules; everything else is listed with its
//! place and the reason. Each `THRESHOLD` of the file leads to at least one rule or to one entry in that
//! list.

mod alert;
mod analysis;
mod data_source;
mod document;
mod encoding;
mod error;
mod formula;
mod html;
mod inheritance;
mod judgement;
mod obstacle;
mod output;
mod powershell;
mod rule;
#[cfg(test)]
mod tests;
mod text;
mod threshold;
mod wildcard;

use std::collections::{BTreeMap, BTreeSet};

use self::document::{Document, attribute, elements};
pub use self::error::PalError;
use self::output::Output;
use self::powershell::Answers;
use self::text::one_line;

/// The result of importing a PAL threshold file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The rule set, ready to be written to a file. [`recount_analysis::rules::parse_rules`] reads it without
    /// errors.
    pub toml: String,
    /// How many rules `toml` has.
    pub num_rules: usize,
    /// The file, then the files that it inherits.
    pub files: Vec<ImportedFile>,
    /// Names of inherited files that are missing or unreadable.
    pub missing: Vec<String>,
    /// What was not translated, in the order of the files.
    pub untranslated: Vec<Untranslated>,
}

/// A threshold file that went into a rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFile {
    /// Its name.
    pub name: String,
    /// How many `ANALYSIS` elements it has, including disabled ones.
    pub num_analyses: usize,
    /// How many `THRESHOLD` elements it has.
    pub num_thresholds: usize,
    /// How many of these became rules.
    pub num_translated: usize,
}

/// Something in a file that has no counterpart in the rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untranslated {
    /// Name of the file, if it is an inherited one.
    pub file: Option<String>,
    /// Name of the analysis; empty for anything outside analyses.
    pub analysis: String,
    /// Name of the threshold; `None` if it is the whole analysis.
    pub threshold: Option<String>,
    /// Line of the XML file, from 1.
    pub line: u32,
    /// The kind of obstacle, for counting.
    pub kind: &'static str,
    /// Why not.
    pub reason: String,
}

/// Whether a file looks like XML, that is, like a threshold file and not like rules in TOML.
pub fn is_pal(bytes: &[u8]) -> bool {
    encoding::decode(bytes).is_ok_and(|text| text.trim_start().starts_with('<'))
}

/// Translates a PAL threshold file, and those that it inherits. `name_of_file` names the set and is quoted in each rule's
/// `source`. `beside` reads an inherited file by its name; `None` if there is none.
pub fn import(
    xml: &[u8],
    name_of_file: &str,
    beside: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Imported, PalError> {
    let text = encoding::decode(xml)?;
    let document = Document::parse(&text)?;
    let pal = document.pal()?;
    let inherited = inheritance::read(pal, name_of_file, beside);
    let documents: Vec<(&str, Document<'_>)> = inherited
        .texts
        .iter()
        .filter_map(|(name, text)| Some((name.as_str(), Document::parse(text).ok()?)))
        .collect();
    let pals: Vec<(&str, &Document<'_>)> = std::iter::once((name_of_file, &document))
        .chain(documents.iter().map(|(name, document)| (*name, document)))
        .collect();
    let roots: Vec<roxmltree::Node<'_, '_>> =
        pals.iter().filter_map(|(_, document)| document.pal().ok()).collect();
    let (defaults, answers) = questions(&roots);
    let mut output = Output::default();
    for (line, reason) in &inherited.obstacles {
        output.untranslated(*line, "", None, reason)?;
    }
    let mut files = Vec::with_capacity(pals.len());
    let mut known = BTreeSet::new();
    for (number, (name, document)) in pals.iter().enumerate() {
        output.file = (number > 0).then(|| text::file_name(name).to_owned());
        let file = File::new(document, document.pal()?, name, &defaults, &answers);
        files.push(translate(&file, &mut known, &mut output)?);
    }
    let (rules, untranslated) = output.into_parts();
    let num_rules = rules.len();
    let toml = rule::write_set(&rule::Heading::new(pal, name_of_file), rules)?;
    Ok(Imported { toml, num_rules, files, missing: inherited.missing, untranslated })
}

/// The analyses of a file. An analysis in an earlier file replaces an inherited one of the same name.
fn translate(
    file: &File<'_>,
    known: &mut BTreeSet<String>,
    output: &mut Output,
) -> Result<ImportedFile, PalError> {
    let is_inherited = output.file.is_some();
    let mut names = BTreeSet::new();
    let mut done = ImportedFile {
        name: text::file_name(file.name).to_owned(),
        num_analyses: 0,
        num_thresholds: 0,
        num_translated: 0,
    };
    for node in elements(file.pal, "ANALYSIS") {
        let name = analysis::name(node).to_lowercase();
        if is_inherited && known.contains(&name) {
            continue;
        }
        names.insert(name);
        done.num_analyses += 1;
        done.num_thresholds += elements(node, "THRESHOLD").count();
        done.num_translated += analysis::translate(node, file, output)?;
    }
    known.extend(names);
    Ok(done)
}

/// Default values of the questions, as shown, by variable in lower case.
type Defaults = BTreeMap<String, (String, String)>;

/// The questions of all files; for each variable the first question counts.
fn questions(roots: &[roxmltree::Node<'_, '_>]) -> (Defaults, Answers) {
    let (mut defaults, mut answers) = (Defaults::new(), Answers::new());
    for node in roots.iter().flat_map(|pal| elements(*pal, "QUESTION")) {
        let Some(name) = attribute(node, "QUESTIONVARNAME") else { continue };
        let key = data_source::variable(name);
        let default = attribute(node, "DEFAULTVALUE").unwrap_or_default();
        let is_boolean = attribute(node, "DATATYPE").is_some_and(|kind| kind.eq_ignore_ascii_case("boolean"));
        answers.entry(key.clone()).or_insert_with(|| powershell::answer(default, is_boolean));
        let shown = (one_line(name, text::LEN_NAME), one_line(default, text::LEN_SNIPPET));
        defaults.entry(key).or_insert(shown);
    }
    (defaults, answers)
}

/// What holds for a whole file.
struct File<'a> {
    document: &'a Document<'a>,
    pal: roxmltree::Node<'a, 'a>,
    name: &'a str,
    heading: rule::Heading,
    defaults: &'a Defaults,
    answers: &'a Answers,
    /// Variables set by data sources of any analysis, in lower case.
    collections: BTreeSet<String>,
}

impl<'a> File<'a> {
    fn new(
        document: &'a Document<'a>,
        pal: roxmltree::Node<'a, 'a>,
        name: &'a str,
        defaults: &'a Defaults,
        answers: &'a Answers,
    ) -> File<'a> {
        let collections = elements(pal, "ANALYSIS")
            .flat_map(|analysis| elements(analysis, "DATASOURCE"))
            .filter_map(|node| attribute(node, "COLLECTIONVARNAME").map(data_source::variable));
        let heading = rule::Heading::new(pal, name);
        File { document, pal, name, heading, defaults, answers, collections: collections.collect() }
    }

    fn line(&self, node: roxmltree::Node<'_, '_>) -> u32 {
        self.document.line(node)
    }
}

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
