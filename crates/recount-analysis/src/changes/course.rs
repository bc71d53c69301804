//! The changes of one series, in its values and times.

use recount_model::Timestamp;

use super::breaks::parted;
use super::fit::{Bin, Fit, ValueStretch, goes_on};
use super::moments::{begin_of, begin_of_bin, is_known_to_sample, time_of};
use super::partition::{Break, Piece};
use super::returns::holds;
use super::scatter::Scatter;
use crate::moved::Interval;

/// A change of a series.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn {
    /// Where the first value after it begins, if it happened at the likeliest place.
    pub(super) at: Timestamp,
    /// The earliest and the latest time.
    pub(super) time: Interval,
    /// Whether no other place fits nearly as well.
    pub(super) is_exact: bool,
    /// When the next one happened: where it most likely did, and the earliest and the latest time.
    pub(super) until: Option<(Timestamp, Interval)>,
    /// Whether values are of single samples, or of so few that the sample is known.
    pub(super) is_of_few: bool,
    pub(super) before: ValueStretch,
    pub(super) after: ValueStretch,
    pub(super) kind: TurnKind,
    /// Its size, in units of the noise about both stretches.
    pub(super) effect: f64,
    pub(super) probability: f64,
    /// Whether it goes back to what was before the change before it.
    pub(super) is_return: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnKind {
    /// To another level.
    Step,
    /// It rises or falls otherwise than before.
    Bend,
}

/// Of the size of a change: what never varies has no noise to measure it by.
const LEAST_NOISE: f64 = 1e-3;

/// The changes of a series in the order of time; `None` if there are too few values, or all are the same.
pub(super) fn turns(bins: &[Bin], most: f64) -> Option<Vec<Turn>> {
    let values: Vec<f64> = bins.iter().map(|bin| bin.value).collect();
    let parted = parted(&values, most)?;
    let scatter = Scatter::of(&values).unwrap_or(Scatter { deviation: 0.0, memory: 1.0 });
    let change = |at: usize| parted.breaks.get(at);
    let fit = |(at, piece): (usize, &Piece)| {
        Fit::of(bins, *piece, [at.checked_sub(1).and_then(change), change(at)])
    };
    let fits: Vec<Fit> = parted.pieces.iter().enumerate().map(fit).collect();
    let (fits, breaks) = gone_on(bins, fits, &parted.breaks);
    let mut turns: Vec<Turn> = Vec::new();
    for (at, found) in breaks.iter().enumerate() {
        let (before, after) = (&fits[at], &fits[at + 1]);
        let next = breaks.get(at + 1);
        let back = if next.is_none() { came_back(bins, before, after) } else { None };
        let until = match next {
            Some(next) => Some((begin_of(bins, next.at, [after, &fits[at + 2]]), time_of(bins, next))),
            None => back.map(|back| (begin_of_bin(&bins[back]), bins[back].interval)),
        };
        let jump = after.at(found.at) - before.at(found.at);
        let noise = before.noise.max(after.noise);
        let most_jump = (3.0 * noise).max(before.least_step()).max(after.least_step());
        let is_bend = (before.is_way() || after.is_way()) && jump.abs() < most_jump;
        let (from, to) = (before.stretch.ends.1, after.stretch.ends.0);
        let size = if is_bend { after.stretch.ends.1 - from } else { to - from };
        // Where it began and ended isn't known better.
        let end = next.map_or(back.unwrap_or(after.end), |next| next.between.0);
        let first = found.between.1.min(after.end - 1);
        // Nothing is said of a time that isn't as the sentence says.
        let is_level = !is_bend && !after.is_way();
        if is_level && !holds(&values[first..end.max(first + 1)], (from, to), scatter) {
            continue;
        }
        let noise = noise.max(LEAST_NOISE * size.abs()).max(f64::MIN_POSITIVE);
        let is_return = at > 0 && {
            let earlier = fits[at - 1].stretch.ends.1;
            (to - earlier).abs() <= 0.25 * (from - earlier).abs()
        };
        turns.push(Turn {
            at: begin_of(bins, found.at, [before, after]),
            time: time_of(bins, found),
            is_exact: found.between.0 == found.between.1,
            until,
            is_of_few: is_known_to_sample(&bins[found.at], [before, after]),
            before: before.stretch,
            after: after.stretch,
            kind: if is_bend { TurnKind::Bend } else { TurnKind::Step },
            effect: size / noise,
            probability: found.probability,
            is_return,
        });
    }
    Some(turns)
}

/// Stretches and the changes between them, with lines that go on across a gap as one.
fn gone_on(bins: &[Bin], fits: Vec<Fit>, breaks: &[Break]) -> (Vec<Fit>, Vec<Break>) {
    let mut kept: Vec<Fit> = Vec::new();
    let mut between: Vec<Break> = Vec::new();
    for (at, fit) in fits.into_iter().enumerate() {
        match kept.last_mut() {
            Some(before) if goes_on(bins, before, &fit) => before.extend(&fit),
            _ => {
                between.extend(at.checked_sub(1).map(|before| breaks[before]));
                kept.push(fit);
            }
        }
    }
    (kept, between)
}

/// The first of the last values, too few for a stretch, if these are back at the level before the last change.
fn came_back(bins: &[Bin], before: &Fit, after: &Fit) -> Option<usize> {
    /// In units of the noise: a single value that is nearer to the level before isn't one of the new level.
    const FAR: f64 = 4.0;
    let (was, is) = (before.stretch.ends.1, after.stretch.ends.0);
    let is_back = |bin: &&Bin| (bin.value - was).abs() < (bin.value - is).abs();
    let num_back = bins.iter().rev().take_while(is_back).count();
    let is_certain = num_back as f64 * (is - was).abs() >= FAR * after.noise;
    if num_back == 0
        || num_back >= after.end - after.first
        || before.is_way()
        || after.is_way()
        || !is_certain
    {
        return None;
    }
    Some(bins.len() - num_back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::fit::Shape;
    use crate::moved::chance::median;
    use crate::noise::noise;

    /// Where the first value after it begins, also if that is within a mean of several.
    #[test]
    fn a_change_within_a_mean_is_found_there() {
        let second = |at: usize| Timestamp(at as i64 * Timestamp::TICKS_PER_SECOND);
        for num_samples in [1, 2, 3] {
            for begin in 300..312 {
                let mut random = noise(5);
                let values: Vec<f64> = (0..900)
                    .map(|at| if (begin..begin + 200).contains(&at) { 98.0 } else { 12.0 } + random())
                    .collect();
                let bins: Vec<Bin> = (0..900 / num_samples)
                    .map(|at| {
                        let (first, end) = (at * num_samples, (at + 1) * num_samples);
                        let value = values[first..end].iter().sum::<f64>() / num_samples as f64;
                        Bin {
                            interval: Interval { begin: second(first), end: second(end) },
                            value,
                            num_samples,
                            is_alone: false,
                        }
                    })
                    .collect();
                let turns = turns(&bins, 0.01).expect("it varies");
                // A value is about the second that ends with it, so it begins with the one before.
                let found: Vec<Timestamp> = turns.iter().map(|turn| turn.at).collect();
                let expected = [second(begin), second(begin + 200)];
                assert_eq!(found, expected, "{num_samples} {begin}");
                assert_eq!(turns[0].until.map(|until| until.0), Some(expected[1]));
            }
        }
    }

    fn bins(seed: u64, count: usize, course: impl Fn(usize) -> f64) -> Vec<Bin> {
        let mut random = noise(seed);
        let time = |at: usize| Timestamp(at as i64 * Timestamp::TICKS_PER_SECOND);
        let bin = |at: usize| Bin {
            interval: Interval { begin: time(at), end: time(at + 1) },
            value: course(at) + random(),
            num_samples: 1,
            is_alone: false,
        };
        (0..count).map(bin).collect()
    }

    fn stretch_median(bins: &[Bin], first: Timestamp, end: Option<Timestamp>) -> f64 {
        let is_of = |bin: &&Bin| bin.interval.end > first && end.is_none_or(|end| bin.interval.end <= end);
        median(bins.iter().filter(is_of).map(|bin| bin.value).collect())
    }

    /// A load that takes some seconds to come up, and then stays.
    #[test]
    fn a_level_is_the_median_of_its_span() {
        let mut num_found = 0;
        for seed in 1..30 {
            let load = |at: usize| match at % 150 {
                low if low < 20 => 1.0,
                at => 90.0 - 60.0 * (-(at as f64 - 20.0) / 4.0).exp(),
            };
            let bins = bins(seed, 300, load);
            let turns = turns(&bins, 0.01).expect("it varies");
            num_found += usize::from(turns.len() >= 3);
            for turn in &turns {
                let ValueStretch { shape, ends, .. } = turn.after;
                let expected = stretch_median(&bins, turn.at, turn.until.map(|(at, _)| at));
                let is_known = shape == Shape::Line || (ends.0 - expected).abs() < 1e-9;
                assert!(is_known, "{seed}: {ends:?} is not {expected}");
            }
        }
        assert!(num_found >= 20, "{num_found} of 29");
    }

    /// It rises ever more slowly, which no line describes, and is 40 higher then.
    #[test]
    fn what_rose_before_a_step_has_the_value_at_the_step() {
        let mut num_found = 0;
        for seed in 1..30 {
            let rise = |at: usize| 30.0 * (1.0 - (-(at as f64) / 80.0).exp());
            let bins = bins(seed, 260, |at| if at < 160 { rise(at) } else { 70.0 });
            let turns = turns(&bins, 0.01).expect("it varies");
            let Some(step) = turns.iter().find(|turn| turn.at == bins[160].interval.begin) else { continue };
            num_found += 1;
            let before = step.before.ends.1;
            assert!((before - 26.0).abs() < 2.5, "{seed}: {step:?}");
        }
        assert!(num_found >= 25, "{num_found} of 29");
    }

    #[test]
    fn a_step_is_no_slope() {
        for seed in 1..60 {
            let height = [3.0, 5.0, 8.0][seed as usize % 3];
            let bins = bins(seed, 160, |at| if at < 90 { 0.0 } else { height });
            let turns = turns(&bins, 0.01).expect("it varies");
            assert_eq!(turns.len(), 1, "{seed}: {turns:?}");
            let Turn { kind, before, after, .. } = &turns[0];
            assert!(
                *kind == TurnKind::Step && ![before.shape, after.shape].contains(&Shape::Line),
                "{seed}: {turns:?}"
            );
            assert!((after.ends.0 - before.ends.1 - height).abs() < 0.8, "{seed}: {turns:?}");
        }
    }

    /// It is back for the last three values, which are too few for a change.
    #[test]
    fn what_came_back_at_the_end_does_not_last() {
        for seed in 1..30 {
            let bins = bins(seed, 163, |at| if (90..160).contains(&at) { 8.0 } else { 0.0 });
            let turns = turns(&bins, 0.01).expect("it varies");
            assert_eq!(turns.len(), 1, "{seed}: {turns:?}");
            assert_eq!(turns[0].until.map(|(at, _)| at), Some(bins[160].interval.begin), "{seed}: {turns:?}");
        }
        let lasts =
            turns(&self::bins(3, 160, |at| if at >= 90 { 8.0 } else { 0.0 }), 0.01).expect("it varies");
        assert_eq!(lasts[0].until, None);
    }

    /// It goes up and down at no regular times: what is said of a time is so for nearly all of it.
    #[test]
    fn a_level_holds_for_its_time() {
        for seed in 1..30 {
            let mut random = noise(seed);
            let mut places = vec![0];
            while places[places.len() - 1] < 600 {
                places.push(places[places.len() - 1] + 8 + (20.0 * random().abs()) as usize);
            }
            let is_high = |at: usize| places.iter().filter(|place| **place <= at).count() % 2 == 0;
            let bins = bins(seed, 600, |at| if is_high(at) { 92.0 } else { 18.0 });
            for turn in turns(&bins, 0.01).expect("it varies") {
                let is_of = |bin: &&Bin| {
                    bin.interval.end > turn.at
                        && turn.until.is_none_or(|(until, _)| bin.interval.end <= until)
                };
                let values: Vec<f64> = bins.iter().filter(is_of).map(|bin| bin.value).collect();
                let (from, to) = (turn.before.ends.1, turn.after.ends.0);
                let num_back =
                    values.iter().filter(|value| (*value - from).abs() < (*value - to).abs()).count();
                assert!(10 * num_back <= values.len(), "{seed}: {num_back} of {}: {turn:?}", values.len());
            }
        }
    }

    /// A disk that begins to fill, in whole percent.
    #[test]
    fn equal_stairs_are_one_steady_fall() {
        let time = |at: usize| Timestamp(at as i64 * Timestamp::TICKS_PER_SECOND);
        let interval = |at: usize| Interval { begin: time(at), end: time(at + 1) };
        let free = |at: usize| (90.5 - (at as f64 - 200.0).max(0.0) / 400.0 * 10.0).floor();
        let bins: Vec<Bin> = (0..600)
            .map(|at| Bin { interval: interval(at), value: free(at), num_samples: 1, is_alone: false })
            .collect();
        let turns = turns(&bins, 0.01).expect("it varies");
        assert_eq!(turns.len(), 1, "{turns:?}");
        let Turn { kind, after, .. } = &turns[0];
        assert_eq!((*kind, after.shape), (TurnKind::Bend, Shape::Line));
        assert!((after.ends.0 - 90.0).abs() < 1.1 && (after.ends.1 - 80.0).abs() < 1.1, "{turns:?}");
    }

    /// Nobody sampled for a while in which it went on.
    #[test]
    fn a_line_across_a_gap_is_no_change() {
        let time = |at: usize| Timestamp(at as i64 * 60 * Timestamp::TICKS_PER_SECOND);
        for (seed, len_gap) in (1..20).flat_map(|seed| [30, 150].map(|len| (seed, len))) {
            let mut random = noise(seed);
            let places = (0..400).map(|at| if at < 200 { at } else { at + len_gap });
            let mut last = 0;
            let bins: Vec<Bin> = places
                .map(|at| {
                    let interval = Interval { begin: time(last), end: time(at + 1) };
                    last = at + 1;
                    let value = 8_000.0 - 12.0 * at as f64 + 5.0 * random();
                    Bin { interval, value, num_samples: 1, is_alone: false }
                })
                .collect();
            let turns = turns(&bins, 0.01).expect("it varies");
            assert!(turns.is_empty(), "{seed} {len_gap}: {turns:?}");
        }
    }

    #[test]
    fn stairs_are_no_steady_rise() {
        for seed in 1..30 {
            let bins = bins(seed, 240, |at| 6.0 * (at / 80) as f64);
            let turns = turns(&bins, 0.01).expect("it varies");
            assert!(turns.iter().all(|turn| turn.after.shape != Shape::Line), "{seed}: {turns:?}");
        }
    }

    #[test]
    fn a_ramp_has_the_values_at_its_ends() {
        for seed in 1..30 {
            let course = |at: f64| (at - 100.0).clamp(0.0, 100.0) * 0.3;
            let bins = bins(seed, 300, |at| course(at as f64));
            let turns = turns(&bins, 0.01).expect("it varies");
            let ramp = turns.iter().find(|turn| turn.after.shape == Shape::Line).expect("a ramp");
            let (from, to) = ramp.after.ends;
            // At the times that sentences name: the middle of what is likely.
            let named = |time: Interval| {
                let middle = Timestamp(time.begin.0.midpoint(time.end.0));
                course(middle.seconds_since(Timestamp(0)))
            };
            let end = ramp.until.map_or(30.0, |(_, time)| named(time));
            assert!((from - named(ramp.time)).abs() < 2.0 && (to - end).abs() < 2.0, "{seed}: {turns:?}");
            assert!(from < 4.0 && (to - 30.0).abs() < 3.0, "{seed}: {turns:?}");
        }
    }
}
