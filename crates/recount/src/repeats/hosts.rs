//! Captures of machines with different names that have the same values: one of the names is damaged.

use recount_model::{Selection, Source};

use super::rows::{Pair, Rows};
use super::times;
use crate::Capture;

/// Whether two captures, each of one machine, have the same times, and the same values in the first sample and in the last.
pub(super) fn has_same_values_of_another_host(earlier: &Capture, later: &Capture) -> bool {
    let hosts = [earlier, later].map(|capture| capture.source.info().hosts.as_slice());
    let ([one], [other]) = (hosts[0], hosts[1]) else { return false };
    let is_alike = one != other
        && earlier.format == later.format
        && times(earlier).len() == times(later).len()
        && times(earlier).iter().zip(times(later)).all(|(one, other)| one.utc == other.utc)
        && earlier.source.counts_since(0).is_same(later.source.counts_since(0));
    let last = times(earlier).len().saturating_sub(1) as u32;
    is_alike && [0, last].into_iter().all(|sample| has_same_sample(&*earlier.source, &*later.source, sample))
}

fn has_same_sample(earlier: &dyn Source, later: &dyn Source, sample: u32) -> bool {
    let decoded = [earlier, later].map(|source| source.decode(&[sample], &Selection::all()));
    let rows = || [Rows::of(earlier, &decoded[0]), Rows::of(later, &decoded[1])];
    let ([of, others], [back_of, back_others]) = (rows(), rows());
    let time = earlier.times()[sample as usize].utc;
    let share = Pair::of_any_hosts(of, others).share(time);
    let back = Pair::of_any_hosts(back_others, back_of).share(time);
    share.num_same > 0 && share.is_all() && back.is_all()
}
