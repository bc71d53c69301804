//! Returns: stretches during which a series was back at the level before for a while.

use std::ops::Range;

use super::partition::{Break, LEAST, Piece};
use super::scatter::Scatter;
use crate::moved::chance::{median, student};

/// Whether nearly all values of a stretch are nearer to its level than to the one before, none are back for long, if the noise lets one tell, and no more
/// than a few are far beyond.
pub(super) fn holds(values: &[f64], (from, to): (f64, f64), scatter: Scatter) -> bool {
    const SHARE: f64 = 0.9;
    /// In units of the noise.
    const CLEAR: f64 = 4.0;
    /// Of a return by chance.
    const MOST: f64 = 0.01;
    /// In steps from the level before to this one, and of all values.
    const BEYOND: (f64, f64) = (10.0, 0.25);
    let is_beyond = |value: &&f64| (**value - to) / (to - from) > BEYOND.0;
    if values.iter().filter(is_beyond).count() as f64 > BEYOND.1 * values.len() as f64 {
        return false;
    }
    let run = longest_back(values, (from, to));
    if (to - from).abs() < CLEAR * scatter.deviation {
        return run.len() < LEAST || chance(run.len(), values.len(), (from, to), scatter) > MOST;
    }
    let num_back = values.iter().filter(|value| is_back(**value, (from, to))).count();
    num_back as f64 <= (1.0 - SHARE) * values.len() as f64 && run.len() < LEAST
}

/// Stretches and the changes between them, with those that a return interrupts divided. `most`: of a change by chance.
pub(super) fn divided(
    values: &[f64],
    (mut pieces, mut breaks): (Vec<Piece>, Vec<Break>),
    scatter: Scatter,
    most: f64,
) -> (Vec<Piece>, Vec<Break>) {
    let level = |piece: Piece| median(values[piece.first..piece.end].to_vec());
    let mut at = 1;
    while at < pieces.len() {
        let piece = pieces[at];
        let levels = (level(pieces[at - 1]), level(piece));
        let part = &values[piece.first..piece.end];
        let run = longest_back(part, levels);
        let chance = chance(run.len(), part.len(), levels, scatter);
        let is_within = run.start >= LEAST && run.end + LEAST <= part.len() && run.len() >= LEAST;
        if piece.is_sloped || !is_within || chance > most {
            at += 1;
            continue;
        }
        let (first, last) = (piece.first + run.start, piece.first + run.end);
        let parts = [(piece.first, first), (first, last), (last, piece.end)];
        pieces.splice(at..=at, parts.map(|(first, end)| Piece { first, end, ..piece }));
        let between = [first, last].map(|at| Break { at, between: (at, at), probability: chance });
        breaks.splice(at..at, between);
    }
    (pieces, breaks)
}

fn is_back(value: f64, (from, to): (f64, f64)) -> bool {
    (value - from).abs() < (value - to).abs()
}

/// The longest run of values that are nearer to the level before.
fn longest_back(values: &[f64], levels: (f64, f64)) -> Range<usize> {
    let (mut longest, mut first) = (0..0, 0);
    for (at, value) in values.iter().enumerate() {
        if !is_back(*value, levels) {
            first = at + 1;
        } else if at + 1 - first > longest.len() {
            longest = first..at + 1;
        }
    }
    longest
}

/// The probability of a run of so many values that are nearer to the level before, by chance.
fn chance(len: usize, num_values: usize, (from, to): (f64, f64), scatter: Scatter) -> f64 {
    const FREEDOM: f64 = 30.0;
    let one = 0.5 * student(0.5 * (to - from) / scatter.deviation.max(f64::MIN_POSITIVE), FREEDOM);
    (num_values as f64 * one.powf(len as f64 / scatter.memory)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::breaks::parted;
    use crate::noise::noise;

    /// A noisy level that was back for a few values: too few for the division, but they are all at the level before.
    #[test]
    fn a_short_return_divides_a_stretch() {
        let mut num_found = 0;
        for seed in 1..20 {
            let mut random = noise(seed);
            let is_low = |at: usize| at < 150 || (320..326).contains(&at) || at >= 470;
            let values: Vec<f64> = (0..480)
                .map(|at| if is_low(at) { 32.0 + 0.01 * random() } else { 56.0 + 8.0 * random() })
                .collect();
            let parted = parted(&values, 0.01).expect("it varies");
            let places: Vec<usize> = parted.breaks.iter().map(|found| found.at).collect();
            let is_near = |range: Range<usize>| places.iter().any(|at| range.contains(at));
            num_found += usize::from(is_near(312..321) && is_near(326..329));
        }
        assert!(num_found >= 17, "{num_found} of 19");
    }

    /// A median of values, four of which are near each other and three anywhere above, is no level.
    #[test]
    fn what_is_mostly_elsewhere_is_no_level() {
        let scatter = Scatter { deviation: 20.0, memory: 1.0 };
        let level = [787.0, 781.0, 764.0, 723.0, 770.0, 790.0, 785.0];
        assert!(holds(&level, (451.0, 781.0), scatter));
        let burst = [787.0, 781.0, 764.0, 723.0, 367_457.0, 733_872.0, 28_487.0];
        assert!(!holds(&burst, (451.0, 787.0), scatter));
    }

    #[test]
    fn noise_divides_nothing() {
        for seed in 1..60 {
            let mut random = noise(seed);
            let values: Vec<f64> = (0..400).map(|at| if at < 200 { 0.0 } else { 2.0 } + random()).collect();
            let parted = parted(&values, 0.01).expect("it varies");
            assert!(parted.breaks.len() <= 1, "{seed}: {:?}", parted.breaks);
        }
    }
}
