//! Samples that are in two captures: the last of one day is often the first of the next, a file may be next to its copy,
//! and a circular log is copied more than once.
//!
//! The rule (`formats/tables.md#several-captures`): identical values of one time are one. A sample is left out if another
//! capture of its recording has each of its values. If captures contradict each other, both values are kept.

mod begun;
mod compared;
mod displaced;
mod holes;
mod hosts;
mod recordings;
mod renamed;
mod rows;
mod together;

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{CountsSince, SampleTime};

use self::begun::add_epochs_begun;
pub(crate) use self::compared::Comparisons;
use self::compared::{Compared, Doubtful, Names};
use self::hosts::has_same_values_of_another_host;
use self::recordings::Recordings;
use self::together::compare_with_parts_together;
use crate::Capture;

/// What a capture shares with others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats {
    /// Samples that are counted in another capture: their indices, ascending.
    pub(crate) samples: Vec<u32>,
    /// The capture that has most of them, and how many it has.
    pub(crate) most: Option<(usize, usize)>,
    /// The capture that has the parts of most of its values over longer intervals, and of how many samples.
    pub(crate) longer: Option<(usize, usize)>,
    /// A capture of the same machine, time and counters with samples of its own, and whether some of them have the same times:
    /// two recorders ran at once.
    pub(crate) beside: Option<(usize, bool)>,
    /// A capture that has other values at the same times.
    pub(crate) contradicted: Option<Contradiction>,
    /// The capture that has most samples of this one, but not these few.
    pub(crate) doubtful: Option<Doubt>,
    /// A sample with the values that another capture has at another time.
    pub(crate) displaced: Option<DisplacedSample>,
    /// A capture that has the same values under another machine's name.
    pub(crate) other_host: Option<usize>,
    /// A capture that has the same values under other names: its number, a counter of this capture, and the other's.
    pub(crate) renamed: Option<(usize, String, String)>,
    /// The recording that an epoch of this capture is a part of, if other captures have some of the same samples.
    pub(crate) recordings: BTreeMap<u32, usize>,
    /// Samples with which another capture of the recording begins an epoch, as this one doesn't.
    pub(crate) begun: Vec<u32>,
}

/// Samples of a capture that differ from those of another, though most are the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubt {
    pub(crate) other: usize,
    pub(crate) num: usize,
    /// Whether only this capture is damaged: the other one's samples are used.
    pub(crate) is_damage: bool,
}

/// Samples of two captures with the same values at different times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DisplacedSample {
    pub(crate) other: usize,
    pub(crate) num: usize,
    /// The time of the first, and the one that the other capture has.
    pub(crate) time: SampleTime,
    pub(crate) time_of_other: SampleTime,
    /// Whether only the other one's samples are used, since only this capture is damaged, since its samples have an unusual time, or since they
    /// are at nearly the same time.
    pub(crate) is_left_out: bool,
    /// Whether it isn't known which of the two times is false.
    pub(crate) is_either: bool,
}

/// Samples at the same times whose values differ.
#[derive(Clone, Debug)]
pub(crate) struct Contradiction {
    pub(crate) other: usize,
    pub(crate) num: usize,
    /// The time of the first, and a counter that differs.
    pub(crate) time: SampleTime,
    pub(crate) path: String,
}

/// Two captures, the earlier one first, and what they have at the same times.
struct ComparedPair {
    earlier: usize,
    later: usize,
    compared: Arc<Compared>,
}

impl ComparedPair {
    /// Whether neither has values that another program computed.
    fn is_raw(&self, captures: &[Capture]) -> bool {
        [self.earlier, self.later].iter().all(|capture| !captures[*capture].source.info().is_cooked)
    }

    /// Samples of either capture that have their values at another time in the other, which is the right one: the other capture is
    /// sound, or the time is an unusual one.
    fn samples_with_false_times(&self) -> impl Iterator<Item = (usize, u32)> {
        self.compared.displaced.iter().filter_map(|displaced| {
            let Doubtful { is_damage, is_of_later, .. } = self.compared.doubtful;
            let either = displaced.is_moment.then_some(true);
            let is_of_later = if is_damage { is_of_later } else { displaced.is_later_unusual.or(either)? };
            Some(if is_of_later {
                (self.later, displaced.of_later)
            } else {
                (self.earlier, displaced.of_earlier)
            })
        })
    }
}

/// What each capture shares with the others.
pub(crate) fn repeats(captures: &[Capture]) -> Vec<Repeats> {
    let mut all = vec![Repeats::default(); captures.len()];
    let mut order: Vec<usize> = (0..captures.len()).collect();
    order.retain(|&capture| !times(&captures[capture]).is_empty());
    order.sort_by_key(|&capture| {
        let (source, times) = (&captures[capture].source, times(&captures[capture]));
        // Of two with the same samples the sound one counts: the other may have lost what its values mean.
        let is_damaged = !source.info().is_cooked && !source.health().is_complete();
        (times.first().map(|time| time.utc), std::cmp::Reverse(times.len()), is_damaged)
    });
    let mut pairs: Vec<ComparedPair> = Vec::new();
    // Whoever shares samples with a plain copy shares them with what it is a copy of: so copies of one capture are compared with that
    // only, and not with each other.
    let mut compared_with: Vec<usize> = Vec::new();
    for &later in &order {
        let after = &captures[later];
        let begin = times(after).first().map(|time| time.utc);
        // What ends before this one begins ends before all that follow, too.
        compared_with.retain(|earlier| times(&captures[*earlier]).last().map(|time| time.utc) >= begin);
        let mut is_copy = false;
        for &earlier in &compared_with {
            let before = &captures[earlier];
            if is_begun_a_moment_early(before, after) {
                all[later].add(earlier, &[0], 1);
            } else if may_share(before, after) {
                let compared = after.comparisons.of(before, after);
                is_copy = compared.has_nothing_new(times(after).len()) && is_sound(after);
                pairs.push(ComparedPair { earlier, later, compared });
                if is_copy {
                    break;
                }
            } else if all[later].other_host.is_none() && has_same_values_of_another_host(before, after) {
                all[later].other_host = Some(earlier);
            }
        }
        if !is_copy {
            compared_with.push(later);
        }
    }
    let filled = holes::filled(captures, &pairs);
    Recordings::of(captures, pairs.iter().chain(&filled)).write_to(&mut all);
    compare_with_parts_together(captures, &all, &mut pairs);
    for pair in &pairs {
        add_epochs_begun(captures, pair, &mut all);
        add_pair(captures, &mut all, pair);
    }
    for repeats in &mut all {
        repeats.samples.sort_unstable();
        repeats.samples.dedup();
    }
    all
}

impl Repeats {
    fn add(&mut self, other: usize, found: &[u32], num: usize) {
        if num > 0 && self.most.map_or(0, |(_, most)| most) < num {
            self.most = Some((other, num));
        }
        self.samples.extend(found);
    }

    fn is_of_same_recording(&self, other: &Repeats) -> bool {
        self.recordings.values().any(|recording| other.recordings.values().any(|other| other == recording))
    }
}

fn add_pair(captures: &[Capture], all: &mut [Repeats], pair: &ComparedPair) {
    let &ComparedPair { earlier, later, ref compared } = pair;
    // A sample without any value says nothing about where it comes from.
    let is_known = compared.has_same;
    let is_of_same_recording = all[later].is_of_same_recording(&all[earlier]);
    if is_known {
        // Of raw values of two recordings, each is compared with the one before in its own.
        let is_raw = pair.is_raw(captures);
        let recording = |capture: usize, sample: usize| {
            all[capture].recordings.get(&captures[capture].source.epoch(sample)).copied()
        };
        let is_copy = |of: usize, other: usize, sample: usize| {
            let (time, others) = (times(&captures[of])[sample].utc, times(&captures[other]));
            let place = others.partition_point(|other| other.utc < time);
            recording(of, sample).is_some_and(|number| recording(other, place) == Some(number))
        };
        let left_out = |of: usize, other: usize, samples: &[u32]| -> Vec<u32> {
            // Of a capture without anything of its own nothing is left that could be compared: it may have lost that a clock was set.
            let is_whole = samples.len() == times(&captures[of]).len();
            let is_left_out = |sample: &u32| !is_raw || is_whole || is_copy(of, other, *sample as usize);
            samples.iter().copied().filter(is_left_out).collect()
        };
        let of_later = left_out(later, earlier, &compared.of_later);
        let of_earlier = left_out(earlier, later, &compared.of_earlier);
        all[later].add(earlier, &of_later, compared.num_of_later);
        all[earlier].add(later, &of_earlier, compared.num_of_earlier);
    }
    let num_doubtful = compared.doubtful.samples.len();
    let is_damage = compared.doubtful.is_damage;
    let (of, other) = if compared.doubtful.is_of_later { (later, earlier) } else { (earlier, later) };
    if num_doubtful > all[of].doubtful.map_or(0, |most| most.num) {
        all[of].doubtful = Some(Doubt { other, num: num_doubtful, is_damage });
    }
    add_displaced(captures, all, pair);
    if let Names::Differing(own, others) = &compared.names
        && is_known
        && compared.first_difference.is_none()
    {
        all[later].renamed.get_or_insert_with(|| (earlier, own.clone(), others.clone()));
    }
    for (of, other, num) in
        [(later, earlier, compared.num_longer_of_later), (earlier, later, compared.num_longer_of_earlier)]
    {
        let most = all[of].longer.map_or(0, |(_, most)| most);
        if num > most {
            all[of].longer = Some((other, num));
        }
    }
    if let (Some((time, path)), None) = (&compared.first_difference, &all[later].contradicted) {
        let (num, path) = (compared.num_differing, path.clone());
        all[later].contradicted = Some(Contradiction { other: earlier, num, time: *time, path });
    }
    let is_reported =
        is_known || is_of_same_recording || all[later].contradicted.is_some() || all[later].beside.is_some();
    if !is_reported && is_beside(&captures[earlier], &captures[later]) {
        all[later].beside = Some((earlier, compared.num_common > 0));
    }
}

/// Samples with the same values at different times. One with a false time is left out.
fn add_displaced(captures: &[Capture], all: &mut [Repeats], pair: &ComparedPair) {
    let wrong: Vec<(usize, u32)> = pair.samples_with_false_times().collect();
    for displaced in &pair.compared.displaced {
        let [earlier, later] = [(pair.earlier, displaced.of_earlier), (pair.later, displaced.of_later)];
        let (one, other) = if wrong.contains(&earlier) { (earlier, later) } else { (later, earlier) };
        let is_left_out = wrong.contains(&one);
        let [time, time_of_other] =
            [one, other].map(|(capture, sample)| times(&captures[capture])[sample as usize]);
        let is_either = displaced.is_later_unusual.is_none() && !pair.compared.doubtful.is_damage;
        let new = DisplacedSample { other: other.0, num: 0, time, time_of_other, is_left_out, is_either };
        all[one.0].displaced.get_or_insert(new).num += 1;
        if is_left_out {
            all[one.0].samples.push(one.1);
        }
    }
}

/// Whether two captures have values at the same times that are the same, and none that differ.
pub(crate) fn has_same_values(one: &Capture, other: &Capture) -> bool {
    let compared = Compared::of(one, other);
    compared.has_same && compared.first_difference.is_none()
}

/// Whether both have a machine in common, or neither names one.
pub(crate) fn may_share(earlier: &Capture, later: &Capture) -> bool {
    let (one, other) = (earlier.source.info(), later.source.info());
    let is_same_host = (one.hosts.is_empty() && other.hosts.is_empty())
        || one.hosts.iter().any(|host| other.hosts.contains(host));
    is_same_host && one.is_zone_unknown == other.is_zone_unknown
}

fn is_sound(capture: &Capture) -> bool {
    capture.source.health().is_complete()
}

fn times(capture: &Capture) -> &[SampleTime] {
    capture.source.times()
}

/// Yesterday's file is closed a moment after today's begins, whose first sample then stands for the same moment.
fn is_begun_a_moment_early(earlier: &Capture, later: &Capture) -> bool {
    /// Of the time between two samples.
    const MOMENT: i64 = 5;
    let (before, after) = (times(earlier), times(later));
    let (Some(last), [first, second, ..]) = (before.last(), after) else { return false };
    let early = last.utc.0.saturating_sub(first.utc.0);
    early > 0
        && second.utc > last.utc
        && early <= second.utc.0.saturating_sub(first.utc.0) / MOMENT
        && is_same_recording(earlier, later)
}

/// Whether both recorded the same counters of one machine for more than a moment.
fn is_beside(earlier: &Capture, later: &Capture) -> bool {
    let (Some(begin), Some(end)) = (times(later).first(), times(earlier).last()) else { return false };
    let num_before = times(earlier).iter().rev().take_while(|time| time.utc >= begin.utc).count();
    let num_after = times(later).iter().take_while(|time| time.utc <= end.utc).count();
    num_before > 1 && num_after > 1 && is_same_host(earlier, later) && {
        let known = counters(earlier);
        counters(later).iter().any(|(object, names)| {
            let of_both = known.binary_search_by(|(known, _)| known.cmp(object)).map(|at| &known[at].1);
            of_both.is_ok_and(|known| names.iter().any(|name| known.contains(name)))
        })
    }
}

fn is_same_host(earlier: &Capture, later: &Capture) -> bool {
    let hosts = |capture: &Capture| capture.source.info().hosts.clone();
    hosts(earlier).len() == 1 && hosts(earlier) == hosts(later)
}

/// Whether the same recorder may have made both, of one machine.
fn has_same_counters(earlier: &Capture, later: &Capture) -> bool {
    earlier.format == later.format && is_same_host(earlier, later) && counters(earlier) == counters(later)
}

fn is_same_recording(earlier: &Capture, later: &Capture) -> bool {
    let Some(begin) = times(later).first().map(|time| time.utc) else { return false };
    let next = times(earlier).partition_point(|time| time.utc < begin);
    let since_next: CountsSince = earlier.source.counts_since(next);
    later.source.counts_since(0).goes_on(begin, since_next) && has_same_counters(earlier, later)
}

/// Objects and counters, sorted.
fn counters(capture: &Capture) -> Vec<(String, Vec<String>)> {
    let of = |(_, object): &(_, std::sync::Arc<recount_model::ObjectDef>)| {
        (object.name.to_string(), object.counters.iter().map(|counter| counter.name.to_string()).collect())
    };
    let mut all: Vec<_> = capture.source.objects().iter().map(of).collect();
    all.sort();
    all
}
