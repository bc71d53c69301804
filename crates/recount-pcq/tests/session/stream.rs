//! Streams of messages: damage, times, and messages that aren't samples.

use std::sync::Arc;

use recount_model::{FindingKind, Source, Timestamp};
use recount_pcq::{
    CounterRegInfo, DataClocks, MessageHeader, QueryDataBuf, ReturnCode, SessionSource, opnum, request,
};

use crate::support::*;

/// Counterset 1 of two instances, and an answer at each of these seconds.
fn recorded(seconds: &[u64]) -> (Recorded, Vec<usize>) {
    let mut recorded = Recorded::default();
    recorded.register(&registration(1, MULTIPLE, vec![counter(5, RAWCOUNT)])).info(QUERY, &[asked_all(1, 0)]);
    let mut offsets = Vec::new();
    for &second in seconds {
        offsets.push(recorded.0.len());
        let mut answer = answer(second);
        let value = |plus: u32| vec![dword(second as u32 + plus)];
        answer.push_counter_set(&[5], &[(instance(1, "a"), value(0)), (instance(2, "b"), value(1))]);
        recorded.data(answer);
    }
    (recorded, offsets)
}

#[test]
fn a_stream_is_a_source() {
    let (recorded, offsets) = recorded(&[100, 101]);
    assert!(SessionSource::recognise(&recorded.0) && !SessionSource::recognise(b"PCQ"));
    let source = recorded.source();
    assert_eq!(source.info().format, "MS-PCQ session (.pcq)");
    assert!(source.info().hosts.is_empty() && source.health().is_sound());
    let times: Vec<_> = source.times().iter().map(|time| time.utc).collect();
    assert_eq!(times, [Timestamp(100 * SECOND as i64), Timestamp(101 * SECOND as i64)]);
    assert_eq!(source.len_sample(0), offsets[1] - offsets[0]);
    assert_eq!((source.len_sample(2), source.epoch(1)), (0, 0));
    let named = SessionSource::open_as(Arc::new(recorded.0.clone()), "WEB1".into()).expect("messages");
    assert_eq!((&*named.info().hosts[0], &*named.objects()[0].0), ("WEB1", "WEB1"));
    let runs = named.decode(&[1], &recount_model::Selection::all()).runs;
    assert_eq!((&*runs[0].host, firsts(&runs[0])), ("WEB1", vec![&[101, 102][..]]));
}

#[test]
fn samples_are_in_the_order_of_time() {
    let (recorded, _) = recorded(&[100, 102, 101, 103]);
    let source = recorded.source();
    let seconds: Vec<_> = source.times().iter().map(|time| time.utc.0 / SECOND as i64).collect();
    assert_eq!(seconds, [100, 101, 102, 103]);
    assert_eq!((0..4).map(|sample| source.epoch(sample)).collect::<Vec<_>>(), [0, 1, 0, 1]);
    assert_eq!(recorded.runs()[0].columns[0].first, [100, 101, 101, 102, 102, 103, 103, 104]);
}

#[test]
fn a_time_that_is_missing_is_that_of_the_answer() {
    let (mut recorded, _) = recorded(&[]);
    recorded.data(QueryDataBuf::new(DataClocks::default()));
    assert_eq!(recorded.source().times()[0].utc, Timestamp(77));
}

/// Its head is zeroed, or its clocks are.
#[test]
fn a_sample_that_lost_its_time_is_damage_and_ends_no_epoch() {
    const LEN_CLOCKS: usize = 40;
    /// In 2020.
    const BEGIN: u64 = 13_222_310_400;
    let (recorded, offsets) = recorded(&[0, 1, 2, 3].map(|second| BEGIN + second));
    let head = offsets[1] + recount_pcq::Message::LEN_HEADER;
    let clocks = head + 8..head + 8 + LEN_CLOCKS;
    // When it was received is in the message's own head.
    for damaged in [head..head + 8, clocks] {
        let mut bytes = recorded.0.clone();
        bytes[damaged].fill(0);
        let source = SessionSource::open(Arc::new(bytes)).expect("messages");
        let seconds: Vec<_> = source.times().iter().map(|time| time.utc.0 as u64 / SECOND - BEGIN).collect();
        assert_eq!(seconds, [0, 2, 3]);
        assert_eq!((0..3).map(|sample| source.epoch(sample)).collect::<Vec<_>>(), [0, 0, 0]);
        assert_eq!(source.health().count(FindingKind::Damaged), 1);
    }
}

#[test]
fn what_failed_is_no_sample() {
    let (mut recorded, _) = recorded(&[100]);
    recorded.answered(QUERY, ReturnCode::NOT_ENOUGH_MEMORY, &[]).answered(
        QUERY,
        ReturnCode::ACCESS_DENIED,
        &[],
    );
    let source = recorded.source();
    assert_eq!(source.times().len(), 1);
    let told = findings(source.health());
    assert!(
        told[0].starts_with("odd: ")
            && told[0].ends_with("message 3: the answer is ERROR_NOT_ENOUGH_MEMORY; no sample")
    );
    assert!(
        told[1].starts_with("lost: ")
            && told[1].ends_with("message 4: the answer is ERROR_ACCESS_DENIED; no sample")
    );
}

#[test]
fn reading_goes_on_behind_damage() {
    let (sound, offsets) = recorded(&[100, 101, 102]);
    let mut damaged = sound.clone();
    // The length of the second answer.
    damaged.0[offsets[1] + 4..offsets[1] + 8].copy_from_slice(&u32::MAX.to_le_bytes());
    let source = damaged.source();
    assert_eq!(source.times().len(), 2);
    let len = offsets[2] - offsets[1];
    assert_eq!(
        findings(source.health()),
        [format!(
            "damaged: message.len_message at byte {:#x} (structure starts at {:#x}): MS-PCQ session: expected at most \
             {}, found 4294967295; {len} bytes left out",
            offsets[1] + 4,
            offsets[1],
            sound.0.len() - offsets[1]
        )]
    );
    assert_eq!(damaged.decoded().runs[0].columns[0].first, [100, 101, 102, 103]);

    let mut cut = sound.clone();
    cut.0.truncate(offsets[2] + 20);
    let source = cut.source();
    assert_eq!((source.times().len(), source.health().total()), (2, 1));
    assert!(findings(source.health())[0].contains("20 bytes left out"));
}

#[test]
fn a_damaged_answer_is_left_out_where_it_is_damaged() {
    let mut recorded = Recorded::default();
    for number in 1..=3 {
        recorded.register(&registration(number, SINGLE, vec![counter(1, RAWCOUNT)]));
    }
    recorded.info(QUERY, &[asked(1, 1, (0, ""), 0), asked(2, 1, (0, ""), 1), asked(3, 1, (0, ""), 2)]);
    let mut ofs = 0;
    for second in 1..=2 {
        ofs = recorded.0.len();
        let mut answer = answer(second);
        (0..3).for_each(|_| answer.push_single(dword(second as u32)));
        recorded.data(answer);
    }
    // Header of message and data, then blocks of 16 + 16 bytes: dwDataSize of the second.
    let damage = |at: usize, value: u32| {
        let mut damaged = recorded.clone();
        damaged.0[ofs + at..ofs + at + 4].copy_from_slice(&value.to_le_bytes());
        let decoded = damaged.decoded();
        let samples: Vec<_> = decoded.runs.iter().map(recount_model::Run::num_samples).collect();
        (samples, decoded.health.count(FindingKind::Damaged), findings(&decoded.health))
    };
    let (samples, num_damaged, told) = damage(48 + 48 + 32 + 16, 99);
    assert_eq!((samples, num_damaged), (vec![2, 1, 2], 1));
    assert!(
        told[0].contains("_PERF_COUNTER_DATA.dwDataSize") && told[0].contains("MS-PCQ session"),
        "{told:?}"
    );
    // dwSize of the second block: where the third begins isn't known.
    let (samples, num_damaged, _) = damage(48 + 48 + 32 + 8, 1);
    assert_eq!((samples, num_damaged), (vec![2, 1, 1], 1));
    // dwTotalSize: nothing is known, so that it is no sample; opening reports it.
    let (samples, num_damaged, _) = damage(48, 7);
    assert_eq!((samples, num_damaged), (vec![1, 1, 1], 0));
}

#[test]
fn a_stream_without_a_message_is_an_error() {
    let error = SessionSource::open(Arc::new(b"PCQM\x01\0\0\0 and what not".to_vec())).err().expect("none");
    assert_eq!(
        error.to_string(),
        "message.len_message at byte 0x4 (structure starts at 0x0): expected at least 48, found 1"
    );
    let empty = SessionSource::open(Arc::new(Vec::new())).expect("nothing is wrong");
    assert!(empty.times().is_empty() && empty.objects().is_empty());
}

#[test]
fn methods_that_say_nothing_of_samples_are_passed_over() {
    let (mut recorded, _) = recorded(&[100]);
    for opnum in [opnum::ENUMERATE_COUNTER_SET, opnum::ENUMERATE_INSTANCES, opnum::CLOSE_QUERY_HANDLE, 99] {
        recorded.message(MessageHeader { opnum, ..MessageHeader::default() }, &[1, 2, 3]);
    }
    assert_eq!(recorded.runs().len(), 1);
}

/// Identifiers that ask for all counters of a large registration, and answers that hold none.
#[test]
fn small_answers_do_not_become_large_runs() {
    let counters: Vec<_> = (0..20_000).map(|id| counter(id, RAWCOUNT)).collect();
    let mut recorded = Recorded::default();
    recorded.register(&registration(1, MULTIPLE, counters)).info(QUERY, &[asked_all(1, 0)]);
    for second in 0..2000 {
        let mut answer = answer(second);
        let name = if second % 2 == 0 { "a" } else { "b" };
        answer.push_counter_set(&[0], &[(instance(1, name), vec![dword(1)])]);
        recorded.data(answer);
    }
    let decoded = recorded.decoded();
    let cells: usize = decoded.runs.iter().map(|run| run.columns.len() * (run.num_samples() + 15)).sum();
    assert!(cells * 8 < (16 << 20) + 100 * recorded.0.len(), "{cells}");
    assert!(decoded.health.count(FindingKind::Dropped) > 1000);
    assert!(findings(&decoded.health)[0].contains("20000 counters of 1 instances"));
}

/// Every word of a session set to the most harmful values: it is read without a panic, and never expands
/// beyond what its length allows.
#[test]
fn any_word_may_be_wrong() {
    let mut recorded = Recorded::default();
    let elapsed = CounterRegInfo { perf_time_id: 7, perf_freq_id: 8, ..counter(6, ELAPSED) };
    let clock = [counter(7, LARGE_RAWCOUNT), counter(8, LARGE_RAWCOUNT)];
    let counters = [vec![counter(5, RAWCOUNT), elapsed], clock.to_vec()].concat();
    recorded
        .register(&registration(1, MULTIPLE, counters))
        .texts(1, request::COUNTER_NAMES, &[(5, "ID Process"), (6, "Elapsed Time")])
        .register(&registration(2, SINGLE, vec![counter(5, RAWCOUNT)]))
        .info(QUERY, &[asked_all(1, 0), asked(1, 5, (1, "a"), 1), asked(2, 5, (0, ""), 2)])
        .validated(1, &[asked(1, 6, (2, "b"), 0)]);
    for second in 1..=2 {
        let mut answer = answer(second);
        let row = |id, name| (instance(id, name), vec![dword(1), large(2), large(9), large(SECOND)]);
        answer.push_counter_set(&[5, 6, 7, 8], &[row(1, "a"), row(2, "b")]);
        answer.push_multi_counters(&[(5, dword(1))]);
        answer.push_multi_instances(&[(instance(0, ""), dword(3))]);
        answer.push_single(large(2));
        recorded.data(answer);
    }
    assert_eq!(recorded.runs().iter().map(recount_model::Run::num_samples).collect::<Vec<_>>(), [2, 2]);
    let num_words = recorded.0.len() / 4;
    let mut num_told = 0;
    for word in 0..num_words {
        for value in [0, 1, 2, 7, 8, 0x28, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF8, u32::MAX] {
            let mut damaged = recorded.clone();
            damaged.0[4 * word..4 * word + 4].copy_from_slice(&u32::to_le_bytes(value));
            let Ok(source) = SessionSource::open(Arc::new(damaged.0.clone())) else { continue };
            let samples: Vec<u32> = (0..source.times().len() as u32).collect();
            let decoded = source.decode(&samples, &recount_model::Selection::all());
            num_told += usize::from(!decoded.health.is_sound() || !source.health().is_sound());
            for run in &decoded.runs {
                assert!(run.num_cells() <= damaged.0.len());
                assert!(run.columns.iter().all(|column| column.first.len() == run.num_cells()));
            }
        }
    }
    assert!(num_told > num_words, "{num_told} of {num_words}");
}
