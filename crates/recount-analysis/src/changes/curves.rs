//! Curves: what rises or falls ever more slowly, or ever faster, is one stretch, not a change per line that comes near it.

use super::lines::Sums;
use super::partition::{Curve, Piece};

/// A curve has so many lines at least: two may be as many changes.
const LEAST_LINES: usize = 3;
/// How much steeper one line is than the next at least.
const STEEPER: f64 = 1.15;
/// A line begins where another one ends: in units of what they leave, and of the lower rise of both.
const MOST_JUMP: (f64, f64) = (3.0, 0.25);

/// The stretches of a division, with lines that are a curve together as one.
pub(super) fn joined(sums: &Sums, pieces: &[Piece]) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let num = num_of_curve(sums, &pieces[at..]);
        joined.push(if num < LEAST_LINES { pieces[at] } else { curve(sums, &pieces[at..at + num]) });
        at += if num < LEAST_LINES { 1 } else { num };
    }
    joined
}

fn curve(sums: &Sums, parts: &[Piece]) -> Piece {
    let (head, tail) = (parts[0], parts[parts.len() - 1]);
    let is_slowing = slope(sums, &head).abs() > slope(sums, &parts[1]).abs();
    let curve = Curve {
        end_of_head: head.end,
        first_of_tail: tail.first,
        is_tail_sloped: tail.is_sloped,
        is_slowing,
        beyond: [beyond(sums, [&head, &parts[1]]), beyond(sums, [&tail, &parts[parts.len() - 2]])],
    };
    Piece { first: head.first, end: tail.end, is_sloped: true, is_mixed: true, curve: Some(curve) }
}

/// How far a curve is above its first or last line at that end, by how it bends to the next one: a parabola of length n and second derivative c is
/// c n² / 12 above its line there.
fn beyond(sums: &Sums, [line, next]: [&Piece; 2]) -> f64 {
    let len = |piece: &Piece| (piece.end - piece.first) as f64;
    let distance = f64::midpoint(len(line), len(next)) * if line.first < next.first { 1.0 } else { -1.0 };
    (slope(sums, next) - slope(sums, line)) / distance * len(line).powi(2) / 12.0
}

/// How many of the first stretches are a curve together.
fn num_of_curve(sums: &Sums, pieces: &[Piece]) -> usize {
    let steeper = |pair: &[Piece]| slope(sums, &pair[0]) / slope(sums, &pair[1]);
    let is_joined = |pair: &[Piece]| {
        let [before, after] = [&pair[0], &pair[1]];
        let jump = (value_at(sums, after, after.first) - value_at(sums, before, after.first)).abs();
        let left = |piece: &Piece| {
            (sums.line(piece.first, piece.end).about_slope / (piece.end - piece.first) as f64).sqrt()
        };
        let rise = |piece: &Piece| slope(sums, piece).abs() * (piece.end - piece.first) as f64;
        jump <= (MOST_JUMP.0 * left(before).max(left(after))).max(MOST_JUMP.1 * rise(before).min(rise(after)))
    };
    let Some(first) = pieces.get(..2).filter(|pair| pair.iter().all(|piece| piece.is_sloped)) else {
        return 0;
    };
    let is_slowing = steeper(first) > 1.0;
    let goes_on = |pair: &&[Piece]| {
        let steeper = if is_slowing { steeper(pair) } else { 1.0 / steeper(pair) };
        pair.iter().all(|piece| piece.is_sloped) && steeper >= STEEPER && is_joined(pair)
    };
    let num_lines = 1 + pieces.windows(2).take_while(goes_on).count();
    if num_lines < LEAST_LINES || !is_slowing {
        return num_lines;
    }
    // Where it is nearly level, its lines are levels, each nearer to the next than to the one before; the last one is where it went to.
    let middle = |piece: &Piece| sums.line(piece.first, piece.end).middle;
    let is_nearer = |around: &&[Piece]| {
        let (come, left) = (middle(&around[1]) - middle(&around[0]), middle(&around[2]) - middle(&around[1]));
        !around[1].is_sloped && !around[2].is_sloped && come * left > 0.0 && left.abs() < come.abs()
    };
    num_lines + pieces[num_lines - 1..].windows(3).take_while(is_nearer).count()
}

fn slope(sums: &Sums, piece: &Piece) -> f64 {
    sums.line(piece.first, piece.end).slope
}

fn value_at(sums: &Sums, piece: &Piece, place: usize) -> f64 {
    let line = sums.line(piece.first, piece.end);
    line.middle + line.slope * (place as f64 - (piece.first + piece.end - 1) as f64 / 2.0)
}

#[cfg(test)]
mod tests {
    use crate::changes::breaks::{Parted, parted};
    use crate::noise::noise;

    fn found(seed: u64, by: f64, course: impl Fn(f64) -> f64) -> Parted {
        let mut random = noise(seed);
        let values: Vec<f64> = (0..400).map(|at| course(f64::from(at)) + by * random()).collect();
        parted(&values, 0.001).expect("it varies")
    }

    /// A cache that fills from one time on.
    #[test]
    fn what_rises_ever_more_slowly_is_one_curve() {
        for by in [2.0, 5.0, 10.0, 20.0] {
            let (mut num_found, mut num_runs) = (0, 0);
            for (seed, tau) in (1..11).flat_map(|seed| [10.0, 20.0, 30.0, 45.0].map(|tau| (seed, tau))) {
                let course = |at: f64| 4_000.0 - 2_000.0 * (-(at - 150.0).max(0.0) / tau).exp();
                let Parted { pieces, .. } = found(seed, by, course);
                let is_it = |at: usize| {
                    pieces[at].curve.is_some_and(|curve| curve.is_slowing)
                        && pieces[at].first.abs_diff(150) <= 3
                };
                num_runs += 1;
                num_found += usize::from(pieces.len() <= 3 && pieces.len() >= 2 && is_it(1));
            }
            assert!(5 * num_found >= 4 * num_runs, "{by}: {num_found} of {num_runs}");
        }
    }

    #[test]
    fn lines_and_noise_are_no_curves() {
        for seed in 1..20 {
            for by in [1.0, 10.0] {
                let kinks = |at: f64| 20.0 * at.min(150.0) + 8.0 * (at - 150.0).max(0.0);
                let Parted { pieces, .. } = found(seed, by, kinks);
                assert!(pieces.iter().all(|piece| piece.curve.is_none()), "{seed} {by}: {pieces:?}");
                let Parted { pieces, .. } = found(seed, by, |_| 0.0);
                assert_eq!(pieces.len(), 1);
            }
        }
    }
}
