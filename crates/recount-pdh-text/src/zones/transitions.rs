//! When clocks are changed: in one zone, or in any zone of the world.

use jiff::tz::{TimeZone, db};
use recount_model::Timestamp;

use super::minutes;

/// Before and after these moments (1970-01-01 and 2100-01-01), no change of a clock is known.
const FIRST: Timestamp = Timestamp(116_444_736_000_000_000);
const LAST: Timestamp = Timestamp(157_469_184_000_000_000);

/// A local time may be this far from UTC.
const MARGIN_MIN: i64 = 26 * 60;

/// A moment at which a clock is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Transition {
    /// What the clock shows at this moment, before it is changed.
    pub(crate) wall: Timestamp,
    /// Local time minus UTC before the change, in minutes.
    pub(crate) offset_before: i16,
    /// By how many minutes it is put forward.
    pub(crate) minutes: i16,
}

/// The changes of a zone's clock within a span of local time, ascending.
pub(crate) fn of_zone(zone: &TimeZone, first: Timestamp, last: Timestamp) -> Vec<Transition> {
    let mut found = Vec::new();
    add(zone, first, last, &mut found);
    found.sort_unstable();
    found
}

/// The same of all zones in the world, each change once.
pub(crate) fn of_world(first: Timestamp, last: Timestamp) -> Vec<Transition> {
    let mut found = Vec::new();
    for name in db().available() {
        if let Ok(zone) = db().get(name.as_str()) {
            add(&zone, first, last, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn add(zone: &TimeZone, first: Timestamp, last: Timestamp, found: &mut Vec<Transition>) {
    let first = first.plus_minutes(-MARGIN_MIN).max(FIRST).to_jiff();
    let last = last.plus_minutes(MARGIN_MIN).min(LAST).to_jiff();
    let (Some(first), Some(last)) = (first, last) else { return };
    let mut before = minutes(zone.to_offset(first));
    for change in zone.following(first).take_while(|change| change.timestamp() <= last) {
        let after = minutes(change.offset());
        if after != before {
            let wall = Timestamp::from_jiff(change.timestamp()).plus_minutes(i64::from(before));
            found.push(Transition { wall, offset_before: before, minutes: after - before });
        }
        before = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(text: &str) -> Timestamp {
        Timestamp::from_jiff(format!("{text}Z").parse().expect(text))
    }

    #[test]
    fn a_clock_is_changed_at_its_moments_only() {
        let berlin = TimeZone::get("Europe/Berlin").expect("a zone");
        let (first, last) = (local("2023-01-01T00:00:00"), local("2023-12-31T00:00:00"));
        let spring = Transition { wall: local("2023-03-26T02:00:00"), offset_before: 60, minutes: 60 };
        let autumn = Transition { wall: local("2023-10-29T03:00:00"), offset_before: 120, minutes: -60 };
        assert_eq!(of_zone(&berlin, first, last), [spring, autumn]);
        let world = of_world(first, last);
        assert!(world.contains(&spring) && world.contains(&autumn) && world.len() < 200);
        assert!(of_zone(&TimeZone::UTC, first, last).is_empty());
        // Far from all known changes.
        let far = (Timestamp(0), Timestamp(i64::MAX));
        assert!(of_zone(&berlin, far.0, far.1).len() < 300);
    }
}
