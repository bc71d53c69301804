//! Generated logs, with features that the only real counter-list log doesn't have.

use std::sync::Arc;

use recount_blg::{BlgSource, BlgWriter, Entry, InstanceValue, RecordBuf, TraceHeader};
use recount_model::{FindingKind, Run, Second, Selection, Source, Timestamp};

use crate::support;

use support::{counter, header, time, writer};

fn finish(writer: BlgWriter<std::io::Cursor<Vec<u8>>>) -> Vec<u8> {
    writer.finish(time("2030-01-01T00:00:00")).expect("written").into_inner()
}

fn open(bytes: Vec<u8>) -> BlgSource {
    BlgSource::open(Arc::new(bytes)).expect("a performance log")
}

fn decode(source: &BlgSource) -> Vec<Run> {
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    source.decode(&samples, &Selection::all()).runs
}

fn single(first: u64, second: u64) -> RecordBuf {
    RecordBuf::Single { status: 0, first, second, multi: 1 }
}

/// One sample per second across the end of daylight saving time, without any UTC clock in the samples.
#[test]
fn the_hour_that_comes_twice_stays_in_order() {
    let mut log = writer(header("2013-11-03T08:30:00"));
    log.counter_list(
        time("2013-11-03T01:30:00"),
        &[counter("Memory", None, "Available Bytes", 0x0001_0100, 0)],
    )
    .expect("list");
    let locals = ["00:30", "01:00", "01:30", "01:00", "01:30", "02:00"];
    for (sample, local) in (0..).zip(locals) {
        log.data_block(time(&format!("2013-11-03T{local}:00")), &[single(sample, 0)]).expect("block");
    }
    let source = open(finish(log));
    let utc: Vec<String> = source.times().iter().map(|time| time.utc.to_string()).collect();
    let expected =
        ["07:30", "08:00", "08:30", "09:00", "09:30", "10:00"].map(|t| format!("2013-11-03T{t}:00Z"));
    // The trace claims to have started at 08:30, but the first sample is earlier: the order still decides.
    assert_eq!(utc[3..], expected[3..]);
    let runs = decode(&source);
    assert_eq!(runs[0].columns[0].first, [0, 1, 2, 3, 4, 5]);
    assert!(!runs[0].object.instanced && runs[0].instances[0].is_unnamed());
}

/// Instances that appear and disappear, equal names, a failed counter, and single instances next to a
/// wildcard.
#[test]
fn counter_lists_put_their_records_side_by_side() {
    let timer = 0x2051_0500;
    let entries = [
        counter("Process", Some("*"), "% Processor Time", timer, 10_000_000),
        counter("Process", Some("*"), "ID Process", 0x0001_0000, 0),
        counter("Process", Some("_Total"), "Handle Count", 0x0001_0000, 0),
    ];
    let mut log = writer(header("2020-01-01T08:00:00"));
    let start = time("2020-01-01T00:00:00");
    log.counter_list(start, &entries).expect("list");
    let utc = |second: i64| (time("2020-01-01T08:00:00").0 + second * 10_000_000) as u64;
    let values = |second: i64, all: &[(&str, u64)]| {
        let value = |(name, first): &(&str, u64)| InstanceValue {
            name: (*name).to_owned(),
            first: *first,
            second: utc(second),
        };
        RecordBuf::Instances { status: 0, values: all.iter().map(value).collect() }
    };
    let samples: [&[(&str, u64)]; 3] = [
        &[("svchost", 10), ("svchost", 20), ("_Total", 0)],
        &[("svchost", 10), ("svchost", 20), ("_Total", 0)],
        // The first svchost is gone: the second takes its name, but not its id.
        &[("svchost", 20), ("_Total", 0)],
    ];
    for (second, ids) in (0_i64..).zip(samples) {
        let cpu: Vec<(&str, u64)> =
            ids.iter().map(|(name, id)| (*name, id * 1_000 + second as u64)).collect();
        let status = if second == 1 { 0xC000_0BC6 } else { 0 };
        let total = RecordBuf::Single { status, first: 99, second: 0, multi: 1 };
        let local = Timestamp(start.0 + second * 10_000_000);
        log.data_block(local, &[values(second, &cpu), values(second, ids), total]).expect("block");
    }
    let runs = decode(&open(finish(log)));
    assert_eq!(runs.len(), 2);
    let shown: Vec<String> = runs[0].instances.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["svchost", "svchost#1", "_Total"]);
    let ids: Vec<Option<u64>> = runs[0].instances.iter().map(|instance| instance.id).collect();
    assert_eq!(ids, [Some(10), Some(20), Some(0)]);
    assert!(runs[1].instances[0].is_same(&runs[0].instances[1], Timestamp(0)));
    let cpu = &runs[0].columns[0];
    assert_eq!(cpu.first, [10_000, 20_000, 0, 10_001, 20_001, 1]);
    assert_eq!(cpu.second, Second::Own([[utc(0); 3], [utc(1); 3]].concat()));
    assert_eq!(runs[0].columns[2].covers.as_deref(), Some([false, false, true].as_slice()));
    assert_eq!(runs[0].faults.len(), 1);
    assert_eq!((runs[0].faults[0].sample, runs[0].faults[0].counter, runs[0].faults[0].instance), (1, 2, 2));
}

/// A log of many buffers, which are then put in the order of a circular log.
fn long_log(header: TraceHeader) -> Vec<u8> {
    let mut log = writer(header);
    let start = time("2020-01-01T00:00:00");
    log.counter_list(start, &[counter("System", None, "Threads", 0x0001_0000, 0)]).expect("list");
    for second in 0..2_000_i64 {
        log.data_block(Timestamp(start.0 + second * 10_000_000), &[single(second as u64, 0)]).expect("block");
    }
    finish(log)
}

#[test]
fn circular_logs_come_out_in_time_order() {
    let log = long_log(TraceHeader {
        mode: TraceHeader::MODE_CIRCULAR,
        max_size_mb: 1,
        ..header("2020-01-01T08:00:00")
    });
    let mut buffers: Vec<&[u8]> = log.chunks(0x1_0000).collect();
    assert!(buffers.len() >= 4);
    // Buffer 1 keeps the list; the others were overwritten in turn.
    buffers[2..].rotate_left(1);
    let source = open(buffers.concat());
    assert_eq!(source.times().len(), 2_000);
    assert!(source.times().is_sorted());
    assert_eq!(decode(&source)[0].columns[0].first, (0..2_000).collect::<Vec<u64>>());
    assert!(
        source.info().details.iter().any(|(name, value)| name == "mode" && value.starts_with("circular"))
    );
}

#[test]
fn a_lost_buffer_is_reported_and_survived() {
    let log = long_log(header("2020-01-01T08:00:00"));
    let buffers: Vec<&[u8]> = log.chunks(0x1_0000).collect();
    let without = [&buffers[..2], &buffers[3..]].concat().concat();
    let source = open(without);
    assert_eq!(source.health().count(FindingKind::Lost), 1, "{:?}", source.health());
    let values = &decode(&source)[0].columns[0].first;
    assert_eq!((values.first(), values.last()), (Some(&0), Some(&1_999)));
    assert!(values.len() > 1_000 && values.len() < 2_000);
}

#[test]
fn a_second_list_replaces_the_first() {
    let mut log = writer(header("2020-01-01T08:00:00"));
    let start = time("2020-01-01T00:00:00");
    let at = |second: i64| Timestamp(start.0 + second * 10_000_000);
    log.counter_list(at(0), &[counter("System", None, "Threads", 0x0001_0000, 0)]).expect("list");
    log.data_block(at(0), &[single(1, 0)]).expect("block");
    log.counter_list(at(1), &[counter("Memory", None, "Free", 0x0001_0000, 0)]).expect("list");
    log.data_block(at(1), &[single(2, 0)]).expect("block");
    let runs = decode(&open(finish(log)));
    let found: Vec<(&str, u64)> =
        runs.iter().map(|run| (&*run.object.name, run.columns[0].first[0])).collect();
    assert_eq!(found, [("System", 1), ("Memory", 2)]);
}

/// Samples after the clock was set back form a separate epoch.
#[test]
fn a_clock_set_back_begins_an_epoch() {
    let mut log = writer(header("2020-01-01T08:00:00"));
    let start = time("2020-01-01T00:00:00");
    log.counter_list(start, &[counter("System", None, "Threads", 0x0001_0000, 0)]).expect("list");
    for (value, second) in [0, 1, 2, 0, 1, 3].into_iter().enumerate() {
        // Shifted by half a second, so that the two passes interleave.
        let ticks = second * 10_000_000 + if value > 2 { 5_000_000 } else { 0 };
        log.data_block(Timestamp(start.0 + ticks), &[single(value as u64, 0)]).expect("block");
    }
    let source = open(finish(log));
    let epochs: Vec<u32> = (0..6).map(|sample| source.epoch(sample)).collect();
    assert_eq!(epochs, [0, 1, 0, 1, 0, 1]);
    assert_eq!(source.health().count(FindingKind::Odd), 1, "{:?}", source.health());
}

#[test]
fn an_unfinished_log_is_reported() {
    let log = long_log(header("2020-01-01T08:00:00"));
    let cut = open(log[..log.len() - 0x1_0000].to_vec());
    assert_eq!(cut.health().count(FindingKind::Truncated), 1, "{:?}", cut.health());
    let mut open_ended = log;
    open_ended[104 + 16..104 + 24].fill(0);
    assert_eq!(open(open_ended).health().count(FindingKind::Odd), 1);
}

#[test]
fn what_is_no_log_is_refused_with_a_reason() {
    let error = |bytes: Vec<u8>| BlgSource::open(Arc::new(bytes)).err().expect("refused").to_string();
    assert!(error(vec![]).contains("0 bytes"));
    assert!(error(vec![7; 4_096]).contains("buffer.BufferSize at byte 0x0: found 0x7070707"));
    let log = long_log(header("2020-01-01T08:00:00"));
    let text = error(log[..0x1_0000].to_vec());
    assert!(text.contains("without events of the performance counter provider"), "{text}");
}

/// These read the shared captures.
mod stored {
    use std::collections::BTreeMap;

    use recount_perf_data::DataBlock;
    use recount_samples::blocks::{BlockBuf, InstancesBuf};
    use recount_testdata::shared;

    use super::support::whole_object;
    use super::*;

    /// The real Process block, moved in time by `seconds`, without the instances with the given numbers.
    fn process_block(seconds: i64, without: &[usize]) -> Vec<u8> {
        let bytes = shared("perf-data-block/process-165-instances.bin");
        let block = DataBlock::parse(&bytes, 0).expect("block");
        let mut block = BlockBuf::from_block(&block).expect("block");
        block.header.perf_time += seconds * block.header.perf_freq;
        block.header.perf_time_100ns += seconds * Timestamp::TICKS_PER_SECOND;
        block.objects[0].header.perf_time += seconds * Timestamp::TICKS_PER_SECOND;
        let InstancesBuf::Many(instances) = &mut block.objects[0].instances else { panic!("instances") };
        let mut number = 0;
        instances.retain(|_| {
            number += 1;
            !without.contains(&(number - 1))
        });
        block.write().expect("written")
    }

    /// The real block was taken at 2017-01-17T21:34:40.302 UTC.
    const PROCESS_TIMES: [&str; 3] =
        ["2017-01-17T13:34:40.302", "2017-01-17T13:34:41.302", "2017-01-17T13:34:42.302"];

    fn object_log() -> Vec<u8> {
        let mut log = writer(header("2017-01-17T21:34:40"));
        let names: BTreeMap<u32, String> = [
            (1, "1847"),
            (230, "Process"),
            (6, "% Processor Time"),
            (784, "ID Process"),
            (684, "Elapsed Time"),
        ]
        .map(|(index, name)| (index, name.to_owned()))
        .into();
        let first = time(PROCESS_TIMES[0]);
        log.name_table(Timestamp(first.0 - 20), r"\\HOST", &names).expect("names");
        log.counter_list(Timestamp(first.0 - 10), &[whole_object("Process")]).expect("list");
        for (second, local) in PROCESS_TIMES.iter().enumerate() {
            let without: &[usize] = if second == 2 { &[5] } else { &[] };
            let block = RecordBuf::Object(process_block(second as i64, without));
            log.data_block(time(local), &[block]).expect("block");
        }
        finish(log)
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn whole_objects_are_read_through_fragments() {
        let source = open(object_log());
        assert!(source.health().is_sound(), "{:?}", source.health());
        assert_eq!(source.info().format, "Windows performance log (.blg), whole objects");
        // The block's own clock has the precision that the local stamp lacks.
        assert_eq!(source.times()[0].utc, Timestamp(0x01D2_7109_825E_3718));
        assert_eq!(
            (source.times()[0].utc.to_string().as_str(), source.times()[0].offset_min),
            ("2017-01-17T21:34:40.3022616Z", -480)
        );
        let runs = decode(&source);
        assert_eq!(runs.len(), 2, "an instance went away in the third sample");
        let shape = |run: &Run| (run.num_samples(), run.instances.len(), run.columns.len());
        assert_eq!((shape(&runs[0]), shape(&runs[1])), ((2, 165, 28), (1, 164, 28)));
        let object = &runs[0].object;
        assert_eq!((&*runs[0].host, &*object.name), ("HOST", "Process"));
        assert_eq!(&*object.counters[0].name, "% Processor Time");
        assert_eq!(
            object.counters[0].counter_type.and_then(recount_model::CounterType::name),
            Some("PERF_100NSEC_TIMER")
        );
        assert_eq!(&*object.counters[1].name, "142", "an index without a name is shown as its number");
        let id = object.counter_named("ID Process").expect("ID Process");
        assert_eq!(runs[0].instances[1].id, Some(runs[0].columns[id].first[1]));
        assert!(runs[1].instances[5].is_same(&runs[0].instances[6], runs[0].start_clock(1)));
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_lost_name_table_loses_names_only() {
        let mut log = writer(header("2017-01-17T21:34:40"));
        log.counter_list(time(PROCESS_TIMES[0]), &[whole_object("Process")]).expect("list");
        log.data_block(time(PROCESS_TIMES[0]), &[RecordBuf::Object(process_block(0, &[]))]).expect("block");
        let runs = decode(&open(finish(log)));
        assert_eq!((&*runs[0].object.name, &*runs[0].object.counters[0].name), ("Process", "6"));
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_missing_fragment_costs_its_sample_only() {
        let log = object_log();
        // The second sample's third fragment: find its event by type, fragment number and time stamp.
        let stamp = time(PROCESS_TIMES[1]).0.to_le_bytes();
        let mut damaged = log.clone();
        let hits: Vec<usize> = (0..log.len() - 80)
            .step_by(8)
            .filter(|at| {
                log[at + 16..at + 24] == stamp && log[at + 4] == 0x22 && log[at + 64..at + 68] == [3, 0, 0, 0]
            })
            .collect();
        assert_eq!(hits.len(), 1);
        damaged[hits[0] + 3] = 0;
        let source = open(damaged);
        assert_eq!(source.times().len(), 2);
        assert_eq!(source.health().count(FindingKind::Damaged), 1, "{:?}", source.health());
        assert_eq!(source.health().count(FindingKind::Dropped), 1);
        assert_eq!(decode(&source).iter().map(Run::num_samples).sum::<usize>(), 2);
    }

    /// Several providers of one object: the same index again, with another set of instances.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn an_object_that_stands_twice_in_a_block_is_one_table() {
        let bytes = process_block(0, &[]);
        let mut block = BlockBuf::from_block(&DataBlock::parse(&bytes, 0).expect("block")).expect("block");
        block.objects.push(block.objects[0].clone());
        let mut log = writer(header("2017-01-17T21:34:40"));
        log.counter_list(time(PROCESS_TIMES[0]), &[whole_object("Process")]).expect("list");
        log.data_block(time(PROCESS_TIMES[0]), &[RecordBuf::Object(block.write().expect("written"))])
            .expect("block");
        let runs = decode(&open(finish(log)));
        assert_eq!((runs.len(), runs[0].num_samples(), runs[0].instances.len()), (1, 1, 330));
        assert_eq!(runs[0].instances[165].shown(), "Idle#1");
    }

    /// One flipped bit in the provider's GUID.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_damaged_provider_is_reported() {
        let mut log = object_log();
        let stamp = time(PROCESS_TIMES[1]).0.to_le_bytes();
        let at =
            (0..log.len() - 80).step_by(8).find(|at| log[at + 16..at + 24] == stamp && log[at + 4] == 0x22);
        log[at.expect("the second sample") + 30] ^= 4;
        let source = open(log);
        assert_eq!(source.times().len(), 2);
        let findings: Vec<String> = source.health().findings().iter().map(ToString::to_string).collect();
        assert!(findings[0].contains("but for a few bytes"), "{findings:?}");
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_whole_object_listed_twice_is_one() {
        let mut log = writer(header("2017-01-17T21:34:40"));
        log.counter_list(time(PROCESS_TIMES[0]), &[whole_object("Process"), whole_object("Process")])
            .expect("list");
        for (second, local) in (0..).zip(PROCESS_TIMES) {
            let block = RecordBuf::Object(process_block(second, &[]));
            log.data_block(time(local), &[block.clone(), block]).expect("block");
        }
        let runs = decode(&open(finish(log)));
        assert_eq!((runs.len(), runs[0].num_samples()), (1, 3));
    }
}

/// Windows ignores case in the names of machines, and logs spell one in several ways.
#[test]
fn a_machine_is_one_whatever_its_case() {
    let mut log = writer(header("2013-11-01T08:30:00"));
    let of = |host: &str, object: &str| Entry {
        host: host.into(),
        ..counter(object, None, "Value", 0x0001_0100, 0)
    };
    let list = [of("WEB1", "Memory"), of("web1", "System"), of("WEB2", "Memory"), of("Web1", "memory")];
    log.counter_list(time("2013-11-01T01:30:00"), &list).expect("list");
    for second in 0..2 {
        let records: Vec<RecordBuf> = (0..4).map(|value| single(value, 0)).collect();
        log.data_block(time(&format!("2013-11-01T01:30:0{second}")), &records).expect("block");
    }
    let source = open(finish(log));
    assert_eq!(source.info().hosts, ["WEB1".into(), "WEB2".into()]);
    let mut hosts: Vec<String> =
        decode(&source).iter().map(|run| format!("{} {}", run.host, run.object.name)).collect();
    hosts.sort();
    hosts.dedup();
    assert_eq!(hosts, ["WEB1 Memory", "WEB1 System", "WEB2 Memory"]);
}
