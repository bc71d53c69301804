//! A log whose chunk refers to known texts (`formats/rcap.md#known-texts`).

use recount_capture::RecordKind;
use recount_model::{Piece, Timestamp};

use super::{CREATED, Item};

/// Two records of a private kind: names that are known, one of them in the second record again, and one that nobody knows.
pub fn known_texts() -> Vec<Item> {
    const FIRST: [&str; 14] = [
        "RAS",
        "Active Users",
        "% Processor Time",
        "Memory",
        "nobody's",
        "Process",
        "System",
        "svchost",
        "_Total",
        "PhysicalDisk",
        "Avg. Disk Queue Length",
        "% Privileged Time",
        "Page Faults/sec",
        "IO Data Operations/sec",
    ];
    vec![record(1, &FIRST), record(2, &["Memory", "Active Users"])]
}

fn record(seconds: i64, texts: &[&str]) -> Item {
    let (mut bytes, mut pieces) = (Vec::new(), Vec::new());
    for text in texts {
        let start = bytes.len();
        bytes.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        let len = (bytes.len() - start) as u32;
        // Each a class of its own: the texts of one length must not share columns.
        let sort = text.bytes().fold(0, |sort: u32, byte| sort.wrapping_mul(31).wrapping_add(byte.into()));
        pieces.push(Piece { section: 1, sort, key: 0, len });
    }
    let time = Timestamp(CREATED.0 + seconds * Timestamp::TICKS_PER_SECOND);
    Item::Pieces(time, RecordKind(0x8001), bytes, pieces)
}
