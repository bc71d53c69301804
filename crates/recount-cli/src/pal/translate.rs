//! Threshold files of PAL as rules.

use std::path::{Path, PathBuf};

use anyhow::Context;
use recount_output::Access;
use recount_pal::Imported;
pub(crate) use recount_pal::is_pal;

use crate::exit::Outcome;
use crate::output;

/// The rules of a threshold file as TOML, and a sentence about what became of it.
pub(crate) fn translated(name: &str, path: &Path, bytes: &[u8]) -> anyhow::Result<(String, String)> {
    let imported = import_file(path, bytes)?;
    let summary = summary(name, &imported);
    Ok((imported.toml, summary))
}

/// Writes the rules of a threshold file, and says what was left out.
pub(crate) fn import(file: &Path, out: Option<&PathBuf>, force: bool) -> anyhow::Result<Outcome> {
    let name = file.display().to_string();
    let bytes = std::fs::read(file).with_context(|| name.clone())?;
    let imported = import_file(file, &bytes)?;
    match out {
        Some(path) => output::put(path, force, &Access::of([file]), imported.toml.as_bytes())?,
        None => output::print(&imported.toml)?,
    }
    for left in &imported.untranslated {
        let file = left.file.as_ref().unwrap_or(&name);
        let place = match &left.threshold {
            Some(threshold) => format!("{}, {threshold}: ", left.analysis),
            None if left.analysis.is_empty() => String::new(),
            None => format!("{}: ", left.analysis),
        };
        let text = format!("{file}:{}: {place}{}", left.line, left.reason);
        output::message(&format!("{}\n", output::visible(&text)));
    }
    output::message(&format!("{}\n", summary(&name, &imported)));
    Ok(Outcome::Done)
}

/// A threshold file of PAL, and the files next to it that it inherits.
fn import_file(path: &Path, bytes: &[u8]) -> anyhow::Result<Imported> {
    let short =
        path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string());
    let beside = |name: &str| std::fs::read(path.with_file_name(name)).ok();
    recount_pal::import(bytes, &short, &beside).with_context(|| path.display().to_string())
}

/// How many thresholds became rules, and why the others didn't.
fn summary(name: &str, imported: &Imported) -> String {
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
    output::visible(&format!(
        "{name}{inherited}: {num_translated} of {} became {}{reasons}{missing}",
        output::plural(num_thresholds, "threshold"),
        output::plural(imported.num_rules, "rule")
    ))
}
