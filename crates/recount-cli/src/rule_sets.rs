//! Rule sets as named on the command line.

use std::path::Path;

use anyhow::Context;
use recount::Hinted;
use recount::analysis::diff::{ToleranceSet, parse_tolerances};
use recount::analysis::rules::{RuleFault, RuleSet, SETS, builtin, has_list, parse_rules};

use crate::mistake::mistake;
use crate::{output, pal};

/// The sets that are named: one that comes with recount, a file of rules or a threshold file of PAL, or `none`. Without a name,
/// all that come with recount.
pub(super) fn rule_sets(named: &[String]) -> anyhow::Result<Vec<RuleSet>> {
    if named.is_empty() {
        return SETS.iter().map(|(name, text)| parsed(name, text)).collect();
    }
    if named.iter().any(|name| name == "none") {
        if named.len() > 1 {
            mistake!("--rules none can't be combined with other rule sets");
        }
        return Ok(Vec::new());
    }
    named.iter().map(|name| rule_set(name)).collect()
}

/// A set by its name, or a file.
fn rule_set(name: &str) -> anyhow::Result<RuleSet> {
    if let Some(text) = builtin(name) {
        return parsed(name, text);
    }
    let is_file = name.contains(['/', '\\', '.']) || std::path::Path::new(name).exists();
    if !is_file {
        let known = SETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        mistake!("unknown rule set {name:?}: there are {known}, and your own files");
    }
    match read(name, Path::new(name))? {
        RuleFile::Tolerances(_) => anyhow::bail!("{name} holds tolerances: recount diff takes them"),
        RuleFile::Rules(set, imported) => {
            if let Some(imported) = imported {
                output::message(&format!("note: {imported}\n"));
            }
            set.map_err(|faults| mistakes(name, &faults))
        }
    }
}

/// Tolerances as named on the command line.
pub(super) fn tolerance_set(path: &Path) -> anyhow::Result<ToleranceSet> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| name.clone())?;
    parse_tolerances(&text).map_err(|faults| {
        if has_list(&text, "rule") && !has_list(&text, "tolerance") {
            anyhow::anyhow!("{name} holds rules: recount report takes them")
        } else {
            mistakes(&name, &faults)
        }
    })
}

/// A rule set, or what is wrong with it.
type Parsed = Result<RuleSet, Vec<RuleFault>>;

/// What a file holds.
pub(super) enum RuleFile {
    /// Rules; of a threshold file of PAL, which is translated, with a sentence about that.
    Rules(Parsed, Option<String>),
    Tolerances(Result<ToleranceSet, Vec<RuleFault>>),
}

/// Reads a file, named as in a message.
pub(super) fn read(name: &str, path: &Path) -> anyhow::Result<RuleFile> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    if pal::is_pal(&bytes) {
        let (toml, summary) = pal::translated(name, path, &bytes)?;
        return Ok(RuleFile::Rules(parse_rules(&toml), Some(summary)));
    }
    let text = String::from_utf8(bytes).with_context(|| format!("{}: not UTF-8", path.display()))?;
    if has_list(&text, "tolerance") {
        return Ok(RuleFile::Tolerances(parse_tolerances(&text)));
    }
    Ok(RuleFile::Rules(parse_rules(&text), None))
}

fn parsed(name: &str, text: &str) -> anyhow::Result<RuleSet> {
    parse_rules(text).map_err(|faults| mistakes(name, &faults))
}

/// The first mistake in a file of rules or tolerances, and how many more there are.
pub(super) fn mistakes(name: &str, faults: &[RuleFault]) -> anyhow::Error {
    let first = faults.first().map(|fault| format!(": {fault}")).unwrap_or_default();
    match faults.len().saturating_sub(1) {
        0 => anyhow::anyhow!("{name}{first}"),
        more => Hinted {
            text: format!("{name}{first}; and {}", output::plural(more as u64, "more mistake")),
            hint: "recount rules check lists them all",
        }
        .into(),
    }
}
