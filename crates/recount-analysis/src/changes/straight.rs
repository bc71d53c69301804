//! What describes each stretch of a division: a level, or a line if it is one.

use super::lines::Sums;
use super::partition::{LEAST, Piece, Price};

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
