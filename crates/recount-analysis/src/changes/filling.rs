//! When something will be full, if it goes on as it does.

use recount_model::Timestamp;

use super::breaks::parted;
use super::fit::{Bin, Fit, LONGEST_WITHOUT_GAP, goes_on};
use super::moments::begin_of_bin;
use super::scatter::Scatter;
use super::stores::{Store, store};
use crate::least_squares::LeastSquares;
use crate::moved::chance::memory;
use crate::report::{CaptureFacts, Noted};
use crate::shown::{duration, quantity, short};

/// When a series is at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Forecast {
    /// Seconds from the last value: the least and the most.
    least: f64,
    most: f64,
    /// Its last value.
    now: f64,
    /// Per second.
    slope: f64,
    /// Since when it goes like this.
    since: Timestamp,
}

/// What has to be certain to say anything.
const MOST_CHANCE: f64 = 0.001;
/// The values on which the line rests.
const LEAST_VALUES: usize = 20;
/// The points of half a line.
const LEAST_POINTS: usize = 3;
/// Further ahead than so many times what was seen, nobody knows.
const FURTHEST: f64 = 10.0;
/// In errors of the slope, to either side.
const WIDTH: f64 = 2.0;
/// What is left is about the same.
const NEAR: f64 = 1.2;
/// The slope is known to so many errors at least: the interval isn't wider than by half.
const LEAST_SURE: f64 = 6.0;

/// From the line of the last stretch, if it leads to the end.
fn forecast(bins: &[Bin], end: f64) -> Option<Forecast> {
    let first = after_pause(bins, first_of_line(bins)?);
    let last = bins.last()?;
    let (first, places) = begun(bins, first)?;
    let since = bins[first].interval.end;
    let points = points(bins, &places, since);
    let way = Way::through(&points)?;
    let line = way.line;
    let seen = last.interval.end.seconds_since(since);
    let left = end - line.at(seen);
    // It was about as near to the end before, and came back: it may do so again.
    let left_at = |bin: &Bin| (end - bin.value) * left.signum();
    let came_back =
        |bin: &Bin| left_at(bin) < NEAR * left.abs() && NEAR * left_at(bin) < left_at(&bins[first]);
    if bins[..first].iter().any(|bin| left_at(bin) < left.abs() || came_back(bin)) {
        return None;
    }
    // It goes away from the end, or nobody knows how fast.
    if left * line.slope <= 0.0 || line.slope.abs() <= LEAST_SURE * way.error {
        return None;
    }
    if !way.is_straight(&points) {
        return None;
    }
    let by = line.slope.signum() * WIDTH * way.error;
    // What a step hides may be left, too.
    let hidden = left.signum() * resolution(&bins[first..]).unwrap_or(0.0);
    let (least, most) = (left / (line.slope + by), (left + hidden) / (line.slope - by));
    (most.is_finite() && most <= FURTHEST * seen).then_some(Forecast {
        least,
        most,
        now: last.value,
        slope: line.slope,
        since: if is_after_gap(bins, first) { bins[first].interval.end } else { begin_of_bin(&bins[first]) },
    })
}

/// Whether nobody sampled before a value.
fn is_after_gap(bins: &[Bin], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &bins[before]) else { return false };
    bins[at].interval.end.seconds_since(before.interval.end) > LONGEST_WITHOUT_GAP * before.width_s()
}

/// Where the line from `first` on begins again after the last time without samples in which it didn't go on.
fn after_pause(bins: &[Bin], first: usize) -> usize {
    let gap = |at: usize| (bins[at - 1].interval.end, bins[at].interval.end);
    let gaps: Vec<usize> = (first + 1..bins.len()).filter(|at| is_after_gap(bins, *at)).collect();
    let has_paused = |place: usize| {
        let before = place.checked_sub(1).map_or(first, |before| gaps[before]);
        let after = gaps.get(place + 1).copied().unwrap_or(bins.len());
        let (from, to) = gap(gaps[place]);
        let around: Vec<usize> = (before..after).collect();
        let around = points(bins, &around, from);
        Way::through(&around).is_some_and(|way| !way.went_on(&around, (0.0, to.seconds_since(from))))
    };
    (0..gaps.len()).rev().find(|place| has_paused(*place)).map_or(first, |place| gaps[place])
}

/// From where on a counter goes as it does, and the places of the values that say how fast. `None` if it isn't known.
fn begun(bins: &[Bin], first: usize) -> Option<(usize, Vec<usize>)> {
    let places: Vec<usize> = in_steps(&bins[first..])?.into_iter().map(|place| first + place).collect();
    // Before its first step it stood still.
    let stood = |begin: &&usize| longest_rest(&places).is_some_and(|most| **begin - first > most);
    let first = places.first().filter(stood).copied().unwrap_or(first);
    Some((first, places))
}

/// The values of some bins, with their seconds from a time.
fn points(bins: &[Bin], places: &[usize], since: Timestamp) -> Vec<(f64, f64)> {
    places.iter().map(|at| (bins[*at].interval.end.seconds_since(since), bins[*at].value)).collect()
}

/// A line through points, and how well its slope is known.
struct Way {
    line: LeastSquares,
    /// Of the slope.
    error: f64,
}

impl Way {
    fn through(points: &[(f64, f64)]) -> Option<Way> {
        let line = LeastSquares::through(points.iter().copied())?;
        let rest: Vec<f64> = points.iter().map(|point| point.1 - line.at(point.0)).collect();
        let error = (power(&rest, 2) / line.width).sqrt();
        (points.len() >= LEAST_POINTS).then_some(Way { line, error })
    }

    /// Whether it is straight: no two lines that meet at some place are clearly better. What bends doesn't go on as it did.
    fn is_straight(&self, points: &[(f64, f64)]) -> bool {
        /// The bend, as a share of the slope, and in errors.
        const CLEAR: (f64, f64) = (0.3, 4.0);
        /// Of the slope: such a bend in the middle may be chance, but nobody knows.
        const LARGE: f64 = 0.7;
        let half = points.len() / 2;
        // Half of the values come after it, a third, a quarter, and so on.
        let places = std::iter::successors(Some(half), |num| Some(num * 2 / 3));
        let mut places = places.take_while(|num| *num >= 2).map(|num| points.len() - num);
        let slope = self.line.slope.abs();
        !places.any(|place| {
            let from = points[place - 1].0;
            let Some((bend, error)) = self.with(points, |x| (x - from).max(0.0)) else { return false };
            let is_clear = bend.abs() > (CLEAR.0 * slope).max(CLEAR.1 * error);
            is_clear || (place == points.len() - half && bend.abs() > LARGE * slope)
        })
    }

    /// Whether it went on while nobody sampled from one time to another: the values don't leap there.
    fn went_on(&self, points: &[(f64, f64)], (from, to): (f64, f64)) -> bool {
        /// The leap, as a share of how far it would have gone, and in errors.
        const CLEAR: (f64, f64) = (0.5, 3.0);
        let Some((leap, error)) = self.with(points, |x| if x < to { 0.0 } else { 1.0 }) else { return true };
        leap.abs() <= (CLEAR.0 * (self.line.slope * (to - from)).abs()).max(CLEAR.1 * error)
    }

    /// The size of another course that is added to the line, if that fits best, and the error of it.
    fn with(&self, points: &[(f64, f64)], course: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
        let of_course = LeastSquares::through(points.iter().map(|point| (point.0, course(point.0))))?;
        let rest =
            |point: &(f64, f64)| (course(point.0) - of_course.at(point.0), point.1 - self.line.at(point.0));
        let added = LeastSquares::through(points.iter().map(rest))?;
        let left: Vec<f64> = points.iter().map(rest).map(|(x, y)| y - added.slope * x).collect();
        Some((added.slope, (noise_power(&left, 3) / added.width).sqrt()))
    }
}

/// The variance of a sum of what a description with some figures leaves, per value.
fn power(rest: &[f64], num_figures: usize) -> f64 {
    let variance =
        rest.iter().map(|rest| rest * rest).sum::<f64>() / (rest.len() as f64 - num_figures as f64);
    variance * memory(rest)
}

/// As [`power`], without what the description misses.
fn noise_power(rest: &[f64], num_figures: usize) -> f64 {
    /// Fewer values don't tell noise from a course.
    const LEAST: usize = 40;
    let scatter = if rest.len() >= LEAST { Scatter::of(rest) } else { None };
    let power = power(rest, num_figures);
    scatter.map_or(power, |scatter| power.min(scatter.power()))
}

/// Than afterwards: what fell only a little faster before goes on as it does.
const FASTER: f64 = 1.2;
/// In units of the noise: a line begins where another one ends.
const MOST_JUMP: f64 = 3.0;

/// Where the last line begins. Of values in steps, such as whole percent, the whole is taken: each step would be a change.
fn first_of_line(bins: &[Bin]) -> Option<usize> {
    if bins.len() < LEAST_VALUES {
        return None;
    }
    if resolution(bins).is_some() {
        return Some(0);
    }
    let values: Vec<f64> = bins.iter().map(|bin| bin.value).collect();
    let found = parted(&values, MOST_CHANCE)?;
    let (last, earlier) = found.pieces.split_last().filter(|(last, _)| last.curve.is_none())?;
    let mut fit = Fit::of(bins, *last, [None, None]);
    let mut first = last.first;
    let mut has_bent = false;
    for piece in earlier.iter().rev() {
        let before = Fit::of(bins, *piece, [None, None]);
        if !goes_on(bins, &before, &fit) {
            let jump = fit.at(fit.first) - before.at(fit.first);
            let is_joined = jump.abs() <= MOST_JUMP * before.noise.max(fit.noise);
            let is_same_way = before.slope * fit.slope > 0.0;
            // It went that way faster before: it may go on slowing down. What is faster each time is a curve.
            let is_slower = before.slope.abs() > FASTER * fit.slope.abs();
            let is_faster = fit.slope.abs() > FASTER * before.slope.abs();
            if is_joined && is_same_way && (is_slower || has_bent) {
                return None;
            }
            if has_bent || !(is_joined && is_same_way && is_faster) {
                break;
            }
            (fit, has_bent) = (before, true);
            continue;
        }
        if !has_bent {
            first = piece.first;
        }
        fit = before;
    }
    (last.is_sloped && last.end - first >= LEAST_VALUES).then_some(first)
}

/// The step of a counter in steps: few different values, each for long.
fn resolution(bins: &[Bin]) -> Option<f64> {
    /// Values per step.
    const LEAST_LONG: usize = 3;
    let mut levels: Vec<f64> = bins.iter().map(|bin| bin.value).collect();
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    let step = levels.windows(2).map(|pair| pair[1] - pair[0]).reduce(f64::min)?;
    let num_moves = bins.windows(2).filter(|pair| pair[0].value.total_cmp(&pair[1].value).is_ne()).count();
    (levels.len().max(num_moves) * LEAST_LONG <= bins.len()).then_some(step)
}

/// The places of the values that say how fast a counter goes. Of one in steps these are those at which it first has a value nearer to its end, if it
/// never goes back and hasn't stopped.
fn in_steps(bins: &[Bin]) -> Option<Vec<usize>> {
    let Some(step) = resolution(bins) else { return Some((0..bins.len()).collect()) };
    let way = (bins.last()?.value - bins.first()?.value).signum();
    let mut furthest = bins.first()?.value;
    let mut places: Vec<usize> = Vec::new();
    for (at, bin) in bins.iter().enumerate() {
        let by = way * (bin.value - furthest);
        if by < -1.5 * step {
            return None;
        }
        if by > 0.5 * step {
            furthest = bin.value;
            places.push(at);
        }
    }
    (bins.len() - places.last()? <= longest_rest(&places)?).then_some(places)
}

/// How long a counter in steps may rest at most.
fn longest_rest(places: &[usize]) -> Option<usize> {
    /// Than usual.
    const LONGER: usize = 2;
    places.windows(2).map(|pair| LONGER * (pair[1] - pair[0])).max()
}

/// The sentence about a series that will be full at a value, if it is one that can be and this is known; and in how many seconds.
pub(super) fn filling(
    (host, object, instance, counter, unit): (&str, &str, Option<&str>, &str, &str),
    end: f64,
    bins: &[Bin],
    facts: &CaptureFacts,
) -> Option<(f64, Noted)> {
    const UNITS: [(f64, &str); 3] = [(86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute")];
    let Store { what, full, .. } = store(object, counter)?;
    // A disk's total is no disk.
    if instance == Some("_Total") && full.contains("{}") {
        return None;
    }
    let found = forecast(bins, end)?;
    let is_full = facts.of_host(host, full.replace("{}", &short(instance.unwrap_or_default())));
    let is_short = |(seconds, _): &&(f64, &str)| found.most >= 2.0 * seconds;
    let (seconds, each) = *UNITS.iter().find(is_short).unwrap_or(&UNITS[2]);
    let by = (found.slope * seconds).abs();
    // A share of a share would be something else.
    let by = match quantity(by, if unit == "%" { "" } else { unit }) {
        one if unit == "%" && one == "1" => "1 point".to_owned(),
        points if unit == "%" => format!("{points} points"),
        amount => amount,
    };
    let more = if found.slope > 0.0 { "more" } else { "less" };
    let time = bins.last()?.interval.end;
    let text = format!(
        "{is_full} in {}, if it goes on as it has since {}: {} {what}, {by} {more} per {each}",
        between(found.least, found.most),
        facts.clock(found.since),
        quantity(found.now, unit),
    );
    Some((found.least, Noted { time, kind: "fills", text }))
}

/// `11 to 14 days`, `3 h 20 min to 4 h`.
fn between(least: f64, most: f64) -> String {
    const DAY: f64 = 86_400.0;
    /// Of the longer one: what is as near is one time.
    const NEAR: f64 = 0.05;
    if least >= 2.0 * DAY {
        let (least, most) = ((least / DAY).floor(), (most / DAY).ceil());
        return format!("{least:.0} to {most:.0} days");
    }
    let minutes = |seconds: f64, step: f64| duration((seconds / step).max(1.0).round() * step);
    if most - least <= NEAR * most {
        let middle = f64::midpoint(least, most);
        return format!("about {}", minutes(middle, if middle >= 3_600.0 { 300.0 } else { 60.0 }));
    }
    let (least, most) = (minutes(least, 60.0), minutes(most, 60.0));
    if least == most { format!("about {least}") } else { format!("{least} to {most}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::Interval;
    use crate::noise::noise;

    fn bins(count: usize, value: impl Fn(usize) -> f64) -> Vec<Bin> {
        noisy((4, 0.3), count, value)
    }

    fn noisy((seed, by): (u64, f64), count: usize, value: impl Fn(usize) -> f64) -> Vec<Bin> {
        let time = |at: usize| Timestamp(at as i64 * 3_600 * Timestamp::TICKS_PER_SECOND);
        let mut random = noise(seed);
        let bin = |at: usize| Bin {
            interval: Interval { begin: time(at), end: time(at + 1) },
            value: value(at) + by * random(),
            num_samples: 1,
            is_alone: false,
        };
        (0..count).map(bin).collect()
    }

    #[test]
    fn a_disk_that_loses_a_percent_a_day_is_full_when_it_is() {
        // 96 hours: from 30 % to 26 %; so 26 days are left.
        let found = forecast(&bins(97, |at| 30.0 - at as f64 / 24.0), 0.0).expect("it is a line");
        let days = (found.least / 86_400.0, found.most / 86_400.0);
        assert!(days.0 < 26.0 && 26.0 < days.1 && days.1 - days.0 < 6.0, "{days:?}");
        assert!((found.now - 26.0).abs() < 1.0, "{found:?}");
    }

    /// It falls ever more slowly.
    #[test]
    fn what_bends_is_not_continued() {
        let slower = bins(200, |at| 60.0 - 50.0 * (1.0 - (-(at as f64) / 120.0).exp()));
        assert_eq!(forecast(&slower, 0.0), None);
        let faster = bins(200, |at| 60.0 - 50.0 * (at as f64 / 200.0).powi(2));
        assert_eq!(forecast(&faster, 0.0), None);
    }

    /// A fall that stopped a while ago, or nearly; beside one that goes on.
    #[test]
    fn what_has_stopped_is_not_continued() {
        let (mut num_stopped, mut num_level, mut num_going) = (0, 0, 0);
        for seed in 1..9 {
            for (by, len) in [0.1, 0.5, 1.5].into_iter().flat_map(|by| [30, 45, 60].map(|len| (by, len))) {
                let fall = |at: usize| 80.0 - at.min(400 - len) as f64 * 0.12;
                num_stopped += usize::from(forecast(&noisy((seed, by), 400, fall), 0.0).is_some());
                let slower = |at: usize| 20.0 + 60.0 * (-(at as f64) / (200.0 + 2.0 * len as f64)).exp();
                num_level += usize::from(forecast(&noisy((seed, by), 400, slower), 0.0).is_some());
                let goes_on = |at: usize| 80.0 - at as f64 * 0.12;
                num_going += usize::from(forecast(&noisy((seed, by), 400, goes_on), 0.0).is_some());
            }
        }
        assert_eq!((num_stopped, num_level), (0, 0), "of 72 each");
        assert!(num_going >= 66, "{num_going} of 72");
        for seed in 1..9 {
            for (by, len) in
                [0.1, 0.6].into_iter().flat_map(|by| [30.0, 50.0, 80.0, 120.0].map(|len| (by, len)))
            {
                let curve = |at: usize| 20.0 + 60.0 / (1.0 + ((at as f64 - 200.0) / len).exp());
                assert_eq!(forecast(&noisy((seed, by), 400, curve), 0.0), None, "{seed} {by} {len}");
            }
            for stop in [4, 8, 15] {
                let fall = |at: usize| 80.0 - at.min(600 - stop) as f64 * 0.1;
                assert_eq!(forecast(&noisy((seed, 0.02), 600, fall), 0.0), None, "{seed} {stop}");
            }
        }
    }

    /// It fell before and after a time in which nobody sampled; in that time, too, or not.
    #[test]
    fn a_time_without_samples_counts_if_it_went_on() {
        for (seed, by) in (1..9).flat_map(|seed| [0.02, 0.3, 1.5].map(|by| (seed, by))) {
            for is_paused in [true, false] {
                let hours = |at: usize| if is_paused && at >= 200 { at.max(400) - 200 } else { at };
                let mut falling = noisy((seed, by), 600, |at| 80.0 - hours(at) as f64 / 10.0);
                falling.drain(200..400);
                falling[200].interval.begin = falling[199].interval.end;
                let found = forecast(&falling, 0.0).expect("it falls");
                assert_eq!(found.since >= falling[200].interval.begin, is_paused, "{seed} {by}: {found:?}");
                let left_h = 10.0 * (80.0 - hours(599) as f64 / 10.0);
                let (least, most) = (0.95 * found.least / 3_600.0, 1.05 * found.most / 3_600.0);
                assert!(least < left_h && left_h < most, "{left_h}: {found:?}");
            }
        }
    }

    /// 1 % every 12 hours, in whole percent: 30.98 % now, so 15.5 days.
    #[test]
    fn whole_percent_are_enough() {
        let of = |value: fn(usize) -> f64| {
            let mut bins = bins(240, |_| 0.0);
            bins.iter_mut().enumerate().for_each(|(at, bin)| bin.value = value(at));
            bins
        };
        let falling = of(|at| (50.9 - at as f64 / 12.0).floor());
        let found = forecast(&falling, 0.0).expect("a line in steps");
        let days = (found.least / 86_400.0, found.most / 86_400.0);
        assert!(days.0 > 14.5 && days.1 < 16.5 && days.0 < 15.49 && 15.49 < days.1, "{days:?}");
        assert_eq!(found.now.to_bits(), 30.0_f64.to_bits());
        assert_eq!(forecast(&of(|at| (50.9 - at.min(120) as f64 / 12.0).floor()), 0.0), None, "it stopped");
        assert_eq!(forecast(&of(|at| (50.9 - (at % 120) as f64 / 12.0).floor()), 0.0), None, "it came back");
    }

    /// In whole megabytes.
    #[test]
    fn a_fall_begins_where_it_does() {
        for seed in 1..9 {
            let memory = |at: usize| 10_000.0 - 137.0 * (at as f64 - 330.0).max(0.0);
            let mut falling = noisy((seed, 2.0), 370, memory);
            for bin in &mut falling {
                bin.value = bin.value.round();
            }
            let found = forecast(&falling, 0.0).expect("it falls");
            let since_h = found.since.seconds_since(Timestamp(0)) / 3_600.0;
            assert!((since_h - 330.0).abs() <= 4.0, "{seed}: {since_h}");
        }
    }

    #[test]
    fn the_value_that_is_named_is_the_last_one() {
        let mut falling = bins(97, |at| 30.0 - at as f64 / 24.0);
        falling[96].value = 26.4;
        assert_eq!(forecast(&falling, 0.0).map(|found| found.now.to_bits()), Some(26.4_f64.to_bits()));
    }

    #[test]
    fn what_nobody_knows_is_not_said() {
        // Level, rising, too slow for what was seen, only noise, and too few values.
        assert_eq!(forecast(&bins(97, |_| 30.0), 0.0), None);
        assert_eq!(forecast(&bins(97, |at| 30.0 + at as f64 / 24.0), 0.0), None);
        assert_eq!(forecast(&bins(97, |at| 90.0 - at as f64 / 24.0), 0.0), None);
        assert_eq!(forecast(&bins(15, |at| 30.0 - at as f64), 0.0), None);
        // It fell, and stands still now.
        assert_eq!(forecast(&bins(160, |at| 30.0 - at.min(80) as f64 / 5.0), 0.0), None);
    }

    #[test]
    fn what_comes_back_is_not_full_some_day() {
        // A log that is removed when it has 10 %: three times, and 5 % of the fourth.
        let saw = |at: usize| 60.0 - 10.0 * (at % 40) as f64 / 40.0;
        assert_eq!(forecast(&bins(3 * 40 + 30, saw), 0.0), None);
        // The fourth is a little lower than all before.
        let lower = |at: usize| {
            if at < 300 { 72.0 - 0.4 * (at % 100) as f64 } else { 72.0 - 0.41 * (at - 300) as f64 }
        };
        assert_eq!(forecast(&bins(400, lower), 0.0), None);
        // Once there was less room than now.
        assert_eq!(forecast(&bins(100, |at| if at < 40 { 10.0 } else { 70.0 - at as f64 / 4.0 }), 0.0), None);
    }

    #[test]
    fn lengths_are_shown_as_people_say_them() {
        assert_eq!(between(11.2 * 86_400.0, 13.4 * 86_400.0), "11 to 14 days");
        assert_eq!(between(7_200.0, 9_000.0), "2 h to 2 h 30 min");
        assert_eq!(between(3_590.0, 3_605.0), "about 1 h");
    }

    #[test]
    fn only_what_can_be_full_is() {
        let facts = CaptureFacts::default();
        let falling = bins(97, |at| 30.0 - at as f64 / 12.0);
        let (_, said) = filling(("A", "LogicalDisk", Some("C:"), "% Free Space", "%"), 0.0, &falling, &facts)
            .expect("full soon");
        assert!(
            said.text.starts_with("LogicalDisk(C:) is full in 1")
                && said.text.ends_with(" points less per day"),
            "{said:?}"
        );
        assert_eq!(
            filling(("A", "LogicalDisk", Some("_Total"), "% Free Space", "%"), 0.0, &falling, &facts),
            None
        );
        assert_eq!(filling(("A", "Processor", None, "% Idle Time", "%"), 0.0, &falling, &facts), None);
    }
}
