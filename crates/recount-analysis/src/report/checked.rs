//! How much of a capture the rules could check, in words.

use std::cmp::Reverse;

use super::observe::Observed;
use crate::rules::Why;
use crate::shown::plural;

impl Observed {
    /// How many rules there are.
    pub fn num_rules(&self) -> usize {
        self.sets.iter().map(|(_, rules)| rules.len()).sum()
    }

    /// How many rules were evaluated.
    pub fn num_evaluated(&self) -> usize {
        self.num_rules() - self.unanswered.len()
    }

    /// Whether the rules could check enough for the absence of findings to be good news.
    pub fn is_checked(&self) -> bool {
        self.num_evaluated() > 0 && self.unchecked.is_empty()
    }

    /// How many rules could be checked, what the others lack, and how many findings there are. Without findings also what was
    /// not checked at all.
    pub fn checked_in_words(&self) -> String {
        let text = self.checked_briefly();
        let is_open = self.num_rules() > 0 && self.findings.is_empty() && !self.is_checked();
        if is_open { text + &self.open_areas() } else { text }
    }

    /// The same without what was not checked at all.
    pub(crate) fn checked_briefly(&self) -> String {
        let (all, checked) = (self.num_rules(), self.num_evaluated());
        if all == 0 {
            return "No rules were asked for.".to_owned();
        }
        let found = match (checked, self.findings.len()) {
            (0, 0) => String::new(),
            (_, 0) => ", none fired".to_owned(),
            (_, num) => format!(", {}", plural(num, "finding")),
        };
        format!("{checked} of {} could be checked{found}{}", plural(all, "rule"), self.rest())
    }

    /// Why rules were not evaluated, and how many for each reason, the most frequent first.
    fn rest(&self) -> String {
        let mut counts: Vec<(Why, usize)> = Vec::new();
        for rule in &self.unanswered {
            match counts.iter_mut().find(|(why, _)| *why == rule.why) {
                Some((_, count)) => *count += 1,
                None => counts.push((rule.why, 1)),
            }
        }
        counts.sort_by_key(|(why, count)| (Reverse(*count), *why));
        let texts: Vec<String> = counts.iter().map(|(why, count)| why.in_words(*count)).collect();
        if texts.is_empty() { String::new() } else { format!(" ({})", texts.join(", ")) }
    }

    /// What too little is known about, and why: areas with the same reason together.
    fn open_areas(&self) -> String {
        let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
        for open in &self.unchecked {
            match groups.iter_mut().find(|(_, reason)| *reason == open.reason) {
                Some((names, _)) => names.push(&open.about),
                None => groups.push((vec![&open.about], &open.reason)),
            }
        }
        let shown = |(names, reason): &(Vec<&str>, &str)| format!("{} ({reason})", enumerated(names));
        let shown: Vec<String> = groups.iter().map(shown).collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        // All rules may be for other captures.
        if shown.is_empty() {
            String::new()
        } else {
            format!(". Too little is known about {}", enumerated(&shown))
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
fn enumerated(parts: &[&str]) -> String {
    match parts {
        [first @ .., before, last] if !first.is_empty() => {
            format!("{}, {before} and {last}", first.join(", "))
        }
        parts => parts.join(" and "),
    }
}
