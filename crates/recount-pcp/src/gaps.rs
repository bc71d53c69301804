//! Where `.meta` has lost records of instance domains, and when names of instances are unknown because of it.

use std::ops::Range;

use recount_bytes::FormatError;

use crate::structure::{Stamp, be_u32, kind};

/// Later than all times.
const NEVER: Stamp = Stamp(u64::MAX);

/// Damage that may have been a record of any instance domain.
#[derive(Clone, Copy, Debug)]
struct Gap {
    ofs: usize,
    /// The time of the last sound record of a domain before it.
    after: Option<Stamp>,
}

/// All gaps, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps(Vec<Gap>);

impl Gaps {
    /// Adds a gap, given the time of the last sound record of a domain.
    pub(crate) fn add(&mut self, ofs: usize, after: Option<Stamp>) {
        self.0.push(Gap { ofs, after });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes times ascend, as they do unless the records aren't in order: then more is unknown.
    pub(crate) fn finish(&mut self) {
        let mut least = Some(NEVER);
        for gap in self.0.iter_mut().rev() {
            least = least.min(gap.after);
            gap.after = least;
        }
    }

    /// When the names of a domain's instances are unknown: after each gap until the domain's next full record. Both are
    /// given in the order of the file: full records, and in the order of time: all of its records.
    pub(crate) fn unknown(&self, fulls: &[(usize, Stamp)], records: &[(Stamp, usize)]) -> Vec<Range<Stamp>> {
        let mut ranges: Vec<Range<Stamp>> = Vec::new();
        let mut first = 0;
        for &(ofs, until) in fulls.iter().chain(&[(usize::MAX, NEVER)]) {
            let end = self.0.partition_point(|gap| gap.ofs < ofs);
            // The first of several has lost the most.
            if let Some(gap) = self.0.get(first..end).and_then(<[Gap]>::first) {
                ranges.push(gap.begin(records)..until);
            }
            first = first.max(end);
        }
        ranges.retain(|range| !range.is_empty());
        ranges.sort_by_key(|range| range.start);
        ranges.dedup_by(|later, earlier| {
            let overlaps = later.start <= earlier.end;
            if overlaps {
                earlier.end = earlier.end.max(later.end);
            }
            overlaps
        });
        ranges
    }
}

impl Gap {
    /// From when on a lost record may have been valid. If the domain itself was described at the time of the last sound
    /// record, that description is valid at that moment.
    fn begin(&self, records: &[(Stamp, usize)]) -> Stamp {
        let Some(after) = self.after else { return Stamp::default() };
        let at = records.partition_point(|(time, _)| *time < after);
        let is_described = records.get(at).is_some_and(|(time, ofs)| *time == after && *ofs < self.ofs);
        Stamp(after.0.saturating_add(u64::from(is_described)))
    }
}

/// Whether damage may have been a record of an instance domain. `end` is where the next sound record begins.
pub(crate) fn may_be_domain(bytes: &[u8], start: usize, end: usize, error: &FormatError) -> bool {
    let kind = be_u32(bytes, start.saturating_add(4));
    if !matches!(kind, Some(kind::METRIC | kind::LABELS_2 | kind::TEXT | kind::LABELS_3)) {
        return true;
    }
    // The file ends inside it; or one of its two lengths says that it is all that was lost.
    let is_last = end == bytes.len() && matches!(error, FormatError::Truncated { .. });
    let len = Some((end - start) as u32);
    let is_alone = be_u32(bytes, start) == len || be_u32(bytes, end.saturating_sub(4)) == len;
    !is_last && !is_alone
}
