//! The log that `formats/rcap.md` shows byte by byte: every kind of frame, in as few bytes as possible.

use recount_model::{Event, EventKind, Facts, Timestamp};

use super::{CREATED, Item};

/// Eight events of two lengths: all but the last fit the chunk.
pub fn tiny() -> Vec<Item> {
    let mut items = vec![
        Item::Facts(Facts::from([("host".to_owned(), "web1".to_owned())])),
        Item::Texts("009", vec![(4, "Memory")]),
    ];
    for k in 0..8 {
        let time = Timestamp(CREATED.0 + (k + 1) * Timestamp::TICKS_PER_SECOND + k % 3);
        let (kind, extent, count, text) = match k {
            2 | 5 => (EventKind::Unreadable, 0, k as u64, if k == 2 { "cpu" } else { "mem" }),
            _ => (EventKind::Late, 1_000_000 * (k + 1), 0, ""),
        };
        items.push(Item::Event(Event { time, kind, extent, count, text: text.to_owned() }));
    }
    items
}
