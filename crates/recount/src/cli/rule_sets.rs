//! Rule sets as named on the command line.

use anyhow::{Context, bail};
use recount::analysis::rules::{RuleFault, RuleSet, SETS, builtin, parse_rules};

/// The sets that are named: one that comes with recount, a file, or `none`. All that come with recount if none is.
pub(super) fn rule_sets(named: &[String]) -> anyhow::Result<Vec<RuleSet>> {
    if named.is_empty() {
        return SETS.iter().map(|(name, text)| parsed(name, text)).collect();
    }
    if named.iter().any(|name| name == "none") {
        if named.len() > 1 {
            bail!("--rules none stands alone");
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
        bail!("there is no rule set {name:?}: there are {known}, and files of your own");
    }
    let text = std::fs::read_to_string(name).with_context(|| name.to_owned())?;
    parsed(name, &text)
}

fn parsed(name: &str, text: &str) -> anyhow::Result<RuleSet> {
    parse_rules(text).map_err(|faults| mistakes(name, &faults))
}

/// All that is wrong in a file of rules or tolerances, a line each.
pub(super) fn mistakes(name: &str, faults: &[RuleFault]) -> anyhow::Error {
    let told: Vec<String> = faults.iter().map(|fault| format!("{name}: {fault}")).collect();
    anyhow::anyhow!("{}", told.join("\n"))
}
