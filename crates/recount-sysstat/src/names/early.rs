//! What 0x1170 and 0x2170 lay out otherwise than 0x2171 (formats/sa.md#0x1170-and-0x2170). There are two variants, which the
//! number of the format doesn't tell apart.

use super::Span;
use super::activities::{i, l, narrow_l, narrow_q, q};

/// The last activity of these formats.
pub(super) const LAST_ID: u32 = 33;

/// An activity that has other layouts there.
pub(super) struct Early {
    pub(super) id: u32,
    /// The layout of sysstat itself, and of RHEL 6.
    pub(super) plain: &'static [Span],
    pub(super) vendors: &'static [Span],
    /// The length of its items in both; others aren't known.
    pub(super) lens: [usize; 2],
}

impl Early {
    pub(super) fn find(id: u32) -> Option<&'static Early> {
        EARLY.iter().find(|early| early.id == id)
    }
}

#[rustfmt::skip]
pub(super) static EARLY: &[Early] = &[
    Early {
        id: 6, lens: [20, 80],
        plain: &[i(0, "drive rio wio rblk wblk")],
        vendors: &[q(0, 16, "drive rio wio rblk wblk")],
    },
    Early {
        id: 11, lens: [80, 80],
        plain: &[q(0, 16, "rd_sect wr_sect"), narrow_l(32, "rd_ticks wr_ticks tot_ticks rq_ticks"), l(64, "nr_ios"),
            i(72, "major minor")],
        vendors: &[q(0, 16, "rd_sect wr_sect"), q(32, 8, "nr_ios"), narrow_q(40, "rd_ticks wr_ticks tot_ticks rq_ticks"),
            i(72, "major minor")],
    },
];

/// Activities of which only these lengths of items are known.
pub(super) const ONLY_LENS: &[(u32, usize)] = &[(31, 40), (32, 48), (33, 48)];

/// What the `sar` of that time shows instead of our value.
pub(crate) fn help(counter: &str) -> Option<&'static str> {
    match counter {
        "kbmemused" | "%memused" => {
            Some("without buffers and cache; the sar of the recording machine includes them")
        }
        _ => None,
    }
}
