//! Computed values beside several parts of the recording that they were made from. They are compared with the parts together: the rates
//! of a part alone are over other intervals, where another part has samples in between.

use std::collections::HashMap;
use std::sync::Arc;

use super::compared::Compared;
use super::{ComparedPair, Repeats, times};
use crate::Capture;

/// Compares those pairs again that seemed to differ.
pub(super) fn compare_with_parts_together(captures: &[Capture], all: &[Repeats], pairs: &mut [ComparedPair]) {
    let is_cooked = |capture: usize| captures[capture].source.info().is_cooked;
    let mut known: HashMap<(usize, Vec<usize>, bool), Arc<Compared>> = HashMap::new();
    for pair in pairs.iter_mut().filter(|pair| pair.compared.has_other_values()) {
        let is_turned = is_cooked(pair.earlier);
        let (raw, cooked) = if is_turned { (pair.later, pair.earlier) } else { (pair.earlier, pair.later) };
        if is_cooked(raw) || !is_cooked(cooked) {
            continue;
        }
        let is_part = |part: &usize| {
            *part == raw
                || !is_cooked(*part)
                    && all[*part].is_of_same_recording(&all[raw])
                    && overlap(&captures[*part], &captures[cooked])
        };
        let parts: Vec<usize> = (0..captures.len()).filter(is_part).collect();
        if parts.len() > 1 {
            let compare = || {
                let parts: Vec<Capture> = parts.iter().map(|part| captures[*part].clone()).collect();
                Arc::new(Compared::of_computed(&parts, &*captures[cooked].source, is_turned))
            };
            let compared = known.entry((cooked, parts.clone(), is_turned)).or_insert_with(compare);
            pair.compared = Arc::clone(compared);
        }
    }
}

fn overlap(one: &Capture, other: &Capture) -> bool {
    let ends = |capture: &Capture| Some((times(capture).first()?.utc, times(capture).last()?.utc));
    let (Some((begin, end)), Some((begin_of_other, end_of_other))) = (ends(one), ends(other)) else {
        return false;
    };
    begin <= end_of_other && begin_of_other <= end
}
