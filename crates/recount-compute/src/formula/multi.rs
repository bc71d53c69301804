//! Timers that sum up M instances.

use super::Kernel;
use crate::wrap::minus;

/// 100 (dN / dD) / M
#[derive(Clone, Copy, Debug)]
pub(super) struct MultiTimer;

impl Kernel for MultiTimer {
    #[inline]
    fn value(self, dn: f64, dd: f64, m: f64) -> f64 {
        dn * 100.0 / (dd * m)
    }
}

/// 100 (M − dN / dD), as 100 (M dD − dN) / dD with an exact numerator.
#[derive(Clone, Copy, Debug)]
pub(super) struct MultiTimerInverse;

impl Kernel for MultiTimerInverse {
    #[inline]
    fn value(self, dn: f64, dd: f64, m: f64) -> f64 {
        (m * dd - dn) * 100.0 / dd
    }

    fn exact(self, dn: u64, dd: u64, m: u64) -> f64 {
        minus(u128::from(m) * u128::from(dd), u128::from(dn)) * 100.0 / dd as f64
    }

    fn is_exact_up_to(self, dd: u64, m: u64) -> bool {
        u128::from(dd) * u128::from(m) <= 1 << 52
    }
}
