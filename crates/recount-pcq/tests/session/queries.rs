//! Registrations and queries that change during a session, or are missing.

use recount_model::{FindingKind, Health, Run, Selection, Source};
use recount_pcq::{Message, MessageHeader, QueryDataBuf, ReturnCode, Session, messages, opnum, request};

use crate::support::*;

/// An answer with a value of one counter of a single instance per block.
fn singles(second: u64, values: &[u32]) -> QueryDataBuf {
    let mut answer = answer(second);
    for value in values {
        answer.push_single(dword(*value));
    }
    answer
}

/// Counterset `number`, single instance, with the counters 1 and 2.
fn registered(numbers: &[u8]) -> Recorded {
    let mut recorded = Recorded::default();
    for &number in numbers {
        recorded.register(&registration(number, SINGLE, vec![counter(1, RAWCOUNT), counter(2, RAWCOUNT)]));
    }
    recorded
}

fn summary(run: &Run) -> (&str, Vec<&str>, Vec<&[u64]>) {
    (&run.object.name[..2], counters(run), firsts(run))
}

const NONE: (u32, &str) = (0, "");

#[test]
fn a_query_that_changes_begins_a_run() {
    let (one, two) = (asked(1, 1, NONE, 0), asked(1, 2, NONE, 0));
    let other_set = asked(2, 1, NONE, 1);
    let mut recorded = registered(&[1, 2]);
    recorded.info(QUERY, std::slice::from_ref(&one)).data(singles(1, &[11]));
    // The same again: nothing changes.
    recorded.info(QUERY, std::slice::from_ref(&one)).data(singles(2, &[12]));
    recorded.info(QUERY, &[two, other_set.clone()]).data(singles(3, &[23, 33]));
    recorded.info(QUERY, &[one, other_set]).data(singles(4, &[14, 34]));
    let runs = recorded.runs();
    let expected = [
        ("01", vec!["1"], vec![&[11, 12][..]]),
        ("01", vec!["2"], vec![&[23]]),
        ("01", vec!["1"], vec![&[14]]),
        ("02", vec!["1"], vec![&[33, 34]]),
    ];
    assert_eq!(runs.iter().map(summary).collect::<Vec<_>>(), expected);
}

#[test]
fn a_registration_and_its_texts_hold_from_their_message_on() {
    let mut recorded = registered(&[1]);
    recorded.info(QUERY, &[asked_all(1, 0)]);
    let both = |second, ids: [u32; 2]| {
        let mut answer = answer(second);
        answer.push_multi_counters(&ids.map(|id| (id, dword(id))));
        answer
    };
    recorded.data(both(1, [1, 2])).texts(1, request::COUNTER_NAMES, &[(1, "One"), (2, "Two")]);
    recorded.data(both(2, [1, 2])).register(&registration(
        1,
        SINGLE,
        vec![counter(2, RAWCOUNT), counter(3, RAWCOUNT)],
    ));
    recorded.data(both(3, [2, 3])).texts(1, request::COUNTER_NAMES, &[(1, "One"), (2, "Two")]);
    recorded.data(both(4, [2, 3]));
    let runs = recorded.runs();
    let expected = [
        ("01", vec!["1", "2"], vec![&[1][..], &[2]]),
        ("01", vec!["One", "Two"], vec![&[1], &[2]]),
        ("01", vec!["Two", "3"], vec![&[2, 2], &[3, 3]]),
    ];
    assert_eq!(runs.iter().map(summary).collect::<Vec<_>>(), expected);
    // Any sample alone is read as it is among the others.
    let source = recorded.source();
    for (sample, names) in [vec!["1", "2"], vec!["One", "Two"], vec!["Two", "3"]].into_iter().enumerate() {
        let decoded = source.decode(&[sample as u32], &Selection::all());
        assert_eq!(counters(&decoded.runs[0]), names);
    }
}

#[test]
fn without_counter_info_what_was_added_is_there_in_order() {
    let failed = |identifier| {
        let mut identifier: recount_pcq::CounterIdentifierBuf = identifier;
        identifier.status = ReturnCode::WMI_ITEMID_NOT_FOUND.0;
        identifier
    };
    let mut recorded = registered(&[1, 2]);
    // The indexes of these say nothing.
    recorded.validated(1, &[asked(1, 2, NONE, 0), failed(asked(1, 9, NONE, 0)), asked(2, 1, NONE, 0)]);
    recorded.data(singles(1, &[12, 21])).validated(1, &[asked(1, 1, NONE, 0)]);
    recorded.data(singles(2, &[13, 22, 11]));
    let runs = recorded.runs();
    let expected = [
        ("01", vec!["2"], vec![&[12][..]]),
        ("01", vec!["1", "2"], vec![&[11], &[13]]),
        ("02", vec!["1"], vec![&[21, 22]]),
    ];
    assert_eq!(runs.iter().map(summary).collect::<Vec<_>>(), expected);
    // Counters added after a QueryCounterInfo come after those in it.
    let mut recorded = registered(&[1]);
    recorded.info(QUERY, &[asked(1, 2, NONE, 0)]).validated(1, &[asked(1, 1, NONE, 0)]);
    recorded.data(singles(1, &[2, 1]));
    assert_eq!(
        recorded.runs().iter().map(summary).collect::<Vec<_>>(),
        [("01", vec!["1", "2"], vec![&[1][..], &[2]])]
    );
}

#[test]
fn removal_leaves_nothing_known_until_counter_info_follows() {
    let (one, two) = (asked(1, 1, NONE, 0), asked(1, 2, NONE, 1));
    let mut recorded = registered(&[1]);
    recorded.validated(1, &[one.clone(), two.clone()]).data(singles(1, &[1, 2]));
    recorded.validated(0, std::slice::from_ref(&one)).data(singles(2, &[2]));
    let two = recount_pcq::CounterIdentifierBuf { index: 0, ..two };
    recorded.info(QUERY, &[two]).data(singles(3, &[3]));
    let decoded = recorded.decoded();
    let expected = [("01", vec!["1", "2"], vec![&[1][..], &[2]]), ("01", vec!["2"], vec![&[3]])];
    assert_eq!(decoded.runs.iter().map(summary).collect::<Vec<_>>(), expected);
    let told = findings(&decoded.health);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].starts_with("dropped: message at byte 0x")
            && told[0].contains("message 4: counters were removed")
    );
    // A removal that failed changes nothing.
    let mut recorded = registered(&[1]);
    let failed = recount_pcq::CounterIdentifierBuf { status: 0x57, ..one.clone() };
    recorded.validated(1, &[one]).validated(0, &[failed]).data(singles(1, &[1]));
    assert_eq!(recorded.runs().len(), 1);
}

#[test]
fn without_identifiers_or_registration_nothing_is_read() {
    let mut recorded = registered(&[1]);
    recorded.data(singles(1, &[1]));
    let decoded = recorded.decoded();
    assert_eq!((decoded.runs.len(), decoded.health.total()), (0, 1));
    assert_eq!(
        findings(&decoded.health),
        ["dropped: message at byte 0xb0: MS-PCQ session: message 1: no PerflibV2QueryCounterInfo and no \
          PerflibV2ValidateCounters before it says what its blocks are; left out"]
    );
    let mut recorded = registered(&[1]);
    recorded.info(QUERY, &[asked(1, 1, NONE, 0), asked(2, 1, NONE, 1)]).data(singles(1, &[1, 2]));
    let decoded = recorded.decoded();
    assert_eq!(decoded.runs.iter().map(summary).collect::<Vec<_>>(), [("01", vec!["1"], vec![&[1][..]])]);
    assert!(findings(&decoded.health)[0].ends_with(
        "message 2: counterset 02020202-0202-0202-0202-020202020202 isn't registered yet; what the query reads of it is \
         left out"
    ));
}

#[test]
fn a_position_of_two_countersets_is_nobodys() {
    let mut recorded = registered(&[1, 2]);
    recorded.info(QUERY, &[asked(1, 1, NONE, 0), asked(2, 1, NONE, 0), asked(2, 2, NONE, 1)]);
    recorded.data(singles(1, &[1, 2]));
    assert!(findings(recorded.source().health())[0].ends_with(
        "two countersets at position 0 of the answers; none is read from there (MS-PCQ 3.1.4.1.5)"
    ));
    assert_eq!(
        recorded.decoded().runs.iter().map(summary).collect::<Vec<_>>(),
        [("02", vec!["2"], vec![&[2][..]])]
    );
}

#[test]
fn queries_are_kept_apart() {
    let mut recorded = registered(&[1]);
    recorded.info(1, &[asked(1, 1, NONE, 0)]).info(2, &[asked(1, 2, NONE, 0)]);
    for second in 1..4_u32 {
        recorded.answered(1, ReturnCode::SUCCESS, &singles(u64::from(second) * 2, &[10 + second]).finish());
        recorded.answered(
            2,
            ReturnCode::SUCCESS,
            &singles(u64::from(second) * 2 + 1, &[20 + second]).finish(),
        );
    }
    let runs = recorded.runs();
    let expected = [("01", vec!["1"], vec![&[11, 12, 13][..]]), ("01", vec!["2"], vec![&[21, 22, 23]])];
    assert_eq!(runs.iter().map(summary).collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_not_selected_is_not_read() {
    let mut recorded = registered(&[1, 2]);
    recorded.text(1, request::SET_NAME, "Set A").text(2, request::SET_NAME, "Set B");
    recorded.info(QUERY, &[asked(1, 1, NONE, 0), asked(2, 1, NONE, 1)]).data(singles(1, &[1, 2]));
    let selection = Selection::from_iter([r"\Set B\*".parse().expect("path")]);
    let source = recorded.source();
    let runs = source.decode(&[0], &selection).runs;
    assert_eq!(runs.iter().map(|run| &*run.object.name).collect::<Vec<_>>(), ["Set B"]);

    let (mut session, mut health) = (Session::default(), Health::default());
    for (item, number) in messages(&recorded.0, 0).zip(0..) {
        session.apply(number, &item.message.expect("sound"), &mut health);
    }
    let may_match = |number, position| session.may_match_block(number, position, "", &selection);
    assert!(!may_match(5, 0) && may_match(5, 1));
    assert!(may_match(5, 2) && may_match(0, 0), "what isn't known may be anything");
    assert!(session.may_match_block(5, 0, "", &Selection::all()));
    assert_eq!(
        session.objects().map(|object| object.name.to_string()).collect::<Vec<_>>(),
        ["Set A", "Set B"]
    );
}

#[test]
fn messages_that_can_not_be_read_are_reported() {
    let mut recorded = registered(&[1]);
    let ofs = recorded.0.len();
    recorded.about(guid(1), request::SET_NAME, &[65, 0, 66]);
    let source = recorded.source();
    let told = findings(source.health());
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains(&format!("at byte {:#x}", ofs + 48 + 2)) && told[0].contains("message 1: "),
        "{told:?}"
    );
    let (mut session, mut health) = (Session::default(), Health::default());
    session.apply(1, &Message::parse(&recorded.0[ofs..], 0).expect("a message"), &mut health);
    assert!(findings(&health)[0].contains("at byte 0x32"), "from the message's start");
}

/// Continuing with the earlier state might give one counter the values of another.
#[test]
fn what_can_not_be_read_makes_what_it_is_about_unknown() {
    let one = asked(1, 1, NONE, 0);
    let mut recorded = registered(&[1]);
    recorded.info(QUERY, std::slice::from_ref(&one)).data(singles(1, &[1]));
    for opnum in [opnum::QUERY_COUNTER_INFO, opnum::VALIDATE_COUNTERS] {
        recorded.message(MessageHeader { opnum, query: QUERY, ..MessageHeader::default() }, &[1, 2, 3]);
        recorded.data(singles(2, &[2])).info(QUERY, std::slice::from_ref(&one)).data(singles(3, &[3]));
    }
    assert_eq!(recorded.source().health().count(FindingKind::Damaged), 2);
    let decoded = recorded.decoded();
    assert_eq!(
        decoded.runs.iter().map(summary).collect::<Vec<_>>(),
        [("01", vec!["1"], vec![&[1, 3, 3][..]])]
    );
    let told = findings(&decoded.health);
    assert_eq!(told.len(), 2);
    assert!(told[0].contains("message 4: a message about the query can't be read"), "{told:?}");

    let mut recorded = registered(&[1]);
    recorded.info(QUERY, &[one]).data(singles(1, &[1])).about(guid(1), request::COUNTER_SET, &[0; 33]);
    recorded.data(singles(2, &[2]));
    recorded
        .register(&registration(1, SINGLE, vec![counter(1, RAWCOUNT), counter(2, RAWCOUNT)]))
        .data(singles(3, &[3]));
    assert_eq!(recorded.source().health().count(FindingKind::Damaged), 1);
    let decoded = recorded.decoded();
    assert_eq!(decoded.runs.iter().map(summary).collect::<Vec<_>>(), [("01", vec!["1"], vec![&[1, 3][..]])]);
    assert!(findings(&decoded.health)[0].contains("isn't registered yet"));
}
