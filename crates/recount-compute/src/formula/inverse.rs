//! Inverse timers: the share of the time that the counter did not count.

use super::Kernel;
use crate::wrap::minus;

/// 100 (1 − dN / dD), as 100 (dD − dN) / dD: the difference of integers is exact, where 1 − dN / dD would
/// cancel all digits of a nearly full timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimerInverse;

impl Kernel for TimerInverse {
    #[inline]
    fn value(self, dn: f64, dd: f64, _m: f64) -> f64 {
        (dd - dn) * 100.0 / dd
    }

    fn exact(self, dn: u64, dd: u64, _m: u64) -> f64 {
        minus(u128::from(dd), u128::from(dn)) * 100.0 / dd as f64
    }
}
