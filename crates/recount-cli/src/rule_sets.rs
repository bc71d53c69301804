//! Rule sets as named on the command line.

use std::path::Path;

use anyhow::Context;
use recount::analysis::rules::{RuleFault, RuleSet, SETS, builtin, parse_rules};

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
    let (set, imported) = read(name, Path::new(name))?;
    if let Some(imported) = imported {
        output::message(&format!("note: {imported}\n"));
    }
    set.map_err(|faults| mistakes(name, &faults))
}

/// A rule set, or what is wrong with it.
type Parsed = Result<RuleSet, Vec<RuleFault>>;

/// Rules of a file, named as in a message. A threshold file of PAL is translated, with a sentence about that.
pub(super) fn read(name: &str, path: &Path) -> anyhow::Result<(Parsed, Option<String>)> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    if pal::is_pal(&bytes) {
        let (toml, summary) = pal::translated(name, path, &bytes)?;
        return Ok((parse_rules(&toml), Some(summary)));
    }
    let text = String::from_utf8(bytes).with_context(|| format!("{}: not UTF-8", path.display()))?;
    Ok((parse_rules(&text), None))
}

fn parsed(name: &str, text: &str) -> anyhow::Result<RuleSet> {
    parse_rules(text).map_err(|faults| mistakes(name, &faults))
}

/// All mistakes in a file of rules or tolerances, a line each.
pub(super) fn mistakes(name: &str, faults: &[RuleFault]) -> anyhow::Error {
    let lines: Vec<String> = faults.iter().map(|fault| format!("{name}: {fault}")).collect();
    anyhow::anyhow!("{}", lines.join("\n"))
}
