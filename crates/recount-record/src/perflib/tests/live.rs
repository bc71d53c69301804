//! This machine's counters, through client and server.

#![cfg(target_os = "linux")]

use recount_blocks::Session;
use recount_blocks::pcq::{CounterBlock, Message, QueryData};

use crate::SampleForm;
use recount_model::Health;

use crate::linux::LinuxSource;
use crate::perflib::{counterset_guid, serve_blocks};

#[test]
fn linux_objects_are_served_as_countersets() {
    let wanted = ["Memory", "Processor"];
    let classic = LinuxSource::new(&|object, _| wanted.contains(&object)).expect("a source");
    let mut source = serve_blocks(Box::new(classic), "linux").expect("a source");
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
        // Many counters of memory; the processors, and their total.
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
