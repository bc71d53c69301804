//! What comes back regularly: a day's course, a job every ten minutes. It isn't a change.

use std::f64::consts::TAU;

use crate::least_squares::LeastSquares;

/// How often a course has to come back before it is called regular.
pub(super) const LEAST_CYCLES: usize = 4;
/// The shortest cycle, in values.
const LEAST_PERIOD: usize = 6;
/// Numbers of waves that a course may be made of.
pub(super) const WAVES: [usize; 3] = [1, 3, 6];

/// The likely cycles of values, in values: those of the largest waves, and those of the largest waves of differences, which a step
/// doesn't outweigh.
pub(super) fn periods(values: &[f64]) -> Vec<f64> {
    let count = values.len();
    let most = count / LEAST_PERIOD;
    if most < LEAST_CYCLES {
        return Vec::new();
    }
    let flat = without_trend(values);
    let power = |cycles: f64| {
        let (sin, cos) = flat.iter().enumerate().fold((0.0, 0.0), |(sin, cos), (at, value)| {
            let angle = TAU * cycles * at as f64 / count as f64;
            (sin + value * angle.sin(), cos + value * angle.cos())
        });
        sin * sin + cos * cos
    };
    let as_it_is = |_: f64| 1.0;
    let of_differences = |cycles: f64| 1.0 - (TAU * cycles / count as f64).cos();
    let weights: [&dyn Fn(f64) -> f64; 2] = [&as_it_is, &of_differences];
    let powers: Vec<f64> = (LEAST_CYCLES..=most).map(|cycles| power(cycles as f64)).collect();
    let mut found: Vec<f64> = Vec::new();
    for weight in weights {
        let weighted = |at: &usize| powers[*at] * weight((at + LEAST_CYCLES) as f64);
        let rough = (0..powers.len()).max_by(|a, b| weighted(a).total_cmp(&weighted(b))).unwrap_or_default();
        let rough = (rough + LEAST_CYCLES) as f64;
        if !found.contains(&rough) {
            found.push(rough);
        }
    }
    let fine = |rough: f64| {
        let near = (-10..=10).map(|step| rough + f64::from(step) / 20.0);
        near.max_by(|a, b| power(*a).total_cmp(&power(*b))).unwrap_or(rough)
    };
    found.into_iter().map(|rough| count as f64 / fine(rough)).collect()
}

fn without_trend(values: &[f64]) -> Vec<f64> {
    let points = values.iter().enumerate().map(|(at, value)| (at as f64, *value));
    let line = LeastSquares::through(points.clone());
    points.map(|(at, value)| value - line.map_or(value, |line| line.at(at))).collect()
}

/// The course of a cycle: the least-squares sum of its waves. Their mean over a cycle is zero.
pub(super) fn course(values: &[f64], period: f64, num_waves: usize) -> Option<Vec<f64>> {
    let num_waves = num_waves.min((period / 2.5) as usize);
    if num_waves == 0 {
        return None;
    }
    let num_terms = 2 * num_waves;
    let terms = |at: usize| -> Vec<f64> {
        let wave = |wave: usize| {
            let angle = TAU * wave as f64 * at as f64 / period;
            [angle.sin(), angle.cos()]
        };
        (1..=num_waves).flat_map(wave).collect()
    };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut system = vec![vec![0.0; num_terms + 1]; num_terms];
    for (at, value) in values.iter().enumerate() {
        let terms = terms(at);
        for (row, one) in terms.iter().enumerate() {
            for (place, other) in terms.iter().enumerate() {
                system[row][place] += one * other;
            }
            system[row][num_terms] += one * (value - mean);
        }
    }
    let sizes = solved(system)?;
    let sum = |at: usize| terms(at).iter().zip(&sizes).map(|(term, size)| term * size).sum();
    Some((0..values.len()).map(sum).collect())
}

/// Gauss's elimination, with the largest pivots; the last column is the right side.
fn solved(mut system: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = system.len();
    for step in 0..size {
        let pivot = (step..size).max_by(|a, b| system[*a][step].abs().total_cmp(&system[*b][step].abs()))?;
        system.swap(step, pivot);
        if system[step][step].abs() < 1e-9 {
            return None;
        }
        let (done, rest) = system.split_at_mut(step + 1);
        let row = &done[step];
        for other in rest {
            let factor = other[step] / row[step];
            for (cell, known) in other.iter_mut().zip(row).skip(step) {
                *cell -= factor * known;
            }
        }
    }
    let mut found = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|at| system[row][at] * found[at]).sum();
        found[row] = (system[row][size] - known) / system[row][row];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use crate::changes::breaks::parted;
    use crate::noise::noise;

    /// An event whose noise is as large as all else says nothing of the rest.
    #[test]
    fn noise_beside_a_large_event_is_no_change() {
        let mut num_found = 0;
        for seed in 1..20 {
            let mut random = noise(seed);
            let values: Vec<f64> = (0..600)
                .map(|at| if (200..216).contains(&at) { 200.0 } else { 4.0 } * (1.0 + 0.2 * random()))
                .collect();
            let found = parted(&values, 0.001).expect("it varies").breaks;
            assert!(found.len() <= 2, "{seed}: {}", found.len());
            num_found += usize::from(found.iter().map(|found| found.at).eq([200, 216]));
        }
        assert!(num_found >= 17, "{num_found} of 19");
    }
}
