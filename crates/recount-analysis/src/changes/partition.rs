//! The best division of a series into stretches, each a level or a straight line.

use super::lines::Sums;

/// A stretch needs so many values.
pub(crate) const LEAST: usize = 5;

/// With fewer, a line is the way from one level to the next.
pub(super) const LEAST_SLOPED: usize = 12;

/// A stretch of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) first: usize,
    pub(crate) end: usize,
    /// Whether a line describes it better than a level, beyond what it costs.
    pub(crate) is_sloped: bool,
    /// Whether the line that describes it is hardly better than a few levels.
    pub(crate) is_mixed: bool,
    /// If it is several lines that are a curve together.
    pub(crate) curve: Option<Curve>,
}

/// The lines of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Curve {
    /// The end of its first line.
    pub(crate) end_of_head: usize,
    /// Where its last line begins, and whether that is none but a level.
    pub(crate) first_of_tail: usize,
    pub(crate) is_tail_sloped: bool,
    /// Whether it is steepest at its begin.
    pub(crate) is_slowing: bool,
    /// How far its begin and its end are above those lines.
    pub(crate) beyond: [f64; 2],
}

impl Piece {
    pub(crate) fn level(first: usize, end: usize) -> Piece {
        Piece { first, end, is_sloped: false, is_mixed: false, curve: None }
    }

    /// Its begin, which one line or level describes.
    pub(super) fn head(self) -> Piece {
        self.curve.map_or(self, |curve| Piece { end: curve.end_of_head, curve: None, ..self })
    }

    /// Its end, which one line or level describes.
    pub(super) fn tail(self) -> Piece {
        let tail = |curve: Curve| Piece {
            first: curve.first_of_tail,
            is_sloped: curve.is_tail_sloped,
            curve: None,
            ..self
        };
        self.curve.map_or(self, tail)
    }

    /// A curve with another end.
    pub(super) fn with_tail(self, tail: Piece) -> Piece {
        let curve = self.curve.map(|curve| Curve {
            first_of_tail: tail.first,
            is_tail_sloped: tail.is_sloped,
            beyond: [curve.beyond[0], 0.0],
            ..curve
        });
        Piece { end: tail.end, curve, ..self }
    }
}

/// A place where a series changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Break {
    /// The first value after it.
    pub(crate) at: usize,
    /// The earliest and the latest place that fit nearly as well.
    pub(crate) between: (usize, usize),
    /// Of such a change by chance, for all places of its surroundings together; not corrected for the number of series.
    pub(crate) probability: f64,
}

/// What a division costs, in squared units of the series.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    /// Per stretch.
    pub(super) piece: f64,
    /// Per line, beyond that of a level.
    pub(super) slope: f64,
}

impl Price {
    pub(super) fn of(&self, sums: &Sums, first: usize, end: usize) -> (f64, bool) {
        let line = sums.line(first, end);
        let sloped = line.about_slope + self.slope;
        let is_sloped = end - first >= LEAST_SLOPED && sloped < line.about_level;
        if is_sloped { (sloped, true) } else { (line.about_level, false) }
    }
}

/// The division with the least cost, which comes with it: optimal partitioning with the pruning of Killick, Fearnhead and Eckley,
/// "Optimal detection of changepoints with a linear computational cost" (2012).
pub(super) fn pieces(sums: &Sums, num_values: usize, price: Price) -> (Vec<Piece>, f64) {
    let mut best = vec![f64::INFINITY; num_values + 1];
    best[0] = -price.piece;
    let mut from: Vec<(usize, bool)> = vec![(0, false); num_values + 1];
    let mut begins: Vec<usize> = Vec::new();
    for end in LEAST..=num_values {
        // A stretch can begin at the first value, or after another one.
        if end == LEAST || end >= 2 * LEAST {
            begins.push(end - LEAST);
        }
        let mut costs: Vec<f64> = Vec::with_capacity(begins.len());
        for &begin in &begins {
            let (cost, is_sloped) = price.of(sums, begin, end);
            let total = best[begin] + cost + price.piece;
            if total < best[end] {
                best[end] = total;
                from[end] = (begin, is_sloped);
            }
            costs.push(best[begin] + cost);
        }
        // A begin that is worse than a new stretch here never wins; a line may cost its slope more.
        let limit = best[end] + price.slope;
        let mut costs = costs.into_iter();
        begins.retain(|begin| {
            let may_become_line =
                || end - begin < LEAST_SLOPED && best[*begin] + sums.line(*begin, end).about_slope <= limit;
            costs.next().is_none_or(|cost| cost <= limit) || may_become_line()
        });
    }
    let mut pieces = Vec::new();
    let mut end = num_values;
    while end > 0 {
        let (first, is_sloped) = from[end];
        pieces.push(Piece { is_sloped, ..Piece::level(first, end) });
        end = first;
    }
    pieces.reverse();
    (pieces, best[num_values])
}
