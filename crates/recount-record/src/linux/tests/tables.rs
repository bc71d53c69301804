//! The tables of objects.

use std::collections::BTreeSet;

use recount_model::PREDEFINED;

use crate::linux::objects;
use crate::linux::type_words::{LARGE_AVERAGE_TIMER, PERF_AVERAGE_BASE};

/// Known type words, bases directly after their counters, no overlapping indexes.
#[test]
fn tables_are_sound() {
    let mut indexes = BTreeSet::new();
    let mut names = BTreeSet::new();
    for spec in objects::ALL.iter().map(|offered| offered.spec) {
        assert!(spec.index % 1_000 == 0 && indexes.insert(spec.index), "{}", spec.name);
        assert!(names.insert(spec.name) && spec.counters.len() < 499, "{}", spec.name);
        let mut counters = BTreeSet::new();
        for (at, counter) in spec.counters.iter().enumerate() {
            assert!(counters.insert(counter.name), "{}: {} twice", spec.name, counter.name);
            assert!(!counter.help.is_empty() && !counter.help.contains('\n'), "{}", counter.name);
            let known = PREDEFINED.iter().find(|known| known.word == counter.word);
            assert!(known.is_some() || counter.word == LARGE_AVERAGE_TIMER, "{}", counter.name);
            let base = known.map_or(Some(PERF_AVERAGE_BASE), |known| known.base);
            if base.is_some() {
                assert_eq!(spec.counters.get(at + 1).map(|next| next.word), base, "{}", counter.name);
            }
        }
    }
}
