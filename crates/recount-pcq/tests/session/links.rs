//! Every counter type of 2.2.4.2, with the links that it requires.

use recount_model::{CounterType, FindingKind, Health, Multi, Second, Source, Timer};
use recount_pcq::{CounterRegInfo, Message, Session};

use crate::support::*;

/// A link field by the counter's index below, which is its id less 10: base, time, frequency, multi.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Needs {
    Nothing,
    Base(u32),
    TimeAndFrequency,
    Multi,
}

/// The 34 types of the document, each with its table "The following counter types require ..." and the clock of the
/// answer that its formula reads.
#[rustfmt::skip]
pub(crate) const TYPES: [(u32, Needs, Option<Timer>); 34] = {
    use Needs::{Base, Multi, Nothing, TimeAndFrequency};
    const TICK: Option<Timer> = Some(Timer::Tick);
    const HUNDRED_NS: Option<Timer> = Some(Timer::HundredNs);
    [
        (0x1041_0400, Nothing, TICK),             // PERF_COUNTER_COUNTER
        (0x2041_0500, Nothing, TICK),             // PERF_COUNTER_TIMER
        (0x0045_0400, Nothing, TICK),             // PERF_COUNTER_QUEUELEN_TYPE
        (0x0045_0500, Nothing, TICK),             // PERF_COUNTER_LARGE_QUEUELEN_TYPE
        (0x0055_0500, Nothing, HUNDRED_NS),       // PERF_COUNTER_100NS_QUEUELEN_TYPE
        (0x0065_0500, TimeAndFrequency, None),    // PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE
        (0x1041_0500, Nothing, TICK),             // PERF_COUNTER_BULK_COUNT
        (0x0000_0B00, Nothing, None),             // PERF_COUNTER_TEXT
        (0x0001_0000, Nothing, None),             // PERF_COUNTER_RAWCOUNT
        (0x0001_0100, Nothing, None),             // PERF_COUNTER_LARGE_RAWCOUNT
        (0x0000_0000, Nothing, None),             // PERF_COUNTER_RAWCOUNT_HEX
        (0x0000_0100, Nothing, None),             // PERF_COUNTER_LARGE_RAWCOUNT_HEX
        (0x20C2_0400, Base(0x4003_0401), None),   // PERF_SAMPLE_FRACTION
        (0x0041_0400, Nothing, TICK),             // PERF_SAMPLE_COUNTER
        (0x2141_0500, Nothing, TICK),             // PERF_COUNTER_TIMER_INV
        (0x3024_0500, TimeAndFrequency, None),    // PERF_ELAPSED_TIME
        (0x4003_0401, Nothing, None),             // PERF_SAMPLE_BASE
        (0x3002_0400, Base(0x4003_0402), None),   // PERF_AVERAGE_TIMER
        (0x4003_0402, Nothing, None),             // PERF_AVERAGE_BASE
        (0x4002_0500, Base(0x4003_0402), None),   // PERF_AVERAGE_BULK
        (0x2061_0500, TimeAndFrequency, None),    // PERF_OBJ_TIME_TIMER
        (0x2057_0500, Base(0x4003_0500), None),   // PERF_PRECISION_100NS_TIMER
        (0x2047_0500, Base(0x4003_0500), None),   // PERF_PRECISION_SYSTEM_TIMER
        (0x2067_0500, TimeAndFrequency, None),    // PERF_PRECISION_OBJECT_TIMER
        (0x2051_0500, Nothing, HUNDRED_NS),       // PERF_100NSEC_TIMER
        (0x2151_0500, Nothing, HUNDRED_NS),       // PERF_100NSEC_TIMER_INV
        (0x2241_0500, Multi, TICK),               // PERF_COUNTER_MULTI_TIMER
        (0x2341_0500, Multi, TICK),               // PERF_COUNTER_MULTI_TIMER_INV
        (0x2251_0500, Multi, HUNDRED_NS),         // PERF_100NSEC_MULTI_TIMER
        (0x2351_0500, Multi, HUNDRED_NS),         // PERF_100NSEC_MULTI_TIMER_INV
        (0x2002_0400, Base(0x4003_0403), None),   // PERF_RAW_FRACTION
        (0x4003_0403, Nothing, None),             // PERF_RAW_BASE
        (0x2002_0500, Base(0x4003_0500), None),   // PERF_LARGE_RAW_FRACTION
        (0x4003_0500, Nothing, None),             // PERF_LARGE_RAW_BASE
    ]
};

/// The counter of a type, all four of whose links lead to counters 10, 11, 12 and 13; and these counters, of the types
/// that it demands.
fn linked(word: u32, needs: Needs) -> Vec<CounterRegInfo> {
    let base = if let Needs::Base(base) = needs { base } else { RAWCOUNT };
    vec![
        CounterRegInfo {
            base_counter_id: 10,
            perf_time_id: 11,
            perf_freq_id: 12,
            multi_id: 13,
            ..counter(1, word)
        },
        counter(10, base),
        counter(11, LARGE_RAWCOUNT),
        counter(12, LARGE_RAWCOUNT),
        counter(13, RAWCOUNT),
    ]
}

/// The links of counter 1, and the findings.
fn links_of(counters: Vec<CounterRegInfo>) -> ((Second, Multi, Option<usize>), Health) {
    let mut recorded = Recorded::default();
    recorded.register(&registration(1, SINGLE, counters));
    let (mut session, mut health) = (Session::default(), Health::default());
    let message = Message::parse(&recorded.0, 0).expect("a message");
    session.apply(4, &message, &mut health);
    assert_eq!(session.counterset(guid(1), 3), None, "not registered yet");
    let counterset = session.counterset(guid(1), 4).expect("registered");
    let links = &counterset.links[counterset.counter(1).expect("counter 1")];
    ((links.second.clone(), links.multi.clone(), links.frequency), health)
}

#[test]
fn every_type_has_the_links_that_it_requires() {
    for (word, needs, clock) in TYPES {
        let (found, health) = links_of(linked(word, needs));
        let clock = clock.map_or(Second::None, Second::Clock);
        let expected = match needs {
            Needs::Nothing => (clock, Multi::None, None),
            Needs::Base(_) => (Second::Base(1), Multi::None, None),
            Needs::TimeAndFrequency => (Second::Base(2), Multi::None, Some(3)),
            Needs::Multi => (clock, Multi::Base(4), None),
        };
        assert_eq!(found, expected, "{}", CounterType(word));
        assert!(health.is_sound(), "{}: {:?}", CounterType(word), health.findings());
    }
}

/// The four link fields of a counter: name, offset, and how to set it.
type Field = (&'static str, u64, fn(&mut CounterRegInfo, u32));
const FIELDS: [Field; 4] = [
    ("BaseCounterId", 24, |counter, id| counter.base_counter_id = id),
    ("PerfTimeId", 28, |counter, id| counter.perf_time_id = id),
    ("PerfFreqId", 32, |counter, id| counter.perf_freq_id = id),
    ("MultiId", 36, |counter, id| counter.multi_id = id),
];

/// Every type with each of its links missing, ambiguous, and leading to a counter of another type.
#[test]
fn a_link_that_is_required_and_wrong_is_reported_and_leaves_no_second_value() {
    for (word, needs, _) in TYPES {
        let required: &[(usize, u32)] = match needs {
            Needs::Nothing => &[],
            Needs::Base(base) => &[(0, base)],
            Needs::TimeAndFrequency => &[(1, LARGE_RAWCOUNT), (2, LARGE_RAWCOUNT)],
            Needs::Multi => &[(3, RAWCOUNT)],
        };
        for (field, (name, ofs, set)) in FIELDS.into_iter().enumerate() {
            let demanded = required.iter().find(|(of, _)| *of == field);
            for (id, found) in [
                (99, "99, which no counter has"),
                (1, &*format!("1, a counter of type {}", CounterType(word))),
                (20, "20, which several counters have"),
            ] {
                let mut counters = linked(word, needs);
                if id == 20 {
                    let type_word = demanded.map_or(RAWCOUNT, |(_, word)| *word);
                    counters.extend([counter(20, type_word), counter(20, type_word)]);
                }
                set(&mut counters[0], id);
                let (links, health) = links_of(counters);
                let told: Vec<_> = findings(&health)
                    .into_iter()
                    .filter(|it| !it.contains("CounterId at") || it.contains("BaseCounterId"))
                    .collect();
                let Some((_, demanded)) = demanded else {
                    assert_eq!(told, [] as [String; 0], "{} doesn't use {name}", CounterType(word));
                    continue;
                };
                let place = format!("{name} at byte {:#x} (structure starts at 0x50)", 0x50 + ofs);
                let demanded = CounterType(*demanded);
                let expected = format!(
                    "damaged: _PERF_COUNTER_REG_INFO.{place}: counterset 01010101-0101-0101-0101-010101010101, counter \
                     1: expected the id of a counter of type {demanded}, found {found}; the counter has no value \
                     (MS-PCQ 2.2.4.2)"
                );
                assert_eq!(told, [expected]);
                assert_eq!(links, (Second::None, Multi::None, None), "{}: {name} {id}", CounterType(word));
            }
        }
    }
}

#[test]
fn unknown_types_are_linked_by_their_fields() {
    let base = Needs::Base(0x4003_0402);
    for (word, needs, expected) in [
        // A 64-bit average time; one on the object's clock; a rate, and a timer of many, on the object's clock.
        (0x3002_0500, base, (Second::Base(1), Multi::None, None)),
        (0x3022_0500, base, (Second::Base(1), Multi::None, Some(3))),
        (0x1061_0500, Needs::Nothing, (Second::Base(2), Multi::None, Some(3))),
        (0x2261_0500, Needs::Nothing, (Second::Base(2), Multi::Base(4), Some(3))),
        (0x0040_0500, Needs::Nothing, (Second::None, Multi::None, None)),
    ] {
        let (links, health) = links_of(linked(word, needs));
        assert_eq!(links, expected, "{word:#x}");
        assert!(health.is_sound(), "{word:#x}");
    }
    let (links, health) = links_of(linked(0x3002_0500, Needs::Nothing));
    assert_eq!((links.0, health.count(FindingKind::Damaged)), (Second::None, 1));
    assert!(
        findings(&health)[0].contains("expected the id of a counter of a base type, found 10, a counter of")
    );
}

/// A counter has a value only if the query asks for all that it rests on.
#[test]
fn a_link_to_a_counter_that_is_not_asked_for_is_cut() {
    let (average, elapsed) = (linked(0x3002_0400, Needs::Base(0x4003_0402)), counter(2, ELAPSED));
    let elapsed = CounterRegInfo { perf_time_id: 11, perf_freq_id: 12, ..elapsed };
    let set = registration(1, SINGLE, [average, vec![elapsed]].concat());
    let links = |ids: &[u32]| {
        let mut recorded = Recorded::default();
        let identifiers: Vec<_> =
            ids.iter().zip(0..).map(|(id, index)| asked(1, *id, (0, ""), index)).collect();
        let mut answer = answer(1);
        for _ in ids {
            answer.push_single(dword(3));
        }
        recorded.register(&set).info(QUERY, &identifiers).data(answer);
        let run = recorded.runs().remove(0);
        let columns = run.columns.into_iter().map(|column| (column.second, column.frequency));
        columns.collect::<Vec<_>>()
    };
    assert_eq!(links(&[10, 1]), [(Second::Base(1), None), (Second::None, None)]);
    assert_eq!(links(&[1]), [(Second::None, None)]);
    // In the order of the registration: 11, 12, 2.
    let raw = (Second::None, None);
    assert_eq!(links(&[2, 12, 11]), [raw.clone(), raw.clone(), (Second::Base(0), Some(1))]);
    assert_eq!(links(&[2, 11]), [raw.clone(), raw]);
}

#[test]
fn sources_list_every_registration_that_is_asked_for() {
    let mut recorded = Recorded::default();
    recorded
        .register(&registration(1, SINGLE, vec![counter(1, RAWCOUNT)]))
        .register(&registration(2, SINGLE, vec![counter(1, RAWCOUNT)]))
        .register(&registration(1, MULTIPLE, vec![counter(1, RAWCOUNT)]))
        .register(&registration(1, MULTIPLE, vec![counter(1, RAWCOUNT)]))
        .info(QUERY, &[asked_all(1, 0)]);
    let instanced: Vec<bool> =
        recorded.source().objects().iter().map(|(_, object)| object.instanced).collect();
    assert_eq!(instanced, [false, true], "the second is asked for by nobody, the last one says nothing new");
}
