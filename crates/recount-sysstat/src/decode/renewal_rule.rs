//! By which fields of an activity's items it shows that a device was registered again (formats/sa.md#instances), or that a CPU's
//! earlier times have to be corrected (formats/sa.md#cpu).

use recount_model::{FieldSum, Renewal};

use super::cpu;
use crate::layout::Layout;
use crate::names::List;

/// `None` if plain differences suffice.
pub(super) fn renewal_rule(layout: &Layout) -> Option<Renewal<FieldSum>> {
    let (any, all, pairs): (&[&'static str], &[&'static str], &[[&'static str; 2]]) =
        match (layout.activity, layout.list) {
            ("A_NET_DEV", _) => (
                &["rx_compressed", "tx_compressed", "multicast"],
                &[],
                &[["rx_bytes", "rx_packets"], ["tx_bytes", "tx_packets"]],
            ),
            ("A_NET_EDEV", _) => (
                &[
                    "collisions",
                    "tx_errors",
                    "rx_dropped",
                    "tx_dropped",
                    "rx_fifo",
                    "tx_fifo",
                    "rx_frame",
                    "tx_carrier",
                ],
                &[],
                &[],
            ),
            (_, List::Cpu) => (&["iowait", "idle", "user-?guest", "nice-?guest_nice", cpu::TICKS], &[], &[]),
            (_, List::Disk) => (&[], &["nr_ios", "rd_sect", "wr_sect", "dc_sect"], &[]),
            (_, List::InterruptMatrix) => (&["irq_nr"], &[], &[]),
            _ => return None,
        };
    let sums = |all: &[&'static str]| all.iter().map(|text| FieldSum::of(text)).collect();
    let pairs = pairs.iter().map(|pair| pair.map(FieldSum::of)).collect();
    Some(Renewal { any: sums(any), all: sums(all), pairs, sum: None })
}
