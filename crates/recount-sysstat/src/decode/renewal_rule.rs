//! By which fields of an activity's items it shows that a device was registered again (formats/sa.md#instances).

use recount_model::Renewal;

use crate::layout::{Field, Layout};
use crate::names::List;

/// `None` if plain differences suffice.
pub(super) fn renewal_rule(layout: &Layout) -> Option<Renewal<Field>> {
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
            (_, List::Disk) => (&[], &["nr_ios", "rd_sect", "wr_sect", "dc_sect"], &[]),
            (_, List::InterruptMatrix) => (&["irq_nr"], &[], &[]),
            _ => return None,
        };
    let named = Renewal { any: any.to_vec(), all: all.to_vec(), pairs: pairs.to_vec() };
    Some(named.map(|name| layout.field(name))).filter(|rule| !rule.is_empty())
}
