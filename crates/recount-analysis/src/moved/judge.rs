//! Whether one series moved, and how.

use std::ops::Range;

use super::calm::exceptions;
use super::chance::{deviation, least_by_ranks, mean, median, memory, student};
use super::earlier::since_left;
use super::event::event;
use super::parts::{LEAST_FOR_SHAPE, Parts, Sides, sorted};
use super::runs::{Runs, Usual, runs};
use super::shift::{Kind, Shift};
use super::stepped::{Stepped, joined, stepped};
use super::trend::{end_of_way, trend};
use super::unsteady::of_spread;
use crate::diff::significance::{apart, kolmogorov};

/// What is known of one series.
#[derive(Clone, Debug)]
pub(super) enum Judged {
    /// It has one value throughout.
    Still,
    /// It has too few values on a side.
    Few,
    /// It was compared, and what was found.
    Compared(Option<Shift>),
    /// It changed as it did often in the time it is compared with.
    Often,
}

/// Values that are needed before and in the span.
const LEAST: (usize, usize) = (2, 1);
/// With fewer values before, only ranks are trusted.
const LEAST_BASE: usize = 20;
/// Shorter events are judged by ranks only: a single outlier is common.
const LEAST_LONG: usize = 3;
/// The least effect that counts.
const LEAST_EFFECT: f64 = 3.0;

/// An effect that single values show clearly.
const CLEAR: f64 = 5.0;

/// A spread that is less likely by chance is what happened, if values go both ways.
const SURE: f64 = 1e-3;

/// Judges the means of a series: those before come first. NaN: no value.
pub(super) fn judge(values: &[f64], sides: &Sides) -> Judged {
    let Sides { num_before, usual, is_later, .. } = sides.clone();
    let (before, inside) = (&values[usual.clone()], &values[num_before..]);
    let present = |part: &[f64]| part.iter().copied().filter(|value| !value.is_nan()).collect::<Vec<f64>>();
    let (base, new) = (present(before), present(inside));
    if base.len() < LEAST.0 || new.len() < LEAST.1 {
        return Judged::Few;
    }
    let trend = if is_later { None } else { trend(before) };
    let (base, new, flat) = match trend {
        None => (base, new, values.to_vec()),
        Some(trend) => {
            let flat: Vec<f64> =
                values.iter().enumerate().map(|(at, value)| value - trend.rise * sides.place(at)).collect();
            (present(&flat[usual]), present(&flat[num_before..]), flat)
        }
    };
    // What rises without any noise isn't still.
    let first = base[0].to_bits();
    if trend.is_none() && base.iter().chain(&new).all(|value| value.to_bits() == first) {
        return Judged::Still;
    }
    if trend.is_none()
        && let Some(shift) = against_calm(&new, values, sides)
    {
        return Judged::Compared(Some(shift));
    }
    let parts = Parts::of(base, new, trend);
    let mut level = level(&parts, (&flat, values), values, sides);
    let mut is_often = false;
    if parts.may_step() && level.as_ref().is_none_or(|level| level.effect.abs() < CLEAR) {
        match stepped(values, sides, parts.independent().0 >= LEAST_FOR_SHAPE) {
            Some(Stepped::To(step)) => level = Some(joined(level, step)),
            Some(Stepped::Often) => is_often = true,
            None => {}
        }
    }
    let spread = of_spread(&parts, values.len(), num_before);
    if is_often && level.is_none() && spread.is_none() {
        return Judged::Often;
    }
    Judged::Compared(match (level, spread) {
        (Some(_), Some(spread)) if spread.probability < SURE && spread.is_up && goes_both_ways(&parts) => {
            Some(spread)
        }
        (level, spread) => level.or(spread),
    })
}

/// A change of the level against the calm part of the time before, if a few stretches of it were far away from the rest: they make
/// its spread so large that hardly any change would count.
fn against_calm(new: &[f64], values: &[f64], sides: &Sides) -> Option<Shift> {
    let exceptions = exceptions(values, sides)?;
    let calm = exceptions.calm[sides.usual.clone()].iter().copied().filter(|value| !value.is_nan()).collect();
    let parts = Parts::of(calm, new.to_vec(), None);
    let shift = level(&parts, (values, values), &exceptions.calm, sides)?;
    exceptions.checked(shift, values, sides).filter(|shift| shift.probability < SURE)
}

/// Whether values are far away on both sides: they vary more, at the same level.
fn goes_both_ways(parts: &Parts) -> bool {
    const FAR: f64 = 2.0;
    const LEAST: usize = 3;
    let count = |sign: f64| {
        parts.new.iter().filter(|value| sign * (**value - parts.middle) > FAR * parts.scale).count()
    };
    let (up, down) = (count(1.0), count(-1.0));
    up.min(down) >= LEAST && 3 * up.min(down) >= up.max(down)
}

/// Whether it went to other values. `flat`: its values without the trend before; `calm`: without what isn't usual before.
fn level(parts: &Parts, (flat, values): (&[f64], &[f64]), calm: &[f64], sides: &Sides) -> Option<Shift> {
    let num_before = sides.num_before;
    let distances: Vec<f64> = flat.iter().map(|value| (value - parts.middle) / parts.scale).collect();
    let event = event(&distances[num_before..])?;
    let present = |places: &mut dyn Iterator<Item = usize>, of: &[f64]| -> Vec<f64> {
        places.map(|at| of[at]).filter(|value| !value.is_nan()).collect()
    };
    let bins = num_before + event.bins.start..num_before + event.bins.end;
    let of_event = present(&mut bins.clone(), flat);
    let effect = (median(of_event.clone()) - parts.middle) / parts.scale;
    let is_as_said = if event.is_up { effect >= LEAST_EFFECT } else { effect <= -LEAST_EFFECT };
    if !is_as_said {
        return None;
    }
    // All that is said of it, its begin, its values and its end, is that of these runs.
    let found = runs_of_level(&distances, bins, effect, (parts, sides));
    let places = || found.runs.iter().cloned().flatten();
    // Values as they are; what was before is where its trend leads to.
    let shown = present(&mut places(), values);
    let before = match parts.trend {
        None => median(present(&mut sides.usual.clone(), values)),
        Some(trend) => median(places().map(|at| parts.middle + trend.rise * sides.place(at)).collect()),
    };
    let after = median(shown.clone());
    // In the middle of a rise it isn't what it was before the span.
    let way =
        if sides.is_later || parts.trend.is_some() { None } else { end_of_way(&calm[sides.usual.clone()]) };
    if let Some((end, noise)) = way
        && (after - end) * effect.signum() < LEAST_EFFECT * noise
    {
        return None;
    }
    let reach = |one: f64, other: f64| if event.is_up { one.max(other) } else { one.min(other) };
    let shift = Shift {
        kind: Kind::Level,
        before: way.map_or(before, |(end, _)| end),
        is_of_trend: parts.trend.is_some(),
        is_after_way: way.is_some(),
        after,
        extreme: shown.into_iter().reduce(reach)?,
        effect,
        probability: chance_of_level(parts, effect, of_event.len(), event.is_up),
        is_up: event.is_up,
        bins: found.runs.first()?.start..found.runs.last()?.end,
        onset: found.onset,
        spells: found.runs,
        is_step: false,
        is_from_flat: parts.is_flat,
        is_rough: false,
        compared: None,
        again: None,
    };
    // Where a trend or a way leads is no level to compare others with.
    let is_of_level = parts.trend.is_none() && way.is_none();
    Some(if is_of_level { since_left(shift, values, parts, sides) } else { shift })
}

/// The runs of values of a level that reach into the span; the first may begin before it. At least the part that stands out.
fn runs_of_level(
    distances: &[f64],
    bins: Range<usize>,
    effect: f64,
    (parts, sides): (&Parts, &Sides),
) -> Runs {
    let num_before = sides.num_before;
    let is_continued = sides.is_joined && !sides.is_later;
    let first = if is_continued { 0 } else { num_before };
    let values: Vec<f64> = distances[first..].iter().map(|distance| distance * effect.signum()).collect();
    let usual = Usual { memory: memory(&parts.base), is_first: !sides.is_later };
    let event = bins.start - first..bins.end - first;
    let found = runs(&values, event, num_before - first, usual);
    found.map_or_else(
        || {
            let known = bins.clone().filter(|at| !distances[*at].is_nan());
            let (from, to) = (known.clone().min().unwrap_or(bins.start), known.max().unwrap_or(bins.start));
            let run = from..to + 1;
            Runs { runs: vec![run], onset: (from, from) }
        },
        |found| found.moved(first),
    )
}

/// The probability of such a level by chance: the least of three tests, times three.
fn chance_of_level(parts: &Parts, effect: f64, len: usize, is_up: bool) -> f64 {
    let (of_base, of_new) = parts.independent();
    let counted = |sorted: &[f64]| sorted.iter().map(|value| (*value, 1)).collect::<Vec<(f64, u64)>>();
    let distance = apart(&counted(&parts.sorted_base), &counted(&sorted(&parts.new)))
        .map_or(0.0, |apart| apart.distance);
    let by_ranks = kolmogorov(distance, of_base, of_new).max(least_by_ranks(of_base, of_new));
    if parts.is_flat || parts.is_sparse || parts.base.len() < LEAST_BASE || len < LEAST_LONG {
        return by_ranks;
    }
    if of_base < LEAST_FOR_SHAPE {
        // A counter that drifts may go on drifting, but not this far. How long it stays there says nothing.
        const FAR: f64 = 20.0;
        let is_far = effect.abs() >= FAR;
        let by_height =
            if is_far { chance_of_height(parts, (of_base, of_new), effect, 1, is_up) } else { 1.0 };
        return (2.0 * by_ranks.min(by_height)).min(1.0);
    }
    let error = deviation(&parts.base).max(parts.scale) * (1.0 / of_base + 1.0 / of_new).sqrt();
    let by_means = student((mean(&parts.new) - mean(&parts.base)) / error, of_base - 1.0);
    let by_height = chance_of_height(parts, (of_base, of_new), effect, len, is_up);
    (3.0 * by_ranks.min(by_means).min(by_height)).min(1.0)
}

/// The probability of a height that nothing before had, if distances have the tails of Student's distribution with 4
/// degrees of freedom: counters have more outliers than normal values.
fn chance_of_height(
    parts: &Parts,
    (of_base, of_new): (f64, f64),
    effect: f64,
    len: usize,
    is_up: bool,
) -> f64 {
    const FREEDOM: f64 = 4.0;
    /// How much higher it has to be than anything before.
    const BEYOND: f64 = 1.2;
    let highest = if is_up { parts.sorted_base.last() } else { parts.sorted_base.first() };
    let highest = highest.map_or(0.0, |value| (value - parts.middle).abs() / parts.scale);
    if effect.abs() < BEYOND * highest {
        return 1.0;
    }
    let memory = parts.base.len() as f64 / of_base;
    let weight = (len as f64 / memory).max(1.0).sqrt();
    (of_new * student(effect * weight, FREEDOM)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::noise;

    fn sides(num_before: usize) -> Sides {
        Sides { num_before, usual: 0..num_before, is_later: false, is_joined: true, lag: 0.0 }
    }

    fn shift(values: &[f64], num_before: usize) -> Option<Shift> {
        match judge(values, &sides(num_before)) {
            Judged::Compared(shift) => shift,
            _ => None,
        }
    }

    #[test]
    fn a_step_is_found_with_its_begin_and_size() {
        let mut random = noise(3);
        let values: Vec<f64> =
            (0..250).map(|at| if (210..240).contains(&at) { 80.0 } else { 10.0 } + random()).collect();
        let found = shift(&values, 200).expect("it moved");
        assert_eq!((found.kind, found.is_up, found.bins.clone()), (Kind::Level, true, 210..240));
        assert!((found.before - 10.0).abs() < 0.5 && (found.after - 80.0).abs() < 1.0, "{found:?}");
        assert!(found.probability < 1e-9 && found.effect > 40.0, "{found:?}");
        assert_eq!(found.spells, vec![Range { start: 210, end: 240 }]);
    }

    /// The values are those of `scipy.stats.ks_2samp`: of 40 and 60 values, exact, and 2 of the choices of 3 from 11.
    #[test]
    fn ranks_have_known_probabilities() {
        let of_ranks = kolmogorov(17.0 / 30.0, 40.0, 60.0);
        assert!((of_ranks / 1.394e-7).ln().abs() < 0.3, "{of_ranks:e}");
        assert!((least_by_ranks(8.0, 3.0) - 2.0 / 165.0).abs() < 1e-9);
        assert!(least_by_ranks(1.0, 1.0) <= 1.0);
    }

    #[test]
    fn noise_does_not_move() {
        let mut num_found = 0;
        for seed in 1..=400 {
            let mut random = noise(seed);
            let mut value = 0.0;
            let values: Vec<f64> = (0..250)
                .map(|_| {
                    value = 0.8 * value + random();
                    20.0 + value
                })
                .collect();
            num_found += u32::from(shift(&values, 200).is_some_and(|shift| shift.probability < 1e-3));
        }
        assert!(num_found <= 2, "{num_found} of 400");
    }

    #[test]
    fn a_steady_trend_goes_on() {
        let mut random = noise(5);
        let rising: Vec<f64> = (0..250).map(|at| 100.0 * f64::from(at) + random()).collect();
        assert!(shift(&rising, 200).is_none_or(|shift| shift.probability > 0.01));
        let stops: Vec<f64> = (0..250).map(|at| 100.0 * f64::from(at.min(210)) + random()).collect();
        let found = shift(&stops, 200).expect("it stopped");
        assert!(!found.is_up && found.is_of_trend && found.probability < 1e-3, "{found:?}");
        // Of the places where it stands out the trend leads to 23,000 or so; it had 10,000 in the middle before.
        assert!((found.before - 23_000.0).abs() < 700.0 && (found.after - 21_000.0).abs() < 5.0, "{found:?}");
    }

    #[test]
    fn what_never_moved_is_judged_by_ranks() {
        let mut values = vec![0.0; 250];
        values[220] = 5.0;
        assert!(shift(&values, 200).is_none_or(|shift| shift.probability > 0.1), "one blip");
        values[200..].fill(5.0);
        let found = shift(&values, 200).expect("a step");
        assert!(found.probability < 1e-5 && (found.before, found.after) == (0.0, 5.0), "{found:?}");
        assert!(matches!(judge(&[7.0; 250], &sides(200)), Judged::Still));
    }

    #[test]
    fn few_values_cannot_rule_out_chance() {
        let values = [1.0, 1.2, 0.9, 1.1, 1.0, 0.8, 1.3, 1.1, 99.0, 98.0, 97.0];
        let found = shift(&values, 8).expect("it looks like it");
        assert!(found.probability > 0.009, "1 of 165 choices, twice: {found:?}");
        assert!(matches!(judge(&[1.0, f64::NAN, f64::NAN, 9.0], &sides(3)), Judged::Few));
    }

    /// Forty values that drift are few independent ones, but not so few that eight times as much could be drift.
    #[test]
    fn a_drifting_counter_that_leaps_moved() {
        let before: [f64; 40] = std::array::from_fn(|at| [200.0, 201.0, 197.0, 195.0, 198.0][at / 8]);
        let values = |after: f64| before.into_iter().chain([after; 9]).collect::<Vec<f64>>();
        let found = shift(&values(1_699.0), 40).expect("it leapt");
        assert!(found.probability < 1e-7, "{found:?}");
        let drifts = shift(&values(208.0), 40);
        assert!(drifts.is_none_or(|shift| shift.probability > 1e-3));
    }

    /// The same middle, but five times the spread.
    #[test]
    fn a_counter_that_varies_more_is_found() {
        let mut random = noise(11);
        let spread = |at: i32| if at < 240 { 1.0 } else { 5.0 };
        let values: Vec<f64> = (0..300).map(|at| 50.0 + random() * spread(at)).collect();
        let found = shift(&values, 240).expect("it varies more");
        assert_eq!((found.kind, found.is_up), (Kind::Spread, true));
        assert!(found.probability < 1e-4, "{found:?}");
    }

    /// What comes first is later: a trend of it says nothing about the span, and its end isn't the begin of the event.
    #[test]
    fn nothing_is_continued_from_a_later_time() {
        let mut values: Vec<f64> = (0..200).map(f64::from).collect();
        values.extend([500.0; 50]);
        let later = Sides { is_later: true, ..sides(200) };
        let Judged::Compared(Some(found)) = judge(&values, &later) else { panic!("it differs") };
        assert_eq!((found.bins, found.is_of_trend), (200..250, false));
        assert!((found.before - 99.5).abs() < 1e-9, "{}", found.before);
    }

    #[test]
    fn an_unsteady_counter_is_found() {
        let mut random = noise(9);
        let spread = |at: i32| if at < 200 { 1.0 } else { 0.05 };
        let values: Vec<f64> = (0..300).map(|at| 50.0 + random() * spread(at)).collect();
        let found = shift(&values, 200).expect("it is steady now");
        assert_eq!((found.kind, found.is_up), (Kind::Spread, false));
        assert!(found.probability < 1e-4, "{found:?}");
    }
}
