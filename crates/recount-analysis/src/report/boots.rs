//! When machines were booted, by how long they have been up: where the format doesn't say it.

use recount_model::Timestamp;

use super::observe::Observed;
use crate::moved::{Axis, Track};

impl Observed {
    /// Adds the boots between two samples that `System Up Time` tells.
    pub(super) fn add_boots(&mut self) {
        /// Seconds: two times of a boot that are nearer are one.
        const NEAR: f64 = 180.0;
        let (candidates, ids) = self.candidates();
        let mut found: Vec<(Timestamp, String)> = Vec::new();
        for (candidate, id) in candidates.iter().zip(ids) {
            if !(candidate.object.eq_ignore_ascii_case("System")
                && candidate.counter.eq_ignore_ascii_case("System Up Time"))
            {
                continue;
            }
            let boots = self.tracks.of(id).map_or_else(Vec::new, |track| boots(track, &self.axis));
            found.extend(boots.into_iter().map(|boot| (boot, candidate.host.to_owned())));
        }
        let known = &mut self.facts.restarts;
        found.retain(|(boot, host)| {
            let is_it = |(known, of): &(Timestamp, String)| {
                let is_same = of.is_empty() || host.is_empty() || of.eq_ignore_ascii_case(host);
                is_same && known.seconds_since(*boot).abs() < NEAR
            };
            !known.iter().any(is_it)
        });
        known.extend(found);
        known.sort_unstable();
    }
}

/// The boots that seconds since the last one tell: they are fewer than before.
fn boots(uptime: &Track, axis: &Axis) -> Vec<Timestamp> {
    let Some(means) = uptime.means() else { return Vec::new() };
    let present: Vec<usize> = (0..means.len()).filter(|at| means[*at].is_finite()).collect();
    let mut boots = Vec::new();
    for (place, pair) in present.windows(2).enumerate() {
        let [before, after] = [pair[0], pair[1]];
        let next = present.get(place + 2).copied();
        // A mean of samples before and after it is followed by a smaller one, which has only those after it.
        let is_mixed = axis.bin_samples() > 1 && next.is_some_and(|next| means[next] < means[after]);
        if means[after] >= means[before] || is_mixed {
            continue;
        }
        // Of a mean, the time is its middle.
        let sure = if axis.bin_samples() > 1 { next.unwrap_or(after) } else { after };
        let bin = axis.interval(sure, sure);
        let half_s = if axis.bin_samples() > 1 { bin.end.seconds_since(bin.begin) / 2.0 } else { 0.0 };
        let boot = bin.end.minus_seconds(half_s + means[sure]);
        let earliest = axis.interval(before, before).begin;
        if earliest <= boot && boot <= bin.end {
            boots.push(Timestamp(boot.0 - boot.0.rem_euclid(Timestamp::TICKS_PER_SECOND)));
        }
    }
    boots
}
