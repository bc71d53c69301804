//! The facts and events of a log.

use recount_model::{Event, EventKind, Facts};

use super::names::Names;
use super::pseudonym::Kind;

/// The fact that says that names were replaced (`formats/rcap.md#facts`).
const REDACTED: &str = "redacted";
const REPAIRED: &str = "repaired";

/// Facts that say nothing about whose the machine is. Others are left out: what they hold isn't known.
const KEPT: [&str; 16] = [
    "os",
    "kernel",
    "architecture",
    "boot-time",
    "cpu-count",
    "cpu-model",
    "memory-bytes",
    "page-size",
    "clock-ticks-per-second",
    "time-zone",
    "time-zone-posix",
    "recorder",
    "recording",
    "interval",
    "exits",
    "describe",
];

pub(super) fn rename_facts(facts: &Facts, names: &Names) -> Facts {
    let renamed = facts.iter().filter_map(|(name, value)| {
        let value = match name.as_str() {
            "host" => names.host(value).to_string(),
            "boot-id" => names.whole(Kind::Boot, value).to_string(),
            REPAIRED => "a repair left out some records, before the names were replaced".to_owned(),
            kept if KEPT.contains(&kept) => value.clone(),
            _ => return None,
        };
        Some((name.clone(), value))
    });
    renamed.chain([(REDACTED.to_owned(), "yes".to_owned())]).collect()
}

/// The texts of events have paths, settings and names of machines. Only marks have a meaning without theirs.
pub(super) fn rename_event(event: &Event, names: &Names) -> Event {
    let text = match event.kind {
        EventKind::Mark => names.whole(Kind::Mark, &event.text).to_string(),
        _ => String::new(),
    };
    Event { text, ..event.clone() }
}
