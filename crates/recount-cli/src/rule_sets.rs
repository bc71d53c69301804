//! Rule sets as named on the command line.

use std::path::Path;

use anyhow::{Context, bail};
use recount::analysis::rules::{Imported, RuleFault, RuleSet, SETS, builtin, import, is_pal, parse_rules};

use crate::output;

/// The sets that are named: one that comes with recount, a file of rules or a threshold file of PAL, or `none`. Without a name,
/// all that come with recount.
pub(super) fn rule_sets(named: &[String]) -> anyhow::Result<Vec<RuleSet>> {
    if named.is_empty() {
        return SETS.iter().map(|(name, text)| parsed(name, text)).collect();
    }
    if named.iter().any(|name| name == "none") {
        if named.len() > 1 {
            bail!("--rules none can't be combined with other rule sets");
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
        bail!("unknown rule set {name:?}: there are {known}, and your own files");
    }
    let (set, imported) = read(Path::new(name))?;
    if let Some(imported) = imported {
        output::tell(&format!("note: {}\n", summary(name, &imported)));
    }
    set.map_err(|faults| mistakes(name, &faults))
}

/// A rule set, or what is wrong with it.
type Parsed = Result<RuleSet, Vec<RuleFault>>;

/// Rules of a file. A threshold file of PAL is translated.
pub(super) fn read(path: &Path) -> anyhow::Result<(Parsed, Option<Imported>)> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    if is_pal(&bytes) {
        let imported = import_pal(path, &bytes)?;
        return Ok((parse_rules(&imported.toml), Some(imported)));
    }
    let text = String::from_utf8(bytes).with_context(|| format!("{}: not UTF-8", path.display()))?;
    Ok((parse_rules(&text), None))
}

/// A threshold file of PAL, and the files next to it that it inherits.
pub(super) fn import_pal(path: &Path, bytes: &[u8]) -> anyhow::Result<Imported> {
    let short =
        path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string());
    let beside = |name: &str| std::fs::read(path.with_file_name(name)).ok();
    import(bytes, &short, &beside).with_context(|| path.display().to_string())
}

/// How many thresholds became rules, and why the others didn't.
pub(super) fn summary(name: &str, imported: &Imported) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for left in imported.untranslated.iter().filter(|left| left.threshold.is_some()) {
        match kinds.iter_mut().find(|(kind, _)| *kind == left.kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((left.kind, 1)),
        }
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let num_left: usize = kinds.iter().map(|(_, count)| count).sum();
    let files = imported.files.iter();
    let (num_thresholds, num_translated) = files.fold((0, 0), |(thresholds, translated), file| {
        (thresholds + file.num_thresholds, translated + file.num_translated)
    });
    let inherited = match imported.files.len() {
        0 | 1 => String::new(),
        more => format!(", {} inherited", output::plural(more - 1, "file")),
    };
    let reasons: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
    let reasons =
        if num_left == 0 { String::new() } else { format!("; {num_left} skipped: {}", reasons.join(", ")) };
    let missing = match imported.missing.len() {
        0 => String::new(),
        num => {
            let files = output::plural(num, "inherited file");
            format!("; {files} missing: {}", imported.missing.join(", "))
        }
    };
    output::clean(&format!(
        "{name}{inherited}: {num_translated} of {} became {}{reasons}{missing}",
        output::plural(num_thresholds, "threshold"),
        output::plural(imported.num_rules, "rule")
    ))
}

fn parsed(name: &str, text: &str) -> anyhow::Result<RuleSet> {
    parse_rules(text).map_err(|faults| mistakes(name, &faults))
}

/// All mistakes in a file of rules or tolerances, a line each.
pub(super) fn mistakes(name: &str, faults: &[RuleFault]) -> anyhow::Error {
    let lines: Vec<String> = faults.iter().map(|fault| format!("{name}: {fault}")).collect();
    anyhow::anyhow!("{}", lines.join("\n"))
}
