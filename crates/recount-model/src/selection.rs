//! The counters that a user asked for.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Instance, Pattern};

/// The counters that a user asked for: those that match any of the patterns, or all if there are none.
///
/// It remembers which patterns have matched a counter, together with its clones.
#[derive(Clone, Default)]
pub struct Selection {
    patterns: Vec<Pattern>,
    /// Per pattern.
    has_matched: Vec<Arc<AtomicBool>>,
}

impl FromIterator<Pattern> for Selection {
    fn from_iter<T: IntoIterator<Item = Pattern>>(patterns: T) -> Selection {
        let mut selection = Selection::all();
        patterns.into_iter().for_each(|pattern| selection.push(pattern));
        selection
    }
}

#[expect(clippy::missing_fields_in_debug, reason = "what has matched is no part of what was asked for")]
impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection").field("patterns", &self.patterns).finish()
    }
}

impl PartialEq for Selection {
    fn eq(&self, other: &Selection) -> bool {
        self.patterns == other.patterns
    }
}

impl Eq for Selection {}

impl Selection {
    /// Selects everything.
    pub fn all() -> Selection {
        Selection::default()
    }

    /// Also selects what a pattern matches.
    pub fn push(&mut self, pattern: Pattern) {
        self.patterns.push(pattern);
        self.has_matched.push(Arc::default());
    }

    /// The patterns; one match is enough.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The patterns, each with a flag that says whether it has matched a counter.
    pub fn flagged(&self) -> impl Iterator<Item = (&Pattern, &AtomicBool)> {
        self.patterns.iter().zip(self.has_matched.iter().map(Arc::as_ref))
    }

    /// The patterns that haven't matched any counter yet.
    pub fn unmatched(&self) -> impl Iterator<Item = &Pattern> {
        self.flagged()
            .filter(|(_, has_matched)| !has_matched.load(Ordering::Relaxed))
            .map(|(pattern, _)| pattern)
    }

    /// Whether nothing is left out.
    pub fn is_all(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether some counter of an object of a host could be selected.
    pub fn may_match_object(&self, host: &str, object: &str) -> bool {
        self.is_all() || self.patterns.iter().any(|p| p.may_match_object(host, object))
    }

    /// Whether some counter of an object could be selected, on some host.
    pub fn may_match_object_anywhere(&self, object: &str) -> bool {
        self.is_all() || self.patterns.iter().any(|p| p.may_match_object_anywhere(object))
    }

    /// Whether a counter of an object could be selected, for some instance on some host.
    pub fn may_match_counter(&self, object: &str, counter: &str) -> bool {
        self.is_all() || self.patterns.iter().any(|p| p.may_match_counter(object, counter))
    }

    /// Whether one counter of one instance is selected.
    pub fn matches(&self, host: &str, object: &str, instance: Option<&Instance>, counter: &str) -> bool {
        let matching = self.flagged().filter(|(pattern, _)| pattern.matches(host, object, instance, counter));
        // All of them, so that each is remembered.
        let num_matching =
            matching.map(|(_, has_matched)| has_matched.store(true, Ordering::Relaxed)).count();
        self.is_all() || num_matching > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_match_nothing_are_known() {
        let patterns = [r"\Memory\*", "processor", r"\Nothing\*"];
        let selection: Selection = patterns.iter().map(|text| text.parse::<Pattern>().expect(text)).collect();
        let unmatched = || selection.unmatched().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(unmatched(), patterns);
        let clone = selection.clone();
        assert!(clone.matches("", "Memory", None, "Available Bytes"));
        assert!(!clone.matches("", "Memory2", None, "Available Bytes"));
        assert_eq!(unmatched(), ["processor", r"\Nothing\*"]);
        assert!(clone.matches("", "Processor", Some(&Instance::named("0")), "% User Time"));
        assert_eq!(unmatched(), [r"\Nothing\*"]);
    }
}
