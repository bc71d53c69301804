//! Sessions of MS-PCQ messages in logs: every byte comes back, and what they mean is what the stream of them means.

use std::sync::Arc;

use proptest::prelude::*;
use recount_capture::{CaptureError, Log, LogWriter, MessageSource, RecordKind, WriterOptions};
use recount_model::{
    CounterAttributes, CounterType, Decoded, Pattern, Run, Selection, Sink, Source, Timestamp,
};
use recount_pcq::{
    ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, CounterRegInfo, CounterSetRegInfo, DataClocks, Guid,
    InstanceBuf, Message, MessageHeader, QueryDataBuf, Registration, SessionSource, StringTableBuf, Text,
    opnum, request,
};

/// 2026-03-01T08:00:00Z.
const START: i64 = 134_168_256_000_000_000;
const SECOND: i64 = 10_000_000;

/// An instance: name, id, and whether each sample has it with what values.
type Life = (String, u32, Vec<Option<Vec<u64>>>);

/// A counterset and its instances.
#[derive(Clone, Debug)]
struct Set {
    words: Vec<u32>,
    lives: Vec<Life>,
    /// Counters asked for one by one, or all at once.
    is_apart: bool,
}

fn set(num_samples: usize) -> impl Strategy<Value = Set> {
    let words =
        prop::collection::vec(prop::sample::select(vec![0x1041_0400_u32, 0x0001_0100, 0x2051_0500]), 1..5);
    (words, any::<bool>()).prop_flat_map(move |(words, is_apart)| {
        let values = prop::collection::vec(any::<u64>(), words.len());
        let life = ("[a-zß#_]{0,9}", 0..3_u32, prop::collection::vec(prop::option::of(values), num_samples));
        let lives = prop::collection::vec(life, 0..6);
        lives.prop_map(move |lives| Set { words: words.clone(), lives, is_apart })
    })
}

fn session() -> impl Strategy<Value = Vec<Vec<u8>>> {
    (1..20_usize).prop_flat_map(|num_samples| {
        let sets = prop::collection::vec(set(num_samples), 1..4);
        let strange = prop::collection::vec(
            (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..200)),
            0..3,
        );
        // Samples before which the query is asked anew, in the opposite order.
        let turns = prop::collection::btree_set(0..num_samples, 0..4);
        (sets, strange, turns).prop_map(move |(sets, strange, turns)| {
            let mut messages = registrations(&sets);
            let mut order: Vec<usize> = (0..sets.len()).collect();
            messages.push(info(&sets, &order));
            for sample in 0..num_samples {
                if turns.contains(&sample) {
                    order.reverse();
                    messages.push(info(&sets, &order));
                }
                messages.push(answer(&sets, &order, sample));
            }
            for (place, bytes) in strange {
                // Of a method that nothing here knows.
                let header = MessageHeader { opnum: 0x7777, ..MessageHeader::default() };
                let place = place.index(messages.len());
                messages.insert(place, message(header, &bytes));
            }
            messages
        })
    })
}

fn message(header: MessageHeader, buffer: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Message { header, buffer }.write(&mut bytes);
    bytes
}

fn guid(set: usize) -> Guid {
    Guid([set as u8 + 1; 16])
}

fn registrations(sets: &[Set]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let request = |request_code, buffer: &[u8]| {
            let opnum = opnum::QUERY_REGISTRATION_INFO;
            message(MessageHeader { opnum, request_code, guid: guid(at), ..MessageHeader::default() }, buffer)
        };
        let num_counters = set.words.len() as u32;
        let info = CounterSetRegInfo {
            guid: guid(at),
            counter_set_type: 0,
            detail_level: 100,
            num_counters,
            instance_type: 2,
        };
        let counters = (0..).zip(&set.words).map(|(id, word)| CounterRegInfo {
            counter_id: id,
            counter_type: CounterType(*word),
            attributes: CounterAttributes::default(),
            detail_level: 100,
            default_scale: 0,
            base_counter_id: 0,
            perf_time_id: 0,
            perf_freq_id: 0,
            multi_id: 0,
            aggregate_func: 0,
            reserved: 0,
        });
        let mut buffer = Vec::new();
        Registration { set: info, counters: counters.collect() }.write(&mut buffer);
        messages.push(request(request::COUNTER_SET, &buffer));
        messages.push(request(request::ENGLISH_SET_NAME, &Text::encode(&format!("Set {at}"))));
        let entries = (0..num_counters).map(|id| (id, format!("Counter {id}"))).collect();
        let mut buffer = Vec::new();
        StringTableBuf { entries }.write(&mut buffer);
        messages.push(request(request::ENGLISH_COUNTER_NAMES, &buffer));
    }
    messages
}

/// What the query asks for, in what order.
fn info(sets: &[Set], order: &[usize]) -> Vec<u8> {
    let mut identifiers = Vec::new();
    let mut index = 0;
    for &at in order {
        let set = &sets[at];
        let asked: Vec<u32> =
            if set.is_apart { (0..set.words.len() as u32).collect() } else { vec![ANY_COUNTER] };
        for counter in asked {
            let identifier = CounterIdentifierBuf::new(guid(at), counter, u32::MAX, ANY_INSTANCE);
            CounterIdentifierBuf { index, ..identifier }.write(&mut identifiers);
            index += 1;
        }
    }
    let header = MessageHeader { opnum: opnum::QUERY_COUNTER_INFO, query: 1, ..MessageHeader::default() };
    message(header, &identifiers)
}

fn answer(sets: &[Set], order: &[usize], sample: usize) -> Vec<u8> {
    let time = START + sample as i64 * SECOND;
    let clocks = DataClocks {
        perf_time: sample as u64,
        perf_time_100ns: time as u64,
        perf_freq: 1,
        ..DataClocks::default()
    };
    let mut data = QueryDataBuf::new(clocks);
    for set in order.iter().map(|at| &sets[*at]) {
        let value = |at: usize, value: u64| match set.words[at] {
            0x1041_0400 => (value as u32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        let there: Vec<(InstanceBuf, Vec<Vec<u8>>)> = set
            .lives
            .iter()
            .filter_map(|(name, id, samples)| {
                let values = samples[sample].as_ref()?;
                let values = values.iter().enumerate().map(|(at, raw)| value(at, *raw)).collect();
                Some((InstanceBuf::new(*id, name.clone()), values))
            })
            .collect();
        if set.is_apart {
            for at in 0..set.words.len() {
                let column: Vec<(InstanceBuf, Vec<u8>)> =
                    there.iter().map(|(instance, values)| (instance.clone(), values[at].clone())).collect();
                data.push_multi_instances(&column);
            }
        } else {
            let ids: Vec<u32> = (0..set.words.len() as u32).collect();
            data.push_counter_set(&ids, &there);
        }
    }
    let header = MessageHeader {
        opnum: opnum::QUERY_COUNTER_DATA,
        query: 1,
        time: Timestamp(time + 5),
        ..MessageHeader::default()
    };
    message(header, &data.finish())
}

/// Writes a log, in chunks of about `len_chunk` bytes, closed or as a killed recorder leaves it.
fn log_of(messages: &[Vec<u8>], len_chunk: usize, is_closed: bool) -> Log {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("session.rcap");
    let options = WriterOptions { len_chunk, ..WriterOptions::default() };
    let mut writer = LogWriter::create(&path, options).expect("a log");
    for (at, bytes) in messages.iter().enumerate() {
        writer.message(Timestamp(START + at as i64), bytes).expect("written");
    }
    if is_closed {
        writer.finish().expect("closed");
    }
    Log::open(Box::new(std::fs::read(&path).expect("read"))).expect("opens")
}

fn stream_of(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut stream = Vec::new();
    for bytes in messages {
        stream.extend_from_slice(bytes);
        stream.resize(stream.len().next_multiple_of(Message::ALIGNMENT), 0);
    }
    stream
}

fn all_of(source: &dyn Source, selection: &Selection) -> Decoded {
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    source.decode(&samples, selection)
}

/// What runs say, however they are cut.
fn told(runs: &[Run]) -> Vec<String> {
    let mut cells = Vec::new();
    for run in runs {
        for (sample, time) in run.clocks.time.iter().enumerate() {
            for (at, instance) in run.instances.iter().enumerate() {
                for (counter, column) in run.object.counters.iter().zip(&run.columns) {
                    let cell = column.first[sample * run.instances.len() + at];
                    let (object, counter) = (&run.object.name, &counter.name);
                    cells.push(format!(
                        "{} {object}({instance} {:?})\\{counter} {cell}",
                        time.utc, instance.id
                    ));
                }
            }
        }
    }
    cells.sort();
    cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_byte_comes_back_and_means_the_same(
        messages in session(), len_chunk in 200..20_000_usize, is_closed in any::<bool>()
    ) {
        let log = log_of(&messages, len_chunk, is_closed);
        let mut records = Vec::new();
        log.for_each_record(|record, bytes| {
            let (time, kind) = log.record_info(record).expect("it is listed");
            if kind != RecordKind::MESSAGE_COPY {
                records.push((time, kind, bytes.expect("sound").to_vec()));
            }
            Ok::<(), CaptureError>(())
        }).expect("nothing to fail");
        prop_assert_eq!(records.len(), messages.len());
        for ((time, kind, bytes), message) in records.iter().zip(&messages) {
            prop_assert_eq!(bytes, message);
            let parsed = Message::parse(message, 0).expect("a message");
            let expected = if parsed.is_sample() { RecordKind::MESSAGE_SAMPLE } else { RecordKind::MESSAGE };
            prop_assert_eq!(*kind, expected);
            if parsed.is_sample() {
                prop_assert_eq!(*time, parsed.time_of_sample());
            }
        }
        let from_log = MessageSource::new(log).expect("a source");
        let from_stream = SessionSource::open(Arc::new(stream_of(&messages))).expect("a stream");
        prop_assert_eq!(from_log.times(), from_stream.times());
        let (logged, streamed) =
            (all_of(&from_log, &Selection::all()), all_of(&from_stream, &Selection::all()));
        prop_assert_eq!(told(&logged.runs), told(&streamed.runs));
        prop_assert_eq!(logged.health.total(), streamed.health.total());
    }

    /// What isn't selected isn't read, which changes nothing in what is.
    #[test]
    fn a_part_is_a_part_of_the_whole(messages in session(), len_chunk in 200..20_000_usize) {
        let source = MessageSource::new(log_of(&messages, len_chunk, true)).expect("a source");
        let whole = all_of(&source, &Selection::all());
        for object in ["Set 0", "Set 1", "Set 2", "None"] {
            let pattern: Pattern = format!("\\{object}(*)\\*").parse().expect("a pattern");
            let part = all_of(&source, &Selection::from_iter([pattern]));
            let expected: Vec<Run> =
                whole.runs.iter().filter(|run| &*run.object.name == object).cloned().collect();
            prop_assert_eq!(told(&part.runs), told(&expected));
        }
    }
}

/// Bytes other than messages are kept and reported.
#[test]
fn what_is_no_message_is_kept() {
    let strange = vec![b"PCQM".to_vec(), Vec::new(), b"Dear reader".to_vec(), vec![7; 100]];
    let log = log_of(&strange, 1 << 20, true);
    let mut kept = Vec::new();
    log.for_each_record(|_, bytes| {
        kept.push(bytes.expect("sound").to_vec());
        Ok::<(), CaptureError>(())
    })
    .expect("nothing to fail");
    assert_eq!(kept, strange);
    let source = MessageSource::new(log).expect("a source");
    assert_eq!((source.times().len(), source.health().total()), (0, 4), "{:?}", source.health());
}

/// Only what the first chunk holds is lost with it.
#[test]
fn a_damaged_start_costs_what_stands_there() {
    let set = Set {
        words: vec![0x0001_0100, 0x1041_0400],
        lives: vec![("a".to_owned(), 1, (0..400).map(|value| Some(vec![value * 77, value])).collect())],
        is_apart: false,
    };
    let sets = [set];
    let mut messages = registrations(&sets);
    messages.push(info(&sets, &[0]));
    messages.extend((0..400).map(|sample| answer(&sets, &[0], sample)));
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("session.rcap");
    let options = WriterOptions { len_chunk: 20_000, ..WriterOptions::default() };
    let mut writer = LogWriter::create(&path, options).expect("a log");
    for bytes in &messages {
        writer.message(Timestamp(START), bytes).expect("written");
    }
    writer.finish().expect("closed");
    let whole = std::fs::read(&path).expect("read");
    let source = |bytes: &[u8]| {
        let log = Log::open(Box::new(bytes.to_vec())).expect("opens");
        assert!(log.num_chunks() > 2, "{} chunks", log.num_chunks());
        MessageSource::new(log).expect("a source")
    };
    let undamaged = told(&all_of(&source(&whole), &Selection::all()).runs);
    assert_eq!(undamaged.len(), 800);
    // In the columns of the first chunk's first section.
    for ofs in [0x180, 0x200, 0x280] {
        let mut damaged = whole.clone();
        damaged[ofs] ^= 0x10;
        let source = source(&damaged);
        let left = all_of(&source, &Selection::all());
        let cells = told(&left.runs);
        assert!(cells.len() > 500 && cells.len() < 800, "{ofs:#x}: {} cells", cells.len());
        assert!(cells.iter().all(|cell| undamaged.binary_search(cell).is_ok()), "{ofs:#x}");
        assert!(source.health().total() + left.health.total() > 0);
    }
}
