//! How much a series varies from one value to the next, so that steps and outliers don't count.

use crate::moved::chance::{OF_MEDIAN, deviation, median};

/// The noise of a series about whatever course it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scatter {
    /// Standard deviation.
    pub(crate) deviation: f64,
    /// How many neighbours say as much as one independent value.
    pub(crate) memory: f64,
}

impl Scatter {
    /// The deviation and the correlation of neighbours, by the differences over one and over two steps: the estimate of Chakar,
    /// Lebarbier, Levy-Leduc and Robin, "A robust approach for estimating change-points in the mean of an AR(1) process" (2017), with
    /// trimmed squares instead of medians. `None` if nothing varies.
    pub(crate) fn of(values: &[f64]) -> Option<Scatter> {
        const HIGHEST: f64 = 0.99;
        let of_step = |step: usize| of_differences(values, step);
        let (one, two) = (of_step(1), of_step(2));
        if one <= 0.0 {
            return None;
        }
        // One noise over one step, its square over two: s² (1 - r) and s² (1 - r²).
        let correlation = (two * two / (one * one) - 1.0).clamp(0.0, HIGHEST);
        let deviation = (one * one / (2.0 * (1.0 - correlation))).sqrt();
        Some(Scatter { deviation, memory: (1.0 + correlation) / (1.0 - correlation) })
    }
}

impl Scatter {
    /// How noise adds up over correlated values: the variance of a sum, per value. The nearer a correlation is to one, the less it is known,
    /// and the more it matters; where it is near, less is assumed.
    pub(super) fn power(self) -> f64 {
        const HIGHEST: f64 = 0.95;
        let correlation = (self.memory - 1.0) / (self.memory + 1.0);
        let known = correlation.min(HIGHEST);
        let variance = self.deviation * self.deviation * (1.0 - correlation) / (1.0 - known);
        variance * (1.0 + known) / (1.0 - known)
    }
}

/// The deviation of the differences over some steps, by those that aren't among the largest tenth, as if they were normal. Medians would
/// say little of whole numbers, half of whose differences are the same. Where a series clearly rises or falls, only what is beside its slope counts.
pub(super) fn of_differences(values: &[f64], step: usize) -> f64 {
    const KEPT: f64 = 0.9;
    /// The mean square of that share of normal values: 1 - 2 z f(z) / 0.9 at z = 1.645.
    const OF_KEPT: f64 = 0.623;
    let differences: Vec<f64> =
        values.iter().zip(values.get(step..).unwrap_or_default()).map(|(a, b)| b - a).collect();
    let slopes = slopes(&differences);
    let mut distances: Vec<f64> =
        differences.iter().zip(slopes).map(|(difference, slope)| (difference - slope).abs()).collect();
    if distances.is_empty() {
        return 0.0;
    }
    distances.sort_unstable_by(f64::total_cmp);
    let kept = ((distances.len() as f64 * KEPT) as usize).max(1);
    let square: f64 = distances[..kept].iter().map(|distance| distance * distance).sum();
    (square / kept as f64 / OF_KEPT).sqrt()
}

/// How far a series goes from one value to the next beside each, if that is clear; else 0. Where it bends, only one side of a value says it: the one
/// that varies much less than both together.
fn slopes(differences: &[f64]) -> Vec<f64> {
    /// On each side.
    const NEIGHBOURS: usize = 15;
    /// Of the deviation of the differences: of a walk at random, a mean of so many is seldom as far from zero, nor is that of a step.
    const CLEAR: f64 = 0.5;
    /// Of the deviation on both sides.
    const MUCH_LESS: f64 = 0.3;
    let end = differences.len();
    let slope = |at: usize| {
        let (first, last) = (at.saturating_sub(NEIGHBOURS), end.min(at + NEIGHBOURS + 1));
        let (mut near, around) = (&differences[first..last], deviation(&differences[first..last]));
        for side in [&differences[first..=at], &differences[at..last]] {
            if side.len() > NEIGHBOURS && deviation(side) < MUCH_LESS * around {
                near = side;
            }
        }
        if near.len() <= NEIGHBOURS {
            return 0.0;
        }
        let mean = near.iter().sum::<f64>() / near.len() as f64;
        if mean.abs() > CLEAR * deviation(near) { mean } else { 0.0 }
    };
    (0..end).map(slope).collect()
}

/// Values without outliers: one that is far from the median of its neighbours is brought nearer. A step stays where it is, and what
/// is shorter than half of the neighbourhood disappears.
pub(super) fn without_outliers(values: &[f64]) -> Vec<f64> {
    /// On each side.
    const NEIGHBOURS: usize = 3;
    const FURTHEST: f64 = 3.0;
    let middles: Vec<f64> = (0..values.len())
        .map(|at| {
            // The same number on both sides, or a trend would bend at the ends.
            let side = NEIGHBOURS.min(at).min(values.len() - 1 - at);
            let side = if side == 0 { NEIGHBOURS } else { side };
            let (first, last) = (at.saturating_sub(side), (at + side + 1).min(values.len()));
            median(values[first..last].to_vec())
        })
        .collect();
    let distances: Vec<f64> =
        values.iter().zip(&middles).map(|(value, middle)| (value - middle).abs()).collect();
    let usual = OF_MEDIAN * median(distances.clone());
    let usual = if usual > 0.0 { usual } else { deviation(&distances).min(of_differences(values, 1)) };
    let most = FURTHEST * usual;
    values.iter().zip(&middles).map(|(value, middle)| value.clamp(middle - most, middle + most)).collect()
}

/// Without values between two levels, as the mean over the time of a step is: each has that of the nearer neighbour. `deviation`: the noise.
pub(super) fn without_edges(values: &[f64], deviation: f64) -> Vec<f64> {
    /// In units of the noise: of a step, and of what stands still on both sides of it.
    const STEP: f64 = 8.0;
    const STILL: f64 = 4.0;
    let mut calm = values.to_vec();
    for (at, around) in values.windows(5).enumerate() {
        let [earlier, before, value, after, later] = [around[0], around[1], around[2], around[3], around[4]];
        let is_between = (value - before) * (after - value) > 0.0;
        let is_still = (before - earlier).abs().max((later - after).abs()) <= STILL * deviation;
        if is_between && is_still && (after - before).abs() > STEP * deviation {
            calm[at + 2] = if (value - before).abs() < (after - value).abs() { before } else { after };
        }
    }
    calm
}

#[cfg(test)]
mod tests {
    use crate::changes::breaks::parted;
    use crate::noise::noise;

    /// A store that begins to empty.
    #[test]
    fn a_bend_is_found_beside_little_and_much_noise() {
        for noise_of in [0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 14.0, 20.0] {
            let mut num_found = 0;
            for seed in 1..20 {
                let mut random = noise(seed);
                let course = |at: usize| 6_000.0 - 20.0 * (at as f64 - 200.0).max(0.0);
                let values: Vec<f64> = (0..400).map(|at| course(at) + noise_of * random()).collect();
                let found = parted(&values, 0.01).expect("it varies").breaks;
                num_found += usize::from(found.len() == 1 && found[0].at.abs_diff(200) <= 4);
            }
            assert!(num_found >= 18, "{noise_of}: {num_found} of 19");
        }
    }

    /// Means of six samples, of which those at the edges of an event are of both levels.
    #[test]
    fn an_event_without_noise_is_found_wherever_it_begins() {
        for begin in 1200..1212 {
            let level = |at: usize| if (begin..begin + 298).contains(&at) { 96.0 } else { 20.0 };
            let values: Vec<f64> =
                (0..600).map(|bin| (bin * 6..bin * 6 + 6).map(level).sum::<f64>() / 6.0).collect();
            let found = parted(&values, 0.001).expect("it varies").breaks;
            let places: Vec<usize> = found.iter().map(|found| found.at).collect();
            assert!(places.len() == 2, "{begin}: {places:?}");
            assert!(
                places[0].abs_diff(begin / 6) <= 1 && places[1].abs_diff((begin + 298) / 6) <= 1,
                "{begin}: {places:?}"
            );
        }
    }
}
