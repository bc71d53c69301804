//! Stairs: what rises or falls steadily, in whole numbers or by equal steps, is one line, not a change per step.

use super::lines::Sums;
use super::partition::{Break, Piece};

/// Stretches and the changes between them, with stairs as one sloped stretch each.
pub(super) fn joined(sums: &Sums, pieces: &[Piece], breaks: &[Break]) -> (Vec<Piece>, Vec<Break>) {
    let (mut kept, mut between): (Vec<Piece>, Vec<Break>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < pieces.len() {
        let end = end_of_stairs(sums, pieces, at);
        let piece = match end {
            Some(end) => Piece { is_sloped: true, ..Piece::level(pieces[at].first, pieces[end - 1].end) },
            None => pieces[at],
        };
        if at > 0 {
            between.push(breaks[at - 1]);
        }
        kept.push(piece);
        at = end.unwrap_or(at + 1);
    }
    (kept, between)
}

/// The place after the last of the stretches that are stairs together, from one of them on.
fn end_of_stairs(sums: &Sums, pieces: &[Piece], first: usize) -> Option<usize> {
    /// Stretches; fewer may be as many changes.
    const LEAST: usize = 4;
    (first + LEAST..=pieces.len()).rev().find(|end| are_stairs(sums, &pieces[first..*end]))
}

/// Whether levels go one way by equal steps, each of which takes about as long.
fn are_stairs(sums: &Sums, pieces: &[Piece]) -> bool {
    /// Fewer steps have to be exactly equal.
    const LEAST_STEPS: usize = 5;
    const EQUAL: f64 = 0.02;
    /// How much of the height one step may have.
    const MOST: f64 = 0.45;
    /// Of what even stairs leave beside a line.
    const UNEVEN: f64 = 1.4;
    let level = |piece: &Piece| sums.line(piece.first, piece.end).middle;
    let steps: Vec<f64> = pieces.windows(2).map(|pair| level(&pair[1]) - level(&pair[0])).collect();
    let (Some(low), Some(high)) =
        (steps.iter().copied().reduce(f64::min), steps.iter().copied().reduce(f64::max))
    else {
        return false;
    };
    let (smallest, largest) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
    let height: f64 = steps.iter().sum();
    let is_one_way =
        low * high > 0.0 && pieces.iter().all(|piece| !piece.is_sloped || slope(sums, piece) * height > 0.0);
    let is_even = steps.len() >= LEAST_STEPS || largest - smallest <= EQUAL * largest;
    if !is_one_way || !is_even || largest > MOST * height.abs() {
        return false;
    }
    let whole = sums.line(pieces[0].first, pieces[pieces.len() - 1].end);
    // What the levels leave is noise.
    let noise: f64 = pieces.iter().map(|piece| sums.line(piece.first, piece.end).about_level).sum();
    let rest = (whole.about_slope - noise).max(0.0) / (whole.about_level - noise).max(f64::MIN_POSITIVE);
    let num_levels = pieces.len() as f64;
    rest <= UNEVEN / (num_levels * num_levels)
}

fn slope(sums: &Sums, piece: &Piece) -> f64 {
    sums.line(piece.first, piece.end).slope
}

#[cfg(test)]
mod tests {
    use crate::changes::breaks::parted;
    use crate::noise::noise;

    fn stretches(values: &[f64]) -> Vec<(usize, usize, bool)> {
        let pieces = parted(values, 0.01).map_or_else(Vec::new, |parted| parted.pieces);
        pieces.iter().map(|piece| (piece.first, piece.end, piece.is_sloped)).collect()
    }

    /// A disk that fills: its free space in whole percent.
    #[test]
    fn a_steady_fall_of_a_whole_number_is_one_line() {
        for (by, wobble) in [(5.0, 0.0), (7.0, 0.2), (12.0, 0.0), (12.0, 0.2), (20.0, 0.2), (50.0, 0.0)] {
            for seed in 1..10 {
                let mut random = noise(seed);
                let values: Vec<f64> = (0..600)
                    .map(|at| (90.0 - f64::from(at) / 600.0 * by + wobble * random()).floor())
                    .collect();
                let found = stretches(&values);
                assert!(found.len() <= 2, "{by} {wobble} {seed}: {found:?}");
            }
        }
    }

    /// It begins to fall after a third of the time.
    #[test]
    fn stairs_begin_with_their_first_step() {
        let values: Vec<f64> =
            (0..600).map(|at| (90.5 - (f64::from(at) - 200.0).max(0.0) / 400.0 * 10.0).floor()).collect();
        let found = stretches(&values);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(!found[0].2 && found[1].2 && found[1].0.abs_diff(200) <= 40, "{found:?}");
    }

    #[test]
    fn uneven_steps_are_as_many_changes() {
        let mut random = noise(4);
        let course = |at: usize| {
            [10.0, 20.0, 70.0, 80.0, 200.0][[100, 140, 300, 420].iter().filter(|begin| at >= **begin).count()]
        };
        let values: Vec<f64> = (0..500).map(|at| course(at) + random()).collect();
        let found = stretches(&values);
        assert_eq!(found.iter().map(|stretch| stretch.0).collect::<Vec<_>>(), [0, 100, 140, 300, 420]);
    }
}
