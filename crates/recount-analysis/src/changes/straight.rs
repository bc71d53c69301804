//! What describes each stretch of a division: a level, or a line if it is one.

use super::lines::{Line, Sums};
use super::partition::{LEAST, LEAST_SLOPED, Piece, Price};

/// A stretch, and what describes it.
pub(super) fn described(sums: &Sums, first: usize, end: usize, price: Price) -> Piece {
    let (_, is_sloped) = price.of(sums, first, end);
    let is_mixed = is_sloped && !is_line(sums, first, end, price);
    Piece { is_sloped, is_mixed, ..Piece::level(first, end) }
}

/// Whether a line describes values clearly better than a few levels do: what rises by steps doesn't rise steadily.
fn is_line(sums: &Sums, first: usize, end: usize, price: Price) -> bool {
    /// By so much of what the line leaves.
    const LEAST_GAIN: f64 = 0.2;
    let line = sums.line(first, end);
    let limit = line.about_slope + (LEAST_GAIN * line.about_slope).max(price.piece);
    // One step is looked for first, as that takes less time.
    let about_step = |at: usize| sums.line(first, at).about_level + sums.line(at, end).about_level;
    sums.best_step(first, end, 1).is_some_and(|at| limit <= about_step(at))
        && limit <= sums.about_three_levels(first, end)
}

/// The stretches of a division. Those that one step describes better than a line are two levels.
pub(super) fn straightened(sums: &Sums, pieces: &[Piece], price: Price) -> Vec<Piece> {
    let mut straight: Vec<Piece> = Vec::new();
    for piece in pieces {
        let Piece { first, end, .. } = *piece;
        let about_step = |at: usize| sums.line(first, at).about_level + sums.line(at, end).about_level;
        match sums.best_step(first, end, LEAST).filter(|_| piece.is_sloped) {
            Some(at) if about_step(at) < sums.line(first, end).about_slope => {
                straight.extend([Piece::level(first, at), Piece::level(at, end)]);
            }
            _ => straight.push(described(sums, first, end, price)),
        }
    }
    without_ways(sums, &mut straight);
    without_tips(sums, &mut straight);
    // Where the slope began or ended isn't where the step is.
    for at in 1..straight.len() {
        let (before, after) = (straight[at - 1], straight[at]);
        if !before.is_sloped
            && !after.is_sloped
            && let Some(place) = sums.best_step(before.first, after.end, LEAST)
        {
            (straight[at - 1].end, straight[at].first) = (place, place);
        }
    }
    straight
}

/// Takes out short levels at which two lines meet, one of which rises and the other falls: the few values at a tip are about as high.
fn without_tips(sums: &Sums, pieces: &mut Vec<Piece>) {
    /// Values that the place where the lines cross may be beyond the level.
    const SLACK: f64 = 2.0;
    let crossing = |around: &[Piece]| {
        let [before, tip, after] = around else { return None };
        let is_short = !tip.is_sloped && tip.end - tip.first < LEAST_SLOPED;
        let [one, other] = [before, after].map(|piece| sums.line(piece.first, piece.end));
        if !is_short || !before.is_sloped || !after.is_sloped || one.slope * other.slope >= 0.0 {
            return None;
        }
        let centre = |piece: &Piece| (piece.first + piece.end - 1) as f64 / 2.0;
        let at_zero = |line: Line, centre: f64| line.middle - line.slope * centre;
        let (of_one, of_other) = (at_zero(one, centre(before)), at_zero(other, centre(after)));
        let place = (of_other - of_one) / (one.slope - other.slope);
        let is_within = tip.first as f64 - SLACK <= place && place <= tip.end as f64 + SLACK;
        is_within.then(|| (place.round() as usize).clamp(tip.first, tip.end))
    };
    let mut at = 1;
    while at + 1 < pieces.len() {
        if let Some(place) = crossing(&pieces[at - 1..=at + 1]) {
            (pieces[at - 1].end, pieces[at + 1].first) = (place, place);
            pieces.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Takes out short bent lines that lead from one level to another: how a load comes up.
fn without_ways(sums: &Sums, pieces: &mut Vec<Piece>) {
    /// Values.
    const LONGEST: usize = 24;
    let level = |piece: &Piece| sums.line(piece.first, piece.end).middle;
    let is_way = |around: &[Piece]| {
        let [before, way, after] = around else { return false };
        let (from, middle, to) = (level(before), level(way), level(after));
        let is_short = way.is_sloped && way.is_mixed && way.end - way.first <= LONGEST;
        is_short && !before.is_sloped && !after.is_sloped && (middle - from) * (to - middle) > 0.0
    };
    let mut at = 1;
    while at + 1 < pieces.len() {
        if is_way(&pieces[at - 1..=at + 1]) {
            pieces[at - 1].end = pieces[at].end;
            pieces.remove(at);
        } else {
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::changes::breaks::parted;
    use crate::noise::noise;

    #[test]
    fn the_tip_of_a_triangle_is_no_level() {
        for (seed, by) in (1..20).flat_map(|seed| [0.01, 0.05, 0.3].map(|by| (seed, by))) {
            let mut random = noise(seed);
            let triangle = |at: f64| 10.0 + 0.3 * (100.0 - (at - 200.0).abs()).max(0.0);
            let values: Vec<f64> = (0..400).map(|at| triangle(f64::from(at)) + by * random()).collect();
            let found = parted(&values, 0.001).expect("it varies");
            let sloped: Vec<bool> = found.pieces.iter().map(|piece| piece.is_sloped).collect();
            assert_eq!(sloped, [false, true, true, false], "{seed} {by}: {:?}", found.pieces);
        }
    }
}
