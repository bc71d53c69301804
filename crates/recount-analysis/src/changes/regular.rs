//! What goes up and down at equal distances, often enough: a job that runs every ten minutes, or a log that is emptied each time it is full,
//! isn't a change each time.

use super::lines::Sums;
use super::partition::Piece;
use super::season::LEAST_CYCLES;
use crate::moved::chance::{extremes, median};

/// Whether the stretches of a whole series are such cycles.
pub(super) fn is_regular(sums: &Sums, pieces: &[Piece]) -> bool {
    /// How far a distance may be from a multiple of the usual one.
    const SLACK: f64 = 0.12;
    /// How far lines may begin and end from where they usually do, of their height.
    const UNEVEN: f64 = 0.5;
    let (low, high) = turning_points(sums, pieces);
    let (Some(first), Some(last), Some(end)) = (low.first(), low.last(), pieces.last()) else { return false };
    if low.len() < LEAST_CYCLES {
        return false;
    }
    let distances: Vec<f64> = low.windows(2).map(|pair| (pair[1].place - pair[0].place) as f64).collect();
    let usual = median(distances.clone());
    let is_multiple = |distance: &f64| {
        let times = (distance / usual).round();
        times >= 1.0 && (distance - times * usual).abs() <= SLACK * usual
    };
    let is_throughout = (first.place as f64) < 1.5 * usual && ((end.end - last.place) as f64) < 1.5 * usual;
    let middle = |points: &[TurningPoint]| median(points.iter().map(|point| point.value).collect());
    let height = middle(&high) - middle(&low);
    let is_even = |points: &[TurningPoint]| {
        let (least, greatest) = extremes(points.iter().map(|point| point.value));
        greatest - least <= UNEVEN * height
    };
    let has_lines = pieces.iter().any(|piece| piece.is_sloped);
    is_throughout && distances.iter().all(is_multiple) && (!has_lines || is_even(&low) && is_even(&high))
}

/// Where a series begins to rise, or to fall.
struct TurningPoint {
    place: usize,
    value: f64,
}

/// Where the levels and lines of a division begin to rise, and where they begin to fall, but for what is small.
fn turning_points(sums: &Sums, pieces: &[Piece]) -> (Vec<TurningPoint>, Vec<TurningPoint>) {
    /// Of the whole height.
    const SMALL: f64 = 0.3;
    let ends = |piece: &Piece| {
        let line = sums.line(piece.first, piece.end);
        let half = if piece.is_sloped { 0.5 * line.slope * (piece.end - piece.first) as f64 } else { 0.0 };
        [
            TurningPoint { place: piece.first, value: line.middle - half },
            TurningPoint { place: piece.end, value: line.middle + half },
        ]
    };
    let path: Vec<TurningPoint> = pieces.iter().flat_map(ends).collect();
    let (least, greatest) = extremes(path.iter().map(|point| point.value));
    let small = SMALL * (greatest - least);
    let (mut low, mut high): (Vec<TurningPoint>, Vec<TurningPoint>) = (Vec::new(), Vec::new());
    // The furthest point since the last turn, and which way it goes: unknown at first.
    let mut way = 0.0_f64;
    let mut path = path.into_iter();
    let Some(mut furthest) = path.next() else { return (low, high) };
    for point in path {
        let by = point.value - furthest.value;
        if way == 0.0 && by.abs() > small {
            way = by.signum();
            furthest = point;
        } else if by * way >= 0.0 && way != 0.0 {
            furthest = point;
        } else if by.abs() > small {
            way = by.signum();
            let turn = std::mem::replace(&mut furthest, point);
            if way > 0.0 { low.push(turn) } else { high.push(turn) }
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use crate::changes::breaks::parted;
    use crate::noise::noise;

    fn num_changes(seed: u64, by: f64, course: impl Fn(usize) -> f64) -> usize {
        let mut random = noise(seed);
        let values: Vec<f64> = (0..600).map(|at| course(at) + by * random()).collect();
        parted(&values, 0.001).map_or(0, |parted| parted.breaks.len())
    }

    /// Room that is used up and made again.
    #[test]
    fn saw_teeth_are_no_changes() {
        for (period, by) in
            [50, 80, 100, 130].into_iter().flat_map(|period| [0.5, 3.0].map(|by| (period, by)))
        {
            for phase in [0, period / 3] {
                let tooth = |at: usize| 100.0 * ((at + phase) % period) as f64 / period as f64;
                assert_eq!(num_changes(3, by, |at| 900.0 - tooth(at)), 0, "{period} {by} {phase}: falls");
                assert_eq!(num_changes(4, by, tooth), 0, "{period} {by} {phase}: rises");
            }
        }
        // One tooth is four times as high, and in another series they end.
        let higher =
            |at: usize| if (240..320).contains(&at) { 400.0 } else { 100.0 } * (at % 80) as f64 / 80.0;
        assert!(num_changes(3, 1.0, higher) > 0);
        assert!(num_changes(3, 1.0, |at| if at < 400 { 100.0 * (at % 80) as f64 / 80.0 } else { 50.0 }) > 0);
    }
}
