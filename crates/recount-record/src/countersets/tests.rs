//! Counters through client and server: from a script, and from this machine.

use recount_bytes::ByteOrder;
use recount_model::{CounterType, Facts, NameTable};
use recount_samples::blocks::{BlockBuf, InstancesBuf, ObjectBuf};

use super::CountersetSource;
use crate::{LiveSource, TakeError, Taken};

/// One object with one counter. The results of taking samples are scripted, in reverse order.
struct Scripted {
    block: Vec<u8>,
    taken: Vec<Result<Option<Taken>, TakeError>>,
}

impl Scripted {
    fn new(taken: Vec<Result<Option<Taken>, TakeError>>) -> Scripted {
        let mut memory = ObjectBuf::new(4, false);
        memory.add_counter(24, CounterType(0x0001_0100));
        memory.instances = InstancesBuf::Single(memory.zeroed_values());
        let mut block = BlockBuf::new("WEB1", ByteOrder::Little);
        block.objects.push(memory);
        Scripted { block: block.write().expect("a block"), taken }
    }
}

impl LiveSource for Scripted {
    fn facts(&mut self) -> Facts {
        Facts::from([("host".to_owned(), "WEB1".to_owned())])
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        vec![("009".to_owned(), NameTable::from_text("4\nMemory\n24\nAvailable Bytes"))]
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        self.taken.pop().expect("as many samples as the script has")
    }

    fn sample(&self) -> &[u8] {
        &self.block
    }
}

#[test]
fn what_the_source_misses_is_passed_on() {
    let unreadable = |num, what: &str| {
        Ok(Some(Taken { num_unreadable: num, first_unreadable: Some(what.to_owned()), ..Taken::default() }))
    };
    let failure = || Err(TakeError::System { function: "script", what: "told to fail".to_owned() });
    let good = || Ok(Some(Taken::default()));
    let script = vec![good(), Ok(None), failure(), unreadable(2, "/proc/1/io: denied"), good()];
    let mut source = CountersetSource::new(Box::new(Scripted::new(script)), "test").expect("a source");
    assert_eq!(source.facts()["host"], "WEB1");

    let taken = source.take().expect("a sample").expect("no end");
    assert_eq!((taken.num_unreadable, taken.first_unreadable.as_deref()), (2, Some("/proc/1/io: denied")));
    assert!(!source.sample().is_empty());
    // A failed collection is reported in the source's words, and the next may succeed.
    assert_eq!(source.take().expect_err("a failure").to_string(), "script: told to fail");
    assert!(source.sample().is_empty());
    assert_eq!(source.take().expect("no failure"), None);
    let taken = source.take().expect("a sample").expect("no end");
    assert_eq!((taken.num_unreadable, taken.first_unreadable), (0, None));
    assert!(!source.sample().is_empty());
}

/// What a replay has later is known from the beginning, and big-endian dumps have the same values.
#[test]
fn replays_are_served_whole() {
    use std::sync::Arc;

    use recount_model::Content;
    use recount_pcq::{Message, QueryData};

    use crate::ReplaySource;

    const LONG: u64 = 7 << 32;

    for order in [ByteOrder::Little, ByteOrder::Big] {
        let block = |time: i64, objects: &[u32]| {
            let mut block = BlockBuf::new("WEB1", order);
            block.header.perf_time_100ns = 132_000_000_000_000_000 + time;
            for index in objects {
                let mut object = ObjectBuf::new(*index, false);
                let counter = object.add_counter(24, CounterType(0x0001_0100));
                let mut values = object.zeroed_values();
                assert!(object.set_value(&mut values, order, counter, LONG + u64::from(*index)));
                object.instances = InstancesBuf::Single(values);
                block.objects.push(object);
            }
            block.write().expect("a block")
        };
        let dump: Arc<dyn Content> = Arc::new([block(1, &[4]), block(2, &[4, 234])].concat());
        let replay = ReplaySource::open(vec![("dump.bin".to_owned(), dump)], NameTable::new());
        let source = Box::new(replay.expect("a dump"));
        let mut source = CountersetSource::new(source, "test").expect("countersets");
        for num_present in 1..=2 {
            let taken = source.take().expect("a sample").expect("no end");
            assert_eq!(taken.num_unreadable, 2 - num_present, "{order:?}");
            let message = Message::parse(source.sample(), 0).expect("a message");
            let data = QueryData::parse(message.buffer, 0).expect("data");
            assert_eq!(data.blocks().count(), 2);
            let is_in = |value: u64| message.buffer.windows(8).any(|bytes| bytes == value.to_le_bytes());
            assert_eq!((is_in(LONG + 4), is_in(LONG + 234)), (true, num_present == 2), "{order:?}");
        }
        assert_eq!(source.take().expect("no failure"), None);
    }
}

#[cfg(all(target_os = "linux", feature = "live-tests"))]
#[test]
fn live_linux_objects_are_served_as_countersets() {
    use recount_model::Health;
    use recount_pcq::{CounterBlock, Message, QueryData, Session};

    use super::counterset_guid;
    use crate::SampleForm;
    use crate::linux::LinuxSource;

    let wanted = ["Memory", "Processor"];
    let classic = LinuxSource::new(&|object, _| wanted.contains(&object));
    let mut source = CountersetSource::new(Box::new(classic), "linux").expect("a source");
    assert_eq!(source.form(), SampleForm::Message);
    let mut times = Vec::new();
    for _ in 0..3 {
        source.take().expect("a sample").expect("no end");
        let message = Message::parse(source.sample(), 0).expect("a message");
        let data = QueryData::parse(message.buffer, 0).expect("data");
        let clocks = data.header.clocks;
        assert_eq!(message.time_of_sample().0, clocks.perf_time_100ns as i64);
        times.push((clocks.perf_time, message.time_of_sample()));
        let num_values: Vec<usize> = data
            .blocks()
            .map(|block| match block.expect("sound") {
                CounterBlock::MultiCounters { values, .. } => {
                    values.iter().filter(|value| value.value().is_some()).count()
                }
                CounterBlock::CounterSet { instances, .. } => instances.len(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(num_values.len(), wanted.len());
        // Many memory counters; the processors and their total.
        assert!(num_values.iter().all(|num| *num >= 2), "{num_values:?}");
    }
    assert!(times.is_sorted() && times[0] < times[2], "{times:?}");
    let messages = source.messages();
    let (mut session, mut health) = (Session::default(), Health::default());
    for (number, bytes) in (0..).zip(&messages) {
        session.apply(number, &Message::parse(bytes, 0).expect("a message"), &mut health);
    }
    assert!(health.findings().is_empty(), "{:?}", health.findings());
    let mut objects: Vec<String> = session.objects().map(|object| object.name.to_string()).collect();
    objects.sort();
    assert_eq!(objects, wanted);
    let guids: Vec<_> = messages
        .iter()
        .filter_map(|bytes| Message::parse(bytes, 0).ok().filter(|message| message.header.request_code == 1))
        .map(|message| message.header.guid)
        .collect();
    let mut expected = wanted.map(|object| counterset_guid("linux", object));
    expected.sort_by_key(|guid| guids.iter().position(|other| other == guid));
    assert_eq!(guids, expected);
}
