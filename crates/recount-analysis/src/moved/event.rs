//! When it happened: the part of the span in which a series was furthest from what it was before.

use std::ops::Range;

/// The part of the span that stands out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    /// Places among the values of the span.
    pub(super) bins: Range<usize>,
    /// Whether the values are larger than before.
    pub(super) is_up: bool,
}

/// Distances of less than this don't count: of normal values, one in 20 is further away.
const USUAL: f64 = 2.0;

/// The stretch with the largest sum of distances beyond what is usual (Kadane's), up or down. Distances are from the median before,
/// in units of the spread before; NaN: no value. Short returns to what was before don't end it.
pub(super) fn event(distances: &[f64]) -> Option<Event> {
    let (up, down) = (largest(distances, 1.0), largest(distances, -1.0));
    let is_up = up.0 >= down.0;
    let (sum, bins) = if is_up { up } else { down };
    (sum > 0.0).then_some(Event { bins, is_up })
}

fn largest(distances: &[f64], sign: f64) -> (f64, Range<usize>) {
    /// More doesn't say more, and would outweigh a whole calm hour.
    const MOST: f64 = 12.0;
    let (mut best, mut place) = (0.0, 0..0);
    let (mut sum, mut begin) = (0.0, 0);
    for (at, distance) in distances.iter().enumerate().filter(|(_, distance)| !distance.is_nan()) {
        if sum <= 0.0 {
            (sum, begin) = (0.0, at);
        }
        sum += (sign * distance - USUAL).clamp(-USUAL - 1.0, MOST);
        if sum > best {
            (best, place) = (sum, begin..at + 1);
        }
    }
    (best, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_stands_out_is_found() {
        let mut distances = [0.3, -0.5].repeat(20);
        distances.splice(12..21, [9.0, 8.0, 9.0, 1.0, 9.0, 9.0, f64::NAN, 8.0, 9.0]);
        assert_eq!(event(&distances), Some(Event { bins: 12..21, is_up: true }));
        let down: Vec<f64> = distances.iter().map(|distance| -distance).collect();
        assert_eq!(event(&down), Some(Event { bins: 12..21, is_up: false }));
        assert_eq!(event(&[0.5, -0.5, 1.9]), None);
        assert_eq!(event(&[]), None);
    }
}
