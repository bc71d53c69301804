//! Rates, timers, queue lengths, sample fractions, average counts and precision timers: a factor times dN over dD.

use super::Kernel;

/// `factor` dN / dD.
///
/// The factor is the frequency for a rate (dN / (dD/F)), 100 for a percentage, 1 for a quotient. It comes before
/// the division, and there is one division per cell rather than a reciprocal per sample, so that a full
/// timer is 100, not 99.99999999999999.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    pub(super) factor: f64,
}

impl Kernel for Ratio {
    #[inline]
    fn value(self, dn: f64, dd: f64, _m: f64) -> f64 {
        dn * self.factor / dd
    }
}
