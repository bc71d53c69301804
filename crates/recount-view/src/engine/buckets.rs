//! Exact minimum, maximum and mean in equal parts of a span.

use std::sync::Arc;

use recount_analysis::stats::Extent;

use super::gather::Cells;
use super::time::Span;

/// The part of a span, divided into `width` parts, to which a time belongs. Part `k` has the times after its start, up
/// to and including its end. The span's start belongs to the first part.
pub(crate) fn bucket_of(time: i64, span: Span, width: usize) -> usize {
    let behind = i128::from(time) - i128::from(span.from);
    let len = i128::from(span.len().max(1));
    let bucket = (behind * width as i128 + len - 1).div_euclid(len) - 1;
    (bucket.max(0) as usize).min(width - 1)
}

/// The minimum, maximum and mean of every part.
pub(crate) fn extents(cells: &[Arc<Cells>], span: Span, width: usize) -> Vec<Extent> {
    let mut extents = vec![Extent::default(); width];
    for cells in cells {
        let from = cells.times.partition_point(|time| *time < span.from);
        for at in from..cells.times.len() {
            if cells.times[at] > span.to {
                break;
            }
            if let Some(value) = cells.value_at(at) {
                extents[bucket_of(cells.times[at], span, width)].add(value, cells.weights[at]);
            }
        }
    }
    extents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_belong_to_the_part_that_they_end_in() {
        let span = Span { from: 100, to: 110 };
        let of = |time| bucket_of(time, span, 5);
        assert_eq!([of(100), of(101), of(102), of(103), of(104), of(109), of(110)], [0, 0, 0, 1, 1, 4, 4]);
        let thirds = |time| bucket_of(time, span, 3);
        assert_eq!([thirds(103), thirds(104), thirds(106), thirds(107)], [0, 1, 1, 2]);
        assert_eq!(bucket_of(7, Span { from: 7, to: 7 }, 4), 0);
        assert_eq!(bucket_of(i64::MAX, Span { from: i64::MIN, to: i64::MAX }, 1_000), 999);
    }
}
