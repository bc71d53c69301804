//! What was recorded: 24 samples of a machine, 1 s apart, over the beginning of daylight saving time in Berlin.

use recount_capture::RecordKind;
use recount_model::{Event, EventKind, Facts, Piece, Timestamp};

use super::machine::{self, NUM_SAMPLES, time};

/// What is written to a log, in order.
pub enum Item {
    Facts(Facts),
    Texts(&'static str, Vec<(u32, &'static str)>),
    Block(Timestamp, Vec<u8>),
    Event(Event),
    Other(Timestamp, RecordKind, Vec<u8>),
    /// As `Other`, cut.
    Pieces(Timestamp, RecordKind, Vec<u8>, Vec<Piece>),
}

/// Facts, names, samples, events, and records of a kind that nobody knows.
pub fn recording() -> Vec<Item> {
    let mut items = vec![Item::Facts(facts("1073741824")), Item::Texts("009", machine::names())];
    items.push(event(0, EventKind::Begin, 0, 0, "interval 1 s"));
    for k in 0..NUM_SAMPLES {
        items.extend(before(k));
        items.push(Item::Block(time(k), machine::block(k)));
    }
    items.push(event(NUM_SAMPLES - 1, EventKind::End, 0, 0, "told to"));
    items
}

/// What happened before a sample.
fn before(k: i64) -> Vec<Item> {
    match k {
        2 | 4 | 5 => vec![event(k, EventKind::Late, 120_000 + 1_000 * k, 0, "busy")],
        6 => vec![event(k, EventKind::Unreadable, 0, 3, "/proc/900/io: permission denied")],
        8 => vec![Item::Other(time(k), RecordKind(0x8001), b"somebody's own record".to_vec())],
        // A disk is plugged in: its names follow, and the facts are repeated.
        12 => vec![Item::Texts("009", machine::disk_names()), Item::Facts(facts("2147483648"))],
        15 => {
            vec![event(k, EventKind::Missed, machine::SKIPPED_S * Timestamp::TICKS_PER_SECOND, 3, "swapping")]
        }
        18 => vec![event(k, EventKind::ClockStep, 90 * Timestamp::TICKS_PER_SECOND, 0, "")],
        20 => vec![Item::Other(time(k), RecordKind(0x8001), Vec::new())],
        _ => Vec::new(),
    }
}

fn event(sample: i64, kind: EventKind, extent: i64, count: u64, text: &str) -> Item {
    Item::Event(Event { time: time(sample), kind, extent, count, text: text.to_owned() })
}

fn facts(memory_bytes: &str) -> Facts {
    let facts = [
        ("host", "größe1"),
        ("os", "Debian GNU/Linux 13 (trixie), Linux 6.12.0"),
        ("architecture", "x86_64"),
        ("cpu-count", "2"),
        ("memory-bytes", memory_bytes),
        ("boot-time", "2026-03-28T22:00:00Z"),
        ("boot-id", "7d0f8a52-3c1e-4b7e-9a53-7ad5a7f0c001"),
        ("time-zone", "Europe/Berlin"),
        ("time-zone-posix", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ];
    facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}
