//! Computed values beside several parts of the recording that they were made from. They are compared with the parts together: the rates
//! of a part alone are over other intervals, where another part has samples in between or before.

use super::compared::Compared;
use super::{ComparedPair, Repeats, times};
use crate::Capture;

/// Compares those pairs again that seemed to differ: at the times of the pair, with what is computed of all parts around them.
pub(super) fn compare_with_parts_together(captures: &[Capture], all: &[Repeats], pairs: &mut [ComparedPair]) {
    let is_cooked = |capture: usize| captures[capture].source.info().is_cooked;
    for pair in pairs.iter_mut().filter(|pair| pair.compared.has_other_values()) {
        let is_turned = is_cooked(pair.earlier);
        let (raw, cooked) = if is_turned { (pair.later, pair.earlier) } else { (pair.earlier, pair.later) };
        if is_cooked(raw) || !is_cooked(cooked) {
            continue;
        }
        let is_part = |part: &usize| {
            *part != raw
                && !is_cooked(*part)
                && all[*part].is_of_same_recording(&all[raw])
                && reaches(&captures[*part], &captures[raw], &captures[cooked])
        };
        let others: Vec<Capture> =
            (0..captures.len()).filter(is_part).map(|part| captures[part].clone()).collect();
        if !others.is_empty() {
            let compare =
                |parts: &[Capture]| Compared::of_computed(parts, &*captures[cooked].source, is_turned);
            let parts = [std::slice::from_ref(&captures[raw]), &others].concat();
            pair.compared = captures[cooked].comparisons.of_parts(&parts, &captures[cooked], compare);
        }
    }
}

/// Whether a part has samples within the intervals that another part shares with computed values, the first of which begins before that part.
fn reaches(part: &Capture, raw: &Capture, cooked: &Capture) -> bool {
    let ends = |capture: &Capture| Some((times(capture).first()?.utc, times(capture).last()?.utc));
    let (Some((begin, end)), Some((first, last))) = (ends(part), ends(raw)) else { return false };
    let before = times(cooked).partition_point(|time| time.utc < first).checked_sub(1);
    let from = before.map_or(first, |before| times(cooked)[before].utc);
    begin <= last && from <= end
}
