//! The counters that a user asked for.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Instance, Pattern};

/// The counters that a user asked for: those that match any of the patterns, or all if there are none.
#[derive(Clone, Default)]
pub struct Selection {
    patterns: Vec<Pattern>,
    /// Per pattern whether it has matched; only of a selection that is watched.
    has_matched: Option<Arc<[AtomicBool]>>,
}

impl FromIterator<Pattern> for Selection {
    fn from_iter<T: IntoIterator<Item = Pattern>>(patterns: T) -> Selection {
        Selection { patterns: patterns.into_iter().collect(), ..Selection::default() }
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

    /// Also selects what a pattern matches. It is no longer watched.
    pub fn push(&mut self, pattern: Pattern) {
        self.patterns.push(pattern);
        self.has_matched = None;
    }

    /// The same selection, which from now on remembers, together with its clones, which patterns have matched a
    /// counter: for [`Selection::unmatched`].
    pub fn watched(self) -> Selection {
        let has_matched = self.patterns.iter().map(|_| AtomicBool::new(false)).collect();
        Selection { has_matched: Some(has_matched), ..self }
    }

    /// The patterns; one match is enough.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The patterns, each with what notes that it has matched a counter.
    pub fn noted(&self) -> impl Iterator<Item = (&Pattern, MatchNote<'_>)> {
        let noted = |at| MatchNote(self.has_matched.as_ref().and_then(|has_matched| has_matched.get(at)));
        self.patterns.iter().enumerate().map(move |(at, pattern)| (pattern, noted(at)))
    }

    /// The patterns of a selection that is [watched](Selection::watched) that haven't matched any counter yet.
    pub fn unmatched(&self) -> impl Iterator<Item = &Pattern> {
        let flags = self.has_matched.iter().flat_map(|has_matched| has_matched.iter());
        self.patterns
            .iter()
            .zip(flags)
            .filter(|(_, has_matched)| !has_matched.load(Ordering::Relaxed))
            .map(|(pattern, _)| pattern)
    }

    /// Whether nothing is left out.
    pub fn is_all(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether some counter of a host could be selected.
    pub fn may_match_host(&self, host: &str) -> bool {
        self.is_all() || self.patterns.iter().any(|p| p.may_match_host(host))
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
        if self.is_all() {
            return true;
        }
        let is_matching = |pattern: &Pattern| pattern.matches(host, object, instance, counter);
        if self.has_matched.is_none() {
            return self.patterns.iter().any(is_matching);
        }
        let matching = self.noted().filter(|(pattern, _)| is_matching(pattern));
        // All of them, so that each is noted.
        matching.map(|(_, note)| note.matched()).count() > 0
    }
}

/// Notes that a pattern of a watched selection has matched.
#[derive(Clone, Copy, Debug)]
pub struct MatchNote<'a>(Option<&'a AtomicBool>);

impl MatchNote<'_> {
    /// It has matched a counter.
    pub fn matched(self) {
        if let Some(flag) = self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_match_nothing_are_known() {
        let patterns = [r"\Memory\*", "processor", r"\Nothing\*"];
        let selection: Selection = patterns.iter().map(|text| text.parse::<Pattern>().expect(text)).collect();
        assert!(selection.matches("", "Memory", None, "Available Bytes"));
        assert_eq!(selection.unmatched().count(), 0, "nobody asked");
        let selection = selection.watched();
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
