//! Average time per operation.

use super::Kernel;

/// (dN / F) / dB, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct AverageTimer {
    pub(super) frequency: f64,
}

impl Kernel for AverageTimer {
    #[inline]
    fn value(self, dn: f64, db: f64, _m: f64) -> f64 {
        dn / (self.frequency * db)
    }
}
