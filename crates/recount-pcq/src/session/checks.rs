//! The document's requirements for a registration (MS-PCQ 2.2.4.1, 2.2.4.2), and the handling of violations.
//!
//! Each violation is a finding. One that costs values (a link to a missing counter, an id used by two
//! counters) is damage; one that doesn't (a detail level, a combination of attributes) is an oddity.

use recount_model::{CounterAttributes, FindingKind, Health, Place};

use super::links::{self, CounterIds, is_understood};
use crate::{ANY_COUNTER, CounterRegInfo, CounterSetRegInfo, Registration};

/// `InstanceType` of 2.2.4.1: "Instance aggregate. Not implemented."
pub(super) const INSTANCE_AGGREGATE: u32 = 0x16;
/// The values of `InstanceType` that are implemented.
const INSTANCE_TYPES: [u32; 5] = [0x0, 0x2, 0x4, 0x6, 0xC];
/// Novice and advanced.
const DETAIL_LEVELS: [u32; 2] = [100, 200];

/// Reports all violations. `ofs` is where the registration's bytes start in their file.
pub(super) fn check(registration: &Registration, ids: &CounterIds, ofs: u64, health: &mut Health) {
    let mut notes = Notes { set: &registration.set, ofs, health };
    notes.check_set();
    for (index, counter) in registration.counters.iter().enumerate() {
        let ofs = ofs + CounterSetRegInfo::LEN as u64 + index as u64 * CounterRegInfo::LEN as u64;
        let mut note = |kind, field, ofs_field, what: String| {
            notes.counter(
                kind,
                counter,
                Place::field(CounterRegInfo::NAME, ofs, field, ofs + ofs_field),
                &what,
            );
        };
        check_id(counter, ids, &mut note);
        check_type(counter, &mut note);
        check_attributes(counter, &mut note);
        check_shown(counter, &mut note);
        for fault in links::resolve(&registration.counters, ids, counter).err().into_iter().flatten() {
            let what = format!("{fault}; the counter has no value");
            note(FindingKind::Damaged, fault.field.name(), fault.field.ofs(), what);
        }
    }
}

/// Receives a finding about a counter: its kind, the field and its offset, and the fault.
type Note<'n> = dyn FnMut(FindingKind, &'static str, u64, String) + 'n;

struct Notes<'a> {
    set: &'a CounterSetRegInfo,
    ofs: u64,
    health: &'a mut Health,
}

impl Notes<'_> {
    /// `CounterSetType` "MUST be ignored on receipt", and so it is.
    fn check_set(&mut self) {
        let place =
            |field, ofs_field| Place::field(CounterSetRegInfo::NAME, self.ofs, field, self.ofs + ofs_field);
        let (guid, set) = (self.set.guid, self.set);
        let mut what = Vec::new();
        if !DETAIL_LEVELS.contains(&set.detail_level) {
            let text = format!("expected 100 or 200, found {}", set.detail_level);
            what.push((place("DetailLevel", 20), text));
        }
        if set.instance_type == INSTANCE_AGGREGATE {
            let text = "instance aggregate (0x16), which is not implemented; read as multiple instances";
            what.push((place("InstanceType", 28), text.to_owned()));
        } else if !INSTANCE_TYPES.contains(&set.instance_type) {
            let text = format!(
                "expected 0, 2, 4, 6, 0xc or 0x16, found {:#x}; read as multiple instances",
                set.instance_type
            );
            what.push((place("InstanceType", 28), text));
        }
        for (place, text) in what {
            let what = format!("counterset {guid}: {text} (MS-PCQ 2.2.4.1)");
            self.health.note(FindingKind::Odd, place, what);
        }
    }

    fn counter(&mut self, kind: FindingKind, counter: &CounterRegInfo, place: Place, what: &str) {
        let (guid, id) = (self.set.guid, counter.counter_id);
        let what = format!("counterset {guid}, counter {id}: {what} (MS-PCQ 2.2.4.2)");
        self.health.note(kind, place, what);
    }
}

fn check_id(counter: &CounterRegInfo, ids: &CounterIds, note: &mut Note<'_>) {
    if ids.get(&counter.counter_id) == Some(&None) {
        let what = "another counter has the same id; neither has a value".to_owned();
        note(FindingKind::Damaged, "CounterId", 0, what);
    }
    if counter.counter_id == ANY_COUNTER {
        let what = "the id stands for any counter in a query".to_owned();
        note(FindingKind::Odd, "CounterId", 0, what);
    }
}

fn check_type(counter: &CounterRegInfo, note: &mut Note<'_>) {
    let word = counter.counter_type;
    if !is_understood(word) {
        let what = format!("type {word} is not one of MS-PCQ's, and doesn't say how its value is computed");
        note(FindingKind::Odd, "Type", 4, what);
    }
}

/// "Only certain combinations of the preceding possible values are allowed."
fn check_attributes(counter: &CounterRegInfo, note: &mut Note<'_>) {
    use CounterAttributes as A;
    let attributes = counter.attributes;
    let named = A::REFERENCE.0
        | A::NO_DISPLAY.0
        | A::NO_GROUP_SEPARATOR.0
        | A::DISPLAY_AS_REAL.0
        | A::DISPLAY_AS_HEX.0;
    let separator_or_real = A(A::NO_GROUP_SEPARATOR.0 | A::DISPLAY_AS_REAL.0);
    let how_to_show = A(separator_or_real.0 | A::DISPLAY_AS_HEX.0);
    let mut odd = |what: &str| {
        note(FindingKind::Odd, "Attrib", 8, format!("{what}, found {:#x}", attributes.0));
    };
    if attributes.0 & !named != 0 {
        odd("expected bits 0x1 to 0x10 only");
    }
    if attributes.contains(A::NO_DISPLAY) && attributes.intersects(how_to_show) {
        odd("expected no display (0x2) without attributes of how to display (0x4, 0x8, 0x10)");
    }
    if attributes.contains(A::DISPLAY_AS_HEX) && attributes.intersects(separator_or_real) {
        odd(
            "expected display as hexadecimal (0x10) without no group separator (0x4) and display as real (0x8)",
        );
    }
}

/// `Reserved` "MUST be ignored on receipt", and so it is.
fn check_shown(counter: &CounterRegInfo, note: &mut Note<'_>) {
    if !DETAIL_LEVELS.contains(&counter.detail_level) {
        let what = format!("expected 100 or 200, found {}", counter.detail_level);
        note(FindingKind::Odd, "DetailLevel", 16, what);
    }
    if !is_scale(counter.default_scale) {
        let what = format!("expected -10 to 10, found {}; taken as 0", counter.default_scale);
        note(FindingKind::Odd, "DefaultScale", 20, what);
    }
    if counter.aggregate_func > 4 {
        let what = format!("expected 0 to 4, found {}; taken as 0, undefined", counter.aggregate_func);
        note(FindingKind::Odd, "AggregateFunc", 40, what);
    }
}

/// Whether a `DefaultScale` is valid: 0xFFFFFFF6 to 0x0000000A.
pub(super) fn is_scale(scale: i32) -> bool {
    (-10..=10).contains(&scale)
}
