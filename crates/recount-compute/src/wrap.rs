//! Widths of raw values: 32 bits wrap around, 64 bits are reset.

use recount_model::Width;

/// Differences up to this are handled by the quick loops; it is one bit below the 52 bits of
/// [`small_to_f64`].
pub(crate) const QUICK_LIMIT: u64 = 1 << 51;

/// From here on, a 32-bit difference of a total is a decrease.
const FALL: u64 = 1 << 31;

/// How values of a width are read and subtracted (formats/counter-types.md#wrap-around).
///
/// Both widths use the same operations with different masks, so loops needn't distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrap {
    mask: u64,
    /// The bit that shows whether a 64-bit difference may be negative; 0 for 32 bits, whose differences are
    /// always modulo 2^32.
    top: u64,
}

impl Wrap {
    pub(crate) const LARGE: Wrap = Wrap { mask: u64::MAX, top: 1 << 63 };
    pub(crate) const DWORD: Wrap = Wrap { mask: u32::MAX as u64, top: 0 };

    pub(crate) const fn of(width: Width) -> Wrap {
        match width {
            Width::Dword => Wrap::DWORD,
            Width::Large => Wrap::LARGE,
        }
    }

    pub(crate) const fn value(self, raw: u64) -> u64 {
        raw & self.mask
    }

    /// The difference modulo the width.
    #[inline]
    pub(crate) const fn difference(self, earlier: u64, later: u64) -> u64 {
        later.wrapping_sub(earlier) & self.mask
    }

    /// Whether a small [`Wrap::difference`] may have wrapped at 2^64, which makes it invalid. `earlier` is
    /// the bitwise or of the earlier values of any number of cells.
    ///
    /// If the difference is small, `later < earlier` needs an `earlier` just below 2^64. Any value from 2^63
    /// up triggers this, usually unnecessarily; the exact pass then decides.
    pub(crate) const fn doubts(self, earlier: u64) -> bool {
        earlier & self.top != 0
    }

    /// Whether one of several [`Wrap::difference`]s may be a decrease if it belongs to a total. `differences`
    /// is their bitwise or.
    pub(crate) const fn may_be_fall(self, differences: u64) -> bool {
        self.top == 0 && differences >= FALL
    }

    /// The difference, or `None` if the value went down: a 64-bit one, or a 32-bit one of a total.
    pub(crate) fn checked_difference(
        self,
        earlier: u64,
        later: u64,
        is_total: impl FnOnce() -> bool,
    ) -> Option<u64> {
        if self.top != 0 {
            return later.checked_sub(earlier);
        }
        let difference = self.difference(earlier, later);
        if self.may_be_fall(difference) && is_total() { None } else { Some(difference) }
    }

    /// Later minus earlier as a signed number: modulo 2^32 for 32 bits, exact for 64. `None` for a total of 32 bits that
    /// went down.
    pub(crate) fn signed_difference(
        self,
        earlier: u64,
        later: u64,
        is_total: impl FnOnce() -> bool,
    ) -> Option<f64> {
        if self.top != 0 {
            return Some(minus(u128::from(later), u128::from(earlier)));
        }
        self.checked_difference(earlier, later, is_total).map(|difference| difference as f64)
    }
}

/// `a - b`, rounded once.
fn minus(a: u128, b: u128) -> f64 {
    if a >= b { (a - b) as f64 } else { -((b - a) as f64) }
}

/// An integer below 2^52 as `f64`, exactly. Larger ones give garbage, but never a trap.
///
/// It takes two instructions in any vector unit, while the general conversion takes six or, before AVX-512, a
/// scalar loop: the integer becomes the mantissa of 2^52, and then 2^52 is subtracted.
#[inline]
pub(crate) fn small_to_f64(n: u64) -> f64 {
    const TWO_POW_52: f64 = 4_503_599_627_370_496.0;
    f64::from_bits(TWO_POW_52.to_bits() | n) - TWO_POW_52
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dwords_wrap_and_larges_reset() {
        let dword = |earlier, later| Wrap::DWORD.checked_difference(earlier, later, || false);
        assert_eq!(dword(0xFFFF_FFFE, 3), Some(5));
        assert_eq!(dword(0xAAAA_0000_FFFF_FFFE, 0x5555_0000_0000_0003), Some(5));
        assert_eq!(dword(3, 2), Some(0xFFFF_FFFF));
        for is_total in [false, true] {
            assert_eq!(Wrap::LARGE.checked_difference(0xFFFF_FFFE, 3, || is_total), None);
            assert_eq!(Wrap::LARGE.checked_difference(3, u64::MAX, || is_total), Some(u64::MAX - 3));
        }
    }

    #[test]
    fn totals_fall() {
        let total = |earlier, later| Wrap::DWORD.checked_difference(earlier, later, || true);
        assert_eq!(total(3, 2), None);
        assert_eq!(total(0xFFFF_FFFE, 3), Some(5), "a total wraps, too");
        assert_eq!((total(0, 0x7FFF_FFFF), total(0, 0x8000_0000)), (Some(0x7FFF_FFFF), None));
        assert_eq!(Wrap::DWORD.signed_difference(3, 2, || true), None);
        assert_eq!(Wrap::LARGE.signed_difference(3, 2, || true), Some(-1.0));
    }

    #[test]
    fn every_decrease_of_a_large_raises_a_doubt() {
        for (earlier, later) in [(1, 0), (u64::MAX, 0), (u64::MAX, 1 << 50), (1 << 63, 0), (1 << 62, 1 << 61)]
        {
            let difference = Wrap::LARGE.difference(earlier, later);
            let doubt = difference >= QUICK_LIMIT || Wrap::LARGE.doubts(earlier);
            assert!(doubt, "{earlier:#x} {later:#x}");
        }
    }

    /// The operations don't depend on the width but by `mask` and `top`, so what holds for all pairs of eight bits holds for
    /// those of 32 and 64.
    #[test]
    fn all_pairs_of_eight_bits() {
        let dword = Wrap { mask: 0xFF, top: 0 };
        let large = Wrap { mask: 0xFF, top: 0x80 };
        for earlier in 0..=0xFF_u64 {
            for later in 0..=0xFF_u64 {
                let modulo = (later as i64 - earlier as i64).rem_euclid(0x100) as u64;
                assert_eq!(dword.difference(earlier, later), modulo);
                // Bits above the width don't count.
                assert_eq!(dword.difference(earlier | 0xAB00, later | 0x100), modulo);
                assert_eq!(dword.checked_difference(earlier, later, || false), Some(modulo));
                assert_eq!(large.checked_difference(earlier, later, || true), later.checked_sub(earlier));
                let exact = later as f64 - earlier as f64;
                assert_eq!(large.signed_difference(earlier, later, || true), Some(exact));
                if later < earlier {
                    // The quick loops leave either to the exact pass.
                    let is_large = large.difference(earlier, later) >= 0x80;
                    assert!(is_large || large.doubts(earlier), "{earlier} {later}");
                }
            }
        }
    }

    #[test]
    fn signed_differences_have_the_full_range() {
        assert_eq!(
            Wrap::LARGE.signed_difference(18_446_744_073_709_551_530, 1953, || false),
            Some(-18_446_744_073_709_549_577.0)
        );
        assert_eq!(Wrap::DWORD.signed_difference(10, 9, || false), Some(4_294_967_295.0));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "exactness is what is tested")]
    fn small_integers_convert_exactly() {
        for n in [0, 1, 12_345_678_901, QUICK_LIMIT, (1 << 52) - 1] {
            assert_eq!(small_to_f64(n), n as f64);
        }
        // Every 16 bits in a row, at every place, with zeros and with ones below.
        for (bits, shift) in (0..=0xFFFF_u64).flat_map(|bits| (0..=36).map(move |shift| (bits, shift))) {
            for n in [bits << shift, bits << shift | ((1 << shift) - 1)] {
                assert_eq!(small_to_f64(n), n as f64);
            }
        }
    }
}
