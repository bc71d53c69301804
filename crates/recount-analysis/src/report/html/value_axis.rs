//! The value axes of a drawing: one for each of the first two units, linear or logarithmic.

use super::ticks::ticks;
use crate::shown::quantity;

/// A chart has one on each side.
pub(super) const MAX_AXES: usize = 2;
/// Powers of ten that have a tick.
const MAX_POWERS: i32 = 6;

/// A value axis.
pub(super) struct ValueAxis {
    pub(super) unit: &'static str,
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

impl ValueAxis {
    /// An axis for values from `low` to `high`; without any, they are infinite. `least` is the smallest value above zero.
    pub(super) fn new(unit: &'static str, (low, high): (f64, f64), least: Option<f64>) -> ValueAxis {
        let (range, is_logarithmic) = match least.filter(|least| *least <= high) {
            Some(least) => (powers(least, high), true),
            None => (value_range(unit, low, high), false),
        };
        ValueAxis { unit, low: range.0, high: range.1, is_logarithmic }
    }

    /// Where a value is between the bottom (0) and the top (1).
    pub(super) fn share(&self, value: f64) -> f64 {
        let (low, high, value) = if self.is_logarithmic {
            // Zero and less have no logarithm: they are along the bottom.
            (self.low.log10(), self.high.log10(), value.max(self.low).log10())
        } else {
            (self.low, self.high, value)
        };
        // Halves: the difference of two large numbers may be infinite.
        ((value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)).clamp(0.0, 1.0)
    }

    /// Round values with their texts.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        if !self.is_logarithmic {
            return ticks(self.unit, (self.low, self.high));
        }
        let (from, to) = (self.low.log10().round() as i32, self.high.log10().round() as i32);
        let step = ((to - from) / MAX_POWERS).max(1) as usize;
        let tick = |power: i32| (10f64.powi(power), quantity(10f64.powi(power), self.unit));
        (from..=to).step_by(step).map(tick).collect()
    }
}

/// Powers of ten around positive values.
fn powers(least: f64, high: f64) -> (f64, f64) {
    let from = least.log10().floor();
    (10f64.powf(from), 10f64.powf(high.log10().ceil().max(from + 1.0)))
}

/// As the page's charts have it (`chart/scales.js`).
fn value_range(unit: &str, low: f64, high: f64) -> (f64, f64) {
    if low > high {
        return (0.0, 1.0);
    }
    if unit == "%" && low >= 0.0 && high > 40.0 && high <= 100.0 {
        return (0.0, 100.0);
    }
    if low >= high {
        return match low {
            0.0 => (0.0, 1.0),
            low if low > 0.0 => (0.0, low * 1.3),
            low => (low * 1.3, 0.0),
        };
    }
    let room = (high - low) * 0.06;
    if low >= 0.0 && high - low > 0.12 * high {
        (0.0, high + room)
    } else if high <= 0.0 && high - low > -0.12 * low {
        (low - room, 0.0)
    } else {
        (low - room, high + room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_begin_at_zero_unless_the_line_would_be_a_thread() {
        assert_eq!(value_range("%", 3.0, 90.0), (0.0, 100.0));
        assert_eq!(value_range("", 5.0, 5.0), (0.0, 6.5));
        assert_eq!(value_range("", f64::INFINITY, f64::NEG_INFINITY), (0.0, 1.0));
        assert_eq!(value_range("", 100.0, 101.0), (99.94, 101.06));
    }

    #[test]
    fn a_logarithmic_axis_has_powers_of_ten() {
        let axis = ValueAxis::new("", (0.0, 4_000.0), Some(3.0));
        let texts: Vec<String> = axis.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts.len(), 5);
        assert_eq!(
            (axis.share(0.0), axis.share(1.0), axis.share(100.0), axis.share(1e4)),
            (0.0, 0.0, 0.5, 1.0)
        );
        // Nothing above zero: it has no logarithm.
        assert_eq!(
            ValueAxis::new("", (-3.0, 0.0), None).ticks().first().map(|tick| tick.0 < 0.0),
            Some(true)
        );
    }
}
