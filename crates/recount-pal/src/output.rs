//! Results collected while walking a file.

use std::collections::BTreeSet;

use super::obstacle::Obstacle;
use super::rule::Rule;
use super::{PalError, Untranslated};

/// PAL's largest files have a few hundred thresholds. A rule may take 40 KB, most of them its explanation.
const MAX_ENTRIES: usize = 5_000;

/// The rules, and everything that was not translated.
#[derive(Default)]
pub(super) struct Output {
    rules: Vec<Rule>,
    untranslated: Vec<Untranslated>,
    ids: BTreeSet<String>,
    /// Name of the file being read, if it is an inherited one.
    pub(super) file: Option<String>,
}

impl Output {
    /// Adds a rule and makes its id unique.
    pub(super) fn rule(&mut self, line: u32, mut rule: Rule) -> Result<(), PalError> {
        self.check_room(line)?;
        let base = rule.id.clone();
        let mut number = 2;
        while !self.ids.insert(rule.id.clone()) {
            rule.id = format!("{base}-{number}");
            number += 1;
        }
        self.rules.push(rule);
        Ok(())
    }

    /// Records something that has no counterpart.
    pub(super) fn untranslated(
        &mut self,
        line: u32,
        analysis: &str,
        threshold: Option<&str>,
        reason: &Obstacle,
    ) -> Result<(), PalError> {
        self.check_room(line)?;
        self.untranslated.push(Untranslated {
            analysis: analysis.into(),
            threshold: threshold.map(Into::into),
            file: self.file.clone(),
            line,
            kind: reason.kind(),
            reason: reason.to_string(),
        });
        Ok(())
    }

    fn check_room(&self, line: u32) -> Result<(), PalError> {
        if self.rules.len() + self.untranslated.len() < MAX_ENTRIES {
            return Ok(());
        }
        Err(PalError::TooMany { line, what: "thresholds up to", max: MAX_ENTRIES })
    }

    pub(super) fn into_parts(self) -> (Vec<Rule>, Vec<Untranslated>) {
        (self.rules, self.untranslated)
    }
}
