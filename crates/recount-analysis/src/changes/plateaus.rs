//! Plateaus: a level that begins and ends with large steps is one, though its parts differ a little.

use super::lines::Sums;
use super::partition::{Break, Piece};
use crate::moved::chance::extremes;

/// Stretches and the changes between them, without changes within a plateau.
pub(super) fn joined(
    sums: &Sums,
    (mut pieces, mut breaks): (Vec<Piece>, Vec<Break>),
) -> (Vec<Piece>, Vec<Break>) {
    let mut levels: Vec<Level> = pieces.iter().map(|piece| Level::of(sums, piece)).collect();
    let mut first = 1;
    while first + 2 < pieces.len() {
        let mut ends = (first + 2..pieces.len()).rev();
        if let Some(end) = ends.find(|end| is_plateau(&levels[first - 1..=*end])) {
            let joined = Piece::level(pieces[first].first, pieces[end - 1].end);
            (pieces[first], levels[first]) = (joined, Level::of(sums, &joined));
            pieces.drain(first + 1..end);
            levels.drain(first + 1..end);
            breaks.drain(first..end - 1);
        }
        first += 1;
    }
    (pieces, breaks)
}

/// What describes a stretch.
struct Level {
    middle: f64,
    /// At its begin and at its end.
    ends: [f64; 2],
}

impl Level {
    fn of(sums: &Sums, piece: &Piece) -> Level {
        let line = sums.line(piece.first, piece.end);
        let half = if piece.is_sloped { 0.5 * line.slope * (piece.end - piece.first) as f64 } else { 0.0 };
        Level { middle: line.middle, ends: [line.middle - half, line.middle + half] }
    }
}

/// Whether the levels between the first and the last stretch differ by little beside the steps from and to these, one of which goes up and the
/// other down.
fn is_plateau(levels: &[Level]) -> bool {
    /// Of the smaller step: how far the middles of the levels, and the ends of all lines, may be apart.
    const SMALL: (f64, f64) = (0.3, 0.8);
    let [before, inside @ .., after] = levels else { return false };
    let (Some(first), Some(last)) = (inside.first(), inside.last()) else { return false };
    let (begin, end) = (first.ends[0] - before.ends[1], after.ends[0] - last.ends[1]);
    let least = begin.abs().min(end.abs());
    begin * end < 0.0
        && height(inside.iter().map(|level| level.middle)) <= SMALL.0 * least
        && height(inside.iter().flat_map(|level| level.ends)) <= SMALL.1 * least
}

/// How far the largest value is above the smallest.
fn height(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = extremes(values);
    high - low
}

#[cfg(test)]
mod tests {
    use crate::changes::breaks::parted;
    use crate::noise::noise;

    fn places(levels: &[(usize, f64)]) -> Vec<usize> {
        let mut random = noise(11);
        let values: Vec<f64> = levels
            .iter()
            .flat_map(|(len, level)| std::iter::repeat_n(*level, *len))
            .map(|level| level + random())
            .collect();
        parted(&values, 0.001)
            .map_or_else(Vec::new, |parted| parted.breaks)
            .iter()
            .map(|found| found.at)
            .collect()
    }

    #[test]
    fn an_event_with_a_small_step_in_it_is_one() {
        assert_eq!(places(&[(200, 5.0), (60, 400.0), (60, 412.0), (60, 406.0), (200, 5.0)]), [200, 380]);
        assert_eq!(places(&[(200, 400.0), (60, 5.0), (60, 12.0), (200, 400.0)]), [200, 320]);
    }

    #[test]
    fn other_steps_are_changes() {
        // It doesn't go back, it is no small part, and it isn't within.
        assert_eq!(places(&[(200, 5.0), (60, 400.0), (60, 412.0)]), [200, 260]);
        assert_eq!(places(&[(200, 5.0), (60, 400.0), (60, 600.0), (200, 5.0)]), [200, 260, 320]);
        assert_eq!(places(&[(200, 5.0), (60, 400.0), (60, 5.0), (200, 17.0)]), [200, 260, 320]);
    }
}
