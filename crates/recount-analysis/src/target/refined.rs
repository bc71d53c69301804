//! Counters that seem to move with the target, compared once more by single samples: means of several hide the delay.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use recount_compute::{Cancelled, Input, OnProgress};

use super::observe::{Against, Compared, Course, compared};
use super::ranks::best;
use crate::moved::{Axis, Track, read_tracks};
use crate::report::CaptureFacts;
use crate::stats::{SeriesId, SeriesName, name_of, selection_of};

/// Values of each: five hours at 1 s. Of more samples they are means, too.
const MAX_VALUES: usize = 20_000;
/// How many counters are compared again.
const MAX_REFINED: usize = 200;
/// Bytes that the values of all instances of these counters may take.
pub(super) const MAX_LEN_REFINED: usize = 256 << 20;
/// Delays that are tried, to either side.
const MAX_LAG: i32 = 60;
/// A smaller share of the correlation of means is that of noise.
const LEAST_SHARE: f64 = 0.5;

/// How the counters that are most like the target move with it, by single samples, with their ids in the roster of `against`. Those
/// whose samples say less than their means are left out.
pub(super) fn refined(
    inputs: &[Input],
    facts: &CaptureFacts,
    against: &Against<'_>,
    others: &[Course],
    progress: OnProgress<'_>,
) -> Result<Vec<(SeriesId, Compared)>, Cancelled> {
    let axis = Axis::whole(&facts.times, MAX_VALUES);
    let chosen = chosen(against, others, axis.len());
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let name = |id: SeriesId| name_of(against.roster, id);
    let of_target = name(against.target.id);
    let of_load = against.load.map(|load| name(load.id));
    let wanted: HashMap<SeriesName, (SeriesId, f64)> =
        chosen.into_iter().map(|(id, correlation)| (name(id), (id, correlation))).collect();
    let names: HashSet<SeriesName> = wanted.keys().chain([&of_target]).chain(&of_load).cloned().collect();
    let (roster, tracks, _) = read_tracks(inputs, &facts.rhythm, &selection_of(&names), &axis, progress)?;
    let all: HashMap<SeriesName, (SeriesId, &Track)> = tracks
        .series()
        .filter(|(_, track)| track.means().is_some())
        .map(|(id, track)| (name_of(&roster, id), (id, track)))
        .filter(|(name, _)| names.contains(name))
        .collect();
    let course = |name: &SeriesName| all.get(name).map(|found| Course::new(*found));
    let Some(target) = course(&of_target) else { return Ok(Vec::new()) };
    let load = of_load.as_ref().and_then(course);
    // As far as the means reach.
    let max_lag = (against.max_lag * (against.axis.bin_samples() / axis.bin_samples()) as i32).min(MAX_LAG);
    let fine = Against { roster: &roster, target: &target, load: load.as_ref(), axis: &axis, max_lag };
    let found = wanted.par_iter().filter_map(|(name, (id, correlation))| {
        let found = compared(&fine, &course(name)?)?;
        let is_clear = !found.companion.only_at_peaks
            && found.companion.correlation.abs() >= LEAST_SHARE * correlation.abs();
        is_clear.then_some((*id, found))
    });
    Ok(found.collect())
}

/// Those with the largest correlations, with these.
fn chosen(against: &Against<'_>, others: &[Course], num_values: usize) -> Vec<(SeriesId, f64)> {
    /// Of a correlation by chance, before anything is corrected.
    const MAX_PROBABILITY: f64 = 0.01;
    let mut found: Vec<(SeriesId, f64)> = others
        .par_iter()
        .filter_map(|other| {
            let found = best(&against.target.steps, &other.steps, against.max_lag)?;
            (found.probability < MAX_PROBABILITY).then_some((other.id, found.correlation))
        })
        .collect();
    found.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    found.truncate(MAX_REFINED);
    // All instances of a counter are read.
    let mut num_instances: HashMap<(u32, u32), usize> = HashMap::new();
    for other in others {
        *num_instances.entry((other.id.object, other.id.counter)).or_default() += 1;
    }
    let mut len = 0;
    let mut read: HashSet<(u32, u32)> = HashSet::new();
    found.retain(|(id, _)| {
        let counter = (id.object, id.counter);
        let more = num_instances[&counter] * num_values * size_of::<f64>();
        if !read.contains(&counter) && len + more <= MAX_LEN_REFINED {
            len += more;
            read.insert(counter);
        }
        read.contains(&counter)
    });
    found
}
