//! Every requirement of the document for a registration, and its finding.

use recount_model::{AggregateFunction, Aggregation, CounterAttributes, FindingKind, Source};
use recount_pcq::{
    ANY_COUNTER, CounterRegInfo, MessageHeader, Registration, ReturnCode, StringTableBuf, opnum, request,
};

use crate::support::*;

/// Findings on opening a session with this registration, and nothing else.
fn findings_of(registration: &Registration) -> Vec<String> {
    findings(Recorded::default().register(registration).source().health())
}

/// Findings of a counterset with one counter, after `change`; each less its place and the counterset's GUID.
fn of_counter(change: impl FnOnce(&mut CounterRegInfo)) -> Vec<String> {
    let mut counter = counter(5, RAWCOUNT);
    change(&mut counter);
    findings_of(&registration(1, SINGLE, vec![counter]))
}

const COUNTERSET: &str = "counterset 01010101-0101-0101-0101-010101010101";

/// The one finding, as it is shown in full; the counter's structure starts after both headers.
fn counter_finding(kind: &str, field: &str, ofs: u64, what: &str) -> Vec<String> {
    let (start, ofs) = (48 + 32, 48 + 32 + ofs);
    let starts = if ofs == start { String::new() } else { format!(" (structure starts at {start:#x})") };
    vec![format!(
        "{kind}: _PERF_COUNTER_REG_INFO.{field} at byte {ofs:#x}{starts}: {COUNTERSET}, {what} (MS-PCQ 2.2.4.2)"
    )]
}

#[test]
fn instance_types_say_how_instances_are_aggregated() {
    use Aggregation::{Global, GlobalHistory, Multiple, None};
    for (instance_type, instanced, aggregation) in [
        (0x0, false, None),
        (0x2, true, None),
        (0x4, true, Global),
        (0x6, true, Multiple),
        (0xC, true, GlobalHistory),
        (0x16, true, None),
        (0x3, true, None),
    ] {
        let registration = registration(1, instance_type, vec![counter(5, RAWCOUNT)]);
        let mut recorded = Recorded::default();
        let source = recorded.register(&registration).info(QUERY, &[asked_all(1, 0)]).source();
        let (_, object) = source.objects().remove(0);
        assert_eq!((object.instanced, object.aggregation), (instanced, aggregation), "{instance_type:#x}");
        let expected = match instance_type {
            0x16 => "instance aggregate (0x16), which is not implemented; read as multiple instances",
            0x3 => "expected 0, 2, 4, 6, 0xc or 0x16, found 0x3; read as multiple instances",
            _ => {
                assert!(source.health().is_sound());
                continue;
            }
        };
        assert_eq!(
            findings(source.health()),
            [format!(
                "odd: _PERF_COUNTERSET_REG_INFO.InstanceType at byte 0x4c (structure starts at 0x30): {COUNTERSET}: \
                 {expected} (MS-PCQ 2.2.4.1)"
            )]
        );
    }
}

#[test]
fn detail_levels_are_novice_or_advanced() {
    let mut registration = registration(1, SINGLE, vec![]);
    for (level, is_sound) in [(100, true), (200, true), (0, false), (300, false)] {
        registration.set.detail_level = level;
        let found = findings_of(&registration);
        let place = "_PERF_COUNTERSET_REG_INFO.DetailLevel at byte 0x44 (structure starts at 0x30)";
        let expected =
            format!("odd: {place}: {COUNTERSET}: expected 100 or 200, found {level} (MS-PCQ 2.2.4.1)");
        assert_eq!(found, if is_sound { vec![] } else { vec![expected] });
        let found = of_counter(|counter| counter.detail_level = level);
        let what = format!("counter 5: expected 100 or 200, found {level}");
        assert_eq!(found, if is_sound { vec![] } else { counter_finding("odd", "DetailLevel", 16, &what) });
    }
}

#[test]
fn reserved_fields_are_ignored() {
    assert_eq!(of_counter(|counter| counter.reserved = 7), [] as [String; 0]);
    let mut registration = registration(1, SINGLE, vec![]);
    registration.set.counter_set_type = 9;
    assert_eq!(findings_of(&registration), [] as [String; 0]);
}

/// Every combination of the five attributes.
#[test]
fn only_certain_attributes_go_together() {
    for attributes in 0..0x20_u64 {
        let found = of_counter(|counter| counter.attributes = CounterAttributes(attributes));
        let has = |bit| attributes & bit != 0;
        let mut expected = Vec::new();
        if has(0x2) && (has(0x4) || has(0x8) || has(0x10)) {
            let what = format!(
                "counter 5: expected no display (0x2) without attributes of how to display (0x4, 0x8, 0x10), found \
                 {attributes:#x}"
            );
            expected.extend(counter_finding("odd", "Attrib", 8, &what));
        }
        if has(0x10) && (has(0x4) || has(0x8)) {
            let what = format!(
                "counter 5: expected display as hexadecimal (0x10) without no group separator (0x4) and display as \
                 real (0x8), found {attributes:#x}"
            );
            expected.extend(counter_finding("odd", "Attrib", 8, &what));
        }
        assert_eq!(found, expected, "{attributes:#x}");
    }
    let found = of_counter(|counter| counter.attributes = CounterAttributes(1 << 40));
    let what = "counter 5: expected bits 0x1 to 0x10 only, found 0x10000000000";
    assert_eq!(found, counter_finding("odd", "Attrib", 8, what));
}

#[test]
fn a_scale_out_of_range_is_none() {
    for (scale, read) in [(-10, -10), (10, 10), (0, 0), (-11, 0), (11, 0), (i32::MIN, 0)] {
        let mut registration = registration(1, SINGLE, vec![counter(5, RAWCOUNT)]);
        registration.counters[0].default_scale = scale;
        let mut recorded = Recorded::default();
        let source = recorded.register(&registration).info(QUERY, &[asked_all(1, 0)]).source();
        assert_eq!(source.objects()[0].1.counters[0].default_scale, read);
        let what = format!("counter 5: expected -10 to 10, found {scale}; taken as 0");
        let expected = if scale == read { vec![] } else { counter_finding("odd", "DefaultScale", 20, &what) };
        assert_eq!(findings(source.health()), expected);
    }
}

#[test]
fn aggregate_functions_are_0_to_4() {
    use AggregateFunction::{Average, Maximum, Minimum, Total, Undefined};
    for (number, function) in [Undefined, Total, Average, Minimum, Maximum, Undefined].into_iter().enumerate()
    {
        let mut registration = registration(1, 4, vec![counter(5, RAWCOUNT)]);
        registration.counters[0].aggregate_func = number as u32;
        let mut recorded = Recorded::default();
        let source = recorded.register(&registration).info(QUERY, &[asked_all(1, 0)]).source();
        assert_eq!(source.objects()[0].1.counters[0].aggregate, function);
        let what = "counter 5: expected 0 to 4, found 5; taken as 0, undefined";
        let expected = if number < 5 { vec![] } else { counter_finding("odd", "AggregateFunc", 40, what) };
        assert_eq!(findings(source.health()), expected);
    }
}

#[test]
fn ids_are_unique_and_none_is_the_wildcard() {
    let found = of_counter(|counter| counter.counter_id = ANY_COUNTER);
    let what = "counter 4294967295: the id stands for any counter in a query";
    assert_eq!(found, counter_finding("odd", "CounterId", 0, what));
    let twice =
        registration(1, SINGLE, vec![counter(5, RAWCOUNT), counter(6, RAWCOUNT), counter(5, RAWCOUNT)]);
    let mut recorded = Recorded::default();
    let mut answer = answer(1);
    answer.push_multi_counters(&[(5, &dword(1)), (6, &dword(2)), (5, &dword(3))]);
    recorded.register(&twice).info(QUERY, &[asked_all(1, 0)]).data(answer);
    let source = recorded.source();
    let health = source.health();
    assert_eq!((health.total(), health.count(FindingKind::Damaged)), (2, 2));
    assert!(
        findings(health)[1]
            .ends_with("counter 5: another counter has the same id; neither has a value (MS-PCQ 2.2.4.2)")
    );
    let runs = recorded.decoded().runs;
    assert_eq!(firsts(&runs[0]), [[0], [2], [0]]);
    assert_eq!(faults(&runs[0]), [(0, 0, 0), (0, 2, 0)]);
}

#[test]
fn a_type_that_nothing_is_known_of_is_reported() {
    // Text is a type of the document; a difference isn't, but known; a 32-bit timer follows from its fields.
    for word in [0x0000_0B00, 0x0040_0400, 0x2041_0400] {
        assert_eq!(of_counter(|counter| counter.counter_type.0 = word), [] as [String; 0]);
    }
    for (word, shown) in [(0x4000_0200, "PERF_COUNTER_NODATA"), (0x1141_0400, "0x11410400")] {
        let found = of_counter(|counter| counter.counter_type.0 = word);
        let what = format!(
            "counter 5: type {shown} is not one of MS-PCQ's, and doesn't say how its value is computed"
        );
        assert_eq!(found, counter_finding("odd", "Type", 4, &what));
    }
}

#[test]
fn names_are_english_where_they_can_be() {
    let both =
        registration(1, SINGLE, vec![counter(5, RAWCOUNT), counter(6, RAWCOUNT), counter(7, RAWCOUNT)]);
    let mut recorded = Recorded::default();
    recorded
        .texts(1, request::COUNTER_NAMES, &[(5, "Fünf"), (6, "Sechs")])
        .register(&both)
        .text(1, request::SET_NAME, "Menge")
        .text(1, request::SET_DESCRIPTION, "Eine Menge.")
        .texts(1, request::COUNTER_DESCRIPTIONS, &[(6, "Die Sechs.")])
        .info(QUERY, &[asked_all(1, 0)]);
    let object = recorded.source().objects().remove(0).1;
    let names: Vec<_> = object.counters.iter().map(|counter| &*counter.name).collect();
    assert_eq!((&*object.name, names), ("Menge", vec!["Fünf", "Sechs", "7"]));
    assert_eq!(object.help.as_deref(), Some("Eine Menge."));
    assert_eq!(object.counters[1].help.as_deref(), Some("Die Sechs."));
    recorded.text(1, request::ENGLISH_SET_NAME, "Set").texts(
        1,
        request::ENGLISH_COUNTER_NAMES,
        &[(5, "Five"), (6, "")],
    );
    let object = recorded.source().objects().remove(0).1;
    let names: Vec<_> = object.counters.iter().map(|counter| &*counter.name).collect();
    assert_eq!((&*object.name, names), ("Set", vec!["Five", "Sechs", "7"]));
}

/// The other names of the table can be read.
#[test]
fn a_wrong_offset_costs_one_name() {
    let both =
        registration(1, SINGLE, vec![counter(5, RAWCOUNT), counter(6, RAWCOUNT), counter(7, RAWCOUNT)]);
    let texts = [(5, "Five"), (6, "Six"), (7, "Seven")];
    // Windows' own functions count from the start of the table: headers of 8 + 3 * 8 bytes.
    for (ofs_first, wrong, told) in [
        (0, u32::MAX >> 1, "expected at most "),
        (32, u32::MAX >> 1, "expected at most "),
        (32, 0, "expected at least 32, found 0"),
    ] {
        let mut buffer = Vec::new();
        StringTableBuf { entries: texts.map(|(id, text)| (id, text.to_owned())).to_vec() }.write(&mut buffer);
        for at in [12, 20, 28] {
            let ofs = u32::from_le_bytes(buffer[at..at + 4].try_into().expect("four bytes"));
            buffer[at..at + 4].copy_from_slice(&(ofs + ofs_first).to_le_bytes());
        }
        buffer[20..24].copy_from_slice(&wrong.to_le_bytes());
        let mut recorded = Recorded::default();
        recorded
            .register(&both)
            .about(guid(1), request::COUNTER_NAMES, &buffer)
            .info(QUERY, &[asked_all(1, 0)]);
        let source = recorded.source();
        let object = source.objects().remove(0).1;
        let names: Vec<_> = object.counters.iter().map(|counter| &*counter.name).collect();
        assert_eq!(names, ["Five", "6", "Seven"], "{ofs_first}");
        let [finding] = source.health().findings() else { panic!("{:?}", source.health()) };
        let told = format!("the name of counter 6 is lost: {told}");
        assert!(finding.to_string().contains(&told), "{finding}");
        assert!(finding.to_string().contains("_STRING_COUNTER_HEADER.dwOffset"), "{finding}");
    }
}

#[test]
fn a_nameless_counterset_has_its_guid_and_namesakes_are_distinguished() {
    let mut recorded = Recorded::default();
    for number in 1..=3 {
        recorded.register(&registration(number, SINGLE, vec![]));
    }
    recorded.text(2, request::SET_NAME, "Set").text(3, request::ENGLISH_SET_NAME, "SET");
    recorded.info(QUERY, &[asked_all(1, 0), asked_all(2, 1), asked_all(3, 2)]);
    let names: Vec<_> =
        recorded.source().objects().iter().map(|(_, object)| object.name.to_string()).collect();
    let expected =
        ["01010101-0101-0101-0101-010101010101", "Set", "SET 03030303-0303-0303-0303-030303030303"];
    assert_eq!(names, expected);
}

#[test]
fn what_contradicts_a_registration_is_reported_and_errors_change_nothing() {
    let sound = registration(1, SINGLE, vec![counter(5, RAWCOUNT)]);
    let (mut same, mut other) = (Vec::new(), Vec::new());
    counter(5, RAWCOUNT).write(&mut same);
    counter(5, LARGE_RAWCOUNT).write(&mut other);
    let mut recorded = Recorded::default();
    recorded.register(&sound).about(guid(1), request::COUNTER, &same);
    assert!(recorded.source().health().is_sound());
    let ofs = recorded.0.len() + 48;
    recorded.about(guid(1), request::COUNTER, &other);
    let expected = format!(
        "odd: _PERF_COUNTER_REG_INFO at byte {ofs:#x}: {COUNTERSET}, counter 5: differs from the counterset's \
         registration, which is used"
    );
    assert_eq!(findings(recorded.source().health()), [expected]);

    let mut recorded = Recorded::default();
    let mut buffer = Vec::new();
    sound.write(&mut buffer);
    recorded.about(guid(2), request::COUNTER_SET, &buffer);
    assert_eq!(
        findings(recorded.source().health()),
        ["damaged: _PERF_COUNTERSET_REG_INFO.CounterSetGuid at byte 0x30: message 0: expected \
          02020202-0202-0202-0202-020202020202, which was asked for, found 01010101-0101-0101-0101-010101010101; \
          ignored"]
    );

    let mut recorded = Recorded::default();
    let return_code = ReturnCode::WMI_GUID_NOT_FOUND;
    let header = MessageHeader {
        opnum: opnum::QUERY_REGISTRATION_INFO,
        request_code: request::COUNTER_SET,
        return_code,
        guid: guid(1),
        ..MessageHeader::default()
    };
    recorded.message(header, &[]).info(QUERY, &[asked_all(1, 0)]);
    assert!(recorded.source().health().is_sound() && recorded.source().objects().is_empty());
}
