//! Whether two series move together.

/// How two series move together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Together {
    /// From -1 to 1.
    pub(super) correlation: f64,
    /// How many bins the second is behind the first.
    pub(super) lag: i32,
}

/// The largest delay that is tried, in bins.
const MAX_LAG: i32 = 3;

/// Their strongest correlation, of the values as they are or of the differences of consecutive ones, which a common trend
/// doesn't have. `None` if neither is strong.
pub(super) fn together(one: &[f64], other: &[f64]) -> Option<Together> {
    const STRONG_LEVELS: f64 = 0.9;
    const STRONG_STEPS: f64 = 0.7;
    let (one, other) = (filled(one), filled(other));
    let levels = Together { correlation: correlation(&one, &other), lag: 0 };
    let steps = (steps(&one), steps(&other));
    let of_steps = (-MAX_LAG..=MAX_LAG)
        .map(|lag| Together { correlation: lagged(&steps.0, &steps.1, lag), lag })
        .max_by(|a, b| {
            a.correlation.abs().total_cmp(&b.correlation.abs()).then(b.lag.abs().cmp(&a.lag.abs()))
        });
    let of_steps = of_steps.filter(|found| found.correlation.abs() >= STRONG_STEPS);
    of_steps.or_else(|| (levels.correlation.abs() >= STRONG_LEVELS).then_some(levels))
}

/// Missing values are the last one before.
fn filled(values: &[f64]) -> Vec<f64> {
    let mut last = values.iter().copied().find(|value| !value.is_nan()).unwrap_or(0.0);
    values
        .iter()
        .map(|value| {
            if !value.is_nan() {
                last = *value;
            }
            last
        })
        .collect()
}

fn steps(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Of the first with the second, `lag` places later.
fn lagged(one: &[f64], other: &[f64], lag: i32) -> f64 {
    let by = lag.unsigned_abs() as usize;
    if one.len() <= by + 2 {
        return 0.0;
    }
    let rest = one.len() - by;
    if lag >= 0 { correlation(&one[..rest], &other[by..]) } else { correlation(&one[by..], &other[..rest]) }
}

/// Pearson's.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let count = one.len().max(1) as f64;
    let middle = (one.iter().sum::<f64>() / count, other.iter().sum::<f64>() / count);
    let sums = one.iter().zip(other).fold((0.0, 0.0, 0.0), |sums, (x, y)| {
        let (x, y) = (x - middle.0, y - middle.1);
        (sums.0 + x * x, sums.1 + x * y, sums.2 + y * y)
    });
    let size = (sums.0 * sums.2).sqrt();
    if size > 0.0 { sums.1 / size } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_found_with_its_delay() {
        let one: Vec<f64> = (0..60).map(|at| f64::from((at * at * 7919) % 101)).collect();
        let mut later = vec![0.0, 0.0];
        later.extend(one.iter().map(|value| 5.0 - 2.0 * value).take(58));
        let found = together(&one, &later).expect("the same, turned over");
        assert!(found.lag == 2 && found.correlation < -0.95, "{found:?}");
        let other: Vec<f64> = (0..60).map(|at| f64::from((at * at * at * 6007 + 13 * at) % 89)).collect();
        assert_eq!(together(&one, &other), None);
        assert_eq!(together(&one, &[3.0; 60]), None);
    }

    #[test]
    fn missing_values_change_nothing() {
        let one = [1.0, f64::NAN, 9.0, 9.0, 1.0, 4.0];
        let other = [2.0, 2.0, 18.0, f64::NAN, 2.0, 8.0];
        assert!(together(&one, &other).is_some_and(|found| found.lag == 0 && found.correlation > 0.999));
    }
}
